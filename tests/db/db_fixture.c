/* SPDX-License-Identifier: Apache-2.0 */
/* See db_fixture.h. */
#include "db_fixture.h"

#include <dirent.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char fixture_sha256[HONE_SHA256_HEX] =
    "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

const hone_db_device fixture_device = {.kind = "cuda",
                                       .name = "NVIDIA H200",
                                       .arch = "sm_90",
                                       .sm_count = 132,
                                       .memory_bytes = 150109880320,
                                       .l2_bytes = 62914560,
                                       .driver_version = "13000",
                                       .properties_json =
                                           "{\"sm\":90,\"smem_optin\":232448}"};

int fixture_setup(void **state)
{
    db_fixture *const fixture = calloc(1, sizeof *fixture);
    const char *const base = getenv("TMPDIR");

    if (!fixture)
        return -1;
    (void)snprintf(fixture->folder, sizeof fixture->folder,
                   "%s/hone_db_test_XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(fixture->folder)) {
        free(fixture);
        return -1;
    }
    fixture_path(fixture, "hone.db", fixture->path, sizeof fixture->path);
    *state = fixture;
    return 0;
}

static void remove_tree(const char *folder)
{
    DIR *const dir = opendir(folder);
    const struct dirent *entry;

    while (dir && (entry = readdir(dir)) != NULL) {
        char path[1024];

        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (unlink(path))
            remove_tree(path);
    }
    if (dir)
        (void)closedir(dir);
    (void)rmdir(folder);
}

int fixture_teardown(void **state)
{
    db_fixture *const fixture = *state;

    hone__db_close(fixture->db);
    remove_tree(fixture->folder);
    free(fixture);
    return 0;
}

void fixture_path(const db_fixture *fixture, const char *name, char *out,
                  size_t size_bytes)
{
    (void)snprintf(out, size_bytes, "%s/%s", fixture->folder, name);
}

void fixture_open(db_fixture *fixture)
{
    assert_ok(hone__db_open(fixture->path, HONE_DB_CREATE, &fixture->db, why));
}

/* ---- one small tuning run -----------------------------------------------
 */

static void fill_subjects(db_fixture *fixture)
{
    static const int64_t dims[] = {4096, 4096, 512};
    const hone_db_template tmpl = {.op = "gemm_f16",
                                   .name = "gemm_f16.cu",
                                   .sha256 = fixture_sha256,
                                   .source = "__global__ void k() {}",
                                   .source_bytes = 22};
    const hone_db_problem problem = {.op = "gemm_f16",
                                     .dims = dims,
                                     .n_dims = 3,
                                     .label = "M=4096 N=4096 K=512"};

    assert_ok(hone__db_device_put(fixture->db, &fixture_device,
                                  &fixture->device_id, why));
    assert_ok(
        hone__db_template_put(fixture->db, &tmpl, &fixture->template_id, why));
    assert_ok(
        hone__db_problem_put(fixture->db, &problem, &fixture->problem_id, why));
    assert_ok(hone__db_toolchain_put(fixture->db, "nvrtc", "13.0",
                                     &fixture->toolchain_id, why));
}

static void fill_variant(db_fixture *fixture, int index)
{
    static const char *const configs[N_VARIANTS] = {"BM=64", "BM=128",
                                                    "BM=256"};
    const int ok = index < N_VARIANTS - 1;
    char sha256[HONE_SHA256_HEX];
    hone_db_variant variant = {.template_id = fixture->template_id,
                               .toolchain_id = fixture->toolchain_id,
                               .config = configs[index],
                               .arch = "sm_90a",
                               .outcome = ok ? "ok" : "compile",
                               .registers = 100 + index,
                               .compile_time_ns = 9000000,
                               .launch_plan = "hone-launch 1\n",
                               .is_default = index == 0};

    assert_ok(hone__db_artifact_put(fixture->db, ok ? "cubin" : "log",
                                    configs[index], strlen(configs[index]),
                                    sha256, why));
    if (ok)
        variant.cubin_sha256 = sha256;
    else
        variant.log_sha256 = sha256;
    assert_ok(hone__db_variant_put(fixture->db, &variant,
                                   &fixture->variant_id[index], why));
}

