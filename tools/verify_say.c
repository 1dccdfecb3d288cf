/* SPDX-License-Identifier: Apache-2.0 */
/* What `hone verify` covered and what it did not, as a sentence and as JSON:
 * see verify_cases.h. */
#include "tools/verify_cases.h"

#include <string.h>

/* A piece of a list: "; " or whatever stands between two. */
static void begin_piece(hone_text *out, size_t start, const char *between)
{
    if (out->length > start)
        hone__text_puts(out, between);
}

/* Whether something was run with value `v` of free dimension `i`; where not,
 * the case that says why, or NULL. */
static int has_value(const hone_verify_cases *cases, size_t i, size_t v,
                     const hone_verify_case **out_refused)
{
    *out_refused = NULL;
    for (size_t k = 0; k < cases->n; ++k) {
        const hone_verify_case *item = &cases->items[k];

        if (item->choice[i] != v)
            continue;
        if (!item->is_refused && item->n_checked)
            return 1;
        *out_refused = item;
    }
    return 0;
}

static void put_value(const hone_verify_cases *cases, size_t i, size_t v,
                      hone_text *out)
{
    const hone_template_dim *dim = &cases->tmpl->dims[cases->free[i]];

    hone__template_dim_text(dim, dim->types[v], out);
}

/* "T f32 f64, DIRECTION 1 2" */
static void say_values(const hone_verify_cases *cases, hone_text *out)
{
    const hone_verify_case *refused;

    for (size_t i = 0; i < cases->n_free; ++i) {
        const hone_template_dim *dim = &cases->tmpl->dims[cases->free[i]];

        hone__text_printf(out, "%s%s", i ? ", " : "", dim->name);
        for (size_t v = 0; v < dim->n_types; ++v) {
            if (!has_value(cases, i, v, &refused))
                continue;
            hone__text_puts(out, " ");
            put_value(cases, i, v, out);
        }
    }
}

typedef struct totals {
    int64_t n_cases; /* in which something was run */
    int64_t n_refused;
    int64_t n_valid;
    int64_t n_checked;
    int64_t n_idle;
    const hone_verify_case *most; /* shapes */
} totals;

static totals count(const hone_verify_cases *cases)
{
    totals t = {0};

    for (size_t i = 0; i < cases->n; ++i) {
        const hone_verify_case *item = &cases->items[i];

        t.n_cases += item->n_checked > 0;
        t.n_refused += item->is_refused;
        t.n_valid += item->n_valid;
        t.n_checked += item->n_checked;
        t.n_idle += item->n_idle;
        if (!t.most || item->shapes.n_shapes > t.most->shapes.n_shapes)
            t.most = item;
    }
    return t;
}

static void say_covered(const hone_verify_cases *cases, const totals *t,
                        hone_text *out)
{
    if (cases->n_free) {
        say_values(cases, out);
        hone__text_printf(out, " in %lld of %lld combination%s; ",
                          (long long)t->n_cases,
                          (long long)hone__cover_count(cases->cover),
                          hone__cover_count(cases->cover) == 1 ? "" : "s");
    }
    hone__text_printf(out, "%lld of %lld configuration%s",
                      (long long)t->n_checked, (long long)t->n_valid,
                      t->n_valid == 1 ? "" : "s");
    if (t->most && t->most->shapes.n_shapes)
        hone__text_printf(
            out, ", each on up to %d shape%s%s%s%s", t->most->shapes.n_shapes,
            t->most->shapes.n_shapes == 1 ? "" : "s",
            t->most->shapes.shapes[0] ? " (" : "", t->most->shapes.shapes,
            t->most->shapes.shapes[0] ? ")" : "");
}

/* Values that nothing was run with. */
static void say_missing_values(const hone_verify_cases *cases, size_t start,
                               hone_text *out)
{
    const hone_verify_case *refused;

    for (size_t i = 0; i < cases->n_free; ++i) {
        const hone_template_dim *dim = &cases->tmpl->dims[cases->free[i]];

        for (size_t v = 0; v < dim->n_types; ++v) {
            if (has_value(cases, i, v, &refused))
                continue;
            begin_piece(out, start, "; ");
            hone__text_printf(out, "%s=", dim->name);
            put_value(cases, i, v, out);
            if (refused && refused->why[0])
                hone__text_printf(out, " (%s)", refused->why);
            else if (!refused)
                hone__text_puts(out, " (--limit)");
        }
    }
}

