/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a launch plan's text: see launch_reader.h. */
#include "runtime/launch/launch_reader.h"

#include "runtime/base/grow.h"

#include <stdio.h>
#include <string.h>

/* Names are found by looking at all of them: a plan of hone's has some hundred.
 */
enum { NEWEST_VERSION = 8, MOST_NAMES = 4096 };

hone_status hone__reader_fail(hone_reader *r, const char *what,
                              hone_piece about)
{
    return hone__fail(
        r->err, HONE_ERR_INPUT, "launch plan, line %d: %s '%.*s'", r->line,
        what, (int)(about.length > 200 ? 200 : about.length), about.text);
}

hone_status hone__reader_no_memory(hone_reader *r)
{
    return hone__out_of_memory(r->err, " while reading a launch plan");
}

hone_status hone__reader_push(hone_reader *r, void *list, size_t *n,
                              const void *item, size_t item_bytes)
{
    char *items;

    if (!hone__grow(list, *n, item_bytes))
        return hone__reader_no_memory(r);
    memcpy(&items, list, sizeof items);
    memcpy(items + (*n)++ * item_bytes, item, item_bytes);
    return HONE_OK;
}

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

hone_piece hone__piece_trim(hone_piece s)
{
    while (s.length && is_blank(s.text[0])) {
        ++s.text;
        --s.length;
    }
    while (s.length && is_blank(s.text[s.length - 1]))
        --s.length;
    return s;
}

int hone__piece_is(hone_piece s, const char *word)
{
    return s.length == strlen(word) && memcmp(s.text, word, s.length) == 0;
}

hone_piece hone__reader_word(hone_reader *r)
{
    hone_piece word = {r->rest.text, 0};

    while (word.length < r->rest.length && !is_blank(word.text[word.length]))
        ++word.length;
    r->rest = hone__piece_trim(
        (hone_piece){word.text + word.length, r->rest.length - word.length});
    return word;
}

