/* SPDX-License-Identifier: Apache-2.0 */
/* The launch statement: see kernel_args.c for what its kernel gets. */
#include "gen/parse/code.h"
#include "gen/parse/parse.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Does [begin, end) of the text have `word` as a whole word? */
static int has_word(const hone_parser *p, size_t begin, size_t end,
                    const char *word, size_t length)
{
    for (size_t at = begin; at + length <= end; ++at) {
        if (!memcmp(p->bare + at, word, length) &&
            (at == 0 || !hone__code_is_name(p->bare[at - 1])) &&
            (at + length >= p->length ||
             !hone__code_is_name(p->bare[at + length])))
            return 1;
    }
    return 0;
}

int hone__code_has(const hone_parser *p, const char *word, size_t length)
{
    size_t begin = 0;

    for (size_t i = 0; i < p->n_own_statements; ++i) {
        if (has_word(p, begin, p->statements[i].pragma, word, length))
            return 1;
        begin = p->statements[i].text.end;
    }
    return has_word(p, begin, p->length, word, length);
}

/* Is there an extern "C" anywhere? */
static int declares_c(const hone_parser *p)
{
    const char *at = p->bare;

    while ((at = strstr(at, "extern"))) {
        at += 6;
        while (isspace((unsigned char)*at))
            ++at;
        if (!strncmp(at, "\"C\"", 3))
            return 1;
    }
    return 0;
}

static int check_kernel(hone_parser *p, hone_slice where)
{
    if (!hone__code_has(p, p->bare + where.begin, where.end - where.begin))
        return hone__complain(
            p, where, "there is no kernel '%.*s' in %s", HONE_SLICE(p, where),
            where.begin < p->length ? "this file"
                                    : "the template that includes this");
    /* An included header may have a macro that says it. */
    if (!p->has_local_includes && !declares_c(p))
        return hone__complain(p, where,
                              "kernel '%.*s' cannot be found by its name in "
                              "C++; declare it extern \"C\" __global__",
                              HONE_SLICE(p, where));
    return 1;
}

/* `(E, ..)` of grid, block or cluster: at least 1 each. What parameters make
 * of it is seen when a variant is made. */
static int read_extent(hone_cursor *c, const char *what,
                       hone_template_expr out[3])
{
    const hone_slice start = hone__cursor_here(c);
    size_t n = 0;

    if (!hone__compile_list(c, what, 3, HONE_SCOPE_ANY, out, &n))
        return 0;
    for (size_t i = 0; i < n; ++i) {
        int64_t value = 1;

        if (hone__compile_known(&out[i], &value) && value < 1)
            return hone__complain(
                c->p, (hone_slice){start.begin, c->at},
                "a %s has at least 1 in every dimension, not %lld", what,
                (long long)value);
    }
    return 1;
}

/* repeat(NAME, E), or repeat(NAME) of the launch above. */
static int clause_repeat(hone_cursor *c, hone_template_launch *launch,
                         unsigned others)
{
    hone_parser *p = c->p;
    hone_template *tmpl = p->tmpl;
    hone_template_repeat *repeat;
    hone_slice word;

    if (others)
        return hone__complain(p, hone__cursor_here(c),
                              "'repeat' comes first, directly behind the "
                              "kernel: what follows may read its number");
    if (!hone__cursor_expect(c, '(', "after repeat") ||
        !hone__name_new(c, HONE_NAME_REPEAT, tmpl->n_repeats, &word))
        return 0;
    if (hone__cursor_accept(c, ')')) {
        const hone_template_launch *above = launch - 1;

        if (tmpl->n_launches < 2 || !above->repeat ||
            !hone__slice_is(p, word, tmpl->repeats[above->repeat - 1].name))
            return hone__complain(
                p, word,
                "the launch above is not repeated as '%.*s'; say how often: "
                "repeat(%.*s, E)",
                HONE_SLICE(p, word), HONE_SLICE(p, word));
        launch->repeat = above->repeat;
        return 1;
    }
    if (!hone__cursor_expect(c, ',', "and the number of repetitions"))
        return 0;
    repeat = HONE_PUSH(p, tmpl->repeats, tmpl->n_repeats);
    if (!repeat ||
        !hone__compile(p, hone__cursor_until(c, ",)", NULL), HONE_SCOPE_ANY,
                       &repeat->count) ||
        !hone__cursor_expect(c, ')', "after the number of repetitions") ||
        !hone__name_declare(p, word, HONE_NAME_REPEAT, tmpl->n_repeats - 1,
                            &repeat->name))
        return 0;
    launch->repeat = (int)tmpl->n_repeats;
    return 1;
}

