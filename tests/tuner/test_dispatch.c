/* SPDX-License-Identifier: Apache-2.0 */
/* Several devices from end to end: the cpu device under other names (the linker
 * puts them in its place, --wrap), of two models, each with a lock of its own,
 * some of them broken. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "tests/tuner/axpy_fixture.h"
#include "tests/tuner/tune_fixture.h"
#include "tuner/dispatch/dispatch.h"
#include "tuner/trial/devices.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

const hone_device_kind *__real_hone__device_kind(hone_backend backend);
const hone_device_kind *__wrap_hone__device_kind(hone_backend backend);
hone_status __real_hone__device_describe(hone_backend backend, int ordinal,
                                         double at_most_s,
                                         const volatile sig_atomic_t *stop,
                                         hone_device_report *out,
                                         hone_error *err);
hone_status __wrap_hone__device_describe(hone_backend backend, int ordinal,
                                         double at_most_s,
                                         const volatile sig_atomic_t *stop,
                                         hone_device_report *out,
                                         hone_error *err);
void __real_hone__tune_show_progress(hone_tune_run *run, const char *stage);
void __wrap_hone__tune_show_progress(hone_tune_run *run, const char *stage);

/* ---- devices ------------------------------------------------------------- */

enum { N_DEVICES = 3 };
static const char *const names[N_DEVICES] = {"Test A", "Test A", "Test B"};
static int fails[N_DEVICES];   /* it cannot be opened */
static int answers[N_DEVICES]; /* although it does not open */
static hone_device_kind kind;

static hone_status begin_device(hone_device *device, const void *code,
                                hone_error *err)
{
    if (fails[device->ordinal])
        return hone__fail(err, HONE_ERR_CUDA, "the bus has lost device %d",
                          (int)device->ordinal);
    return __real_hone__device_kind(HONE_BACKEND_CPU)->begin(device, code, err);
}

const hone_device_kind *__wrap_hone__device_kind(hone_backend backend)
{
    kind = *__real_hone__device_kind(backend);
    kind.is_shared = 0;
    kind.begin = begin_device;
    return &kind;
}

static int n_described;

/* A lane asks once in its beginning, which is before anything breaks. */
hone_status __wrap_hone__device_describe(hone_backend backend, int ordinal,
                                         double at_most_s,
                                         const volatile sig_atomic_t *stop,
                                         hone_device_report *out,
                                         hone_error *err)
{
    if (ordinal >= N_DEVICES)
        return hone__fail(err, HONE_ERR_NO_GPU, "there is no device %d",
                          ordinal);
    if (n_described++ && fails[ordinal] && !answers[ordinal])
        return hone__fail(err, HONE_ERR_CUDA, "no answer");
    HONE_TRY(__real_hone__device_describe(backend, ordinal, at_most_s, stop,
                                          out, err));
    (void)snprintf(out->name, sizeof out->name, "%s", names[ordinal]);
    (void)snprintf(out->id, sizeof out->id, "test-%d-%d", (int)getppid(),
                   ordinal);
    return HONE_OK;
}

/* ---- a run ----------------------------------------------------------------
 */

enum { MOST_JOBS = 8, N_WORKERS = 2 /* that compile */ };

/* The one whose process is killed has no outcome. */
enum { N_TRIED = N_KINDS - 1 };
/* Those before it and before the one that hangs for seconds. */
enum { N_QUICK = 5 };

typedef struct several {
    const fixture *f;
    int64_t dims[MOST_JOBS][1];
    int n_outcomes[2][MOST_JOBS]; /* by model */
    int order[2 * MOST_JOBS];     /* places, as outcomes came */
    int n_order;
    int n_without_winner;
    int64_t n_helped;
    hone_status of_problem;
    char notes[4000];
    hone_dispatch_request request;
    hone_dispatch *dispatch;
} several;