hone_status hone__reader_name(hone_reader *r, hone_piece *out)
{
    const hone_piece word = hone__reader_word(r);
    int good = word.length > 0;

    for (size_t i = 0; i < word.length; ++i) {
        const char c = word.text[i];

        good &= (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
                (i && c >= '0' && c <= '9');
    }
    *out = word;
    return good ? HONE_OK
                : hone__reader_fail(r, "expected a name, found", word);
}

hone_status hone__reader_copy(hone_reader *r, hone_piece s, const char **out)
{
    *out = hone__arena_strndup(&r->spec->arena, s.text, s.length);
    return *out ? HONE_OK : hone__reader_no_memory(r);
}

hone_status hone__reader_at_end(hone_reader *r)
{
    return r->rest.length
               ? hone__reader_fail(r, "nothing may follow here, found", r->rest)
               : HONE_OK;
}

static const hone_reader_name *find_name(const hone_reader *r, hone_piece name)
{
    for (size_t i = 0; i < r->n_names; ++i) {
        if (r->names[i].name.length == name.length &&
            memcmp(r->names[i].name.text, name.text, name.length) == 0)
            return &r->names[i];
    }
    return NULL;
}

static hone_symbol lookup(void *user, const char *name, size_t length)
{
    static const char device[] = "device.";
    const size_t prefix = sizeof device - 1;
    const hone_reader_name *found = find_name(user, (hone_piece){name, length});

    if (found)
        return found->symbol;
    if (length > prefix && memcmp(name, device, prefix) == 0) {
        for (int i = 0; i < HONE_N_PROPERTIES; ++i) {
            if (hone__piece_is((hone_piece){name + prefix, length - prefix},
                               hone__property_names[i]))
                return (hone_symbol){HONE_SYMBOL_SLOT, i};
        }
    }
    return (hone_symbol){HONE_SYMBOL_UNKNOWN, 0};
}

hone_status hone__reader_declare(hone_reader *r, hone_piece name,
                                 hone_symbol symbol)
{
    const hone_reader_name declared = {name, symbol};

    if (find_name(r, name))
        return hone__reader_fail(r, "declared twice:", name);
    if (r->n_names == MOST_NAMES)
        return hone__reader_fail(r, "more than 4096 names:", name);
    return hone__reader_push(r, &r->names, &r->n_names, &declared,
                             sizeof declared);
}

hone_status hone__reader_expr(hone_reader *r, hone_piece text,
                              const hone_expr **out)
{
    hone_error inner = {0};
    hone_expr *expr = NULL;
    hone_status status;

    text = hone__piece_trim(text);
    if (!text.length)
        return hone__reader_fail(r, "an expression is missing", text);
    status = hone__expr_compile(text.text, text.length, lookup, r, &expr, NULL,
                                &inner);
    if (status == HONE_ERR_NO_MEMORY)
        return hone__reader_no_memory(r);
    if (status != HONE_OK)
        return hone__fail(
            r->err, HONE_ERR_INPUT, "launch plan, line %d: %s in '%.*s'",
            r->line, inner.text, (int)(text.length > 200 ? 200 : text.length),
            text.text);
    status = hone__reader_push(r, &r->spec->exprs, &r->spec->n_exprs, &expr,
                               sizeof(hone_expr *));
    if (status != HONE_OK)
        hone__expr_free(expr);
    else
        *out = expr;
    for (size_t i = 0; status == HONE_OK && i < r->spec->n_repeats; ++i) {
        if ((int)i + 1 != r->reads_repeat &&
            hone__expr_reads(expr, SLOT_REPEATS + i))
            return hone__reader_fail(
                r,
                "the number of a repetition is known in the 'if', grid and "
                "parameters of what is repeated, not in",
                text);
    }
    return status;
}

hone_status hone__reader_exprs(hone_reader *r, size_t most,
                               const hone_expr **out)
{
    hone_piece rest = r->rest;
    char what[48];

    for (size_t i = 0; i < most; ++i) {
        const char *cut = memchr(rest.text, ';', rest.length);
        const size_t length = cut ? (size_t)(cut - rest.text) : rest.length;

        HONE_TRY(
            hone__reader_expr(r, (hone_piece){rest.text, length}, &out[i]));
        if (!cut)
            return HONE_OK;
        rest = (hone_piece){cut + 1, rest.length - length - 1};
    }
    (void)snprintf(what, sizeof what, "more than %zu value%s, found", most,
                   most == 1 ? "" : "s");
    return hone__reader_fail(r, what, hone__piece_trim(rest));
}

hone_status hone__reader_part(hone_reader *r, hone_piece word,
                              const hone_reader_part *parts, size_t n_parts,
                              void *of, const char *twice)
{
    const hone_expr **exprs;
    size_t i = 0;

    while (i < n_parts && !hone__piece_is(word, parts[i].word))
        ++i;
    if (i == n_parts)
        return HONE_ERR_NOT_FOUND;
    exprs = (const hone_expr **)(void *)((char *)of + parts[i].offset);
    if (*exprs)
        return hone__reader_fail(r, twice, word);
    return parts[i].most ? hone__reader_exprs(r, parts[i].most, exprs)
                         : hone__reader_expr(r, r->rest, exprs);
}

hone_status hone__reader_constant(hone_reader *r, int64_t *out)
{
    const hone_piece text = r->rest;
    const hone_expr *expr = NULL;

    HONE_TRY(hone__reader_expr(r, text, &expr));
    if (hone__expr_slot_count(expr))
        return hone__reader_fail(r, "expected a constant, found", text);
    return hone__expr_eval(expr, NULL, out, r->err);
}

hone_status hone__reader_version(hone_reader *r)
{
    const hone_piece whole = r->rest;
    const hone_piece word = hone__reader_word(r);

    if (hone__piece_is(word, "hone-launch") && r->rest.length == 1 &&
        *r->rest.text >= '1' && *r->rest.text <= '0' + NEWEST_VERSION) {
        r->version = *r->rest.text - '0';
        return HONE_OK;
    }
    return hone__reader_fail(r,
                             "expected 'hone-launch 1' to 8 (a "
                             "newer hone may have written this), found",
                             whole);
}
