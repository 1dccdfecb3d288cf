/* SPDX-License-Identifier: Apache-2.0 */
/* The gate and tensor maps: what CUDA does not allow is said before anything
 * is compiled, for all that is known. */

#include "tests/tuner/gate_fixture.h"
#include <stdio.h>
#include <string.h>

enum { UNKNOWN = 0 };

/* Tiles of BM rows of a matrix of T; `parts` follow. */
static hone_gate gate(const char *arch, int64_t m, int64_t k, int64_t type,
                      int bm, const char *parts, char message[320])
{
    const int64_t dims[] = {m, k, type};
    char plan[1024];
    hone_properties properties;

    (void)snprintf(plan, sizeof plan,
                   "hone-launch 2\n"
                   "op f\n"
                   "dim M int\n"
                   "dim K int\n"
                   "dim T type\n"
                   "param BM %d\n"
                   "let ROW K*sizeof(T)\n"
                   "arg x in T M*K\n"
                   "tensormap X_MAP x\n"
                   "map dims K ; M\n"
                   "map strides ROW\n"
                   "map box 64 ; BM\n"
                   "%s"
                   "launch f\n"
                   "grid 1\n"
                   "block 32\n"
                   "pass X_MAP\n",
                   bm, parts);
    assert_int_equal(hone__properties_of_arch(arch, &properties, NULL),
                     HONE_OK);
    return GATE(hone__gate_launch, plan, m < 0 ? NULL : dims, 3, &properties,
                "", message, 320);
}

static void expect(const char *arch, int64_t m, int64_t k, int64_t type, int bm,
                   const char *parts, const char *words)
{
    char message[320];
    const hone_gate got = gate(arch, m, k, type, bm, parts, message);

    if (got != (words ? HONE_GATE_LIMITS : HONE_GATE_PASS) ||
        (words && !strstr(message, words)))
        fail_msg("gate %d: '%s', expected '%s'", (int)got, message,
                 words ? words : "");
}

static void all_known(void **state)
{
    (void)state;
    expect("sm_90", 300, 512, HONE_TYPE_F16, 128, "", NULL);
    expect("sm_90", 300, 500, HONE_TYPE_F16, 128, "",
           "tensor map 'X_MAP': the stride of dimension 1 is 1000 bytes, "
           "which is no multiple of 16");
    expect("sm_90", 300, 512, HONE_TYPE_F16, 512, "", "box side 1 is 512");
    expect("sm_90", 300, 512, HONE_TYPE_F32, 64, "map swizzle 128\n",
           "256 bytes, more than the 128 of the swizzle");
    expect("sm_90", 300, 512, HONE_TYPE_F32, 512, "map if BM < 512\n", NULL);
    expect("sm_80", 300, 512, HONE_TYPE_F16, 128, "", "compute capability 9.0");
}

/* As `hone compile` asks, which knows no sizes. */
static void some_unknown(void **state)
{
    (void)state;
    expect("sm_90", -1, 0, 0, 128, "", NULL);
    expect("sm_90", -1, 0, 0, 512, "", "box side 1 is 512");
    expect("sm_80", -1, 0, 0, 128, "", "compute capability 9.0");
    expect("sm_90", -1, 0, 0, 512, "map if K > 100\n", NULL);
    expect("sm_90", -1, 0, 0, 512, "map if BM < 512\n", NULL);
    expect("sm_90", -1, 0, 0, 64, "map swizzle 48\n", "swizzle is 48 bytes");
    expect("sm_90", -1, 0, 0, 64, "map swizzle 32\n", NULL);
    expect("sm_90", UNKNOWN, 500, HONE_TYPE_F16, 64, "",
           "the stride of dimension 1 is 1000 bytes");
    expect("sm_90", 300, UNKNOWN, HONE_TYPE_F16, 64, "", NULL);
    expect("sm_90", 300, UNKNOWN, HONE_TYPE_F16, 64, "map swizzle 64\n",
           "128 bytes, more than the 64 of the swizzle");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_known),
        cmocka_unit_test(some_unknown),
    };

    const int n_failed = cmocka_run_group_tests(tests, NULL, NULL);

    hone__launch_spec_free(parsed_plan);
    return n_failed;
}
