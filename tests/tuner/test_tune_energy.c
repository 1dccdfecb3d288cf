/* SPDX-License-Identifier: Apache-2.0 */
/* A run for energy from end to end, on the cpu device with a counter that the
 * linker puts in its place (--wrap): 40 W for as long as it runs. */
#include "tests/tuner/axpy_fixture.h"
#include "tests/tuner/tune_fixture.h"
#include "tuner/trial/devices.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

const hone_device_kind *__real_hone__device_kind(hone_backend backend);
const hone_device_kind *__wrap_hone__device_kind(hone_backend backend);

enum { WATTS = 40, STEP_MJ = 400 /* 10 ms */ };

static int read_energy(hone_device *device, int64_t *out_mj)
{
    struct timespec t;

    (void)device;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    *out_mj =
        (int64_t)(WATTS * (1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec)) /
        STEP_MJ * STEP_MJ;
    return 1;
}

const hone_device_kind *__wrap_hone__device_kind(hone_backend backend)
{
    static hone_device_kind kind;

    kind = *__real_hone__device_kind(backend);
    kind.read_energy = read_energy;
    return &kind;
}

static hone_status on_count(void *user, const hone_db_row *row, hone_error *err)
{
    (void)err;
    *(int64_t *)user = row->values[0].integer;
    return HONE_OK;
}

static void expect_count(hone_db *db, int64_t wanted, const char *sql)
{
    int64_t n = -1;

    assert_int_equal(hone__db_query(db, sql, NULL, 0, on_count, &n, NULL),
                     HONE_OK);
    if (n != wanted)
        fail_msg("%s: %lld", sql, (long long)n);
}

static void energy_and_its_product_with_time(void **state)
{
    const fixture *f = *state;
    const int64_t dims[] = {100};
    hone_error err = {.status = HONE_OK};
    hone_objectives objectives;
    hone_tune_request request = {.tmpl = f->tmpl,
                                 .dims = dims,
                                 .mode = HONE_MODE_HOT,
                                 .strategy = "exhaustive",
                                 .objectives = &objectives,
                                 .seed = 1,
                                 .references = axpy_references,
                                 .n_references = 1,
                                 .farm = {.backend = HONE_BACKEND_CPU,
                                          .cache_folder = f->cache,
                                          .n_workers = 2}};
    hone_tune_result result;
    hone_status status;

    seen_nothing();
    assert_int_equal(
        hone__objectives_read("time,energy,edp", &objectives, NULL), HONE_OK);
    assert_int_equal(
        hone__db_open(f->db_path, HONE_DB_CREATE, &request.db, &err), HONE_OK);
    status = hone__tune(&request, &result, &err);
    if (status == HONE_ERR_NO_COMPILER)
        skip();
    if (status != HONE_OK)
        fail_msg("%s", err.text);
    assert_true(result.has_winner);
    assert_int_equal(result.n_bests, 3);
    assert_string_equal(result.bests[1].objective, "energy");
    for (int i = 1; i < 3; ++i) {
        const hone_tune_best *best = &result.bests[i];

        /* One of those that are right. Its energy and its time were taken at
         * different moments of a machine that is not its alone: a wrong unit is
         * off by a thousand, a busy machine by less than a hundred. */
        assert_true(strcmp(best->config, kinds[0]) == 0 ||
                    strcmp(best->config, kinds[1]) == 0);
        assert_true(best->energy_uj > 0.01 * 1e-3 * WATTS * best->time_ns);
        assert_true(best->value <= best->default_value);
    }
    assert_true(result.bests[1].value == result.bests[1].energy_uj);
    assert_true(result.bests[2].value ==
                result.bests[2].energy_uj * result.bests[2].time_ns);
    assert_in_range(result.n_front, 1, 2);
    /* Two were right in the final: both have time, energy and three values. */
    expect_count(request.db, 10,
                 "SELECT count(*) FROM counter_v1 WHERE kernel = '(run)'");
    expect_count(request.db, 2,
                 "SELECT count(*) FROM counter_v1 WHERE name = 'energy_uj'"
                 " AND unit = 'uJ' AND value > 0");
    expect_count(request.db, 3,
                 "SELECT count(*) FROM decision_v1 WHERE kind = 'objective'");
    expect_count(request.db, (int64_t)result.n_front,
                 "SELECT count(*) FROM decision_v1 WHERE kind = 'pareto'");
    expect_count(request.db, 1,
                 "SELECT count(*) FROM decision_v1 WHERE kind = 'asked'"
                 " AND text = 'least time, energy, edp'");
    hone__db_close(request.db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_and_its_product_with_time),
    };

    return cmocka_run_group_tests(tests, tune_fixture_set_up,
                                  tune_fixture_tear_down);
}
