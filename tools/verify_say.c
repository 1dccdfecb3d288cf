/* SPDX-License-Identifier: Apache-2.0 */
/* What `hone verify` covered and what it did not, wrong elements and where
 * their arrays are: see verify_parts.h. */
#include "tools/verify_parts.h"

#include "tools/base/message.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

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

/* ---- what was not; every piece ends in "; " ------------------------------ */

/* Values that nothing was run with. */
static void say_missing_values(const hone_verify_cases *cases, hone_text *out)
{
    const hone_verify_case *refused;

    for (size_t i = 0; i < cases->n_free; ++i) {
        const hone_template_dim *dim = &cases->tmpl->dims[cases->free[i]];

        for (size_t v = 0; v < dim->n_types; ++v) {
            if (has_value(cases, i, v, &refused))
                continue;
            hone__text_printf(out, "%s=", dim->name);
            put_value(cases, i, v, out);
            if (refused && refused->why[0])
                hone__text_printf(out, " (%s)", refused->why);
            hone__text_puts(out, refused ? "; " : " (--limit); ");
        }
    }
}

static void say_missing_cases(const hone_verify_cases *cases, const totals *t,
                              hone_text *out)
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
        hone__text_printf(out, "%s other than ", dim->name);
        hone__template_dim_text(dim, cases->base[i], out);
        hone__text_puts(out, " (--dims); ");
    }
    if (n > 0)
        hone__text_printf(
            out, "%lld combination%s%s; ", (long long)n, n == 1 ? "" : "s",
            cases->limit ? " (--limit)" : " (every two values were together)");
}

static void say_missing_configurations(const hone_verify_cases *cases,
                                       const totals *t, hone_text *out)
{
    const char *why = "";

    for (size_t i = 0; i < cases->n && !*why; ++i)
        if (cases->items[i].n_skipped)
            why = cases->items[i].why;
    if (t->n_valid > t->n_checked)
        hone__text_printf(out, "%lld configurations%s%s%s; ",
                          (long long)(t->n_valid - t->n_checked),
                          *why ? " (" : "", why, *why ? ")" : "");
    if (t->n_idle)
        hone__text_printf(out,
                          "%lld configurations that are valid on none of the "
                          "shapes; ",
                          (long long)t->n_idle);
}

/* What was run and compared with nothing, or not with everything. */
static void say_unchecked(const hone_verify_cases *cases, hone_text *out)
{
    const char *said = "";

    if (!cases->tmpl->n_checks)
        hone__text_puts(out, "results (check none); ");
    for (size_t i = 0; i < cases->n; ++i) {
        const hone_verify_case *item = &cases->items[i];
        const char *why = item->shapes.unchecked;

        if (item->is_refused || !why[0] || strcmp(said, why) == 0)
            continue;
        said = why;
        if (item->shapes.n_compared) {
            hone__text_printf(out, "check %s; ", why);
            continue;
        }
        hone__text_puts(out, cases->n_free ? "results with " : "results");
        if (cases->n_free)
            hone__verify_case_label(cases->tmpl, item->dims, out);
        hone__text_printf(out, " (%s); ", why);
    }
}

void hone__verify_cases_say(const hone_verify_cases *cases, hone_text *out)
{
    const totals t = count(cases);
    hone_text missing = {0};

    hone__text_printf(out, "%s%s: ", out->length ? " | " : "", cases->tmpl->op);
    say_covered(cases, &t, out);
    say_missing_values(cases, &missing);
    say_missing_cases(cases, &t, &missing);
    say_missing_configurations(cases, &t, &missing);
    say_unchecked(cases, &missing);
    hone__text_printf(out, "; not covered: %.*s",
                      missing.length ? (int)missing.length - 2 : 7,
                      missing.length ? missing.data : "nothing");
    out->failed |= missing.failed;
    hone__text_free(&missing);
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
    }
    return array;
}

/* ---- --show and --dump -----------------------------------------------------
 */

enum {
    SHOWN_ELEMENTS = 4, /* where --show does not say how many */
    SHOWN_FAILURES = 3
};

