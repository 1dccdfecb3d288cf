/* SPDX-License-Identifier: Apache-2.0 */
/* The course of a final: see final.h. */
#include "tuner/judge/final.h"

#include "runtime/base/alloc.h"
#include "tuner/process/worker.h"
#include "tuner/judge/statistics.h"

#include <string.h>

typedef struct final {
    const hone_final_ops *ops;
    void *user;
    const hone_final_request *request;
    hone_final_report *report;
    int is_open[HONE_MAX_RUNNERS];
    int control_of; /* runner that the A/A control on the device is of; -1:
                       none */
    int slots[HONE_RACE_RUNNERS]; /* runner in each place of the race */
    hone_race race;
} final;

size_t hone__final_count(const double *times_ns, size_t n, double noise)
{
    const double window = 4 * noise > 0.02 ? 4 * noise : 0.02;
    size_t count = 0;

    while (count < n && count < HONE_MOST_FINALISTS &&
           (count < HONE_LEAST_FINALISTS ||
            times_ns[count] <= (1 + window) * times_ns[0]))
        ++count;
    return count;
}

static int is_entry(const final *f, int runner)
{
    return runner < f->request->n_entries;
}

static int is_right(const final *f, int runner)
{
    const hone_finalist *item = &f->report->items[runner];

    return item->outcome == HONE_OUTCOME_OK && !item->is_left_out;
}

static void say_at(const final *f, int runner, hone_final_stage stage)
{
    if (f->ops->at)
        f->ops->at(f->user, runner, stage);
}

/* ---- enter --------------------------------------------------------------- */

static hone_status enter_all(final *f, hone_error *err)
{
    for (int i = 0; i < f->report->n; ++i) {
        const hone_final_disqualified *disqualified =
            &f->request->disqualified[i];
        hone_finalist *item = &f->report->items[i];

        if (is_entry(f, i)) {
            item->id = f->request->entries[i].job.id;
            item->features = f->request->entries[i].features;
        } else {
            item->id = -1 - (i - f->request->n_entries);
        }
        if (disqualified->outcome != HONE_OUTCOME_OK) {
            item->outcome = disqualified->outcome;
            memcpy(item->message, disqualified->message, sizeof item->message);
            continue;
        }
        say_at(f, i, HONE_FINAL_ENTER);
        HONE_TRY(f->ops->enter(f->user, i, item, err));
    }
    for (int i = 0; i < f->report->n; ++i) {
        if (!is_right(f, i))
            continue;
        say_at(f, i, HONE_FINAL_ENTER);
        HONE_TRY(f->ops->open(f->user, i, &f->report->items[i], err));
        f->is_open[i] = is_right(f, i);
    }
    return HONE_OK;
}

/* ---- race ---------------------------------------------------------------- */

static hone_status sample_slot(void *user, int slot, double *out_ns,
                               hone_error *err)
{
    final *f = user;

    if (f->request->careful)
        say_at(f,
               f->slots[slot] == f->report->n ? f->control_of : f->slots[slot],
               HONE_FINAL_RACE);
    return f->ops->sample(f->user, f->slots[slot], out_ns, err);
}

/* The A/A control is of the first entry that is right: the fastest by its
 * trial. */
static hone_status add_control(final *f, int original, hone_error *err)
{
    int there = f->control_of >= 0 && f->control_of == f->slots[original];

    if (!there) {
        say_at(f, f->slots[original], HONE_FINAL_ENTER);
        f->control_of = -1;
        HONE_TRY(f->ops->control(f->user, f->slots[original], &there, err));
    }
    if (!there)
        return HONE_OK;
    f->control_of = f->slots[original];
    f->race.control = f->race.n;
    f->race.control_of = original;
    f->slots[f->race.n++] = f->report->n;
    return HONE_OK;
}

static hone_status set_race_up(final *f, hone_error *err)
{
    hone_race *race = &f->race;
    int original = -1;

    memset(race, 0, sizeof *race);
    race->control = -1;
    race->sample = sample_slot;
    race->user = f;
    race->now_s = hone__now_s;
    for (int i = 0; i < f->report->n; ++i) {
        hone_race_runner *r = &race->runners[race->n];

        if (!f->is_open[i] || !is_right(f, i))
            continue;
        r->contends = is_entry(f, i);
        r->keep = !r->contends || f->request->entries[i].keep;
        if (r->contends && original < 0)
            original = race->n;
        f->slots[race->n++] = i;
    }
    if (original >= 0)
        HONE_TRY(add_control(f, original, err));
    race->deadline_s =
        hone__now_s() + (f->request->race_s > 0 ? f->request->race_s : 10);
    return HONE_OK;
}

static void take_result(final *f)
{
    const hone_race *race = &f->race;
    hone_final_report *report = f->report;

    report->fastest = race->leader < 0 ? -1 : f->slots[race->leader];
    report->n_rounds = race->n_rounds;
    report->verdict = race->verdict;
    report->noise_floor = race->noise_floor;
    report->n_raced = report->n_tied = 0;
    for (int slot = 0; slot < race->n; ++slot) {
        const hone_race_runner *r = &race->runners[slot];
        hone_finalist *item = &report->items[f->slots[slot]];

        if (slot == race->control)
            continue;
        item->n_samples = r->n_rounds;
        item->dropped_round = r->dropped_round;
        item->is_slower = hone__race_is_slower(race, slot);
        item->is_tied = hone__race_is_tied(race, slot);
        item->ratio = r->ratio;
        item->ratio_low = r->ratio_low;
        item->ratio_high = r->ratio_high;
        memcpy(item->rounds_ns, r->rounds_ns, sizeof item->rounds_ns);
        report->n_raced += r->contends;
        report->n_tied += item->is_tied;
    }
}

