/* SPDX-License-Identifier: Apache-2.0 */
/* Counting complaints: see failures.h. */
#include "tuner/judge/failures.h"

#include <stdio.h>
#include <string.h>

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

static void take_line(const char *message, char *out, size_t size)
{
    const char *at = find_line(message);

    (void)snprintf(out, size, "%.*s", (int)strcspn(at, "\n"), at);
    drop_cut_character(out);
}

void hone__failures_add(hone_failures *failures, hone_outcome outcome,
                        const char *message, int64_t n)
{
    hone_complaint *complaint = failures->complaints;
    hone_complaint *const end = complaint + failures->n_complaints;
    char line[sizeof complaint->text];

    failures->outcomes[outcome] += n;
    take_line(message, line, sizeof line);
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
    size_t used = 0;

    for (int i = 0; i < HONE_N_OUTCOMES; ++i) {
        const char *name = hone__outcome_name((hone_outcome)i);
        const long long n = (long long)failures->outcomes[i];

        if (i == HONE_OUTCOME_OK || !n || used >= size)
            continue;
        if (used)
            used += (size_t)snprintf(out + used, size - used, ", %lld: %s", n,
                                     name);
        else
            used = (size_t)snprintf(out, size, "%lld of %lld: %s", n,
                                    (long long)n_all, name);
    }
    return used;
}

/* The first of the most frequent ones. */
static const hone_complaint *most_frequent(const hone_failures *failures)
{
    const hone_complaint *found = NULL;

    for (size_t i = 0; i < failures->n_complaints; ++i) {
        if (!found || failures->complaints[i].n > found->n)
            found = &failures->complaints[i];
    }
    return found;
}

void hone__failures_text(const hone_failures *failures, char *out, size_t size)
{
    const hone_complaint *worst = most_frequent(failures);
    int64_t n_all = 0;
    size_t used;
    char how_often[48];

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
    else
        (void)snprintf(how_often, sizeof how_often, "; for example: ");
    (void)snprintf(out + used, size - used, "%s%s", how_often, worst->text);
    drop_cut_character(out);
}
