/* SPDX-License-Identifier: Apache-2.0 */
/* Finding parameter names in code: see mentions.h. A name counts wherever it
 * stands outside comments, strings and pragma lines of ours; as itself, as
 * NAME_values, or with the prefix of its macros. A name that the code builds
 * with ## is not found. */
#include "gen/parse/mentions.h"

#include "runtime/base/alloc.h"

#include <ctype.h>
#include <string.h>

static int is_name_character(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* End of a comment, a literal or one of our pragma lines that starts at `at`;
 * `at` itself if none does. */
static const char *skip_non_code(const char *at)
{
    if (at[0] == '/' && at[1] == '/')
        return at + strcspn(at, "\n");
    if (at[0] == '/' && at[1] == '*') {
        const char *end = strstr(at + 2, "*/");

        return end ? end + 2 : at + strlen(at);
    }
    if (*at == '"' || *at == '\'') {
        const char *end = at + 1;

        while (*end && *end != *at && *end != '\n')
            end += end[0] == '\\' && end[1] ? 2 : 1;
        return *end == *at ? end + 1 : end;
    }
    if (*at == '#') {
        const char *word = at + 1 + strspn(at + 1, " \t");

        if (strncmp(word, "pragma", 6) != 0)
            return at;
        word += 6 + strspn(word + 6, " \t");
        if (strncmp(word, "hone", 4) != 0 || is_name_character(word[4]))
            return at;
        do { /* with its continuation lines */
            word += strcspn(word, "\n");
            if (word[-1] != '\\')
                break;
        } while (*word++);
        return word;
    }
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

hone_status hone__mentions_find(hone_template *tmpl, const char *code,
                                hone_error *err)
{
    unsigned char *mentioned =
        hone__arena_alloc(&tmpl->arena, tmpl->n_params + tmpl->n_lets + 1);

    if (!mentioned)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    while (*code) {
        const char *end = skip_non_code(code);
        size_t length = 0;

        if (end != code) {
            code = end;
            continue;
        }
        while (is_name_character(code[length]))
            ++length;
        if (length && !isdigit((unsigned char)*code))
            mark(tmpl, code, length, mentioned);
        code += length ? length : 1;
    }
    tmpl->mentioned = mentioned;
    return HONE_OK;
}
