/* SPDX-License-Identifier: Apache-2.0 */
/* See code_arch.h. The rules are those of the CUDA programming guide, "binary
 * compatibility" and "family-specific features". */
#include "runtime/store/code_arch.h"

#include <stdlib.h>
#include <string.h>

/* Chips with a processor beside the GPU (Tegra): their code runs on no other
 * chip, and that of others not on them. */
static int is_alone(int64_t sm)
{
    static const int chips[] = {53, 62, 72, 87, 101, 110};

    for (size_t i = 0; i < sizeof chips / sizeof chips[0]; ++i)
        if (chips[i] == sm)
            return 1;
    return 0;
}

/* Code of any kind for `built` on `sm`, as far as versions go. */
static int is_compatible(int64_t built, int64_t sm)
{
    if (is_alone(built) || is_alone(sm))
        return built == sm;
    return built / 10 == sm / 10 && built <= sm;
}

static const char ptx_prefix[] = "compute_";

hone_code_form hone__code_form(const char *compile_arch)
{
    return strncmp(compile_arch, ptx_prefix, strlen(ptx_prefix)) == 0
               ? HONE_CODE_PTX
               : HONE_CODE_CUBIN;
}

/* 90 of "sm_90a", and what is behind it; -1: it is no such name. */
static int64_t read_arch(const char *arch, const char **out_suffix)
{
    const char *digits = strncmp(arch, "sm_", 3) == 0 ? arch + 3 : NULL;
    char *end = NULL;
    long built;

    if (hone__code_form(arch) == HONE_CODE_PTX)
        digits = arch + strlen(ptx_prefix);
    if (!digits)
        return -1;
    built = strtol(digits, &end, 10);
    *out_suffix = end;
    return end == digits ? -1 : built;
}

int hone__arch_runs_on(const char *compile_arch, int64_t sm)
{
    const char *suffix = "";
    const int64_t built = read_arch(compile_arch, &suffix);

    if (built < 0)
        return 0;
    /* Architecture-specific code runs on that very one; family-specific and
     * plain cubins on the same major version from their minor one up; plain PTX
     * on all that is newer. */
    if (strcmp(suffix, "a") == 0)
        return built == sm;
    if (*suffix == '\0' && hone__code_form(compile_arch) == HONE_CODE_PTX)
        return built <= sm;
    return (*suffix == '\0' || strcmp(suffix, "f") == 0) &&
           is_compatible(built, sm);
}

int hone__arch_age(const char *compile_arch, const char *arch)
{
    const char *suffix = "";
    const int64_t from = read_arch(compile_arch, &suffix);
    const int64_t to = read_arch(arch, &suffix);

    return from >= 0 && to >= 0 ? (int)(to - from) : 0;
}

int hone__arch_family_distance(const char *theirs, const char *ours)
{
    const char *suffix = "";
    int64_t from, to;

    if (strcmp(theirs, ours) == 0)
        return 0;
    from = read_arch(theirs, &suffix);
    to = read_arch(ours, &suffix);
    return from >= 0 && to >= 0 && is_compatible(from, to) ? (int)(to - from)
                                                           : -1;
}
