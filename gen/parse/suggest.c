/* SPDX-License-Identifier: Apache-2.0 */
/* "Did you mean": the known word nearest to a mistyped one. */
#include "gen/parse/suggest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { WORD_MAX = 40 }; /* longer words get no suggestion */

/* Edits (insert, delete, replace, swap neighbours), ignoring case. */
static size_t edit_distance(const char *a, size_t n, const char *b, size_t m)
{
    size_t rows[3][WORD_MAX + 1];

    for (size_t j = 0; j <= m; ++j)
        rows[0][j] = j;
    for (size_t i = 1; i <= n; ++i) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3];
        const size_t *second = rows[(i + 1) % 3];

        row[0] = i;
        for (size_t j = 1; j <= m; ++j) {
            const int x = tolower((unsigned char)a[i - 1]);
            const int y = tolower((unsigned char)b[j - 1]);

            row[j] = above[j] < row[j - 1] ? above[j] + 1 : row[j - 1] + 1;
            if (above[j - 1] + (x != y) < row[j])
                row[j] = above[j - 1] + (x != y);
            if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
                y == tolower((unsigned char)a[i - 2]) &&
                second[j - 2] + 1 < row[j])
                row[j] = second[j - 2] + 1;
        }
    }
    return rows[n % 3][m];
}

hone_suggestion hone__suggest(const char *word, size_t length)
{
    /* One edit in three letters is a slip, more is another word. */
    const size_t most = length / 3 + 1;

    return (hone_suggestion){.word = word,
                             .length = length,
                             .distance = most > 4   ? 4
                                         : most < 2 ? 2
                                                    : most};
}

void hone__suggest_offer(hone_suggestion *s, const char *candidate)
{
    const size_t length = strlen(candidate);
    size_t distance;

    if (length > WORD_MAX || s->length > WORD_MAX)
        return;
    distance = edit_distance(s->word, s->length, candidate, length);
    /* "A" is not a slip for "B": something must be left of the word. */
    if (distance >= s->length)
        return;
    /* Of two equally near, the one as long as the word. */
    if (distance < s->distance ||
        (distance == s->distance && s->best && length == s->length &&
         strlen(s->best) != s->length)) {
        s->distance = distance;
        s->best = candidate;
    }
}

const char *hone__suggest_text(hone_suggestion *s)
{
    if (s->best)
        (void)snprintf(s->text, sizeof s->text, "; did you mean '%s'?",
                       s->best);
    return s->text;
}
