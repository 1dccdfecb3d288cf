/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of the preprocessor: see condition.h. Numbers are intmax_t as
 * there; what would be unsigned, or overflow, is unknown. */
#include "gen/expand/condition.h"

#include "gen/parse/code.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct number {
    int known;
    int64_t value;
} number;

typedef struct reader {
    const char *at;
    const char *end;
    hone_macro_fn *macro;
    const void *user;
    int depth; /* of recursion */
    int failed;
} reader;

enum { MOST_DEPTH = 128 };

static const number unknown = {0, 0};

static number read_choice(reader *r);

static char peek(reader *r)
{
    while (r->at < r->end && isspace((unsigned char)*r->at))
        ++r->at;
    return r->at < r->end ? *r->at : '\0';
}

static int accept(reader *r, const char *token)
{
    const size_t length = strlen(token);

    if (!peek(r) || (size_t)(r->end - r->at) < length ||
        strncmp(r->at, token, length) != 0)
        return 0;
    r->at += length;
    return 1;
}

static number fail(reader *r)
{
    r->failed = 1;
    return unknown;
}

static size_t word_length(const reader *r)
{
    size_t n = 0;

    while (r->at + n < r->end && hone__code_is_name(r->at[n]))
        ++n;
    return n;
}

/* Decimal, octal or hexadecimal, with L or LL behind it. */
static number read_literal(reader *r)
{
    const size_t length = word_length(r);
    char digits[32];
    char *rest;
    number out = {1, 0};

    if (length >= sizeof digits)
        return fail(r);
    memcpy(digits, r->at, length);
    digits[length] = '\0';
    errno = 0;
    out.value = strtoll(digits, &rest, 0);
    if (errno || rest[strspn(rest, "lL")])
        return fail(r);
    r->at += length;
    if (r->at < r->end && (*r->at == '.' || *r->at == '\''))
        return fail(r);
    return out;
}

/* The arguments of what may be a macro with some. */
static number skip_call(reader *r)
{
    int depth = 0;

    do {
        const char c = peek(r);

        if (!c || c == '"' || c == '\'')
            return fail(r);
        depth += (c == '(') - (c == ')');
        ++r->at;
    } while (depth);
    return unknown;
}

static number read_macro(reader *r, const char *body, size_t length)
{
    reader inner = *r;
    number out;

    inner.at = body;
    inner.end = body + length;
    out = read_choice(&inner);
    return inner.failed || peek(&inner) ? unknown : out;
}

static number read_defined(reader *r)
{
    const int in_parentheses = accept(r, "(");
    const size_t length = peek(r) ? word_length(r) : 0;
    const char *name = r->at;
    size_t body_length;

    if (!length)
        return fail(r);
    r->at += length;
    if (in_parentheses && !accept(r, ")"))
        return fail(r);
    return r->macro(r->user, name, length, &body_length) ? (number){1, 1}
                                                         : unknown;
}

static int is_word(const char *name, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(name, word, length) == 0;
}

static number read_word(reader *r)
{
    const char *name = r->at;
    const size_t length = word_length(r);
    size_t body_length;
    const char *body;

    if (!length)
        return fail(r);
    r->at += length;
    if (is_word(name, length, "defined"))
        return read_defined(r);
    if (is_word(name, length, "true") || is_word(name, length, "false"))
        return (number){1, name[0] == 't'};
    if (peek(r) == '(')
        return skip_call(r);
    body = r->macro(r->user, name, length, &body_length);
    return body ? read_macro(r, body, body_length) : unknown;
}

static number read_operand(reader *r)
{
    const char c = peek(r);
    number out;

    if (++r->depth > MOST_DEPTH)
        return fail(r);
    if (accept(r, "(")) {
        out = read_choice(r);
        if (!accept(r, ")"))
            return fail(r);
    } else if (c == '!') {
        ++r->at;
        out = read_operand(r);
        out.value = !out.value;
    } else if (c == '~' || c == '-' || c == '+') {
        ++r->at;
        out = read_operand(r);
        if (c == '-' && __builtin_sub_overflow(0, out.value, &out.value))
            return unknown;
        out.value = c == '~' ? ~out.value : out.value;
    } else {
        out = isdigit((unsigned char)c) ? read_literal(r) : read_word(r);
    }
    --r->depth;
    return out;
}

