/* SPDX-License-Identifier: Apache-2.0 */
/* Models: put, replaced, read back and damaged; merged in either order; which
 * of them hone gc leaves. */
#include "db/db_model.h"
#include "db_fixture.h"

#include <stdio.h>
#include <string.h>

static hone_db_model model_of(const db_fixture *f, const char *kind,
                              const char *text, int64_t n_trials)
{
    return (hone_db_model){.op = "gemm_f16",
                           .device_id = f->device_id,
                           .types = "4",
                           .mode = "cold",
                           .kind = kind,
                           .text = text,
                           .text_bytes = strlen(text),
                           .n_trials = n_trials,
                           .n_problems = 7,
                           .error = 0.25};
}

static void assert_text(hone_db *db, const hone_db_model *key, const char *text)
{
    hone_db_model_row row;

    assert_ok(hone__db_model_get(db, key, &row, why));
    assert_string_equal(row.text.data, text);
    hone__text_free(&row.text);
}

static void test_put_and_get(void **state)
{
    db_fixture *const f = *state;
    hone_db_model model = model_of(f, "time", "hone-model 1\n", 100);
    hone_db_model_row row;

    assert_status(hone__db_model_get(f->db, &model, &row, why),
                  HONE_ERR_NOT_FOUND);
    assert_ok(hone__db_model_put(f->db, &model, why));
    assert_ok(hone__db_model_get(f->db, &model, &row, why));
    assert_string_equal(row.text.data, "hone-model 1\n");
    assert_int_equal(row.n_trials, 100);
    assert_int_equal(row.n_problems, 7);
    assert_true(row.error == 0.25);
    assert_int_equal(strlen(row.sha256), 64);
    hone__text_free(&row.text);
    /* Another kind is another row; the same again replaces. */
    model.kind = "chooser";
    assert_status(hone__db_model_get(f->db, &model, &row, why),
                  HONE_ERR_NOT_FOUND);
    model = model_of(f, "time", "hone-model 1\nother\n", 10);
    model.error = -1;
    assert_ok(hone__db_model_put(f->db, &model, why));
    assert_text(f->db, &model, "hone-model 1\nother\n");
    assert_rows(f->db, "SELECT n_trials, error FROM model_v1", "10|\n");
    /* What must be there. */
    model.op = NULL;
    assert_status(hone__db_model_put(f->db, &model, why), HONE_ERR_ARGUMENT);
}

static void test_damage_is_found(void **state)
{
    db_fixture *const f = *state;
    const hone_db_model model = model_of(f, "time", "hone-model 1\n", 1);
    hone_db_model_row row;
    hone_error damaged = {0};

    assert_ok(hone__db_model_put(f->db, &model, why));
    assert_int_equal(fixture_sql(f, "UPDATE model SET data = substr(data, 2)"),
                     0);
    assert_int_equal(hone__db_model_get(f->db, &model, &row, &damaged),
                     HONE_ERR_DATABASE);
    assert_true(hone__db_is_damage(&damaged));
}

/* ---- hone check -------------------------------------------------------------
 */

static hone_status on_checked(void *user, const hone_db_checked *found,
                              hone_error *err)
{
    (void)err;
    if (strcmp(found->name, "models") == 0)
        *(hone_db_checked *)user = *found;
    return HONE_OK;
}

static void test_check(void **state)
{
    db_fixture *const f = *state;
    const hone_db_model time = model_of(f, "time", "hone-model 1\n", 1);
    const hone_db_model chooser =
        model_of(f, "chooser", "hone-chooser 1\nnonsense\n", 1);
    hone_db_checked found = {0};

    assert_ok(hone__db_model_put(f->db, &time, why));
    assert_ok(hone__db_check(f->db, on_checked, &found, why));
    assert_int_equal(found.n, 1);
    assert_int_equal(found.n_damaged, 0);
    assert_ok(hone__db_model_put(f->db, &chooser, why));
    assert_ok(hone__db_check(f->db, on_checked, &found, why));
    assert_int_equal(found.n, 2);
    assert_int_equal(found.n_damaged, 1);
    assert_int_equal(
        fixture_sql(f, "UPDATE model SET sha256 = replace(sha256, 'a', 'b')"),
        0);
    assert_ok(hone__db_check(f->db, on_checked, &found, why));
    assert_int_equal(found.n_damaged, 2);
}

/* ---- hone merge -------------------------------------------------------------
 */

