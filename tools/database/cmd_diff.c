/* SPDX-License-Identifier: Apache-2.0 */
/* hone diff: what got faster or slower between two tunings. */
#include "tools/base/commands.h"
#include "tools/base/message.h"
#include "tools/base/output.h"
#include "tools/database/diff.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two sessions differ by more than the rounds of one: clocks, temperature,
 * neighbours. */
static const double DEFAULT_THRESHOLD_PERCENT = 2;

typedef enum change {
    CHANGE_SLOWER,
    CHANGE_FASTER,
    CHANGE_APPEARED,
    CHANGE_VANISHED,
    CHANGE_SAME,
    N_CHANGES
} change;

static const char *const change_names[N_CHANGES] = {
    "slower", "faster", "appeared", "vanished", "same"};

typedef struct difference {
    const hone_side_row *before, *after; /* one may be NULL */
    change kind;
    double ratio; /* after over before; 0: there is one alone */
} difference;

/* Beyond what was recorded as noise: the intervals of both finals are apart,
 * and further than the noise floor of either session and the threshold. */
static change judge(const hone_side_row *before, const hone_side_row *after,
                    double threshold)
{
    const double noise = fmax(threshold, fmax(before->noise, after->noise));

    if (after->low_ns > before->high_ns &&
        after->time_ns > before->time_ns * (1 + noise))
        return CHANGE_SLOWER;
    if (after->high_ns < before->low_ns &&
        after->time_ns * (1 + noise) < before->time_ns)
        return CHANGE_FASTER;
    return CHANGE_SAME;
}

static difference differ(const hone_side_row *before,
                         const hone_side_row *after, double threshold)
{
    difference out = {before, after, before ? CHANGE_VANISHED : CHANGE_APPEARED,
                      0};

    if (before && after) {
        out.kind = judge(before, after, threshold);
        out.ratio = after->time_ns / before->time_ns;
    }
    return out;
}

/* What got slower most comes first, then what got faster most. */
static int by_weight(const void *a, const void *b)
{
    const difference *one = a, *other = b;
    const double x = one->kind == CHANGE_FASTER ? -one->ratio : one->ratio;
    const double y =
        other->kind == CHANGE_FASTER ? -other->ratio : other->ratio;

    if (one->kind != other->kind)
        return one->kind < other->kind ? -1 : 1;
    if (x != y)
        return x > y ? -1 : 1;
    return hone__side_order(one->before ? one->before : one->after,
                            other->before ? other->before : other->after);
}

/* Both are sorted by key. */
static size_t compare(const hone_side *sides, double threshold, difference *out)
{
    const hone_side_row *a = sides[0].rows, *b = sides[1].rows;
    const hone_side_row *const a_end = a + sides[0].n;
    const hone_side_row *const b_end = b + sides[1].n;
    size_t n = 0;

    while (a < a_end || b < b_end) {
        const int order = a == a_end   ? 1
                          : b == b_end ? -1
                                       : hone__side_order(a, b);

        out[n++] =
            differ(order <= 0 ? a : NULL, order >= 0 ? b : NULL, threshold);
        a += order <= 0;
        b += order >= 0;
    }
    qsort(out, n, sizeof *out, by_weight);
    return n;
}

/* ---- what is said -------------------------------------------------------- */

static json_t *clock_of(const hone_side_row *row)
{
    return row->clock_mhz ? json_integer(row->clock_mhz) : json_null();
}

static json_t *row_of(const difference *d)
{
    const hone_side_row *any = d->after ? d->after : d->before;
    const hone_side_row none = {.config = NULL};
    const hone_side_row *before = d->before ? d->before : &none;
    const hone_side_row *after = d->after ? d->after : &none;
    char clocks[64] = "";
    const int copied = before->copy_ns > 0 && after->copy_ns > 0;
    const int moved =
        d->before && d->after &&
        (strcmp(before->config, after->config) != 0 ||
         strcmp(before->implementation, after->implementation) != 0);

    if (before->clock_mhz && after->clock_mhz &&
        before->clock_mhz != after->clock_mhz)
        (void)snprintf(clocks, sizeof clocks, "%lld to %lld MHz",
                       (long long)before->clock_mhz,
                       (long long)after->clock_mhz);
    return hone__json(
        "change:s op:s dims:s label:s mode:s device:s before_ns:p after_ns:p "
        "ratio:p copy_ratio:p before_sm_clock_mhz:o after_sm_clock_mhz:o "
        "clocks_text:s vendor_before_ns:p vendor_after_ns:p "
        "implementation:s before_implementation:s "
        "config:s before_config:s moved:s",
        change_names[d->kind], any->op, any->dims, any->label, any->mode,
        *any->device ? any->device : NULL, before->time_ns, after->time_ns,
        d->ratio, copied ? after->copy_ns / before->copy_ns : 0,
        clock_of(before), clock_of(after), *clocks ? clocks : NULL,
        before->vendor_ns, after->vendor_ns, after->implementation,
        before->implementation, after->config, before->config,
        moved ? "another" : NULL);
}

