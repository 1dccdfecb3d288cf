/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions from text to bytecode: precedence climbing, one pass. */
#include "runtime/base/alloc.h"
#include "runtime/base/grow.h"
#include "runtime/expr/expr_code.h"

#include <ctype.h>
#include <string.h>

typedef struct parser {
    const char *text;
    size_t end; /* of the text to read */
    size_t at;
    int nesting;
    hone_expr *expr;
    int stack; /* values on the machine's stack at this point */
    hone_symbol_lookup *lookup;
    void *user;
    hone_span where; /* of the error */
    hone_error *err;
} parser;

static hone_status parse_ternary(parser *p);

static hone_status fail_at(parser *p, size_t offset, size_t length)
{
    p->where = (hone_span){offset, length ? length : 1};
    return HONE_ERR_INPUT;
}

#define FAIL(p, offset, length, ...)                                           \
    (hone__fail((p)->err, HONE_ERR_INPUT, __VA_ARGS__),                        \
     fail_at((p), (offset), (length)))

/* How an instruction changes the height of the stack. */
static int stack_effect(hone_op op)
{
    if (op <= HONE_OP_SLOT)
        return 1;
    if (op == HONE_OP_JUMP || (op >= HONE_OP_NEG && op < HONE_OP_ADD))
        return 0;
    return -1;
}

static hone_status emit(parser *p, hone_op op, int64_t operand)
{
    hone_expr *expr = p->expr;

    if (!HONE_GROW(expr->code, expr->n_code))
        return hone__out_of_memory(p->err, "");
    expr->code[expr->n_code++] = (hone_instruction){op, operand};
    p->stack += stack_effect(op);
    if (p->stack > HONE_EXPR_STACK)
        return FAIL(p, p->at ? p->at - 1 : 0, 1,
                    "the expression is too complex; split it with 'let'");
    return HONE_OK;
}

static void jump_lands_here(parser *p, size_t instruction)
{
    p->expr->code[instruction].operand = (int64_t)p->expr->n_code;
}

static char peek(parser *p)
{
    while (p->at < p->end && isspace((unsigned char)p->text[p->at]))
        ++p->at;
    return p->at < p->end ? p->text[p->at] : '\0';
}

static hone_status expect(parser *p, char c, const char *where)
{
    if (peek(p) != c)
        return p->at >= p->end
                   ? FAIL(p, p->at, 1,
                          "expected '%c' %s, but the expression "
                          "ends here",
                          c, where)
                   : FAIL(p, p->at, 1, "expected '%c' %s, found '%c'", c, where,
                          p->text[p->at]);
    ++p->at;
    return HONE_OK;
}

/* Something is where `expected` would have to be. */
static hone_status unexpected(parser *p, const char *expected)
{
    const char c = p->text[p->at];

    return isprint((unsigned char)c)
               ? FAIL(p, p->at, 1, "expected %s, found '%c'", expected, c)
               : FAIL(p, p->at, 1, "expected %s, found the byte 0x%02x",
                      expected, (unsigned)(unsigned char)c);
}

static int is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static size_t word_length(const parser *p)
{
    size_t n = 0;

    while (p->at + n < p->end && is_name_char(p->text[p->at + n]))
        ++n;
    return n;
}

/* Of a letter, a digit or another character of names. */
static int digit_value(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *found = strchr(digits, c | ' ');

    return found ? (int)(found - digits) : 99;
}

static hone_status parse_number(parser *p)
{
    const char *word = p->text + p->at;
    const size_t length = word_length(p);
    const int is_hex =
        length > 2 && word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
    const int base = is_hex ? 16 : 10;
    const size_t first = is_hex ? 2 : 0;
    /* C reads 010 as 8. */
    const int is_octal = !is_hex && word[0] == '0' && length > 1 &&
                         isdigit((unsigned char)word[1]);
    size_t i = first;
    int64_t value = 0;
    int overflow = 0;

    for (; i < length && digit_value(word[i]) < base; ++i) {
        overflow |= __builtin_mul_overflow(value, base, &value);
        overflow |= __builtin_add_overflow(value, digit_value(word[i]), &value);
    }
    if (i > first && i < length && strchr("KMG", word[i])) {
        const int bits = word[i] == 'K' ? 10 : word[i] == 'M' ? 20 : 30;

        overflow |= __builtin_mul_overflow(value, INT64_C(1) << bits, &value);
        ++i;
    }
    if (i != length || is_octal)
        return FAIL(p, p->at, length,
                    "'%.*s' is not a number; expressions take integers, "
                    "decimal (not 010) or 0x.., with suffix K, M or G",
                    (int)length, word);
    if (overflow)
        return FAIL(p, p->at, length, "%.*s does not fit 64 bits", (int)length,
                    word);
    p->at += length;
    return emit(p, HONE_OP_CONST, value);
}

static int word_is(const char *word, size_t length, const char *what)
{
    return strlen(what) == length && memcmp(word, what, length) == 0;
}

