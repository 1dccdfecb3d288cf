/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers outside expressions: floating-point ones, of which expressions have
 * none, and ranges of integers: `1..7 step 3`, `pow2 16..256`. */
#include "gen/parse/parse.h"
#include "runtime/base/type.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t digits(const char *text, size_t at, size_t length)
{
    while (at < length && isdigit((unsigned char)text[at]))
        ++at;
    return at;
}

/* Bytes of the number that `text` begins with, 0 if it begins with none. One
 * that has neither a point nor an exponent is an integer. */
static size_t number_length(const char *text, size_t length, int *out_is_real)
{
    size_t at = length && (text[0] == '-' || text[0] == '+');
    const size_t whole = digits(text, at, length);
    size_t end = whole;
    size_t exponent;

    *out_is_real = 0;
    if (end < length && text[end] == '.' &&
        !(end + 1 < length && text[end + 1] == '.')) {
        *out_is_real = 1;
        end = digits(text, end + 1, length);
    }
    if (end == at + (size_t)*out_is_real)
        return 0; /* no digit at all */
    if (end == length || (text[end] != 'e' && text[end] != 'E'))
        return end;
    exponent = end + 1;
    exponent +=
        exponent < length && (text[exponent] == '-' || text[exponent] == '+');
    if (digits(text, exponent, length) == exponent)
        return end;
    *out_is_real = 1;
    return digits(text, exponent, length);
}

int hone__real_is(const hone_parser *p, hone_slice where)
{
    const size_t length = where.end - where.begin;
    int is_real;

    return number_length(p->bare + where.begin, length, &is_real) == length &&
           is_real;
}

int hone__real_starts(const hone_parser *p, hone_slice where)
{
    int is_real;

    return number_length(p->bare + where.begin, where.end - where.begin,
                         &is_real) != 0 &&
           is_real;
}

int hone__real_parse(const char *text, size_t length, double *out)
{
    char copy[64];
    int is_real;

    if (length >= sizeof copy ||
        number_length(text, length, &is_real) != length || !length)
        return 0;
    memcpy(copy, text, length);
    copy[length] = '\0';
    *out = strtod(copy, NULL) + 0.0; /* there is one zero */
    return isfinite(*out);
}

int hone__real_read(hone_parser *p, hone_slice where, double *out)
{
    const size_t length = where.end - where.begin;
    int is_real;

    if (number_length(p->bare + where.begin, length, &is_real) != length ||
        !length)
        return hone__complain(p, where, "'%.*s' is not a number", (int)length,
                              p->bare + where.begin);
    if (!hone__real_parse(p->bare + where.begin, length, out))
        return hone__complain(p, where,
                              "'%.*s' is more than a double can hold (or is "
                              "written with more than 63 characters)",
                              (int)length, p->bare + where.begin);
    return 1;
}

/* "1e-05" as "1e-5". */
static void drop_zeros(char *text)
{
    char *exponent = strchr(text, 'e');
    size_t n;

    if (!exponent)
        return;
    exponent += exponent[1] == '-' ? 2 : 1;
    n = strspn(exponent, "+0");
    memmove(exponent, exponent + n, strlen(exponent + n) + 1);
}

void hone__real_text(double value, hone_text *out)
{
    char text[40];

    for (int precision = 1; precision <= 17; ++precision) {
        (void)snprintf(text, sizeof text, "%.*g", precision, value);
        if (hone__real_bits(strtod(text, NULL)) == hone__real_bits(value))
            break;
    }
    drop_zeros(text);
    hone__text_puts(out, text);
    if (!strpbrk(text, ".e"))
        hone__text_puts(out, ".0");
}

/* ---- ranges -------------------------------------------------------------- */

hone_slice hone__range_bound(hone_cursor *c, const char *stops)
{
    static const char *const words[] = {"default", "for", "when", "step", NULL};

    return hone__cursor_until(c, stops, words);
}

static int bounds(hone_cursor *c, const char *stops, hone_range *out)
{
    hone_slice where = hone__range_bound(c, stops);

    if (hone__real_is(c->p, where))
        return hone__complain(
            c->p, where,
            "a range is of integers; list floating-point numbers: {0.5, 1.0}");
    if (!hone__compile_constant(c->p, where, &out->low))
        return 0;
    out->where = where;
    if (!hone__cursor_dots(c, ", or '{' before a list of values"))
        return 0;
    where = hone__range_bound(c, stops);
    if (!hone__compile_constant(c->p, where, &out->high))
        return 0;
    out->where.end = where.end;
    if (out->low > out->high)
        return hone__complain(c->p, out->where,
                              "the range is empty: %lld is more than %lld",
                              (long long)out->low, (long long)out->high);
    return 1;
}

int hone__range_read(hone_cursor *c, const char *stops, hone_range *out)
{
    *out =
        (hone_range){.step = 1, .is_pow2 = hone__cursor_accept_word(c, "pow2")};
    if (!bounds(c, stops, out))
        return 0;
    if (out->is_pow2 && out->low < 1)
        return hone__complain(c->p, out->where, "powers of two start at 1");
    if (!out->is_pow2 && hone__cursor_accept_word(c, "step")) {
        const hone_slice at = hone__range_bound(c, stops);

        if (!hone__compile_constant(c->p, at, &out->step))
            return 0;
        if (out->step < 1)
            return hone__complain(c->p, at, "a step is at least 1");
    }
    while (out->is_pow2 && out->low & (out->low - 1)) { /* up to the next */
        if (__builtin_add_overflow(out->low, out->low & -out->low, &out->low))
            out->low = INT64_MAX;
        if (out->low > out->high || out->low == INT64_MAX)
            return hone__complain(c->p, out->where,
                                  "no power of two is in this range");
    }
    return 1;
}

int hone__range_next(hone_range *range)
{
    return !__builtin_add_overflow(range->low,
                                   range->is_pow2 ? range->low : range->step,
                                   &range->low) &&
           range->low <= range->high;
}
