/* SPDX-License-Identifier: Apache-2.0 */
/* Identities, artifacts, and what the schema refuses. */
#include "db_fixture.h"

#include "db/db_internal.h"

#include <sqlite3.h>
#include <string.h>

/* ---- identities ---------------------------------------------------------
 */

static void test_put_again_gives_the_same_row(void **state)
{
    db_fixture *const f = *state;
    const db_fixture before = *f;

    fixture_fill(f);
    assert_int_equal(f->device_id, before.device_id);
    assert_int_equal(f->template_id, before.template_id);
    assert_int_equal(f->problem_id, before.problem_id);
    assert_int_equal(f->toolchain_id, before.toolchain_id);
    for (int i = 0; i < N_VARIANTS; i++)
        assert_int_equal(f->variant_id[i], before.variant_id[i]);
    assert_int_not_equal(f->session_id, before.session_id);
    assert_rows(f->db,
                "SELECT (SELECT count(*) FROM device),"
                " (SELECT count(*) FROM template),"
                " (SELECT count(*) FROM problem),"
                " (SELECT count(*) FROM variant),"
                " (SELECT count(*) FROM artifact),"
                " (SELECT count(*) FROM trial)",
                "1|1|1|3|4|6\n");
}

static void test_repeated_put_does_not_write(void **state)
{
    db_fixture *const f = *state;
    const hone_db_problem problem = {.op = "gemm_f16",
                                     .dims = (const int64_t[]){4096, 4096, 512},
                                     .n_dims = 3,
                                     .label = "M=4096 N=4096 K=512"};
    const int64_t version = fixture_integer(f->db, "PRAGMA data_version");
    hone_db *other = NULL;
    char sha256[HONE_SHA256_HEX];
    int64_t id;

    assert_ok(hone__db_open(f->path, 0, &other, why));
    assert_ok(hone__db_device_put(other, &fixture_device, &id, why));
    assert_ok(hone__db_problem_put(other, &problem, &id, why));
    assert_ok(hone__db_toolchain_put(other, "nvrtc", "13.0", &id, why));
    assert_ok(hone__db_artifact_put(other, "cubin", "BM=64", 5, sha256, why));
    hone__db_close(other);
    assert_int_equal(fixture_integer(f->db, "PRAGMA data_version"), version);
}

static void test_device_identity(void **state)
{
    db_fixture *const f = *state;
    hone_db_device device = fixture_device;
    int64_t id;

    device.properties_json = "{\"sm\":91}";
    assert_ok(hone__db_device_put(f->db, &device, &id, why));
    assert_int_equal(id, f->device_id);
    assert_rows(f->db, "SELECT facts ->> 'sm' FROM device", "91\n");
    device.driver_version = "12040"; /* another driver is another device */
    assert_ok(hone__db_device_put(f->db, &device, &id, why));
    assert_int_not_equal(id, f->device_id);
    device.arch = NULL;
    assert_status(hone__db_device_put(f->db, &device, &id, why),
                  HONE_ERR_ARGUMENT);
}

static void test_variant_identity(void **state)
{
    db_fixture *const f = *state;
    hone_db_variant variant = {.template_id = f->template_id,
                               .toolchain_id = f->toolchain_id,
                               .config = "BM=64",
                               .arch = "sm_90a",
                               .outcome = "ok",
                               .registers = 32,
                               .spill_bytes = -1,
                               .launch_plan = "hone-launch 1\n"};
    int64_t id;

    assert_ok(hone__db_variant_put(f->db, &variant, &id, why));
    assert_int_equal(id, f->variant_id[0]); /* replaced; the time is kept */
    assert_rows(f->db,
                "SELECT registers, spill_bytes IS NULL, compile_time_ns,"
                " cubin_sha256 IS NULL, is_default FROM variant"
                " WHERE variant_id = 1",
                "32|1|9000000|1|0\n");
    variant.types = "4";
    assert_ok(hone__db_variant_put(f->db, &variant, &id, why));
    assert_int_not_equal(id, f->variant_id[0]);
    variant.types = NULL;
    variant.options = "--fmad=false";
    assert_ok(hone__db_variant_put(f->db, &variant, &id, why));
    assert_int_not_equal(id, f->variant_id[0]);
    variant.outcome = NULL;
    assert_status(hone__db_variant_put(f->db, &variant, &id, why),
                  HONE_ERR_ARGUMENT);
}

