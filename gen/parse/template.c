/* SPDX-License-Identifier: Apache-2.0 */
/* Parsing a template: the table of statements, one pass over them, and what
 * has to be true of the whole. */
#include "gen/parse/code.h"
#include "gen/parse/parse.h"

#include <string.h>

static const struct {
    const char *word;
    hone_statement_function *function;
    int places;
} statements[] = {
#define ROW(word, places) {#word, hone__statement_##word, places},
    HONE_STATEMENTS(ROW)
#undef ROW
};

/* The slots of parameters and lets are fixed before they are declared, so
 * that expressions can be compiled as they are read. */
static void assign_slots(hone_parser *p)
{
    hone_slots *slots = &p->tmpl->slots;

    slots->dims = HONE_N_PROPERTIES;
    slots->params = slots->dims + p->tmpl->n_dims;
    slots->lets = slots->params;
    for (size_t i = 0; i < p->n_statements; ++i) {
        hone_cursor c = hone__cursor_at(p, i);

        slots->lets += hone__cursor_accept_word(&c, "param") != 0;
        slots->total += hone__cursor_accept_word(&c, "let") != 0;
    }
    slots->total += slots->lets;
    p->body->n_slots = slots->total;
}

static int misplaced(hone_parser *p, hone_slice word, int place)
{
    if (place == HONE_OF_ALL)
        return hone__complain(
            p, word,
            "'%.*s' belongs into the templates that implement "
            "the operation, not into its contract",
            HONE_SLICE(p, word));
    if (place == HONE_SHARED)
        return hone__complain(p, word,
                              "'%.*s' belongs into a template or a contract, "
                              "not into a part that templates share",
                              HONE_SLICE(p, word));
    if (place == HONE_OF_ONE)
        return hone__complain(p, word,
                              "'%.*s' is the same for all implementations: it "
                              "belongs into the contract, %s",
                              HONE_SLICE(p, word), p->tmpl->contract_path);
    return hone__complain(p, word,
                          "'%.*s' needs the contract of an operation: include "
                          "a header with '#pragma hone op NAME(DIMENSIONS)'",
                          HONE_SLICE(p, word));
}

static int read_statement(hone_parser *p, size_t index, int place)
{
    hone_cursor c = hone__cursor_at(p, index);
    hone_body_kind directive;
    hone_suggestion s;
    hone_slice word;

    if (!hone__cursor_need_word(&c, "a statement such as param or launch",
                                &word))
        return 0;
    directive = hone__body_kind(p, word);
    if (directive != HONE_BODY_TEXT)
        return place & (HONE_OF_ALL | HONE_SHARED)
                   ? misplaced(p, word, place)
                   : hone__body_directive(&c, directive);
    s = hone__suggest(p->bare + word.begin, word.end - word.begin);
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; ++i) {
        if (hone__slice_is(p, word, statements[i].word)) {
            if (!(statements[i].places & place))
                return misplaced(p, word, place);
            return hone__body_stray(p, word) && statements[i].function(p, &c);
        }
        hone__suggest_offer(&s, statements[i].word);
    }
    hone__body_offer(&s);
    return hone__complain(p, word, "unknown statement '%.*s'%s",
                          HONE_SLICE(p, word), hone__suggest_text(&s));
}

/* What is read first, wherever it stands in [from, to): without the dimensions
 * every expression would be wrong. Where it stands; `to`: nowhere. */
static size_t read_first(hone_parser *p, const char *wanted,
                         hone_statement_function *function, size_t from,
                         size_t to)
{
    size_t n_before = 0; /* statements that may not stand before it */

    for (size_t i = from; i < to; ++i) {
        hone_cursor c = hone__cursor_at(p, i);
        hone_slice where;

        (void)hone__cursor_peek(&c);
        where = (hone_slice){c.at, c.at + strlen(wanted)};
        if (!hone__cursor_accept_word(&c, wanted)) {
            n_before += !hone__cursor_accept_word(&c, "include");
            continue;
        }
        if (n_before)
            (void)hone__complain(p, where, "'%s' must be the first statement",
                                 wanted);
        (void)function(p, &c);
        return i;
    }
    return to;
}

static int first_is(hone_parser *p, const char *word)
{
    hone_cursor c = hone__cursor_at(p, 0);

    return hone__cursor_accept_word(&c, word);
}

