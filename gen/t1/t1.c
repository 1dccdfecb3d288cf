/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of T1 definitions: see t1.h. A mistake is reported where it is
 * and the next parameter or condition is read. */
#include "gen/t1/t1_loader.h"

#include "gen/parse/suggest.h"
#include "runtime/base/grow.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef hone_t1_loader loader;

/* ---- mistakes and memory ------------------------------------------------ */

void hone__t1_complain(loader *l, const hone_json_tree *value,
                       const char *format, ...)
{
    hone_diagnostics *list = l->diagnostics;
    hone_diagnostic *mistake;
    va_list args;

    if (list->n == HONE_MOST_MISTAKES)
        return;
    if (!HONE_GROW(list->items, list->n)) {
        l->no_memory = 1;
        return;
    }
    mistake = &list->items[list->n++];
    *mistake =
        (hone_diagnostic){.line = value->line,
                          .column = value->column,
                          .length = value->width ? (int)value->width : 1};
    va_start(args, format);
    (void)vsnprintf(mistake->text, sizeof mistake->text, format, args);
    va_end(args);
}

void hone__t1_complain_in(loader *l, const hone_json_tree *string,
                          hone_span where, const hone_error *err)
{
    hone_json_tree part = *string;

    if (err->status == HONE_ERR_NO_MEMORY) {
        l->no_memory = 1;
        return;
    }
    if (string->is_plain) {
        part.column += (int)where.offset;
        part.width = where.length;
    }
    hone__t1_complain(l, &part, "%s", err->text);
}

void *hone__t1_take(loader *l, size_t n, size_t size)
{
    void *block = hone__arena_alloc(&l->t1->arena, (n + 1) * size);

    l->no_memory |= !block;
    return block;
}

/* A member that has to be there and of this type; NULL after a complaint. */
static const hone_json_tree *need(loader *l, const hone_json_tree *object,
                                  const char *key, hone_json_kind kind)
{
    const hone_json_tree *member = hone__json_tree_find(object, key);

    if (member && member->kind == kind)
        return member;
    if (member)
        hone__t1_complain(l, member, "\"%s\" has to be %s", key,
                          kind == HONE_JSON_OBJECT  ? "an object"
                          : kind == HONE_JSON_ARRAY ? "a list"
                                                    : "a string");
    else
        hone__t1_complain(l, object, "\"%s\" is missing here", key);
    return NULL;
}

/* ---- parameters --------------------------------------------------------- */

static void read_param(loader *l, const hone_json_tree *item)
{
    hone_t1 *t1 = l->t1;
    const hone_json_tree *name = need(l, item, "Name", HONE_JSON_STRING);
    const hone_json_tree *values = hone__json_tree_find(item, "Values");
    hone_t1_param *param = &t1->params[t1->n_params];

    if (!name)
        return;
    for (size_t i = 0; i < t1->n_params; ++i) {
        if (strcmp(t1->params[i].name, name->text) == 0) {
            hone__t1_complain(l, name, "'%s' is declared twice", name->text);
            return;
        }
    }
    *param = (hone_t1_param){.name = name->text};
    ++t1->n_params; /* known to conditions whatever its values are */
    if (!values) {
        hone__t1_complain(l, item, "\"Values\" is missing here");
        return;
    }
    hone__t1_read_values(l, values, param);
    hone__t1_read_default(hone__json_tree_find(item, "Default"), param);
}

/* ---- conditions --------------------------------------------------------- */

static hone_node lookup(void *user, const char *name, size_t length,
                        char note[256])
{
    loader *l = user;
    hone_t1 *t1 = l->t1;
    hone_suggestion s = hone__suggest(name, length);

    for (uint32_t i = 0; i < t1->n_params; ++i) {
        const hone_t1_param *param = &t1->params[i];

        if (strlen(param->name) == length &&
            memcmp(param->name, name, length) == 0)
            return param->n_values == 1 && param->values
                       ? hone__graph_const(&t1->graph, param->values[0])
                       : hone__graph_var(&t1->graph, i);
    }
    for (size_t i = 0; i < t1->n_params; ++i)
        hone__suggest_offer(&s, t1->params[i].name);
    (void)snprintf(note, 256, "no parameter is called '%.*s'%s", (int)length,
                   name, hone__suggest_text(&s));
    return 0;
}

