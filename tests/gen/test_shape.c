/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of two and three extents: elements, launch plans and what tensor
 * maps take from them. */
#include "tests/gen/gen_test.h"

#include "runtime/launch/launch_spec.h"

static const char good[] =
    "#pragma hone op o(h, w, T in {f32, f16})\n"
    "#pragma hone arch sm >= 90\n"
    "#pragma hone device cuda \"TMA\"\n"
    "#pragma hone param TILE in {32, 64}\n"
    "#pragma hone let P = align(w, 8)\n"
    "#pragma hone arg x: in T[h][P], y: out f32[w], z: inout i8[2][h + 1][w]\n"
    "#pragma hone workspace s: f64[TILE][w]\n"
    "#pragma hone tensormap XM: x box(TILE, 8)\n"
    "#pragma hone tensormap ZM: z box(16, 1, 1) if(w % 16 == 0)\n"
    "#pragma hone tensormap SM: s dims(w*TILE) box(2)\n"
    "#pragma hone launch k args(x, y, z, s, XM, ZM, SM)\n"
    "// __grid_constant__\n"
    "extern \"C\" __global__ void k(__grid_constant__ int) {}\n";

static void resolve(const char *arch, int64_t h, int64_t w, int64_t type,
                    hone_resolved *out)
{
    static hone_launch_spec *spec; /* the plan borrows its names */
    hone_template *t = parse_good(good);
    const hone_properties properties = properties_of(arch);
    const int64_t dims[] = {h, w, type};
    const int64_t config[] = {32};
    hone_text plan = {0};
    hone_error err = {0};

    spec = read_plan(t, config, &plan);
    if (hone__launch_spec_resolve(
            &(hone_launch_case){spec, dims, 3, &properties}, out, &err))
        fail_msg("%s", err.text);
    hone__launch_spec_free(spec);
    hone__text_free(&plan);
    hone__template_free(t);
}

static void resolved(void **state)
{
    static const int64_t x[] = {5, 16};
    static const int64_t z[] = {2, 6, 16};
    hone_resolved problem;

    (void)state;
    resolve("sm_90", 5, 16, HONE_TYPE_F16, &problem);
    assert_int_equal(problem.args[0].count, 5 * 16);
    assert_int_equal(problem.args[0].rank, 2);
    assert_memory_equal(problem.args[0].extents, x, sizeof x);
    assert_int_equal(problem.args[1].rank, 1);
    assert_int_equal(problem.args[1].extents[0], 16);
    assert_int_equal(problem.args[2].count, 2 * 6 * 16);
    assert_int_equal(problem.args[2].rank, 3);
    assert_memory_equal(problem.args[2].extents, z, sizeof z);
    assert_int_equal(problem.workspaces[0].size_bytes, 32 * 16 * 8);
}

/* The innermost extent comes first, and rows follow each other. */
static void mapped(void **state)
{
    const hone_tensor_map *map;
    hone_resolved problem;

    (void)state;
    resolve("sm_90", 5, 16, HONE_TYPE_F16, &problem);
    map = &problem.maps[0].shape;
    assert_int_equal(map->rank, 2);
    assert_int_equal(map->dims[0], 16);
    assert_int_equal(map->dims[1], 5);
    assert_int_equal(map->strides[1], 16 * 2);
    map = &problem.maps[1].shape;
    assert_int_equal(map->rank, 3);
    assert_int_equal(map->dims[0], 16);
    assert_int_equal(map->dims[1], 6);
    assert_int_equal(map->dims[2], 2);
    assert_int_equal(map->strides[1], 16);
    assert_int_equal(map->strides[2], 16 * 6);
    assert_int_equal(problem.maps[2].shape.rank, 1);
    resolve("sm_90", 3, 9, HONE_TYPE_F32, &problem);
    assert_int_equal(problem.maps[0].shape.strides[1], 16 * 4);
    assert_false(problem.maps[1].wanted);
}

static void planned(void **state)
{
    static const struct {
        const char *lines;
        const char *words; /* NULL: it is good */
    } rows[] = {
        {"arg a in 4 6\nshape a 2 ; 3\n", NULL},
        {"arg a in 4 6\nshape a 6\n", NULL},
        {"arg a in 4 6\nshape a 2 ; 2\n", "not those of 6 elements"},
        {"arg a in 4 6\nshape a 1 ; 2 ; 1 ; 3\n", "line 4"},
        {"arg a in 4 6\nshape b 2 ; 3\n", "no array argument is called 'b'"},
        {"arg a scalar 4\nshape a 1\n", "no array argument is called 'a'"},
    };
    const hone_properties properties = properties_of("sm_90");

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        const int64_t dims[] = {1};
        hone_launch_spec *spec = NULL;
        hone_resolved problem;
        hone_error err = {0};
        char text[256];
        hone_status status;

        (void)snprintf(text, sizeof text,
                       "hone-launch 3\nop o\n%slaunch k\ngrid 1\nblock 1\n",
                       rows[i].lines);
        status = hone__launch_spec_parse(text, &spec, &err);
        if (!status)
            status = hone__launch_spec_resolve(
                &(hone_launch_case){spec, dims, 0, &properties}, &problem,
                &err);
        assert_int_equal(status, rows[i].words ? HONE_ERR_INPUT : HONE_OK);
        if (status && !strstr(err.text, rows[i].words))
            fail_msg("%s: %s", rows[i].lines, err.text);
        hone__launch_spec_free(spec);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resolved),
        cmocka_unit_test(mapped),
        cmocka_unit_test(planned),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
