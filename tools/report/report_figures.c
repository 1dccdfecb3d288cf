/* SPDX-License-Identifier: Apache-2.0 */
/* What follows from the rows of a group: see report.h. */
#include "runtime/base/alloc.h"
#include "tools/report/report.h"
#include "tuner/judge/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- comparisons -----------------------------------------------------------
 */

double hone__report_ratio(const hone_report_group *group,
                          const hone_report_baseline *other)
{
    const hone_report_problem *problem = &group->problems[other->problem];

    return other->time_ns > 0 && problem->time_ns > 0
               ? other->time_ns / problem->time_ns
               : 0;
}

static void take(hone_report_summary *sum, double ratio)
{
    if (!(ratio > 0))
        return;
    if (!sum->n || ratio < sum->least)
        sum->least = ratio;
    if (!sum->n || ratio > sum->most)
        sum->most = ratio;
    sum->mean += log(ratio);
    ++sum->n;
}

static hone_report_summary finish(hone_report_summary sum)
{
    if (sum.n)
        sum.mean = exp(sum.mean / (double)sum.n);
    return sum;
}

/* Baselines come in the order of problems twice: stored ones, then vendors'
 * implementations. */
hone_report_summary hone__report_vendor_summary(const hone_report_group *group)
{
    hone_report_summary sum = {0, 0, 0, 0};
    double *fastest = hone__alloc((group->n_problems + 1) * sizeof *fastest);

    for (size_t i = 0; fastest && i < group->n_others; ++i) {
        const hone_report_baseline *other = &group->others[i];
        const double ratio = hone__report_ratio(group, other);
        double *least = &fastest[other->problem];

        if (!other->is_copy && ratio > 0 && (!(*least > 0) || ratio < *least))
            *least = ratio;
    }
    for (size_t i = 0; fastest && i < group->n_problems; ++i)
        take(&sum, fastest[i]);
    hone__free(fastest);
    return finish(sum);
}

hone_report_summary hone__report_default_summary(const hone_report_group *group)
{
    hone_report_summary sum = {0, 0, 0, 0};

    for (size_t i = 0; i < group->n_problems; ++i)
        if (group->problems[i].time_ns > 0)
            take(&sum,
                 group->problems[i].default_ns / group->problems[i].time_ns);
    return finish(sum);
}

hone_report_roof hone__report_roof(const hone_report_group *group)
{
    hone_report_roof roof = {0, 0, group->clock_mhz.most};
    int has_bytes = 0;

    for (size_t i = 0; i < group->n_others; ++i) {
        const hone_report_baseline *other = &group->others[i];
        const double bytes = (double)group->problems[other->problem].bytes;

        if (other->is_copy && other->time_ns > 0 && bytes > 0)
            roof.copy_bytes_per_s =
                fmax(roof.copy_bytes_per_s, bytes / other->time_ns * 1e9);
    }
    for (size_t i = 0; i < group->n_problems; ++i)
        has_bytes |= group->problems[i].has_bytes;
    if (strcmp(group->device_kind, "cuda") == 0)
        roof.flops_per_s = hone__selfcheck_roofline(
                               group->properties.value[HONE_PROPERTY_sm],
                               group->properties.value[HONE_PROPERTY_sm_count],
                               (int64_t)(roof.clock_mhz * 1e3), 0, 0, has_bytes)
                               .flops_per_s;
    return roof;
}

/* ---- parameters -------------------------------------------------------------
 */

/* Numbers by value and before words. */
static int compare_levels(const char *one, const char *other)
{
    char *end_one, *end_other;
    const double a = strtod(one, &end_one), b = strtod(other, &end_other);
    const int is_a = *one && !*end_one, is_b = *other && !*end_other;

    if (is_a && is_b)
        return (a > b) - (a < b);
    return is_a != is_b ? is_b - is_a : strcmp(one, other);
}