/* As FORMAT.md says it is made; the digits are sha256sum's. */
static void test_hash_of_a_launch(void **state)
{
    static const char hashes[] = "SELECT launch_sha256 FROM variant"
                                 " WHERE variant_id IN (1, 3)";
    db_fixture *const f = *state;
    hone_db_variant variant = {.template_id = f->template_id,
                               .toolchain_id = f->toolchain_id,
                               .config = "BM=64",
                               .types = "4",
                               .arch = "sm_90a",
                               .outcome = "ok",
                               .launch_plan = "hone-launch 1\nop x\n"};
    char sha256[HONE_SHA256_HEX];
    int64_t id;

    /* The third one has no cubin. */
    assert_rows(
        f->db, hashes,
        "2bb6a8e8e7a12de055d40a77f3fbaf48dfa07d6a706433cb4e6bb3853025f219\n\n");
    assert_ok(hone__db_artifact_put(f->db, "cubin", "BM=64", 5, sha256, why));
    variant.cubin_sha256 = sha256;
    assert_ok(hone__db_variant_put(f->db, &variant, &id, why));
    assert_rows(
        f->db,
        "SELECT launch_sha256 FROM variant ORDER BY variant_id DESC"
        " LIMIT 1",
        "e36fb14fd01d7bc4e735f011a765d67361dbf092af468ac415141148e00d0ee2\n");
    /* A row of an older version gets its hash when it is put again. */
    assert_int_equal(fixture_sql(f, "UPDATE variant SET launch_sha256 = NULL"),
                     SQLITE_OK);
    assert_ok(hone__db_variant_put(f->db, &variant, &id, why));
    assert_rows(f->db, "SELECT count(launch_sha256) FROM variant", "1\n");
}

static void test_dims_text(void **state)
{
    hone_text text = {0};

    (void)state;
    hone__db_dims_text((const int64_t[]){1048576, 4}, 2, &text);
    assert_string_equal(hone__text_str(&text), "1048576,4");
    hone__text_clear(&text);
    hone__db_dims_text(NULL, 0, &text);
    assert_string_equal(hone__text_str(&text), "");
    hone__text_free(&text);
}

/* ---- artifacts ----------------------------------------------------------
 */

static void check_round_trip(hone_db *db, const char *bytes, size_t size)
{
    char sha256[HONE_SHA256_HEX];
    char expected[HONE_SHA256_HEX];
    hone_text out = {0};

    hone__sha256_hex(bytes, size, expected);
    assert_ok(hone__db_artifact_put(db, "cubin", bytes, size, sha256, why));
    assert_string_equal(sha256, expected);
    hone__text_puts(&out, "head:"); /* content is appended */
    assert_ok(hone__db_artifact_get(db, sha256, &out, why));
    assert_int_equal(out.length, size + 5);
    assert_memory_equal(out.data + 5, bytes, size);
    hone__text_free(&out);
}

static void test_artifact_round_trip(void **state)
{
    db_fixture *const f = *state;
    static char large[200000]; /* above the size that gets level 19 */
    uint32_t seed = 1;

    for (size_t i = 0; i < sizeof large; i++) {
        seed = seed * 1664525u + 1013904223u;
        large[i] = (char)(seed >> 28); /* compressible */
    }
    check_round_trip(f->db, "", 0);
    check_round_trip(f->db, "a\0b", 3);
    check_round_trip(f->db, large, 16384);
    check_round_trip(f->db, large, sizeof large);
    assert_int_equal(fixture_integer(f->db,
                                     "SELECT size_bytes > 1.5 * length(data)"
                                     " FROM artifact ORDER BY size_bytes DESC"),
                     1);
    assert_rows(f->db, "SELECT count(*) FROM artifact", "8\n");
    check_round_trip(f->db, large, sizeof large);
    assert_rows(f->db, "SELECT count(*) FROM artifact", "8\n");
}

