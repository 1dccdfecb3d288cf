/* SPDX-License-Identifier: Apache-2.0 */
/* Values of results as text and CSV: see output_value.h. */
#include "tools/output_value.h"

#include "tools/progress.h"

#include <string.h>

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
    for (const char *end = string + length; string < end; ++string) {
        const unsigned char c = (unsigned char)*string;
        const char shown = (char)(c < 0x20 || c == 0x7f ? ' ' : c);

        hone__text_append(out, &shown, 1);
    }
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

static void csv_field(const char *text, hone_text *out)
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

void hone__value_json(json_t *value, size_t flags, hone_text *out)
{
    if (json_dump_callback(value, append, out, JSON_ENCODE_ANY | flags))
        out->failed = 1;
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