/* In the order in which they must be looked for: the longer ones first. */
static const struct {
    const char *token;
    int level; /* binds the tighter, the higher it is */
} operators[] = {{"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<<", 8},
                 {">>", 8}, {"<=", 7}, {">=", 7}, {"|", 3},  {"^", 4},
                 {"&", 5},  {"<", 7},  {">", 7},  {"+", 9},  {"-", 9},
                 {"*", 10}, {"/", 10}, {"%", 10}};

enum { N_OPERATORS = sizeof operators / sizeof operators[0] };

static number shift(char direction, int64_t a, int64_t b)
{
    if (a < 0 || b < 0 || b > 62 || (direction == '<' && a > INT64_MAX >> b))
        return unknown;
    return (number){1, direction == '<' ? a << b : a >> b};
}

static number divide(char kind, int64_t a, int64_t b)
{
    if (b == 0 || b == -1)
        return unknown;
    return (number){1, kind == '/' ? a / b : a % b};
}

static number compare(const char *token, int64_t a, int64_t b)
{
    if (token[1] == '=')
        return (number){1, token[0] == '='   ? a == b
                           : token[0] == '!' ? a != b
                           : token[0] == '<' ? a <= b
                                             : a >= b};
    return (number){1, token[0] == '<' ? a < b : a > b};
}

static number apply(const char *token, number x, number y)
{
    const int64_t a = x.value, b = y.value;
    number out = {1, 0};

    /* One side may be enough for these. */
    if (strcmp(token, "&&") == 0 || strcmp(token, "||") == 0) {
        const int settles = token[0] == '|';

        if ((x.known && !a == !settles) || (y.known && !b == !settles))
            return (number){1, settles};
        return (number){x.known && y.known, !settles};
    }
    if (!x.known || !y.known)
        return unknown;
    switch (token[0]) {
    case '+':
        out.known = !__builtin_add_overflow(a, b, &out.value);
        return out;
    case '-':
        out.known = !__builtin_sub_overflow(a, b, &out.value);
        return out;
    case '*':
        out.known = !__builtin_mul_overflow(a, b, &out.value);
        return out;
    case '/':
    case '%':
        return divide(token[0], a, b);
    case '|':
        return (number){1, a | b};
    case '^':
        return (number){1, a ^ b};
    case '&':
        return (number){1, a & b};
    default:
        return token[1] == token[0] && token[0] != '=' ? shift(token[0], a, b)
                                                       : compare(token, a, b);
    }
}

static number read_binary(reader *r, int level)
{
    number out = read_operand(r);

    while (!r->failed && peek(r)) {
        size_t i = 0;

        while (i < N_OPERATORS && !accept(r, operators[i].token))
            ++i;
        if (i == N_OPERATORS)
            break;
        if (operators[i].level < level) {
            r->at -= strlen(operators[i].token);
            break;
        }
        out = apply(operators[i].token, out,
                    read_binary(r, operators[i].level + 1));
    }
    return out;
}

/* Both sides count: one may make the other unsigned. */
static number read_choice(reader *r)
{
    number condition = {0, 0}, yes, no;

    if (++r->depth > MOST_DEPTH)
        return fail(r);
    condition = read_binary(r, 1);
    if (!r->failed && accept(r, "?")) {
        yes = read_choice(r);
        if (!accept(r, ":"))
            return fail(r);
        no = read_choice(r);
        if (condition.known && yes.known && no.known)
            condition = condition.value ? yes : no;
        else
            condition = unknown;
    }
    --r->depth;
    return condition;
}

hone_decision hone__condition_decide(const char *text, size_t length,
                                     hone_macro_fn *macro, const void *user)
{
    reader r = {.at = text, .end = text + length, .macro = macro, .user = user};
    const number out = read_choice(&r);

    if (r.failed || peek(&r) || !out.known)
        return HONE_UNDECIDED;
    return out.value ? HONE_DECIDED_TRUE : HONE_DECIDED_FALSE;
}
