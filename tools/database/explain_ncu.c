/* SPDX-License-Identifier: Apache-2.0 */
/* What ncu printed around `hone run`: which variant ran on which device, and
 * what was counted. See explain.h. */
#include "tools/database/explain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FIELDS = 64 };

/* ---- what ran ---------------------------------------------------------------
 */

/* The object that `hone run --format json` prints among ncu's own lines. */
static json_t *find_run(const char *text)
{
    for (const char *at = text; at; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (*at == '{')
            return json_loads(at, JSON_DISABLE_EOF_CHECK, NULL);
    }
    return NULL;
}

static int is_text(const json_t *object, const char *key, const hone_text *text)
{
    const char *value = json_string_value(json_object_get(object, key));

    return value && strcmp(value, hone__text_str(text)) == 0;
}

int hone__explain_ncu_is_of(const hone_ncu_winner *winner, const char *text,
                            char why[200])
{
    json_t *run = find_run(text);
    const char *device = json_string_value(json_object_get(run, "device"));
    const int is_device = is_text(run, "device", &winner->card);
    const int is_winner =
        is_device && is_text(run, "implementation", &winner->implementation) &&
        is_text(run, "config", &winner->config);

    if (!run || !device)
        (void)snprintf(why, 200, "nothing says which variant ran");
    else if (!is_device)
        (void)snprintf(why, 200, "it ran on '%.64s', and was tuned on '%.64s'",
                       device, hone__text_str(&winner->card));
    else if (!is_winner)
        (void)snprintf(why, 200,
                       "another variant ran than the one that is explained");
    json_decref(run);
    return is_winner;
}

/* ---- what was counted
 * -------------------------------------------------------- */

typedef struct ncu_row {
    const char *fields[MOST_FIELDS];
    size_t n;
} ncu_row;

/* "a","b" in place. */
static void split(char *line, ncu_row *out)
{
    out->n = 0;
    for (char *at = line; *at == '"' && out->n < MOST_FIELDS;) {
        char *end = strstr(++at, "\",");

        out->fields[out->n++] = at;
        if (!end) {
            end = at + strlen(at);
            end[end > at && end[-1] == '"' ? -1 : 0] = '\0';
            return;
        }
        *end = '\0';
        at = end + 2;
    }
}

static size_t column(const ncu_row *head, const char *name)
{
    size_t i = 0;

    while (i < head->n && strcmp(head->fields[i], name) != 0)
        ++i;
    return i;
}

/* "1,234.5". 0: it is no number, as "n/a" where this device cannot count it. */
static int read_number(const char *text, double *out)
{
    char digits[64], *end = NULL;
    size_t n = 0;

    for (; *text && n + 1 < sizeof digits; ++text)
        if (*text != ',')
            digits[n++] = *text;
    digits[n] = '\0';
    *out = strtod(digits, &end);
    return n > 0 && end == digits + n && isfinite(*out);
}

static hone_status store_row(hone_db *db, int64_t trial_id, const ncu_row *head,
                             const ncu_row *row, int64_t *n_stored,
                             hone_error *err)
{
    const size_t kernel = column(head, "Kernel Name");
    const size_t name = column(head, "Metric Name");
    const size_t unit = column(head, "Metric Unit");
    const size_t value = column(head, "Metric Value");
    char short_name[128];
    double counted;

    if (kernel >= row->n || name >= row->n || unit >= row->n ||
        value >= row->n || !read_number(row->fields[value], &counted))
        return HONE_OK;
    (void)snprintf(short_name, sizeof short_name, "%.*s",
                   (int)strcspn(row->fields[kernel], "("), row->fields[kernel]);
    ++*n_stored;
    return hone__db_counter_put(db, trial_id, short_name, row->fields[name],
                                row->fields[unit], counted, err);
}

hone_status hone__explain_ncu_store(hone_db *db, int64_t trial_id, char *text,
                                    int64_t *n_stored, hone_error *err)
{
    ncu_row head = {.n = 0}, row;
    hone_status status = HONE_OK;

    *n_stored = 0;
    for (char *line = text; line && status == HONE_OK;) {
        char *end = strchr(line, '\n');

        if (end)
            *end++ = '\0';
        split(line, head.n ? &row : &head);
        if (head.n && strcmp(head.fields[0], "ID") != 0)
            head.n = 0;
        else if (head.n && line != head.fields[0] - 1 && *line)
            status = store_row(db, trial_id, &head, &row, n_stored, err);
        line = end;
    }
    return status;
}
