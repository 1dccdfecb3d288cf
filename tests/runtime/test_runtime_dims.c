/* SPDX-License-Identifier: Apache-2.0 */
/* Dims that callers leave out: what they are then, that every way to leave them
 * out finds the same plan at once, and which tuned shapes are near. */
#include "tests/runtime/launch_fixture.h"

#include "runtime/launch/launch_body.h"
#include "runtime/plan.h"

#include <stdio.h>
#include <string.h>

/* y[BATCH] of matrices in rows LD apart. */
#define DIMS                                                                   \
    "hone-launch 5\nop axpy\nsymbol odd 3\ndim M int\ndim N int\n"             \
    "dim LD int N\ndim B int 2\ndim S int M*LD - odd\n"
#define REST                                                                   \
    "arg alpha scalar 4\narg x in 4 S\narg y inout 4 S\n"                      \
    "launch axpy\ngrid 1\nblock 1\npass alpha\npass x\npass y\n"               \
    "value i32 LD\nvalue i64 S\n"

enum { N_DIMS = 5 };
static const int64_t D = HONE_DIM_DEFAULT;
static const char plan_text[] = DIMS REST;

static void completes(void **state)
{
    static const struct {
        int64_t given[6];
        size_t n;
        int64_t dims[N_DIMS]; /* {0}: refused */
        unsigned defaults;
        const char *part;
    } rows[] = {
        {{4, 5}, 2, {4, 5, 5, 2, 17}, 0x1c, ""},
        {{4, 5, D, 7}, 4, {4, 5, 5, 7, 17}, 0x14, ""},
        {{4, 5, 8, D, D}, 5, {4, 5, 8, 2, 29}, 0x18, ""},
        {{4, 5, 5, 3, 17}, 5, {4, 5, 5, 3, 17}, 0x14, ""},
        {{4, 5, 6, 3, 1}, 5, {4, 5, 6, 3, 1}, 0, ""},
        {{D, 5},
         2,
         {0},
         0,
         "dim M of axpy(M, N, LD = N, B = 2, S = M*LD - "
         "odd) has no default"},
        {{4}, 1, {0}, 0, "takes 2 to 5 dims, not 1"},
        {{4, 5, 6, 7, 8, 9}, 6, {0}, 0, "takes 2 to 5 dims, not 6"},
        {{4, 5, -1}, 3, {0}, 0, "dim LD of axpy("},
        {{1, 2}, 2, {0}, 0, "dim S of axpy("},
        {{1, 2},
         2,
         {0},
         0,
         "its default 'M*LD - odd' is -1 here; sizes are 0 or more"},
        {{INT64_MAX, 3},
         2,
         {0},
         0,
         "its default 'M*LD - odd' has no value here: a result does not fit"},
    };
    hone_launch_spec *spec = launch_parse(plan_text);

    (void)state;
    assert_int_equal(spec->n_mandatory, 2);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        hone_error error = {0};
        int64_t out[HONE_MAX_DIMS] = {0};

        assert_int_equal(hone__launch_spec_complete_dims(
                             spec, rows[i].given, rows[i].n, out, &error),
                         rows[i].dims[0] ? HONE_OK : HONE_ERR_DIMS);
        assert_contains(error.text, rows[i].part);
        if (!rows[i].dims[0])
            continue;
        assert_memory_equal(out, rows[i].dims, sizeof rows[i].dims);
        assert_int_equal(hone__launch_spec_defaults(spec, out),
                         rows[i].defaults);
    }
    hone__launch_spec_free(spec);
}