static void test_artifact_damage_is_found_and_mended(void **state)
{
    static const char *const damage[] = {
        /* a valid frame of other content of the same size */
        "UPDATE artifact SET data = (SELECT data FROM artifact"
        " WHERE sha256 = (SELECT cubin_sha256 FROM variant"
        " WHERE variant_id = 2)), size_bytes = 6 WHERE sha256 ="
        " (SELECT cubin_sha256 FROM variant WHERE variant_id = 1)",
        "UPDATE artifact SET data = x'00112233' WHERE size_bytes = 5",
        "UPDATE artifact SET data = x'' WHERE size_bytes = 5",
        "UPDATE artifact SET data = substr(data, 1, length(data) - 2)"
        " WHERE size_bytes = 5",
        "UPDATE artifact SET size_bytes = 1000000000000"
        " WHERE size_bytes = 5",
        "UPDATE artifact SET size_bytes = 6 WHERE size_bytes = 5",
    };
    db_fixture *const f = *state;
    char sha256[HONE_SHA256_HEX];
    char again[HONE_SHA256_HEX];

    hone__sha256_hex("BM=64", 5, sha256);
    for (size_t i = 0; i < sizeof damage / sizeof damage[0]; i++) {
        hone_error err = {0};
        hone_text out = {0};

        assert_int_equal(fixture_sql(f, damage[i]), SQLITE_OK);
        assert_int_equal(hone__db_artifact_get(f->db, sha256, &out, &err),
                         HONE_ERR_DATABASE);
        assert_non_null(strstr(err.text, sha256));
        assert_non_null(strstr(err.text, "damaged"));
        assert_int_equal(out.length, 0);
        assert_ok(
            hone__db_artifact_put(f->db, "cubin", "BM=64", 5, again, why));
        assert_ok(hone__db_artifact_get(f->db, sha256, &out, why));
        assert_string_equal(hone__text_str(&out), "BM=64");
        hone__text_free(&out);
    }
}

static void test_artifact_misuse(void **state)
{
    db_fixture *const f = *state;
    char sha256[HONE_SHA256_HEX];
    hone_text out = {0};

    assert_status(hone__db_artifact_get(f->db, fixture_sha256, &out, why),
                  HONE_ERR_NOT_FOUND);
    assert_status(hone__db_artifact_get(f->db, NULL, &out, why),
                  HONE_ERR_NOT_FOUND);
    assert_status(hone__db_artifact_put(f->db, "picture", "x", 1, sha256, why),
                  HONE_ERR_DATABASE);
    assert_status(hone__db_artifact_put(f->db, NULL, "x", 1, sha256, why),
                  HONE_ERR_ARGUMENT);
    hone__text_free(&out);
}