static hone_exit say(const hone_options *options, const hone_side *sides,
                     const difference *found, size_t n, double threshold)
{
    int64_t counts[N_CHANGES] = {0};
    hone_output *output;
    hone_exit code;

    for (size_t i = 0; i < n; ++i)
        ++counts[found[i].kind];
    output = hone__output_begin(
        options, "changes",
        "change, op, label=problem, device, mode, before_ns:t=before, "
        "after_ns:t=after, ratio:r, copy_ratio:r=copy, clocks_text=clocks, "
        "vendor_before_ns:t=vendor before, vendor_after_ns:t=vendor after, "
        "implementation=by, moved=winner",
        hone__json(
            "before:s after:s before_drivers:s after_drivers:s "
            "before_devices:s after_devices:s threshold_percent:f "
            "compared:I slower:I faster:I same:I appeared:I vanished:I",
            hone__options_arg(options, 0), hone__options_arg(options, 1),
            hone__text_str(&sides[0].drivers),
            hone__text_str(&sides[1].drivers),
            hone__text_str(&sides[0].devices),
            hone__text_str(&sides[1].devices), threshold * 100,
            counts[CHANGE_SLOWER] + counts[CHANGE_FASTER] + counts[CHANGE_SAME],
            counts[CHANGE_SLOWER], counts[CHANGE_FASTER], counts[CHANGE_SAME],
            counts[CHANGE_APPEARED], counts[CHANGE_VANISHED]));
    hone__output_hoist(output);
    for (size_t i = 0; i < n; ++i)
        if (found[i].kind != CHANGE_SAME || options->text[HONE_OPT_FULL])
            hone__output_row(output, row_of(&found[i]));
    code = hone__output_end(output, hone__json(""));
    if (code != HONE_EXIT_DONE)
        return code;
    if (!(counts[CHANGE_SLOWER] + counts[CHANGE_FASTER] + counts[CHANGE_SAME]))
        hone__message_note("the two have no problem in common: nothing was "
                           "compared");
    return counts[CHANGE_SLOWER] ? HONE_EXIT_NEGATIVE : HONE_EXIT_DONE;
}

static hone_status read_threshold(const hone_options *options, double *out,
                                  hone_error *err)
{
    const char *text = options->text[HONE_OPT_THRESHOLD];
    char *end = NULL;

    *out = DEFAULT_THRESHOLD_PERCENT / 100;
    if (!text)
        return HONE_OK;
    *out = strtod(text, &end) / 100;
    if (end == text || *end || !(*out >= 0 && *out < 1e6))
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "--threshold '%s' is no percentage; give a number "
                          "from 0 on",
                          text);
    return HONE_OK;
}

hone_exit hone__cmd_diff(const hone_options *options)
{
    hone_side sides[2] = {{.rows = NULL}, {.rows = NULL}};
    difference *found = NULL;
    hone_error err = {0};
    hone_exit code;
    double threshold;
    hone_status status = read_threshold(options, &threshold, &err);

    for (size_t i = 0; i < 2 && status == HONE_OK; ++i)
        status = hone__side_read(options, hone__options_arg(options, i),
                                 &sides[i], &err);
    if (status == HONE_OK) {
        found = hone__alloc((sides[0].n + sides[1].n) * sizeof *found);
        if (!found)
            status = hone__out_of_memory(&err, "");
    }
    if (status == HONE_OK)
        code = say(options, sides, found, compare(sides, threshold, found),
                   threshold);
    else
        code = hone__message_error(&err);
    hone__free(found);
    hone__side_free(&sides[0]);
    hone__side_free(&sides[1]);
    return code;
}
