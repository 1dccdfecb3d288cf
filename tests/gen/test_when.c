/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters that do not always exist, and values that only some devices
 * have: random spaces against brute force, configurations as text, launch
 * plans, and what is refused. */
#include "tests/gen/gen_test.h"

#include "runtime/launch/launch_spec.h"

/* ---- random spaces ------------------------------------------------------ */

enum { MOST_PARAMS = 5, MOST_VALUES = 4, N_SPACES = 400 };

/* `A OP k`, for parameter A; -1: the dimension FLIP; -2: device.sm. Two of
 * them, joined by && or ||. */
typedef struct test {
    int subject[2];
    int is_less[2]; /* A < k, else A == k */
    int number[2];
    int is_or;
} test;

typedef struct model_param {
    int n_values;
    int n_everywhere; /* the others need sm >= 90 */
    int values[MOST_VALUES];
    int fallback; /* index of the default */
    int is_conditional;
    int through_let;
    test when;
} model_param;

typedef struct model {
    int n_params;
    model_param params[MOST_PARAMS];
    int has_require; /* first + last <= limit */
    int limit;
    int flip;
    int sm;
    uint64_t state;
} model;

static int below(model *m, int n)
{
    m->state = m->state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (int)((m->state >> 33) % (uint64_t)n);
}

static test make_test(model *m, int n_before)
{
    test t = {.is_or = below(m, 2)};

    for (int i = 0; i < 2; ++i) {
        t.subject[i] = below(m, n_before + 2) - 2;
        t.is_less[i] = below(m, 2);
        t.number[i] = t.subject[i] == -2 ? 80 + 10 * below(m, 2) : below(m, 5);
    }
    return t;
}

static void make(model *m, uint64_t seed)
{
    *m = (model){.state = seed * 77 + 5};
    m->n_params = 2 + below(m, MOST_PARAMS - 1);
    m->has_require = below(m, 2);
    m->limit = 2 + below(m, 6);
    for (int i = 0; i < m->n_params; ++i) {
        model_param *p = &m->params[i];
        const int first = below(m, 3) - 1;

        p->n_values = 1 + below(m, MOST_VALUES);
        p->n_everywhere = 1 + below(m, p->n_values);
        for (int v = 0; v < p->n_values; ++v)
            p->values[v] = first + v;
        p->fallback = below(m, p->n_everywhere);
        p->is_conditional = below(m, 3) != 0;
        p->through_let = below(m, 2);
        p->when = make_test(m, i);
    }
}

static void write_test(const test *t, hone_text *out)
{
    for (int i = 0; i < 2; ++i) {
        hone__text_puts(out, i == 0 ? "" : t->is_or ? " || " : " && ");
        if (t->subject[i] == -2)
            hone__text_puts(out, "device.sm");
        else if (t->subject[i] == -1)
            hone__text_puts(out, "FLIP");
        else
            hone__text_printf(out, "P%d", t->subject[i]);
        hone__text_printf(out, " %s %d",
                          t->is_less[i] ? "<" : "==", t->number[i]);
    }
}

static void write_values(const model_param *p, int begin, int end,
                         hone_text *out)
{
    hone__text_puts(out, " in {");
    for (int v = begin; v < end; ++v)
        hone__text_printf(out, "%s%d", v > begin ? ", " : "", p->values[v]);
    hone__text_puts(out, "}");
}

static void write_model(const model *m, hone_text *out)
{
    hone__text_puts(out, "#pragma hone op o(n, FLIP in {0, 1})\n");
    for (int i = 0; i < m->n_params; ++i) {
        const model_param *p = &m->params[i];

        if (p->is_conditional && p->through_let) {
            hone__text_printf(out, "#pragma hone let L%d = ", i);
            write_test(&p->when, out);
            hone__text_puts(out, "\n");
        }
        hone__text_printf(out, "#pragma hone param P%d", i);
        write_values(p, 0, p->n_everywhere, out);
        hone__text_printf(out, " default %d", p->values[p->fallback]);
        if (p->n_everywhere < p->n_values) {
            hone__text_puts(out, " for device sm >= 90");
            write_values(p, p->n_everywhere, p->n_values, out);
        }
        if (p->is_conditional) {
            hone__text_puts(out, " when ");
            if (p->through_let)
                hone__text_printf(out, "L%d", i);
            else
                write_test(&p->when, out);
        }
        hone__text_puts(out, "\n");
    }
    if (m->has_require)
        hone__text_printf(out, "#pragma hone require P0 + P%d <= %d\n",
                          m->n_params - 1, m->limit);
    hone__text_puts(out, "#pragma hone launch k\n" KERNEL);
}