static void wrong_texts(void **state)
{
    static const struct {
        const char *text, *part;
    } rows[] = {
        {"hone-launch 4\nop x\ndim a int\ndim b int a\n",
         "line 4: expected a constant, found 'a'"},
        {"hone-launch 5\nop x\ndim a int\ndim b int b\n", "line 4: "},
        {"hone-launch 5\nop x\ndim a int\ndim b int c\ndim c int 1\n",
         "line 4: "},
        {"hone-launch 5\nop x\ndim a int\ndim b int device.sm\n",
         "line 4: the default of a dim reads dims alone, not 'device.sm'"},
        {"hone-launch 5\nop x\nlet Y 6\ndim a int\ndim b int Y+a\n",
         "line 5: the default of a dim reads dims alone, not 'Y+a'"},
        {"hone-launch 5\nop x\ndim a int\ndim b type a\n",
         "line 4: expected a constant, found 'a'"},
        {"hone-launch 5\nop x\ndim a int\ndim b choice a\n",
         "line 4: expected a constant, found 'a'"},
        {"hone-launch 5\nop x\ndim a int\ndim b int a\ndim c int\n",
         "line 5: after a dim with a default, one is missing for 'c'"},
        {"hone-launch 5\nop x\ndim a int\ndim b int 1 - 2\n",
         "line 4: a default below 1"},
        {"hone-launch 5\nop x\ndim a size\n",
         "line 3: a dim is int, type or choice, not 'size'"},
        {"hone-launch 9\n", "expected 'hone-launch 1' to 8"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
        launch_mistake(rows[i].text, rows[i].part);
}

/* What divides by a size is no obstacle where nothing is written. */
static void sizes_may_be_zero(void **state)
{
    static const char rest[] = "let SHARE m/n\nlet MORE SHARE + 1\n"
                               "arg x in 4 n*m\narg bias in 4 SHARE\n"
                               "arg y out 4 n\narg sum out 4 MORE\n"
                               "optional sum m > 2\n"
                               "launch k\ngrid n\nblock 1\n";
    static const struct {
        const char *head;
        int64_t n, m;
        hone_status status;
        int is_nothing;
        const char *part;
    } rows[] = {
        {"hone-launch 5\nop f\ndim n int\ndim m int\n", 0, 1, HONE_OK, 1, ""},
        {"hone-launch 5\nop f\ndim n int\ndim m int\n", 0, 3, HONE_ERR_DIMS, 0,
         "dim n of f(n, m) is 0; sizes are 1 or more, but where"},
        {"hone-launch 5\nop f\ndim n int\ndim m int\n", 3, 0, HONE_ERR_DIMS, 0,
         "dim m of f(n, m) is 0"},
        {"hone-launch 6\nop f\ndim n int\ndim m size\n", 3, 0, HONE_OK, 0, ""},
        {"hone-launch 6\nop f\ndim n size\ndim m size\n", 0, 0, HONE_OK, 1, ""},
        {"hone-launch 6\nop f\ndim n size\ndim m size\n", 0, 3, HONE_ERR_INPUT,
         0, "division by zero"},
    };
    const hone_properties properties = {
        .value = {[HONE_PROPERTY_threads_block] = 1024}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        const int64_t dims[] = {rows[i].n, rows[i].m};
        hone_resolved resolved;
        hone_error error = {0};
        hone_text text = {0};
        hone_launch_spec *spec;

        hone__text_printf(&text, "%s%s", rows[i].head, rest);
        spec = launch_parse(text.data);
        assert_int_equal(hone__launch_spec_resolve(
                             &(hone_launch_case){spec, dims, 2, &properties},
                             &resolved, &error),
                         rows[i].status);
        assert_contains(error.text, rows[i].part);
        if (rows[i].status == HONE_OK) {
            assert_int_equal(resolved.is_nothing, rows[i].is_nothing);
            assert_int_equal(resolved.n_launches, !rows[i].is_nothing);
            assert_int_equal(resolved.n_args, 4);
        }
        hone__launch_spec_free(spec);
        hone__text_free(&text);
    }
}

/* As many dims as there may be, each the sum of two before. */
static void all_dims(void **state)
{
    char text[2000] = "hone-launch 5\nop x\ndim a int\ndim b int 1\n";
    int64_t out[HONE_MAX_DIMS];
    const int64_t one = 1;
    hone_launch_spec *spec;

    (void)state;
    for (char name = 'c'; name < 'a' + HONE_MAX_DIMS; ++name) {
        const size_t used = strlen(text);

        (void)snprintf(text + used, sizeof text - used, "dim %c int %c + %c\n",
                       name, name - 1, name - 2);
    }
    (void)strcat(text, "launch k\ngrid p\nblock 1\n");
    spec = launch_parse(text);
    assert_int_equal(hone__launch_spec_complete_dims(spec, &one, 1, out, NULL),
                     HONE_OK);
    assert_int_equal(out[HONE_MAX_DIMS - 1], 6765);
    assert_int_equal(hone__launch_spec_defaults(spec, out), 0xffffe);
    hone__launch_spec_free(spec);
}

static float alpha = 2.0f;
static uint64_t x_device = 0x1000;
static void *args[] = {&alpha, &x_device, &x_device};

static hone_plan *find(const hone_ctx *ctx, const int64_t *dims, size_t n_dims)
{
    const hone_plan_key key = {ctx->contexts->context_id, "axpy", dims, n_dims};

    return hone__plan_cache_find(ctx, &key);
}

static hone_ctx *open_default(void **state)
{
    const tuned_row row = {.launch_plan = plan_text, .cubin = axpy_cubin};

    runtime_put_default(*state, &row);
    return runtime_open(*state);
}

static void launch(hone_ctx *ctx, const int64_t *dims, size_t n_dims,
                   int64_t ld, int64_t stride)
{
    const long at = fake_n_launches();

    assert_hone(
        ctx,
        hone_launch(ctx, "axpy", dims, n_dims, args, HONE_COUNT(args), NULL),
        HONE_OK);
    assert_int_equal(fake_launch_at(at)->params[3], ld);
    assert_int_equal(fake_launch_at(at)->params[4], stride);
}

/* Another plan, so that the next one is looked for in the table. */
static void launch_other(hone_ctx *ctx)
{
    launch(ctx, (const int64_t[]){9, 9, 9, 2, 78}, N_DIMS, 9, 78);
}

/* One plan, however its dims are left out; each way is in the table once, and
 * nothing is left when the plan goes. */
static void one_plan_by_every_form(void **state)
{
    static const int64_t full[] = {4, 5, 5, 2, 17};
    static const struct {
        int64_t dims[N_DIMS];
        size_t n;
    } forms[] = {
        {{4, 5}, 2},           {{4, 5, 5}, 3},    {{4, 5, 5, 2}, 4},
        {{4, 5, D}, 3},        {{4, 5, D, 2}, 4}, {{4, 5, D, D, 17}, 5},
        {{4, 5, 5, D, 17}, 5},
    };
    enum { N = sizeof forms / sizeof forms[0] };
    hone_ctx *ctx = open_default(state);
    hone_plan *plan;

    launch(ctx, full, N_DIMS, 5, 17);
    plan = find(ctx, full, N_DIMS);
    for (int round = 0; round < 2; ++round) {
        for (size_t i = 0; i < N; ++i) {
            launch_other(ctx);
            launch(ctx, forms[i].dims, forms[i].n, 5, 17);
            assert_ptr_equal(find(ctx, forms[i].dims, forms[i].n), plan);
        }
        assert_int_equal(ctx->cache.n_plans, 2);
        assert_int_equal(ctx->cache.table.n, 2 + N);
    }
    /* Others are other plans, although they have defaults, too. */
    assert_null(find(ctx, (const int64_t[]){4, 6}, 2));
    assert_null(find(ctx, (const int64_t[]){4, 5, D, D, 18}, 5));
    launch(ctx, (const int64_t[]){4, 5, 8}, 3, 8, 29);
    launch(ctx, (const int64_t[]){4, 5, 8, D}, 4, 8, 29);
    assert_int_equal(ctx->cache.n_plans, 3);
    assert_hone(ctx, hone_plan_limit(ctx, 1), HONE_OK);
    launch(ctx, (const int64_t[]){7, 9, D}, 3, 9, 60);
    assert_int_equal(ctx->cache.n_plans, 1);
    assert_int_equal(ctx->cache.table.n, 2);
    for (size_t i = 0; i < N; ++i)
        assert_null(find(ctx, forms[i].dims, forms[i].n));
    hone_close(ctx);
}

/* A dim that is not at its default in a plan is not left out for it. */
static void the_default_is_asked_for(void **state)
{
    hone_ctx *ctx = open_default(state);

    launch(ctx, (const int64_t[]){4, 5, 8, 2, 29}, 5, 8, 29);
    launch(ctx, (const int64_t[]){4, 5, D, 2, 29}, 5, 5, 29);
    launch(ctx, (const int64_t[]){4, 5, 8, 2, D}, 5, 8, 29);
    assert_int_equal(ctx->cache.n_plans, 2);
    hone_close(ctx);
}

/* All ways to leave out dims, again and again: the table stays small. */
static void forms_are_bounded(void **state)
{
    static const int64_t full[] = {4, 5, 5, 2, 17};
    hone_ctx *ctx = open_default(state);

    for (int round = 0; round < 20; ++round) {
        for (unsigned mask = 0; mask < 8; ++mask) {
            int64_t dims[N_DIMS];

            for (unsigned i = 0; i < N_DIMS; ++i)
                dims[i] = i >= 2 && mask >> (i - 2) & 1 ? D : full[i];
            launch(ctx, dims, N_DIMS, 5, 17);
            launch_other(ctx);
        }
        assert_int_equal(ctx->cache.n_plans, 2);
        assert_int_equal(ctx->cache.table.n, 2 + HONE_PLAN_FORMS);
    }
    hone_close(ctx);
}

static void put(runtime_fixture *fixture, const int64_t *dims,
                const char *config)
{
    const tuned_row row = {.dims = dims,
                           .n_dims = N_DIMS,
                           .label = config,
                           .config = config,
                           .launch_plan = plan_text,
                           .cubin = axpy_cubin};

    runtime_put(fixture, &row);
}

static void expect(const runtime_fixture *fixture, const int64_t *dims,
                   size_t n_dims, hone_match_kind kind, const char *config)
{
    hone_ctx *ctx = runtime_open(fixture);
    hone_plan *plan = NULL;
    hone_match match;

    assert_hone(ctx, hone_plan_create(ctx, "axpy", dims, n_dims, &plan, &match),
                HONE_OK);
    assert_string_equal(match.config, config);
    assert_int_equal(match.kind, kind);
    hone_plan_destroy(plan);
    hone_close(ctx);
}

/* N four times as large is near, although LD and S follow it; and the distance
 * is that of N alone. */
static void what_follows_is_not_far(void **state)
{
    runtime_fixture *fixture = *state;
    hone_ctx *ctx;
    hone_plan *plan = NULL;

    put(fixture, (const int64_t[]){64, 16, 16, 2, 1021}, "A=near");
    put(fixture, (const int64_t[]){64, 64, 64, 2, 4093}, "A=exact");
    put(fixture, (const int64_t[]){256, 256, 256, 2, 65533}, "A=far");
    expect(fixture, (const int64_t[]){64, 64}, 2, HONE_MATCH_EXACT, "A=exact");
    expect(fixture, (const int64_t[]){64, 64, D, 2, D}, 5, HONE_MATCH_EXACT,
           "A=exact");
    expect(fixture, (const int64_t[]){256, 512}, 2, HONE_MATCH_NEIGHBOUR,
           "A=far");
    /* S is 16 times as large. */
    expect(fixture, (const int64_t[]){1024, 1024}, 2, HONE_MATCH_NEIGHBOUR,
           "A=far");
    /* LD counts where it does not follow. */
    expect(fixture, (const int64_t[]){64, 48}, 2, HONE_MATCH_NEIGHBOUR,
           "A=exact");
    expect(fixture, (const int64_t[]){64, 48, 16}, 3, HONE_MATCH_NEIGHBOUR,
           "A=near");
    ctx = runtime_open(fixture);
    assert_int_equal(hone_plan_create(ctx, "axpy",
                                      (const int64_t[]){64, 64, 4096}, 3, &plan,
                                      NULL),
                     HONE_ERR_NOT_FOUND);
    assert_contains(hone_error_text(ctx), "--dims 64,64,4096,2,262141");
    hone_close(ctx);
}

/* Dims of an operation that nobody knows are said as they were given. */
static void unknown_operation(void **state)
{
    hone_ctx *ctx = open_default(state);
    hone_plan *plan = NULL;

    assert_int_equal(hone_plan_create(ctx, "zebra",
                                      (const int64_t[]){64, D, 32, D}, 4, &plan,
                                      NULL),
                     HONE_ERR_NOT_FOUND);
    assert_contains(hone_error_text(ctx),
                    "run: hone tune zebra --dims 64,,32,");
    hone_close(ctx);
}

int main(void)
{
#define IN_FIXTURE(test)                                                       \
    cmocka_unit_test_setup_teardown(test, runtime_setup, runtime_teardown)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(completes),
        cmocka_unit_test(sizes_may_be_zero),
        cmocka_unit_test(wrong_texts),
        cmocka_unit_test(all_dims),
        IN_FIXTURE(one_plan_by_every_form),
        IN_FIXTURE(the_default_is_asked_for),
        IN_FIXTURE(forms_are_bounded),
        IN_FIXTURE(what_follows_is_not_far),
        IN_FIXTURE(unknown_operation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
