/* SPDX-License-Identifier: Apache-2.0 */
/* Parser of the launch plan text: one handler per statement, see
 * launch_spec.h for the format. */
#include "runtime/launch/launch_reader.h"

#include <inttypes.h>
#include <stdio.h>
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
static hone_status parse_constant(hone_reader *r)
{
    spec_name constant = {.is_param = !hone__piece_is(r->keyword, "symbol")};
    hone_symbol symbol = {HONE_SYMBOL_CONSTANT, 0};
    hone_piece name;

    HONE_TRY(hone__reader_name(r, &name));
    if (hone__piece_is(r->keyword, "real-param"))
        HONE_TRY(
            hone__reader_copy(r, hone__reader_word(r), &constant.spelling));
    HONE_TRY(hone__reader_constant(r, &symbol.value));
    HONE_TRY(hone__reader_declare(r, name, symbol));
    HONE_TRY(hone__reader_copy(r, name, &constant.name));
    constant.value = symbol.value;
    return hone__reader_push(r, &r->spec->names, &r->spec->n_names, &constant,
                             sizeof constant);
}

static spec_name *find_param(const hone_launch_spec *spec, hone_piece name)
{
    for (size_t i = 0; i < spec->n_names; ++i) {
        if (spec->names[i].is_param &&
            hone__piece_is(name, spec->names[i].name))
            return &spec->names[i];
    }
    return NULL;
}

static hone_status parse_unstated(hone_reader *r)
{
    spec_name *param;
    hone_piece name;

    HONE_TRY(hone__reader_name(r, &name));
    param = find_param(r->spec, name);
    if (!param)
        return hone__reader_fail(r, "no param is called", name);
    param->may_lack = 1;
    return hone__reader_at_end(r);
}

/* What stands behind the kind of a dim: a constant, or for an int of version 5
 * an expression of the dims above. */
static hone_status parse_default(hone_reader *r, spec_dim *dim)
{
    const hone_piece text = r->rest;
    const hone_expr *expr = NULL;

    if (r->version < 5 || hone__dim_is_fixed(dim))
        return hone__reader_constant(r, &dim->default_value);
    HONE_TRY(hone__reader_expr(r, text, &expr));
    if (!hone__expr_slot_count(expr))
        return hone__expr_eval(expr, NULL, &dim->default_value, r->err);
    for (size_t i = 0; i < HONE_N_PROPERTIES; ++i) {
        if (hone__expr_reads(expr, i))
            return hone__reader_fail(
                r, "the default of a dim reads dims alone, not", text);
    }
    if (hone__expr_slot_count(expr) > SLOT_LETS)
        return hone__reader_fail(
            r, "the default of a dim reads dims alone, not", text);
    dim->default_expr = expr;
    return HONE_OK;
}

static hone_status parse_dim(hone_reader *r)
{
    hone_launch_spec *spec = r->spec;
    spec_dim *dim = &spec->dims[spec->n_dims];
    hone_piece name;
    hone_piece kind;

    HONE_TRY(hone__reader_name(r, &name));
    if (spec->n_dims == HONE_MAX_DIMS)
        return hone__reader_fail(r, "more than 20 dims:", name);
    kind = hone__reader_word(r);
    dim->is_type = hone__piece_is(kind, "type");
    dim->is_choice = hone__piece_is(kind, "choice");
    dim->from_zero = r->version > 5 && hone__piece_is(kind, "size");
    if (!hone__piece_is(kind, "int") && !dim->is_type && !dim->is_choice &&
        !dim->from_zero)
        return hone__reader_fail(r, "a dim is int, type or choice, not", kind);
    if (r->rest.length || dim->is_choice)
        HONE_TRY(parse_default(r, dim));
    if (dim->default_value < 0)
        return hone__reader_fail(r, "a default below 1 for dim", name);
    if (!hone__dim_has_default(dim) && spec->n_dims &&
        hone__dim_has_default(&dim[-1]))
        return hone__reader_fail(
            r, "after a dim with a default, one is missing for", name);
    HONE_TRY(hone__reader_copy(r, name, &dim->name));
    HONE_TRY(hone__reader_declare(
        r, name,
        (hone_symbol){HONE_SYMBOL_SLOT, SLOT_DIMS + (int64_t)spec->n_dims}));
    spec->n_mandatory += !hone__dim_has_default(dim);
    ++spec->n_dims;
    return HONE_OK;
}

