/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a T1 parameter: reading, checking and spelling them. */
#include "gen/t1/t1_loader.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef hone_t1_loader loader;

/* Shortest spelling that reads back as the same double, as Python prints. */
static void float_text(double value, char out[40])
{
    int decimals = 0; /* behind the first digit */
    int exponent;

    do
        (void)snprintf(out, 40, "%.*e", decimals, value);
    while (isfinite(value) && strtod(out, NULL) != value && ++decimals < 17);
    exponent = strchr(out, 'e') ? atoi(strchr(out, 'e') + 1) : 99;
    if (exponent >= -4 && exponent < 16)
        (void)snprintf(out, 40, "%.*f",
                       decimals > exponent ? decimals - exponent : 1, value);
}

/* Does the definition write its values as True and False? */
static int is_bool(const hone_json_tree *values)
{
    if (values->kind == HONE_JSON_ARRAY)
        return values->first && (values->first->kind == HONE_JSON_TRUE ||
                                 values->first->kind == HONE_JSON_FALSE);
    return strstr(values->text, "True") || strstr(values->text, "False");
}

static const char *value_text(loader *l, hone_datum value, int as_bool)
{
    char text[40];

    if (value.kind == HONE_DATUM_TEXT)
        return l->texts.items[value.i];
    if (value.kind == HONE_DATUM_FLOAT)
        float_text(value.d, text);
    else if (as_bool && (value.i == 0 || value.i == 1))
        (void)snprintf(text, sizeof text, value.i ? "True" : "False");
    else
        (void)snprintf(text, sizeof text, "%lld", (long long)value.i);
    return hone__arena_strndup(&l->t1->arena, text, strlen(text));
}

/* `text` as JSON: in quotes unless it is a number. */
static const char *value_json(loader *l, hone_datum value, const char *text)
{
    hone_text json = {0};
    const char *kept;

    if (value.kind == HONE_DATUM_INT)
        return strcmp(text, "True") == 0    ? "true"
               : strcmp(text, "False") == 0 ? "false"
                                            : text;
    if (value.kind == HONE_DATUM_FLOAT && isfinite(value.d))
        return text;
    hone__text_puts(&json, "\"");
    for (; *text; ++text) {
        if (*text == '"' || *text == '\\')
            hone__text_puts(&json, "\\");
        if ((unsigned char)*text < ' ')
            hone__text_printf(&json, "\\u%04x", (unsigned)*text);
        else
            hone__text_append(&json, text, 1);
    }
    hone__text_puts(&json, "\"");
    kept =
        hone__arena_strndup(&l->t1->arena, hone__text_str(&json), json.length);
    l->no_memory |= json.failed;
    hone__text_free(&json);
    return kept;
}

/* Values of a JSON list: [1, 2, "a", true]. */
static size_t read_json_values(loader *l, const hone_json_tree *list,
                               hone_datum *out)
{
    size_t n = 0;

    for (const hone_json_tree *i = list->first; i; i = i->next) {
        int ok = i->kind == HONE_JSON_TRUE || i->kind == HONE_JSON_FALSE;
        char *end;

        out[n] = hone__datum_int(i->kind == HONE_JSON_TRUE);
        if (i->kind == HONE_JSON_STRING) {
            out[n] = hone__datum_text(hone__text_number(
                &l->texts, &l->t1->arena, i->text, i->length));
            l->no_memory |= out[n].i < 0;
            ok = 1;
        } else if (i->kind == HONE_JSON_NUMBER) {
            errno = 0;
            out[n] = hone__datum_int(strtoll(i->text, &end, 10));
            ok = *end ? isdigit((unsigned char)i->text[i->length - 1])
                      : errno == 0; /* not NaN, Infinity or beyond 64 bits */
            if (*end)
                out[n] = hone__datum_float(strtod(i->text, NULL));
        }
        n += ok ? 1 : 0;
        if (!ok)
            hone__t1_complain(l, i,
                              "a value is a number, a text, true or false");
    }
    return n;
}

