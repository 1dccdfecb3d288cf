/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor maps in launch plans: what is read, what is refused and where, and
 * the numbers they resolve to. */
#include "tests/runtime/launch_fixture.h"

#include <stdio.h>
#include <string.h>

#define HEAD                                                                   \
    "hone-launch 2\nop copy\ndim M int\ndim K int\ndim T type 1\n"             \
    "param BM 128\nparam BK 64\nparam TMA 1\n"                                 \
    "arg A in T M*K\narg s scalar 4\nworkspace w 4 4*M\n"
#define LAUNCH "launch copy\ngrid 1\nblock 128\n"
#define MAP                                                                    \
    "tensormap A_MAP A\nmap dims K ; M\nmap strides K*sizeof(T)\n"             \
    "map box BK ; BM\n"

static const char whole[] =
    HEAD MAP "map if TMA\nmap elements 1 ; 2\n"
             "map swizzle 128\nmap l2 256\n"
             "map fill M > 100\n"
             "tensormap LINE w\nmap dims 4*M\n"
             "map box 256\n" LAUNCH "pass A\npass LINE\npass A_MAP\n";

static hone_status resolve(const char *text, int64_t m, int64_t k,
                           const char *arch, hone_resolved *out,
                           hone_error *error)
{
    const int64_t dims[] = {m, k};
    hone_launch_spec *spec = launch_parse(text);
    const hone_status status = launch_resolve(spec, dims, 2, arch, out, error);

    hone__launch_spec_free(spec);
    return status;
}

static void numbers(void **state)
{
    hone_error error = {0};
    hone_resolved r;
    const hone_tensor_map *map = &r.maps[0].shape;

    (void)state;
    if (resolve(whole, 1000, 512, "sm_90", &r, &error))
        fail_msg("%s", error.text);
    assert_int_equal(r.n_maps, 2);
    assert_int_equal(r.maps[0].wanted, 1);
    assert_int_equal(r.maps[0].array_kind, HONE_PASS_ARG);
    assert_int_equal(r.maps[0].array, 0);
    assert_int_equal(map->type, HONE_TYPE_F16);
    assert_int_equal(map->array_bytes, 1000 * 512 * 2);
    assert_int_equal(map->rank, 2);
    assert_int_equal(map->dims[0], 512);
    assert_int_equal(map->dims[1], 1000);
    assert_int_equal(map->strides[1], 1024);
    assert_int_equal(map->box[0], 64);
    assert_int_equal(map->box[1], 128);
    assert_int_equal(map->steps[0], 1);
    assert_int_equal(map->steps[1], 2);
    assert_int_equal(map->swizzle, 128);
    assert_int_equal(map->l2, 256);
    assert_int_equal(map->fill, 1);
    assert_int_equal(r.maps[1].array_kind, HONE_PASS_WORKSPACE);
    assert_int_equal(r.maps[1].shape.type, HONE_TYPE_F32);
    assert_int_equal(r.maps[1].shape.rank, 1);
    assert_int_equal(r.maps[1].shape.steps[0], 1);
    assert_int_equal(r.maps[1].shape.swizzle, 0);
    assert_int_equal(r.launches[0].passed[1].kind, HONE_PASS_MAP);
    assert_int_equal(r.launches[0].passed[1].index, 1);
    assert_int_equal(r.launches[0].passed[2].index, 0);
}

static void unwanted_maps_have_no_rules(void **state)
{
    static const char text[] = HEAD MAP "map if K % 8 == 0\n" LAUNCH;
    hone_error error = {0};
    hone_resolved r;

    (void)state;
    assert_int_equal(resolve(text, 10, 7, "sm_90", &r, &error), HONE_OK);
    assert_int_equal(r.n_maps, 1);
    assert_int_equal(r.maps[0].wanted, 0);
    assert_int_equal(resolve(text, 10, 7, "sm_80", &r, &error), HONE_OK);
    assert_int_equal(resolve(text, 10, 8, "sm_90", &r, &error), HONE_OK);
    assert_int_equal(r.maps[0].wanted, 1);
}