static hone_status parse_let(hone_reader *r)
{
    hone_launch_spec *spec = r->spec;
    const hone_symbol symbol = {HONE_SYMBOL_SLOT,
                                SLOT_LETS + (int64_t)spec->n_lets};
    const hone_expr *expr = NULL;
    hone_piece name;

    HONE_TRY(hone__reader_name(r, &name));
    if (spec->n_lets == MAX_LETS)
        return hone__reader_fail(r, "more than 512 lets:", name);
    HONE_TRY(hone__reader_expr(r, r->rest, &expr));
    HONE_TRY(hone__reader_declare(r, name, symbol));
    return hone__reader_push(r, &spec->lets, &spec->n_lets, &expr,
                             sizeof(const hone_expr *));
}

static hone_status parse_require(hone_reader *r)
{
    const hone_expr *expr = NULL;

    HONE_TRY(hone__reader_expr(r, r->rest, &expr));
    return hone__reader_push(r, &r->spec->requires_, &r->spec->n_requires,
                             &expr, sizeof(const hone_expr *));
}

static hone_status parse_work(hone_reader *r)
{
    static const hone_reader_part parts[] = {
        {"flops", offsetof(hone_launch_spec, flops), 0},
        {"bytes", offsetof(hone_launch_spec, bytes), 0}};
    const hone_piece kind = hone__reader_word(r);
    const hone_status status = hone__reader_part(
        r, kind, parts, 2, r->spec, "stated twice for one launch:");

    return status == HONE_ERR_NOT_FOUND
               ? hone__reader_fail(r, "work is flops or bytes, not", kind)
               : status;
}

/* Where a statement may stand. */
enum { ANYWHERE, UNDER_LAUNCH, NOT_OF_VENDOR, UNDER_VENDOR };

static const struct {
    const char *keyword;
    hone_status (*parse)(hone_reader *r);
    int place;
    int version; /* of the text that may hold it, at least */
} statements[] = {
    {"op", parse_op, ANYWHERE, 1},
    {"symbol", parse_constant, ANYWHERE, 1},
    {"dim", parse_dim, ANYWHERE, 1},
    {"param", parse_constant, ANYWHERE, 1},
    {"real-param", parse_constant, ANYWHERE, 3},
    {"unstated", parse_unstated, ANYWHERE, 3},
    {"let", parse_let, ANYWHERE, 1},
    {"arg", hone__reader_arg, ANYWHERE, 1},
    {"shape", hone__reader_shape, ANYWHERE, 3},
    {"optional", hone__reader_optional, ANYWHERE, 3},
    {"host", hone__reader_host, NOT_OF_VENDOR, 7},
    {"pipeline", hone__reader_pipeline, NOT_OF_VENDOR, 7},
    {"require", parse_require, ANYWHERE, 1},
    {"workspace", hone__reader_workspace, NOT_OF_VENDOR, 1},
    {"constant", hone__reader_constant_memory, NOT_OF_VENDOR, 2},
    {"tensormap", hone__reader_tensormap, NOT_OF_VENDOR, 2},
    {"map", hone__reader_map, ANYWHERE, 2},
    {"launch", hone__reader_launch, NOT_OF_VENDOR, 1},
    {"repeat", hone__reader_repeat, UNDER_LAUNCH, 6},
    {"if", hone__reader_clause, UNDER_LAUNCH, 1},
    {"grid", hone__reader_clause, UNDER_LAUNCH, 1},
    {"block", hone__reader_clause, UNDER_LAUNCH, 1},
    {"shared", hone__reader_clause, UNDER_LAUNCH, 1},
    {"cluster", hone__reader_clause, UNDER_LAUNCH, 2},
    {"cooperative", hone__reader_cooperative, UNDER_LAUNCH, 2},
    {"early", hone__reader_early, UNDER_LAUNCH, 8},
    {"pass", hone__reader_pass, UNDER_LAUNCH, 1},
    {"value", hone__reader_number, UNDER_LAUNCH, 1},
    {"real", hone__reader_number, UNDER_LAUNCH, 3},
    {"pick", hone__reader_pick, UNDER_LAUNCH, 6},
    {"work", parse_work, ANYWHERE, 1},
    {"vendor", hone__reader_vendor, ANYWHERE, 4},
    {"vendor-rank", hone__reader_vendor_number, UNDER_VENDOR, 4},
    /* What plans of before 2026-11-23 call it. */
    {"vendor-choice", hone__reader_vendor_number, UNDER_VENDOR, 4},
    {"vendor-version", hone__reader_vendor_number, UNDER_VENDOR, 4},
    {"vendor-workspace", hone__reader_vendor_number, UNDER_VENDOR, 4},
    {"vendor-algorithm", hone__reader_vendor_algorithm, UNDER_VENDOR, 4},
};

