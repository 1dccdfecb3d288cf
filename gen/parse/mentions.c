/* SPDX-License-Identifier: Apache-2.0 */
/* Finding parameter names in code: see mentions.h. A name counts wherever it
 * stands outside comments, strings and pragma lines of ours; as itself, as
 * NAME_values, or with the prefix of its macros. A name that the code builds
 * with ## is not found. */
#include "gen/parse/mentions.h"

#include "gen/parse/code.h"
#include "runtime/base/alloc.h"

#include <ctype.h>
#include <string.h>

/* End of a literal or of one of our pragma lines that starts at `at`; `at`
 * itself if none does. */
static size_t skip_non_code(const char *code, size_t at, size_t length)
{
    const char *word = code + at + 1 + strspn(code + at + 1, " \t");

    if (code[at] != '#' || strncmp(word, "pragma", 6) != 0)
        return hone__code_literal_end(code, at, length);
    word += 6 + strspn(word + 6, " \t");
    if (strncmp(word, "hone", 4) != 0 || hone__code_is_name(word[4]))
        return at;
    at = (size_t)(word - code);
    while (at < length && (code[at] != '\n' || hone__code_is_spliced(code, at)))
        ++at;
    return at;
}

/* Does the word stand for the parameter or let `name`? */
static int names_it(const char *word, size_t length, const char *name)
{
    static const char macro[] = "HONE_";
    static const char values[] = "_values";
    const size_t name_length = strlen(name);

    if (length > sizeof macro - 1 &&
        strncmp(word, macro, sizeof macro - 1) == 0) {
        word += sizeof macro - 1;
        length -= sizeof macro - 1;
        return length >= name_length && strncmp(word, name, name_length) == 0 &&
               (length == name_length || word[name_length] == '_');
    }
    if (length < name_length || strncmp(word, name, name_length) != 0)
        return 0;
    word += name_length;
    length -= name_length;
    return length == 0 ||
           (length == sizeof values - 1 && strncmp(word, values, length) == 0);
}

static void mark(const hone_template *tmpl, const char *word, size_t length,
                 unsigned char *mentioned)
{
    for (size_t i = 0; i < tmpl->n_params; ++i)
        mentioned[i] |=
            (unsigned char)names_it(word, length, tmpl->params[i].name);
    for (size_t i = 0; i < tmpl->n_lets; ++i)
        mentioned[tmpl->n_params + i] |=
            (unsigned char)names_it(word, length, tmpl->lets[i].name);
}

static void mark_all(const hone_template *tmpl, const char *code,
                     unsigned char *mentioned)
{
    const size_t length = strlen(code);
    size_t at = 0;

    while (at < length) {
        const size_t skipped = skip_non_code(code, at, length);
        size_t end = at;

        while (skipped == at && hone__code_is_name(code[end]))
            ++end;
        if (end > at && !isdigit((unsigned char)code[at]))
            mark(tmpl, code + at, end - at, mentioned);
        at = skipped > at ? skipped : end > at ? end : at + 1;
    }
}

hone_status hone__mentions_find(const hone_parser *p, hone_error *err)
{
    hone_template *tmpl = p->tmpl;
    unsigned char *mentioned =
        hone__arena_alloc(&tmpl->arena, tmpl->n_params + tmpl->n_lets + 1);

    if (!mentioned)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    mark_all(tmpl, p->bare, mentioned);
    for (size_t i = 0; i < p->n_headers; ++i)
        mark_all(tmpl, p->headers[i].code, mentioned);
    tmpl->mentioned = mentioned;
    return HONE_OK;
}
