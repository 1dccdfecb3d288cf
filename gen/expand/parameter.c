/* SPDX-License-Identifier: Apache-2.0 */
/* See parameter.h. */
#include "gen/expand/parameter.h"
#include "gen/parse/code.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Past a comment or a literal that begins at `at`, or NULL. */
static const char *skip_other(const char *at)
{
    if (at[0] == '/' && at[1] == '/')
        return at + strcspn(at, "\n");
    if (at[0] == '/' && at[1] == '*') {
        const char *end = strstr(at + 2, "*/");

        return end ? end + 2 : at + strlen(at);
    }
    if (*at != '"')
        return NULL;
    for (++at; *at && *at != '"' && *at != '\n'; ++at)
        at += at[0] == '\\' && at[1];
    return *at == '"' ? at + 1 : at;
}

const char *hone__parameters_find(const char *text, const char *name)
{
    const size_t length = strlen(name);

    for (const char *at = text; *at;) {
        const char *rest = skip_other(at);

        if (rest) {
            at = rest;
            continue;
        }
        if (strncmp(at, name, length) == 0 && !hone__code_is_name(at[length]) &&
            (at == text || !hone__code_is_name(at[-1]))) {
            rest = at + length + strspn(at + length, " \t\n");
            if (*rest == '(')
                return rest + 1;
        }
        ++at;
    }
    return NULL;
}

const char *hone__parameter_end(const char *at)
{
    int depth = 0;

    for (; *at; ++at) {
        const char *rest = skip_other(at);

        if (rest)
            at = rest;
        if (!*at || (depth == 0 && (*at == ',' || *at == ')')))
            return at;
        depth += strchr("([{<", *at) != NULL;
        depth -= strchr(")]}>", *at) != NULL;
    }
    return at;
}

void hone__parameter_code(const char *at, const char *end, hone_text *out)
{
    int is_blank = 1;

    while (at < end) {
        const char *rest = skip_other(at);

        if (rest || isspace((unsigned char)*at)) {
            at = rest ? rest : at + 1;
            if (!is_blank)
                hone__text_puts(out, " ");
            is_blank = 1;
            continue;
        }
        if (*at == '\\')
            hone__text_puts(out, "\\");
        hone__text_append(out, at++, 1);
        is_blank = 0;
    }
    while (out->length && out->data && out->data[out->length - 1] == ' ')
        out->data[--out->length] = '\0';
}

void hone__parameter_put(const char *parameters, size_t index, hone_text *out)
{
    const char *end = parameters;

    for (size_t i = 0; end; ++i) {
        end = hone__parameter_end(parameters);
        if (i == index) {
            hone__parameter_code(parameters, end, out);
            return;
        }
        if (*end != ',')
            return;
        parameters = end + 1;
    }
}

static size_t word_length(const char *at)
{
    size_t length = 0;

    while (hone__code_is_name(at[length]))
        ++length;
    return length;
}

static int is_word(const char *at, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(at, word, length) == 0;
}

/* "long", "long": "long long". 0: too long. */
static int join(char type[64], const char *word)
{
    const size_t used = strlen(type);

    if (used + strlen(word) + 2 > 64)
        return 0;
    (void)snprintf(type + used, 64 - used, "%s%s", used ? " " : "", word);
    return 1;
}

/* The words up to a star or the end; the last is set apart, since it is the
 * name where no star follows. 0: something else stands there. */
static int take_words(const char **at, const char *end, hone_parameter *out,
                      char last[64])
{
    last[0] = '\0';
    for (; *at < end && **at != '*'; *at += isspace((unsigned char)**at) != 0) {
        const size_t length = word_length(*at);

        if (length == 0 && !isspace((unsigned char)**at))
            return 0;
        if (is_word(*at, length, "const"))
            out->is_const = 1;
        else if (length) {
            if (length >= 64 || !join(out->type, last))
                return 0;
            (void)snprintf(last, 64, "%.*s", (int)length, *at);
        }
        *at += length;
    }
    return last[0] != '\0';
}

/* Behind a star: what says nothing of the type, and one name. */
static int is_name(const char *at, const char *end)
{
    size_t n = 0;

    while (at < end) {
        const size_t length = word_length(at);

        if (length == 0 && !isspace((unsigned char)*at))
            return 0;
        n += length && !is_word(at, length, "const") &&
             !is_word(at, length, "__restrict__") &&
             !is_word(at, length, "__restrict");
        at += length ? length : 1;
    }
    return n == 1;
}

int hone__parameter_parse(const char **at, hone_parameter *out)
{
    const char *from = *at;
    const char *end = hone__parameter_end(from);
    const char *at_type = from;
    char last[64];

    memset(out, 0, sizeof *out);
    *at = end;
    if (!take_words(&at_type, end, out, last))
        return 0;
    out->is_pointer = at_type < end;
    if (!out->is_pointer) /* the last word is its name */
        return out->type[0] != '\0';
    return join(out->type, last) && is_name(at_type + 1, end);
}