static void fill_trial(db_fixture *fixture, int index)
{
    static const double samples_ns[] = {8100.5, 8123.25, 8200};
    const int ok = index < N_VARIANTS - 1;
    const hone_db_trial trial = {.session_id = fixture->session_id,
                                 .variant_id = fixture->variant_id[index],
                                 .outcome = ok ? "ok" : "compile",
                                 .message = ok ? NULL : "line 3: no such type",
                                 .time_ns = ok ? 8123.25 - 1000 * index : 0,
                                 .spread_ns = 50,
                                 .samples_ns = samples_ns,
                                 .n_samples = ok ? 3 : 0,
                                 .launches_per_sample = ok ? 10 : 0,
                                 .error_ratio = 0.25,
                                 .verified = ok,
                                 .sm_clock_mhz = 1980,
                                 .power_mw = 400000,
                                 .temperature_c = 50,
                                 .started_unix_ns = 1700000000000000000 + index,
                                 .device_time_ns = 1000000};

    assert_ok(hone__db_trial_put(fixture->db, &trial, &fixture->trial_id[index],
                                 why));
}

void fixture_fill(db_fixture *fixture)
{
    hone_db_session session = {.mode = "cold",
                               .strategy = "random",
                               .seed = UINT64_MAX,
                               .budget = "200"};

    fill_subjects(fixture);
    session.device_id = fixture->device_id;
    session.problem_id = fixture->problem_id;
    session.template_id = fixture->template_id;
    assert_ok(hone__db_session_begin(fixture->db, &session,
                                     &fixture->session_id, why));
    for (int i = 0; i < N_VARIANTS; i++) {
        fill_variant(fixture, i);
        fill_trial(fixture, i);
    }
}

void fixture_version_1(db_fixture *fixture)
{
    hone_text sql = {0};

    assert_ok(hone__text_read_file(&sql, "version_1.sql", why));
    assert_int_equal(fixture_sql(fixture, hone__text_str(&sql)), SQLITE_OK);
    hone__text_free(&sql);
    fixture->device_id = 1; /* no gaps: the first of everything */
    fixture->template_id = 1;
    fixture->problem_id = 1;
    fixture->toolchain_id = 1;
    fixture->session_id = 1;
    for (int i = 0; i < N_VARIANTS; i++) {
        fixture->variant_id[i] = i + 1;
        fixture->trial_id[i] = i + 1;
    }
}

int fixture_setup_filled(void **state)
{
    if (fixture_setup(state))
        return -1;
    fixture_open(*state);
    fixture_fill(*state);
    return 0;
}

/* ---- looking inside -----------------------------------------------------
 */

static hone_status keep_first(void *user, const hone_db_row *row,
                              hone_error *err)
{
    hone_db_value *const out = user;

    (void)err;
    if (out->kind == HONE_DB_NULL)
        *out = row->values[0];
    return HONE_OK;
}

static hone_db_value first_value(hone_db *db, const char *sql)
{
    hone_db_value value = hone__db_null();

    assert_ok(hone__db_query(db, sql, NULL, 0, keep_first, &value, why));
    return value;
}

int64_t fixture_integer(hone_db *db, const char *sql)
{
    const hone_db_value value = first_value(db, sql);

    assert_int_equal(value.kind, HONE_DB_INTEGER);
    return value.integer;
}

double fixture_real(hone_db *db, const char *sql)
{
    const hone_db_value value = first_value(db, sql);

    assert_int_equal(value.kind, HONE_DB_REAL);
    return value.real;
}

static hone_status print_row(void *user, const hone_db_row *row,
                             hone_error *err)
{
    hone_text *const out = user;

    (void)err;
    for (size_t i = 0; i < row->n_columns; i++) {
        const hone_db_value *const value = &row->values[i];

        hone__text_puts(out, i ? "|" : "");
        if (value->kind == HONE_DB_INTEGER)
            hone__text_printf(out, "%lld", (long long)value->integer);
        else if (value->kind == HONE_DB_REAL)
            hone__text_printf(out, "%g", value->real);
        else
            hone__text_append(out, value->text, value->size_bytes);
    }
    hone__text_puts(out, "\n");
    return HONE_OK;
}

void fixture_rows(hone_db *db, const char *sql, hone_text *out)
{
    assert_ok(hone__db_query(db, sql, NULL, 0, print_row, out, why));
}

void assert_rows(hone_db *db, const char *sql, const char *expected)
{
    hone_text rows = {0};

    fixture_rows(db, sql, &rows);
    assert_string_equal(hone__text_str(&rows), expected);
    hone__text_free(&rows);
}

int fixture_sql(const db_fixture *fixture, const char *sql)
{
    sqlite3 *handle = NULL;
    int code = sqlite3_open(fixture->path, &handle);

    if (code == SQLITE_OK)
        code =
            sqlite3_exec(handle, "PRAGMA foreign_keys = ON", NULL, NULL, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_exec(handle, sql, NULL, NULL, NULL);
    if (code != SQLITE_OK)
        code = sqlite3_extended_errcode(handle);
    (void)sqlite3_close(handle);
    return code;
}
