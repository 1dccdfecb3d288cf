/* SPDX-License-Identifier: Apache-2.0 */
/* The statements of a launch plan that declare arguments, workspaces, what
 * fills constant memory, and tensor maps. See launch_spec.h for the text. */
#include "runtime/launch/launch_reader.h"

int hone__reader_find_passed(const hone_launch_spec *spec, hone_piece name,
                             spec_pass *out)
{
    /* Each begins with its name. */
    const struct {
        hone_pass_kind kind;
        const void *items;
        size_t n;
        size_t item_bytes;
    } lists[] = {
        {HONE_PASS_ARG, spec->args, spec->n_args, sizeof spec->args[0]},
        {HONE_PASS_WORKSPACE, spec->workspaces, spec->n_workspaces,
         sizeof spec->workspaces[0]},
        {HONE_PASS_MAP, spec->maps, spec->n_maps, sizeof spec->maps[0]}};

    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; ++k) {
        for (size_t i = 0; i < lists[k].n; ++i) {
            const void *item =
                (const char *)lists[k].items + i * lists[k].item_bytes;

            if (!hone__piece_is(name, *(const char *const *)item))
                continue;
            *out = (spec_pass){.kind = lists[k].kind, .index = (int)i};
            return 1;
        }
    }
    return 0;
}

/* The name of one more argument, workspace or tensor map. */
static hone_status read_new(hone_reader *r, int is_full, const char *too_many,
                            hone_piece *out)
{
    spec_pass other;

    HONE_TRY(hone__reader_name(r, out));
    if (hone__reader_find_passed(r->spec, *out, &other))
        return hone__reader_fail(r, "declared twice:", *out);
    return is_full ? hone__reader_fail(r, too_many, *out) : HONE_OK;
}

hone_status hone__reader_arg(hone_reader *r)
{
    static const char *const modes[] = {"scalar", "in", "out", "inout"};
    hone_launch_spec *spec = r->spec;
    spec_arg *arg = &spec->args[spec->n_args];
    hone_piece name;
    hone_piece word;
    int mode = 0;

    HONE_TRY(read_new(r, spec->n_args == HONE_MAX_ARGS,
                      "more than 24 args:", &name));
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

hone_status hone__reader_array(hone_reader *r, spec_arg **out)
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

    HONE_TRY(hone__reader_array(r, &arg));
    return hone__reader_exprs(r, HONE_MAX_RANK, arg->extents);
}

hone_status hone__reader_optional(hone_reader *r)
{
    spec_arg *arg = NULL;

    HONE_TRY(hone__reader_array(r, &arg));
    if (arg->given)
        return hone__reader_fail(r, "stated twice for one launch:", r->rest);
    return hone__reader_expr(r, r->rest, &arg->given);
}

hone_status hone__reader_workspace(hone_reader *r)
{
    hone_launch_spec *spec = r->spec;
    spec_workspace *workspace = &spec->workspaces[spec->n_workspaces];
    hone_piece name;
    hone_piece word;
    hone_piece count;

    HONE_TRY(read_new(r, spec->n_workspaces == HONE_MAX_WORKSPACES,
                      "more than 8 workspaces:", &name));
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
    spec_arg *from = NULL;
    hone_piece name;

    HONE_TRY(hone__reader_name(r, &name));
    for (size_t i = 0; i < spec->n_constants; ++i) {
        if (hone__piece_is(name, spec->constants[i].name))
            return hone__reader_fail(r, "declared twice:", name);
    }
    if (spec->n_constants == HONE_MAX_CONSTANTS)
        return hone__reader_fail(r, "more than 4 constants:", name);
    HONE_TRY(hone__reader_expr(r, hone__reader_word(r), &constant->type));
    HONE_TRY(hone__reader_array(r, &from));
    constant->arg = (int)(from - spec->args);
    HONE_TRY(hone__reader_exprs(r, 2, exprs));
    constant->count = exprs[0];
    constant->condition = exprs[1];
    HONE_TRY(hone__reader_copy(r, name, &constant->name));
    ++spec->n_constants;
    return HONE_OK;
}

/* ---- tensor maps: see tensor_map.h for the rules ------------------------- */