static int holds(const model *m, const test *t, const int *indexes)
{
    int each[2];

    for (int i = 0; i < 2; ++i) {
        const int s = t->subject[i];
        const int value = s == -2   ? m->sm
                          : s == -1 ? m->flip
                                    : m->params[s].values[indexes[s]];

        each[i] = t->is_less[i] ? value < t->number[i] : value == t->number[i];
    }
    return t->is_or ? each[0] || each[1] : each[0] && each[1];
}

/* Absent parameters get their defaults; what the configuration is called. */
static void settle(const model *m, int *indexes, char *exists, hone_text *out)
{
    for (int i = 0; i < m->n_params; ++i) {
        const model_param *p = &m->params[i];

        exists[i] = !p->is_conditional || holds(m, &p->when, indexes);
        if (!exists[i])
            indexes[i] = p->fallback;
        if (exists[i])
            hone__text_printf(out, "%sP%d=%d", out->length ? "," : "", i,
                              p->values[indexes[i]]);
    }
}

static int is_valid(const model *m, const int *indexes)
{
    const model_param *last = &m->params[m->n_params - 1];

    for (int i = 0; i < m->n_params; ++i) {
        const model_param *p = &m->params[i];

        if (indexes[i] >= p->n_everywhere && m->sm < 90)
            return 0;
        if (p->is_conditional && indexes[i] != p->fallback &&
            !holds(m, &p->when, indexes))
            return 0;
    }
    return !m->has_require || m->params[0].values[indexes[0]] +
                                      last->values[indexes[m->n_params - 1]] <=
                                  m->limit;
}

static void compare_one(const model *m, const hone_template *t,
                        const hone_space *space, const int *raw)
{
    const size_t bytes = (size_t)m->n_params * sizeof(int64_t);
    unsigned char exists[MOST_PARAMS];
    char wanted_exists[MOST_PARAMS];
    int settled[MOST_PARAMS];
    int found[MOST_PARAMS];
    int64_t config[MOST_PARAMS];
    int64_t again[MOST_PARAMS];
    hone_text wanted = {0};
    hone_text text = {0};

    memcpy(settled, raw, sizeof settled);
    memcpy(found, raw, sizeof found);
    settle(m, settled, wanted_exists, &wanted);
    assert_int_equal(hone__space_settle_indexes(space, found, exists, NULL),
                     HONE_OK);
    for (int i = 0; i < m->n_params; ++i) {
        assert_int_equal(found[i], settled[i]);
        assert_int_equal(exists[i], wanted_exists[i]);
        config[i] = m->params[i].values[raw[i]];
    }
    assert_int_equal(hone__space_find(space, config) >= 0, is_valid(m, raw));
    assert_int_equal(hone__space_check(space, config, NULL) == HONE_OK,
                     is_valid(m, raw));
    if (is_valid(m, raw)) {
        /* Its name leads back to it, so that no two have the same. */
        hone__space_format(space, config, &text);
        assert_string_equal(hone__text_str(&text), hone__text_str(&wanted));
        assert_int_equal(
            hone__config_parse(t, hone__text_str(&text), again, NULL), HONE_OK);
        assert_memory_equal(again, config, bytes);
    }
    hone__text_free(&wanted);
    hone__text_free(&text);
}

static int64_t compare_all(const model *m, const hone_template *t,
                           const hone_space *space)
{
    int indexes[MOST_PARAMS] = {0};
    int64_t n_valid = 0;
    int i = 0;

    while (i < m->n_params) {
        n_valid += is_valid(m, indexes);
        compare_one(m, t, space, indexes);
        for (i = 0; i < m->n_params; ++i) {
            if (++indexes[i] < m->params[i].n_values)
                break;
            indexes[i] = 0;
        }
    }
    return n_valid;
}

static void random_spaces(void **state)
{
    int64_t n_conditional = 0;

    (void)state;
    for (uint64_t seed = 0; seed < N_SPACES; ++seed) {
        hone_text text = {0};
        hone_template *t;
        model m;

        make(&m, seed);
        write_model(&m, &text);
        t = parse_good(hone__text_str(&text));
        for (int k = 0; k < 4; ++k) {
            const int64_t dims[] = {10, k & 1};
            const hone_properties properties =
                properties_of(k & 2 ? "sm_90" : "sm_80");
            hone_space *space = NULL;
            hone_error err = {0};
            int64_t n_valid;

            m.flip = k & 1;
            m.sm = k & 2 ? 90 : 80;
            if (hone__space_create(t, dims, &properties, &space, &err))
                fail_msg("%s\n%s", err.text, hone__text_str(&text));
            n_valid = compare_all(&m, t, space);
            if (space->count != n_valid)
                fail_msg("%lld, not %lld, in\n%s", (long long)space->count,
                         (long long)n_valid, hone__text_str(&text));
            n_conditional += n_valid < space->raw;
            hone__space_free(space);
        }
        hone__template_free(t);
        hone__text_free(&text);
    }
    assert_true(n_conditional > N_SPACES);
}

