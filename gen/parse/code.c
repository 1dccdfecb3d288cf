/* SPDX-License-Identifier: Apache-2.0 */
/* Comments, literals and spliced lines of C++: see code.h. */
#include "gen/parse/code.h"

#include <ctype.h>
#include <string.h>

int hone__code_is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

int hone__code_names(const char *text, const char *name, size_t length)
{
    for (const char *at = text; (at = strchr(at, name[0])); ++at) {
        if (strncmp(at, name, length) == 0 && !hone__code_is_name(at[length]) &&
            (at == text || !hone__code_is_name(at[-1])))
            return 1;
    }
    return 0;
}

int hone__code_is_spliced(const char *text, size_t at)
{
    if (at && text[at - 1] == '\r')
        --at;
    return at && text[at - 1] == '\\';
}

/* First character after `at` that is not spliced away. */
static size_t after(const char *text, size_t at)
{
    ++at;
    while (text[at] == '\\') {
        const size_t end = at + 1 + (text[at + 1] == '\r');

        if (text[end] != '\n')
            break;
        at = end + 1;
    }
    return at;
}

/* `at` stands behind the two characters that open the comment. */
static size_t comment_end(const char *text, char kind, size_t at, size_t length)
{
    if (kind == '/') {
        while (at < length &&
               (text[at] != '\n' || hone__code_is_spliced(text, at)))
            ++at;
        return at;
    }
    for (; at < length; at = after(text, at)) {
        const size_t next = after(text, at);

        if (text[at] == '*' && text[next] == '/')
            return next + 1;
    }
    return length;
}

/* The identifier or number that ends before `at`. */
static size_t word_before(const char *text, size_t at)
{
    while (at && (hone__code_is_name(text[at - 1]) || text[at - 1] == '\''))
        --at;
    return at;
}

static int is_raw(const char *text, size_t quote)
{
    static const char *const prefixes[] = {"R", "LR", "uR", "UR", "u8R"};
    const size_t begin = word_before(text, quote);

    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; ++i) {
        if (strlen(prefixes[i]) == quote - begin &&
            memcmp(text + begin, prefixes[i], quote - begin) == 0)
            return 1;
    }
    return 0;
}

/* End of R"NAME( .. )NAME" whose quote stands at `quote`. */
static size_t raw_end(const char *text, size_t quote, size_t length)
{
    const char *name = text + quote + 1;
    const size_t name_length = strcspn(name, "( )\\\t\n");
    const char *at = name + name_length;

    if (*at != '(')
        return quote + 1;
    while ((at = strchr(at, ')'))) {
        ++at;
        if (strncmp(at, name, name_length) == 0 && at[name_length] == '"')
            return (size_t)(at - text) + name_length + 1;
    }
    return length;
}

size_t hone__code_literal_end(const char *text, size_t at, size_t length)
{
    const char quote = text[at];
    size_t end = at + 1;

    if (quote != '"' && quote != '\'')
        return at;
    if (quote == '\'' && isdigit((unsigned char)text[word_before(text, at)]))
        return at; /* the digit separator of 1'000 */
    if (quote == '"' && is_raw(text, at))
        return raw_end(text, at, length);
    while (end < length && text[end] != quote &&
           (text[end] != '\n' || hone__code_is_spliced(text, end)))
        end += text[end] == '\\' && end + 1 < length && text[end + 1] != '\n'
                   ? 2
                   : 1;
    return end < length && text[end] == quote ? end + 1 : end;
}

static void blank_comment(char *text, size_t begin, size_t end)
{
    memset(text + begin, ' ', end - begin);
}

static void blank_line_ends(char *text, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; ++i) {
        if (text[i] == '\n' || text[i] == '\r')
            text[i] = ' ';
    }
}

void hone__code_blank(char *text, size_t length)
{
    size_t at = 0;

    while (at < length) {
        const size_t next = after(text, at);
        size_t end;

        if (text[at] == '/' && (text[next] == '/' || text[next] == '*')) {
            end = comment_end(text, text[next], next + 1, length);
            blank_comment(text, at, end);
        } else {
            end = hone__code_literal_end(text, at, length);
            if (end > at && is_raw(text, at))
                blank_line_ends(text, at, end);
        }
        at = end > at ? end : at + 1;
    }
}
