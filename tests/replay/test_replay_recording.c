/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings of the three formats, told by their content. */
#include "tests/replay/replay_file.h"

#include "db/db.h"
#include "tuner/replay/replay_recording.h"
#include "tuner/replay/replay_tune.h"

#include <math.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static hone_recording *read_one(const char *path, hone_recordings *list)
{
    hone_error err = {0};

    if (hone__recordings_read(path, list, &err) != HONE_OK)
        fail_msg("%s", err.text);
    assert_int_equal(list->n, 1);
    return list->items[0];
}

static void config_is(const hone_recording *r, int64_t index,
                      const char *wanted)
{
    hone_text text = {0};

    hone__recording_config(r, index, &text);
    assert_string_equal(hone__text_str(&text), wanted);
    hone__text_free(&text);
}

static void near(double value, double wanted)
{
    if (fabs(value - wanted) > 1e-9 * fabs(wanted))
        fail_msg("%.17g, not %.17g", value, wanted);
}

static void test_t4(void **state)
{
    static const hone_outcome outcomes[] = {
        HONE_OUTCOME_OK,      HONE_OUTCOME_OK,        HONE_OUTCOME_OK,
        HONE_OUTCOME_COMPILE, HONE_OUTCOME_LAUNCH,    HONE_OUTCOME_TIMEOUT,
        HONE_OUTCOME_WRONG,   HONE_OUTCOME_CONSTRAINT};
    hone_recordings list;
    const hone_recording *r = read_one("recordings/small_t4.json", &list);
    const hone_search_space space = hone__recording_space(r);
    int values[2];

    (void)state;
    assert_string_equal(r->format, "T4");
    assert_string_equal(r->op, "small_t4"); /* the file's name */
    assert_string_equal(r->device, "");
    assert_int_equal(r->n_configs, 8);
    assert_int_equal(r->n_valid, 3);
    assert_false(r->interrupted);
    for (int i = 0; i < 8; ++i)
        assert_int_equal(r->trials[i].outcome, outcomes[i]);
    near(r->trials[0].time_ns, 4.25e6); /* the measurement, in ms */
    near(r->best_ns, 1e6);
    assert_true(r->trials[6].time_ns == 0); /* wrong: has no time */
    near(r->trials[0].cost_s[HONE_COST_COMPILE], 0.1);
    near(r->trials[0].cost_s[HONE_COST_VALIDATION], 0.002);
    near(r->trials[0].cost_s[HONE_COST_RUNS], 0.0125);
    near(hone__recorded_cost_s(&r->trials[0]), 0.1155);
    near(hone__recorded_cost_s(&r->trials[4]), 0.133); /* failures cost too */
    config_is(r, 3, "block=64,layout=col");
    assert_int_equal(space.count, 8);
    assert_int_equal(space.n_params, 2);
    space.get(space.user, 5, values); /* 128, col */
    assert_int_equal(values[0], 2);
    assert_int_equal(values[1], 1);
    assert_int_equal(strlen(r->sha256), 64);
    hone__recordings_free(&list);
}

static void test_kernel_tuner(void **state)
{
    hone_recordings list;
    const hone_recording *r = read_one("recordings/small_cache.json", &list);

    (void)state;
    assert_string_equal(r->format, "Kernel Tuner");
    assert_string_equal(r->op, "axpy");
    assert_string_equal(r->device, "Test GPU");
    assert_int_equal(r->n_dims, 2);
    assert_int_equal(r->dims[0], 1024);
    assert_int_equal(r->dims[1], 8);
    assert_int_equal(r->n_configs, 6);
    assert_int_equal(r->trials[2].outcome, HONE_OUTCOME_COMPILE);
    assert_int_equal(r->trials[4].outcome, HONE_OUTCOME_LAUNCH);
    assert_int_equal(r->trials[5].outcome, HONE_OUTCOME_CONSTRAINT);
    assert_int_equal(r->n_valid, 3);
    near(r->best_ns, 2e6);
    near(r->trials[1].cost_s[HONE_COST_RUNS], 0.008);
    near(hone__recorded_cost_s(&r->trials[1]), 0.034);
    config_is(r, 3, "BLOCK=64,FAST=true");
    hone__recordings_free(&list);
}