static void say_missing_cases(const hone_verify_cases *cases, const totals *t,
                              size_t start, hone_text *out)
{
    const int64_t n =
        hone__cover_count(cases->cover) - t->n_cases - t->n_refused;

    for (size_t i = 0; i < cases->tmpl->n_dims; ++i) {
        const hone_template_dim *dim = &cases->tmpl->dims[i];
        size_t k = 0;

        while (k < cases->n_free && cases->free[k] != i)
            ++k;
        if (k < cases->n_free || dim->n_types < 2)
            continue;
        begin_piece(out, start, "; ");
        hone__text_printf(out, "%s other than ", dim->name);
        hone__template_dim_text(dim, cases->base[i], out);
        hone__text_puts(out, " (--dims)");
    }
    if (n <= 0)
        return;
    begin_piece(out, start, "; ");
    hone__text_printf(
        out, "%lld combination%s%s", (long long)n, n == 1 ? "" : "s",
        cases->limit ? " (--limit)" : " (every two values were together)");
}

/* What was run and compared with nothing, or not with everything. */
static void say_unchecked(const hone_verify_cases *cases, size_t start,
                          hone_text *out)
{
    const hone_verify_case *said = NULL;

    if (!cases->tmpl->n_checks) {
        begin_piece(out, start, "; ");
        hone__text_puts(out, "results (check none)");
    }
    for (size_t i = 0; i < cases->n; ++i) {
        const hone_verify_case *item = &cases->items[i];
        const char *why = item->shapes.unchecked;

        if (item->is_refused || !why[0] ||
            (said && strcmp(said->shapes.unchecked, why) == 0))
            continue;
        said = item;
        begin_piece(out, start, "; ");
        if (item->shapes.n_compared) {
            hone__text_printf(out, "check %s", why);
            continue;
        }
        hone__text_puts(out, "results");
        if (cases->n_free) {
            hone__text_puts(out, " with ");
            hone__verify_case_label(cases->tmpl, item->dims, out);
        }
        hone__text_printf(out, " (%s)", why);
    }
}

static void say_missing_configurations(const hone_verify_cases *cases,
                                       const totals *t, size_t start,
                                       hone_text *out)
{
    const char *why = "";

    for (size_t i = 0; i < cases->n && !*why; ++i)
        if (cases->items[i].n_skipped)
            why = cases->items[i].why;
    if (t->n_valid > t->n_checked) {
        begin_piece(out, start, "; ");
        hone__text_printf(out, "%lld configurations%s%s%s",
                          (long long)(t->n_valid - t->n_checked),
                          *why ? " (" : "", why, *why ? ")" : "");
    }
    if (t->n_idle) {
        begin_piece(out, start, "; ");
        hone__text_printf(out,
                          "%lld configurations that are valid on none of the "
                          "shapes",
                          (long long)t->n_idle);
    }
}

void hone__verify_cases_say(const hone_verify_cases *cases, hone_text *out)
{
    const totals t = count(cases);
    size_t start;

    hone__text_printf(out, "%s%s: ", out->length ? " | " : "", cases->tmpl->op);
    say_covered(cases, &t, out);
    hone__text_puts(out, "; not covered: ");
    start = out->length;
    say_missing_values(cases, start, out);
    say_missing_cases(cases, &t, start, out);
    say_missing_configurations(cases, &t, start, out);
    say_unchecked(cases, start, out);
    if (out->length == start)
        hone__text_puts(out, "nothing");
}

json_t *hone__verify_cases_json(const hone_verify_cases *cases, json_t *array)
{
    for (size_t i = 0; i < cases->n; ++i) {
        const hone_verify_case *item = &cases->items[i];
        hone_text label = {0};

        hone__verify_case_label(cases->tmpl, item->dims, &label);
        array = hone__json_append(
            array,
            hone__json("op:s case:o configurations:I of:I shapes:s compared:b "
                       "why:s",
                       cases->tmpl->op, hone__json_text(&label),
                       item->n_checked, item->n_valid, item->shapes.shapes,
                       item->shapes.n_compared > 0,
                       item->why[0]                ? item->why
                       : item->shapes.unchecked[0] ? item->shapes.unchecked
                                                   : NULL));
        hone__text_free(&label);
    }
    return array;
}
