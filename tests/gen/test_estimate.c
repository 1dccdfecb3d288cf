/* SPDX-License-Identifier: Apache-2.0 */
/* COST as expressions over sizes: the text that comes out, and that it says
 * what the template says. */
#include "gen/expand/estimate.h"
#include "tests/gen/gen_test.h"

#include "runtime/expr/expr.h"

enum { MOST = 128, SLOTS = HONE_MAX_DIMS + MOST };

typedef struct estimates {
    hone_expr *list[MOST];
    size_t n;
} estimates;

/* d0, d1, ..; e0, e1, .. */
static hone_symbol find(void *user, const char *name, size_t length)
{
    const estimates *e = user;
    const size_t number = (size_t)strtoul(name + 1, NULL, 10);

    if (name[0] == 'd' && length > 1 && number < HONE_MAX_DIMS)
        return (hone_symbol){HONE_SYMBOL_SLOT, (int64_t)number};
    if (name[0] == 'e' && length > 1 && number < e->n)
        return (hone_symbol){HONE_SYMBOL_SLOT,
                             (int64_t)(HONE_MAX_DIMS + number)};
    return (hone_symbol){HONE_SYMBOL_UNKNOWN, 0};
}

static hone_status add(void *user, const char *text, size_t *out,
                       hone_error *err)
{
    estimates *e = user;

    for (size_t i = 0; i < e->n; ++i)
        if (strcmp(hone__expr_text(e->list[i]), text) == 0) {
            *out = i;
            return HONE_OK;
        }
    assert_in_range(e->n, 0, MOST - 1);
    *out = e->n;
    HONE_TRY(hone__expr_compile(text, strlen(text), find, e, &e->list[e->n],
                                NULL, err));
    ++e->n;
    return HONE_OK;
}

static void forget(estimates *e)
{
    while (e->n)
        hone__expr_free(e->list[--e->n]);
}

static hone_status estimate(const hone_template *tmpl, const int64_t *config,
                            const int64_t *dims, estimates *e, hone_text *out,
                            hone_error *err)
{
    const hone_properties properties = properties_of("sm_90");

    return hone__expand_estimate(tmpl, config, dims, &properties, add, e, out,
                                 err);
}

/* ---- texts --------------------------------------------------------------- */

#define HEAD                                                                   \
    "#pragma hone op k(n, m, wide in {0, 1} default 0) \"x\"\n"                \
    "#pragma hone arg x: in f32[n]\n"                                          \
    "#pragma hone arg y: out f32[n]\n"                                         \
    "#pragma hone param TILE in {1, 2, 4}\n"                                   \
    "#pragma hone launch k grid(1) block(1) args(x, y)\n"
#define TAIL "extern \"C\" __global__ void k(const float *x, float *y)\n{\n}\n"

/* COST of a template with these lines, where TILE = 2. */
static hone_status fold(const char *lines, estimates *e, hone_text *out,
                        hone_error *err)
{
    static const int64_t dims[HONE_MAX_DIMS] = {1000, 10, 0};
    hone_text text = {0};
    hone_template *tmpl;
    hone_status status;

    hone__text_printf(&text, "%s%s%s", HEAD, lines, TAIL);
    tmpl = parse_good(hone__text_str(&text));
    status = estimate(tmpl, (const int64_t[]){2}, dims, e, out, err);
    hone__template_free(tmpl);
    hone__text_free(&text);
    return status;
}