static void sort_levels(hone_report_params *params, size_t p)
{
    const hone_trials_param *param = &params->trials.params[p];
    unsigned char *order = params->level_order[p];

    for (size_t i = 0; i < param->n_levels; ++i) {
        size_t k = i;

        for (; k && compare_levels(param->levels[order[k - 1]],
                                   param->levels[i]) > 0;
             --k)
            order[k] = order[k - 1];
        order[k] = (unsigned char)i;
    }
    for (size_t i = 0; i < param->n_levels; ++i)
        params->level_place[p][order[i]] = (unsigned char)i;
}

/* What each explains alone, the most first; the others as they stand. */
static void sort_params(hone_report_params *params)
{
    const hone_importance *found = &params->importance;
    int is_taken[HONE_TRIALS_MOST_PARAMS] = {0};
    size_t n = 0;

    for (size_t i = 0; i < found->n; ++i) {
        const size_t p = found->shares[i].params[0];

        if (p == found->shares[i].params[1] && !is_taken[p]++)
            params->order[n++] = p;
    }
    for (size_t p = 0; p < params->trials.n_params; ++p)
        if (!is_taken[p])
            params->order[n++] = p;
}

static void set_ratios(hone_report_params *params)
{
    const hone_trials *trials = &params->trials;

    for (size_t from = 0, to; from < trials->n; from = to) {
        double least = trials->rows[from].log_time;

        for (to = from; to < trials->n && trials->rows[to].problem_id ==
                                              trials->rows[from].problem_id;
             ++to)
            least = fmin(least, trials->rows[to].log_time);
        for (size_t i = from; i < to; ++i)
            params->ratios[i] = exp(trials->rows[i].log_time - least);
    }
}

static hone_status read_params(hone_db *db, const char *dims,
                               const hone_report_group *group,
                               hone_report_params *params, hone_error *err)
{
    const hone_trials_query query = {
        group->key.op, dims,
        group->implementations.items[params->implementation],
        group->key.device_id, group->key.mode};

    HONE_TRY(hone__trials_read(db, &query, &params->trials, err));
    params->ratios =
        hone__alloc((params->trials.n + 1) * sizeof *params->ratios);
    if (!params->ratios)
        return hone__out_of_memory(err, "");
    HONE_TRY(hone__importance(&params->trials, &params->importance, err));
    set_ratios(params);
    for (size_t p = 0; p < params->trials.n_params; ++p)
        sort_levels(params, p);
    sort_params(params);
    return HONE_OK;
}

/* Correct trials of each implementation. */
static void count_right(const hone_report_group *group,
                        size_t out[HONE_REPORT_NAMES])
{
    for (size_t i = 0; i < group->n_trials; ++i)
        out[group->trials[i].implementation] += group->trials[i].time_ns > 0;
}

hone_status hone__report_params(hone_db *db, const char *dims,
                                hone_report_group *group, hone_error *err)
{
    size_t n_right[HONE_REPORT_NAMES] = {0};

    count_right(group, n_right);
    while (group->n_params < HONE_REPORT_MOST_IMPLS) {
        hone_report_params *params;
        size_t best = 0, n_all;

        for (size_t i = 1; i < group->implementations.n; ++i)
            if (n_right[i] > n_right[best])
                best = i;
        if (n_right[best] < 2)
            break;
        n_all = n_right[best];
        n_right[best] = 0;
        if (group->is_vendor[best])
            continue;
        params = hone__alloc(sizeof *params);
        if (!params)
            return hone__out_of_memory(err, "");
        group->params[group->n_params++] = params;
        params->implementation = best;
        params->n_right = n_all;
        HONE_TRY(read_params(db, dims, group, params, err));
    }
    return HONE_OK;
}

void hone__report_params_free(hone_report_group *group)
{
    for (size_t i = 0; i < group->n_params; ++i) {
        hone__trials_free(&group->params[i]->trials);
        hone__free(group->params[i]->ratios);
        hone__free(group->params[i]);
    }
    group->n_params = 0;
}
