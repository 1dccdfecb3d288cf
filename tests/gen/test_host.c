/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays in host memory and the pipeline that cuts them: the launch plan as the
 * runtime reads it, chunk by chunk, and what is refused. */
#include "tests/gen/gen_test.h"

#include "runtime/launch/launch_spec.h"

static const char good[] =
    "#pragma hone op o(n, m, PINNED in {0, 1})\n"
    "#pragma hone param CHUNK in {100, 7, 0} default 7\n"
    "#pragma hone param STREAMS in {3, 17}\n"
    "#pragma hone let BLOCKS = ceildiv(n, 4)\n"
    "#pragma hone arg x: in host(PINNED) f32[n][m], w: in host f32[m], \\\n"
    "    d: in f64[n], y: out host(PINNED) f64[n], s: f32\n"
    "#pragma hone pipeline staging(PINNED) streams(STREAMS) chunks(n, CHUNK)\n"
    "#pragma hone require BLOCKS <= 10\n"
    "#pragma hone launch k grid(BLOCKS) args(x, w, d, y, i64(n), i64(m))\n"
    "#pragma hone launch k if(n < 7) grid(n)\n" KERNEL;

static hone_launch_spec *spec_of(const char *text, const int64_t *config,
                                 hone_text *plan)
{
    hone_template *t = parse_good(text);
    hone_launch_spec *spec = read_plan(t, config, plan);

    hone__template_free(t);
    return spec;
}

static void planned(void **state)
{
    const hone_properties properties = properties_of("sm_90");
    const int64_t config[] = {7, 3};
    const int64_t dims[] = {24, 5, 1};
    hone_text plan = {0};
    hone_launch_spec *spec = spec_of(good, config, &plan);
    hone_resolved r;
    hone_error err = {0};

    (void)state;
    assert_non_null(strstr(plan.data, "hone-launch 7\n"));
    assert_non_null(strstr(plan.data, "host x PINNED\n"));
    assert_non_null(strstr(plan.data, "host w 0\n"));
    assert_non_null(strstr(plan.data, "pipeline n CHUNK ; STREAMS ; PINNED\n"));
    if (hone__launch_spec_resolve(
            &(hone_launch_case){spec, dims, 3, &properties}, &r, &err))
        fail_msg("%s", err.text);
    assert_true(r.pipeline.is_used && r.pipeline.is_staged);
    assert_int_equal(r.pipeline.n_rows, 24);
    assert_int_equal(r.pipeline.n_chunk_rows, 7);
    assert_int_equal(r.pipeline.n_slots, 3);
    /* A chunk has 7 rows, and the last one 3, where the second is launched. */
    assert_int_equal(r.pipeline.n_launches, 1);
    assert_int_equal(r.n_launches, 3);
    assert_int_equal(r.launches[0].shape.grid[0], 2);
    assert_int_equal(r.launches[0].passed[4].value, 7);
    assert_int_equal(r.launches[0].passed[5].value, 5);
    assert_int_equal(r.launches[1].shape.grid[0], 1);
    assert_int_equal(r.launches[1].passed[4].value, 3);
    assert_int_equal(r.launches[2].shape.grid[0], 3);
    /* x: 140 bytes for a chunk; w whole; d stays; y: 56 bytes. */
    assert_true(r.args[0].is_host && r.args[0].is_pinned && r.args[0].is_cut);
    assert_int_equal(r.args[0].copy_bytes, 2 * 256 + 140);
    assert_true(r.args[1].is_host && !r.args[1].is_pinned);
    assert_false(r.args[1].is_cut);
    assert_int_equal(r.args[1].copy_bytes, 20);
    assert_true(!r.args[2].is_host && r.args[2].is_cut);
    assert_int_equal(r.args[2].copy_bytes, 0);
    assert_int_equal(r.args[3].copy_bytes, 2 * 256 + 56);
    assert_int_equal(r.args[3].size_bytes, 24 * 8);
    assert_false(r.args[4].is_host || r.args[4].is_cut);
    hone__launch_spec_free(spec);
    hone__text_free(&plan);
}

/* Chunks that divide the rows, and one that holds them all. */
static void few_chunks(void **state)
{
    static const struct {
        int64_t n;
        int64_t chunk;
        int64_t rows;
        unsigned slots;
        size_t launches;
    } rows[] = {{14, 7, 7, 2, 1}, {7, 7, 7, 1, 1},     {6, 7, 6, 1, 2},
                {1, 7, 1, 1, 2},  {24, 100, 24, 1, 1}, {8, 7, 7, 2, 3}};
    const hone_properties properties = properties_of("sm_90");

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        const int64_t config[] = {rows[i].chunk, 3};
        const int64_t dims[] = {rows[i].n, 1, 0};
        hone_text plan = {0};
        hone_launch_spec *spec = spec_of(good, config, &plan);
        hone_resolved r;

        assert_int_equal(
            hone__launch_spec_resolve(
                &(hone_launch_case){spec, dims, 3, &properties}, &r, NULL),
            HONE_OK);
        assert_int_equal(r.pipeline.n_chunk_rows, rows[i].rows);
        assert_int_equal(r.pipeline.n_slots, rows[i].slots);
        assert_int_equal(r.n_launches, rows[i].launches);
        assert_false(r.pipeline.is_staged);
        hone__launch_spec_free(spec);
        hone__text_free(&plan);
    }
}