static size_t read_values(loader *l, const hone_json_tree *values,
                          hone_datum **out)
{
    hone_span where;
    hone_error err = {0};
    hone_datum *found = NULL;
    size_t n = 0;

    *out = NULL;
    if (values->kind == HONE_JSON_ARRAY) {
        if (values->n > HONE_PYTHON_ITEMS) {
            hone__t1_complain(l, values, "the list has more than %d values",
                              HONE_PYTHON_ITEMS);
            return 0;
        }
        *out = hone__t1_take(l, values->n, sizeof **out);
        return *out ? read_json_values(l, values, *out) : 0;
    }
    if (values->kind != HONE_JSON_STRING) {
        hone__t1_complain(l, values,
                          "\"Values\" has to be a list, or a string "
                          "that holds one");
        return 0;
    }
    if (hone__python_list(&l->python, values->text, values->length, &found, &n,
                          &where, &err)) {
        hone__t1_complain_in(l, values, where, &err);
        return 0;
    }
    *out = hone__t1_take(l, n, sizeof **out);
    if (*out && n)
        memcpy(*out, found, n * sizeof **out);
    hone__free(found);
    return *out ? n : 0;
}

static int check_values(loader *l, const hone_json_tree *at,
                        const hone_datum *values, size_t n)
{
    hone_datum *sorted = hone__t1_take(l, n, sizeof *sorted);

    if (n == 0)
        hone__t1_complain(l, at,
                          "the list of values is empty; a parameter has at "
                          "least one");
    if (n == 0 || !sorted)
        return 0;
    memcpy(sorted, values, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, hone__datum_order);
    for (size_t i = 1; i < n; ++i) {
        const char *text;

        if (hone__datum_order(&sorted[i - 1], &sorted[i]) != 0)
            continue;
        text = value_text(l, sorted[i], is_bool(at));
        l->no_memory |= !text;
        hone__t1_complain(l, at, "the value %s is listed twice",
                          text ? text : "");
        return 0;
    }
    return 1;
}

/* How the values are spelled. */
static void spell(loader *l, hone_t1_param *param, const hone_json_tree *values)
{
    const char **texts = hone__t1_take(l, param->n_values, sizeof *texts);
    const char **json = hone__t1_take(l, param->n_values, sizeof *json);
    const int as_bool = is_bool(values);

    for (size_t i = 0; texts && json && i < param->n_values; ++i) {
        texts[i] = value_text(l, param->values[i], as_bool);
        json[i] = texts[i] ? value_json(l, param->values[i], texts[i]) : NULL;
        l->no_memory |= !json[i];
    }
    param->texts = texts;
    param->json = json;
}

void hone__t1_read_values(loader *l, const hone_json_tree *values,
                          hone_t1_param *param)
{
    const size_t n_complaints = l->diagnostics->n;
    hone_datum *found;
    const size_t n = read_values(l, values, &found);

    if (l->diagnostics->n > n_complaints || l->no_memory ||
        !check_values(l, values, found, n))
        return;
    param->n_values = n;
    param->values = found;
    spell(l, param, values);
}

/* Files spell it as a value or as a text of one: 64, "64", true, "True". */
static int is_value(const hone_json_tree *value, const char *text)
{
    char *end, *value_end;
    const double number = strtod(text, &end);

    if (value->kind == HONE_JSON_TRUE || value->kind == HONE_JSON_FALSE)
        return strcmp(text, value->kind == HONE_JSON_TRUE ? "True" : "False") ==
                   0 ||
               strcmp(text, value->kind == HONE_JSON_TRUE ? "1" : "0") == 0;
    if (strcmp(value->text, text) == 0)
        return 1;
    return value->kind == HONE_JSON_NUMBER && end != text && !*end &&
           strtod(value->text, &value_end) == number;
}

void hone__t1_read_default(const hone_json_tree *value, hone_t1_param *param)
{
    const int is_scalar =
        value &&
        (value->kind == HONE_JSON_TRUE || value->kind == HONE_JSON_FALSE ||
         value->kind == HONE_JSON_NUMBER || value->kind == HONE_JSON_STRING);

    param->default_value = param->n_values;
    if (!is_scalar || !param->texts)
        return;
    param->default_text = value->kind == HONE_JSON_TRUE    ? "true"
                          : value->kind == HONE_JSON_FALSE ? "false"
                                                           : value->text;
    for (size_t i = 0; i < param->n_values; ++i)
        if (param->texts[i] && is_value(value, param->texts[i]))
            param->default_value = i;
}
