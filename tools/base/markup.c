/* SPDX-License-Identifier: Apache-2.0 */
/* Writing XML and HTML: see markup.h. */
#include "tools/base/markup.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- text ---------------------------------------------------------------- */

/* Bytes of the character at `text`, of which `length` are there; 0: it is no
 * UTF-8, or no character of XML. */
static size_t character_bytes(const unsigned char *text, size_t length)
{
    const unsigned char first = text[0];
    const size_t n = first < 0x80   ? 1
                     : first < 0xc2 ? 0
                     : first < 0xe0 ? 2
                     : first < 0xf0 ? 3
                     : first < 0xf5 ? 4
                                    : 0;
    uint32_t code;

    if (n == 0 || n > length)
        return 0;
    if (n == 1)
        return first >= ' ' || first == '\t' || first == '\n' ? 1 : 0;
    code = first & (0x7fu >> n);
    for (size_t i = 1; i < n; ++i) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (text[i] & 0x3fu);
    }
    /* What could be shorter, halves of pairs, and what is above Unicode. */
    if ((n == 3 && code < 0x800) || (n == 4 && code < 0x10000) ||
        code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ||
        (code >= 0x80 && code < 0xa0) || code == 0xfffe || code == 0xffff)
        return 0;
    return n;
}

static const char *escape_of(char c)
{
    switch (c) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void hone__markup_bytes(hone_text *out, const char *text, size_t length)
{
    for (size_t i = 0, n; i < length; i += n ? n : 1) {
        const char *escape = escape_of(text[i]);

        n = character_bytes((const unsigned char *)text + i, length - i);
        if (escape)
            hone__text_puts(out, escape);
        else if (n)
            hone__text_append(out, text + i, n);
        else
            hone__text_puts(out, "\xef\xbf\xbd");
    }
}

static void put_string(hone_text *out, const char *text)
{
    hone__markup_bytes(out, text, strlen(text));
}

/* ---- numbers ------------------------------------------------------------- */

/* printf writes the decimal point of the locale, which may be of any kind. */
static void put_coordinate(hone_text *out, double value)
{
    int64_t hundredths;
    char text[32];
    size_t length;

    if (!isfinite(value) || fabs(value) > 1e12)
        value = 0;
    hundredths = llround(value * 100);
    (void)snprintf(
        text, sizeof text, "%s%lld.%02lld", hundredths < 0 ? "-" : "",
        (long long)(hundredths < 0 ? -hundredths : hundredths) / 100,
        (long long)(hundredths < 0 ? -hundredths : hundredths) % 100);
    length = strlen(text);
    while (text[length - 1] == '0')
        --length;
    length -= text[length - 1] == '.';
    hone__text_append(out, text, length);
}

void hone__markup_number(double value, char out[32])
{
    const double size = fabs(value);
    char *point;

    if (!isfinite(value))
        (void)snprintf(out, 32, "%s", isnan(value) ? "-" : "inf");
    else if (size >= 1e3 && size < 1e7)
        (void)snprintf(out, 32, "%.0f", value);
    else
        (void)snprintf(out, 32, "%.4g", value);
    point = out + strspn(out, "0123456789+-einf");
    if (*point) {
        size_t rest = 0; /* of the point's own bytes */

        *point = '.';
        while (!strchr("0123456789", point[1 + rest]))
            ++rest;
        memmove(point + 1, point + 1 + rest, strlen(point + 1 + rest) + 1);
    }
}

static void put_number(hone_text *out, double value)
{
    char text[32];

    hone__markup_number(value, text);
    hone__text_puts(out, text);
}

/* ---- the format -----------------------------------------------------------
 */

/* What follows the '%'; returns where the format goes on. */
static const char *put_one(hone_text *out, const char *at, va_list *arguments)
{
    if (strncmp(at, "lld", 3) == 0) {
        hone__text_printf(out, "%lld", va_arg(*arguments, long long));
        return at + 3;
    }
    if (strncmp(at, "zu", 2) == 0) {
        hone__text_printf(out, "%zu", va_arg(*arguments, size_t));
        return at + 2;
    }
    if (*at == 'd')
        hone__text_printf(out, "%d", va_arg(*arguments, int));
    else if (*at == 's')
        put_string(out, va_arg(*arguments, const char *));
    else if (*at == 'f')
        put_coordinate(out, va_arg(*arguments, double));
    else if (*at == 'g')
        put_number(out, va_arg(*arguments, double));
    else
        hone__text_puts(out, "%");
    return at + 1;
}

void hone__markup(hone_text *out, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    for (const char *at = format; *at;) {
        const size_t length = strcspn(at, "%");

        hone__text_append(out, at, length);
        at += length;
        if (*at)
            at = put_one(out, at + 1, &arguments);
    }
    va_end(arguments);
}
