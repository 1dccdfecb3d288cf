/* SPDX-License-Identifier: Apache-2.0 */
/* What a search hears of a tuning run: every configuration that was asked for
 * once, with the truth, whatever became of it; and of an earlier run before
 * anything is asked. Runs on the cpu device, with the calls of the search
 * watched (the linker's --wrap). */
#include "tests/tuner/axpy_fixture.h"
#include "tuner/tune_state.h"

#include "runtime/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char source[] =
    "#pragma hone op axpy(n) \"y = alpha*x + y, right and wrong\"\n"
    "#pragma hone arg alpha: f32, x: in f32[n], y: inout f32[n]\n"
    "#pragma hone param KIND in {good, other, wrong, no_compile, aborts, "
    "killed, hangs, odd}\n"
    "#pragma hone launch axpy grid(ceildiv(n, 64)) block(64) "
    "args(alpha, x, y, i64(n))\n"
    "#pragma hone work flops(2*n) bytes(12*n)\n"
    "#pragma hone check cpu.axpy tolerance(4)\n"
    "#if HONE_KIND == HONE_KIND_aborts\n"
    "extern \"C\" void abort(void);\n"
    "#elif HONE_KIND == HONE_KIND_killed\n"
    "extern \"C\" int raise(int);\n"
    "#elif HONE_KIND == HONE_KIND_no_compile\n"
    "#error not today\n"
    "#endif\n"
    "extern \"C\" __global__ void axpy(float alpha, const float *x, float *y,"
    " long long n)\n"
    "{\n"
    "    const long long i = blockIdx.x * 64ll + threadIdx.x;\n"
    "    if (i >= n)\n"
    "        return;\n"
    "#if HONE_KIND == HONE_KIND_aborts\n"
    "    abort();\n"
    "#elif HONE_KIND == HONE_KIND_killed\n"
    "    raise(9);\n"
    "#elif HONE_KIND == HONE_KIND_hangs\n"
    "    for (volatile int turns = 1; turns; turns = 1)\n"
    "        ;\n"
    "#endif\n"
    "    float value = alpha * x[i] + y[i];\n"
    "#if HONE_KIND == HONE_KIND_wrong\n"
    "    value = value + 1;\n"
    "#elif HONE_KIND == HONE_KIND_odd\n"
    "    if (n % 2 && i == n - 1)\n"
    "        value = value + 1;\n"
    "#endif\n"
    "    y[i] = value;\n"
    "}\n";

enum { N_KINDS = 8, TIMEOUT_S = 2, BUDGET = 20 };
static const char *const kinds[N_KINDS] = {
    "KIND=good",   "KIND=other",  "KIND=wrong", "KIND=no_compile",
    "KIND=aborts", "KIND=killed", "KIND=hangs", "KIND=odd"};

/* ---- watching -----------------------------------------------------------
 */

typedef struct told {
    int64_t index;
    hone_search_answer answer;
    int was_asked; /* it, before */
} told;

static struct {
    const hone_template *tmpl;
    hone_space *space;
    told told[64];
    int n_told;
    int64_t asked[64];
    int n_asked;
    int n_told_first; /* before the first was asked for */
    int64_t budget;   /* that it was opened with */
} seen;

hone_status __real_hone__search_open(const char *name,
                                     const hone_search_space *space,
                                     const hone_search_options *options,
                                     hone_search **out, hone_error *err);
hone_status __real_hone__search_tell(hone_search *search, int64_t index,
                                     const hone_search_answer *answer,
                                     hone_error *err);
hone_status __real_hone__search_next(hone_search *search, int64_t *out_index,
                                     hone_error *err);
hone_status __wrap_hone__search_open(const char *name,
                                     const hone_search_space *space,
                                     const hone_search_options *options,
                                     hone_search **out, hone_error *err);
hone_status __wrap_hone__search_tell(hone_search *search, int64_t index,
                                     const hone_search_answer *answer,
                                     hone_error *err);
hone_status __wrap_hone__search_next(hone_search *search, int64_t *out_index,
                                     hone_error *err);

hone_status __wrap_hone__search_open(const char *name,
                                     const hone_search_space *space,
                                     const hone_search_options *options,
                                     hone_search **out, hone_error *err)
{
    seen.budget = options->budget_trials;
    return __real_hone__search_open(name, space, options, out, err);
}

hone_status __wrap_hone__search_tell(hone_search *search, int64_t index,
                                     const hone_search_answer *answer,
                                     hone_error *err)
{
    told *one = &seen.told[seen.n_told++];

    assert_in_range(seen.n_told, 1, 63);
    *one = (told){index, *answer, 0};
    for (int i = 0; i < seen.n_asked; ++i)
        one->was_asked |= seen.asked[i] == index;
    return __real_hone__search_tell(search, index, answer, err);
}