/* Integers of 64 bits in full: as a string where JSON's do not reach. */
static json_t *value_json(const hone_wrong *wrong, double value,
                          int64_t value_long)
{
    hone_text text = {0};

    if (wrong->type == HONE_TYPE_I64 ||
        (wrong->type == HONE_TYPE_U64 && value_long >= 0))
        return json_integer(value_long);
    if (wrong->type != HONE_TYPE_U64)
        return hone__json_real(value);
    hone__wrong_value(wrong, value, value_long, &text);
    return hone__json_text(&text);
}

json_t *hone__verify_wrong_json(const hone_wrong *wrong)
{
    json_t *elements = json_array();

    if (!wrong->array[0]) {
        json_decref(elements);
        return json_null();
    }
    for (int i = 0; i < wrong->n_shown; ++i) {
        const hone_wrong_element *e = &wrong->shown[i];
        hone_text place = {0};

        hone__wrong_place(wrong, e->index, &place);
        elements = hone__json_append(
            elements,
            hone__json("index:I place:o got:o expected:o bound:o", e->index,
                       hone__json_text(&place),
                       value_json(wrong, e->got, e->got_long),
                       value_json(wrong, e->expected, e->expected_long),
                       hone__json_real(e->bound)));
    }
    return hone__json("array:s run:s wrong:I compared:I elements:o",
                      wrong->array, wrong->run, wrong->n_wrong,
                      wrong->n_compared, elements);
}

void hone__verify_wrong_say(const hone_options *options, const char *op,
                            const hone_tune_trial *trial, int *n_shown)
{
    const hone_wrong *wrong = trial->wrong;

    if (!wrong->array[0] ||
        (!options->text[HONE_OPT_SHOW] && (*n_shown)++ >= SHOWN_FAILURES))
        return;
    for (int i = 0; i < wrong->n_shown; ++i) {
        hone_text text = {0};

        hone__wrong_sentence(wrong, &wrong->shown[i], &text);
        hone__message_note("%s%s%s: %s", op, trial->config[0] ? " " : "",
                           trial->config, hone__text_str(&text));
        hone__text_free(&text);
    }
    if (wrong->n_shown && wrong->n_wrong > wrong->n_shown)
        hone__message_note("%s: and %lld more of %lld elements of '%s' (%s)",
                           op, (long long)(wrong->n_wrong - wrong->n_shown),
                           (long long)wrong->n_compared, wrong->array,
                           wrong->run);
    if (wrong->is_dumped)
        hone__message_note("%s%s%s: the arrays of this run are in '%s'", op,
                           trial->config[0] ? " " : "", trial->config,
                           options->text[HONE_OPT_DUMP]);
}

/* A folder that is new or empty: files of two runs must not mix. */
static hone_status prepare_dump(const char *folder, hone_error *err)
{
    const struct dirent *entry;
    DIR *files;
    int n = 0;

    HONE_TRY(hone__folder_create(folder, err));
    files = opendir(folder);
    if (!files)
        return hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, errno,
                                 "cannot open '%s': %s", folder,
                                 strerror(errno));
    while ((entry = readdir(files)))
        n +=
            strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    (void)closedir(files);
    return n ? hone__fail(err, HONE_ERR_INPUT,
                          "--dump: '%s' is not empty; name another folder",
                          folder)
             : HONE_OK;
}

hone_status hone__verify_wrong_options(const hone_options *options,
                                       hone_tune_request *out, hone_error *err)
{
    out->dump = options->text[HONE_OPT_DUMP];
    out->show = options->text[HONE_OPT_SHOW]
                    ? (int)options->number[HONE_OPT_SHOW]
                    : SHOWN_ELEMENTS;
    if (out->show > HONE_MAX_WRONG_SHOWN)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "--show takes at most %d elements; --dump writes "
                          "whole arrays",
                          HONE_MAX_WRONG_SHOWN);
    return out->dump ? prepare_dump(out->dump, err) : HONE_OK;
}
