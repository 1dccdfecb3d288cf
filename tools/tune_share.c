/* SPDX-License-Identifier: Apache-2.0 */
/* Where the budget of many shapes goes: to launches times the time that may be
 * saved in each. A baseline is no bound: what is faster may become faster
 * still, by a little. */
#include "runtime/base/alloc.h"
#include "tools/base/message.h"
#include "tools/tune_parts.h"

#include <inttypes.h>
#include <stdio.h>

/* Of a time, what may be saved: at least; where no baseline says more. */
#define LEAST_SAVED 0.05
#define SAVED_WITHOUT_BASELINE 0.25
/* Of the budget, for a first look at all shapes. */
#define LOOK_PART 0.25
/* Less of the rest is not worth beginning for. */
#define LEAST_PART 0.02
/* By the clock: of the time, for looks; of what is left then, for trials. */
#define LOOKS_MOST 0.5
#define TRIALS_LEAST 0.5

enum { LEAST_LOOK = 4 /* trials, the default variant among them */ };

static double saved_ns(hone_tune_share *s)
{
    const double above = s->time_ns - s->baseline_ns;
    const double least = LEAST_SAVED * s->time_ns;

    if (s->baseline_ns <= 0) {
        (void)snprintf(s->why, sizeof s->why,
                       "%" PRIu64 " launches of %.3g us, no baseline",
                       s->n_launches, s->time_ns * 1e-3);
        return SAVED_WITHOUT_BASELINE * s->time_ns;
    }
    (void)snprintf(s->why, sizeof s->why,
                   "%" PRIu64 " launches of %.3g us, %.3g us %s the fastest "
                   "baseline",
                   s->n_launches, s->time_ns * 1e-3,
                   (above < 0 ? -above : above) * 1e-3,
                   above < 0 ? "below" : "above");
    return above > least ? above : least;
}

/* Shapes without a right variant yet are worth as much as the others are on
 * average. */
static void weigh(hone_tune_share *shares, size_t n)
{
    double sum = 0;
    size_t n_known = 0;

    for (size_t i = 0; i < n; ++i) {
        hone_tune_share *s = &shares[i];

        s->weight_ns = 0;
        if (!s->is_reached || s->is_refused || s->time_ns <= 0)
            continue;
        s->weight_ns = (double)s->n_launches * saved_ns(s);
        sum += s->weight_ns;
        ++n_known;
    }
    for (size_t i = 0; i < n; ++i) {
        hone_tune_share *s = &shares[i];

        if (!s->is_reached) {
            (void)snprintf(s->why, sizeof s->why, "the time was over before");
        } else if (s->is_refused) {
            (void)snprintf(s->why, sizeof s->why, "it cannot be tuned");
        } else if (s->time_ns <= 0) {
            (void)snprintf(s->why, sizeof s->why, "no variant is right yet");
            s->weight_ns = n_known && sum > 0 ? sum / (double)n_known : 1;
        }
    }
}

static void share_out(hone_tune_share *shares, size_t n)
{
    double sum = 0, kept = 0;

    weigh(shares, n);
    for (size_t i = 0; i < n; ++i)
        sum += shares[i].weight_ns;
    for (size_t i = 0; i < n; ++i) {
        hone_tune_share *s = &shares[i];

        s->part = sum > 0 ? s->weight_ns / sum : 0;
        if (s->part < LEAST_PART && s->part < 1 / (double)n)
            s->part = 0;
        kept += s->part;
    }
    for (size_t i = 0; i < n && kept > 0; ++i)
        shares[i].part /= kept;
}

/* ---- spending ------------------------------------------------------------ */

static hone_tune_budget look_of(const hone_tune_spending *spending)
{
    const double part = LOOK_PART / (double)spending->n;
    hone_tune_budget look = {(int64_t)(part * (double)spending->whole.trials),
                             part * spending->whole.seconds, 1};

    if (spending->whole.trials && look.trials < LEAST_LOOK)
        look.trials = LEAST_LOOK;
    return look;
}

/* The largest part that was not spent yet; NULL: there is none. */
static hone_tune_share *next_share(const hone_tune_spending *spending)
{
    hone_tune_share *best = NULL;

    for (size_t i = 0; i < spending->n * spending->n_models; ++i) {
        hone_tune_share *s = &spending->shares[i];

        if (!s->is_done && s->part > 0 && (!best || s->part > best->part))
            best = s;
    }
    return best;
}

/* The trials of the first look are resumed, so they count. */
static size_t plan_rest(const hone_tune_spending *spending, int64_t look_trials,
                        hone_tune_piece *out)
{
    const hone_tune_budget *whole = &spending->whole;
    const int64_t rest = whole->trials - look_trials * (int64_t)spending->n;
    hone_tune_share *share;
    size_t n = 0;

    while ((share = next_share(spending)) != NULL) {
        hone_tune_budget budget = {
            0, (1 - LOOK_PART) * whole->seconds * share->part, 0};

        if (whole->trials)
            budget.trials =
                look_trials +
                (rest > 0 ? (int64_t)(share->part * (double)rest) : 0);
        share->is_done = 1;
        hone__message_detail("%.0f %% of what is left: %s", 100 * share->part,
                             share->why);
        out[n++] =
            (hone_tune_piece){(size_t)(share - spending->shares), budget};
    }
    return n;
}