/* A run that was killed: what was written whole is there. */
static void test_interrupted_cache(void **state)
{
    static const char last_brace[] =
        "{\"tune_params\": {\"A\": [1, 2]}, \"cache\": "
        "{\"1\": {\"A\": 1, \"time\": 3, \"times\": [[0, 1], [0, 2]]}}";
    hone_recordings list;
    const hone_recording *r = read_one("recordings/cut_cache.json", &list);
    replay_file file;

    (void)state;
    assert_true(r->interrupted);
    assert_int_equal(r->n_configs, 4);
    hone__recordings_free(&list);
    replay_file_write(&file, last_brace, strlen(last_brace));
    r = read_one(file.path, &list);
    assert_true(r->interrupted);
    assert_int_equal(r->n_configs, 1);
    /* Without a benchmark time the runs are the pairs' second numbers. */
    near(hone__recorded_cost_s(&r->trials[0]), 0.003);
    hone__recordings_free(&list);
    replay_file_remove(&file);
}

static void test_gzip_says_the_same(void **state)
{
    hone_text text = {0};
    hone_recordings plain, packed;
    const hone_recording *a = read_one("recordings/small_cache.json", &plain);
    const hone_recording *b;
    replay_file file;

    (void)state;
    assert_int_equal(
        hone__text_read_file(&text, "recordings/small_cache.json", NULL),
        HONE_OK);
    replay_file_gzip(&file, text.data, 0); /* its name says nothing */
    b = read_one(file.path, &packed);
    assert_string_equal(a->sha256, b->sha256);
    hone__recordings_free(&plain);
    hone__recordings_free(&packed);
    replay_file_remove(&file);
    hone__text_free(&text);
}

/* Of several results of one configuration the last one counts; other units;
 * runs instead of a measurement. */
static void test_t4_variations(void **state)
{
    static const char text[] =
        "{\"results\": ["
        "{\"invalidity\": \"timeout\", \"configuration\": {\"A\": 0.5}},"
        "{\"configuration\": {\"A\": 1.0}, \"invalidity\": \"correct\","
        " \"measurements\": [{\"name\": \"energy\", \"value\": 9},"
        "  {\"unit\": \"s\", \"value\": 2, \"name\": \"time\"}]},"
        "{\"configuration\": {\"A\": 0.5}, \"invalidity\": \"correct\","
        " \"times\": {\"runtimes\": [9, 1, 2], \"other\": [1]}}"
        "], \"metadata\": {\"timeunit\": \"milliseconds\", \"x\": {}}}";
    replay_file file;
    hone_recordings list;
    const hone_recording *r;

    (void)state;
    replay_file_write(&file, text, strlen(text));
    r = read_one(file.path, &list);
    assert_int_equal(r->n_configs, 2);
    config_is(r, 0, "A=0.5");
    config_is(r, 1, "A=1.0");
    assert_int_equal(r->trials[0].outcome, HONE_OUTCOME_OK);
    near(r->trials[0].time_ns, 2e6); /* their median */
    near(r->trials[1].time_ns, 2e9);
    hone__recordings_free(&list);
    replay_file_remove(&file);
}

#define T4(results) "{\"results\": [" results "]}"
#define CACHE(entries)                                                         \
    "{\"tune_params_keys\": [\"A\"], \"cache\": {" entries "}}"

