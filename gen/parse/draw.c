/* SPDX-License-Identifier: Apache-2.0 */
/* Words behind the type of an argument: what its values are drawn from when a
 * variant is verified and tuned. */
#include "gen/parse/parse.h"

/* Words of one group contradict each other, and so does each word and itself.
 */
typedef enum draw_group {
    RANGE = 1,        /* which values there can be */
    DISTRIBUTION = 2, /* how often each of them is drawn */
    ORDER = 4,
    ALL = RANGE | DISTRIBUTION | ORDER
} draw_group;

enum { FROM = -3, SORTED, POSITIVE }; /* beside the distributions */

typedef struct draw_word {
    const char *word;
    int kind;      /* hone_draw_kind, or one of the above */
    int n_numbers; /* in parentheses behind it */
    int groups;
    int only_integers;
    int only_arrays;
} draw_word;

static const draw_word words[] = {
    {"from", FROM, 0, RANGE, 0, 0},
    {"positive", POSITIVE, 0, RANGE, 0, 0},
    {"sorted", SORTED, 0, ORDER, 0, 1},
    {"uniform", HONE_DRAW_UNIFORM, 2, RANGE | DISTRIBUTION, 0, 0},
    {"normal", HONE_DRAW_NORMAL, 2, DISTRIBUTION, 0, 0},
    {"zipf", HONE_DRAW_ZIPF, 1, DISTRIBUTION, 1, 0},
    {"constant", HONE_DRAW_CONSTANT, 1, ALL, 0, 0},
    {"permutation", HONE_DRAW_PERMUTATION, 0, ALL, 1, 1},
    {"offsets", HONE_DRAW_OFFSETS, 0, ALL, 1, 1},
    {"file", HONE_DRAW_FILE, 0, ALL, 0, 1},
};

enum { N_WORDS = sizeof words / sizeof words[0] };

/* The words of one argument, as far as they are read. */
typedef struct draw_state {
    hone_template_arg *arg;
    const draw_word *seen[N_WORDS];
    size_t n_seen;
} draw_state;

static int number(hone_parser *p, hone_slice where, hone_template_number *out)
{
    return hone__real_is(p, where)
               ? hone__compile_real(p, where, out)
               : hone__compile(p, where, HONE_SCOPE_ANY, &out->expr);
}

/* An expression that ends before `stops` or another word. */
static hone_slice bound(hone_cursor *c, const char *stops)
{
    const char *names[N_WORDS + 1] = {NULL};

    for (size_t i = 0; i < N_WORDS; ++i)
        names[i] = words[i].word;
    return hone__cursor_until(c, stops, names);
}

static int range(hone_cursor *c, hone_template_draw *draw)
{
    draw->has_range = 1;
    return number(c->p, bound(c, ",."), &draw->low) &&
           hone__cursor_dots(c, "") && number(c->p, bound(c, ","), &draw->high);
}

/* "(A, B)" */
static int numbers(hone_cursor *c, const char *word, int n,
                   hone_template_number *out)
{
    if (!hone__cursor_expect(c, '(', "before the numbers"))
        return 0;
    for (int i = 0; i < n; ++i) {
        if (i && !hone__cursor_expect(c, ',', "before the second number"))
            return 0;
        if (!number(c->p, hone__cursor_until(c, ",)", NULL), &out[i]))
            return 0;
    }
    return hone__cursor_peek(c) != ','
               ? hone__cursor_expect(c, ')', "after the numbers")
               : hone__complain(c->p, hone__cursor_here(c),
                                "%s takes %d number%s", word, n,
                                n == 1 ? "" : "s");
}

/* What follows the word. */
static int operands(hone_cursor *c, const draw_word *word,
                    hone_template_draw *draw)
{
    const int n = word->n_numbers;

    if (word->kind >= 0)
        draw->kind = (hone_draw_kind)word->kind;
    switch (word->kind) {
    case FROM:
        return range(c, draw);
    case SORTED:
        draw->is_sorted = 1;
        return 1;
    case POSITIVE:
        draw->is_positive = 1;
        return 1;
    case HONE_DRAW_OFFSETS:
        if (!hone__cursor_accept_word(c, "of"))
            return hone__complain(c->p, hone__cursor_here(c),
                                  "expected 'of' and the last offset");
        return number(c->p, bound(c, ","), &draw->high);
    case HONE_DRAW_FILE:
        return hone__cursor_expect(c, '(', "before the file's name") &&
               hone__cursor_string(c, &draw->file) &&
               hone__cursor_expect(c, ')', "after the file's name");
    default:
        return !n || numbers(c, word->word, n, draw->value);
    }
}

static int fits(hone_parser *p, draw_state *s, const draw_word *word,
                hone_slice where)
{
    const hone_template_arg *arg = s->arg;
    int64_t type = 0;

    if (arg->mode == HONE_ARG_OUT)
        return hone__complain(p, where,
                              "'%s' is written without being read: '%s' is for "
                              "in and inout arrays and scalars",
                              arg->name, word->word);
    if (arg->mode == HONE_ARG_SCALAR && word->only_arrays)
        return hone__complain(p, where,
                              "'%s' is for arrays, and '%s' is a scalar",
                              word->word, arg->name);
    for (size_t i = 0; i < s->n_seen; ++i) {
        if (s->seen[i] == word)
            return hone__complain(p, where, "'%s' is given twice", word->word);
        if (s->seen[i]->groups & word->groups)
            return hone__complain(
                p, where, "'%s' and '%s' contradict each other; leave one out",
                s->seen[i]->word, word->word);
    }
    if (word->only_integers && hone__compile_known(&arg->type, &type) &&
        !hone__type_is_integer((hone_type)type))
        return hone__complain(
            p, where, "'%s' is for integers, and '%s' holds %s", word->word,
            arg->name, hone__type_name((hone_type)type));
    s->seen[s->n_seen++] = word;
    return 1;
}

static const draw_word *next_word(hone_cursor *c)
{
    for (size_t i = 0; i < N_WORDS; ++i) {
        if (hone__cursor_accept_word(c, words[i].word))
            return &words[i];
    }
    return NULL;
}

int hone__draw_words(hone_cursor *c, hone_template_arg *arg)
{
    draw_state s = {.arg = arg};
    const hone_slice first = hone__cursor_here(c);
    const hone_template_expr place = hone__place(c->p, first);
    hone_slice where = first;
    const draw_word *word;

    while ((word = next_word(c))) {
        arg->draw.line = place.line;
        arg->draw.column = place.column;
        if (!fits(c->p, &s, word, where) || !operands(c, word, &arg->draw))
            return 0;
        if (word->kind == HONE_DRAW_UNIFORM) {
            arg->draw.has_range = 1;
            arg->draw.low = arg->draw.value[0];
            arg->draw.high = arg->draw.value[1];
        }
        where = hone__cursor_here(c);
    }
    if (arg->draw.kind == HONE_DRAW_ZIPF && !arg->draw.has_range)
        return hone__complain(
            c->p, first, "zipf needs the values that it draws: from LOW..HIGH");
    return 1;
}