static void read_condition(loader *l, const hone_json_tree *item)
{
    hone_t1 *t1 = l->t1;
    const hone_json_tree *text =
        item->kind == HONE_JSON_STRING
            ? item
            : need(l, item, "Expression", HONE_JSON_STRING);
    hone_t1_condition *condition = &t1->conditions[t1->n_conditions];
    hone_span where;
    hone_error err = {0};

    if (!text)
        return;
    condition->text = text->text;
    condition->line = text->line;
    condition->column = text->column;
    l->python.lookup = lookup;
    l->python.user = l;
    if (hone__python_condition(&l->python, &t1->graph, text->text, text->length,
                               &condition->root, &where, &err))
        hone__t1_complain_in(l, text, where, &err);
    else
        ++t1->n_conditions;
}

/* ---- the file ----------------------------------------------------------- */

static void read_space(loader *l, const hone_json_tree *root)
{
    hone_t1 *t1 = l->t1;
    const hone_json_tree *space =
        need(l, root, "ConfigurationSpace", HONE_JSON_OBJECT);
    const hone_json_tree *params =
        space ? need(l, space, "TuningParameters", HONE_JSON_ARRAY) : NULL;
    const hone_json_tree *conditions =
        hone__json_tree_find(space, "Conditions");

    if (!params)
        return;
    if (params->n > HONE_GRAPH_VARS) {
        hone__t1_complain(l, params, "a space has at most %d parameters",
                          HONE_GRAPH_VARS);
        return;
    }
    t1->params = hone__t1_take(l, params->n, sizeof *t1->params);
    for (const hone_json_tree *i = params->first; t1->params && i; i = i->next)
        read_param(l, i);
    if (!conditions)
        return;
    if (conditions->kind != HONE_JSON_ARRAY) {
        hone__t1_complain(l, conditions, "\"Conditions\" has to be a list");
        return;
    }
    t1->conditions = hone__t1_take(l, conditions->n, sizeof *t1->conditions);
    for (const hone_json_tree *i = conditions->first; t1->conditions && i;
         i = i->next)
        read_condition(l, i);
}

/* The file as a tree; NULL after a complaint. */
static const hone_json_tree *read_tree(loader *l, const char *source,
                                       size_t length)
{
    hone_json_reader *reader = NULL;
    hone_json_tree *root = NULL;
    hone_json_tree place = {.width = 1};
    hone_status status =
        hone__json_open_text(l->t1->path, source, length, &reader, NULL);

    if (status == HONE_OK)
        status = hone__json_tree_read(reader, &l->t1->arena, &root, NULL);
    if (status == HONE_ERR_NO_MEMORY) {
        l->no_memory = 1;
    } else if (status != HONE_OK) {
        const char *mistake =
            hone__json_mistake(reader, &place.line, &place.column);

        hone__t1_complain(l, &place, "%s", mistake);
    }
    hone__json_close(reader);
    return status == HONE_OK ? root : NULL;
}

static hone_status read_file(loader *l, const char *source, size_t length)
{
    hone_t1 *t1 = l->t1;
    const hone_json_tree *root = read_tree(l, source, length);
    const hone_json_tree *name;

    if (root && root->kind != HONE_JSON_OBJECT) {
        hone__t1_complain(l, root, "a T1 definition is an object");
    } else if (root) {
        name = hone__json_tree_find(hone__json_tree_find(root, "General"),
                                    "BenchmarkName");
        t1->name = name && name->kind == HONE_JSON_STRING ? name->text : "";
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
    loader l = {.t1 = t1, .diagnostics = diagnostics, .err = err};
    hone_status status;

    *out = NULL;
    *diagnostics = (hone_diagnostics){0};
    if (!t1)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    l.python = (hone_python){.arena = &t1->arena, .texts = &l.texts};
    t1->path = hone__arena_strndup(&t1->arena, path, strlen(path));
    status = t1->path ? read_file(&l, source, length)
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
