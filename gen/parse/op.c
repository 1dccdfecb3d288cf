/* SPDX-License-Identifier: Apache-2.0 */
/* The op statement: an operation's name and its dimensions. */
#include "gen/parse/parse.h"

#include <ctype.h>

static int add_dim_value(hone_parser *p, hone_slice word, int64_t value,
                         hone_template_dim *dim)
{
    int64_t *slot;

    for (size_t i = 0; i < dim->n_types; ++i) {
        if (dim->types[i] == value)
            return hone__complain(p, word, "'%.*s' is listed twice",
                                  HONE_SLICE(p, word));
    }
    slot = HONE_PUSH(p, dim->types, dim->n_types);
    if (slot)
        *slot = value;
    return slot != NULL;
}

static int dim_type(hone_cursor *c, hone_template_dim *dim)
{
    hone_parser *p = c->p;
    hone_slice word;
    hone_type code;

    if (!hone__cursor_need_word(c, "an element type", &word))
        return 0;
    code = hone__type_find(p->bare + word.begin, word.end - word.begin);
    if (!code)
        return hone__complain(
            p, word,
            "'%.*s' is not an element type; a dimension is "
            "an integer or one of f16, bf16, tf32, f32, f64, "
            "i8, i32, c32, u8, u32, i64, u64, c64, e4m3, e5m2",
            HONE_SLICE(p, word));
    return add_dim_value(p, word, code, dim);
}

static int dim_choice(hone_cursor *c, hone_template_dim *dim)
{
    const int is_number = isdigit((unsigned char)hone__cursor_peek(c)) != 0;
    const hone_slice where = hone__cursor_until(c, ",}", NULL);
    int64_t value = 0;

    if (is_number && !hone__compile_constant(c->p, where, &value))
        return 0;
    if (!is_number || value < 0) /* 0-1 begins with a digit, too */
        return hone__complain(c->p, where, "'%.*s' is not an integer from 0 up",
                              HONE_SLICE(c->p, where));
    return add_dim_value(c->p, where, value, dim);
}

/* `WIDTH in 1..16`, as if its values were listed. */
static int dim_range(hone_cursor *c, hone_template_dim *dim)
{
    hone_range r;

    if (!hone__range_read(c, ".,)", &r))
        return 0;
    dim->is_choice = 1;
    dim->default_value = r.low;
    if (r.low < 0)
        return hone__complain(c->p, r.where,
                              "a dimension is an integer from 0 up");
    do {
        if (dim->n_types == HONE_MAX_CHOICES)
            return hone__complain(
                c->p, r.where,
                "a dimension lists at most %d values, each of which is "
                "compiled and tuned by itself; declare a size, and say what it "
                "may be with 'require'",
                HONE_MAX_CHOICES);
        if (!add_dim_value(c->p, r.where, r.low, dim))
            return 0;
    } while (hone__range_next(&r));
    return 1;
}

/* `T in {f32, f64}`, `TRANSPOSED in {0, 1}` or a range of an op. */
static int dim_values(hone_cursor *c, hone_template_dim *dim)
{
    if (!hone__cursor_accept(c, '{'))
        return dim_range(c, dim);
    dim->is_choice = isdigit((unsigned char)hone__cursor_peek(c)) != 0;
    do {
        if (!(dim->is_choice ? dim_choice(c, dim) : dim_type(c, dim)))
            return 0;
    } while (hone__cursor_accept(c, ','));
    if (dim->is_choice)
        dim->default_value = dim->types[0];
    return hone__cursor_expect(c, '}', "after the element types");
}

static int default_constant(hone_cursor *c, hone_slice where, int64_t value,
                            hone_template_dim *dim)
{
    int found = dim->n_types == 0;

    for (size_t i = 0; i < dim->n_types; ++i)
        found |= dim->types[i] == value;
    if (!found)
        return hone__complain(c->p, where,
                              "the default is not one of the %s of '%s'",
                              dim->is_choice ? "values" : "types", dim->name);
    if (!dim->n_types && value < 1)
        return hone__complain(c->p, where,
                              dim->from_zero
                                  ? "a default is at least 1, not %lld, also "
                                    "of a size from 0: callers who mean 0 "
                                    "say so"
                                  : "a dimension is at least 1, not %lld",
                              (long long)value);
    dim->default_value = value;
    return 1;
}