static void test_what_is_launched(void **state)
{
    static const char *const damage[] = {
        "UPDATE variant SET launch_lines = launch_lines || '#'",
        "UPDATE variant SET config = 'BM=65' WHERE variant_id = 1",
        ("UPDATE variant SET launch_sha256 = NULL, config = 'BM=65'"
         " WHERE variant_id = 1"),
        "UPDATE variant SET launch_sha256 = NULL, launch_lines = 'x'",
        "UPDATE template SET op = 'another'",
        "UPDATE artifact SET size_bytes = 6 WHERE size_bytes = 5",
        "PRAGMA foreign_keys = OFF; DELETE FROM artifact",
        "PRAGMA foreign_keys = OFF; DELETE FROM template",
    };
    static const char plan[] = "hone-launch 1\nop gemm_f16\nparam BM 64\n"
                               "launch k\ngrid 1\nblock 1\n";
    db_fixture *const f = *state;
    hone_db_variant variant = {.template_id = f->template_id,
                               .toolchain_id = f->toolchain_id,
                               .config = "BM=64",
                               .arch = "sm_90a",
                               .outcome = "ok",
                               .launch_plan = plan};
    char sha256[HONE_SHA256_HEX];
    hone_db_launch launch;
    int64_t id;

    hone__sha256_hex("BM=64", 5, sha256);
    variant.cubin_sha256 = sha256;
    for (size_t i = 0; i < sizeof damage / sizeof damage[0]; i++) {
        hone_error err = {0};

        assert_ok(hone__db_variant_put(f->db, &variant, &id, why));
        assert_ok(hone__db_launch_get(f->db, id, &launch, why));
        assert_string_equal(launch.config.data, "BM=64");
        assert_string_equal(launch.launch_plan.data, plan);
        assert_string_equal(launch.cubin.data, "BM=64");
        assert_false(hone__db_is_damage(&err));
        hone__db_launch_free(&launch);
        assert_int_equal(
            fixture_sql(f, "CREATE TABLE v AS SELECT * FROM variant;"
                           "CREATE TABLE a AS SELECT * FROM artifact;"
                           "CREATE TABLE t AS SELECT * FROM template"),
            SQLITE_OK);
        assert_int_equal(fixture_sql(f, damage[i]), SQLITE_OK);
        if (hone__db_launch_get(f->db, id, &launch, &err) != HONE_ERR_DATABASE)
            fail_msg("%s", damage[i]);
        assert_true(hone__db_is_damage(&err));
        assert_int_equal(
            fixture_sql(f, "PRAGMA foreign_keys = OFF; DELETE FROM variant;"
                           "DELETE FROM artifact; DELETE FROM template;"
                           "INSERT INTO artifact SELECT * FROM a;"
                           "INSERT INTO template SELECT * FROM t;"
                           "INSERT INTO variant SELECT * FROM v;"
                           "DROP TABLE v; DROP TABLE a; DROP TABLE t"),
            SQLITE_OK);
    }
}

/* Whatever a plan looks like, it comes back as it was; what plans share is kept
 * once. */
static void test_plans_in_parts(void **state)
{
    static const struct {
        const char *plan;
        int n_new; /* forms */
    } cases[] = {
        {"hone-launch 1\nop a\nparam BM 64\nparam BN 8\nlaunch k\n", 1},
        {"hone-launch 1\nop a\nparam BM 65\nunstated BM\nlaunch k\n", 0},
        {"hone-launch 1\nop a\nparam BM 66\nlaunch l\n", 1},
        {"hone-launch 1\nop a\nlaunch k\n", 1}, /* all of it is the head */
        {"param BM 64", 1},
        {"param BM 65\n", 0},
        {"op a\nparam A 1\nlaunch k\nparam B 2\n", 1},
        {"params\nparameter", 1},
        {"\n\nunstated A\nparam A 1\n\nunstated A", 1},
        {"", 0}};
    db_fixture *const f = *state;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static const char count[] = "SELECT count(*) FROM launch_form";
        const int64_t n_before = fixture_integer(f->db, count);
        hone_db_variant variant = {.template_id = f->template_id,
                                   .toolchain_id = f->toolchain_id,
                                   .config = "BM=64",
                                   .arch = "sm_75", /* the last row */
                                   .outcome = "compile",
                                   .launch_plan = cases[i].plan};
        hone_text row = {0};
        int64_t id;

        assert_ok(hone__db_variant_put(f->db, &variant, &id, why));
        assert_int_equal(fixture_integer(f->db, count) - n_before,
                         cases[i].n_new);
        fixture_rows(f->db,
                     "SELECT launch_plan FROM launch_v1 ORDER BY"
                     " variant_id DESC LIMIT 1",
                     &row);
        assert_int_equal(row.length, strlen(cases[i].plan) + 1);
        assert_memory_equal(row.data, cases[i].plan, row.length - 1);
        hone__text_free(&row);
    }
}

