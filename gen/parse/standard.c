/* SPDX-License-Identifier: Apache-2.0 */
/* Standard headers in kernels. NVRTC has none, a host has all of them, and
 * many mean nothing in a kernel: what an include of one stands for is said
 * here, for both devices, and is part of the template's text like any other
 * header. Conditions stay the compiler's: an include that is left out is not
 * complained about. */
#include "gen/parse/standard.h"

#include <string.h>

#define WITH_CCCL                                                              \
    "is not for kernels; <cuda/std/..> has one of this name where the "        \
    "toolkit brings CCCL"
#define FIXED "is not for kernels: use arrays of a fixed size, as <array> has"
#define PRINT "is not for kernels: print with printf, which <cstdio> has"
#define THREADS "is not for kernels: their threads are those of the launch"

/* Headers with parts in kernel_std.cuh, and why others are not there. */
static const struct {
    const char *name;
    const char *why_not; /* NULL: it is there */
} standard[] = {
    {"algorithm", NULL},
    {"array", NULL},
    {"assert.h", NULL},
    {"cassert", NULL},
    {"cfloat", NULL},
    {"climits", NULL},
    {"cmath", NULL},
    {"cstddef", NULL},
    {"cstdint", NULL},
    {"cstdio", NULL},
    {"cstdlib", NULL},
    {"cstring", NULL},
    {"float.h", NULL},
    {"initializer_list", NULL},
    {"limits", NULL},
    {"limits.h", NULL},
    {"math.h", NULL},
    {"stddef.h", NULL},
    {"stdint.h", NULL},
    {"stdio.h", NULL},
    {"stdlib.h", NULL},
    {"string.h", NULL},
    {"type_traits", NULL},
    {"utility", NULL},
    {"bit", WITH_CCCL},
    {"bitset", WITH_CCCL},
    {"complex", WITH_CCCL},
    {"functional", WITH_CCCL},
    {"iterator", WITH_CCCL},
    {"numeric", WITH_CCCL},
    {"optional", WITH_CCCL},
    {"ratio", WITH_CCCL},
    {"span", WITH_CCCL},
    {"tuple", WITH_CCCL},
    {"variant", WITH_CCCL},
    {"deque", FIXED},
    {"list", FIXED},
    {"map", FIXED},
    {"memory", FIXED},
    {"queue", FIXED},
    {"set", FIXED},
    {"stack", FIXED},
    {"string", FIXED},
    {"string_view", FIXED},
    {"unordered_map", FIXED},
    {"unordered_set", FIXED},
    {"vector", FIXED},
    {"fstream", PRINT},
    {"iomanip", PRINT},
    {"iostream", PRINT},
    {"istream", PRINT},
    {"ostream", PRINT},
    {"sstream", PRINT},
    {"condition_variable", THREADS},
    {"future", THREADS},
    {"mutex", THREADS},
    {"pthread.h", THREADS},
    {"thread", THREADS},
    {"atomic", "is not for kernels: use atomicAdd and its like"},
    {"chrono", "is not for kernels: use clock64()"},
    {"ctime", "is not for kernels: use clock64()"},
    {"time.h", "is not for kernels: use clock64()"},
    {"random", "is not for kernels: pass numbers in as an argument"},
    {"exception", "is not for kernels: use assert, which <cassert> has"},
    {"stdexcept", "is not for kernels: use assert, which <cassert> has"},
};

/* CUDA's own that hone's headers for the host stand for. */
static const char *const for_both[] = {"cuda_runtime.h", "cuda_runtime_api.h",
                                       "device_launch_parameters.h",
                                       "vector_types.h", "vector_functions.h"};

/* What only CUDA devices have: a header, or a folder of them. */
static const char *const for_cuda[] = {
    "cub/",       "cuda/",           "thrust/",
    "cute/",      "cutlass/",        "cooperative_groups.h",
    "cuda_fp8.h", "cuda_pipeline.h", "cooperative_groups/",
    "cuda_fp4.h", "cuda_fp6.h",      "curand_kernel.h",
};

static int write_standard(const char *name, int is_foreign, hone_text *out)
{
    for (size_t i = 0; i < sizeof standard / sizeof standard[0]; ++i) {
        if (strcmp(standard[i].name, name) != 0)
            continue;
        if (standard[i].why_not && is_foreign)
            return 0;
        if (standard[i].why_not)
            hone__text_printf(out, "#error <%s> %s\n", name,
                              standard[i].why_not);
        else if (strstr(name, "assert")) /* both devices have it, as theirs */
            hone__text_puts(out, "\n");
        else
            hone__text_printf(out,
                              "#ifdef HONE_HOST\n#include <%s>\n#else\n%s"
                              "#endif\n",
                              name, hone__kernel_std);
        return 1;
    }
    return 0;
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
