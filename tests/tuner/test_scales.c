/* SPDX-License-Identifier: Apache-2.0 */
/* A vendor's function that was right at one length of transforms is the answer
 * at the others, where nothing was tuned. */
#include "tests/gen/gen_test.h"

#include "tuner/session/tune_scales.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define OP                                                                     \
    "#pragma hone op o(n in {16, 32, 64, 128} default 16, batch default 1, "   \
    "way in {1, 2} default 1, m in {8, 9, 10, 11} default 8)\n"
#define CODE                                                                   \
    "#pragma hone arg x: out f32[n*m*batch]\n"                                 \
    "#pragma hone launch k grid(1) block(32) args(x)\n"                        \
    "extern \"C\" __global__ void k(float *x) { x[0] = 1; }\n"
#define PLAN                                                                   \
    "hone-launch 5\nop o\ndim n choice 16\ndim batch int 1\ndim way choice "   \
    "1\ndim m choice 8\nparam ALGORITHM 0\narg x out 4 n*m*batch\n"            \
    "vendor cufft.c2c\nvendor-rank 0\nvendor-version 12000\n"                  \
    "vendor-workspace 0\n"

static const char sha256[] =
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

typedef struct scales {
    char path[64];
    hone_db *db;
    hone_template *tmpl;
    int64_t template_id, toolchain_id;
} scales;

static int begin(void **state)
{
    static scales s;
    const hone_db_template row = {.op = "o",
                                  .name = "cufft",
                                  .kind = "vendor",
                                  .sha256 = sha256,
                                  .source = "o",
                                  .source_bytes = 1};
    hone_error err = {0};

    (void)snprintf(s.path, sizeof s.path, "scales.%d.db", (int)getpid());
    s.tmpl = parse_good(OP CODE);
    if (hone__db_open(s.path, HONE_DB_CREATE, &s.db, &err) ||
        hone__db_template_put(s.db, &row, &s.template_id, &err) ||
        hone__db_toolchain_put(s.db, "nvrtc", "13.0", &s.toolchain_id, &err))
        fail_msg("%s", err.text);
    *state = &s;
    return 0;
}

static int end(void **state)
{
    scales *s = *state;

    hone__db_close(s->db);
    hone__template_free(s->tmpl);
    return unlink(s->path);
}

/* As a trial at `types` stores it. */
static hone_db_variant put(scales *s, const char *types, const char *plan)
{
    const hone_db_variant out = {.template_id = s->template_id,
                                 .toolchain_id = s->toolchain_id,
                                 .config = "ALGORITHM=0",
                                 .types = types,
                                 .arch = "sm_90",
                                 .options = "for 64,300 on a GPU",
                                 .compile_key = sha256,
                                 .outcome = "ok",
                                 .registers = -1,
                                 .spill_bytes = -1,
                                 .static_shared_bytes = -1,
                                 .compile_time_ns = -1,
                                 .launch_plan = plan,
                                 .is_default = 1};
    hone_error err = {0};
    int64_t id;

    if (hone__db_variant_put(s->db, &out, &id, &err) != HONE_OK)
        fail_msg("%s", err.text);
    return out;
}

static hone_status on_text(void *user, const hone_db_row *row, hone_error *err)
{
    (void)err;
    (void)snprintf(user, 600, "%s", row->values[0].text);
    return HONE_OK;
}

/* What the database has, as one line. */
static void expect(scales *s, const char *sql, const char *wanted)
{
    char text[600] = "";
    hone_error err = {0};

    if (hone__db_query(s->db, sql, NULL, 0, on_text, text, &err) != HONE_OK)
        fail_msg("%s", err.text);
    assert_string_equal(text, wanted);
}

static void test_everywhere(void **state)
{
    static const int64_t dims[] = {64, 300, 2, 9};
    scales *const s = *state;
    hone_db_variant of;
    hone_error err = {0};

    (void)put(s, "32,2,9", PLAN); /* it was tried there */
    of = put(s, "64,2,9", PLAN);
    assert_int_equal(hone__tune_put_scales(s->db, s->tmpl, dims, &of, &err),
                     HONE_OK);
    /* Again: nothing is there twice. */
    assert_int_equal(hone__tune_put_scales(s->db, s->tmpl, dims, &of, &err),
                     HONE_OK);
    expect(s,
           "SELECT group_concat(types, ' ') FROM (SELECT types FROM variant "
           "WHERE options = 'for any problem' ORDER BY variant_id)",
           "16,2,8 32,2,8 64,2,8 128,2,8 16,2,9 128,2,9 16,2,10 32,2,10 "
           "64,2,10 128,2,10 16,2,11 32,2,11 64,2,11 128,2,11");
    expect(s, "SELECT count(*) || '' FROM variant", "16");
    /* What programs read: the function, for its length. */
    expect(s,
           "SELECT preference || ' ' || implementation || ' ' || config || ' ' "
           "|| (launch_plan = '" PLAN "') || (launch_sha256 IS NOT NULL)"
           " FROM default_v2 WHERE types = '128,2,9' AND arch = 'sm_90'",
           "0 cufft ALGORITHM=0 11");
}

/* An algorithm of a library is of one problem, and what has no scales of all.
 */
static void test_nowhere(void **state)
{
    static const char one[] = "#pragma hone op o(n, way in {1, 2, 3, 4, 0})\n"
                              "#pragma hone arg x: out f32[n]\n"
                              "#pragma hone launch k grid(1) block(32) "
                              "args(x)\n"
                              "extern \"C\" __global__ void k(float *x) "
                              "{ x[0] = 1; }\n";
    static const int64_t dims[] = {64, 300, 1, 9}, other[] = {5, 4};
    scales *const s = *state;
    hone_template *const tmpl = parse_good(one);
    hone_db_variant of = put(s, "64,1,9", PLAN);
    hone_error err = {0};

    of.launch_plan = PLAN "vendor-algorithm 00\n";
    assert_int_equal(hone__tune_put_scales(s->db, s->tmpl, dims, &of, &err),
                     HONE_OK);
    of.launch_plan = PLAN;
    assert_int_equal(hone__tune_put_scales(s->db, tmpl, other, &of, &err),
                     HONE_OK);
    expect(s, "SELECT count(*) || '' FROM variant", "1");
    hone__template_free(tmpl);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_everywhere, begin, end),
        cmocka_unit_test_setup_teardown(test_nowhere, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
