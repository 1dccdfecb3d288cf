/* SPDX-License-Identifier: Apache-2.0 */
/* The statements of a launch plan that declare memory: arguments, workspaces
 * and what fills constant memory. */
#include "runtime/launch/launch_reader.h"

#include <string.h>

int hone__reader_find_passed(const hone_launch_spec *spec, hone_piece name,
                             spec_pass *out)
{
    for (size_t i = 0; i < spec->n_args; ++i) {
        if (hone__piece_is(name, spec->args[i].name)) {
            *out = (spec_pass){HONE_PASS_ARG, (int)i, NULL, 0};
            return 1;
        }
    }
    for (size_t i = 0; i < spec->n_workspaces; ++i) {
        if (hone__piece_is(name, spec->workspaces[i].name)) {
            *out = (spec_pass){HONE_PASS_WORKSPACE, (int)i, NULL, 0};
            return 1;
        }
    }
    for (size_t i = 0; i < spec->n_maps; ++i) {
        if (hone__piece_is(name, spec->maps[i].name)) {
            *out = (spec_pass){HONE_PASS_MAP, (int)i, NULL, 0};
            return 1;
        }
    }
    return 0;
}

hone_status hone__reader_arg(hone_reader *r)
{
    static const char *const modes[] = {"scalar", "in", "out", "inout"};
    hone_launch_spec *spec = r->spec;
    spec_arg *arg = &spec->args[spec->n_args];
    spec_pass other;
    hone_piece name;
    hone_piece word;
    int mode = 0;

    HONE_TRY(hone__reader_name(r, &name));
    if (hone__reader_find_passed(spec, name, &other))
        return hone__reader_fail(r, "declared twice:", name);
    if (spec->n_args == HONE_MAX_ARGS)
        return hone__reader_fail(r, "more than 24 args:", name);
    word = hone__reader_word(r);
    while (mode < 4 && !hone__piece_is(word, modes[mode]))
        ++mode;
    if (mode == 4)
        return hone__reader_fail(r, "expected scalar, in, out or inout, found",
                                 word);
    *arg = (spec_arg){.mode = (hone_arg_mode)mode};
    HONE_TRY(hone__reader_expr(r, hone__reader_word(r), &arg->type));
    if (arg->mode == HONE_ARG_SCALAR)
        HONE_TRY(hone__reader_at_end(r));
    else
        HONE_TRY(hone__reader_expr(r, r->rest, &arg->count));
    HONE_TRY(hone__reader_copy(r, name, &arg->name));
    ++spec->n_args;
    return HONE_OK;
}

/* The array that a line is about. */
static hone_status find_array(hone_reader *r, spec_arg **out)
{
    hone_launch_spec *spec = r->spec;
    spec_pass array;
    hone_piece name;

    HONE_TRY(hone__reader_name(r, &name));
    if (!hone__reader_find_passed(spec, name, &array) ||
        array.kind != HONE_PASS_ARG || !spec->args[array.index].count)
        return hone__reader_fail(r, "no array argument is called", name);
    *out = &spec->args[array.index];
    return HONE_OK;
}

hone_status hone__reader_shape(hone_reader *r)
{
    spec_arg *arg = NULL;

    HONE_TRY(find_array(r, &arg));
    return hone__reader_exprs(r, HONE_MAX_RANK, arg->extents);
}

hone_status hone__reader_optional(hone_reader *r)
{
    spec_arg *arg = NULL;

    HONE_TRY(find_array(r, &arg));
    return hone__reader_rest(r, &arg->given);
}

hone_status hone__reader_workspace(hone_reader *r)
{
    hone_launch_spec *spec = r->spec;
    spec_workspace *workspace = &spec->workspaces[spec->n_workspaces];
    spec_pass other;
    hone_piece name;
    hone_piece word;
    hone_piece count;

    HONE_TRY(hone__reader_name(r, &name));
    if (hone__reader_find_passed(spec, name, &other))
        return hone__reader_fail(r, "declared twice:", name);
    if (spec->n_workspaces == HONE_MAX_WORKSPACES)
        return hone__reader_fail(r, "more than 8 workspaces:", name);
    *workspace = (spec_workspace){0};
    HONE_TRY(hone__reader_expr(r, hone__reader_word(r), &workspace->type));
    count = r->rest;
    word = hone__reader_word(r);
    if (hone__piece_is(word, "zero") && r->rest.length)
        workspace->zero = HONE_ZERO_ONCE;
    else if (r->version > 1 && hone__piece_is(word, "zero-each"))
        workspace->zero = HONE_ZERO_EACH;
    if (workspace->zero)
        count = r->rest;
    HONE_TRY(hone__reader_expr(r, count, &workspace->count));
    HONE_TRY(hone__reader_copy(r, name, &workspace->name));
    ++spec->n_workspaces;
    return HONE_OK;
}

hone_status hone__reader_constant_memory(hone_reader *r)
{
    hone_launch_spec *spec = r->spec;
    spec_constant *constant = &spec->constants[spec->n_constants];
    const hone_expr *exprs[2] = {NULL, NULL};
    spec_pass from;
    hone_piece name;
    hone_piece source;

    HONE_TRY(hone__reader_name(r, &name));
    for (size_t i = 0; i < spec->n_constants; ++i) {
        if (hone__piece_is(name, spec->constants[i].name))
            return hone__reader_fail(r, "declared twice:", name);
    }
    if (spec->n_constants == HONE_MAX_CONSTANTS)
        return hone__reader_fail(r, "more than 4 constants:", name);
    HONE_TRY(hone__reader_expr(r, hone__reader_word(r), &constant->type));
    HONE_TRY(hone__reader_name(r, &source));
    if (!hone__reader_find_passed(spec, source, &from) ||
        from.kind != HONE_PASS_ARG ||
        spec->args[from.index].mode == HONE_ARG_SCALAR)
        return hone__reader_fail(r, "no array argument is called", source);
    constant->arg = from.index;
    HONE_TRY(hone__reader_exprs(r, 2, exprs));
    constant->count = exprs[0];
    constant->condition = exprs[1];
    HONE_TRY(hone__reader_copy(r, name, &constant->name));
    ++spec->n_constants;
    return HONE_OK;
}