static hone_status parse_statement(hone_reader *r)
{
    r->keyword = hone__reader_word(r);
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; ++i) {
        if (!hone__piece_is(r->keyword, statements[i].keyword) ||
            r->version < statements[i].version)
            continue;
        if (statements[i].place == UNDER_LAUNCH && r->spec->n_launches == 0)
            return hone__reader_fail(
                r, "this belongs under a launch:", r->keyword);
        if (statements[i].place == UNDER_VENDOR && !r->spec->vendor.line)
            return hone__reader_fail(
                r, "this belongs under a vendor:", r->keyword);
        if (statements[i].place == NOT_OF_VENDOR && r->spec->vendor.line)
            return hone__reader_fail(
                r, "a function of a vendor's library has no", r->keyword);
        return statements[i].parse(r);
    }
    return hone__reader_fail(r, "unknown statement", r->keyword);
}

static hone_status check_complete(hone_reader *r)
{
    const hone_launch_spec *spec = r->spec;

    if (!spec->op)
        return hone__fail(r->err, HONE_ERR_INPUT,
                          "launch plan: the op statement is missing");
    HONE_TRY(hone__launch_host_complete(spec, r->err));
    if (spec->vendor.line)
        return hone__launch_vendor_complete(&spec->vendor, r->err);
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

/* ---- the configuration that a plan is said to be for --------------------- */

/* Numbers, booleans, element types and names of enumerations. */
static int is_value(const hone_launch_spec *spec, int64_t value,
                    hone_piece text)
{
    char number[24];

    (void)snprintf(number, sizeof number, "%" PRId64, value);
    if (hone__piece_is(text, number) ||
        (value == 1 && hone__piece_is(text, "true")) ||
        (value == 0 && hone__piece_is(text, "false")))
        return 1;
    if (value > 0 && (int64_t)hone__type_find(text.text, text.length) == value)
        return 1;
    for (size_t i = 0; i < spec->n_names; ++i) {
        const spec_name *symbol = &spec->names[i];

        if (!symbol->is_param && symbol->value == value &&
            hone__piece_is(text, symbol->name))
            return 1;
    }
    return 0;
}

hone_status hone__launch_spec_check_config(const hone_launch_spec *spec,
                                           const char *config, hone_error *err)
{
    size_t n_params = 0;
    size_t n_given = 0;

    for (size_t i = 0; i < spec->n_names; ++i)
        n_params += spec->names[i].is_param && !spec->names[i].may_lack;
    for (const char *pair = config; *pair;) {
        const size_t length = strcspn(pair, ",");
        const size_t name_length = strcspn(pair, "=,");
        const spec_name *param =
            find_param(spec, (hone_piece){pair, name_length});
        const hone_piece value = {pair + name_length + 1,
                                  length - name_length - 1};

        if (!param || name_length == length)
            return hone__fail(err, HONE_ERR_DATABASE,
                              "the launch plan has no param for '%.*s'",
                              (int)(length > 200 ? 200 : length), pair);
        if (param->spelling ? !hone__piece_is(value, param->spelling)
                            : !is_value(spec, param->value, value))
            return hone__fail(err, HONE_ERR_DATABASE,
                              "in the launch plan %s is %" PRId64
                              ", in the configuration '%.*s'",
                              param->name, param->value,
                              (int)(length > 200 ? 200 : length), pair);
        n_given += !param->may_lack;
        pair += length + (pair[length] == ',');
    }
    return n_given == n_params
               ? HONE_OK
               : hone__fail(err, HONE_ERR_DATABASE,
                            "the launch plan has %zu params, the "
                            "configuration %zu",
                            n_params, n_given);
}
