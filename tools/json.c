/* SPDX-License-Identifier: Apache-2.0 */
/* Results as JSON values: see json.h. */
#include "tools/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

/* ---- values ------------------------------------------------------------- */

/* Bytes of the character that begins here; 0: it is not UTF-8. */
static size_t character_bytes(const unsigned char *at, size_t length)
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
        const size_t n =
            character_bytes((const unsigned char *)bytes + i, length - i);

        hone__text_append(&text, n ? bytes + i : "\xef\xbf\xbd", n ? n : 3);
        i += n ? n : 1;
    }
    if (!text.failed)
        string = json_stringn(hone__text_str(&text), text.length);
    hone__text_free(&text);
    return string;
}

json_t *hone__json_text(const hone_text *text)
{
    return text->failed ? NULL
                        : hone__json_string(hone__text_str(text), text->length);
}

json_t *hone__json_real(double value)
{
    if (isnan(value))
        return json_null();
    return isinf(value) ? json_string(value > 0 ? "inf" : "-inf")
                        : json_real(value);
}

static json_t *real_if(int known, double value)
{
    return known ? hone__json_real(value) : json_null();
}

static json_t *integer_if(int known, int64_t value)
{
    return known ? json_integer(value) : json_null();
}

static json_t *text_or_null(const char *text)
{
    return text ? hone__json_string(text, strlen(text)) : json_null();
}

/* ---- objects ------------------------------------------------------------ */

static json_t *next_value(char type, va_list args)
{
    int known;
    double real;
    int64_t integer;

    switch (type) {
    case 's':
        return text_or_null(va_arg(args, const char *));
    case 'i':
        return json_integer(va_arg(args, int));
    case 'I':
        return json_integer(va_arg(args, int64_t));
    case 'f':
        return hone__json_real(va_arg(args, double));
    case 'b':
        return json_boolean(va_arg(args, int));
    case 'P':
        integer = va_arg(args, int64_t);
        return integer_if(integer > 0, integer);
    case 'p':
        real = va_arg(args, double);
        return real_if(real > 0, real);
    case 'F':
        known = va_arg(args, int);
        real = va_arg(args, double);
        return real_if(known, real);
    case 'o':
        return va_arg(args, json_t *);
    default: /* 'n' */
        return json_null();
    }
}

/* All arguments are taken, also after a failure: some are stolen. */
static json_t *add(json_t *object, const char *members, va_list args)
{
    int failed = !object;

    while (*members) {
        const size_t length = strcspn(members, ":");
        json_t *value = next_value(members[length + 1], args);
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
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

json_t *hone__json(const char *members, ...)
{
    json_t *object = json_object();
    va_list args;

    va_start(args, members);
    object = add(object, members, args);
    va_end(args);
    return object;
}

json_t *hone__json_add(json_t *object, const char *members, ...)
{
    va_list args;

    va_start(args, members);
    object = add(object, members, args);
    va_end(args);
    return object;
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
