/* SPDX-License-Identifier: Apache-2.0 */
/* Standard headers in kernels. NVRTC has none, a host has all of them, and
 * many mean nothing in a kernel: what an include of one stands for is said
 * here, for both devices, and is part of the template's text like any other
 * header. Conditions stay the compiler's: an include that is left out is not
 * complained about. */
#include "gen/parse/parse.h"

#include <string.h>

/* Headers with parts in kernel_std.cuh, and why others are not there. */
static const struct {
    const char *why_not; /* NULL: they are there */
    const char *names[25];
} standard[] = {
    {NULL,
     {"algorithm", "array",    "assert.h",    "cassert",          "cfloat",
      "climits",   "cmath",    "cstddef",     "cstdint",          "cstdio",
      "cstdlib",   "cstring",  "float.h",     "initializer_list", "limits",
      "limits.h",  "math.h",   "stddef.h",    "stdint.h",         "stdio.h",
      "stdlib.h",  "string.h", "type_traits", "utility"}},
    {"is not for kernels; <cuda/std/..> has one of this name where the toolkit "
     "brings CCCL",
     {"bit", "bitset", "complex", "functional", "iterator", "numeric",
      "optional", "ratio", "span", "tuple", "variant"}},
    {"is not for kernels: use arrays of a fixed size, as <array> has",
     {"deque", "list", "map", "memory", "queue", "set", "stack", "string",
      "string_view", "unordered_map", "unordered_set", "vector"}},
    {"is not for kernels: print with printf, which <cstdio> has",
     {"fstream", "iomanip", "iostream", "istream", "ostream", "sstream"}},
    {"is not for kernels: their threads are those of the launch",
     {"condition_variable", "future", "mutex", "pthread.h", "thread"}},
    {"is not for kernels: use atomicAdd and its like", {"atomic"}},
    {"is not for kernels: use clock64()", {"chrono", "ctime", "time.h"}},
    {"is not for kernels: pass numbers in as an argument", {"random"}},
    {"is not for kernels: use assert, which <cassert> has",
     {"exception", "stdexcept"}},
};

/* CUDA's own that hone's headers for the host stand for. */
static const char *const for_both[] = {"cuda_runtime.h", "cuda_runtime_api.h",
                                       "device_launch_parameters.h",
                                       "vector_types.h", "vector_functions.h"};

/* What only CUDA devices have: a header, or a folder of them. */
static const char *const for_cuda[] = {
    "cub/",
    "cuda/",
    "thrust/",
    "cute/",
    "cutlass/",
    "cooperative_groups.h",
    "cuda_pipeline.h",
    "cooperative_groups/",
    "cuda_fp4.h",
    "cuda_fp6.h",
    "curand_kernel.h",
};

/* The text of kernel_std.cuh. */
extern const char hone__kernel_std[];

static int write_standard(const char *name, int is_foreign, hone_text *out)
{
    size_t row = 0, at = 0;

    while (row < sizeof standard / sizeof standard[0] &&
           strcmp(standard[row].names[at], name) != 0) {
        if (!standard[row].names[++at]) {
            ++row;
            at = 0;
        }
    }
    if (row == sizeof standard / sizeof standard[0] ||
        (standard[row].why_not && is_foreign))
        return 0;
    if (standard[row].why_not)
        hone__text_printf(out, "#error <%s> %s\n", name, standard[row].why_not);
    else if (strstr(name, "assert")) /* both devices have it, as theirs */
        hone__text_puts(out, "\n");
    else
        hone__text_printf(out,
                          "#ifdef HONE_HOST\n#include <%s>\n#else\n%s#endif\n",
                          name, hone__kernel_std);
    return 1;
}

/* On the host the names of libcu++ stand for those of C++. */
static int write_cuda_std(const char *name, hone_text *out)
{
    static const char folder[] = "cuda/std/";
    const char *base = name + sizeof folder - 1;

    if (strncmp(name, folder, sizeof folder - 1) != 0)
        return 0;
    hone__text_printf(
        out,
        "#ifdef HONE_HOST\n#include <%s>\nnamespace cuda\n{\n"
        "namespace std = ::std;\n}\n#elif __has_include(<%s>)\n"
        "#include <%s>\n#else\n#error <%s> comes with CCCL, which is not "
        "beside NVRTC: install it, or name its folder with --include\n"
        "#endif\n",
        base, name, name, name);
    return 1;
}

static int write_cuda(const char *name, int is_foreign, hone_text *out)
{
    for (size_t i = 0; i < sizeof for_both / sizeof for_both[0]; ++i) {
        if (strcmp(name, for_both[i]) != 0)
            continue;
        hone__text_printf(out, "#ifndef HONE_HOST\n#include <%s>\n#endif\n",
                          name);
        return 1;
    }
    for (size_t i = 0; i < sizeof for_cuda / sizeof for_cuda[0] && !is_foreign;
         ++i) {
        const size_t length = strlen(for_cuda[i]);

        if (strncmp(name, for_cuda[i], length) != 0 ||
            (for_cuda[i][length - 1] != '/' && name[length]))
            continue;
        hone__text_printf(out,
                          "#ifdef HONE_HOST\n#error <%s> is for CUDA devices "
                          "alone: say so with the line #pragma hone device "
                          "cuda \"uses %s\"\n#else\n#include <%s>\n#endif\n",
                          name, name, name);
        return 1;
    }
    return 0;
}

int hone__standard_header(const char *name, int is_foreign, hone_text *out)
{
    return write_standard(name, is_foreign, out) || write_cuda_std(name, out) ||
           write_cuda(name, is_foreign, out);
}
