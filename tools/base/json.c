/* SPDX-License-Identifier: Apache-2.0 */
/* Results as JSON values: see json.h. */
#include "tools/base/json.h"

#include "tools/base/progress.h"
#include "tools/base/visible.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- values ------------------------------------------------------------- */

size_t hone__json_character_bytes(const unsigned char *at, size_t length)
{
    static const struct {
        unsigned char mask, lead;
        size_t bytes;
        uint32_t least;
    } kinds[] = {{0x80, 0x00, 1, 0},
                 {0xe0, 0xc0, 2, 0x80},
                 {0xf0, 0xe0, 3, 0x800},
                 {0xf8, 0xf0, 4, 0x10000}};

    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; ++k) {
        uint32_t code = at[0] & (unsigned char)~kinds[k].mask;

        if ((at[0] & kinds[k].mask) != kinds[k].lead || kinds[k].bytes > length)
            continue;
        for (size_t i = 1; i < kinds[k].bytes; ++i) {
            if ((at[i] & 0xc0) != 0x80)
                return 0;
            code = code << 6 | (at[i] & 0x3f);
        }
        return code >= kinds[k].least && code <= 0x10ffff &&
                       (code < 0xd800 || code > 0xdfff)
                   ? kinds[k].bytes
                   : 0;
    }
    return 0;
}

/* Sentences that are cut in the middle of a character, names of files. */
json_t *hone__json_string(const char *bytes, size_t length)
{
    hone_text text = {0};
    json_t *string = NULL;

    for (size_t i = 0; i < length;) {
        const size_t n = hone__json_character_bytes(
            (const unsigned char *)bytes + i, length - i);

        hone__text_append(&text, n ? bytes + i : "\xef\xbf\xbd", n ? n : 3);
        i += n ? n : 1;
    }
    if (!text.failed)
        string = json_stringn(hone__text_str(&text), text.length);
    hone__text_free(&text);
    return string;
}

json_t *hone__json_text(hone_text *text)
{
    json_t *string =
        text->failed ? NULL
                     : hone__json_string(hone__text_str(text), text->length);

    hone__text_free(text);
    return string;
}

json_t *hone__json_real(double value)
{
    if (isnan(value))
        return json_null();
    return isinf(value) ? json_string(value > 0 ? "inf" : "-inf")
                        : json_real(value);
}

/* ---- objects ------------------------------------------------------------ */

static json_t *next_value(char type, va_list *args)
{
    const char *text;
    int known;
    double real;
    int64_t integer;

    switch (type) {
    case 's':
        text = va_arg(*args, const char *);
        return text ? hone__json_string(text, strlen(text)) : json_null();
    case 'i':
        return json_integer(va_arg(*args, int));
    case 'I':
        return json_integer(va_arg(*args, int64_t));
    case 'f':
        return hone__json_real(va_arg(*args, double));
    case 'b':
        return json_boolean(va_arg(*args, int));
    case 'P':
        integer = va_arg(*args, int64_t);
        return integer > 0 ? json_integer(integer) : json_null();
    case 'p':
        real = va_arg(*args, double);
        return real > 0 ? hone__json_real(real) : json_null();
    case 'F':
        known = va_arg(*args, int);
        real = va_arg(*args, double);
        return known ? hone__json_real(real) : json_null();
    case 'o':
        return va_arg(*args, json_t *);
    default: /* 'n' */
        return json_null();
    }
}

