/* SPDX-License-Identifier: Apache-2.0 */
/* Thousands of random spaces in both languages, configuration by
 * configuration against an interpreter that shares nothing with gen/. */
#include "tests/gen/gen_test.h"
#include "tests/gen/random_space.h"

#include <stdlib.h>

/* Small spaces find mistakes fast; only large ones make the solver look for
 * an order. */
enum { MOST_RAW = 800, LARGE_RAW = 60000 };

/* A space, and what brute force says of each raw configuration. */
typedef struct subject {
    random_space definition;
    hone_text text;
    hone_template *tmpl;
    hone_t1 *t1;
    hone_space *space;
    size_t raw;
    int64_t n_valid;
    size_t first_fault; /* the smallest constraint that faults */
    int64_t *index;     /* by raw rank; -1: not valid */
} subject;

static int64_t n_spaces, n_faults, n_empty, n_valid;

#define SAME(s, a, b) same((s), (int64_t)(a), (int64_t)(b), #a " is " #b)

static void same(const subject *s, int64_t a, int64_t b, const char *what)
{
    if (a != b)
        fail_msg("%s: %lld and %lld in\n%s", what, (long long)a, (long long)b,
                 hone__text_str(&s->text));
}

/* ---- brute force ------------------------------------------------------- */

static void try_all(subject *s)
{
    int values[RS_PARAMS];
    int fault;

    s->raw = rs_raw(&s->definition);
    s->index = malloc(s->raw * sizeof *s->index);
    assert_non_null(s->index);
    s->first_fault = s->definition.n_constraints;
    for (size_t rank = 0; rank < s->raw; ++rank) {
        size_t first;

        rs_config(&s->definition, rank, values);
        first = rs_first(&s->definition, values, &fault);
        s->index[rank] =
            first == s->definition.n_constraints ? s->n_valid++ : -1;
        if (fault && first < s->first_fault)
            s->first_fault = first;
    }
}

/* ---- the space --------------------------------------------------------- */

/* 0: the definition is refused as it stands, because a constant part of it
 * has no value. */
static int open_definition(subject *s)
{
    hone_diagnostics diagnostics;
    hone_error err = {0};
    const char *text;
    hone_status status;

    rs_write(&s->definition, &s->text);
    text = hone__text_str(&s->text);
    if (s->definition.language == RS_T1)
        status = hone__t1_read("t.json", text, s->text.length, &s->t1,
                               &diagnostics, &err);
    else
        status = hone__template_read("t.cu", "", text, s->text.length, &s->tmpl,
                                     &diagnostics, &err);
    if (status && (s->t1 || !rs_has_constant_fault(&s->definition)))
        fail_msg("%s: %s in\n%s", err.text,
                 diagnostics.n ? diagnostics.items[0].text : "", text);
    hone__diagnostics_free(&diagnostics);
    return status == HONE_OK;
}

static void create(subject *s)
{
    const hone_properties properties = properties_of("sm_90");
    hone_error err = {0};
    const hone_status status =
        s->t1 ? hone__space_create_t1(s->t1, &s->space, &err)
              : hone__space_create(s->tmpl, NULL, &properties, &s->space, &err);
    char place[32];

    if (s->first_fault == s->definition.n_constraints) {
        if (status)
            fail_msg("%s in\n%s", err.text, hone__text_str(&s->text));
        return;
    }
    if (status != HONE_ERR_INPUT && status != HONE_ERR_OVERFLOW)
        fail_msg("status %d (%s) for constraint %zu in\n%s", (int)status,
                 err.text, s->first_fault, hone__text_str(&s->text));
    /* Each constraint has a line of its own. */
    (void)snprintf(
        place, sizeof place,
        ":%zu:", s->definition.n_params + s->first_fault + 2 + (s->t1 != NULL));
    if (!strstr(err.text, place))
        fail_msg("%s, not at %s in\n%s", err.text, place,
                 hone__text_str(&s->text));
}

/* ---- comparisons ------------------------------------------------------- */

static size_t rank_of(const subject *s, const int *values)
{
    size_t rank = 0;

    for (size_t i = 0; i < s->definition.n_params; ++i)
        rank = rank * s->definition.n_values[i] + (size_t)values[i];
    return rank;
}

/* Numbers and configurations are a bijection; s->index becomes the space's
 * own numbering. */
static void compare_members(subject *s)
{
    uint64_t *list = ranks_of(s->space);
    uint16_t *rows =
        malloc(((size_t)s->n_valid + 1) * RS_PARAMS * sizeof *rows);
    unsigned char *seen = calloc((size_t)s->n_valid + 1, 1);
    int values[RS_PARAMS];
    int found[RS_PARAMS];

    SAME(s, s->space->raw, s->raw);
    SAME(s, s->space->count, s->n_valid);
    hone__space_rows(s->space, 0, s->n_valid, rows);
    for (size_t rank = 0; rank < s->raw; ++rank) {
        int64_t index;

        rs_config(&s->definition, rank, values);
        index = hone__space_find_indexes(s->space, values);
        SAME(s, index >= 0, s->index[rank] >= 0);
        s->index[rank] = index;
        if (index < 0)
            continue;
        SAME(s, index < s->n_valid && !seen[index], 1);
        seen[index] = 1;
        SAME(s, list[index], rank);
        hone__space_get_indexes(s->space, index, found);
        SAME(s, rank_of(s, found), rank);
        for (size_t i = 0; i < s->definition.n_params; ++i)
            SAME(s, rows[(size_t)index * s->definition.n_params + i],
                 values[i]);
    }
    if (s->n_valid > 3) { /* a stretch from the middle */
        const int64_t first = s->n_valid / 2;
        uint16_t part[2 * RS_PARAMS];

        hone__space_rows(s->space, first, 2, part);
        SAME(s,
             memcmp(part, rows + (size_t)first * s->definition.n_params,
                    2 * s->definition.n_params * sizeof *part),
             0);
    }
    free(list);
    free(rows);
    free(seen);
}