/* The first look: whoever has little time has looked at what takes most of it.
 * As listed where nothing was recorded; by insertion, since lists are short. */
static void plan_look(const hone_tune_spending *spending, hone_tune_piece *out,
                      size_t n)
{
    const hone_tune_budget look = look_of(spending);

    for (size_t i = 0; i < n; ++i) {
        const double ns = spending->shares[i].recorded_ns;
        size_t at = i;

        for (; at > 0 && spending->shares[out[at - 1].place].recorded_ns < ns;
             --at)
            out[at] = out[at - 1];
        out[at] = (hone_tune_piece){i, look};
    }
}

/* ---- by the clock -------------------------------------------------------- */

typedef struct clock_course {
    const hone_tune_spending *spending;
    double end_s;
    double extra_s; /* of a shape: set-up and final */
} clock_course;

static double left_s(const clock_course *c)
{
    return c->end_s - c->spending->now_s();
}

static hone_status look_by_clock(clock_course *c, const hone_tune_piece *pieces,
                                 hone_error *err)
{
    const hone_tune_spending *s = c->spending;
    const double most_s = LOOKS_MOST * s->whole.seconds;
    double took_s = 0, extra_s;
    size_t n = 0;

    c->end_s = s->now_s() + s->whole.seconds;
    while (n < s->n && (n == 0 || took_s < most_s)) {
        s->shares[pieces[n].place].is_reached = 1;
        HONE_TRY(s->tune(s->user, &pieces[n], 1, err));
        took_s = s->whole.seconds - left_s(c);
        ++n;
    }
    extra_s = took_s / (double)n - pieces[0].budget.seconds;
    c->extra_s = extra_s > 0 ? extra_s : 0;
    return HONE_OK;
}

/* The smallest parts go while set-ups and finals would take too much. Returns
 * how many are kept. */
static size_t keep_by_clock(const clock_course *c)
{
    const hone_tune_spending *s = c->spending;
    const double most_s = (1 - TRIALS_LEAST) * left_s(c);
    size_t n = 0;

    for (size_t i = 0; i < s->n; ++i)
        n += s->shares[i].part > 0;
    for (; n > 1 && (double)n * c->extra_s > most_s; --n) {
        hone_tune_share *least = NULL;

        for (size_t i = 0; i < s->n; ++i)
            if (s->shares[i].part > 0 &&
                (!least || s->shares[i].part < least->part))
                least = &s->shares[i];
        if (least)
            least->part = 0;
    }
    return n;
}

static hone_status rest_by_clock(const clock_course *c, hone_error *err)
{
    const hone_tune_spending *s = c->spending;
    size_t n = keep_by_clock(c);
    hone_tune_share *share;
    double sum = 0;

    for (size_t i = 0; i < s->n; ++i)
        sum += s->shares[i].part;
    for (size_t i = 0; i < s->n && sum > 0; ++i)
        s->shares[i].part /= sum;
    for (sum = 1; (share = next_share(s)) != NULL; --n) {
        const double trials_s = left_s(c) - (double)n * c->extra_s;
        hone_tune_piece piece = {(size_t)(share - s->shares),
                                 {0, trials_s * share->part / sum, 0}};

        if (piece.budget.seconds <= 0)
            break;
        hone__message_detail("%.3g s of what is left: %s", piece.budget.seconds,
                             share->why);
        share->is_done = 1;
        sum -= share->part;
        HONE_TRY(s->tune(s->user, &piece, 1, err));
    }
    for (size_t i = 0; i < s->n; ++i) /* what was not begun for has nothing */
        if (!s->shares[i].is_done)
            s->shares[i].part = 0;
    return HONE_OK;
}

static hone_status spend_by_clock(const hone_tune_spending *spending,
                                  const hone_tune_piece *looks, hone_error *err)
{
    clock_course c = {.spending = spending};
    const hone_status status = look_by_clock(&c, looks, err);

    share_out(spending->shares, spending->n);
    return status == HONE_OK ? rest_by_clock(&c, err) : status;
}

/* ---- all ----------------------------------------------------------------- */

hone_status hone__tune_spend(const hone_tune_spending *spending,
                             hone_error *err)
{
    const hone_tune_budget look = look_of(spending);
    const size_t n = spending->n * spending->n_models;
    hone_tune_piece *pieces = hone__alloc((n + 1) * sizeof *pieces);
    hone_status status;

    if (!pieces)
        return hone__out_of_memory(err, " for the shapes");
    plan_look(spending, pieces, n);
    if (spending->now_s) {
        status = spend_by_clock(spending, pieces, err);
        hone__free(pieces);
        return status;
    }
    for (size_t i = 0; i < n; ++i)
        spending->shares[i].is_reached = 1;
    status = spending->tune(spending->user, pieces, n, err);
    for (size_t i = 0; i < spending->n_models; ++i)
        share_out(spending->shares + i * spending->n, spending->n);
    if (status == HONE_OK)
        status = spending->tune(spending->user, pieces,
                                plan_rest(spending, look.trials, pieces), err);
    hone__free(pieces);
    return status;
}