static several s;
static int prepares;               /* devices do */
static volatile sig_atomic_t stop; /* set in the first final, if .. */
static int stops;                  /* .. this is */
static int is_optional;            /* every problem is */
static int dies;                   /* a lane that prepares does */
static int stumbles;               /* what is prepared first fails, once */
static int *n_ahead; /* problems begun so; lanes count. Then: who died */
static int n_due;    /* a lane: of these, before its own problem ends */

/* One device, with two lanes. */
static int is_alone(void)
{
    return prepares && s.request.n_devices == 1;
}

static void fill(void *user, const hone_dispatch_job *job,
                 hone_tune_request *out)
{
    (void)user;
    if (job->is_ahead && dies)
        n_ahead[1] = (int)getpid();
    *n_ahead += job->is_ahead;
    n_due = is_alone() && !job->is_last ? (dies ? 1 : *n_ahead + 1) : 0;
    *out = (hone_tune_request){.tmpl = s.f->tmpl,
                               .dims = s.dims[job->place],
                               .mode = HONE_MODE_HOT,
                               .strategy = "exhaustive",
                               .seed = 1,
                               .trial_timeout_s = 2,
                               .references = axpy_references,
                               .n_references = 1};
    if (is_optional)
        out->budget_trials = N_QUICK;
    if (job->is_optional) /* the device fails with one of them, and answers */
        fails[0] = answers[0] = job->place == 1;
    if (job->is_ahead && dies)
        _exit(7);
    if (job->is_ahead && stumbles && *n_ahead == 1)
        out->strategy = "none such";
}

/* What is left of a problem may be over before the parent has heard that little
 * is: on a busy machine no other would be begun ahead. So its end waits; said
 * again, since a lane leaves out what comes soon after it has said something.
 */
void __wrap_hone__tune_show_progress(hone_tune_run *run, const char *stage)
{
    enum { MOST_S = 60, AGAIN_US = 20000 };
    const double until_s = hone__now_s() + MOST_S;
    const hone_tune_progress *p = &run->progress;

    __real_hone__tune_show_progress(run, stage);
    if (p->n_planned <= 0 || p->n_planned - p->n_done > N_WORKERS)
        return;
    while (__atomic_load_n(n_ahead, __ATOMIC_RELAXED) < n_due &&
           !hone__tune_stopped(run) && hone__now_s() < until_s) {
        (void)usleep(AGAIN_US);
        __real_hone__tune_show_progress(run, stage);
    }
    /* Until the parent knows that the other lane is gone. */
    while (dies && n_ahead[1] && kill(n_ahead[1], 0) == 0 &&
           !hone__tune_stopped(run) && hone__now_s() < until_s)
        (void)usleep(AGAIN_US);
}

static double cost(void *user, const hone_dispatch_job *job)
{
    (void)user;
    return (double)job->place;
}

static void on_progress(void *user, size_t device, const hone_dispatch_job *job,
                        const hone_tune_progress *progress)
{
    (void)user;
    (void)device;
    (void)job;
    if (stops && progress && strcmp(progress->stage, "final") == 0)
        stop = 1;
}

static void on_outcome(void *user, const hone_dispatch_outcome *outcome)
{
    (void)user;
    ++s.n_outcomes[outcome->job->model][outcome->job->place];
    if (s.n_order < 2 * MOST_JOBS)
        s.order[s.n_order++] = (int)outcome->job->place;
    s.n_without_winner += !outcome->result->has_winner;
    s.n_helped += outcome->result->n_helped;
    if (outcome->status != HONE_OK)
        s.of_problem = outcome->status;
}

static void on_note(void *user, const char *sentence)
{
    const size_t used = strlen(s.notes);

    (void)user;
    (void)snprintf(s.notes + used, sizeof s.notes - used, "%s\n", sentence);
}

static const hone_farm_options *farm_options(const fixture *f)
{
    static hone_farm_options farm;

    farm = (hone_farm_options){.backend = HONE_BACKEND_CPU,
                               .cache_folder = f->cache,
                               .n_workers = N_WORKERS,
                               .stop = &stop};
    return &farm;
}