static const hone_part *find_contract(const hone_parser *p)
{
    for (size_t i = 0; i < p->tmpl->n_parts; ++i) {
        if (p->parts[i].is_contract)
            return &p->parts[i];
    }
    return NULL;
}

/* The operation, and which implementation of it this is. Sets *out_own to the
 * statement of the template that was read. */
static size_t read_op(hone_parser *p, size_t *out_own)
{
    const size_t n_own = p->n_own_statements;
    const hone_part *contract = find_contract(p);
    const size_t op = contract
                          ? read_first(p, "op", hone__statement_op,
                                       contract->first, contract->end)
                          : read_first(p, "op", hone__statement_op, 0, n_own);

    *out_own = op;
    if (p->no_memory) /* the operation may have no name yet */
        return op;
    if (!p->has_op && !(n_own && first_is(p, "implements")))
        (void)hone__complain(
            p, (hone_slice){0, 1},
            "this file has no '#pragma hone op NAME(DIMENSIONS)'");
    if (!p->contract)
        return op;
    *out_own =
        read_first(p, "implements", hone__statement_implements, 0, n_own);
    if (*out_own == n_own && p->has_op)
        (void)hone__complain(p, (hone_slice){0, 1},
                             "this file has no '#pragma hone implements "
                             "%s/NAME', which its contract %s asks for",
                             p->tmpl->op, p->tmpl->contract_path);
    return op;
}

static void read_range(hone_parser *p, size_t first, size_t end, int place,
                       size_t read_before)
{
    for (size_t i = first; i < end && !p->no_memory; ++i) {
        if (i != read_before)
            (void)read_statement(p, i, place);
    }
}

/* What templates share, if the file includes it in [from, to). */
static void read_shared(hone_parser *p, size_t from, size_t to)
{
    for (size_t i = 0; i < p->tmpl->n_parts; ++i) {
        const hone_part *part = &p->parts[i];

        if (!part->is_contract && part->included >= from && part->included < to)
            read_range(p, part->first, part->end, HONE_SHARED, p->n_statements);
    }
}

static void read_own(hone_parser *p, size_t own)
{
    const int place = p->contract ? HONE_OF_ONE : HONE_OWN;
    size_t at = 0;

    for (size_t i = 0; i < p->n_own_statements && !p->no_memory; ++i) {
        read_shared(p, at, p->statements[i].text.begin);
        at = p->statements[i].text.begin;
        (void)hone__body_text(p, i);
        if (i != own && !p->no_memory)
            (void)read_statement(p, i, place);
    }
    read_shared(p, at, p->length);
    if (!p->no_memory)
        (void)hone__body_text(p, p->n_own_statements);
    if (!p->no_memory)
        hone__body_finish(p);
}

static void read_all(hone_parser *p)
{
    const hone_part *contract;
    size_t op;
    size_t own;

    if (!hone__lines_split(p, 0, p->length))
        return;
    p->n_own_statements = p->n_statements;
    p->n_own_lines = p->n_lines;
    p->tmpl->n_lines = (int)p->n_lines;
    if (!hone__folders_read(p) || !hone__includes_of_template(p) ||
        !hone__parts_read(p))
        return;
    (void)hone__headers_read(p); /* the verdict comes to it */
    hone__body_find_block(p);
    op = read_op(p, &own);
    assign_slots(p);
    contract = find_contract(p);
    if (contract)
        read_range(p, contract->first, contract->end, HONE_OF_ALL, op);
    read_own(p, own);
    if (p->has_op && !p->tmpl->n_launches && !p->tmpl->call)
        (void)hone__complain(p, p->statements[own].text,
                             "the op '%s' has no 'launch'", p->tmpl->op);
    if (!p->no_memory && !p->diagnostics->n)
        (void)(hone__call_complete(p) && hone__host_complete(p) &&
               hone__launches_complete(p) && hone__constants_complete(p) &&
               hone__maps_complete(p) && hone__macros_complete(p));
}

