/* SPDX-License-Identifier: Apache-2.0 */
/* A preprocessor that decides only what the parameters decide: see live.h. A
 * macro of theirs is relied upon where nothing else ever defines it; every
 * other condition stays, with all of its branches. A header is walked over if
 * it is included at one place; else its hash stands for the whole of it.
 * Rejected: a preprocessor of a compiler, which NVRTC does not offer. */
#include "gen/expand/live.h"

#include "gen/expand/condition.h"
#include "gen/parse/code.h"
#include "runtime/base/alloc.h"

#include <string.h>

enum { MOST_NESTED = 64, MOST_FILES = 16 };

/* One open `#if`. */
typedef struct choice {
    unsigned char was_live;   /* around it */
    unsigned char is_live;    /* in this branch */
    unsigned char is_over;    /* an earlier branch is taken for sure */
    unsigned char is_written; /* some condition of it is not decided */
} choice;

typedef struct walk {
    const hone_live_headers *headers;
    const char *block;
    int knows_block;
    hone_text redefined;       /* by the source itself */
    unsigned char *is_written; /* headers, whole */
    size_t *n_sites;           /* of every header */
    int n_files;               /* inside each other */
    int failed;
    hone_text *out;
} walk;

/* A hone_macro_fn. */
static const char *find_macro(const void *user, const char *name, size_t length,
                              size_t *out_length)
{
    static const char define[] = "#define ";
    const size_t before = sizeof define - 1;
    const walk *w = user;
    const char *own = hone__text_str(&w->redefined);
    const char *others = hone__text_str(&w->headers->redefined);
    const char *found = NULL;

    if (!w->knows_block || strchr(own, '*') || strchr(others, '*') ||
        hone__code_names(own, name, length) ||
        hone__code_names(others, name, length))
        return NULL;
    for (const char *at = w->block; (at = strstr(at, define)); at += before) {
        if (strncmp(at + before, name, length) != 0 ||
            at[before + length] != ' ')
            continue;
        if (found)
            return NULL;
        found = at + before + length + 1;
    }
    *out_length = found ? strcspn(found, "\n") : 0;
    return found;
}

/* ---- headers ------------------------------------------------------------
 */

static void write_whole(walk *w, size_t index)
{
    const hone_live_header *header = &w->headers->items[index];

    if (w->is_written[index])
        return;
    w->is_written[index] = 1;
    hone__text_printf(w->out, "#header %s %s %s\n", header->name,
                      header->sha256, header->words);
    for (size_t i = 0; i < header->n_includes; ++i)
        write_whole(w, header->includes[i]);
}

static void walk_text(walk *w, const char *tokens);

static void follow(walk *w, const hone_live_line *line)
{
    const size_t index = line->rest_length && line->rest[0] == '"'
                             ? hone__live_header_at(w->headers, line->rest)
                             : w->headers->n;

    if (index == w->headers->n)
        return;
    if (w->n_sites[index] > 1 || w->n_files == MOST_FILES ||
        w->headers->items[index].has_choices <= 0) {
        write_whole(w, index);
        return;
    }
    ++w->n_files;
    walk_text(w, w->headers->items[index].tokens);
    --w->n_files;
    hone__text_puts(w->out, "#end\n");
}

static void count_sites(walk *w, const char *tokens)
{
    for (const char *at = tokens; (at = strstr(at, "\"./")); ++at) {
        const size_t i = hone__live_header_at(w->headers, at);

        if (i < w->headers->n)
            ++w->n_sites[i];
    }
}

/* ---- conditions ---------------------------------------------------------
 */

static void write_line(walk *w, const hone_live_line *line)
{
    hone__text_append(w->out, line->text, line->length);
    hone__text_puts(w->out, "\n");
}

static hone_decision decide(const walk *w, const hone_live_line *line)
{
    hone_decision is;
    size_t length;

    if (hone__live_is(line, "if") || hone__live_is(line, "elif"))
        return hone__condition_decide(line->rest, line->rest_length, find_macro,
                                      w);
    is = find_macro(w, line->rest, line->rest_length, &length)
             ? HONE_DECIDED_TRUE
             : HONE_UNDECIDED;
    if (is == HONE_UNDECIDED ||
        (!hone__live_is(line, "ifndef") && !hone__live_is(line, "elifndef")))
        return is;
    return HONE_DECIDED_FALSE;
}

/* A branch with a condition: the first one, or another. What is written says
 * what a preprocessor would have left, not in its language. */
static void enter_branch(walk *w, choice *c, const hone_live_line *line)
{
    const hone_decision is = decide(w, line);

    c->is_live = is != HONE_DECIDED_FALSE;
    c->is_over = is == HONE_DECIDED_TRUE;
    if (is == HONE_UNDECIDED) {
        hone__text_puts(w->out, c->is_written ? "#or " : "#if ");
        write_line(w, line);
        c->is_written = 1;
    } else if (c->is_over && c->is_written) {
        hone__text_puts(w->out, "#else\n");
    }
}