static int read_clause(hone_cursor *c, hone_template_launch *launch,
                       unsigned *seen)
{
    enum { IF, GRID, BLOCK, SHARED, CLUSTER, ARGS, COOPERATIVE, EARLY, REPEAT };
    static const char *const words[] = {"if",          "grid",    "block",
                                        "shared",      "cluster", "args",
                                        "cooperative", "early",   "repeat"};
    hone_template_expr *const exprs[] = {&launch->condition, launch->grid,
                                         launch->block, &launch->shared,
                                         launch->cluster};
    const unsigned others = *seen;
    const int which = hone__cursor_choose(
        c, "a launch", words, sizeof words / sizeof words[0], seen,
        "repeat, if, grid, block, shared, args, cluster, cooperative or early",
        "repeat, if, grid, block, shared, args, cluster, cooperative and "
        "early");

    if (which < 0)
        return 0;
    if (which == REPEAT)
        return clause_repeat(c, launch, others);
    c->p->repeat = which == BLOCK || which == SHARED || which == CLUSTER
                       ? 0
                       : launch->repeat;
    if (which == ARGS)
        return hone__args_clause(c, launch);
    if (which == COOPERATIVE) {
        launch->cooperative = 1;
        return 1;
    }
    if (which == EARLY) {
        launch->early = 1;
        return 1;
    }
    return exprs[which] == &launch->condition || exprs[which] == &launch->shared
               ? hone__compile_value(c, words[which], HONE_SCOPE_ANY,
                                     exprs[which])
               : read_extent(c, words[which], exprs[which]);
}

int hone__statement_launch(hone_parser *p, hone_cursor *c)
{
    hone_template_launch *launch;
    hone_slice word;
    unsigned seen = 0;

    if (!hone__cursor_need_word(c, "the name of a kernel", &word))
        return 0;
    if (p->tmpl->n_launches == HONE_MAX_LAUNCHES)
        return hone__complain(p, word, "an op has at most %d launches",
                              HONE_MAX_LAUNCHES);
    launch = HONE_PUSH(p, p->tmpl->launches, p->tmpl->n_launches);
    if (!launch)
        return 0;
    launch->line = hone__line_of(p, word.begin);
    launch->kernel = hone__slice_copy(p, word);
    if (!launch->kernel || !check_kernel(p, word))
        return 0;
    while (!hone__cursor_is_done(c)) {
        const int ok = read_clause(c, launch, &seen);

        p->repeat = 0;
        if (!ok)
            return 0;
    }
    return 1;
}

/* A number, or a parameter all of whose values will do. */
static int is_positive(const hone_parser *p, const char *text)
{
    char *end;
    const long long number = strtoll(text, &end, 0);

    if (end != text && !*end)
        return number > 0;
    for (size_t i = 0; i < p->tmpl->n_params; ++i) {
        const hone_param *param = &p->tmpl->params[i];
        size_t v = 0;

        if (strcmp(param->name, text) != 0)
            continue;
        while (v < param->n_values && param->values[v] > 0)
            ++v;
        return v == param->n_values;
    }
    return 0;
}

/* A block has a thread at least: a require of its own where the configuration
 * says how many, so that the space has none without. What depends on sizes or
 * the device is found at the launch. */
static int require_threads(hone_parser *p, const hone_template_launch *launch,
                           const hone_template_expr *side)
{
    const hone_template_expr *when = &launch->condition;
    hone_text shown = {0};
    hone_text text = {0};

    if (!side->expr || side->reads_dims || side->reads_properties ||
        when->reads_dims || when->reads_properties ||
        is_positive(p, hone__expr_text(side->expr)))
        return 1;
    hone__text_printf(&shown, "block(%s)", hone__expr_text(side->expr));
    if (when->expr)
        hone__text_printf(&text, "!(%s) || ", hone__expr_text(when->expr));
    hone__text_printf(&text, "(%s) >= 1", hone__expr_text(side->expr));
    return hone__require_add(p, side, &text, hone__text_keep(p, &shown),
                             "a block without threads") != NULL;
}

int hone__launches_complete(hone_parser *p)
{
    for (size_t i = 0; i < p->tmpl->n_launches; ++i) {
        hone_template_launch *launch = &p->tmpl->launches[i];

        if (!launch->passed)
            hone__args_standard(p, launch);
        for (int d = 0; d < 3 && !p->no_memory; ++d) {
            if (!require_threads(p, launch, &launch->block[d]))
                return 0;
        }
    }
    return 1;
}