/* Tune so many problems on the first devices; skips without a C++ compiler. */
static hone_status tune(const fixture *f, size_t n_devices, int n_models,
                        int n_problems, hone_error *err)
{
    hone_dispatch_job jobs[2 * MOST_JOBS] = {{0}};
    hone_db *db = NULL;
    hone_status status;
    size_t n = 0;

    (void)unlink(f->db_path);
    assert_int_equal(hone__db_open(f->db_path, HONE_DB_CREATE, &db, err),
                     HONE_OK);
    hone__db_close(db);
    s = (several){.f = f};
    s.request = (hone_dispatch_request){.backend = HONE_BACKEND_CPU,
                                        .ordinals = {0, 1, 2, 3},
                                        .n_devices = n_devices,
                                        .prepares = prepares,
                                        .farm = farm_options(f),
                                        .db_path = f->db_path,
                                        .fill = fill,
                                        .cost = cost,
                                        .on_progress = on_progress,
                                        .on_outcome = on_outcome,
                                        .on_note = on_note};
    for (int model = 0; model < n_models; ++model)
        for (int i = 0; i < n_problems; ++i) {
            s.dims[i][0] = 100 + i;
            jobs[n++] = (hone_dispatch_job){
                .place = i, .model = model, .is_optional = is_optional};
        }
    status = hone__dispatch_open(&s.request, &s.dispatch, err);
    if (status == HONE_ERR_NO_COMPILER)
        skip();
    if (status != HONE_OK)
        return status;
    assert_int_equal(hone__dispatch_n_models(s.dispatch), n_models);
    status = hone__dispatch_run(s.dispatch, jobs, n, err);
    return status;
}

static int is_out(size_t device)
{
    return hone__dispatch_device(s.dispatch, device)->is_out;
}

static int64_t count(const char *sql);

static hone_status on_count(void *user, const hone_db_row *row, hone_error *err)
{
    (void)err;
    *(int64_t *)user = row->values[0].integer;
    return HONE_OK;
}

static int64_t count(const char *sql)
{
    hone_db *db = NULL;
    int64_t n = -1;

    assert_int_equal(hone__db_open(s.f->db_path, HONE_DB_READONLY, &db, NULL),
                     HONE_OK);
    assert_int_equal(hone__db_query(db, sql, NULL, 0, on_count, &n, NULL),
                     HONE_OK);
    hone__db_close(db);
    return n;
}

/* What is tried, once each; a final may refute the odd one, which is a trial
 * more. What is killed has an outcome only if that takes seconds. */
#define TRIED                                                                  \
    "FROM trial t JOIN session s ON s.session_id = t.session_id"               \
    " JOIN variant v ON v.variant_id = t.variant_id"
static const char tried[] =
    "SELECT count(*) FROM (SELECT DISTINCT problem_id, device_id,"
    " t.variant_id " TRIED " WHERE v.config <> 'KIND=killed')";
static const char doubles[] =
    "SELECT count(*) FROM (SELECT 1 " TRIED " WHERE v.config <> 'KIND=odd'"
    " GROUP BY s.problem_id, s.device_id, t.variant_id HAVING count(*) > 1)";

/* Whether there is a winner is the machine's affair: on a busy one the times of
 * all may scatter too much. */

/* ---- tests ----------------------------------------------------------------
 */

static int reset(void **state)
{
    (void)state;
    memset(fails, 0, sizeof fails);
    memset(answers, 0, sizeof answers);
    n_described = 0;
    prepares = n_ahead[0] = n_ahead[1] = stops = dies = stumbles = is_optional =
        0;
    stop = 0;
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    hone__dispatch_close(s.dispatch);
    s.dispatch = NULL;
    return 0;
}

