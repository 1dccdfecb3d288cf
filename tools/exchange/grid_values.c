/* SPDX-License-Identifier: Apache-2.0 */
/* What T4 and Kernel Tuner spell alike: values, times, samples, counters. */
#include "tools/exchange/grid_rows.h"

#include "runtime/base/grow.h"

#include <string.h>

const char *hone__grid_device(const hone_grid_rows *rows)
{
    static const char prefix[] = "replay of ";
    const char *name = hone__text_str(&rows->device_name);

    return strcmp(hone__text_str(&rows->device_kind), "replay") == 0 &&
                   strncmp(name, prefix, sizeof prefix - 1) == 0
               ? name + sizeof prefix - 1
               : name;
}

/* Is it how JSON spells a number? */
static int is_number(const char *text)
{
    size_t n;

    text += *text == '-';
    n = strspn(text, "0123456789");
    if (n == 0 || (n > 1 && *text == '0'))
        return 0;
    text += n;
    if (*text == '.') {
        n = strspn(text + 1, "0123456789");
        if (n == 0)
            return 0;
        text += n + 1;
    }
    if (*text == 'e') {
        text += 1 + (text[1] == '-' || text[1] == '+');
        n = strspn(text, "0123456789");
        if (n == 0)
            return 0;
        text += n;
    }
    return !*text;
}

void hone__grid_value_json(const char *value, hone_text *out)
{
    if (is_number(value) || strcmp(value, "true") == 0 ||
        strcmp(value, "false") == 0)
        hone__text_puts(out, value);
    else
        hone__json_quote(value, strlen(value), out);
}

/* ---- counters
 * ------------------------------------------------------------------ */

typedef struct grid_counter {
    char name[64];
    char unit[32];
    double value;
    int is_used;
} grid_counter;

struct hone_grid_counters {
    const char *op; /* of the rows */
    grid_counter *items;
    size_t n;
};

hone_grid_counters *hone__grid_counters_new(void)
{
    return hone__alloc(sizeof(hone_grid_counters));
}

void hone__grid_counters_free(hone_grid_counters *counters)
{
    if (counters)
        hone__free(counters->items);
    hone__free(counters);
}

/* What an import kept beside a trial has the operation in place of a kernel.
 * Counters of a profiler and what objectives measured (kernel "(run)", in other
 * units under the same names) have no place in these formats. */
static hone_status on_counter(void *user, const hone_db_row *row,
                              hone_error *err)
{
    hone_grid_counters *counters = user;
    grid_counter *counter;

    if (strcmp(row->values[0].text, counters->op) != 0 ||
        row->values[1].size_bytes >= sizeof counter->name ||
        row->values[2].size_bytes >= sizeof counter->unit)
        return HONE_OK;
    if (!HONE_GROW(counters->items, counters->n))
        return hone__out_of_memory(err, "");
    counter = &counters->items[counters->n++];
    (void)snprintf(counter->name, sizeof counter->name, "%s",
                   row->values[1].text);
    (void)snprintf(counter->unit, sizeof counter->unit, "%s",
                   row->values[2].text);
    counter->value = row->values[3].real;
    counter->is_used = 0;
    return HONE_OK;
}

hone_status hone__grid_counters_read(hone_grid_counters *counters,
                                     const hone_grid_rows *rows,
                                     const hone_db_value *values,
                                     hone_error *err)
{
    const hone_db_value *trial = &values[HONE_DB_FIELD_counters];

    hone__free(counters->items);
    *counters = (hone_grid_counters){.op = hone__text_str(&rows->op)};
    return trial->kind == HONE_DB_NULL
               ? HONE_OK
               : hone__db_counters(rows->export->db, trial->integer, on_counter,
                                   counters, err);
}

const double *hone__grid_counter(hone_grid_counters *counters, const char *name)
{
    for (size_t i = 0; i < counters->n; ++i) {
        if (strcmp(counters->items[i].name, name) == 0) {
            counters->items[i].is_used = 1; /* a name stands once in a trial */
            return strcmp(counters->items[i].unit, "ms") == 0
                       ? &counters->items[i].value
                       : NULL;
        }
    }
    return NULL;
}

void hone__grid_counters_rest(const hone_grid_counters *counters,
                              hone_grid_counter_fn *each, void *user)
{
    for (size_t i = 0; i < counters->n; ++i)
        if (!counters->items[i].is_used)
            each(user, counters->items[i].name, counters->items[i].unit,
                 counters->items[i].value);
}

/* ---- times
 * ---------------------------------------------------------------------- */

void hone__grid_ms(hone_grid_counters *counters, const char *name,
                   const hone_db_value *ns, hone_text *out)
{
    const double *exact = hone__grid_counter(counters, name);

    if (exact)
        hone__shortest(*exact, out);
    else if (ns && ns->kind != HONE_DB_NULL)
        hone__shortest_shifted(ns->real, -6, out);
    else
        hone__text_puts(out, "0.0");
}

hone_status hone__grid_samples(const hone_db_value *samples, hone_text *out,
                               hone_error *err)
{
    const char *at = samples->text;
    const char *separator = "";

    hone__text_puts(out, "[");
    at += *at == '[';
    while (*at && *at != ']') {
        size_t n = 4;

        if (strncmp(at, "null", n) != 0) { /* else none was measured */
            hone__text_puts(out, separator);
            n = hone__number_shifted(at, -6, out);
            separator = ", ";
        }
        if (n == 0)
            return hone__fail(err, HONE_ERR_DATABASE,
                              "the samples '%.60s' are no list of numbers",
                              samples->text);
        at += n + strspn(at + n, ", ");
    }
    hone__text_puts(out, "]");
    return HONE_OK;
}
