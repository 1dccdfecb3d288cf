/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of T1 definitions: see t1.h. A mistake is reported where it is
 * and the next parameter or condition is read. */
#include "gen/t1.h"

#include "gen/json_tree.h"
#include "gen/python.h"
#include "gen/suggest.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct loader {
    hone_t1 *t1;
    const char *source;
    hone_diagnostics *diagnostics;
    hone_texts texts;
    hone_python python;
    hone_error *err;
    int no_memory;
} loader;

/* ---- mistakes ----------------------------------------------------------- */

static void place_of(const char *source, size_t offset, int *out_line,
                     int *out_column)
{
    *out_line = 1;
    *out_column = 1;
    for (size_t i = 0; i < offset && source[i]; ++i) {
        *out_column = source[i] == '\n' ? 1 : *out_column + 1;
        *out_line += source[i] == '\n';
    }
}

static void complain(loader *l, size_t offset, size_t length,
                     const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void complain(loader *l, size_t offset, size_t length,
                     const char *format, ...)
{
    hone_diagnostics *list = l->diagnostics;
    hone_diagnostic *item =
        hone__realloc(list->items, (list->n + 1) * sizeof *item);
    va_list args;

    if (!item) {
        l->no_memory = 1;
        return;
    }
    list->items = item;
    item += list->n++;
    place_of(l->source, offset, &item->line, &item->column);
    item->length = length ? (int)length : 1;
    va_start(args, format);
    (void)vsnprintf(item->text, sizeof item->text, format, args);
    va_end(args);
}

/* A mistake inside a string; where it has escapes, at its beginning. */
static void complain_in(loader *l, const hone_json_tree *string,
                        hone_span where, const hone_error *err)
{
    if (err->status == HONE_ERR_NO_MEMORY)
        l->no_memory = 1;
    else if (string->is_plain)
        complain(l, string->offset + where.offset, where.length, "%s",
                 err->text);
    else
        complain(l, string->offset, string->end - string->offset, "%s",
                 err->text);
}

static void complain_at(loader *l, const hone_json_tree *value,
                        const char *sentence)
{
    const size_t length = value->type == HONE_JSON_TREE_OBJECT ||
                                  value->type == HONE_JSON_TREE_ARRAY
                              ? 1
                              : value->end - value->offset;

    complain(l, value->offset, length, "%s", sentence);
}

static void *take(loader *l, size_t n, size_t size)
{
    void *block = hone__arena_alloc(&l->t1->arena, (n + 1) * size);

    l->no_memory |= !block;
    return block;
}

/* A member that has to be there and of this type; NULL after a complaint. */
static const hone_json_tree *need(loader *l, const hone_json_tree *object,
                                  const char *key, hone_json_type type)
{
    const hone_json_tree *member = hone__json_tree_find(object, key);
    char sentence[96];

    if (member && member->type == type)
        return member;
    (void)snprintf(sentence, sizeof sentence,
                   member ? "\"%s\" has to be %s" : "\"%s\" is missing%s",
                   key,
                   !member                         ? " here"
                   : type == HONE_JSON_TREE_OBJECT ? "an object"
                   : type == HONE_JSON_TREE_ARRAY  ? "a list"
                                                   : "a string");
    complain_at(l, member ? member : object, sentence);
    return NULL;
}

static size_t count_items(const hone_json_tree *list)
{
    size_t n = 0;

    for (const hone_json_tree *i = list->first; i; i = i->next)
        ++n;
    return n;
}

/* ---- parameters --------------------------------------------------------- */

/* Shortest spelling that reads back as the same double, as Python prints. */
static void float_text(double value, char out[40])
{
    for (int digits = 1; digits <= 17; ++digits) {
        (void)snprintf(out, 40, "%.*g", digits, value);
        if (strtod(out, NULL) == value)
            break;
    }
    if (isfinite(value) && !strpbrk(out, ".e"))
        (void)snprintf(out + strlen(out), 3, ".0");
}

/* Does the definition write its values as True and False? */
static int is_bool(const hone_json_tree *values)
{
    if (values->type == HONE_JSON_TREE_ARRAY)
        return values->first && values->first->type == HONE_JSON_TREE_WORD;
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
    kept = hone__arena_strndup(&l->t1->arena, hone__text_str(&json),
                               json.length);
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
        hone_json_tree number = *i;
        hone_datum *one = NULL;
        size_t n_one;
        hone_span where;
        hone_error err = {0};
        char text[80];

        if (i->type == HONE_JSON_TREE_STRING) {
            out[n].kind = HONE_DATUM_TEXT;
            out[n].i = hone__text_number(&l->texts, &l->t1->arena, i->text,
                                         i->length);
            l->no_memory |= out[n++].i < 0;
            continue;
        }
        number.offset = i->offset;
        (void)snprintf(text, sizeof text, "[%.60s]",
                       i->type == HONE_JSON_TREE_WORD && *i->text == 't'
                           ? "True"
                       : i->type == HONE_JSON_TREE_WORD && *i->text == 'f'
                           ? "False"
                       : i->type == HONE_JSON_TREE_NUMBER ? i->text
                                                          : "?");
        if (hone__python_list(&l->python, text, strlen(text), &one, &n_one,
                              &where, &err))
            complain_at(l, &number, "a value is a number, a text, true or "
                                    "false");
        else
            out[n++] = one[0];
        hone__free(one);
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
    if (values->type == HONE_JSON_TREE_ARRAY) {
        *out = take(l, count_items(values), sizeof **out);
        return *out ? read_json_values(l, values, *out) : 0;
    }
    if (values->type != HONE_JSON_TREE_STRING) {
        complain_at(l, values, "\"Values\" has to be a list, or a string "
                               "that holds one");
        return 0;
    }
    if (hone__python_list(&l->python, values->text, values->length, &found,
                          &n, &where, &err)) {
        complain_in(l, values, where, &err);
        return 0;
    }
    *out = take(l, n, sizeof **out);
    if (*out && n)
        memcpy(*out, found, n * sizeof **out);
    hone__free(found);
    return *out ? n : 0;
}

/* Numbers by size, then texts; what Python finds equal is equal. */
static int by_value(const void *a, const void *b)
{
    hone_datum x;
    hone_datum y;

    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    if (x.kind == HONE_DATUM_TEXT || y.kind == HONE_DATUM_TEXT) {
        if (x.kind != y.kind)
            return x.kind == HONE_DATUM_TEXT ? 1 : -1;
        return (x.i > y.i) - (x.i < y.i);
    }
    if (hone__datum_truth(hone__datum_apply(HONE_OP_LT, x, y, x)))
        return -1;
    return hone__datum_truth(hone__datum_apply(HONE_OP_GT, x, y, x));
}

static int check_values(loader *l, const hone_json_tree *at,
                        const hone_datum *values, size_t n)
{
    hone_datum *sorted = take(l, n, sizeof *sorted);

    if (n == 0)
        complain_at(l, at, "the list of values is empty; a parameter has at "
                           "least one");
    if (n == 0 || !sorted)
        return 0;
    memcpy(sorted, values, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_value);
    for (size_t i = 1; i < n; ++i) {
        if (by_value(&sorted[i - 1], &sorted[i]) != 0)
            continue;
        complain(l, at->offset, at->end - at->offset,
                 "the value %s is listed twice",
                 value_text(l, sorted[i], is_bool(at)));
        return 0;
    }
    return 1;
}

/* How the values are spelled. */
static void spell(loader *l, hone_t1_param *param,
                  const hone_json_tree *values)
{
    const char **texts = take(l, param->n_values, sizeof *texts);
    const char **json = take(l, param->n_values, sizeof *json);
    const int as_bool = is_bool(values);

    for (size_t i = 0; texts && json && i < param->n_values; ++i) {
        texts[i] = value_text(l, param->values[i], as_bool);
        json[i] = texts[i] ? value_json(l, param->values[i], texts[i]) : NULL;
        l->no_memory |= !json[i];
    }
    param->texts = texts;
    param->json = json;
}

static void read_param(loader *l, const hone_json_tree *item)
{
    hone_t1 *t1 = l->t1;
    const hone_json_tree *name = need(l, item, "Name", HONE_JSON_TREE_STRING);
    const hone_json_tree *values = hone__json_tree_find(item, "Values");
    const size_t n_complaints = l->diagnostics->n;
    hone_t1_param *param = &t1->params[t1->n_params];
    hone_datum *found;

    if (!name)
        return;
    for (size_t i = 0; i < t1->n_params; ++i) {
        if (strcmp(t1->params[i].name, name->text) == 0) {
            complain(l, name->offset, name->length,
                     "'%s' is declared twice", name->text);
            return;
        }
    }
    *param = (hone_t1_param){.name = name->text};
    ++t1->n_params; /* known to conditions whatever its values are */
    if (!values) {
        complain_at(l, item, "\"Values\" is missing here");
        return;
    }
    param->n_values = read_values(l, values, &found);
    if (l->diagnostics->n > n_complaints || l->no_memory ||
        !check_values(l, values, found, param->n_values))
        return;
    param->values = found;
    spell(l, param, values);
}

/* ---- conditions --------------------------------------------------------- */

static hone_node lookup(void *user, const char *name, size_t length,
                        char note[256])
{
    loader *l = user;
    hone_t1 *t1 = l->t1;
    hone_suggestion s;
    char hint[96];

    for (uint32_t i = 0; i < t1->n_params; ++i) {
        const hone_t1_param *param = &t1->params[i];

        if (strlen(param->name) == length &&
            memcmp(param->name, name, length) == 0)
            return param->n_values == 1 && param->values
                       ? hone__graph_const(&t1->graph, param->values[0])
                       : hone__graph_var(&t1->graph, i);
    }
    hone__suggest_start(&s, name, length);
    for (size_t i = 0; i < t1->n_params; ++i)
        hone__suggest_offer(&s, t1->params[i].name);
    (void)snprintf(note, 256, "no parameter is called '%.*s'%s", (int)length,
                   name, hone__suggest_text(&s, hint));
    return 0;
}

static void read_condition(loader *l, const hone_json_tree *item)
{
    hone_t1 *t1 = l->t1;
    const hone_json_tree *text = item->type == HONE_JSON_TREE_STRING
                                     ? item
                                     : need(l, item, "Expression",
                                            HONE_JSON_TREE_STRING);
    hone_t1_condition *condition = &t1->conditions[t1->n_conditions];
    hone_span where;
    hone_error err = {0};

    if (!text)
        return;
    condition->text = text->text;
    place_of(l->source, text->offset, &condition->line, &condition->column);
    l->python.lookup = lookup;
    l->python.user = l;
    if (hone__python_condition(&l->python, &t1->graph, text->text,
                               text->length, &condition->root, &where, &err))
        complain_in(l, text, where, &err);
    else
        ++t1->n_conditions;
}

/* ---- the file ----------------------------------------------------------- */

static void read_space(loader *l, const hone_json_tree *root)
{
    hone_t1 *t1 = l->t1;
    const hone_json_tree *space;
    const hone_json_tree *params;
    const hone_json_tree *conditions;

    space = need(l, root, "ConfigurationSpace", HONE_JSON_TREE_OBJECT);
    params = space ? need(l, space, "TuningParameters", HONE_JSON_TREE_ARRAY)
                   : NULL;
    if (!params)
        return;
    if (count_items(params) > HONE_GRAPH_VARS) {
        complain(l, params->offset, 1, "a space has at most %d parameters",
                 HONE_GRAPH_VARS);
        return;
    }
    t1->params = take(l, count_items(params), sizeof *t1->params);
    for (const hone_json_tree *i = params->first; t1->params && i;
         i = i->next)
        read_param(l, i);
    conditions = hone__json_tree_find(space, "Conditions");
    if (!conditions)
        return;
    if (conditions->type != HONE_JSON_TREE_ARRAY) {
        complain_at(l, conditions, "\"Conditions\" has to be a list");
        return;
    }
    t1->conditions = take(l, count_items(conditions),
                          sizeof *t1->conditions);
    for (const hone_json_tree *i = conditions->first; t1->conditions && i;
         i = i->next)
        read_condition(l, i);
}

static hone_status read_file(loader *l, size_t length)
{
    hone_t1 *t1 = l->t1;
    const hone_json_tree *name;
    hone_json_tree *root;
    hone_span where = {0, 1};
    hone_error err = {0};
    const hone_status status = hone__json_tree_read(
        l->source, length, &t1->arena, &root, &where, &err);

    if (status == HONE_ERR_NO_MEMORY) {
        l->no_memory = 1;
    } else if (status) {
        complain(l, where.offset, where.length, "%s", err.text);
    } else if (root->type != HONE_JSON_TREE_OBJECT) {
        complain(l, root->offset, 1, "a T1 definition is an object");
    } else {
        name = hone__json_tree_find(hone__json_tree_find(root, "General"),
                                    "BenchmarkName");
        t1->name =
            name && name->type == HONE_JSON_TREE_STRING ? name->text : "";
        read_space(l, root);
    }
    if (l->no_memory || t1->graph.failed)
        return hone__fail(l->err, HONE_ERR_NO_MEMORY, "out of memory");
    if (l->diagnostics->n == 0)
        return HONE_OK;
    return hone__fail(l->err, HONE_ERR_INPUT, "%s: %zu mistake%s", t1->path,
                      l->diagnostics->n, l->diagnostics->n == 1 ? "" : "s");
}

hone_status hone__t1_read(const char *path, const char *source, size_t length,
                          hone_t1 **out, hone_diagnostics *diagnostics,
                          hone_error *err)
{
    hone_t1 *t1 = hone__alloc(sizeof *t1);
    loader l = {.t1 = t1, .source = source, .diagnostics = diagnostics,
                .err = err};
    hone_status status;

    *out = NULL;
    *diagnostics = (hone_diagnostics){0};
    if (!t1)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    l.python = (hone_python){.arena = &t1->arena, .texts = &l.texts};
    t1->path = hone__arena_strndup(&t1->arena, path, strlen(path));
    status = t1->path ? read_file(&l, length)
                      : hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    if (status)
        hone__t1_free(t1);
    else
        *out = t1;
    return status;
}

void hone__t1_free(hone_t1 *t1)
{
    if (!t1)
        return;
    hone__graph_free(&t1->graph);
    hone__arena_free(&t1->arena);
    hone__free(t1);
}