static void rules_hold_at_each_size(void **state)
{
    static const char text[] = HEAD MAP LAUNCH;
    hone_error error = {0};
    hone_resolved r;

    (void)state;
    assert_int_equal(resolve(text, 10, 7, "sm_90", &r, &error),
                     HONE_ERR_CONSTRAINT);
    assert_contains(error.text, "tensor map 'A_MAP': the stride of dimension "
                                "1 is 14 bytes, which is no multiple of 16");
    assert_int_equal(resolve(text, 10, 8, "sm_80", &r, &error),
                     HONE_ERR_CONSTRAINT);
    assert_contains(error.text, "'A_MAP' needs a device of compute capability "
                                "9.0 or newer; this one has 8.0");
    assert_int_equal(resolve(HEAD MAP "map l2 -0x7fffffffffffffff-1\n" LAUNCH,
                             10, 8, "sm_90", &r, &error),
                     HONE_ERR_CONSTRAINT);
    assert_contains(error.text, "the L2 promotion is -9223372036854775807");
}

static void mistakes_have_lines(void **state)
{
    static const struct {
        const char *rest; /* its first line is 12 */
        const char *part;
    } rows[] = {
        {"tensormap\n", "line 12: expected a name"},
        {"tensormap X\n", "line 12: expected a name"},
        {"tensormap X B\n", "no array or workspace is called 'B'"},
        {"tensormap X s\n", "no array or workspace is called 's'"},
        {"tensormap A w\n", "line 12: declared twice: 'A'"},
        {"tensormap X A B\n", "line 12: nothing may follow here"},
        {MAP "tensormap Y A_MAP\n", "line 16: no array or workspace is "},
        {MAP "tensormap A_MAP A\n", "line 16: declared twice: 'A_MAP'"},
        {"map dims 1\n", "line 12: this belongs under a tensormap: 'dims'"},
        {MAP "map dims 1\n", "line 16: stated twice for one tensor map: 'd"},
        {MAP "map boxes 1\n", "line 16: unknown part of a tensor map: 'box"},
        {MAP "map swizzle 1 ; 2\n", "line 16: more than 1 value, found '2'"},
        {MAP "map l2\n", "line 16: an expression is missing"},
        {"tensormap X A\nmap dims 1;2;3;4;5;6\n", "more than 5 values"},
        {"tensormap X A\n" LAUNCH, "line 12: tensor map 'X' has 0 dims"},
        {"tensormap X A\nmap dims 8 ; 8\nmap box 8 ; 8\n" LAUNCH,
         "has 2 dims, 0 strides, a box of 2"},
        {"tensormap X A\nmap dims 8\nmap box 8 ; 8\n" LAUNCH,
         "has 1 dims, 0 strides, a box of 2"},
        {MAP "map elements 1\n" LAUNCH, "and 1 element strides, which do"},
        {LAUNCH "pass A_MAP\n", "line 15: no argument, workspace or tensor"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        char text[1024];

        (void)snprintf(text, sizeof text, HEAD "%s", rows[i].rest);
        launch_mistake(text, rows[i].part);
    }
}

static void version_one_has_none(void **state)
{
    char text[sizeof whole];

    (void)state;
    memcpy(text, whole, sizeof whole);
    text[sizeof "hone-launch " - 1] = '1';
    launch_mistake(text, "line 12: unknown statement 'tensormap'");
}

static void at_most_eight(void **state)
{
    char text[2048] = HEAD;

    (void)state;
    for (char c = 'a'; c < 'a' + HONE_MAX_MAPS + 1; ++c) {
        char line[64];

        (void)snprintf(line, sizeof line, "tensormap %c_ A\n", c);
        (void)strcat(text, line);
    }
    launch_mistake(text, "line 20: more than 8 tensor maps: 'i_'");
}

static void memory_may_run_out(void **state)
{
    (void)state;
    launch_parse_short_of_memory(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(unwanted_maps_have_no_rules),
        cmocka_unit_test(rules_hold_at_each_size),
        cmocka_unit_test(mistakes_have_lines),
        cmocka_unit_test(version_one_has_none),
        cmocka_unit_test(at_most_eight),
        cmocka_unit_test(memory_may_run_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
