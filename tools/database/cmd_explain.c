/* SPDX-License-Identifier: Apache-2.0 */
/* hone explain: why the winner of a problem is the winner. */
#include "runtime/base/alloc.h"
#include "tools/base/visible.h"
#include "tools/base/commands.h"
#include "tools/base/message.h"
#include "tools/base/option_value.h"
#include "tools/base/wrap.h"
#include "tools/base/output.h"
#include "tools/database/explain.h"
#include "tools/database/show.h"
#include "tools/inputs/dims_stored.h"
#include "tools/inputs/open_to_read.h"

#include <stdio.h>
#include <string.h>

/* Of a database: templates and vendors' functions. */
enum { OLDEST_FORMAT = 6 };

/* The sections of the text form, in their order. */
static const struct {
    const char *key;
    const char *title;
    const char *columns;
    const char *none; /* what is said of an empty one; NULL: nothing */
} sections[] = {
    {"finalists", "Finalists",
     "place:n, implementation=by, time_ns:t=time, ci_low_ns:t=from, "
     "ci_high_ns:t=to, ratio:r, registers:n, spill_bytes:n=spills, "
     "shared_bytes:n=shared, occupancy_text=occupancy, gbytes_per_s:n=GB/s, "
     "gflops:n=GFLOP/s, sm_clock_mhz:n=MHz, config:c",
     "no trial was right"},
    {"roofline", "The winner against the roofline",
     "side, reached:n, most:n=at most, unit, share_text=share, "
     "flops_per_byte:n=meet at ops/byte, bound=bounded",
     NULL},
    {"baselines", "Beside it", "name, time_ns:t=time, ratio:r, what, message",
     NULL},
    {"decisions", "Decided", "kind, config:c, text", NULL},
    {"counters", "Counters of the winner, by ncu",
     "kernel, counter, value:n, unit", NULL},
    {"importance", "What matters",
     "implementation=by, parameter, share_text=share, best, values:n, "
     "trials:n, problems:n, explained:r",
     "too few trials to say which parameters matter"},
    {"outcomes", "How trials ended",
     "implementation=by, outcome, trials:n, for_example", NULL},
    {"answers", "What a program gets",
     "shape, dims, match, implementation=by, config, reason", NULL}};

static void add(json_t **all, const char *key, json_t *section)
{
    if (*all && section && json_object_set_new(*all, key, section) == 0)
        return;
    json_decref(*all);
    *all = NULL;
}

/* All of it as one object; NULL: `err` says why, or memory ran out. */
static json_t *explain(const hone_options *options, hone_explained *about,
                       int64_t most, const char *dims, hone_error *err)
{
    json_t *finalists = hone__explain_finalists(about, most, err);
    json_t *all = hone__json(
        "op:s dims:s label:s device:s driver:s mode:s flops:P bytes:P",
        about->op, dims, about->label, about->device, about->driver_version,
        about->mode, about->flops, about->bytes);

    if (about->flops > 0 && about->bytes > 0)
        all = hone__json_add(all, "flops_per_byte:f",
                             (double)about->flops / (double)about->bytes);
    add(&all, "finalists", finalists);
    add(&all, "roofline", all ? hone__explain_roofline(about, err) : NULL);
    add(&all, "baselines", all ? hone__explain_baselines(about, err) : NULL);
    add(&all, "decisions", all ? hone__explain_decisions(about, err) : NULL);
    add(&all, "counters", all ? hone__explain_counters(about, err) : NULL);
    add(&all, "importance", all ? hone__explain_importance(about, err) : NULL);
    add(&all, "outcomes", all ? hone__explain_outcomes(about, err) : NULL);
    add(&all, "answers",
        all ? hone__explain_answers(options, about, err) : NULL);
    return all;
}

/* ---- the winner's code ------------------------------------------------------
 */

static const struct {
    hone_option_id option;
    const char *key;
    int is_ptx;
} codes[] = {{HONE_OPT_SASS, "sass", 0}, {HONE_OPT_PTX, "ptx", 1}};

/* Before the rest, which shows the counters. */
static hone_status run_ncu(const hone_options *options, hone_explained *about,
                           hone_error *err)
{
    hone_text command = {0};
    char why[200];
    hone_status status = HONE_OK;

    if (!options->text[HONE_OPT_NCU])
        return HONE_OK;
    status = hone__explain_profile(about, &command, why, err);
    if (status == HONE_OK && *why)
        hone__message_note("ncu gave no counters (%s); where it may: %s", why,
                           hone__text_str(&command));
    hone__text_free(&command);
    return status;
}

static hone_status add_code(const hone_options *options,
                            const hone_explained *about, json_t **all,
                            hone_error *err)
{
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; ++i) {
        hone_text text = {0};

        if (!options->text[codes[i].option])
            continue;
        HONE_TRY(
            hone__explain_code(about, options, codes[i].is_ptx, &text, err));
        add(all, codes[i].key, hone__json_text(&text));
    }
    return HONE_OK;
}

static void print_code(const json_t *all)
{
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; ++i) {
        const char *text =
            json_string_value(json_object_get(all, codes[i].key));

        hone_text visible = {0};

        if (text)
            hone__text_visible(text, strlen(text), "\n\t", &visible);
        if (text)
            (void)printf("\n%s of the winner\n%s\n",
                         codes[i].is_ptx ? "PTX" : "Instructions",
                         hone__text_str(&visible));
        hone__text_free(&visible);
    }
}

/* ---- printing ---------------------------------------------------------------
 */

