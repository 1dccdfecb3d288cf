/* SPDX-License-Identifier: Apache-2.0 */
/* Reading --start: lines become "A=1,B=2", whichever way they were written. */
#include "tools/base/start_file.h"

#include "runtime/base/alloc.h"
#include "runtime/base/grow.h"
#include "tools/base/message.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char blank[] = " \t\r";

typedef struct start_line {
    const char *path;
    int number;
} start_line;

static hone_status refuse(const start_line *at, const char *what,
                          hone_error *err)
{
    return hone__fail(err, HONE_ERR_INPUT,
                      "%s:%d: %s; a line is a configuration, A=1,B=2 or "
                      "{\"A\": 1, \"B\": 2}",
                      at->path, at->number, what);
}

/* Does the text begin with this parameter, or have it behind a comma? */
static int has_name(const char *text, const char *name, size_t length)
{
    for (const char *at = text; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, length) == 0 && at[length] == '=')
            return 1;
    }
    return 0;
}

static hone_status put_pair(const start_line *at, const char *name,
                            size_t name_length, const char *value,
                            size_t value_length, hone_text *out,
                            hone_error *err)
{
    char what[160];

    if (!name_length || !value_length || memchr(name, '=', name_length) ||
        memchr(value, ',', value_length))
        return refuse(at, "a parameter or its value is not one", err);
    if (has_name(hone__text_str(out), name, name_length)) {
        (void)snprintf(what, sizeof what, "%.*s is given twice",
                       name_length < 100 ? (int)name_length : 100, name);
        return refuse(at, what, err);
    }
    hone__text_printf(out, "%s%.*s=%.*s", out->length ? "," : "",
                      (int)name_length, name, (int)value_length, value);
    return HONE_OK;
}

/* Leaves out the blanks around `*text`. */
static size_t trim(const char **text, size_t length)
{
    while (length && strchr(blank, **text)) {
        ++*text;
        --length;
    }
    while (length && strchr(blank, (*text)[length - 1]))
        --length;
    return length;
}

static hone_status read_pairs(const start_line *at, const char *line,
                              hone_text *out, hone_error *err)
{
    for (;;) {
        const size_t length = strcspn(line, ",");
        const char *equals = memchr(line, '=', length);
        const char *name = line;
        const char *value = equals ? equals + 1 : line;
        size_t name_length, value_length;

        if (!equals)
            return refuse(at, "there is a part without '='", err);
        name_length = trim(&name, (size_t)(equals - line));
        value_length = trim(&value, length - (size_t)(equals + 1 - line));
        HONE_TRY(
            put_pair(at, name, name_length, value, value_length, out, err));
        if (!line[length])
            return HONE_OK;
        line += length + 1;
    }
}

static hone_status put_member(const start_line *at, const char *name,
                              const json_t *value, hone_text *out,
                              hone_error *err)
{
    char *text = json_is_string(value)
                     ? hone__strdup(json_string_value(value))
                     : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT |
                                             JSON_REAL_PRECISION(17));
    hone_status status;

    if (!text)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    status =
        json_is_object(value) || json_is_array(value) || json_is_null(value)
            ? refuse(at, "a value is neither number nor text", err)
            : put_pair(at, name, strlen(name), text, strlen(text), out, err);
    if (json_is_string(value))
        hone__free(text);
    else
        free(text); /* of jansson */
    return status;
}

static hone_status read_object(const start_line *at, const char *line,
                               hone_text *out, hone_error *err)
{
    json_error_t why;
    json_t *object = json_loads(line, JSON_REJECT_DUPLICATES, &why);
    hone_status status = HONE_OK;
    const char *name;
    json_t *value;

    if (!object) {
        char what[200];

        (void)snprintf(what, sizeof what, "this is not JSON: %.160s", why.text);
        return refuse(at, what, err);
    }
    json_object_foreach (object, name, value) {
        if (status == HONE_OK)
            status = put_member(at, name, value, out, err);
    }
    if (status == HONE_OK && !out->length)
        status = refuse(at, "there is no parameter", err);
    json_decref(object);
    return status;
}

static hone_status read_line(const start_line *at, char *line,
                             hone_start_file *out, hone_error *err)
{
    line += strspn(line, blank);
    if (*line != '{')
        line[strcspn(line, "#")] = '\0';
    if (!line[strspn(line, blank)])
        return HONE_OK;
    if (!HONE_GROW(out->items, out->n) || !HONE_GROW(out->texts, out->n))
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    out->items[out->n].line = at->number;
    out->texts[out->n] = (hone_text){0};
    ++out->n;
    HONE_TRY(*line == '{' ? read_object(at, line, &out->texts[out->n - 1], err)
                          : read_pairs(at, line, &out->texts[out->n - 1], err));
    return hone__text_check(&out->texts[out->n - 1], err);
}

static void on_left_out(void *user, const hone_start_item *item,
                        const char *why)
{
    const hone_start_file *file = user;

    hone__message_note("%s:%d: %s is left out: %s", file->start.path,
                       item->line, item->text, why);
}

hone_status hone__start_read(const hone_options *options, hone_start_file *out,
                             hone_error *err)
{
    start_line at = {options->text[HONE_OPT_START], 0};
    hone_text text = {0};
    hone_status status;
    char *line;

    *out = (hone_start_file){.start = {.path = at.path}};
    if (!at.path)
        return HONE_OK;
    status = hone__text_read_file(&text, at.path, err);
    for (line = text.data; status == HONE_OK && line;) {
        char *next = strchr(line, '\n');

        if (next)
            *next++ = '\0';
        ++at.number;
        if (!next && line + strlen(line) != text.data + text.length)
            status = refuse(&at, "there is a zero byte", err);
        else
            status = read_line(&at, line, out, err);
        line = next;
    }
    hone__text_free(&text);
    HONE_TRY(status);
    if (!out->n)
        return hone__fail(err, HONE_ERR_INPUT,
                          "%s: there is no configuration in it", at.path);
    for (size_t i = 0; i < out->n; ++i)
        out->items[i].text = hone__text_str(&out->texts[i]);
    out->start = (hone_start){at.path, out->items, out->n, on_left_out, out};
    return HONE_OK;
}

void hone__start_free(hone_start_file *file)
{
    for (size_t i = 0; i < file->n; ++i)
        hone__text_free(&file->texts[i]);
    hone__free(file->texts);
    hone__free(file->items);
    *file = (hone_start_file){.n = 0};
}
