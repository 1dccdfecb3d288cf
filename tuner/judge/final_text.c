/* SPDX-License-Identifier: Apache-2.0 */
/* A final in words: see final.h. What stands here ends up in the database and
 * in front of a person. */
#include "tuner/judge/final.h"

#include <stdio.h>

/* "0.17 %", "12.3 %"; "unknown" below 0. */
static const char *percent(double part, char *out, size_t size)
{
    if (part < 0)
        (void)snprintf(out, size, "unknown");
    else
        (void)snprintf(out, size, "%.*f %%", part < 0.01 ? 2 : 1, 100 * part);
    return out;
}

/* "1.8 % longer", "2.5 times as long" */
static const char *longer(double lead, char *out, size_t size)
{
    char part[24];

    if (lead < 1)
        (void)snprintf(out, size, "%s longer",
                       percent(lead, part, sizeof part));
    else
        (void)snprintf(out, size, "%.1f times as long", 1 + lead);
    return out;
}

/* How much longer the best of the other entries takes than the winner. */
static double lead_of(const hone_final_report *report)
{
    const hone_finalist *winner = &report->items[report->winner];
    double lead = 0;

    for (int i = 0; i < report->n_entries; ++i) {
        const hone_finalist *item = &report->items[i];

        if (i == report->winner || item->outcome != HONE_OUTCOME_OK ||
            item->ratio <= 0 || winner->ratio <= 0)
            continue;
        if (lead <= 0 || item->ratio / winner->ratio < lead)
            lead = item->ratio / winner->ratio;
    }
    return lead > 1 ? lead - 1 : 0;
}

static void say_tied(const hone_final_report *report, const char *noise,
                     const char *lead, char *out, size_t size)
{
    if (report->n_tied > 1)
        (void)snprintf(out, size,
                       "tied: %d of %d finalists cannot be told apart in %d "
                       "interleaved rounds (noise floor %s); %s",
                       report->n_tied, report->n_raced, report->n_rounds, noise,
                       hone__tie_rule_name(report->rule));
    else
        (void)snprintf(out, size,
                       "tied: the next of %d finalists seems to take %s, "
                       "which %d rounds do not confirm (noise floor "
                       "%s); the fastest",
                       report->n_raced, lead, report->n_rounds, noise);
}

static void say_too_noisy(const hone_final_report *report, const char *noise,
                          char *out, size_t size)
{
    const char *rule =
        report->n_tied > 1 ? hone__tie_rule_name(report->rule) : "the fastest";

    if (report->n_rounds < HONE_RACE_INTERVAL)
        (void)snprintf(out, size,
                       "undecided: time for %d rounds only, between %d "
                       "finalists; %s",
                       report->n_rounds, report->n_raced, rule);
    else
        (void)snprintf(out, size,
                       "too noisy to decide between %d finalists (noise floor "
                       "%s, %d rounds); %s; run again on an idle machine",
                       report->n_raced, noise, report->n_rounds, rule);
}

void hone__final_sentence(const hone_final_report *report, char *out,
                          size_t size)
{
    char noise[24], lead[40];

    out[0] = '\0';
    if (report->winner < 0)
        return;
    (void)percent(report->noise_floor, noise, sizeof noise);
    (void)longer(lead_of(report), lead, sizeof lead);
    switch (report->verdict) {
    case HONE_RACE_ONLY_ONE:
        if (report->n_entries > 1)
            (void)snprintf(out, size,
                           "the only one left of %d finalists; noise floor %s",
                           report->n_entries, noise);
        else
            (void)snprintf(out, size, "the only finalist; noise floor %s",
                           noise);
        break;
    case HONE_RACE_DECIDED:
        (void)snprintf(out, size,
                       "decided: the next of %d finalists takes %s; %d "
                       "interleaved rounds, noise floor %s",
                       report->n_raced, lead, report->n_rounds, noise);
        break;
    case HONE_RACE_TIED:
        say_tied(report, noise, lead, out, size);
        break;
    case HONE_RACE_TOO_NOISY:
    case HONE_N_VERDICTS:
        say_too_noisy(report, noise, out, size);
        break;
    }
}

const char *hone__final_reason(const hone_final_report *report, int item,
                               char *out, size_t size)
{
    const hone_finalist *it = &report->items[item];
    char ratio[80];

    if (it->outcome != HONE_OUTCOME_OK) {
        (void)snprintf(out, size, "%s in the final: %.300s",
                       hone__outcome_name(it->outcome), it->message);
        return "refuted";
    }
    if (it->is_left_out || it->ratio <= 0) {
        (void)snprintf(out, size, "not raced: %.300s",
                       it->message[0] ? it->message : "it could not be timed");
        return "dropped";
    }
    (void)snprintf(ratio, sizeof ratio,
                   "%.4f times the fastest (95 %%: %.4f to %.4f)", it->ratio,
                   it->ratio_low, it->ratio_high);
    if (it->is_tied) {
        (void)snprintf(out, size,
                       "%s in %d rounds: they cannot be told apart, and the "
                       "tie rule takes another (%s)",
                       item == report->fastest ? "the fastest" : ratio,
                       it->n_samples, hone__tie_rule_name(report->rule));
        return "tied";
    }
    if (it->dropped_round)
        (void)snprintf(out, size, "left out after %d rounds: %s",
                       it->dropped_round, ratio);
    else if (it->is_slower)
        (void)snprintf(out, size, "slower in %d rounds: %s", it->n_samples,
                       ratio);
    else
        (void)snprintf(out, size,
                       "%s in %d rounds: perhaps no slower, but too far off "
                       "for a tie",
                       ratio, it->n_samples);
    return "dropped";
}
