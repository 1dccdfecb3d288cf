/* SPDX-License-Identifier: Apache-2.0 */
/* Headers and lines as live.c walks over them: see live.h. */
#include "gen/expand/live.h"

#include "gen/parse/code.h"
#include "runtime/base/alloc.h"
#include "runtime/base/grow.h"

#include <string.h>

/* ---- lines --------------------------------------------------------------
 */

static const char *line_end(const char *text)
{
    size_t at = 0;

    for (;;) {
        size_t end;

        at += strcspn(text + at, "\n\"'");
        if (!text[at] || text[at] == '\n')
            return text + at;
        end = hone__code_literal_end(text, at, at + strlen(text + at));
        at = end > at ? end : at + 1;
    }
}

int hone__live_next(const char **at, hone_live_line *out)
{
    const char *text = *at + strspn(*at, "\n");
    const char *end = line_end(text);

    *at = end;
    *out = (hone_live_line){.text = text, .length = (size_t)(end - text)};
    out->is_directive = *text == '#';
    if (!out->is_directive)
        return out->length > 0;
    out->word = text + 1 + strspn(text + 1, " ");
    while (hone__code_is_name(out->word[out->word_length]))
        ++out->word_length;
    out->rest = out->word + out->word_length;
    out->rest += strspn(out->rest, " ");
    out->rest_length = out->rest < end ? (size_t)(end - out->rest) : 0;
    return 1;
}

int hone__live_is(const hone_live_line *line, const char *word)
{
    return line->is_directive && line->word_length == strlen(word) &&
           memcmp(line->word, word, line->word_length) == 0;
}

void hone__live_redefined(const char *tokens, hone_text *out)
{
    const char *at = tokens;
    hone_live_line line;

    /* Directives that are spelled otherwise, and macros that come back. */
    if (strstr(tokens, "%:") || strstr(tokens, "\?\?=") ||
        strstr(tokens, "pop_macro(\"HONE_") ||
        strstr(tokens, "pop_macro(\\\"HONE_"))
        hone__text_puts(out, "*\n");
    while (hone__live_next(&at, &line)) {
        size_t length = 0;

        if ((!hone__live_is(&line, "define") &&
             !hone__live_is(&line, "undef")) ||
            line.rest_length < 5 || memcmp(line.rest, "HONE_", 5) != 0)
            continue;
        while (hone__code_is_name(line.rest[length]))
            ++length;
        hone__text_append(out, line.rest, length);
        hone__text_puts(out, "\n");
    }
}

/* ---- headers ------------------------------------------------------------
 */

size_t hone__live_header_at(const hone_live_headers *headers, const char *at)
{
    for (size_t i = 0; i < headers->n; ++i) {
        const size_t length = strlen(headers->items[i].name);

        if (strncmp(at + 1, headers->items[i].name, length) == 0 &&
            at[1 + length] == '"')
            return i;
    }
    return headers->n;
}

/* Tokens, also of a text that asks for its lines; its hash tells them. */
static int read_tokens(hone_live_header *header, const char *text)
{
    static const char asks[] = "__LINE__";
    const int asks_lines = strstr(text, asks) != NULL;
    char *copy = hone__strdup(text);
    hone_text tokens = {0};

    if (!copy)
        return 0;
    for (char *at = copy; (at = strstr(at, asks));)
        at[2] = '_';
    if (!hone__code_tokens(copy, strlen(copy), &tokens)) {
        hone__text_free(&tokens);
        hone__free(copy);
        return 0;
    }
    hone__free(copy);
    header->tokens = tokens.data;
    header->has_choices = -asks_lines;
    hone__sha256_hex(asks_lines ? text : tokens.data,
                     strlen(asks_lines ? text : tokens.data), header->sha256);
    return 1;
}

/* Is it a condition that reads a macro of ours? */
static int is_choice(const hone_live_line *line)
{
    if (line->word_length < 2 ||
        (memcmp(line->word, "if", 2) != 0 && memcmp(line->word, "el", 2) != 0))
        return 0;
    for (size_t i = 0; i + 5 <= line->rest_length; ++i) {
        if (memcmp(line->rest + i, "HONE_", 5) == 0)
            return 1;
    }
    return 0;
}

