/* SPDX-License-Identifier: Apache-2.0 */
/* Outcomes in words: see outcome.h. */
#include "tuner/judge/outcome.h"

#include "tuner/judge/check_data.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const names[HONE_N_OUTCOMES] = {
#define OUTCOME_NAME(name, value, spelling, meaning) [value] = spelling,
    HONE_OUTCOME_MAP(OUTCOME_NAME)
#undef OUTCOME_NAME
};

const char *hone__outcome_name(hone_outcome outcome)
{
    return outcome < HONE_N_OUTCOMES ? names[outcome] : "?";
}

hone_outcome hone__outcome_find(const char *name)
{
    int i = 0;

    while (i < HONE_N_OUTCOMES && strcmp(names[i], name) != 0)
        ++i;
    return (hone_outcome)i;
}

const char *hone__mode_name(hone_mode mode)
{
    return mode == HONE_MODE_HOT ? "hot" : "cold";
}

const char *hone__timing_name(hone_timing timing)
{
    return timing == HONE_TIMING_EVENT   ? "event"
           : timing == HONE_TIMING_GRAPH ? "graph"
                                         : "auto";
}

/* ---- wrong elements ------------------------------------------------------ */

void hone__wrong_place(const hone_wrong *wrong, int64_t index, hone_text *out)
{
    int64_t rest = index / wrong->n_parts;
    int64_t at[HONE_MAX_RANK] = {0};

    for (int i = wrong->n_dims - 1; i > 0; --i) {
        at[i] = rest % wrong->dims[i];
        rest /= wrong->dims[i];
    }
    at[0] = rest;
    for (int i = 0; i < wrong->n_dims; ++i)
        hone__text_printf(out, "[%lld]", (long long)at[i]);
    if (wrong->n_parts == 2)
        hone__text_puts(out, index % 2 ? ".imag" : ".real");
}

void hone__wrong_value(const hone_wrong *wrong, double value,
                       int64_t value_long, hone_text *out)
{
    if (wrong->type == HONE_TYPE_I64)
        hone__text_printf(out, "%lld", (long long)value_long);
    else if (wrong->type == HONE_TYPE_U64)
        hone__text_printf(out, "%llu", (unsigned long long)value_long);
    else if (isnan(value))
        hone__text_puts(out, "nan");
    else
        hone__text_printf(out, "%.*g", wrong->type == HONE_TYPE_F64 ? 17 : 9,
                          value);
}

void hone__wrong_sentence(const hone_wrong *wrong,
                          const hone_wrong_element *element, hone_text *out)
{
    const double off = fabs(element->got - element->expected);

    hone__text_puts(out, wrong->array);
    hone__wrong_place(wrong, element->index, out);
    hone__text_puts(out, " = ");
    hone__wrong_value(wrong, element->got, element->got_long, out);
    hone__text_puts(out, ", expected ");
    hone__wrong_value(wrong, element->expected, element->expected_long, out);
    if (off > 0 || element->bound > 0)
        hone__text_printf(out, ", off by %.3g (allowed %.3g)", off,
                          element->bound);
    else if (isnan(element->got))
        hone__text_puts(out, ": NaN, or it was never written");
}

/* ---- verdicts ------------------------------------------------------------ */

void hone__verdict_set_wrong(hone_verdict *verdict, const char *text)
{
    verdict->outcome = HONE_OUTCOME_WRONG;
    (void)snprintf(verdict->message, sizeof verdict->message, "%.310s", text);
}

void hone__verdict_set_unstable(hone_verdict *verdict, int n_right, int n)
{
    char wrong[sizeof verdict->message];

    memcpy(wrong, verdict->message, sizeof wrong);
    verdict->outcome = HONE_OUTCOME_UNSTABLE;
    (void)snprintf(verdict->message, sizeof verdict->message,
                   "%.210s; right in %d of %d such runs: its threads race, it "
                   "keeps something from run to run, or memory failed",
                   wrong, n_right, n);
}

/* What is said of elements that are wrong. */
static void explain(const hone_comparison *result, int64_t count,
                    const char *check, const char *run, char *text, size_t size)
{
    const hone_compared *found = &result->found;
    const uint64_t n_numbers = found->n_bad - found->n_nan;
    const char *hint = "";
    char how[96] = "are NaN or were never written";

    if (n_numbers && result->exact) {
        (void)snprintf(how, sizeof how, "differ from the exact result");
    } else if (n_numbers && found->n_unbounded >= n_numbers) {
        (void)snprintf(how, sizeof how,
                       "differ where the bound is 0 or no number");
        hint = "; give one in the check, as abs(E) or by magnitude "
               "template.NAME";
    } else if (n_numbers) {
        (void)snprintf(how, sizeof how,
                       "are out of tolerance, the worst %.3g times the bound",
                       result->worst_ratio);
    }
    (void)snprintf(text, size,
                   "%llu of %lld elements %s (first: element %llu; %s, %s)%s",
                   (unsigned long long)found->n_bad, (long long)count, how,
                   (unsigned long long)found->first_bad, check, run, hint);
}

/* What is said of an array whose elements are right one by one; "": nothing.
 */