static void knows_what_is_known(void **state)
{
    static const struct {
        const char *lines, *text;
    } of[] = {
        {"#pragma hone feature COST = 3*TILE + 4\n", "10"},
        {"#pragma hone feature COST = n*TILE + device.sm_count\n",
         "((d0*2)+132)"},
        {"#pragma hone feature COST = n*(TILE - 2) + 1*m + 0\n", "d1"},
        {"#pragma hone feature COST = TILE == 2 ? n : n/0\n", "d0"},
        {"#pragma hone feature COST = wide ? n : m + 1\n", "(d1+1)"},
        {"#pragma hone feature COST = n > TILE && m ? n : m\n",
         "(((d0>2)&&(0!=d1))?d0:d1)"},
        {"#pragma hone feature COST = TILE == 1 || n > 5\n", "(d0>5)"},
        {"#pragma hone feature COST = TILE == 1 && n > 5\n", "0"},
        {"#pragma hone feature COST = max(n, -TILE, ceildiv(m, 1))\n",
         "max(d0,d1)"},
        {"#pragma hone feature COST = min(TILE - 1, n) + max(n - 3, TILE)\n",
         "(max((d0-3),2)+1)"},
        {"#pragma hone feature COST = max(ceildiv(n, 64)*m/8, 0) + min(m*2, "
         "2)\n",
         "((ceildiv(d0,64)*d1/8)+2)"},
        {"#pragma hone feature COST = n - m - (n - m) + n*m%n/(n*m)\n",
         "(d0-d1-(d0-d1)+(d0*d1%d0/(d0*d1)))"},
        {"#pragma hone let A = n*TILE\n#pragma hone let B = A + TILE\n"
         "#pragma hone let UNREAD = n*7\n"
         "#pragma hone feature COST = A*B + A + (TILE > 2 ? UNREAD : 0)\n",
         "((e0*e1)+e0)"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof of[0]; ++i) {
        estimates e = {.n = 0};
        hone_text out = {0};
        hone_error err = {0};

        if (fold(of[i].lines, &e, &out, &err))
            fail_msg("%s", err.text);
        assert_string_equal(hone__text_str(&out), of[i].text);
        assert_int_equal(e.n, i + 1 == sizeof of / sizeof of[0] ? 2 : 0);
        hone__text_free(&out);
        forget(&e);
    }
}

/* Longer than parentheses may be deep. */
static void takes_long_sums(void **state)
{
    estimates e = {.n = 0};
    hone_text lines = {0}, out = {0};
    hone_error err = {0};
    size_t number = 0;

    (void)state;
    hone__text_puts(&lines, "#pragma hone feature COST = n");
    for (int i = 0; i < 150; ++i)
        hone__text_puts(&lines, i % 2 ? " + n" : " + m");
    hone__text_puts(&lines, "\n");
    if (fold(hone__text_str(&lines), &e, &out, &err) ||
        add(&e, hone__text_str(&out), &number, &err))
        fail_msg("%s", err.text);
    hone__text_free(&lines);
    hone__text_free(&out);
    forget(&e);
}

static void refuses_what_is_not_there(void **state)
{
    static const struct {
        const char *lines;
        hone_status status;
    } of[] = {{"", HONE_ERR_NOT_FOUND},
              {"#pragma hone feature WAVES = n\n", HONE_ERR_NOT_FOUND},
              {"#pragma hone feature COST = n per m\n", HONE_ERR_UNSUPPORTED}};

    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof of[0]; ++i) {
        estimates e = {.n = 0};
        hone_text out = {0};
        hone_error err = {0};

        assert_int_equal(fold(of[i].lines, &e, &out, &err), of[i].status);
        assert_true(err.text[0]);
        hone__text_free(&out);
    }
}

/* ---- what it says -------------------------------------------------------- */

/* By the template itself, lets and all; what has no value is 0. */
static int64_t truth(const hone_template *tmpl, const int64_t *config,
                     const int64_t *dims)
{
    const hone_properties properties = properties_of("sm_90");
    int64_t *slots = calloc(tmpl->slots.total + 1, sizeof *slots);
    int64_t out = 0;

    memcpy(slots, properties.value, sizeof properties.value);
    memcpy(&slots[tmpl->slots.dims], dims, tmpl->n_dims * sizeof *dims);
    memcpy(&slots[tmpl->slots.params], config, tmpl->n_params * sizeof *config);
    for (size_t i = 0; i < tmpl->n_lets; ++i)
        if (hone__expr_eval(tmpl->lets[i].value.expr, slots,
                            &slots[tmpl->slots.lets + i], NULL))
            slots[tmpl->slots.lets + i] = 0;
    if (hone__expr_eval(tmpl->features[tmpl->cost - 1].value.expr, slots, &out,
                        NULL))
        out = 0;
    free(slots);
    return out;
}