/* All arguments are taken, also after a failure: some are stolen. */
json_t *hone__json_add(json_t *object, const char *members, ...)
{
    int failed = !object;
    va_list args;

    va_start(args, members);
    while (*members) {
        const size_t length = strcspn(members, ":");
        json_t *value = next_value(members[length + 1], &args);
        char name[64] = "";

        if (length < sizeof name)
            memcpy(name, members, length);
        if (failed)
            json_decref(value);
        else
            failed = json_object_set_new(object, name, value) != 0;
        members += length + 2;
        members += strspn(members, " ");
    }
    va_end(args);
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

json_t *hone__json_append(json_t *array, json_t *value)
{
    if (!array) {
        json_decref(value);
        return NULL;
    }
    if (json_array_append_new(array, value) == 0)
        return array;
    json_decref(array);
    return NULL;
}

/* ---- as text and CSV ----------------------------------------------------- */

static void object_text(json_t *object, hone_text *out)
{
    const char *key;
    json_t *value;
    int first = 1;

    json_object_foreach (object, key, value) {
        hone__text_printf(out, "%s%s ", first ? "" : ", ", key);
        hone__value_text(value, HONE_CELL_TEXT, out);
        first = 0;
    }
}

static void array_text(json_t *array, hone_text *out)
{
    for (size_t i = 0; i < json_array_size(array); ++i) {
        if (i)
            hone__text_puts(out, ", ");
        hone__value_text(json_array_get(array, i), HONE_CELL_TEXT, out);
    }
}

/* Control characters would break the table's lines. */
static void string_text(const char *string, size_t length, hone_text *out)
{
    hone__text_visible(string, length, "", out);
}

static void number_text(const json_t *value, hone_cell cell, hone_text *out)
{
    char buffer[32];

    if (cell == HONE_CELL_TIME_NS) {
        hone__time_text(json_number_value(value), buffer);
        hone__text_puts(out, buffer);
    } else if (cell == HONE_CELL_RATIO) {
        hone__text_printf(out, "%.2f", json_number_value(value));
    } else if (json_is_integer(value)) {
        hone__text_printf(out, "%" JSON_INTEGER_FORMAT,
                          json_integer_value(value));
    } else {
        hone__text_printf(out, "%.4g", json_real_value(value));
    }
}

void hone__value_lines(const char *string, hone_text *out)
{
    for (;;) {
        const size_t length = strcspn(string, "\n");

        string_text(string, length, out);
        string += length + strspn(string + length, "\n");
        if (!*string)
            return;
        hone__text_puts(out, "\n    ");
    }
}

void hone__value_text(json_t *value, hone_cell cell, hone_text *out)
{
    switch (value ? json_typeof(value) : JSON_NULL) {
    case JSON_OBJECT:
        object_text(value, out);
        return;
    case JSON_ARRAY:
        array_text(value, out);
        return;
    case JSON_STRING:
        string_text(json_string_value(value), json_string_length(value), out);
        return;
    case JSON_INTEGER:
    case JSON_REAL:
        number_text(value, cell, out);
        return;
    case JSON_TRUE:
        hone__text_puts(out, "yes");
        return;
    case JSON_FALSE:
        hone__text_puts(out, "no");
        return;
    case JSON_NULL:
        hone__text_puts(out, "-");
        return;
    }
}

static void csv_plain(const char *text, hone_text *out)
{
    if (!strpbrk(text, ",\"\r\n")) {
        hone__text_puts(out, text);
        return;
    }
    hone__text_puts(out, "\"");
    for (; *text; ++text) {
        if (*text == '"')
            hone__text_puts(out, "\"");
        hone__text_append(out, text, 1);
    }
    hone__text_puts(out, "\"");
}

static int append(const char *bytes, size_t length, void *user)
{
    hone__text_append(user, bytes, length);
    return 0;
}

/* Whoever reads a file gets what was stored, and a terminal what is visible. */
static void csv_field(const char *text, hone_text *out)
{
    hone_text visible = {0};

    if (!isatty(STDOUT_FILENO)) {
        csv_plain(text, out);
        return;
    }
    hone__text_visible(text, strlen(text), "\n", &visible);
    csv_plain(hone__text_str(&visible), out);
    out->failed |= visible.failed;
    hone__text_free(&visible);
}

void hone__value_json(json_t *value, size_t flags, hone_text *out)
{
    hone_text text = {0};
    const char *at;

    if (json_dump_callback(value, append, &text, JSON_ENCODE_ANY | flags))
        text.failed = 1;
    /* Of control characters jansson leaves those behind 0x1f as they are. */
    at = hone__text_str(&text);
    for (size_t i = 0; i < text.length;) {
        const size_t n =
            at[i] == '\n' ? 0
                          : hone__control_bytes(at + i, text.length - i, 0xff);

        if (n)
            hone__text_printf(out, "\\u%04x",
                              n == 2 ? (unsigned char)at[i + 1]
                                     : (unsigned char)at[i]);
        else
            hone__text_append(out, at + i, 1);
        i += n ? n : 1;
    }
    out->failed |= text.failed;
    hone__text_free(&text);
}

void hone__value_csv(json_t *value, hone_text *out)
{
    hone_text text = {0};

    if (!value || json_is_null(value))
        return;
    if (json_is_string(value)) {
        csv_field(json_string_value(value), out);
        return;
    }
    hone__value_json(value, JSON_COMPACT, &text);
    csv_field(hone__text_str(&text), out);
    out->failed |= text.failed;
    hone__text_free(&text);
}

/* ---- columns ------------------------------------------------------------ */

static void read_column(const char *text, size_t length, hone_column *out)
{
    static const char kinds[] = "nrtc"; /* as in hone_cell, text before them */
    const size_t n_key = strcspn(text, ":=,");
    const char *kind = text[n_key] == ':' ? strchr(kinds, text[n_key + 1]) : "";
    const size_t at = strcspn(text, "=,");
    const int is_titled = at < length;

    (void)snprintf(out->key, sizeof out->key, "%.*s", (int)n_key, text);
    (void)snprintf(out->title, sizeof out->title, "%.*s",
                   (int)(is_titled ? length - at - 1 : n_key),
                   is_titled ? text + at + 1 : text);
    out->cell = kind && *kind ? (hone_cell)(kind - kinds + HONE_CELL_NUMBER)
                              : HONE_CELL_TEXT;
}

size_t hone__columns_read(const char *text, hone_column *out, size_t most)
{
    size_t n = 0;

    while (*text && n < most) {
        const size_t length = strcspn(text, ",");

        read_column(text, length, &out[n++]);
        text += length + strspn(text + length, ", ");
    }
    return n;
}
