/* SPDX-License-Identifier: Apache-2.0 */
/* What a search hears of variants for a GPU that never get as far: rejected
 * by a gate, lost by the compiler, put off. */
#include "tests/tuner/tune_fixture.h"

#include "runtime/base/alloc.h"
#include "tuner/compile/farm_state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* ---- before and after compiling, for a GPU ------------------------------
 */

typedef struct gpu_run {
    hone_tune_request request;
    hone_tune_result result;
    hone_tune_run run;
    hone_farm farm; /* of one idle worker that is never asked */
    int64_t dims[1];
} gpu_run;

static gpu_run *open_gpu_run(const fixture *f, int64_t n)
{
    gpu_run *g = calloc(1, sizeof *g);
    const hone_search_space view = hone__search_space_of(f->space);

    assert_non_null(g);
    seen_nothing();
    g->dims[0] = n;
    g->request = (hone_tune_request){.tmpl = f->tmpl,
                                     .dims = g->dims,
                                     .farm = {.backend = HONE_BACKEND_CUDA}};
    g->farm.n_slots = g->farm.n_wanted = 1;
    g->run = (hone_tune_run){
        .n_workers = 1,
        .request = &g->request,
        .result = &g->result,
        .impls = {{.tmpl = f->tmpl, .space = f->space, .default_index = -1}},
        .n_impls = 1,
        .farm = &g->farm,
        .only_index = -1};
    g->result.space_valid = view.count;
    assert_int_equal(
        hone__properties_of_arch("sm_90", &g->run.device.properties, NULL),
        HONE_OK);
    assert_int_equal(hone__search_open("random", &view,
                                       &(hone_search_options){.seed = 1},
                                       &g->run.impls[0].search, NULL),
                     HONE_OK);
    return g;
}

static void close_gpu_run(gpu_run *g)
{
    hone__search_close(g->run.impls[0].search);
    hone__free(g->run.candidates);
    free(g);
}

/* One more variant is asked for, and the compiler says this of it. */
static void compile_one(gpu_run *g, const hone_compile_output *answer)
{
    hone_compile_output output = *answer;
    hone_tune_job *job = NULL;
    int64_t index;

    assert_int_equal(hone__search_next(g->run.impls[0].search, &index, NULL),
                     HONE_OK);
    assert_int_equal(
        hone__tune_job_make(&g->run, &g->run.impls[0], index, &job, NULL),
        HONE_OK);
    hone__tune_queue_add(&g->run.compiling, job);
    hone__tune_compiled(&g->run, job->id, &output);
    assert_int_equal(g->run.pending_status, HONE_OK);
}

/* What no GPU can launch is told at once, and nothing waits for it. */
static void test_gated_before_compiling(void **state)
{
    gpu_run *g = open_gpu_run(*state, (int64_t)1 << 40);

    assert_int_equal(hone__tune_propose(&g->run, NULL), HONE_OK);
    assert_true(g->run.exhausted);
    assert_int_equal(g->result.n_gated, N_KINDS);
    assert_int_equal(g->run.progress.outcomes[HONE_OUTCOME_LIMITS], N_KINDS);
    assert_int_equal(hone__tune_under_way(&g->run), 0);
    assert_int_equal(seen.n_asked, N_KINDS);
    assert_int_equal(seen.n_told, N_KINDS);
    for (int i = 0; i < seen.n_told; ++i) {
        assert_true(seen.told[i].was_asked);
        assert_true(seen.told[i].time_ns <= 0);
    }
    close_gpu_run(g);
}