hone_status hone__reader_tensormap(hone_reader *r)
{
    hone_launch_spec *spec = r->spec;
    spec_map *map = &spec->maps[spec->n_maps];
    spec_pass found;
    hone_piece name;
    hone_piece array;

    HONE_TRY(read_new(r, spec->n_maps == HONE_MAX_MAPS,
                      "more than 8 tensor maps:", &name));
    HONE_TRY(hone__reader_name(r, &array));
    if (!hone__reader_find_passed(spec, array, &found) ||
        found.kind == HONE_PASS_MAP ||
        (found.kind == HONE_PASS_ARG &&
         spec->args[found.index].mode == HONE_ARG_SCALAR))
        return hone__reader_fail(r, "no array or workspace is called", array);
    HONE_TRY(hone__reader_at_end(r));
    *map = (spec_map){
        .line = r->line, .array_kind = found.kind, .array = found.index};
    HONE_TRY(hone__reader_copy(r, name, &map->name));
    ++spec->n_maps;
    return HONE_OK;
}

hone_status hone__reader_map(hone_reader *r)
{
    static const hone_reader_part parts[] = {
        {"if", offsetof(spec_map, condition), 1},
        {"dims", offsetof(spec_map, dims), HONE_MAP_DIMS},
        {"strides", offsetof(spec_map, strides[1]), HONE_MAP_DIMS - 1},
        {"box", offsetof(spec_map, box), HONE_MAP_DIMS},
        {"elements", offsetof(spec_map, steps), HONE_MAP_DIMS},
        {"swizzle", offsetof(spec_map, swizzle), 1},
        {"l2", offsetof(spec_map, l2), 1},
        {"fill", offsetof(spec_map, fill), 1},
    };
    hone_launch_spec *spec = r->spec;
    const hone_piece word = hone__reader_word(r);
    hone_status status;

    if (!spec->n_maps)
        return hone__reader_fail(r, "this belongs under a tensormap:", word);
    status = hone__reader_part(r, word, parts, sizeof parts / sizeof parts[0],
                               &spec->maps[spec->n_maps - 1],
                               "stated twice for one tensor map:");
    return status == HONE_ERR_NOT_FOUND
               ? hone__reader_fail(r, "unknown part of a tensor map:", word)
               : status;
}

static int count(const hone_expr *const *exprs, int most)
{
    int n = 0;

    while (n < most && exprs[n])
        ++n;
    return n;
}

hone_status hone__launch_map_complete(const spec_map *map, hone_error *err)
{
    const int rank = count(map->dims, HONE_MAP_DIMS);
    const int n_strides = count(map->strides + 1, HONE_MAP_DIMS - 1);
    const int n_box = count(map->box, HONE_MAP_DIMS);
    const int n_steps = count(map->steps, HONE_MAP_DIMS);

    if (rank && n_box == rank && n_strides == rank - 1 &&
        (!n_steps || n_steps == rank))
        return HONE_OK;
    return hone__fail(err, HONE_ERR_INPUT,
                      "launch plan, line %d: tensor map '%s' has %d dims, %d "
                      "strides, a box of %d and %d element strides, which do "
                      "not fit",
                      map->line, map->name, rank, n_strides, n_box, n_steps);
}

static hone_status eval_or(const hone_expr *expr, int64_t otherwise,
                           hone_map_eval *eval, void *user, int64_t *out)
{
    *out = otherwise;
    return expr ? eval(user, expr, out) : HONE_OK;
}

hone_status hone__launch_map_eval(const spec_map *map, hone_map_eval *eval,
                                  void *user, int64_t *out_wanted,
                                  hone_tensor_map *out)
{
    out->name = map->name;
    HONE_TRY(eval_or(map->condition, 1, eval, user, out_wanted));
    if (!*out_wanted)
        return HONE_OK;
    out->rank = count(map->dims, HONE_MAP_DIMS);
    for (int i = 0; i < out->rank; ++i) {
        HONE_TRY(eval_or(map->dims[i], 1, eval, user, &out->dims[i]));
        HONE_TRY(eval_or(map->strides[i], 0, eval, user, &out->strides[i]));
        HONE_TRY(eval_or(map->box[i], 1, eval, user, &out->box[i]));
        HONE_TRY(eval_or(map->steps[i], 1, eval, user, &out->steps[i]));
    }
    HONE_TRY(eval_or(map->swizzle, 0, eval, user, &out->swizzle));
    HONE_TRY(eval_or(map->l2, 0, eval, user, &out->l2));
    return eval_or(map->fill, 0, eval, user, &out->fill);
}