static void make(const db_fixture *f, const char *name, const char *text,
                 int64_t n_trials)
{
    hone_db_device device = fixture_device;
    char path[512];
    hone_db *db = NULL;
    hone_db_model model = model_of(f, "time", text, n_trials);

    fixture_path(f, name, path, sizeof path);
    assert_ok(hone__db_open(path, HONE_DB_CREATE, &db, why));
    assert_ok(hone__db_device_put(db, &device, &model.device_id, why));
    assert_ok(hone__db_model_put(db, &model, why));
    hone__db_close(db);
}

static void merge(const db_fixture *f, const char *first, const char *second,
                  char out_sha256[HONE_SHA256_HEX])
{
    char paths[3][512];
    const char *const from[] = {paths[1], paths[2]};
    hone_db_merged merged;
    hone_db *db = NULL;
    hone_text rows = {0};

    fixture_path(f, "merged.db", paths[0], sizeof paths[0]);
    fixture_path(f, first, paths[1], sizeof paths[1]);
    fixture_path(f, second, paths[2], sizeof paths[2]);
    (void)remove(paths[0]);
    assert_ok(hone__db_open(paths[0], HONE_DB_CREATE, &db, why));
    assert_ok(hone__db_merge_files(db, from, 2, &merged, why));
    fixture_rows(db, "SELECT sha256 FROM model_v1", &rows);
    assert_int_equal(rows.length, HONE_SHA256_HEX);
    memcpy(out_sha256, rows.data, HONE_SHA256_HEX - 1);
    out_sha256[HONE_SHA256_HEX - 1] = '\0';
    hone__text_free(&rows);
    hone__db_close(db);
    (void)remove(paths[0]);
}

static void test_merge(void **state)
{
    db_fixture *const f = *state;
    char ab[HONE_SHA256_HEX], ba[HONE_SHA256_HEX], more[HONE_SHA256_HEX];

    make(f, "a.db", "hone-model 1\na\n", 100);
    make(f, "b.db", "hone-model 1\nb\n", 100);
    make(f, "more.db", "hone-model 1\nmore\n", 101);
    merge(f, "a.db", "b.db", ab);
    merge(f, "b.db", "a.db", ba);
    assert_string_equal(ab, ba);
    hone__sha256_hex("hone-model 1\nmore\n", 18, more);
    merge(f, "a.db", "more.db", ab);
    merge(f, "more.db", "a.db", ba);
    assert_string_equal(ab, more);
    assert_string_equal(ba, more);
}

/* ---- hone gc ----------------------------------------------------------------
 */

static void put_chooser(const db_fixture *f, const char *hash)
{
    hone_text text = {0};
    hone_db_model model;

    hone__text_printf(&text, "hone-chooser 1\nmember 0 %s wmma\n", hash);
    model = model_of(f, "chooser", text.data, 5);
    assert_ok(hone__db_model_put(f->db, &model, why));
    hone__text_free(&text);
}

static void test_gc(void **state)
{
    db_fixture *const f = *state;
    const hone_db_model time = model_of(f, "time", "hone-model 1\n", 5);
    hone_db_collected gone;
    hone_text hash = {0};

    assert_ok(hone__db_model_put(f->db, &time, why));
    fixture_rows(f->db,
                 "SELECT launch_sha256 FROM variant"
                 " WHERE launch_sha256 IS NOT NULL LIMIT 1",
                 &hash);
    hash.data[HONE_SHA256_HEX - 1] = '\0';
    put_chooser(f, hash.data);
    assert_ok(hone__db_gc(f->db, 0, &gone, why));
    assert_int_equal(gone.n_models, 0);
    /* A member that is not there. */
    hash.data[0] = hash.data[0] == '0' ? '1' : '0';
    put_chooser(f, hash.data);
    assert_ok(hone__db_gc(f->db, 1, &gone, why));
    assert_int_equal(gone.n_models, 1);
    assert_int_equal(fixture_integer(f->db, "SELECT count(*) FROM model"), 2);
    assert_ok(hone__db_gc(f->db, 0, &gone, why));
    assert_int_equal(gone.n_models, 1);
    assert_rows(f->db, "SELECT kind FROM model", "time\n");
    /* Of an operation that nobody tuned. */
    assert_int_equal(fixture_sql(f, "UPDATE model SET op = 'other'"), 0);
    assert_ok(hone__db_gc(f->db, 0, &gone, why));
    assert_int_equal(gone.n_models, 1);
    hone__text_free(&hash);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE_FILLED(test_put_and_get), CASE_FILLED(test_damage_is_found),
        CASE_FILLED(test_check), CASE_FILLED(test_merge), CASE_FILLED(test_gc)};

    return cmocka_run_group_tests_name("db_model", tests, NULL, NULL);
}