/* ---- choose, recheck ----------------------------------------------------- */

static void choose(final *f)
{
    hone_final_report *report = f->report;
    hone_tie_features features[HONE_MAX_FINALISTS];
    int is_tied[HONE_MAX_FINALISTS];

    for (int i = 0; i < report->n_entries; ++i) {
        features[i] = report->items[i].features;
        is_tied[i] = is_right(f, i) && report->items[i].is_tied;
    }
    report->winner =
        hone__tie_choose(features, is_tied, report->n_entries, &report->rule);
}

/* A winner that is wrong now spoils the race, since others may have been left
 * out for being slower than it: they race again. */
static hone_status find_winner(final *f, hone_error *err)
{
    hone_final_report *report = f->report;

    for (int i = 0; i <= report->n_entries; ++i) {
        HONE_TRY(set_race_up(f, err));
        say_at(f, -1, HONE_FINAL_RACE);
        HONE_TRY(hone__race_run(&f->race, err));
        take_result(f);
        choose(f);
        if (report->winner < 0)
            break;
        say_at(f, report->winner, HONE_FINAL_RECHECK);
        HONE_TRY(f->ops->recheck(f->user, report->winner,
                                 &report->items[report->winner], err));
        if (is_right(f, report->winner))
            break;
    }
    return HONE_OK;
}

/* ---- times --------------------------------------------------------------- */

void hone__final_set_time(hone_finalist *item, double *series_ns, int n)
{
    item->n_series = n;
    item->time_ns = hone__median(series_ns, (size_t)n);
    item->spread_ns = hone__half_iqr(series_ns, (size_t)n);
    hone__median_interval(series_ns, (size_t)n, &item->ci_low_ns,
                          &item->ci_high_ns);
}

static hone_status run_series(final *f, hone_error *err)
{
    for (int i = 0; i < f->report->n; ++i) {
        if (!f->is_open[i] || !is_right(f, i) ||
            (is_entry(f, i) && i != f->report->winner &&
             !f->request->entries[i].wants_series))
            continue;
        say_at(f, i, HONE_FINAL_SERIES);
        HONE_TRY(f->ops->series(f->user, i, &f->report->items[i], err));
    }
    return HONE_OK;
}

/* Times of those without a series: what they would show if they were timed
 * as the winner was, by the ratio in the rounds that both ran in. */
static void derive_times(final *f)
{
    const hone_finalist *winner = &f->report->items[f->report->winner];

    for (int i = 0; i < f->report->n; ++i) {
        hone_finalist *item = &f->report->items[i];
        const int n = item->n_samples < winner->n_samples ? item->n_samples
                                                          : winner->n_samples;
        double sorted[HONE_RACE_MOST];
        double ratio, low, high;

        if (!is_right(f, i) || item->n_series || n <= 0)
            continue;
        hone__race_compare(item->rounds_ns, winner->rounds_ns, n, &ratio, &low,
                           &high);
        item->time_ns = ratio * winner->time_ns;
        item->ci_low_ns = low * winner->time_ns;
        item->ci_high_ns = high * winner->time_ns;
        memcpy(sorted, item->rounds_ns, sizeof sorted);
        (void)hone__median(sorted, (size_t)item->n_samples);
        item->spread_ns = hone__half_iqr(sorted, (size_t)item->n_samples);
    }
}

/* Of finalists alone: a library's function competes by its time. */
static hone_status run_energy(final *f, hone_error *err)
{
    for (int i = 0; i < f->report->n_entries; ++i) {
        hone_finalist *item = &f->report->items[i];

        if (!f->is_open[i] || !is_right(f, i) || item->ratio <= 0)
            continue;
        say_at(f, i, HONE_FINAL_SERIES);
        HONE_TRY(f->ops->energy(f->user, i, item, err));
    }
    return HONE_OK;
}

static hone_status run(final *f, hone_error *err)
{
    HONE_TRY(enter_all(f, err));
    HONE_TRY(find_winner(f, err));
    HONE_TRY(run_series(f, err));
    if (f->report->winner >= 0)
        derive_times(f);
    return f->request->wants_energy && f->ops->energy ? run_energy(f, err)
                                                      : HONE_OK;
}

hone_status hone__final_run(const hone_final_ops *ops, void *user,
                            const hone_final_request *request,
                            hone_final_report *out, hone_error *err)
{
    final *f = hone__alloc(sizeof *f);
    hone_status status;

    memset(out, 0, sizeof *out);
    if (!f)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    f->ops = ops;
    f->user = user;
    f->request = request;
    f->report = out;
    f->control_of = -1;
    out->n_entries = request->n_entries;
    out->n = request->n_entries + request->n_baselines;
    out->winner = out->fastest = -1;
    out->noise_floor = -1;
    out->clocks.sm_clock_mhz = -1;
    status = run(f, err);
    hone__free(f);
    return status;
}
