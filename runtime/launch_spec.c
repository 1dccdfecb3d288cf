/* SPDX-License-Identifier: Apache-2.0 */
/* Parser of the launch plan text: one handler per statement, see
 * launch_spec.h for the format. */
#include "runtime/launch_spec.h"

#include "runtime/launch_body.h"

#include <string.h>

enum { MAX_LINE_BYTES = 4095 };

/* A piece of the text; not NUL-terminated. */
typedef struct piece {
    const char *text;
    size_t length;
} piece;

typedef struct spec_name {
    piece name;
    hone_symbol symbol;
} spec_name;

typedef struct parser {
    hone_launch_spec *spec;
    hone_error *err;
    int line;
    piece rest; /* of the current line, not read yet */
    size_t n_names;
    spec_name *names;
} parser;

static hone_status fail(parser *p, const char *what, piece about)
{
    return hone__fail(p->err, HONE_ERR_INPUT,
                      "launch plan, line %d: %s '%.*s'", p->line, what,
                      (int)(about.length > 200 ? 200 : about.length),
                      about.text);
}

static hone_status no_memory(parser *p)
{
    return hone__fail(p->err, HONE_ERR_NO_MEMORY,
                      "out of memory while reading a launch plan");
}

/* Make room for one more item: capacities are powers of two from 8 up. */
static hone_status grow(parser *p, void **items, size_t n, size_t item_bytes)
{
    void *larger;

    if (n != 0 && (n < 8 || (n & (n - 1)) != 0))
        return HONE_OK;
    larger = hone__realloc(*items, (n < 8 ? 8 : 2 * n) * item_bytes);
    if (!larger)
        return no_memory(p);
    *items = larger;
    return HONE_OK;
}

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static piece trim(piece s)
{
    while (s.length && is_blank(s.text[0])) {
        ++s.text;
        --s.length;
    }
    while (s.length && is_blank(s.text[s.length - 1]))
        --s.length;
    return s;
}

static int is(piece s, const char *word)
{
    return s.length == strlen(word) && memcmp(s.text, word, s.length) == 0;
}

/* The next word of the line; empty at its end. */
static piece next_word(parser *p)
{
    piece word = trim(p->rest);
    const char *end = word.text + word.length;
    size_t length = 0;

    while (length < word.length && !is_blank(word.text[length]))
        ++length;
    word.length = length;
    p->rest = trim((piece){word.text + length,
                           (size_t)(end - word.text) - length});
    return word;
}