static int64_t value_of(const estimates *e, size_t which, const int64_t *dims,
                        size_t n_dims)
{
    int64_t slots[SLOTS] = {0};

    memcpy(slots, dims, n_dims * sizeof *dims);
    for (size_t i = 0; i < e->n; ++i)
        if (hone__expr_eval(e->list[i], slots, &slots[HONE_MAX_DIMS + i], NULL))
            slots[HONE_MAX_DIMS + i] = 0;
    return slots[HONE_MAX_DIMS + which];
}

static uint64_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* One configuration, folded at one problem, at others of the same types. */
static void check_config(const hone_template *tmpl, const int64_t *config,
                         const int64_t dims[][HONE_MAX_DIMS], size_t n)
{
    estimates e = {.n = 0};
    hone_text out = {0};
    hone_error err = {0};
    size_t last = 0;

    if (estimate(tmpl, config, dims[0], &e, &out, &err) ||
        add(&e, hone__text_str(&out), &last, &err))
        fail_msg("%s", err.text);
    for (size_t i = 0; i < n; ++i)
        assert_int_equal(value_of(&e, last, dims[i], tmpl->n_dims),
                         truth(tmpl, config, dims[i]));
    hone__text_free(&out);
    forget(&e);
}

static void says_what_templates_say(void **state)
{
    static const char *const names[] = {"gemm_sm90", "gemm_wmma", "gemm_mma",
                                        "gemm_sm90_f32"};
    static const char *const types[] = {"f16,f16,0,0", "bf16,bf16,1,0",
                                        "f16,f16,0,0", "tf32,f32,0,1"};
    enum { PROBLEMS = 24, CONFIGS = 40 };
    const hone_properties properties = properties_of("sm_90");
    uint64_t random = 20261127;

    (void)state;
    for (size_t t = 0; t < sizeof names / sizeof names[0]; ++t) {
        static int64_t dims[PROBLEMS][HONE_MAX_DIMS];
        char path[512], text[128];
        hone_template *tmpl = NULL;
        hone_diagnostics diagnostics;
        hone_space *space = NULL;
        hone_error err = {0};
        int64_t config[64];

        (void)snprintf(path, sizeof path, "../../templates/gemm/%s.cu",
                       names[t]);
        if (hone__template_load(path, "../../templates", &tmpl, &diagnostics,
                                &err))
            fail_msg("%s", err.text);
        for (size_t i = 0; i < PROBLEMS; ++i) {
            (void)snprintf(text, sizeof text, "%d,%d,%d,%s",
                           1 + (int)(next(&random) % 5000),
                           1 + (int)(next(&random) % 5000),
                           1 + (int)(next(&random) % (i % 4 ? 3000 : 90000)),
                           types[t]);
            if (hone__template_parse_dims(tmpl, text, dims[i], &err))
                fail_msg("%s", err.text);
        }
        if (hone__space_create(tmpl, dims[0], &properties, &space, &err))
            fail_msg("%s", err.text);
        assert_true(space->count > CONFIGS);
        for (size_t i = 0; i < CONFIGS; ++i) {
            hone__space_get(space,
                            (int64_t)(next(&random) % (uint64_t)space->count),
                            config);
            check_config(tmpl, config, (const int64_t(*)[HONE_MAX_DIMS])dims,
                         PROBLEMS);
        }
        hone__space_free(space);
        hone__template_free(tmpl);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_what_is_known),
        cmocka_unit_test(takes_long_sums),
        cmocka_unit_test(refuses_what_is_not_there),
        cmocka_unit_test(says_what_templates_say),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
