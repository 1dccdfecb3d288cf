/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of integers: `1..7 step 3`, `pow2 16..256`. */
#include "gen/parse/parse.h"

hone_slice hone__range_bound(hone_cursor *c, const char *stops)
{
    static const char *const words[] = {"default", "for", "when", "step"};
    const hone_cursor start = *c;
    hone_slice first = hone__cursor_until(c, stops, words[0]);

    for (size_t i = 1; i < sizeof words / sizeof words[0]; ++i) {
        hone_cursor at = start;
        const hone_slice found = hone__cursor_until(&at, stops, words[i]);

        if (found.end < first.end) {
            first = found;
            *c = at;
        }
    }
    return first;
}

static int bounds(hone_cursor *c, const char *stops, hone_range *out)
{
    hone_slice where = hone__range_bound(c, stops);

    if (hone__real_is(c->p->bare + where.begin, where.end - where.begin))
        return hone__complain(c->p, where,
                              "a range is of integers; list floating-point "
                              "numbers: {0.5, 1.0}");
    if (!hone__compile_constant(c->p, where, &out->low))
        return 0;
    out->where = where;
    if (!hone__cursor_accept(c, '.'))
        return hone__complain(c->p, hone__cursor_here(c),
                              "expected '..' and "
                              "the last value of the range, or '{' before a "
                              "list of values");
    ++c->at; /* the second dot: until() stops at two only */
    where = hone__range_bound(c, stops);
    if (!hone__compile_constant(c->p, where, &out->high))
        return 0;
    out->where.end = where.end;
    if (out->low > out->high)
        return hone__complain(c->p, out->where,
                              "the range is empty: %lld is "
                              "more than %lld",
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