static void each_model_tunes_every_problem(void **state)
{
    hone_error err = {.status = HONE_OK};
    size_t of_models[HONE_DISPATCH_MOST_DEVICES];

    assert_int_equal(tune(*state, 3, 2, 2, &err), HONE_OK);
    for (int model = 0; model < 2; ++model)
        for (int i = 0; i < 2; ++i)
            assert_int_equal(s.n_outcomes[model][i], 1);
    assert_int_equal(s.of_problem, HONE_OK);
    assert_int_equal(count("SELECT count(DISTINCT device_id) FROM session"), 2);
    assert_int_equal(hone__dispatch_of_each_model(s.dispatch, of_models), 2);
    assert_int_equal(of_models[0], 0);
    assert_int_equal(of_models[1], 2);
    assert_int_equal(count(doubles), 0);
    assert_int_equal(count(tried), 4 * N_TRIED);
}

static void one_that_falls_off_leaves_its_work(void **state)
{
    hone_error err = {.status = HONE_OK};
    size_t of_models[HONE_DISPATCH_MOST_DEVICES];

    fails[1] = 1;
    assert_int_equal(tune(*state, 2, 1, 3, &err), HONE_OK);
    for (int i = 0; i < 3; ++i)
        assert_int_equal(s.n_outcomes[0][i], 1);
    assert_int_equal(s.of_problem, HONE_OK);
    assert_false(is_out(0));
    assert_true(is_out(1));
    assert_non_null(strstr(s.notes, "cpu:1 fell off: "));
    assert_non_null(strstr(s.notes, "the bus has lost device 1"));
    assert_int_equal(hone__dispatch_of_each_model(s.dispatch, of_models), 1);
    assert_int_equal(of_models[0], 0);
    assert_int_equal(count(doubles), 0);
    assert_int_equal(count(tried), 3 * N_TRIED);
}

/* One problem hangs for two seconds at a variant: the other device is lent, and
 * cannot be opened. */
static void a_lent_one_that_falls_off_is_done_without(void **state)
{
    hone_error err = {.status = HONE_OK};

    fails[1] = answers[1] = 1;
    assert_int_equal(tune(*state, 2, 1, 1, &err), HONE_OK);
    assert_int_equal(s.n_outcomes[0][0], 1);
    assert_int_equal(s.of_problem, HONE_OK);
    assert_int_equal(s.n_helped, 0);
    if (is_out(1)) /* else the trials were over before it was lent */
        assert_non_null(strstr(s.notes, "cpu:1 fell off: "));
    assert_int_equal(count(doubles), 0);
    assert_int_equal(count(tried), N_TRIED);
}

/* Pairs of problems of a device of which one is tried while the other is. (What
 * does not compile has its outcome before the turn comes.) */
static const char at_once[] =
    "WITH span AS (SELECT problem_id, device_id,"
    " min(t.started_unix_ns) AS first, max(t.started_unix_ns) AS last " TRIED
    " WHERE t.outcome NOT IN ('compile', 'limits')"
    " GROUP BY problem_id, device_id)"
    " SELECT count(*) FROM span a JOIN span b USING (device_id)"
    " WHERE a.problem_id < b.problem_id"
    " AND a.first <= b.last AND b.first <= a.last";

/* All problems are tuned, one after the other. */
static void expect_all(int n)
{
    for (int i = 0; i < n; ++i)
        assert_int_equal(s.n_outcomes[0][i], 1);
    assert_int_equal(s.of_problem, HONE_OK);
    assert_int_equal(count(at_once), 0);
    assert_int_equal(count(doubles), 0);
    assert_int_equal(count(tried), n * N_TRIED);
}

/* The second and the third problem are begun while the one before ends. */
static void what_is_prepared_waits_for_the_device(void **state)
{
    hone_error err = {.status = HONE_OK};

    prepares = 1;
    assert_int_equal(tune(*state, 1, 1, 3, &err), HONE_OK);
    expect_all(3);
    assert_int_equal(hone__dispatch_n_devices(s.dispatch), 1);
    assert_int_equal(*n_ahead, 2);
}