/* A title, and the table; configurations as what differs, unless --full. */
static hone_exit print_section(const hone_options *options, size_t i,
                               json_t *rows)
{
    char columns[400];
    hone_output *output;
    char *at;

    if (!json_array_size(rows)) {
        if (sections[i].none)
            (void)printf("\n%s: %s\n", sections[i].title, sections[i].none);
        return HONE_EXIT_DONE;
    }
    (void)snprintf(columns, sizeof columns, "%s", sections[i].columns);
    while (options->text[HONE_OPT_FULL] && (at = strstr(columns, ":c")) != NULL)
        memmove(at, at + 2, strlen(at + 2) + 1);
    (void)printf("\n%s\n", sections[i].title);
    output =
        hone__output_begin(options, sections[i].key, columns, hone__json(""));
    hone__output_hoist(output);
    for (size_t r = 0; r < json_array_size(rows); ++r)
        hone__output_row(output, json_incref(json_array_get(rows, r)));
    return hone__output_end(output, hone__json(""));
}

/* A poor fit is not left to the reader to find. */
static void say_poor_fit(json_t *rows)
{
    hone_text lines = {0};
    int is_poor = 0;

    for (size_t i = 0; i < json_array_size(rows); ++i)
        is_poor |= json_number_value(json_object_get(json_array_get(rows, i),
                                                     "explained")) < 0.3;
    if (is_poor)
        hone__wrap("Where 'explained' is below 0.3 the shares say little.", 0,
                   0, hone__wrap_limit(), &lines);
    (void)fputs(hone__text_str(&lines), stdout);
    hone__text_free(&lines);
}

static hone_exit print_text(const hone_options *options, json_t *all)
{
    json_t *parts[sizeof sections / sizeof sections[0]];
    json_t *whole = json_copy(all);
    hone_exit code;

    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; ++i)
        (void)json_object_del(all, codes[i].key);

    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; ++i) {
        parts[i] = json_incref(json_object_get(all, sections[i].key));
        (void)json_object_del(all, sections[i].key);
    }
    code = hone__output_end(hone__output_begin(options, NULL, "", all),
                            hone__json(""));
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; ++i) {
        if (code == HONE_EXIT_DONE)
            code = print_section(options, i, parts[i]);
        if (strcmp(sections[i].key, "importance") == 0)
            say_poor_fit(parts[i]);
        json_decref(parts[i]);
    }
    if (code == HONE_EXIT_DONE)
        print_code(whole);
    json_decref(whole);
    return code;
}

/* CSV has one table: the finalists. */
static hone_exit print_csv(const hone_options *options, json_t *all)
{
    json_t *rows = json_object_get(all, "finalists");
    hone_output *output = hone__output_begin(
        options, "finalists", sections[0].columns, hone__json(""));

    for (size_t r = 0; r < json_array_size(rows); ++r)
        hone__output_row(output, json_incref(json_array_get(rows, r)));
    json_decref(all);
    return hone__output_end(output, hone__json(""));
}

static hone_exit print_all(const hone_options *options, json_t *all)
{
    if (hone__output_is_text(options))
        return print_text(options, all);
    if (hone__options_is(options, HONE_OPT_FORMAT, "csv"))
        return print_csv(options, all);
    return hone__output_end(hone__output_begin(options, NULL, "", all),
                            hone__json(""));
}

/* A template may have had fewer dimensions when it was tuned. */
static hone_status find(const hone_options *options, hone_explained *about,
                        const char *dims, hone_error *err)
{
    const char *mode = options->text[HONE_OPT_MODE];
    hone_text spelled = {0};
    hone_status status = hone__explain_find(about, dims, mode, err);

    if (status == HONE_ERR_NOT_FOUND && *dims &&
        hone__dims_spell(options->text[HONE_OPT_DIMS], &spelled, NULL) ==
            HONE_OK &&
        hone__explain_find(about, hone__text_str(&spelled), mode, NULL) ==
            HONE_OK) {
        hone__error_clear(err);
        status = HONE_OK;
    }
    hone__text_free(&spelled);
    return status;
}

hone_exit hone__cmd_explain(const hone_options *options)
{
    const int64_t most =
        options->text[HONE_OPT_LIMIT] ? options->number[HONE_OPT_LIMIT] : 5;
    hone_text path = {0}, dims = {0};
    hone_explained *about = hone__alloc(sizeof *about);
    hone_error err = {0};
    json_t *all = NULL;
    hone_status status = about ? hone__locate_db(options, &path, &err)
                               : hone__out_of_memory(&err, "");

    if (status == HONE_OK) {
        about->path = hone__text_str(&path);
        about->op = hone__options_arg(options, 0);
        status = hone__dims_stored(options, about->op, &dims, &err);
    }
    if (status == HONE_OK)
        status = hone__open_to_read(about->path, &about->db, &err);
    if (status == HONE_OK)
        status = hone__read_needs(about->db, about->path, OLDEST_FORMAT, &err);
    if (status == HONE_OK)
        status = find(options, about, hone__text_str(&dims), &err);
    if (status == HONE_OK)
        status = run_ncu(options, about, &err);
    if (status == HONE_OK) {
        hone_text spelled = {0};

        for (size_t i = 0; i < about->n_dims; ++i)
            hone__text_printf(&spelled, "%s%lld", i ? "," : "",
                              (long long)about->dims[i]);
        all = explain(options, about, most, hone__text_str(&spelled), &err);
        hone__text_free(&spelled);
        if (all && add_code(options, about, &all, &err) != HONE_OK) {
            json_decref(all);
            all = NULL;
        }
        if (!all && err.status == HONE_OK)
            (void)hone__out_of_memory(&err, "");
    }
    if (about)
        hone__db_close(about->db);
    hone__free(about);
    hone__text_free(&path);
    hone__text_free(&dims);
    return all ? print_all(options, all) : hone__message_error(&err);
}
