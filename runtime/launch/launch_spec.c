/* SPDX-License-Identifier: Apache-2.0 */
/* Parser of the launch plan text: one handler per statement, see
 * launch_spec.h for the format. */
#include "runtime/launch/launch_spec.h"

#include "runtime/launch/launch_reader.h"

#include <string.h>

enum { MAX_LINE_BYTES = 4095 };

static hone_status parse_op(hone_reader *r)
{
    hone_piece name;

    if (r->spec->op)
        return hone__reader_fail(r, "a second op:", r->rest);
    HONE_TRY(hone__reader_name(r, &name));
    HONE_TRY(hone__reader_copy(r, name, &r->spec->op));
    return hone__reader_at_end(r);
}

/* symbol NAME VALUE, param NAME VALUE, real-param NAME SPELLING VALUE:
 * constants. */
static hone_status parse_constant(hone_reader *r, int is_param, int is_real)
{
    hone_launch_spec *spec = r->spec;
    hone_symbol symbol = {HONE_SYMBOL_CONSTANT, 0};
    spec_name *grown;
    const char *spelling = NULL;
    hone_piece name;

    HONE_TRY(hone__reader_name(r, &name));
    if (is_real)
        HONE_TRY(hone__reader_copy(r, hone__reader_word(r), &spelling));
    HONE_TRY(hone__reader_constant(r, &symbol.value));
    HONE_TRY(hone__reader_declare(r, name, symbol));
    grown = hone__reader_grow(spec->names, spec->n_names, sizeof *spec->names);
    if (!grown)
        return hone__reader_no_memory(r);
    spec->names = grown;
    grown[spec->n_names] =
        (spec_name){NULL, symbol.value, is_param, 0, spelling};
    return hone__reader_copy(r, name, &grown[spec->n_names++].name);
}

static hone_status parse_symbol(hone_reader *r)
{
    return parse_constant(r, 0, 0);
}

static hone_status parse_param(hone_reader *r)
{
    return parse_constant(r, 1, 0);
}

static hone_status parse_real_param(hone_reader *r)
{
    return parse_constant(r, 1, 1);
}

static hone_status parse_unstated(hone_reader *r)
{
    hone_launch_spec *spec = r->spec;
    hone_piece name;

    HONE_TRY(hone__reader_name(r, &name));
    for (size_t i = 0; i < spec->n_names; ++i) {
        if (!spec->names[i].is_param ||
            !hone__piece_is(name, spec->names[i].name))
            continue;
        spec->names[i].may_lack = 1;
        return hone__reader_at_end(r);
    }
    return hone__reader_fail(r, "no param is called", name);
}

static hone_status parse_dim(hone_reader *r)
{
    hone_launch_spec *spec = r->spec;
    spec_dim *dim = &spec->dims[spec->n_dims];
    hone_piece name;
    hone_piece kind;

    HONE_TRY(hone__reader_name(r, &name));
    if (spec->n_dims == HONE_MAX_DIMS)
        return hone__reader_fail(r, "more than 8 dims:", name);
    kind = hone__reader_word(r);
    dim->is_type = hone__piece_is(kind, "type");
    dim->is_choice = hone__piece_is(kind, "choice");
    if (!hone__piece_is(kind, "int") && !dim->is_type && !dim->is_choice)
        return hone__reader_fail(r, "a dim is int, type or choice, not", kind);
    if (r->rest.length || dim->is_choice)
        HONE_TRY(hone__reader_constant(r, &dim->default_value));
    if (dim->default_value < 0)
        return hone__reader_fail(r, "a default below 1 for dim", name);
    if (!dim->default_value && !dim->is_choice && spec->n_dims &&
        (dim[-1].default_value || dim[-1].is_choice))
        return hone__reader_fail(
            r, "after a dim with a default, one is missing for", name);
    HONE_TRY(hone__reader_copy(r, name, &dim->name));
    HONE_TRY(hone__reader_declare(
        r, name,
        (hone_symbol){HONE_SYMBOL_SLOT, SLOT_DIMS + (int64_t)spec->n_dims}));
    ++spec->n_dims;
    return HONE_OK;
}

static hone_status parse_let(hone_reader *r)
{
    const hone_expr **grown;
    hone_launch_spec *spec = r->spec;
    const hone_expr *expr = NULL;
    hone_piece name;

    HONE_TRY(hone__reader_name(r, &name));
    if (spec->n_lets == MAX_LETS)
        return hone__reader_fail(r, "more than 512 lets:", name);
    HONE_TRY(hone__reader_expr(r, r->rest, &expr));
    grown = hone__reader_grow(spec->lets, spec->n_lets, sizeof *spec->lets);
    if (!grown)
        return hone__reader_no_memory(r);
    spec->lets = grown;
    HONE_TRY(hone__reader_declare(
        r, name,
        (hone_symbol){HONE_SYMBOL_SLOT, SLOT_LETS + (int64_t)spec->n_lets}));
    spec->lets[spec->n_lets++] = expr;
    return HONE_OK;
}

