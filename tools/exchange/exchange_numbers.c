/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and strings as files spell them. */
#include "tools/exchange/exchange.h"

#include "tools/base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIGITS = 48 };

/* The digits "d.ddde+XX" of the shortest spelling. */
static void shortest_digits(double value, char out[40])
{
    for (int digits = 15; digits <= 17; ++digits) {
        (void)snprintf(out, 40, "%.*e", digits - 1, value);
        if (digits == 17 || strtod(out, NULL) == value)
            return;
    }
}

/* Digits and exponent as a plain number where that is short: 0.d1d2.. times
 * 10^(exponent + 1). */
static void put_digits(const char *digits, size_t n, int exponent,
                       hone_text *out)
{
    if (n == 0) {
        hone__text_puts(out, "0.0");
    } else if (exponent < -7 || exponent > 20) {
        hone__text_append(out, digits, 1);
        hone__text_puts(out, ".");
        hone__text_append(out, n > 1 ? digits + 1 : "0", n > 1 ? n - 1 : 1);
        hone__text_printf(out, "e%d", exponent);
    } else if (exponent < 0) {
        hone__text_puts(out, "0.");
        hone__text_append(out, "0000000", (size_t)(-1 - exponent));
        hone__text_append(out, digits, n);
    } else {
        const size_t whole = (size_t)exponent + 1;

        hone__text_append(out, digits, n < whole ? n : whole);
        for (size_t i = n; i < whole; ++i)
            hone__text_puts(out, "0");
        hone__text_puts(out, ".");
        hone__text_append(out, n > whole ? digits + whole : "0",
                          n > whole ? n - whole : 1);
    }
}

size_t hone__number_shifted(const char *text, int shift, hone_text *out)
{
    const char *at = text + (*text == '-' || *text == '+');
    char digits[MOST_DIGITS];
    size_t n = 0;
    int exponent = -1, has_point = 0, n_read = 0;

    for (; (*at >= '0' && *at <= '9') || (*at == '.' && !has_point); ++at) {
        if (*at == '.') {
            has_point = 1;
            continue;
        }
        ++n_read;
        exponent += !has_point && (n || *at != '0');
        exponent -= has_point && !n && *at == '0';
        if ((n || *at != '0') && n < MOST_DIGITS)
            digits[n++] = *at;
    }
    if (!n_read)
        return 0;
    if (*at == 'e' || *at == 'E') {
        char *end;
        const long e = strtol(at + 1, &end, 10);

        if (end == at + 1 || e < -9999 || e > 9999)
            return 0;
        exponent += (int)e;
        at = end;
    }
    while (n > 0 && digits[n - 1] == '0')
        --n;
    if (*text == '-' && n)
        hone__text_puts(out, "-");
    put_digits(digits, n, exponent + shift, out);
    return (size_t)(at - text);
}

void hone__shortest_shifted(double value, int shift, hone_text *out)
{
    char spelled[40];

    if (!isfinite(value)) {
        hone__text_puts(out, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
        return;
    }
    shortest_digits(value, spelled);
    (void)hone__number_shifted(spelled, shift, out);
}

void hone__shortest(double value, hone_text *out)
{
    hone__shortest_shifted(value, 0, out);
}

double hone__shifted(double value, int shift)
{
    char spelled[40], shifted[60];
    const char *e;

    if (!isfinite(value))
        return value;
    shortest_digits(value, spelled);
    e = strchr(spelled, 'e');
    (void)snprintf(shifted, sizeof shifted, "%.*se%d", (int)(e - spelled),
                   spelled, atoi(e + 1) + shift);
    return strtod(shifted, NULL);
}

void hone__json_quote(const char *text, size_t length, hone_text *out)
{
    size_t plain = 0;

    while (plain < length && text[plain] >= ' ' && text[plain] < 127 &&
           text[plain] != '"' && text[plain] != '\\')
        ++plain;
    if (plain == length) {
        hone__text_puts(out, "\"");
        hone__text_append(out, text, length);
        hone__text_puts(out, "\"");
        return;
    }
    {
        json_t *string = hone__json_string(text, length);

        out->failed |= !string;
        if (string)
            hone__value_json(string, JSON_ENCODE_ANY, out);
        json_decref(string);
    }
}

/* How much of it, from `at` on, is UTF-8. */
static size_t utf8_bytes(const char *text, size_t length, size_t at)
{
    const unsigned char *const bytes = (const unsigned char *)text;
    const size_t begin = at;
    size_t n;

    while (at < length &&
           (n = hone__json_character_bytes(bytes + at, length - at)) > 0)
        at += n;
    return at - begin;
}

void hone__json_quote_bytes(const char *text, size_t length, hone_text *out)
{
    size_t at = 0;

    if (utf8_bytes(text, length, 0) == length) {
        hone__json_quote(text, length, out);
        return;
    }
    hone__text_puts(out, "\"");
    while (at < length) {
        const size_t n = utf8_bytes(text, length, at);
        hone_text run = {0};

        hone__json_quote(text + at, n, &run);
        if (!run.failed) /* without its quotes */
            hone__text_append(out, run.data + 1, run.length - 2);
        out->failed |= run.failed;
        hone__text_free(&run);
        at += n;
        if (at < length)
            hone__text_printf(out, "\\udc%02x", (unsigned char)text[at++]);
    }
    hone__text_puts(out, "\"");
}