static int prepare(hone_parser *p, const char *path, const char *search_path,
                   const char *text, size_t length)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    hone_arena *arena = &p->tmpl->arena;
    char *const source = hone__arena_strndup(arena, text, length);

    p->tmpl->implementation =
        hone__arena_strndup(arena, base, strcspn(base, "."));
    p->tmpl->implementation_description = "";
    p->body = hone__arena_alloc(arena, sizeof *p->body);
    p->tmpl->body = p->body;
    p->tmpl->path = hone__arena_strndup(arena, path, strlen(path));
    p->tmpl->search_path =
        hone__arena_strndup(arena, search_path, strlen(search_path));
    p->tmpl->source = source;
    p->bare = hone__arena_strndup(arena, text, length);
    if (!p->body || !p->tmpl->path || !p->tmpl->search_path ||
        !p->tmpl->source || !p->bare || !p->tmpl->implementation)
        return hone__no_memory(p);
    if (hone__code_has_mark(text, length)) /* nor has the source one */
        memset(source, ' ', HONE_CODE_MARK);
    p->tmpl->inputs = "";
    p->body->next_line = 1;
    p->tmpl->source_bytes = p->length = p->end = length;
    return 1;
}

/* Mistakes outlive the template, and show lines of its parts. */
static int keep_parts(hone_parser *p)
{
    hone_diagnostics *list = p->diagnostics;
    const size_t n = p->tmpl->n_parts;

    list->parts = hone__alloc(n * sizeof *list->parts);
    if (!list->parts)
        return 0;
    for (list->n_parts = 0; list->n_parts < n; ++list->n_parts) {
        const size_t i = list->n_parts;
        hone_diagnostics_part *kept = &list->parts[i];
        const size_t end = i + 1 < n ? p->parts[i + 1].begin : p->end;

        kept->path = hone__strdup(p->tmpl->parts[i].path);
        kept->text = hone__strndup(p->tmpl->source + p->parts[i].begin,
                                   end - p->parts[i].begin);
        if (!kept->path || !kept->text) {
            hone__free(kept->path);
            hone__free(kept->text);
            return 0;
        }
    }
    return 1;
}

static hone_status verdict(hone_parser *p, hone_error *err)
{
    hone_diagnostics *list = p->diagnostics;

    if (p->no_memory) {
        hone__diagnostics_free(list);
        return hone__fail(err, HONE_ERR_NO_MEMORY,
                          "out of memory while reading '%s'",
                          p->tmpl->path ? p->tmpl->path : "a template");
    }
    if (list->n) {
        if (p->tmpl->n_parts && !keep_parts(p))
            return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
        return hone__fail(
            err, HONE_ERR_INPUT,
            "%s:%d:%d: %s (%zu mistake%s in this template)",
            list->items[0].part ? list->parts[list->items[0].part - 1].path
                                : p->tmpl->path,
            list->items[0].line, list->items[0].column, list->items[0].text,
            list->n, list->n == 1 ? "" : "s");
    }
    if (p->status)
        return p->status;
    HONE_TRY(hone__mentions_find(p, err));
    HONE_TRY(hone__contract_write(p, err));
    return hone__template_hash(p, err);
}

hone_status hone__template_read(const char *path, const char *search_path,
                                const char *text, size_t length,
                                hone_template **out,
                                hone_diagnostics *diagnostics, hone_error *err)
{
    hone_parser p = {.diagnostics = diagnostics, .err = err};
    hone_status status;

    *out = NULL;
    *diagnostics = (hone_diagnostics){0};
    if (memchr(text, '\0', length))
        return hone__fail(err, HONE_ERR_INPUT,
                          "'%s' is not a text file: it has a NUL byte", path);
    p.tmpl = hone__alloc(sizeof *p.tmpl);
    if (!p.tmpl)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    if (prepare(&p, path, search_path, text, length))
        read_all(&p);
    status = verdict(&p, err);
    if (status)
        hone__template_free(p.tmpl);
    else
        *out = p.tmpl;
    return status;
}

hone_where hone__template_where(const hone_template *tmpl, int line)
{
    for (size_t i = tmpl->n_parts; i-- > 0;) {
        const hone_template_part *part = &tmpl->parts[i];

        if (line > part->lines_before)
            return (hone_where){part->path, line - part->lines_before};
    }
    return (hone_where){tmpl->path, line};
}

void hone__template_free(hone_template *tmpl)
{
    if (!tmpl)
        return;
    for (size_t i = 0; tmpl->body && i < tmpl->body->n_exprs; ++i)
        hone__expr_free(tmpl->body->exprs[i]);
    hone__arena_free(&tmpl->arena);
    hone__free(tmpl);
}
