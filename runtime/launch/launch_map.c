/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor maps in launch plans: reading them and their numbers. See
 * launch_spec.h for the text, tensor_map.h for the rules. */
#include "runtime/launch/launch_reader.h"

hone_status hone__reader_tensormap(hone_reader *r)
{
    hone_launch_spec *spec = r->spec;
    spec_map *map = &spec->maps[spec->n_maps];
    spec_pass found;
    hone_piece name;
    hone_piece array;

    HONE_TRY(hone__reader_name(r, &name));
    if (hone__reader_find_passed(spec, name, &found))
        return hone__reader_fail(r, "declared twice:", name);
    if (spec->n_maps == HONE_MAX_MAPS)
        return hone__reader_fail(r, "more than 8 tensor maps:", name);
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
    hone_launch_spec *spec = r->spec;
    spec_map *map = &spec->maps[spec->n_maps - (spec->n_maps > 0)];
    const hone_piece word = hone__reader_word(r);
    const struct {
        const char *word;
        const hone_expr **exprs;
        size_t most;
    } parts[] = {
        {"if", &map->condition, 1},
        {"dims", map->dims, HONE_MAP_DIMS},
        {"strides", map->strides + 1, HONE_MAP_DIMS - 1},
        {"box", map->box, HONE_MAP_DIMS},
        {"elements", map->steps, HONE_MAP_DIMS},
        {"swizzle", &map->swizzle, 1},
        {"l2", &map->l2, 1},
        {"fill", &map->fill, 1},
    };

    if (!spec->n_maps)
        return hone__reader_fail(r, "this belongs under a tensormap:", word);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
        if (!hone__piece_is(word, parts[i].word))
            continue;
        if (parts[i].exprs[0])
            return hone__reader_fail(r,
                                     "stated twice for one tensor map:", word);
        return hone__reader_exprs(r, parts[i].most, parts[i].exprs);
    }
    return hone__reader_fail(r, "unknown part of a tensor map:", word);
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
                      "not go together",
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