/* Here and below no pointers: the library that programs link is small. */
static const struct {
    char name[8];
    uint8_t op;
    int8_t n_args; /* -1: one or more, folded from the left */
} functions[] = {
    {"min", HONE_OP_MIN, -1},      {"max", HONE_OP_MAX, -1},
    {"abs", HONE_OP_ABS, 1},       {"ceildiv", HONE_OP_CEILDIV, 2},
    {"align", HONE_OP_ALIGN, 2},   {"log2", HONE_OP_LOG2, 1},
    {"ispow2", HONE_OP_ISPOW2, 1}, {"gcd", HONE_OP_GCD, 2},
    {"sizeof", HONE_OP_SIZEOF, 1},
};

enum { N_FUNCTIONS = sizeof functions / sizeof functions[0] };

static hone_status parse_call(parser *p, size_t start, size_t length)
{
    size_t f = 0;
    int n_args = 0;

    while (f < N_FUNCTIONS &&
           !word_is(p->text + start, length, functions[f].name))
        ++f;
    if (f == N_FUNCTIONS)
        return FAIL(p, start, length,
                    "unknown function '%.*s'; known are min, max, abs, "
                    "ceildiv, align, log2, ispow2, gcd and sizeof",
                    (int)length, p->text + start);
    do {
        ++p->at; /* over '(' or ',' */
        HONE_TRY(parse_ternary(p));
        ++n_args;
        if (n_args > 1 && functions[f].n_args < 0)
            HONE_TRY(emit(p, functions[f].op, 0));
    } while (peek(p) == ',');
    if (functions[f].n_args > 0 && n_args != functions[f].n_args)
        return FAIL(p, start, length, "%s takes %d value%s, not %d",
                    functions[f].name, functions[f].n_args,
                    functions[f].n_args == 1 ? "" : "s", n_args);
    HONE_TRY(expect(p, ')', "at the end of the call"));
    return functions[f].n_args > 0 ? emit(p, functions[f].op, 0) : HONE_OK;
}

static hone_status parse_name(parser *p)
{
    const size_t start = p->at;
    const size_t length = word_length(p);
    const char *word = p->text + start;
    hone_symbol symbol = {HONE_SYMBOL_UNKNOWN, 0};
    hone_type type;

    p->at += length;
    if (peek(p) == '(')
        return parse_call(p, start, length);
    if (word_is(word, length, "true") || word_is(word, length, "false"))
        return emit(p, HONE_OP_CONST, word[0] == 't');
    if (p->lookup)
        symbol = p->lookup(p->user, word, length);
    if (symbol.kind == HONE_SYMBOL_SLOT) {
        if ((size_t)symbol.value >= p->expr->n_slots)
            p->expr->n_slots = (size_t)symbol.value + 1;
        return emit(p, HONE_OP_SLOT, symbol.value);
    }
    if (symbol.kind == HONE_SYMBOL_CONSTANT)
        return emit(p, HONE_OP_CONST, symbol.value);
    type = hone__type_find(word, length);
    if (type)
        return emit(p, HONE_OP_CONST, type);
    return FAIL(p, start, length, "unknown name '%.*s'", (int)length, word);
}

static hone_status parse_primary(parser *p)
{
    const char c = peek(p);

    if (isdigit((unsigned char)c))
        return parse_number(p);
    if (isalpha((unsigned char)c) || c == '_')
        return parse_name(p);
    if (c == '(') {
        ++p->at;
        HONE_TRY(parse_ternary(p));
        return expect(p, ')', "to close the parenthesis");
    }
    if (p->at >= p->end)
        return FAIL(p, p->at, 1,
                    "expected a value, but the expression ends here");
    return unexpected(p, "a value");
}

static hone_status parse_unary(parser *p)
{
    static const char operators[] = "-!~+";
    static const hone_op ops[] = {HONE_OP_NEG, HONE_OP_NOT, HONE_OP_INVERT};
    const char c = peek(p);
    const char *found = c ? strchr(operators, c) : NULL;
    hone_status status;

    if (p->nesting == HONE_EXPR_NESTING)
        return FAIL(p, p->at, 1,
                    "the expression is nested deeper than %d; split it with "
                    "'let'",
                    HONE_EXPR_NESTING);
    ++p->nesting;
    p->at += found != NULL;
    status = found ? parse_unary(p) : parse_primary(p);
    --p->nesting;
    return status == HONE_OK && found && c != '+'
               ? emit(p, ops[found - operators], 0)
               : status;
}