/* ---- one of them in full ------------------------------------------------ */

static const char good[] =
    "#pragma hone op o(n, FLIP in {0, 1})\n"
    "#pragma hone param SPLIT in {1, 2, 4}\n"
    "#pragma hone param SCALE in {0.5, -2.0} default -2.0 when SPLIT > 1\n"
    "#pragma hone param ORDER in {row, column} when FLIP == 1\n"
    "#pragma hone param CLUSTER in {1, 2} for device smem_optin > 200K && \\\n"
    "    device.sm >= 90 in pow2 4..8 for device sm >= 100 {16}\n"
    "#pragma hone launch k block(CLUSTER*SPLIT) args(f64(SCALE))\n"
    "extern \"C\" __global__ void k() { SCALE; ORDER; }\n";

static void checked(void **state)
{
    static const struct {
        const char *config;
        int64_t flip;
        const char *words; /* "": it is valid */
    } rows[] = {
        {"", 0, ""},
        {"SCALE=-2.0", 0, ""},
        {"SPLIT=2,SCALE=0.5", 0, ""},
        {"SCALE=0.5", 0,
         "t.cu:3: not 'SCALE when SPLIT > 1': elsewhere the "
         "parameter does not exist; leave it out"},
        {"ORDER=column", 1, ""},
        {"ORDER=column", 0, "t.cu:4: not 'ORDER when FLIP == 1'"},
        {"CLUSTER=8", 0, ""},
        {"CLUSTER=16", 0,
         "t.cu:6: not 'CLUSTER for device sm >= 100 in {16}': "
         "this device does not have that value"},
    };
    hone_template *t = parse_good(good);
    const hone_properties properties = properties_of("sm_90");
    int64_t config[4];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        const int64_t dims[] = {1, rows[i].flip};
        hone_space *space = NULL;
        hone_error err = {0};
        hone_status status;

        assert_int_equal(hone__config_parse(t, rows[i].config, config, NULL),
                         HONE_OK);
        assert_int_equal(hone__space_create(t, dims, &properties, &space, NULL),
                         HONE_OK);
        status = hone__space_check(space, config, &err);
        assert_int_equal(status,
                         *rows[i].words ? HONE_ERR_CONSTRAINT : HONE_OK);
        if (status && !strstr(err.text, rows[i].words))
            fail_msg("%s: %s", rows[i].config, err.text);
        hone__space_free(space);
    }
    hone__template_free(t);
}

/* A launch plan is for the configuration whether it states what does not
 * exist or not; and is refused on a device without the value. */
static void planned(void **state)
{
    static const struct {
        const char *config;
        hone_status status;
    } rows[] = {
        {"SPLIT=1,CLUSTER=4", HONE_OK},
        {"SPLIT=1,SCALE=-2.0,CLUSTER=4", HONE_OK},
        {"SPLIT=1,SCALE=-2.0,ORDER=row,CLUSTER=4", HONE_OK},
        {"SPLIT=1,SCALE=0.5,CLUSTER=4", HONE_ERR_DATABASE},
        {"SPLIT=1,ORDER=column,CLUSTER=4", HONE_ERR_DATABASE},
        {"SPLIT=1,ORDER=row", HONE_ERR_DATABASE},
        {"CLUSTER=4", HONE_ERR_DATABASE},
    };
    hone_template *t = parse_good(good);
    const hone_properties old = properties_of("sm_80");
    const hone_properties new = properties_of("sm_90");
    const int64_t dims[] = {1};
    hone_launch_spec *spec = NULL;
    hone_resolved problem;
    hone_text plan = {0};
    int64_t config[4];
    hone_error err = {0};

    (void)state;
    if (hone__config_parse(t, "CLUSTER=4", config, &err))
        fail_msg("%s", err.text);
    spec = read_plan(t, config, &plan);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
        assert_int_equal(
            hone__launch_spec_check_config(spec, rows[i].config, NULL),
            rows[i].status);
    assert_int_equal(
        hone__launch_spec_resolve(&(hone_launch_case){spec, dims, 1, &new},
                                  &problem, &err),
        HONE_OK);
    assert_int_equal(
        hone__launch_spec_resolve(&(hone_launch_case){spec, dims, 1, &old},
                                  &problem, &err),
        HONE_ERR_CONSTRAINT);
    hone__launch_spec_free(spec);
    hone__text_free(&plan);
    hone__template_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_spaces),
        cmocka_unit_test(checked),
        cmocka_unit_test(planned),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
