/* SPDX-License-Identifier: Apache-2.0 */
/* Comments, literals and spliced lines of C++, and what decides about a text
 * without what its author may change freely: see code.h. */
#include "gen/parse/code.h"
#include "runtime/base/alloc.h"

#include <ctype.h>
#include <string.h>

int hone__code_is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

int hone__code_names(const char *text, const char *name, size_t length)
{
    for (const char *at = text; (at = strchr(at, name[0])); ++at) {
        if (length > 1 && at[1] != name[1])
            continue; /* most, so that strncmp() is seldom called */
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

int hone__code_is_raw(const char *text, size_t quote)
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
    if (quote == '"' && hone__code_is_raw(text, at))
        return raw_end(text, at, length);
    while (end < length && text[end] != quote &&
           (text[end] != '\n' || hone__code_is_spliced(text, end)))
        end += text[end] == '\\' && end + 1 < length && text[end + 1] != '\n'
                   ? 2
                   : 1;
    return end < length && text[end] == quote ? end + 1 : end;
}

int hone__code_has_mark(const char *text, size_t length)
{
    return length >= HONE_CODE_MARK &&
           memcmp(text, "\xEF\xBB\xBF", HONE_CODE_MARK) == 0;
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

    if (hone__code_has_mark(text, length))
        memset(text, ' ', HONE_CODE_MARK);
    while (at < length) {
        const size_t next = after(text, at);
        size_t end;

        if (text[at] == '/' && (text[next] == '/' || text[next] == '*')) {
            end = comment_end(text, text[next], next + 1, length);
            memset(text + at, ' ', end - at);
        } else {
            end = hone__code_literal_end(text, at, length);
            if (end > at && hone__code_is_raw(text, at))
                blank_line_ends(text, at, end);
        }
        at = end > at ? end : at + 1;
    }
}

/* ---- tokens -------------------------------------------------------------- */

typedef struct token_writer {
    const char *code; /* without comments */
    size_t length;
    hone_text *out;
    int in_directive;
    int keeps_blanks; /* `#define F (x)` is not `#define F(x)` */
} token_writer;

/* Past blanks and spliced line ends; *out_is_end: past the end of a line. */
static size_t skip_blanks(const token_writer *w, size_t at, int *out_is_end)
{
    *out_is_end = 0;
    for (; at < w->length; ++at) {
        const char c = w->code[at];
        const size_t next = at + 1 + (w->code[at + 1] == '\r');

        if (c == '\\' && w->code[next] == '\n')
            at = next;
        else if (c == '\n')
            *out_is_end = 1;
        else if (!isspace((unsigned char)c))
            break;
    }
    return at;
}

/* Would the two be another token without a blank between them? */
static int run_together(char before, char behind)
{
    const int is_name = hone__code_is_name(before);

    if (behind == '"' || behind == '\'')
        return is_name;
    return is_name == hone__code_is_name(behind);
}

/* What stands for blanks before the character at `at`. */
static void write_gap(token_writer *w, size_t at, int is_end)
{
    const hone_text *out = w->out;
    const char before = out->length ? out->data[out->length - 1] : '\n';

    if (out->failed || before == '\n')
        return;
    if (is_end && (w->in_directive || w->code[at] == '#'))
        hone__text_puts(w->out, "\n");
    else if (w->keeps_blanks || run_together(before, w->code[at]))
        hone__text_puts(w->out, " ");
}

static void start_line(token_writer *w, size_t at)
{
    const char *word = w->code + at + 1;

    w->in_directive = w->code[at] == '#';
    word += strspn(word, " \t");
    w->keeps_blanks = w->in_directive && strncmp(word, "define", 6) == 0;
}

static void write_tokens(token_writer *w, const char *text)
{
    int is_end = 1;
    size_t at = skip_blanks(w, 0, &(int){0});

    while (at < w->length) {
        size_t end = hone__code_literal_end(w->code, at, w->length);
        size_t next;

        if (is_end)
            start_line(w, at);
        if (end == at)
            ++end;
        hone__text_append(w->out, text + at, end - at);
        next = skip_blanks(w, end, &is_end);
        if (next > end && next < w->length)
            write_gap(w, next, is_end);
        at = next;
    }
}

int hone__code_tokens(const char *text, size_t length, hone_text *out)
{
    char *code = hone__alloc(length + 2);
    token_writer w = {.code = code, .length = length, .out = out};

    if (!code)
        return 0;
    memcpy(code, text, length);
    memset(code + length, 0, 2);
    hone__code_blank(code, length);
    if (strstr(code, "__LINE__"))
        hone__text_append(out, text, length);
    else
        write_tokens(&w, text);
    hone__text_append(out, "", 1);
    hone__free(code);
    return !out->failed;
}