static void compare_reasons(const subject *s)
{
    const random_space *definition = &s->definition;
    hone_space_reason reasons[RS_CONSTRAINTS];
    int64_t alone[RS_CONSTRAINTS] = {0};
    int64_t rejected[RS_CONSTRAINTS] = {0};
    int last[RS_PARAMS][RS_VALUES]; /* constraint that took its last one */
    int pruned[RS_PARAMS * RS_VALUES];
    int values[RS_PARAMS];
    const int *at = pruned;
    int fault;

    memset(last, 0, sizeof last);
    for (size_t rank = 0; rank < s->raw; ++rank) {
        size_t first;

        rs_config(definition, rank, values);
        first = rs_first(definition, values, &fault);
        for (size_t i = 0; i < definition->n_constraints; ++i)
            alone[i] += !rs_holds(definition, i, values);
        if (first < definition->n_constraints)
            ++rejected[first];
        for (size_t i = 0; i < definition->n_params; ++i) {
            int *reached = &last[i][values[i]];

            *reached = *reached > (int)first ? *reached : (int)first;
        }
    }
    SAME(s, hone__space_explain(s->space, reasons, pruned, NULL), HONE_OK);
    for (size_t i = 0; i < definition->n_constraints; ++i) {
        SAME(s, reasons[i].alone, alone[i]);
        SAME(s, reasons[i].rejected, rejected[i]);
    }
    for (size_t i = 0; i < definition->n_params; ++i) {
        for (size_t k = 0; k < definition->n_values[i]; ++k, ++at)
            SAME(s, *at,
                 last[i][k] == (int)definition->n_constraints ? -1
                                                              : last[i][k]);
    }
}

static void compare_empty(const subject *s)
{
    int64_t rejected[RS_CONSTRAINTS] = {0};
    size_t last = 0;
    int values[RS_PARAMS];
    char place[32];
    hone_error err = {0};
    int fault;

    for (size_t rank = 0; rank < s->raw; ++rank) {
        rs_config(&s->definition, rank, values);
        ++rejected[rs_first(&s->definition, values, &fault)];
    }
    for (size_t i = 0; i < s->definition.n_constraints; ++i)
        last = rejected[i] ? i : last;
    SAME(s, hone__space_fail_empty(s->space, &err), HONE_ERR_NOT_FOUND);
    (void)snprintf(place, sizeof place, ":%zu:",
                   s->definition.n_params + last + 2 + (s->t1 != NULL));
    if (!strstr(err.text, place))
        fail_msg("%s, not at %s in\n%s", err.text, place,
                 hone__text_str(&s->text));
}

/* ---- all of it --------------------------------------------------------- */

static void run_one(rs_language language, uint64_t seed, size_t most_raw)
{
    subject *s = calloc(1, sizeof *s);

    assert_non_null(s);
    rs_make(&s->definition, language, seed, most_raw);
    try_all(s);
    ++n_spaces;
    if (open_definition(s)) {
        create(s);
        n_faults += !s->space;
        n_valid += s->space ? s->n_valid : 0;
        if (s->space) {
            compare_members(s);
            if (seed % 4 == 0 && most_raw == MOST_RAW)
                compare_reasons(s);
            if (!s->n_valid)
                compare_empty(s);
            n_empty += !s->n_valid;
        }
    }
    hone__space_free(s->space);
    hone__t1_free(s->t1);
    hone__template_free(s->tmpl);
    hone__text_free(&s->text);
    free(s->index);
    free(s);
}

/* Of a good generator most spaces are neither faulty nor empty. */
static void run_many(rs_language language, uint64_t n)
{
    const char *wanted = getenv("HONE_TEST_SPACES"); /* more, by hand */

    n_spaces = n_faults = n_empty = n_valid = 0;
    if (wanted)
        n = strtoull(wanted, NULL, 10);
    for (uint64_t seed = 0; seed < n; ++seed)
        run_one(language, seed, MOST_RAW);
    for (uint64_t seed = n; seed < n + n / 100; ++seed)
        run_one(language, seed, LARGE_RAW);
    print_message("%lld spaces, %lld faulty, %lld empty, %lld valid "
                  "configurations\n",
                  (long long)n_spaces, (long long)n_faults, (long long)n_empty,
                  (long long)n_valid);
    assert_true(n_faults + n_empty < n_spaces * 3 / 4);
    assert_true(n_faults > n_spaces / 50);
    assert_true(n_empty > n_spaces / 50);
}

static void templates(void **state)
{
    (void)state;
    run_many(RS_TEMPLATE, 3000);
}

static void t1_definitions(void **state)
{
    (void)state;
    run_many(RS_T1, 3000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(templates),
        cmocka_unit_test(t1_definitions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