/* `from 0`, of a size. */
static int dim_least(hone_cursor *c, hone_template_dim *dim)
{
    static const char *const ends[] = {"default", NULL};
    const hone_slice where = hone__cursor_until(c, ",)", ends);
    hone_template_expr expr;
    int64_t value = -1;

    if (!hone__compile(c->p, where, HONE_SCOPE_CONSTANT, &expr))
        return 0;
    (void)hone__compile_known(&expr, &value);
    if (dim->n_types)
        return hone__complain(c->p, where,
                              "'%s' lists its values; 'from 0' is of sizes",
                              dim->name);
    if (value != 0)
        return hone__complain(c->p, where,
                              "a size is at least 1, or with 'from 0' at least "
                              "0; say with 'require' what else it may be");
    dim->from_zero = 1;
    return 1;
}

/* A constant, or for a size an expression of the dimensions before it. */
static int dim_default(hone_cursor *c, hone_template_dim *dim)
{
    const hone_slice where = hone__cursor_until(c, ",)", NULL);
    hone_template_expr expr;
    int64_t value;

    if (!hone__compile(c->p, where, HONE_SCOPE_DIM, &expr))
        return 0;
    if (hone__compile_known(&expr, &value))
        return default_constant(c, where, value, dim);
    if (dim->n_types)
        return hone__complain(
            c->p, where,
            "'%s' lists its values, so that its default is one of them; the "
            "default of a size may be an expression of dimensions",
            dim->name);
    dim->default_expr = expr;
    return 1;
}

static int op_dim(hone_cursor *c)
{
    hone_parser *p = c->p;
    hone_template *tmpl = p->tmpl;
    hone_template_dim *dim;
    hone_slice word;

    dim = HONE_DECLARE(c, HONE_NAME_DIM, tmpl->dims, tmpl->n_dims, &word);
    if (!dim)
        return 0;
    if (hone__cursor_accept_word(c, "in")) {
        if (!dim_values(c, dim))
            return 0;
        p->names[p->n_names - 1].kind =
            dim->is_choice ? HONE_NAME_DIM_CHOICE : HONE_NAME_DIM_TYPE;
    }
    if (hone__cursor_accept_word(c, "from") && !dim_least(c, dim))
        return 0;
    if (hone__cursor_accept_word(c, "default"))
        return dim_default(c, dim);
    if (tmpl->n_dims > 1 && !dim->is_choice &&
        !hone__dim_is_mandatory(&dim[-1]))
        return hone__complain(
            p, word,
            "'%s' needs a default, because the dimension before it has one",
            dim->name);
    return 1;
}

int hone__statement_op(hone_parser *p, hone_cursor *c)
{
    hone_slice word;

    if (!hone__cursor_need_word(c, "the name of the operation", &word))
        return 0;
    if (p->has_op)
        return hone__complain(p, word,
                              "a template has one op; '%s' was declared before",
                              p->tmpl->op);
    p->has_op = 1;
    p->tmpl->slots.dims = HONE_N_PROPERTIES; /* defaults read them */
    p->tmpl->op = hone__slice_copy(p, word);
    p->tmpl->description = "";
    if (!p->tmpl->op || !hone__cursor_expect(c, '(', "before the dimensions"))
        return 0;
    do {
        if (!op_dim(c))
            return 0;
    } while (hone__cursor_accept(c, ','));
    if (!hone__cursor_expect(c, ')', "after the dimensions"))
        return 0;
    if (hone__cursor_peek(c) == '"' &&
        !hone__cursor_string(c, &p->tmpl->description))
        return 0;
    return hone__cursor_finish(c);
}

int hone__statement_implements(hone_parser *p, hone_cursor *c)
{
    hone_template *tmpl = p->tmpl;
    hone_slice op;
    hone_slice name;

    if (!hone__cursor_need_word(c, "the operation, as in gemm/tiled", &op) ||
        !hone__cursor_expect(c, '/', "between operation and implementation") ||
        !hone__cursor_need_word(c, "the name of the implementation", &name))
        return 0;
    if (p->has_op && !hone__slice_is(p, op, tmpl->op))
        return hone__complain(p, op, "the operation of %s is '%s'",
                              tmpl->contract_path, tmpl->op);
    tmpl->implementation = hone__slice_copy(p, name);
    if (!tmpl->implementation)
        return 0;
    tmpl->is_reference = hone__cursor_accept_word(c, "reference");
    if (hone__cursor_peek(c) == '"' &&
        !hone__cursor_string(c, &tmpl->implementation_description))
        return 0;
    return hone__cursor_finish(c);
}