static hone_status next_name(parser *p, piece *out)
{
    const piece word = next_word(p);
    int good = word.length > 0;

    for (size_t i = 0; i < word.length; ++i) {
        const char c = word.text[i];

        good &= (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                c == '_' || (i && c >= '0' && c <= '9');
    }
    *out = word;
    return good ? HONE_OK : fail(p, "expected a name, found", word);
}

static hone_status copy(parser *p, piece s, const char **out)
{
    *out = hone__arena_strndup(&p->spec->arena, s.text, s.length);
    return *out ? HONE_OK : no_memory(p);
}

static hone_status at_end(parser *p)
{
    return p->rest.length ? fail(p, "nothing may follow here, found", p->rest)
                          : HONE_OK;
}

static const spec_name *find_name(const parser *p, const char *name,
                                  size_t length)
{
    for (size_t i = 0; i < p->n_names; ++i) {
        if (p->names[i].name.length == length &&
            memcmp(p->names[i].name.text, name, length) == 0)
            return &p->names[i];
    }
    return NULL;
}

static hone_symbol lookup(void *user, const char *name, size_t length)
{
    static const char device[] = "device.";
    const size_t prefix = sizeof device - 1;
    const spec_name *found = find_name(user, name, length);

    if (found)
        return found->symbol;
    if (length > prefix && memcmp(name, device, prefix) == 0) {
        for (int i = 0; i < HONE_N_FACTS; ++i) {
            if (is((piece){name + prefix, length - prefix},
                   hone__fact_names[i]))
                return (hone_symbol){HONE_SYMBOL_SLOT, i};
        }
    }
    return (hone_symbol){HONE_SYMBOL_UNKNOWN, 0};
}

static hone_status declare(parser *p, piece name, hone_symbol symbol)
{
    if (find_name(p, name.text, name.length))
        return fail(p, "declared twice:", name);
    HONE_TRY(grow(p, (void **)&p->names, p->n_names, sizeof *p->names));
    p->names[p->n_names++] = (spec_name){name, symbol};
    return HONE_OK;
}

/* Compile; the spec owns the result. */
static hone_status compile(parser *p, piece text, const hone_expr **out)
{
    hone_launch_spec *spec = p->spec;
    hone_error inner = {0};
    hone_expr *expr = NULL;
    hone_status status;

    text = trim(text);
    if (!text.length)
        return fail(p, "an expression is missing", text);
    HONE_TRY(grow(p, (void **)&spec->exprs, spec->n_exprs,
                  sizeof(hone_expr *)));
    status = hone__expr_compile(text.text, text.length, lookup, p, &expr,
                                NULL, &inner);
    if (status == HONE_ERR_NO_MEMORY)
        return no_memory(p);
    if (status != HONE_OK)
        return hone__fail(p->err, HONE_ERR_INPUT,
                          "launch plan, line %d: %s in '%.*s'", p->line,
                          inner.text,
                          (int)(text.length > 200 ? 200 : text.length),
                          text.text);
    spec->exprs[spec->n_exprs++] = expr;
    *out = expr;
    return HONE_OK;
}

static hone_status compile_rest(parser *p, const hone_expr **out)
{
    if (*out)
        return fail(p, "stated twice for one launch:", p->rest);
    return compile(p, p->rest, out);
}

static hone_status next_constant(parser *p, int64_t *out)
{
    const piece text = p->rest;
    const hone_expr *expr = NULL;

    HONE_TRY(compile(p, text, &expr));
    if (hone__expr_slot_count(expr))
        return fail(p, "expected a constant, found", text);
    return hone__expr_eval(expr, NULL, out, p->err);
}

static hone_status parse_op(parser *p)
{
    piece name;

    if (p->spec->op)
        return fail(p, "a second op:", p->rest);
    HONE_TRY(next_name(p, &name));
    HONE_TRY(copy(p, name, &p->spec->op));
    return at_end(p);
}

/* symbol NAME VALUE and param NAME VALUE: constants. */
static hone_status parse_constant(parser *p)
{
    hone_symbol symbol = {HONE_SYMBOL_CONSTANT, 0};
    piece name;

    HONE_TRY(next_name(p, &name));
    HONE_TRY(next_constant(p, &symbol.value));
    return declare(p, name, symbol);
}

static hone_status parse_dim(parser *p)
{
    hone_launch_spec *spec = p->spec;
    spec_dim *dim = &spec->dims[spec->n_dims];
    piece name;
    piece kind;

    HONE_TRY(next_name(p, &name));
    if (spec->n_dims == HONE_MAX_DIMS)
        return fail(p, "more than 8 dims:", name);
    kind = next_word(p);
    if (!is(kind, "int") && !is(kind, "type"))
        return fail(p, "a dim is int or type, not", kind);
    dim->is_type = is(kind, "type");
    if (p->rest.length)
        HONE_TRY(next_constant(p, &dim->default_value));
    if (dim->default_value < 0)
        return fail(p, "a default below 1 for dim", name);
    if (!dim->default_value && spec->n_dims && dim[-1].default_value)
        return fail(p, "after a dim with a default, one is missing for",
                    name);
    HONE_TRY(copy(p, name, &dim->name));
    HONE_TRY(declare(p, name, (hone_symbol){HONE_SYMBOL_SLOT,
                                            SLOT_DIMS +
                                                (int64_t)spec->n_dims}));
    ++spec->n_dims;
    return HONE_OK;
}

static hone_status parse_let(parser *p)
{
    hone_launch_spec *spec = p->spec;
    const hone_expr *expr = NULL;
    piece name;

    HONE_TRY(next_name(p, &name));
    if (spec->n_lets == MAX_LETS)
        return fail(p, "more than 512 lets:", name);
    HONE_TRY(compile(p, p->rest, &expr));
    HONE_TRY(grow(p, (void **)&spec->lets, spec->n_lets,
                  sizeof *spec->lets));
    HONE_TRY(declare(p, name, (hone_symbol){HONE_SYMBOL_SLOT,
                                            SLOT_LETS +
                                                (int64_t)spec->n_lets}));
    spec->lets[spec->n_lets++] = expr;
    return HONE_OK;
}

static hone_status parse_require(parser *p)
{
    hone_launch_spec *spec = p->spec;
    const hone_expr *expr = NULL;

    HONE_TRY(compile(p, p->rest, &expr));
    HONE_TRY(grow(p, (void **)&spec->requires_, spec->n_requires,
                  sizeof *spec->requires_));
    spec->requires_[spec->n_requires++] = expr;
    return HONE_OK;
}

/* What `pass NAME` means. */
static int find_passed(const hone_launch_spec *spec, piece name,
                       spec_pass *out)
{
    for (size_t i = 0; i < spec->n_args; ++i) {
        if (is(name, spec->args[i].name)) {
            *out = (spec_pass){HONE_PASS_ARG, (int)i, NULL};
            return 1;
        }
    }
    for (size_t i = 0; i < spec->n_workspaces; ++i) {
        if (is(name, spec->workspaces[i].name)) {
            *out = (spec_pass){HONE_PASS_WORKSPACE, (int)i, NULL};
            return 1;
        }
    }
    return 0;
}

static hone_status parse_arg(parser *p)
{
    static const char *const modes[] = {"scalar", "in", "out", "inout"};
    hone_launch_spec *spec = p->spec;
    spec_arg *arg = &spec->args[spec->n_args];
    spec_pass other;
    piece name;
    piece word;
    int mode = 0;

    HONE_TRY(next_name(p, &name));
    if (find_passed(spec, name, &other))
        return fail(p, "declared twice:", name);
    if (spec->n_args == HONE_MAX_ARGS)
        return fail(p, "more than 24 args:", name);
    word = next_word(p);
    while (mode < 4 && !is(word, modes[mode]))
        ++mode;
    if (mode == 4)
        return fail(p, "expected scalar, in, out or inout, found", word);
    *arg = (spec_arg){.mode = (hone_arg_mode)mode};
    HONE_TRY(compile(p, next_word(p), &arg->type));
    if (arg->mode == HONE_ARG_SCALAR)
        HONE_TRY(at_end(p));
    else
        HONE_TRY(compile(p, p->rest, &arg->count));
    HONE_TRY(copy(p, name, &arg->name));
    ++spec->n_args;
    return HONE_OK;
}

static hone_status parse_workspace(parser *p)
{
    hone_launch_spec *spec = p->spec;
    spec_workspace *workspace = &spec->workspaces[spec->n_workspaces];
    spec_pass other;
    piece name;
    piece count;

    HONE_TRY(next_name(p, &name));
    if (find_passed(spec, name, &other))
        return fail(p, "declared twice:", name);
    if (spec->n_workspaces == HONE_MAX_WORKSPACES)
        return fail(p, "more than 8 workspaces:", name);
    *workspace = (spec_workspace){0};
    HONE_TRY(compile(p, next_word(p), &workspace->type));
    count = p->rest;
    if (is(next_word(p), "zero") && p->rest.length) {
        workspace->zero = 1;
        count = p->rest;
    }
    HONE_TRY(compile(p, count, &workspace->count));
    HONE_TRY(copy(p, name, &workspace->name));
    ++spec->n_workspaces;
    return HONE_OK;
}

static hone_status parse_launch(parser *p)
{
    hone_launch_spec *spec = p->spec;
    spec_launch *launch = &spec->launches[spec->n_launches];
    piece name = next_word(p);

    if (!name.length)
        return fail(p, "a kernel's name is missing after", (piece){"launch",
                                                                   6});
    if (spec->n_launches == HONE_MAX_LAUNCHES)
        return fail(p, "more than 8 launches:", name);
    HONE_TRY(copy(p, name, &launch->kernel));
    launch->line = p->line;
    ++spec->n_launches;
    return at_end(p);
}

static spec_launch *current_launch(parser *p)
{
    return &p->spec->launches[p->spec->n_launches - 1];
}

/* E ; E ; E */
static hone_status parse_triple(parser *p, const hone_expr *out[3])
{
    piece rest = p->rest;

    if (out[0])
        return fail(p, "stated twice for one launch:", rest);
    for (size_t i = 0; i < 3; ++i) {
        const char *cut = memchr(rest.text, ';', rest.length);
        const size_t length = cut ? (size_t)(cut - rest.text) : rest.length;

        HONE_TRY(compile(p, (piece){rest.text, length}, &out[i]));
        if (!cut)
            return HONE_OK;
        rest = (piece){cut + 1, rest.length - length - 1};
    }
    return fail(p, "more than three extents, found", rest);
}

static hone_status parse_if(parser *p)
{
    return compile_rest(p, &current_launch(p)->condition);
}

static hone_status parse_grid(parser *p)
{
    return parse_triple(p, current_launch(p)->grid);
}

static hone_status parse_block(parser *p)
{
    return parse_triple(p, current_launch(p)->block);
}

static hone_status parse_shared(parser *p)
{
    return compile_rest(p, &current_launch(p)->shared);
}

static hone_status add_passed(parser *p, spec_pass pass)
{
    spec_launch *launch = current_launch(p);

    if (launch->n_passed == HONE_MAX_PASSED)
        return fail(p, "more than 40 kernel parameters for",
                    (piece){launch->kernel, strlen(launch->kernel)});
    launch->passed[launch->n_passed++] = pass;
    return HONE_OK;
}

static hone_status parse_pass(parser *p)
{
    spec_pass pass;
    piece name;

    HONE_TRY(next_name(p, &name));
    if (!find_passed(p->spec, name, &pass))
        return fail(p, "no argument or workspace is called", name);
    HONE_TRY(at_end(p));
    return add_passed(p, pass);
}

static hone_status parse_value(parser *p)
{
    const piece kind = next_word(p);
    spec_pass pass = {HONE_PASS_I32, 0, NULL};

    if (is(kind, "i64"))
        pass.kind = HONE_PASS_I64;
    else if (!is(kind, "i32"))
        return fail(p, "a value is i32 or i64, not", kind);
    HONE_TRY(compile(p, p->rest, &pass.value));
    return add_passed(p, pass);
}

static hone_status parse_work(parser *p)
{
    const piece kind = next_word(p);

    if (is(kind, "flops"))
        return compile_rest(p, &p->spec->flops);
    if (is(kind, "bytes"))
        return compile_rest(p, &p->spec->bytes);
    return fail(p, "work is flops or bytes, not", kind);
}

static hone_status parse_statement(parser *p)
{
    static const struct {
        const char *keyword;
        hone_status (*parse)(parser *p);
        int of_launch;
    } statements[] = {
        {"op", parse_op, 0},           {"symbol", parse_constant, 0},
        {"dim", parse_dim, 0},         {"param", parse_constant, 0},
        {"let", parse_let, 0},         {"arg", parse_arg, 0},
        {"require", parse_require, 0}, {"workspace", parse_workspace, 0},
        {"launch", parse_launch, 0},   {"if", parse_if, 1},
        {"grid", parse_grid, 1},       {"block", parse_block, 1},
        {"shared", parse_shared, 1},   {"pass", parse_pass, 1},
        {"value", parse_value, 1},     {"work", parse_work, 0},
    };
    const piece keyword = next_word(p);

    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; ++i) {
        if (!is(keyword, statements[i].keyword))
            continue;
        if (statements[i].of_launch && p->spec->n_launches == 0)
            return fail(p, "this belongs under a launch:", keyword);
        return statements[i].parse(p);
    }
    return fail(p, "unknown statement", keyword);
}