hone_status __wrap_hone__search_next(hone_search *search, int64_t *out_index,
                                     hone_error *err)
{
    const hone_status status =
        __real_hone__search_next(search, out_index, err);

    if (!seen.n_asked)
        seen.n_told_first = seen.n_told;
    if (*out_index >= 0)
        seen.asked[seen.n_asked++] = *out_index;
    return status;
}

/* Which kind this configuration is. */
static const char *kind_of(int64_t index)
{
    static char text[64];
    hone_text config = {0};
    int64_t values[8];

    hone__space_get(seen.space, index, values);
    hone__config_format(seen.tmpl, values, &config);
    (void)snprintf(text, sizeof text, "%s", hone__text_str(&config));
    hone__text_free(&config);
    return text;
}

/* The first thing told of a kind; NULL: nothing. */
static const told *told_of(const char *kind)
{
    for (int i = 0; i < seen.n_told; ++i) {
        if (strcmp(kind_of(seen.told[i].index), kind) == 0)
            return &seen.told[i];
    }
    return NULL;
}

static int times_told(const char *kind)
{
    int n = 0;

    for (int i = 0; i < seen.n_told; ++i)
        n += strcmp(kind_of(seen.told[i].index), kind) == 0;
    return n;
}

/* ---- a run --------------------------------------------------------------
 */

typedef struct fixture {
    hone_template *tmpl;
    hone_space *space;
    char folder[64];
    char db_path[96];
    char cache[96];
} fixture;

static int set_up(void **state)
{
    static fixture f;
    hone_diagnostics diagnostics = {0, NULL};
    hone_error err = {.status = HONE_OK};
    hone_facts facts;
    const int64_t dims[] = {100};

    (void)snprintf(f.folder, sizeof f.folder, "/tmp/hone-test-XXXXXX");
    if (!mkdtemp(f.folder))
        return -1;
    (void)snprintf(f.db_path, sizeof f.db_path, "%s/t.db", f.folder);
    (void)snprintf(f.cache, sizeof f.cache, "%s/cache", f.folder);
    hone__facts_of_host(&facts);
    if (hone__template_parse("axpy.cu", source, strlen(source), &f.tmpl,
                             &diagnostics, &err) != HONE_OK ||
        hone__space_create(f.tmpl, dims, &facts, &f.space, &err) != HONE_OK)
        return -1;
    seen.tmpl = f.tmpl;
    seen.space = f.space;
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    char command[128];

    hone__space_free(f->space);
    hone__template_free(f->tmpl);
    (void)snprintf(command, sizeof command, "rm -rf '%s'", f->folder);
    return system(command);
}

static void tune(const fixture *f, const int64_t *config,
                 hone_tune_result *out)
{
    const int64_t dims[] = {100};
    hone_error err = {.status = HONE_OK};
    hone_tune_request request = {.tmpl = f->tmpl,
                                 .dims = dims,
                                 .mode = HONE_MODE_HOT,
                                 .strategy = "exhaustive",
                                 .seed = 1,
                                 .budget_trials = BUDGET,
                                 .trial_timeout_s = TIMEOUT_S,
                                 .config = config,
                                 .references = axpy_references,
                                 .n_references = 1,
                                 .farm = {.backend = HONE_BACKEND_CPU,
                                          .cache_folder = f->cache,
                                          .n_workers = 2}};
    hone_status status;

    seen.n_told = seen.n_asked = seen.n_told_first = 0;
    assert_int_equal(
        hone__db_open(f->db_path, HONE_DB_CREATE, &request.db, &err),
        HONE_OK);
    status = hone__tune(&request, out, &err);
    hone__db_close(request.db);
    if (status == HONE_ERR_NO_COMPILER)
        skip();
    if (status != HONE_OK)
        fail_msg("%s", err.text);
}

static void test_each_is_told_once_and_the_truth(void **state)
{
    hone_tune_result result;

    tune(*state, NULL, &result);
    assert_int_equal(result.n_trials, N_KINDS);
    assert_int_equal(result.n_retried,
                     1); /* killed: tried twice, told once */
    assert_int_equal(seen.budget, BUDGET);
    assert_int_equal(seen.n_told_first, 0);
    assert_int_equal(seen.n_asked, N_KINDS);
    for (int i = 0; i < N_KINDS; ++i) {
        const told *one = told_of(kinds[i]);
        const int is_good = i < 2 || i == N_KINDS - 1;

        if (!one || !one->was_asked)
            fail_msg("%s was not told, or not asked for", kinds[i]);
        if ((one->answer.time_ns > 0) != is_good)
            fail_msg("%s was told as %g ns", kinds[i], one->answer.time_ns);
        if (!(one->answer.cost_s > 0))
            fail_msg("%s cost nothing", kinds[i]);
        /* The final finds `odd` wrong, and says so after the search. */
        assert_int_equal(times_told(kinds[i]), i == N_KINDS - 1 ? 2 : 1);
    }
    assert_true(told_of("KIND=hangs")->answer.cost_s >= TIMEOUT_S);
    assert_true(seen.told[seen.n_told - 1].answer.time_ns <= 0);
}

