/* SPDX-License-Identifier: Apache-2.0 */
/* The tensormap statement: what a kernel that copies tiles with the TMA unit
 * is shown of an array. The rules are those of runtime/launch/tensor_map.h;
 * here they are asked about the numbers that stand in the file. */
#include "gen/parse/parse.h"

#include <string.h>

const char *const hone__map_part_names[HONE_N_MAP_PARTS] = {
#define NAME(name, word, most) word,
    HONE_MAP_PART_MAP(NAME)
#undef NAME
};

static const size_t most_values[HONE_N_MAP_PARTS] = {
#define MOST(name, word, most) most,
    HONE_MAP_PART_MAP(MOST)
#undef MOST
};

#define PARTS                                                                  \
    "dims(..), strides(..), box(..), swizzle(..), l2(..), fill(..), "          \
    "elements(..) or if(..)"

/* The array that the map shows. */
static int map_array(hone_cursor *c, hone_template_map *map)
{
    hone_parser *p = c->p;
    const hone_name *known;
    hone_suggestion s;
    hone_slice word;
    char hint[96];

    if (!hone__cursor_need_word(c, "the name of an array or workspace", &word))
        return 0;
    known =
        hone__name_find_buffer(p, p->bare + word.begin, word.end - word.begin);
    if (known && known->kind == HONE_NAME_ARG &&
        p->parts.args[known->index].mode == HONE_ARG_SCALAR)
        return hone__complain(p, word,
                              "'%s' is a scalar; a tensor map shows an array",
                              known->name);
    if (known &&
        (known->kind == HONE_NAME_ARG || known->kind == HONE_NAME_WORKSPACE)) {
        map->array = (int)known->index;
        map->array_kind =
            known->kind == HONE_NAME_ARG ? HONE_PASS_ARG : HONE_PASS_WORKSPACE;
        return 1;
    }
    hone__suggest_start(&s, p->bare + word.begin, word.end - word.begin);
    for (size_t i = 0; i < p->tmpl->n_args; ++i)
        hone__suggest_offer(&s, p->parts.args[i].name);
    for (size_t i = 0; i < p->tmpl->n_workspaces; ++i)
        hone__suggest_offer(&s, p->parts.workspaces[i].name);
    return hone__complain(p, word, "no array or workspace is called '%.*s'%s",
                          (int)(word.end - word.begin), p->bare + word.begin,
                          hone__suggest_text(&s, hint));
}

static int map_part(hone_cursor *c, hone_template_map *map)
{
    hone_parser *p = c->p;
    hone_suggestion s;
    hone_slice word;
    char hint[96];

    if (!hone__cursor_need_word(c, PARTS, &word))
        return 0;
    hone__suggest_start(&s, p->bare + word.begin, word.end - word.begin);
    for (int i = 0; i < HONE_N_MAP_PARTS; ++i) {
        if (hone__slice_is(p, word, hone__map_part_names[i])) {
            if (map->n[i])
                return hone__complain(p, word, "'%s' is given twice",
                                      hone__map_part_names[i]);
            return hone__compile_list(c, hone__map_part_names[i],
                                      most_values[i], HONE_SCOPE_ANY,
                                      map->part[i], &map->n[i]);
        }
        hone__suggest_offer(&s, hone__map_part_names[i]);
    }
    return hone__complain(p, word,
                          "a tensor map has no '%.*s'; it takes " PARTS "%s",
                          (int)(word.end - word.begin), p->bare + word.begin,
                          hone__suggest_text(&s, hint));
}

/* Bytes from one element to the next along all dimensions but the innermost,
 * of an array without gaps. */
static int default_strides(hone_parser *p, const hone_template_shape *shape,
                           const hone_template_expr *type,
                           hone_template_map *map)
{
    hone_text text = {0};
    int ok = 1;

    hone__text_printf(&text, "sizeof(%s)", hone__expr_text(type->expr));
    for (size_t i = 1; ok && i < shape->rank; ++i) {
        const hone_template_expr *extent = &shape->extents[shape->rank - i];

        hone__text_printf(&text, "*(%s)", hone__expr_text(extent->expr));
        ok = text.failed
                 ? hone__no_memory(p)
                 : hone__compile_text(p, text.data, extent,
                                      &map->part[HONE_MAP_PART_STRIDES][i - 1]);
    }
    map->n[HONE_MAP_PART_STRIDES] = shape->rank - 1;
    hone__text_free(&text);
    return ok;
}

/* Without dims(..) the map shows the array as it is declared. */
static int default_dims(hone_parser *p, hone_template_map *map)
{
    const int of_arg = map->array_kind == HONE_PASS_ARG;
    const hone_template_shape *shape =
        of_arg ? &p->parts.args[map->array].shape
               : &p->parts.workspaces[map->array].shape;

    if (map->n[HONE_MAP_PART_DIMS] || map->n[HONE_MAP_PART_STRIDES] ||
        shape->rank < 2)
        return 1;
    for (size_t i = 0; i < shape->rank; ++i)
        map->part[HONE_MAP_PART_DIMS][i] = shape->extents[shape->rank - 1 - i];
    map->n[HONE_MAP_PART_DIMS] = shape->rank;
    return default_strides(p, shape,
                           of_arg ? &p->parts.args[map->array].type
                                  : &p->parts.workspaces[map->array].type,
                           map);
}