/* Found when the problem is known; require is about the whole. */
static void not_valid(void **state)
{
    static const struct {
        int64_t config[2];
        int64_t n;
        hone_status status;
        const char *words;
    } rows[] = {
        {{0, 3}, 5, HONE_ERR_INPUT, "chunks of the pipeline of o is 0"},
        {{7, 17}, 5, HONE_ERR_INPUT, "must be from 1 to 16"},
        {{7, 3}, 41, HONE_ERR_CONSTRAINT, "BLOCKS <= 10"},
    };
    const hone_properties properties = properties_of("sm_90");

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        const int64_t dims[] = {rows[i].n, 1, 0};
        hone_text plan = {0};
        hone_launch_spec *spec = spec_of(good, rows[i].config, &plan);
        hone_error err = {0};
        hone_resolved r;

        assert_int_equal(
            hone__launch_spec_resolve(
                &(hone_launch_case){spec, dims, 3, &properties}, &r, &err),
            rows[i].status);
        if (!strstr(err.text, rows[i].words))
            fail_msg("%s", err.text);
        hone__launch_spec_free(spec);
        hone__text_free(&plan);
    }
}

static const struct {
    const char *lines;
    const char *words;
} refusals[] = {
    {"arg a: out host(P) f32[n]", "up to callers"},
    {"arg a: out host(n) f32[n]", "'n' is a problem dimension"},
    {"arg a: out host(1) f32[n]", "up to callers"},
    {"arg a: host f32", "'host' is not an element type"},
    {"arg a: in host f32[n]\n#pragma hone pipeline streams(2)", "needs chunks"},
    {"arg a: in host f32[n]\n#pragma hone pipeline chunks(n)",
     "chunks(DIMENSION, ROWS)"},
    {"arg a: in host f32[n]\n#pragma hone pipeline chunks(n + 1, 2)",
     "'n + 1' is no size"},
    {"arg a: in host f32[n]\n#pragma hone pipeline chunks(F, 2)",
     "'F' is no size"},
    {"arg a: in host f32[n]\n#pragma hone pipeline chunks(n, 2) fast",
     "a pipeline has no 'fast'"},
    {"arg a: in host f32[n]\n#pragma hone pipeline chunks(n, 2)\n"
     "#pragma hone pipeline chunks(n, 3)",
     "one pipeline; the first is line 4"},
    {"arg a: in f32[n]\n#pragma hone pipeline chunks(n, 2)",
     "no array is in host memory"},
    {"arg a: in host f32[n], b: out host f32[2*n]\n"
     "#pragma hone pipeline chunks(n, 2)",
     "'b' is written, so its rows"},
    {"arg a: in host f32[n], b: inout f32[1]\n"
     "#pragma hone pipeline chunks(n, 2)",
     "'b' is written, so its rows"},
    {"arg a: in host f32[n]\n#pragma hone workspace w: f32[n]\n"
     "#pragma hone pipeline chunks(n, 2)",
     "has no workspace"},
    {"arg a: in host f32[n]\n#pragma hone baseline memcpy",
     "its baselines are other templates, not 'memcpy'"},
    {"arg a: in host f32[n]\n#pragma hone check cublas.axpy",
     "not by 'cublas.axpy'"},
    {"arg a: in host f32[n]\n#pragma hone constant c: f32[n] from a\n"
     "__constant__ float c[4];",
     "the constant 'c' is filled from an array in host memory"},
    {"arg a: in host f32[n]\n"
     "#pragma hone tensormap M: a dims(64) box(64)\n",
     "the tensormap 'M' is of an array in host"},
};

static void refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; ++i) {
        char text[512];
        hone_diagnostics found;

        (void)snprintf(text, sizeof text,
                       "#pragma hone op o(n, F in {0, 1})\n"
                       "#pragma hone param P in {0, 1}\n"
                       "#pragma hone %s\n#pragma hone launch k\n%s",
                       refusals[i].lines, KERNEL);
        found = read_bad(text);
        if (!found.n || !strstr(found.items[0].text, refusals[i].words))
            fail_msg("%s: %zu: %s", refusals[i].lines, found.n,
                     found.items[0].text);
        hone__diagnostics_free(&found);
    }
}

/* Texts that no hone writes. */
static void foreign_plans(void **state)
{
    static const struct {
        const char *lines;
        const char *words;
    } rows[] = {
        {"host x 0\nhost x 0\n", "said twice"},
        {"host s 0\n", "no array argument is called 's'"},
        {"host x 0\npipeline n 3\n", "a chunk, streams and staging"},
        {"host x 0\npipeline q 3 ; 1 ; 0\n", "no size is called 'q'"},
        {"host x 0\npipeline T 3 ; 1 ; 0\n", "no size is called 'T'"},
        {"host x 0\npipeline n 3 ; 1 ; 0\npipeline n 3 ; 1 ; 0\n",
         "a second pipeline"},
        {"pipeline n 3 ; 1 ; 0\n", "no array is in host memory"},
        {"host x 0\narg z out 4 9\npipeline n 3 ; 1 ; 0\n", "'z' is written"},
        {"host x 0\nworkspace w 4 n\npipeline n 3 ; 1 ; 0\n",
         "beside a pipeline"},
        {"host x 0\nconstant c 4 x 1\n", "of an array in host memory"},
        {"host x 0\nvendor cublas.axpy\n", ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        char text[512];
        hone_launch_spec *spec = NULL;
        hone_error err = {0};

        (void)snprintf(text, sizeof text,
                       "hone-launch 7\nop o\ndim n int\ndim T type 4\n"
                       "arg x in 4 n\narg s scalar 4\n%s"
                       "launch k\ngrid 1\nblock 1\n",
                       rows[i].lines);
        if (hone__launch_spec_parse(text, &spec, &err) != HONE_ERR_INPUT)
            fail_msg("accepted: %s", text);
        if (!strstr(err.text, rows[i].words))
            fail_msg("%s: %s", rows[i].lines, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planned),       cmocka_unit_test(few_chunks),
        cmocka_unit_test(not_valid),     cmocka_unit_test(refused),
        cmocka_unit_test(foreign_plans),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