/* Longer spellings first. */
static const struct operator_row {
    char text[3];
    uint8_t precedence; /* higher binds tighter */
    uint8_t op;         /* of && and ||: the jump */
} operators[] = {
    {"||", 1, HONE_OP_JUMP_IF_SET_KEEP},
    {"&&", 2, HONE_OP_JUMP_IF_ZERO_KEEP},
    {"==", 6, HONE_OP_EQ},
    {"!=", 6, HONE_OP_NE},
    {"<<", 8, HONE_OP_SHL},
    {">>", 8, HONE_OP_SHR},
    {"<=", 7, HONE_OP_LE},
    {">=", 7, HONE_OP_GE},
    {"|", 3, HONE_OP_OR},
    {"^", 4, HONE_OP_XOR},
    {"&", 5, HONE_OP_AND},
    {"<", 7, HONE_OP_LT},
    {">", 7, HONE_OP_GT},
    {"+", 9, HONE_OP_ADD},
    {"-", 9, HONE_OP_SUB},
    {"*", 10, HONE_OP_MUL},
    {"/", 10, HONE_OP_DIV},
    {"%", 10, HONE_OP_MOD},
};

enum { PRECEDENCE_EQUAL = 6, PRECEDENCE_COMPARE = 7 };

static const struct operator_row *peek_operator(parser *p)
{
    (void)peek(p);
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; ++i) {
        const size_t length = strlen(operators[i].text);

        if (p->end - p->at >= length &&
            memcmp(p->text + p->at, operators[i].text, length) == 0)
            return &operators[i];
    }
    return NULL;
}

/* Everything that binds at least as tightly as `lowest`. */
static hone_status parse_binary(parser *p, int lowest)
{
    const struct operator_row *row;
    int before = 0; /* precedence of the operator before this one */

    HONE_TRY(parse_unary(p));
    while ((row = peek_operator(p)) && row->precedence >= lowest) {
        const int is_logic = row->precedence <= 2;
        size_t jump = 0;

        /* C reads 1 < x < 4 as (1 < x) < 4, which nobody means. */
        if (row->precedence == before && before >= PRECEDENCE_EQUAL &&
            before <= PRECEDENCE_COMPARE)
            return FAIL(p, p->at, strlen(row->text),
                        "comparisons do not chain; write 'a < b && b < c', "
                        "or parentheses if this is meant");
        before = row->precedence;
        p->at += strlen(row->text);
        if (is_logic) {
            HONE_TRY(emit(p, HONE_OP_BOOL, 0));
            jump = p->expr->n_code;
            HONE_TRY(emit(p, row->op, 0));
        }
        HONE_TRY(parse_binary(p, row->precedence + 1));
        HONE_TRY(emit(p, is_logic ? HONE_OP_BOOL : row->op, 0));
        if (is_logic)
            jump_lands_here(p, jump);
    }
    return HONE_OK;
}

static hone_status parse_branches(parser *p)
{
    size_t to_else = p->expr->n_code;
    size_t to_end;

    HONE_TRY(emit(p, HONE_OP_JUMP_IF_ZERO, 0));
    HONE_TRY(parse_ternary(p));
    HONE_TRY(expect(p, ':', "after the first value of '?'"));
    to_end = p->expr->n_code;
    HONE_TRY(emit(p, HONE_OP_JUMP, 0));
    --p->stack; /* the other branch starts without the first one's value */
    jump_lands_here(p, to_else);
    HONE_TRY(parse_ternary(p));
    jump_lands_here(p, to_end);
    return HONE_OK;
}

static hone_status parse_ternary(parser *p)
{
    hone_status status;

    HONE_TRY(parse_binary(p, 1));
    if (peek(p) != '?')
        return HONE_OK;
    if (p->nesting == HONE_EXPR_NESTING)
        return FAIL(p, p->at, 1,
                    "more than %d nested '?'; split the "
                    "expression with 'let'",
                    HONE_EXPR_NESTING);
    ++p->at;
    ++p->nesting;
    status = parse_branches(p);
    --p->nesting;
    return status;
}

static hone_status parse_all(parser *p)
{
    HONE_TRY(parse_ternary(p));
    if (peek(p) == '\0' && p->at >= p->end)
        return HONE_OK;
    if (p->text[p->at] == '=')
        return FAIL(p, p->at, 1, "'=' is no operator; equality is '=='");
    return unexpected(p, "an operator");
}

static hone_status keep_text(parser *p, size_t start)
{
    size_t end = p->end;

    while (end > start && isspace((unsigned char)p->text[end - 1]))
        --end;
    p->expr->text = hone__strndup(p->text + start, end - start);
    return p->expr->text ? HONE_OK : hone__out_of_memory(p->err, "");
}

hone_status hone__expr_compile(const char *text, size_t length,
                               hone_symbol_lookup *lookup, void *user,
                               hone_expr **out, hone_span *out_where,
                               hone_error *err)
{
    parser p = {.text = text,
                .end = length,
                .expr = hone__alloc(sizeof *p.expr),
                .lookup = lookup,
                .user = user,
                .err = err};
    hone_status status;

    *out = NULL;
    if (!p.expr)
        return hone__out_of_memory(err, "");
    (void)peek(&p);
    status = keep_text(&p, p.at);
    if (!status)
        status = parse_all(&p);
    if (out_where)
        *out_where = p.where;
    if (status)
        hone__expr_free(p.expr);
    else
        *out = p.expr;
    return status;
}