/* 1 if the line is a part of a conditional. */
static int take_condition(walk *w, choice *choices, size_t *n,
                          const hone_live_line *line)
{
    choice *c = &choices[*n];

    if (line->word_length >= 2 && memcmp(line->word, "if", 2) == 0) {
        const int is_live = c->is_live;

        if (*n + 1 == MOST_NESTED) {
            w->failed = 1;
            return 1;
        }
        c = &choices[++*n];
        *c = (choice){.was_live = (unsigned char)is_live};
        if (is_live)
            enter_branch(w, c, line);
        return 1;
    }
    if (!*n || line->word_length < 4 ||
        (memcmp(line->word, "el", 2) != 0 && !hone__live_is(line, "endif")))
        return 0;
    if (hone__live_is(line, "endif")) {
        if (c->is_written)
            hone__text_puts(w->out, "#endif\n");
        --*n;
    } else if (!c->was_live || c->is_over) {
        c->is_live = 0;
    } else if (hone__live_is(line, "else")) {
        c->is_live = c->is_over = 1;
        if (c->is_written)
            hone__text_puts(w->out, "#else\n");
    } else {
        enter_branch(w, c, line);
    }
    return 1;
}

static void walk_text(walk *w, const char *tokens)
{
    choice choices[MOST_NESTED] = {{.is_live = 1}};
    hone_live_line line;
    size_t n = 0;

    while (!w->failed && hone__live_next(&tokens, &line)) {
        if (line.is_directive && take_condition(w, choices, &n, &line))
            continue;
        if (!choices[n].is_live || hone__live_is(&line, "line"))
            continue;
        write_line(w, &line);
        if (hone__live_is(&line, "include"))
            follow(w, &line);
    }
}

/* ---- the whole ----------------------------------------------------------
 */

/* Every header at more than one place first: what includes it does not
 * matter. */
static void walk_all(walk *w, const char *before, const char *after)
{
    count_sites(w, before);
    count_sites(w, after);
    for (size_t i = 0; i < w->headers->n; ++i) {
        w->n_sites[i] += w->headers->items[i].n_sites;
        if (w->n_sites[i] > 1)
            write_whole(w, i);
    }
    hone__live_redefined(before, &w->redefined);
    hone__live_redefined(after, &w->redefined);
    walk_text(w, before);
    hone__text_puts(w->out, "#parameters\n");
    w->knows_block = 1;
    walk_text(w, after);
}

/* Where nothing is to be left out. */
static void write_all(walk *w, const char *before, const char *after)
{
    hone__text_puts(w->out, "##\n");
    hone__text_puts(w->out, before);
    hone__text_puts(w->out, "#parameters\n");
    hone__text_puts(w->out, after);
    for (size_t i = 0; i < w->headers->n; ++i)
        write_whole(w, i);
}

/* Those of the text before (0) or after (1) the parameters; NULL without
 * memory. */
static const char *tokens_of(hone_live_headers *headers, int which,
                             const char *text)
{
    hone_text *last = &headers->last[which].text;
    hone_text *tokens = &headers->last[which].tokens;
    const size_t length = strlen(text);

    if (tokens->data && last->length == length &&
        memcmp(hone__text_str(last), text, length) == 0)
        return tokens->data;
    hone__text_clear(last);
    hone__text_append(last, text, length);
    hone__text_free(tokens);
    if (!last->failed && hone__code_tokens(text, length, tokens))
        return tokens->data;
    hone__text_free(tokens);
    return NULL;
}

hone_status hone__live_write(hone_live_headers *headers, const char *before,
                             const char *block, const char *after,
                             hone_text *out, hone_error *err)
{
    const int asks_lines =
        strstr(before, "__LINE__") || strstr(after, "__LINE__");
    walk w = {.headers = headers, .block = block, .out = out};
    const char *first = tokens_of(headers, 0, before);
    const char *second = first ? tokens_of(headers, 1, after) : NULL;
    hone_status status = HONE_OK;

    w.is_written = hone__alloc(headers->n + 1);
    w.n_sites = hone__alloc((headers->n + 1) * sizeof *w.n_sites);
    if (!w.is_written || !w.n_sites || !second)
        status = hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    if (status == HONE_OK && !asks_lines)
        walk_all(&w, first, second);
    if (status == HONE_OK && (asks_lines || w.failed))
        write_all(&w, before, after);
    if (status == HONE_OK)
        status = hone__text_check(w.redefined.failed ? &w.redefined : out, err);
    hone__text_free(&w.redefined);
    hone__free(w.is_written);
    hone__free(w.n_sites);
    return status;
}