static hone_status parse_require(hone_reader *r)
{
    const hone_expr **grown;
    hone_launch_spec *spec = r->spec;
    const hone_expr *expr = NULL;

    HONE_TRY(hone__reader_expr(r, r->rest, &expr));
    grown = hone__reader_grow(spec->requires_, spec->n_requires,
                              sizeof *spec->requires_);
    if (!grown)
        return hone__reader_no_memory(r);
    spec->requires_ = grown;
    spec->requires_[spec->n_requires++] = expr;
    return HONE_OK;
}

static hone_status parse_launch(hone_reader *r)
{
    hone_launch_spec *spec = r->spec;
    spec_launch *launch = &spec->launches[spec->n_launches];
    hone_piece name = hone__reader_word(r);

    if (!name.length)
        return hone__reader_fail(r, "a kernel's name is missing after",
                                 (hone_piece){"launch", 6});
    if (spec->n_launches == HONE_MAX_LAUNCHES)
        return hone__reader_fail(r, "more than 8 launches:", name);
    HONE_TRY(hone__reader_copy(r, name, &launch->kernel));
    launch->line = r->line;
    ++spec->n_launches;
    return hone__reader_at_end(r);
}

static spec_launch *current_launch(hone_reader *r)
{
    return &r->spec->launches[r->spec->n_launches - 1];
}

/* E ; E ; E */
static hone_status parse_triple(hone_reader *r, const hone_expr *out[3])
{
    if (out[0])
        return hone__reader_fail(r, "stated twice for one launch:", r->rest);
    return hone__reader_exprs(r, 3, out);
}

static hone_status parse_if(hone_reader *r)
{
    return hone__reader_rest(r, &current_launch(r)->condition);
}

static hone_status parse_grid(hone_reader *r)
{
    return parse_triple(r, current_launch(r)->grid);
}

static hone_status parse_block(hone_reader *r)
{
    return parse_triple(r, current_launch(r)->block);
}

static hone_status parse_shared(hone_reader *r)
{
    return hone__reader_rest(r, &current_launch(r)->shared);
}

static hone_status parse_cluster(hone_reader *r)
{
    return parse_triple(r, current_launch(r)->cluster);
}

static hone_status parse_cooperative(hone_reader *r)
{
    current_launch(r)->cooperative = 1;
    return hone__reader_at_end(r);
}

static hone_status add_passed(hone_reader *r, spec_pass pass)
{
    spec_launch *launch = current_launch(r);

    if (launch->n_passed == HONE_MAX_PASSED)
        return hone__reader_fail(
            r, "more than 40 kernel parameters for",
            (hone_piece){launch->kernel, strlen(launch->kernel)});
    launch->passed[launch->n_passed++] = pass;
    return HONE_OK;
}

static hone_status parse_pass(hone_reader *r)
{
    spec_pass pass;
    hone_piece name;

    HONE_TRY(hone__reader_name(r, &name));
    if (!hone__reader_find_passed(r->spec, name, &pass))
        return hone__reader_fail(
            r, "no argument, workspace or tensor map is called", name);
    HONE_TRY(hone__reader_at_end(r));
    return add_passed(r, pass);
}

static hone_status parse_number(hone_reader *r, int is_real)
{
    static const struct {
        const char *word;
        hone_pass_kind kind;
    } kinds[] = {{"i32", HONE_PASS_I32},
                 {"i64", HONE_PASS_I64},
                 {"f32", HONE_PASS_F32},
                 {"f64", HONE_PASS_F64}};
    const hone_piece word = hone__reader_word(r);
    spec_pass pass = {.is_real = is_real};
    size_t i = is_real ? 2 : 0;
    const size_t n = r->version > 2 ? 4 : 2;

    while (i < n && !hone__piece_is(word, kinds[i].word))
        ++i;
    if (i == n)
        return hone__reader_fail(
            r, "a value is i32, i64, or f32 or f64 of version 3, not", word);
    pass.kind = kinds[i].kind;
    HONE_TRY(hone__reader_expr(r, r->rest, &pass.value));
    return add_passed(r, pass);
}

static hone_status parse_value(hone_reader *r)
{
    return parse_number(r, 0);
}

static hone_status parse_real(hone_reader *r)
{
    return parse_number(r, 1);
}

static hone_status parse_work(hone_reader *r)
{
    const hone_piece kind = hone__reader_word(r);

    if (hone__piece_is(kind, "flops"))
        return hone__reader_rest(r, &r->spec->flops);
    if (hone__piece_is(kind, "bytes"))
        return hone__reader_rest(r, &r->spec->bytes);
    return hone__reader_fail(r, "work is flops or bytes, not", kind);
}