static int is_name_of(const hone_template *tmpl, const char *word,
                      size_t length)
{
    static const char values[] = "_values";
    const size_t tail = sizeof values - 1;

    if (length >= 5 && memcmp(word, "HONE_", 5) == 0)
        return 1;
    if (length > tail && memcmp(word + length - tail, values, tail) == 0)
        return 1;
#define IS(name) (strlen(name) == length && memcmp(name, word, length) == 0)
    for (size_t i = 0; i < tmpl->n_params; ++i)
        if (IS(tmpl->params[i].name))
            return 1;
    for (size_t i = 0; i < tmpl->n_lets; ++i)
        if (IS(tmpl->lets[i].name))
            return 1;
    for (size_t i = 0; i < tmpl->n_dims; ++i)
        if (IS(tmpl->dims[i].name))
            return 1;
    for (size_t i = 0; i < tmpl->n_symbols; ++i)
        if (IS(tmpl->symbols[i]))
            return 1;
#undef IS
    return 0;
}

static int read_words(const hone_template *tmpl, hone_live_header *header)
{
    const char *at = header->tokens;
    hone_text words = {0};

    hone__text_puts(&words, strstr(at, "##") ? "## " : " ");
    while (*at) {
        size_t length = 0;

        while (hone__code_is_name(at[length]))
            ++length;
        if (length && is_name_of(tmpl, at, length) && !words.failed &&
            !hone__code_names(words.data, at, length)) {
            hone__text_append(&words, at, length);
            hone__text_puts(&words, " ");
        }
        at += length ? length : 1;
    }
    header->words = words.data;
    if (words.failed) {
        hone__text_free(&words);
        header->words = NULL;
    }
    return header->words != NULL;
}

static int read_includes(hone_live_headers *headers, hone_live_header *header)
{
    const char *at = header->tokens;
    hone_live_line line;

    while (header->has_choices == 0 && hone__live_next(&at, &line)) {
        header->has_choices = line.is_directive && is_choice(&line);
    }
    for (at = header->tokens; (at = strstr(at, "\"./")); ++at) {
        const size_t i = hone__live_header_at(headers, at);

        if (i == headers->n)
            continue;
        if (!HONE_GROW(header->includes, header->n_includes))
            return 0;
        header->includes[header->n_includes++] = i;
        ++headers->items[i].n_sites;
    }
    return 1;
}

/* A header is walked over also where only what it includes has choices. */
static void pass_choices_on(hone_live_headers *headers)
{
    int changes = 1;

    while (changes) {
        changes = 0;
        for (size_t i = 0; i < headers->n; ++i) {
            hone_live_header *header = &headers->items[i];

            for (size_t k = 0; k < header->n_includes; ++k) {
                if (header->has_choices == 0 &&
                    headers->items[header->includes[k]].has_choices > 0)
                    header->has_choices = changes = 1;
            }
        }
    }
}

static int read_all(hone_live_headers *out)
{
    const char *at = out->tmpl->headers.bytes;
    int ok = 1;

    out->items = hone__alloc((out->n + 1) * sizeof *out->items);
    for (size_t i = 0; out->items && ok && i < out->n; ++i) {
        const char *text = at + strlen(at) + 1;

        out->items[i].name = at;
        ok = read_tokens(&out->items[i], text) &&
             read_words(out->tmpl, &out->items[i]);
        at = text + strlen(text) + 1;
        if (ok)
            hone__live_redefined(out->items[i].tokens, &out->redefined);
    }
    for (size_t i = 0; out->items && ok && i < out->n; ++i)
        ok = read_includes(out, &out->items[i]);
    return out->items && ok && !out->redefined.failed;
}

hone_status hone__live_headers_create(const hone_template *tmpl,
                                      hone_live_headers *out, hone_error *err)
{
    *out = (hone_live_headers){.tmpl = tmpl, .n = tmpl->headers.n};
    if (read_all(out)) {
        pass_choices_on(out);
        return HONE_OK;
    }
    hone__live_headers_free(out);
    return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
}

void hone__live_headers_free(hone_live_headers *headers)
{
    for (size_t i = 0; headers->items && i < headers->n; ++i) {
        hone__free(headers->items[i].tokens);
        hone__free(headers->items[i].words);
        hone__free(headers->items[i].includes);
    }
    for (int i = 0; i < 2; ++i) {
        hone__text_free(&headers->last[i].text);
        hone__text_free(&headers->last[i].tokens);
    }
    hone__free(headers->items);
    hone__text_free(&headers->redefined);
    *headers = (hone_live_headers){0};
}