/* dims(..) says how many numbers the others have. */
static int check_counts(hone_parser *p, hone_slice where,
                        const hone_template_map *map)
{
    const size_t rank = map->n[HONE_MAP_PART_DIMS];
    const struct {
        hone_map_part part;
        size_t wanted;
        int optional;
    } rows[] = {
        {HONE_MAP_PART_STRIDES, rank - 1, 0},
        {HONE_MAP_PART_BOX, rank, 0},
        {HONE_MAP_PART_ELEMENTS, rank, 1},
    };

    if (!rank)
        return hone__complain(p, where,
                              "a tensor map needs dims(..), its sizes in "
                              "elements, the innermost first");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        const size_t n = map->n[rows[i].part];

        if (n != rows[i].wanted && !(rows[i].optional && !n))
            return hone__complain(
                p, where,
                "dims(..) has %zu values, so %s(..) has %zu%s, not %zu", rank,
                hone__map_part_names[rows[i].part], rows[i].wanted,
                rows[i].part == HONE_MAP_PART_STRIDES
                    ? " (all but the innermost, in bytes)"
                    : "",
                n);
    }
    return 1;
}

/* The value of a constant, HONE_MAP_UNKNOWN of everything else. */
static int64_t known_value(const hone_template_map *map, hone_map_part part,
                           size_t index, int64_t otherwise)
{
    const hone_expr *expr = map->part[part][index].expr;
    int64_t value = HONE_MAP_UNKNOWN;

    if (index >= map->n[part])
        return otherwise;
    if (hone__expr_slot_count(expr) == 0)
        (void)hone__expr_eval(expr, NULL, &value, NULL);
    return value;
}

/* What is wrong whatever is chosen. */
static int check_numbers(hone_parser *p, hone_slice where,
                         const hone_template_map *map)
{
    const int of_arg = map->array_kind == HONE_PASS_ARG;
    hone_tensor_map known = {.name = map->name,
                             .type = HONE_MAP_UNKNOWN,
                             .array_bytes = HONE_MAP_UNKNOWN,
                             .rank = (int)map->n[HONE_MAP_PART_DIMS]};
    const hone_expr *type;
    hone_error err = {0};

    known.array = of_arg ? p->parts.args[map->array].name
                         : p->parts.workspaces[map->array].name;
    type = of_arg ? p->parts.args[map->array].type.expr
                  : p->parts.workspaces[map->array].type.expr;
    if (type && hone__expr_slot_count(type) == 0)
        (void)hone__expr_eval(type, NULL, &known.type, NULL);
    for (size_t i = 0; i < (size_t)known.rank; ++i) {
        known.dims[i] = known_value(map, HONE_MAP_PART_DIMS, i, 1);
        known.box[i] = known_value(map, HONE_MAP_PART_BOX, i, 1);
        known.steps[i] = known_value(map, HONE_MAP_PART_ELEMENTS, i, 1);
        if (i)
            known.strides[i] =
                known_value(map, HONE_MAP_PART_STRIDES, i - 1, 0);
    }
    known.swizzle = known_value(map, HONE_MAP_PART_SWIZZLE, 0, 0);
    known.l2 = known_value(map, HONE_MAP_PART_L2, 0, 0);
    known.fill = known_value(map, HONE_MAP_PART_FILL, 0, 0);
    if (hone__tensor_map_check(&known, &err) == HONE_OK)
        return 1;
    return hone__complain(p, where, "%s", err.text);
}

/* `tensormap A_MAP: A dims(K, M) strides(K*2) box(BK, BM) swizzle(128)` */
int hone__statement_tensormap(hone_parser *p, hone_cursor *c)
{
    hone_template_map *map;
    hone_slice name;

    if (!hone__cursor_need_word(c, "the name of a tensor map", &name))
        return 0;
    if (p->tmpl->n_maps == HONE_MAX_MAPS)
        return hone__complain(p, name, "an op has at most %d tensor maps",
                              HONE_MAX_MAPS);
    map = HONE_PUSH(p, p->parts.maps, p->tmpl->n_maps);
    if (!map)
        return 0;
    *map = (hone_template_map){.name = ""};
    p->map_names[p->tmpl->n_maps - 1] = name;
    if (!hone__name_declare(p, name, HONE_NAME_MAP, p->tmpl->n_maps - 1,
                            &map->name) ||
        !hone__cursor_expect(c, ':', "after the tensor map's name") ||
        !map_array(c, map))
        return 0;
    while (hone__cursor_peek(c) != '\0' || c->at < c->end) {
        if (!map_part(c, map))
            return 0;
    }
    return default_dims(p, map) && check_counts(p, name, map) &&
           check_numbers(p, name, map);
}

static int is_passed(const hone_parser *p, size_t map)
{
    for (size_t i = 0; i < p->tmpl->n_launches; ++i) {
        const hone_template_launch *launch = &p->parts.launches[i];

        for (size_t k = 0; k < launch->n_passed; ++k) {
            if (launch->passed[k].kind == HONE_PASS_MAP &&
                launch->passed[k].index == (int)map)
                return 1;
        }
    }
    return 0;
}

int hone__maps_complete(hone_parser *p)
{
    static const char attribute[] = "__grid_constant__";
    int ok = 1;

    for (size_t i = 0; i < p->tmpl->n_maps; ++i) {
        const hone_slice where = p->map_names[i];
        const char *name = p->parts.maps[i].name;

        if (!is_passed(p, i))
            ok = hone__complain(p, where,
                                "no kernel gets the tensor map '%s'; list it "
                                "in the args(..) of a launch",
                                name);
        else if (!hone__code_has(p, attribute, sizeof attribute - 1))
            ok = hone__complain(p, where,
                                "a kernel gets a tensor map as 'const "
                                "__grid_constant__ CUtensorMap %s'; the code "
                                "of this file has no such parameter",
                                name);
        else if (!p->tmpl->cuda_only)
            ok = hone__complain(p, where,
                                "tensor maps exist on GPUs only; say so with "
                                "a line: device cuda \"uses TMA\"");
    }
    return ok;
}