static void test_bad_files(void **state)
{
    static const struct {
        const char *text;
        const char *message;
    } cases[] = {
        {"{\"a\": 1}", ":1:9: this is not a recording: expected T4 results"},
        {"[]", ":1:1: this is not a recording"},
        {T4(""), "there is no trial in this file"},
        {CACHE(""), "there is no trial in this file"},
        {"{\"results\": {}}", ":1:13: expected a list of results"},
        {"{\"cache\": {}}", "must stand before \"cache\""},
        {T4("1"), ":1:14: expected a result"},
        {T4("{}"), "this result has no \"configuration\""},
        {T4("{\"configuration\": {\"A\": 1}}"), "has no \"invalidity\""},
        {T4("{\"invalidity\": \"odd\"}"), "unknown invalidity 'odd'"},
        {T4("{\"configuration\": {\"A\": 1}, \"invalidity\": \"correct\"}"),
         "has no positive time"},
        {T4("{\"configuration\": {\"A\": [1]}}"), "value of parameter 'A'"},
        {T4("{\"configuration\": {\"A\": 1}, \"invalidity\": \"timeout\"},"
            "{\"configuration\": {\"B\": 1}}"),
         "the first configuration has no parameter 'B'"},
        {T4("{\"configuration\": {\"A\": 1, \"B\": 2}, \"invalidity\": "
            "\"timeout\"}, {\"configuration\": {\"B\": 1}, \"invalidity\": "
            "\"timeout\"}"),
         "no value for parameter 'A'"},
        {T4("{\"times\": {\"compilation\": -1}}"),
         "\"compilation\" must be a time"},
        {"{\"metadata\": {\"timeunit\": \"weeks\"}}", "not 'weeks'"},
        {CACHE("\"1\": {\"A\": 1}"), "has no \"time\""},
        {CACHE("\"1\": {\"A\": 1, \"time\": \"Odd\"}"), "expected a time"},
        {CACHE("\"1\": {\"A\": 1, \"time\": 0}"), "must be positive"},
        {CACHE("\"1\": {\"time\": 1}"), "no value for parameter 'A'"},
        {CACHE("\"1\": 7"), "expected a configuration"},
        {"{\"results\": [{\"configuration\": {\"A\"", "ends too early"},
        {"{\"tune_params_keys\": [\"A\"", "ends too early"},
        {"", ":1:1: the text ends too early"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        replay_file file;
        hone_recordings list;
        hone_error err = {0};

        replay_file_write(&file, cases[i].text, strlen(cases[i].text));
        assert_int_equal(hone__recordings_read(file.path, &list, &err),
                         HONE_ERR_INPUT);
        if (!strstr(err.text, cases[i].message) || !strstr(err.text, file.path))
            fail_msg("%s\ngave: %s", cases[i].text, err.text);
        hone__recordings_free(&list);
        replay_file_remove(&file);
    }
}

static void pretend_measured(const char *path)
{
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db, "UPDATE device SET kind = 'cuda'", NULL, NULL, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* A reader leaves the files beside it. */
static void remove_db(const char *folder, const char *name)
{
    static const char *const ends[] = {"", "-wal", "-shm"};
    char path[80];

    for (int i = 0; i < 3; ++i) {
        (void)snprintf(path, sizeof path, "%s%s", name, ends[i]);
        (void)unlink(path);
    }
    assert_int_equal(rmdir(folder), 0);
}

/* A replay leaves a database; its rows are a replay's and so no recording.
 * Renamed to a real device they are one, with the same trials. */
static void test_database(void **state)
{
    char folder[] = "/tmp/replay-test-XXXXXX";
    char name[64];
    hone_recordings list, back;
    const hone_recording *r = read_one("recordings/small_t4.json", &list);
    hone_replay_tune_result result;
    hone_error err = {0};
    hone_db *db = NULL;

    (void)state;
    assert_non_null(mkdtemp(folder));
    (void)snprintf(name, sizeof name, "%s/replay.db", folder);
    assert_int_equal(hone__db_open(name, HONE_DB_CREATE, &db, &err), HONE_OK);
    assert_int_equal(
        hone__replay_tune(&(hone_replay_tune_request){.recording = r,
                                                      .strategy = "exhaustive",
                                                      .db = db},
                          &result, &err),
        HONE_OK);
    hone__db_close(db);
    assert_int_equal(result.tune.n_trials, 8);
    assert_string_equal(result.tune.winner, "block=64,layout=row");
    assert_int_equal(hone__recordings_read(name, &back, &err), HONE_ERR_INPUT);
    assert_non_null(strstr(err.text, "no trial in this database"));
    hone__recordings_free(&back);
    pretend_measured(name);
    r = read_one(name, &back);
    assert_string_equal(r->format, "hone");
    assert_string_equal(r->op, "small_t4");
    assert_int_equal(r->n_configs, 8);
    assert_int_equal(r->n_valid, 3);
    near(r->best_ns, 1e6);
    near(r->trials[0].cost_s[HONE_COST_COMPILE], 0.1);
    near(r->trials[0].cost_s[HONE_COST_RUNS], 0.0125);
    assert_int_equal(r->trials[6].outcome, HONE_OUTCOME_WRONG);
    config_is(r, 3, "block=64,layout=col");
    hone__recordings_free(&back);
    hone__recordings_free(&list);
    remove_db(folder, name);
}

/* Each allocation fails once: an error, no leak, no crash. */
static void test_memory_runs_out(void **state)
{
    static const char *const paths[] = {"recordings/small_t4.json",
                                        "recordings/small_cache.json"};

    (void)state;
    for (size_t i = 0; i < 2; ++i) {
        hone_status status = HONE_ERR_NO_MEMORY;

        for (long n = 0; status != HONE_OK; ++n) {
            hone_recordings list;

            hone__alloc_fail_after(n);
            status = hone__recordings_read(paths[i], &list, NULL);
            hone__alloc_fail_after(-1);
            hone__recordings_free(&list);
            assert_true(status == HONE_OK || status == HONE_ERR_NO_MEMORY);
            assert_true(n < 1000);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_t4),
        cmocka_unit_test(test_kernel_tuner),
        cmocka_unit_test(test_interrupted_cache),
        cmocka_unit_test(test_gzip_says_the_same),
        cmocka_unit_test(test_t4_variations),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_database),
        cmocka_unit_test(test_memory_runs_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