static void test_compilers_that_fail(void **state)
{
    gpu_run *g = open_gpu_run(*state, 100);

    compile_one(g, &(hone_compile_output){.timed_out = 1, .registers = -1});
    assert_int_equal(g->run.progress.outcomes[HONE_OUTCOME_TIMEOUT], 1);
    compile_one(g, &(hone_compile_output){
                       .crashed = 1, .registers = -1, .compile_ms = 2000});
    assert_int_equal(g->run.progress.outcomes[HONE_OUTCOME_COMPILE], 1);
    /* What another variant paid for. */
    compile_one(g, &(hone_compile_output){
                       .registers = -1, .cached = 1, .compile_ms = 2000});
    assert_int_equal(seen.n_told, 3);
    for (int i = 0; i < 3; ++i)
        assert_true(seen.told[i].time_ns <= 0);
    assert_int_equal(hone__tune_under_way(&g->run), 0);
    close_gpu_run(g);
}

/* What ptxas says of a kernel that spills. */
static hone_compile_output spilling(void)
{
    hone_compile_output output = {.ok = 1, .registers = 255};

    hone__text_puts(
        &output.log,
        "ptxas info    : Compiling entry function 'axpy' for 'sm_90'\n"
        "ptxas info    : Function properties for axpy\n"
        "    8 bytes stack frame, 12 bytes spill stores, 20 bytes spill "
        "loads\n"
        "ptxas info    : Used 255 registers, used 1 barriers\n");
    return output;
}

/* Where the compiler gave up on wgmma, nothing is tried; but the default. */
static void test_warned_is_rejected(void **state)
{
    const hone_compile_output warned = {
        .ok = 1, .registers = 90, .warnings = "C7510", .cached = 1};
    gpu_run *g = open_gpu_run(*state, 100);
    int64_t index;

    compile_one(g, &warned);
    assert_int_equal(g->run.progress.outcomes[HONE_OUTCOME_LIMITS], 1);
    assert_int_equal(seen.n_told, 1);
    assert_true(seen.told[0].time_ns <= 0);
    assert_int_equal(g->run.deferred.n, 0);
    index = seen.asked[0];
    close_gpu_run(g);
    g = open_gpu_run(*state, 100);
    g->run.impls[0].default_index = index;
    compile_one(g, &warned);
    assert_int_equal(seen.asked[0], index);
    assert_int_equal(g->run.queued.n, 1);
    hone__tune_job_free(hone__tune_queue_take(&g->run.queued));
    close_gpu_run(g);
}

/* What is put off is not told yet, and the search goes on. */
static void test_deferred_is_not_told(void **state)
{
    gpu_run *g = open_gpu_run(*state, 100);
    hone_compile_output spills = spilling();
    int64_t index, n_more = 0;

    compile_one(g, &spills);
    assert_int_equal(g->run.deferred.n, 1);
    assert_int_equal(g->result.n_deferred, 1);
    assert_int_equal(hone__tune_under_way(&g->run), 0);
    assert_int_equal(seen.n_told, 0);
    for (;;) {
        assert_int_equal(
            hone__search_next(g->run.impls[0].search, &index, NULL), HONE_OK);
        if (index < 0)
            break;
        ++n_more;
    }
    assert_int_equal(n_more, N_KINDS - 1);
    hone__tune_job_free(hone__tune_queue_take(&g->run.deferred));
    /* The default and what is good elsewhere have their turn all the same. */
    index = seen.asked[0];
    hone__search_close(g->run.impls[0].search);
    g->run.impls[0].search = NULL;
    close_gpu_run(g);
    g = open_gpu_run(*state, 100);
    g->run.impls[0].seeds[0].index = index;
    g->run.impls[0].n_seeds = 1;
    spills = spilling();
    compile_one(g, &spills);
    assert_int_equal(seen.asked[0], index); /* the same seed of chance */
    assert_int_equal(g->run.deferred.n, 0);
    assert_int_equal(g->run.queued.n, 1);
    hone__tune_job_free(hone__tune_queue_take(&g->run.queued));
    close_gpu_run(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gated_before_compiling),
        cmocka_unit_test(test_compilers_that_fail),
        cmocka_unit_test(test_warned_is_rejected),
        cmocka_unit_test(test_deferred_is_not_told),
    };

    return cmocka_run_group_tests(tests, tune_fixture_set_up,
                                  tune_fixture_tear_down);
}