/* After the run above. */
static void test_an_earlier_run_comes_first(void **state)
{
    hone_tune_result result;

    tune(*state, NULL, &result);
    assert_int_equal(seen.budget, BUDGET - N_KINDS);
    assert_int_equal(result.n_resumed, N_KINDS);
    assert_int_equal(result.n_trials, N_KINDS);
    assert_int_equal(result.n_compiles, 0);
    assert_int_equal(result.outcomes[HONE_OUTCOME_OK], 2);
    assert_int_equal(result.outcomes[HONE_OUTCOME_WRONG], 2);
    assert_int_equal(seen.n_asked, 0);
    assert_int_equal(seen.n_told, N_KINDS);
    assert_int_equal(seen.n_told_first, N_KINDS);
    for (int i = 0; i < N_KINDS; ++i) {
        assert_int_equal(times_told(kinds[i]), 1);
        /* What the final refuted was never fast. */
        assert_int_equal(told_of(kinds[i])->answer.time_ns > 0, i < 2);
    }
}

/* What a run is given to try is told, and nothing is asked for. */
static void test_only_the_one_that_was_given(void **state)
{
    const fixture *f = *state;
    hone_tune_result result;
    int64_t config[8];

    assert_int_equal(unlink(f->db_path), 0);
    assert_int_equal(hone__config_parse(f->tmpl, "KIND=other", config, NULL),
                     HONE_OK);
    tune(f, config, &result);
    assert_int_equal(result.n_trials, 1);
    assert_int_equal(seen.n_asked, 0);
    assert_int_equal(seen.n_told, 1);
    assert_true(told_of("KIND=other")->answer.time_ns > 0);
}

/* ---- put off ------------------------------------------------------------
 */

/* A variant that is not worth its turn yet, on a GPU: the search hears
 * nothing of it yet, and goes on. */
static void test_deferred_is_not_told(void **state)
{
    const fixture *f = *state;
    const int64_t dims[] = {100};
    hone_tune_request request = {.tmpl = f->tmpl,
                                 .dims = dims,
                                 .farm = {.backend = HONE_BACKEND_CUDA}};
    hone_tune_result result = {0};
    hone_tune_run run = {.request = &request,
                         .result = &result,
                         .space = f->space,
                         .only_index = -1,
                         .default_index = -1};
    const hone_search_space view = hone__search_space_of(f->space);
    hone_tune_job *job = NULL;
    hone_compile_output output = {
        .ok = 1, .registers = 255, .spill_bytes = 64, .warnings = "C7510"};
    int64_t index, n_more = 0;

    seen.n_told = seen.n_asked = 0;
    assert_int_equal(hone__facts_of_arch("sm_90", &run.device.facts, NULL),
                     HONE_OK);
    assert_int_equal(hone__search_open("random", &view,
                                       &(hone_search_options){.seed = 1},
                                       &run.search, NULL),
                     HONE_OK);
    assert_int_equal(hone__search_next(run.search, &index, NULL), HONE_OK);
    assert_int_equal(hone__tune_job_make(&run, index, &job, NULL), HONE_OK);
    hone__tune_queue_add(&run.compiling, job);
    hone__tune_compiled(&run, job->id, &output);
    assert_int_equal(run.pending_status, HONE_OK);
    assert_int_equal(run.deferred.n, 1);
    assert_int_equal(result.n_deferred, 1);
    assert_int_equal(hone__tune_under_way(&run), 0);
    assert_int_equal(seen.n_told, 0);
    for (;;) {
        assert_int_equal(hone__search_next(run.search, &index, NULL),
                         HONE_OK);
        if (index < 0)
            break;
        ++n_more;
    }
    assert_int_equal(n_more, N_KINDS - 1);
    hone__tune_job_free(hone__tune_queue_take(&run.deferred));
    hone__search_close(run.search);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_is_told_once_and_the_truth),
        cmocka_unit_test(test_an_earlier_run_comes_first),
        cmocka_unit_test(test_only_the_one_that_was_given),
        cmocka_unit_test(test_deferred_is_not_told),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