static void devices_of_their_own_prepare(void **state)
{
    (void)state;
    assert_true(hone__dispatch_prepares(HONE_BACKEND_CPU)); /* not shared */
    assert_int_equal(setenv("HONE_AHEAD", "off", 1), 0);
    assert_false(hone__dispatch_prepares(HONE_BACKEND_CPU));
    assert_int_equal(unsetenv("HONE_AHEAD"), 0);
}

static void what_is_prepared_ends_when_all_does(void **state)
{
    hone_error err = {.status = HONE_OK};

    prepares = stops = 1;
    assert_int_equal(tune(*state, 1, 1, MOST_JOBS, &err), HONE_ERR_INTERRUPTED);
    hone__dispatch_close(s.dispatch);
    s.dispatch = NULL;
    assert_int_equal(count("SELECT count(*) FROM session"
                           " WHERE status NOT IN ('done', 'interrupted')"),
                     0);
    /* One problem has been on the device, on a slow machine some before the end
     * is heard; what was prepared for after them has not. */
    assert_in_range(count("SELECT count(DISTINCT s.problem_id) " TRIED
                          " WHERE t.outcome NOT IN ('compile', 'limits')"),
                    1, MOST_JOBS - 1);
}

/* Nor is what it had put off, and a later run does not ask it. */
static void who_only_prepares_may_die(void **state)
{
    const hone_dispatch_job again = {.place = 0};
    hone_error err = {.status = HONE_OK};

    prepares = dies = 1;
    assert_int_equal(tune(*state, 1, 1, 3, &err), HONE_OK);
    for (int i = 0; i < 3; ++i) /* the costlier first */
        assert_int_equal(s.order[i], 2 - i);
    expect_all(3);
    assert_false(is_out(0));
    assert_non_null(strstr(s.notes, "cpu:0 prepares no problem any more"));
    dies = 0;
    assert_int_equal(hone__dispatch_run(s.dispatch, &again, 1, &err), HONE_OK);
    assert_int_equal(s.n_outcomes[0][0], 2);
}

static void what_fails_ahead_is_tried_in_its_turn(void **state)
{
    hone_error err = {.status = HONE_OK};

    prepares = stumbles = 1;
    assert_int_equal(tune(*state, 1, 1, 2, &err), HONE_OK);
    expect_all(2);
    assert_int_equal(*n_ahead, 2); /* the same one twice */
}

static void what_a_lost_device_prepared_is_dealt_again(void **state)
{
    hone_error err = {.status = HONE_OK};

    prepares = fails[1] = 1;
    assert_int_equal(tune(*state, 2, 1, 5, &err), HONE_OK);
    expect_all(5);
    assert_false(is_out(0));
    assert_true(is_out(1));
}

/* The devices answer, and yet nothing comes to its end: each is out after two
 * problems in a row, a problem after two devices. */
static void what_is_lost_twice_is_given_up(void **state)
{
    hone_error err = {.status = HONE_OK};

    fails[0] = fails[1] = answers[0] = answers[1] = 1;
    assert_int_equal(tune(*state, 2, 1, 1, &err), HONE_OK);
    assert_int_equal(s.n_outcomes[0][0], 1);
    assert_int_equal(s.of_problem, HONE_ERR_CUDA);
    assert_int_equal(s.n_without_winner, 1);
}

/* There is nobody to take over: the first problem says why, and no other is
 * begun. */
static void alone_it_ends_with_what_it_failed_with(void **state)
{
    hone_error err = {.status = HONE_OK};

    fails[0] = answers[0] = 1;
    assert_int_equal(tune(*state, 1, 1, 2, &err), HONE_ERR_CUDA);
    assert_non_null(strstr(err.text, "the bus has lost device 0"));
    assert_int_equal(s.of_problem, HONE_ERR_CUDA);
    assert_int_equal(s.n_outcomes[0][0] + s.n_outcomes[0][1], 1);
    assert_string_equal(s.notes, "");
}