/* ---- what the schema refuses --------------------------------------------
 */

static void test_schema_refuses(void **state)
{
    static const struct {
        const char *sql;
        int code;
    } cases[] = {
        {"UPDATE device SET sm_count = 'many'", SQLITE_CONSTRAINT_DATATYPE},
        {"UPDATE trial SET time_ns = 'fast'", SQLITE_CONSTRAINT_DATATYPE},
        {"UPDATE artifact SET data = 'text'", SQLITE_CONSTRAINT_DATATYPE},
        {"UPDATE trial SET time_ns = 0", SQLITE_CONSTRAINT_CHECK},
        {"UPDATE trial SET time_ns = NULL", SQLITE_CONSTRAINT_CHECK},
        {"UPDATE trial SET outcome = 'fine'", SQLITE_CONSTRAINT_CHECK},
        {"UPDATE trial SET verified = 2", SQLITE_CONSTRAINT_CHECK},
        {"UPDATE session SET mode = 'warm'", SQLITE_CONSTRAINT_CHECK},
        {"UPDATE problem SET dims = '4096 4096'", SQLITE_CONSTRAINT_CHECK},
        {"UPDATE device SET kind = ''", SQLITE_CONSTRAINT_CHECK},
        {"UPDATE device SET name = NULL", SQLITE_CONSTRAINT_NOTNULL},
        {"UPDATE trial SET variant_id = 99", SQLITE_CONSTRAINT_FOREIGNKEY},
        {"DELETE FROM variant", SQLITE_CONSTRAINT_FOREIGNKEY},
        {"DELETE FROM artifact", SQLITE_CONSTRAINT_FOREIGNKEY},
        {"DELETE FROM session", SQLITE_CONSTRAINT_FOREIGNKEY},
    };
    const db_fixture *const f = *state;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const int code = fixture_sql(f, cases[i].sql);

        if (code != cases[i].code)
            print_error("%s\n", cases[i].sql);
        assert_int_equal(code, cases[i].code);
    }
    /* And what it takes: a recording that is replayed is a device, and
     * so is what only a later program has. */
    assert_int_equal(fixture_sql(f, "UPDATE device SET kind = 'replay'"),
                     SQLITE_OK);
}

static void test_foreign_keys_bind_our_writes(void **state)
{
    db_fixture *const f = *state;
    hone_db_trial trial = {
        .session_id = f->session_id, .variant_id = 99, .outcome = "fault"};
    hone_error err = {0};
    int64_t id = 7;

    assert_int_equal(hone__db_trial_put(f->db, &trial, &id, &err),
                     HONE_ERR_DATABASE);
    assert_int_equal(err.domain, HONE_DOMAIN_SQLITE);
    assert_int_equal(err.native, SQLITE_CONSTRAINT_FOREIGNKEY);
    assert_int_equal(id, 0);
    trial.variant_id = f->variant_id[0];
    assert_ok(hone__db_trial_put(f->db, &trial, &id, why));
    trial.outcome = "ok"; /* without a time */
    assert_status(hone__db_trial_put(f->db, &trial, &id, why),
                  HONE_ERR_DATABASE);
    trial.outcome = NULL;
    assert_status(hone__db_trial_put(f->db, &trial, &id, why),
                  HONE_ERR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE_FILLED(test_put_again_gives_the_same_row),
        CASE_FILLED(test_repeated_put_does_not_write),
        CASE_FILLED(test_device_identity),
        CASE_FILLED(test_variant_identity),
        CASE_FILLED(test_hash_of_a_launch),
        CASE_FILLED(test_dims_text),
        CASE_FILLED(test_artifact_round_trip),
        CASE_FILLED(test_artifact_damage_is_found_and_mended),
        CASE_FILLED(test_artifact_misuse),
        CASE_FILLED(test_what_is_launched),
        CASE_FILLED(test_plans_in_parts),
        CASE_FILLED(test_schema_refuses),
        CASE_FILLED(test_foreign_keys_bind_our_writes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
