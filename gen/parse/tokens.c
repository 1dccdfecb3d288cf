/* SPDX-License-Identifier: Apache-2.0 */
/* What decides about a C++ text, without what its author may change freely:
 * see hone__code_tokens(). */
#include "gen/parse/code.h"
#include "runtime/base/alloc.h"

#include <ctype.h>
#include <string.h>

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