static hone_status parse_statement(hone_reader *r)
{
    static const struct {
        const char *keyword;
        hone_status (*parse)(hone_reader *r);
        int of_launch;
        int version; /* of the text that may hold it, at least */
    } statements[] = {
        {"op", parse_op, 0, 1},
        {"symbol", parse_symbol, 0, 1},
        {"dim", parse_dim, 0, 1},
        {"param", parse_param, 0, 1},
        {"real-param", parse_real_param, 0, 3},
        {"unstated", parse_unstated, 0, 3},
        {"let", parse_let, 0, 1},
        {"arg", hone__reader_arg, 0, 1},
        {"shape", hone__reader_shape, 0, 3},
        {"optional", hone__reader_optional, 0, 3},
        {"require", parse_require, 0, 1},
        {"workspace", hone__reader_workspace, 0, 1},
        {"constant", hone__reader_constant_memory, 0, 2},
        {"tensormap", hone__reader_tensormap, 0, 2},
        {"map", hone__reader_map, 0, 2},
        {"launch", parse_launch, 0, 1},
        {"if", parse_if, 1, 1},
        {"grid", parse_grid, 1, 1},
        {"block", parse_block, 1, 1},
        {"shared", parse_shared, 1, 1},
        {"cluster", parse_cluster, 1, 2},
        {"cooperative", parse_cooperative, 1, 2},
        {"pass", parse_pass, 1, 1},
        {"value", parse_value, 1, 1},
        {"real", parse_real, 1, 3},
        {"work", parse_work, 0, 1},
    };
    const hone_piece keyword = hone__reader_word(r);

    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; ++i) {
        if (!hone__piece_is(keyword, statements[i].keyword) ||
            r->version < statements[i].version)
            continue;
        if (statements[i].of_launch && r->spec->n_launches == 0)
            return hone__reader_fail(r,
                                     "this belongs under a launch:", keyword);
        return statements[i].parse(r);
    }
    return hone__reader_fail(r, "unknown statement", keyword);
}

static hone_status check_complete(hone_reader *r)
{
    const hone_launch_spec *spec = r->spec;

    if (!spec->op)
        return hone__fail(r->err, HONE_ERR_INPUT,
                          "launch plan: the op statement is missing");
    if (!spec->n_launches)
        return hone__fail(r->err, HONE_ERR_INPUT,
                          "launch plan of %s: it launches nothing", spec->op);
    for (size_t i = 0; i < spec->n_maps; ++i)
        HONE_TRY(hone__launch_map_complete(&spec->maps[i], r->err));
    for (size_t i = 0; i < spec->n_launches; ++i) {
        const spec_launch *launch = &spec->launches[i];

        if (!launch->grid[0] || !launch->block[0])
            return hone__fail(r->err, HONE_ERR_INPUT,
                              "launch plan, line %d: kernel '%s' has no %s",
                              launch->line, launch->kernel,
                              launch->grid[0] ? "block" : "grid");
    }
    return HONE_OK;
}

static hone_status parse_lines(hone_reader *r, const char *text)
{
    while (*text) {
        const size_t length = strcspn(text, "\n");
        hone_piece line = {text, length};
        const char *comment = memchr(text, '#', length);

        ++r->line;
        if (length > MAX_LINE_BYTES)
            return hone__reader_fail(r, "longer than 4095 bytes:", line);
        if (comment)
            line.length = (size_t)(comment - text);
        r->rest = hone__piece_trim(line);
        if (r->line == 1)
            HONE_TRY(hone__reader_version(r));
        else if (r->rest.length)
            HONE_TRY(parse_statement(r));
        text += length + (text[length] == '\n');
    }
    if (!r->line)
        return hone__fail(r->err, HONE_ERR_INPUT,
                          "launch plan: the text is empty");
    return check_complete(r);
}

hone_status hone__launch_spec_parse(const char *text, hone_launch_spec **out,
                                    hone_error *err)
{
    hone_reader r = {.err = err};
    hone_status status;

    *out = NULL;
    r.spec = hone__alloc(sizeof *r.spec);
    if (!r.spec)
        return hone__reader_no_memory(&r);
    status = parse_lines(&r, text);
    hone__free(r.names);
    if (status == HONE_OK)
        *out = r.spec;
    else
        hone__launch_spec_free(r.spec);
    return status;
}

void hone__launch_spec_free(hone_launch_spec *spec)
{
    if (!spec)
        return;
    for (size_t i = 0; i < spec->n_exprs; ++i)
        hone__expr_free(spec->exprs[i]);
    hone__free(spec->exprs);
    hone__free(spec->names);
    hone__free(spec->lets);
    hone__free(spec->requires_);
    hone__arena_free(&spec->arena);
    hone__free(spec);
}