static void explain_whole(const hone_comparison *result, const char *check,
                          const char *run, char *text, size_t size)
{
    const uint64_t n_loose = result->found.n_loose;
    const uint64_t n_tight = result->found.n_tight;

    if (!(result->norm_ratio <= 1))
        (void)snprintf(text, size,
                       "the 2-norm of the error is %.3g times its bound (%s, "
                       "%s)",
                       result->norm_ratio, check, run);
    /* Nine of ten elements, and not by chance: the bound says nothing then. */
    else if (n_loose >= 16 && n_loose / 9 >= n_tight)
        (void)snprintf(text, size,
                       "the bound is so large that zeros would pass at %llu "
                       "of %llu elements (%s, %s): lower the numbers of the "
                       "check, or add exact(E)",
                       (unsigned long long)n_loose,
                       (unsigned long long)(n_loose + n_tight), check, run);
}

void hone__verdict_compared(hone_verdict *verdict, const char *check,
                            const hone_verify_run *run,
                            const hone_comparison *result, int64_t count)
{
    const hone_compared *found = &result->found;
    char text[320] = "";

    ++verdict->n_compared;
    if (!result->exact)
        verdict->error_ratio =
            fmax(verdict->error_ratio,
                 fmax(result->worst_ratio, result->norm_ratio));
    if (found->n_bad && (result->exact || found->n_nan || found->n_unbounded))
        verdict->error_ratio = INFINITY;
    if (found->n_bad)
        explain(result, count, check, run->name, text, sizeof text);
    else
        explain_whole(result, check, run->name, text, sizeof text);
    if (text[0])
        hone__verdict_set_wrong(verdict, text);
}

/* ---- why nothing was good ------------------------------------------------ */

/* Compilers quote in UTF-8, and what is too long was cut anywhere: JSON
 * would not take half a character. */
static void drop_cut_character(char *text)
{
    const size_t end = strlen(text);
    size_t at = end;
    unsigned first;

    while (at > 0 && ((unsigned char)text[at - 1] & 0xc0) == 0x80)
        --at;
    if (at == 0)
        return;
    first = (unsigned char)text[--at];
    if (end - at < (first >= 0xf0   ? 4u
                    : first >= 0xe0 ? 3u
                    : first >= 0xc0 ? 2u
                                    : 1u))
        text[at] = '\0';
}

/* The line that says error first; without one, the first line. */
static const char *find_line(const char *message)
{
    const char *at = strstr(message, "error");

    if (!at)
        at = message;
    while (at > message && at[-1] != '\n')
        --at;
    return at;
}

const char *hone__complaint_find(const char *message, size_t *out_length)
{
    enum { MOST_LINES = 12 };
    const char *begin = find_line(message);
    const char *end = begin + strcspn(begin, "\n");

    for (int n = 1; *end && n < MOST_LINES; ++n) {
        const size_t length = strcspn(end + 1, "\n");
        char line[256];

        (void)snprintf(line, sizeof line, "%.*s", (int)length, end + 1);
        if (!line[strspn(line, " \t\r")] || strstr(line, "error:") ||
            strstr(line, "warning"))
            break;
        end += 1 + length;
    }
    *out_length = (size_t)(end - begin);
    return begin;
}

void hone__failures_add(hone_failures *failures, hone_outcome outcome,
                        const char *message, int64_t n)
{
    hone_complaint *complaint = failures->complaints;
    hone_complaint *const end = complaint + failures->n_complaints;
    const char *at = find_line(message);
    char line[sizeof complaint->text];

    failures->outcomes[outcome] += n;
    (void)snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
    drop_cut_character(line);
    if (outcome == HONE_OUTCOME_OK || !line[0])
        return;
    while (complaint < end && (complaint->outcome != outcome ||
                               strcmp(complaint->text, line) != 0))
        ++complaint;
    if (complaint == end) {
        if (failures->n_complaints == HONE_MOST_COMPLAINTS)
            return;
        ++failures->n_complaints;
        complaint->outcome = outcome;
        complaint->n = 0;
        memcpy(complaint->text, line, sizeof line);
    }
    complaint->n += n;
}

static size_t append_counts(const hone_failures *failures, int64_t n_all,
                            char *out, size_t size)
{
    char all[32];
    size_t used = 0;

    (void)snprintf(all, sizeof all, " of %lld", (long long)n_all);
    for (int i = HONE_OUTCOME_OK + 1; i < HONE_N_OUTCOMES; ++i)
        if (failures->outcomes[i] && used < size)
            used += (size_t)snprintf(
                out + used, size - used, "%s%lld%s: %s", used ? ", " : "",
                (long long)failures->outcomes[i], used ? "" : all,
                hone__outcome_name((hone_outcome)i));
    return used;
}

void hone__failures_text(const hone_failures *failures, char *out, size_t size)
{
    const hone_complaint *worst = NULL; /* first of the most frequent ones */
    int64_t n_all = 0;
    size_t used;
    char how_often[48] = "; for example: ";

    for (size_t i = 0; i < failures->n_complaints; ++i)
        if (!worst || failures->complaints[i].n > worst->n)
            worst = &failures->complaints[i];
    for (int i = 0; i < HONE_N_OUTCOMES; ++i)
        n_all += failures->outcomes[i];
    out[0] = '\0';
    used = append_counts(failures, n_all, out, size);
    if (!worst || used >= size)
        return;
    if (worst->n == n_all)
        (void)snprintf(how_often, sizeof how_often, "%s",
                       n_all > 1 ? "; each time: " : ": ");
    else if (worst->n > 1)
        (void)snprintf(how_often, sizeof how_often,
                       "; most often (%lld times): ", (long long)worst->n);
    (void)snprintf(out + used, size - used, "%s%s", how_often, worst->text);
    drop_cut_character(out);
}