static hone_status check_complete(parser *p)
{
    const hone_launch_spec *spec = p->spec;

    if (!spec->op)
        return hone__fail(p->err, HONE_ERR_INPUT,
                          "launch plan: the op statement is missing");
    if (!spec->n_launches)
        return hone__fail(p->err, HONE_ERR_INPUT,
                          "launch plan of %s: it launches nothing",
                          spec->op);
    for (size_t i = 0; i < spec->n_launches; ++i) {
        const spec_launch *launch = &spec->launches[i];

        if (!launch->grid[0] || !launch->block[0])
            return hone__fail(p->err, HONE_ERR_INPUT,
                              "launch plan, line %d: kernel '%s' has no %s",
                              launch->line, launch->kernel,
                              launch->grid[0] ? "block" : "grid");
    }
    return HONE_OK;
}

static hone_status parse_lines(parser *p, const char *text)
{
    while (*text) {
        const size_t length = strcspn(text, "\n");
        piece line = {text, length};
        const char *comment = memchr(text, '#', length);

        ++p->line;
        if (length > MAX_LINE_BYTES)
            return fail(p, "longer than 4095 bytes:", line);
        if (comment)
            line.length = (size_t)(comment - text);
        p->rest = trim(line);
        if (p->line == 1 && !is(p->rest, "hone-launch 1"))
            return fail(p, "expected 'hone-launch 1' (a newer hone may have "
                           "written this), found", p->rest);
        if (p->line > 1 && p->rest.length)
            HONE_TRY(parse_statement(p));
        text += length + (text[length] == '\n');
    }
    if (!p->line)
        return hone__fail(p->err, HONE_ERR_INPUT,
                          "launch plan: the text is empty");
    return check_complete(p);
}

hone_status hone__launch_spec_parse(const char *text, hone_launch_spec **out,
                                    hone_error *err)
{
    parser p = {.err = err};
    hone_status status;

    *out = NULL;
    p.spec = hone__alloc(sizeof *p.spec);
    if (!p.spec)
        return no_memory(&p);
    status = parse_lines(&p, text);
    hone__free(p.names);
    if (status == HONE_OK)
        *out = p.spec;
    else
        hone__launch_spec_free(p.spec);
    return status;
}

void hone__launch_spec_free(hone_launch_spec *spec)
{
    if (!spec)
        return;
    for (size_t i = 0; i < spec->n_exprs; ++i)
        hone__expr_free(spec->exprs[i]);
    hone__free(spec->exprs);
    hone__free(spec->lets);
    hone__free(spec->requires_);
    hone__arena_free(&spec->arena);
    hone__free(spec);
}