/* Of problems that nobody named one may be to blame. */
static void alone_it_passes_over_one_that_is_optional(void **state)
{
    hone_error err = {.status = HONE_OK};

    is_optional = 1;
    assert_int_equal(tune(*state, 1, 1, 3, &err), HONE_OK);
    for (int i = 0; i < 3; ++i)
        assert_int_equal(s.n_outcomes[0][i], 1);
    assert_int_equal(s.of_problem, HONE_ERR_CUDA);
    assert_int_equal(count(tried), 2 * N_QUICK);
    assert_false(is_out(0));
}

static void without_devices_it_ends_with_a_sentence(void **state)
{
    hone_error err = {.status = HONE_OK};

    fails[0] = fails[1] = 1;
    assert_int_equal(tune(*state, 2, 1, 3, &err), HONE_ERR_CUDA);
    assert_non_null(strstr(err.text, "no device is left for "));
    assert_true(is_out(0) && is_out(1));
}

static void one_that_is_not_there_is_an_error_before_all(void **state)
{
    hone_error err = {.status = HONE_OK};

    assert_int_equal(tune(*state, 4, 2, 1, &err), HONE_ERR_NO_GPU);
    assert_string_equal(err.text, "there is no device 3");
    assert_int_equal(count("SELECT count(*) FROM session"), 0);
}

/* What a run took is what the next one expects. */
static void what_problems_took_is_known_afterwards(void **state)
{
    hone_error err = {.status = HONE_OK};
    hone_problem_costs costs = {NULL, 0};
    hone_db *db = NULL;

    assert_int_equal(tune(*state, 1, 1, 2, &err), HONE_OK);
    assert_int_equal(hone__db_open(s.f->db_path, HONE_DB_READONLY, &db, NULL),
                     HONE_OK);
    assert_int_equal(hone__problem_costs_read(db, "cuda", &costs, &err),
                     HONE_OK);
    assert_int_equal(costs.n, 0);
    assert_int_equal(hone__problem_costs_read(db, "cpu", &costs, &err),
                     HONE_OK);
    hone__db_close(db);
    assert_int_equal(costs.n, 2);
    /* The costlier of both was begun first. */
    for (int i = 0; i < 2; ++i) {
        assert_string_equal(costs.items[i].op, "axpy");
        assert_int_equal(costs.items[i].n_dims, 1);
        assert_int_equal(costs.items[i].dims[0], 101 - i);
        assert_true(costs.items[i].seconds >= 2); /* one of them hangs */
        assert_in_range(costs.items[i].n_trials, N_TRIED, N_TRIED + 2);
    }
    hone__problem_costs_free(&costs);
}

#define ON_DEVICES(test) cmocka_unit_test_setup_teardown(test, reset, close_all)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_DEVICES(each_model_tunes_every_problem),
        ON_DEVICES(one_that_falls_off_leaves_its_work),
        ON_DEVICES(a_lent_one_that_falls_off_is_done_without),
        ON_DEVICES(what_is_prepared_waits_for_the_device),
        ON_DEVICES(what_is_prepared_ends_when_all_does),
        ON_DEVICES(devices_of_their_own_prepare),
        ON_DEVICES(who_only_prepares_may_die),
        ON_DEVICES(what_fails_ahead_is_tried_in_its_turn),
        ON_DEVICES(what_a_lost_device_prepared_is_dealt_again),
        ON_DEVICES(what_is_lost_twice_is_given_up),
        ON_DEVICES(alone_it_ends_with_what_it_failed_with),
        ON_DEVICES(alone_it_passes_over_one_that_is_optional),
        ON_DEVICES(without_devices_it_ends_with_a_sentence),
        ON_DEVICES(what_problems_took_is_known_afterwards),
        ON_DEVICES(one_that_is_not_there_is_an_error_before_all)};

    n_ahead = mmap(NULL, 2 * sizeof *n_ahead, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (n_ahead == MAP_FAILED)
        return 1;
    return cmocka_run_group_tests(tests, tune_fixture_set_up,
                                  tune_fixture_tear_down);
}
