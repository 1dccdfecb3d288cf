/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels see of arrays beside pointers. The constant statement: constant
 * memory that is filled from an argument. The tensormap statement: what a
 * kernel that copies tiles with the TMA unit is shown of an array; its rules
 * are those of runtime/launch/tensor_map.h, asked here about the numbers that
 * stand in the file. */
#include "gen/parse/parse.h"

#include <string.h>

static int source_of(hone_cursor *c, hone_template_constant *constant)
{
    hone_parser *p = c->p;
    const hone_name *known;
    const hone_template_arg *arg;
    hone_slice word;

    if (!hone__cursor_accept_word(c, "from"))
        return hone__complain(p, hone__cursor_here(c),
                              "say which argument fills it: from ARGUMENT");
    if (!hone__cursor_need_word(c, "the name of an argument", &word))
        return 0;
    known = hone__buffer_need(p, word, 1u << HONE_NAME_ARG, "argument");
    if (!known)
        return 0;
    arg = &p->tmpl->args[known->index];
    constant->arg = (int)known->index;
    if (arg->mode != HONE_ARG_IN)
        return hone__complain(
            p, word,
            "constant memory is filled before the launches from an array that "
            "does not change: '%s' must be an 'in' array",
            arg->name);
    /* .expr NULL: the argument had a mistake of its own. */
    if (arg->type.expr && constant->type.expr &&
        strcmp(hone__expr_text(arg->type.expr),
               hone__expr_text(constant->type.expr)) != 0)
        return hone__complain(p, word,
                              "'%s' holds elements of %s, and the constant "
                              "'%s' of %s; they must be the same",
                              arg->name, hone__expr_text(arg->type.expr),
                              constant->name,
                              hone__expr_text(constant->type.expr));
    return 1;
}

/* `constant taps: f32[K] from h if(E)` */
int hone__statement_constant(hone_parser *p, hone_cursor *c)
{
    hone_template_constant *constant;
    hone_slice name;
    hone_slice word;

    constant = HONE_DECLARE(c, HONE_NAME_CONSTANT, p->tmpl->constants,
                            p->tmpl->n_constants, &name);
    if (!constant ||
        !hone__cursor_expect(c, ':', "after the constant's name") ||
        !hone__cursor_need_word(c, "an element type", &word) ||
        !hone__compile_type(p, word, &constant->type) ||
        !hone__compile_count(c, &constant->count, NULL) ||
        !source_of(c, constant))
        return 0;
    if (hone__cursor_accept_word(c, "if") &&
        !hone__compile_value(c, "if", HONE_SCOPE_ANY, &constant->condition))
        return 0;
    if (!hone__cursor_finish(c))
        return 0;
    /* An included header may declare it. */
    if (!p->has_local_includes &&
        (!hone__code_has(p, constant->name, name.end - name.begin) ||
         !hone__code_has(p, "__constant__", strlen("__constant__"))))
        return hone__complain(p, name,
                              "there is no '__constant__ .. %s[..]' in this "
                              "file; declare it at file scope",
                              constant->name);
    return 1;
}

/* "taps and bias": for the sentence of the require. */
static void name_all(const hone_parser *p, hone_text *out)
{
    const size_t n = p->tmpl->n_constants;

    for (size_t i = 0; i < n; ++i)
        hone__text_printf(out, "%s%s",
                          !i           ? ""
                          : i + 1 == n ? " and "
                                       : ", ",
                          p->tmpl->constants[i].name);
}

int hone__constants_complete(hone_parser *p)
{
    const hone_template_expr *at;
    hone_text bytes = {0};
    hone_text condition = {0};
    hone_text message = {0};
    hone_template_require *require;
    const char *sentence;
    int ok;

    if (!p->tmpl->n_constants)
        return 1;
    at = &p->tmpl->constants[0].count;
    for (size_t i = 0; i < p->tmpl->n_constants; ++i) {
        const hone_template_constant *constant = &p->tmpl->constants[i];
        const hone_expr *when = constant->condition.expr;

        hone__text_puts(&bytes, i ? " + " : "");
        if (when)
            hone__text_printf(&bytes, "((%s) ? ", hone__expr_text(when));
        hone__text_printf(&bytes, "(%s)*sizeof(%s)",
                          hone__expr_text(constant->count.expr),
                          hone__expr_text(constant->type.expr));
        hone__text_puts(&bytes, when ? " : 0)" : "");
    }
    hone__text_printf(&condition, "%s <= %d", hone__text_str(&bytes),
                      HONE_CONSTANT_BYTES);
    condition.failed |= bytes.failed;
    name_all(p, &message);
    hone__text_printf(&message, " must fit the %d bytes of constant memory",
                      HONE_CONSTANT_BYTES);
    sentence = hone__text_keep(p, &message);
    require = hone__require_add(p, at, &condition, NULL, sentence);
    ok = require &&
         hone__compile_text(p, hone__text_str(&bytes), at, &require->bytes);
    hone__text_free(&bytes);
    return ok;
}

/* ---- tensor maps --------------------------------------------------------- */

const char *const hone__map_part_names[HONE_N_MAP_PARTS] = {
    "if", "dims", "strides", "box", "swizzle", "l2", "fill", "elements"};

static const size_t most_values[HONE_N_MAP_PARTS] = {
    1, HONE_MAP_DIMS, HONE_MAP_DIMS - 1, HONE_MAP_DIMS, 1, 1, 1, HONE_MAP_DIMS};

/* The array that the map shows. */
static int map_array(hone_cursor *c, hone_template_map *map)
{
    hone_parser *p = c->p;
    const hone_name *known;
    hone_slice word;

    if (!hone__cursor_need_word(c, "the name of an array or workspace", &word))
        return 0;
    known = hone__buffer_need(p, word,
                              1u << HONE_NAME_ARG | 1u << HONE_NAME_WORKSPACE,
                              "array or workspace");
    if (!known)
        return 0;
    map->array = (int)known->index;
    map->array_kind =
        known->kind == HONE_NAME_ARG ? HONE_PASS_ARG : HONE_PASS_WORKSPACE;
    if (known->kind == HONE_NAME_ARG &&
        p->tmpl->args[known->index].mode == HONE_ARG_SCALAR)
        return hone__complain(p, word,
                              "'%s' is a scalar; a tensor map shows an array",
                              known->name);
    return 1;
}

static int map_part(hone_cursor *c, hone_template_map *map, unsigned *seen)
{
    static const char parts[] = "dims(..), strides(..), box(..), swizzle(..), "
                                "l2(..), fill(..), elements(..) or if(..)";
    const int part =
        hone__cursor_choose(c, "a tensor map", hone__map_part_names,
                            HONE_N_MAP_PARTS, seen, parts, parts);

    return part >= 0 &&
           hone__compile_list(c, hone__map_part_names[part], most_values[part],
                              HONE_SCOPE_ANY, map->part[part], &map->n[part]);
}

/* The array that a map shows. */
typedef struct shown_array {
    const char *name;
    const hone_template_expr *type;
    const hone_template_shape *shape;
} shown_array;

static shown_array shown(const hone_parser *p, const hone_template_map *map)
{
    if (map->array_kind == HONE_PASS_ARG) {
        const hone_template_arg *arg = &p->tmpl->args[map->array];

        return (shown_array){arg->name, &arg->type, &arg->shape};
    }
    {
        const hone_template_workspace *workspace =
            &p->tmpl->workspaces[map->array];

        return (shown_array){workspace->name, &workspace->type,
                             &workspace->shape};
    }
}

/* Without dims(..) the map shows the array as it is declared: the innermost
 * extent first, and the bytes from one element to the next along all others,
 * of an array without gaps. */
static int default_dims(hone_parser *p, hone_template_map *map)
{
    const shown_array array = shown(p, map);
    const size_t rank = array.shape->rank;
    hone_text text = {0};
    int ok = 1;

    if (map->n[HONE_MAP_PART_DIMS] || map->n[HONE_MAP_PART_STRIDES] || rank < 2)
        return 1;
    map->n[HONE_MAP_PART_DIMS] = rank;
    map->n[HONE_MAP_PART_STRIDES] = rank - 1;
    map->part[HONE_MAP_PART_DIMS][0] = array.shape->extents[rank - 1];
    hone__text_printf(&text, "sizeof(%s)", hone__expr_text(array.type->expr));
    for (size_t i = 1; ok && i < rank; ++i) {
        const hone_template_expr *extent = &array.shape->extents[rank - i];

        map->part[HONE_MAP_PART_DIMS][i] = extent[-1];
        hone__text_printf(&text, "*(%s)", hone__expr_text(extent->expr));
        ok = text.failed
                 ? hone__no_memory(p)
                 : hone__compile_text(p, text.data, extent,
                                      &map->part[HONE_MAP_PART_STRIDES][i - 1]);
    }
    hone__text_free(&text);
    return ok;
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
    int64_t value = HONE_MAP_UNKNOWN;

    if (index >= map->n[part])
        return otherwise;
    (void)hone__compile_known(&map->part[part][index], &value);
    return value;
}

/* What is wrong whatever is chosen. */
static int check_numbers(hone_parser *p, hone_slice where,
                         const hone_template_map *map)
{
    const shown_array array = shown(p, map);
    hone_tensor_map known = {.name = map->name,
                             .array = array.name,
                             .type = HONE_MAP_UNKNOWN,
                             .array_bytes = HONE_MAP_UNKNOWN,
                             .rank = (int)map->n[HONE_MAP_PART_DIMS]};
    hone_error err = {0};

    (void)hone__compile_known(array.type, &known.type);
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
    unsigned seen = 0;

    map = HONE_DECLARE(c, HONE_NAME_MAP, p->tmpl->maps, p->tmpl->n_maps, &name);
    if (!map || !hone__cursor_expect(c, ':', "after the tensor map's name") ||
        !map_array(c, map))
        return 0;
    p->map_names[p->tmpl->n_maps - 1] = name;
    while (!hone__cursor_is_done(c)) {
        if (!map_part(c, map, &seen))
            return 0;
    }
    return default_dims(p, map) && check_counts(p, name, map) &&
           check_numbers(p, name, map);
}

static int is_passed(const hone_parser *p, size_t map)
{
    for (size_t i = 0; i < p->tmpl->n_launches; ++i) {
        const hone_template_launch *launch = &p->tmpl->launches[i];

        for (size_t k = 0; k < launch->n_passed; ++k) {
            const hone_template_pass *pass = &launch->passed[k];

            if (pass->kind == HONE_PASS_MAP && pass->index == (int)map)
                return 1;
            for (size_t n = 0; n < pass->n_choices; ++n) {
                if (pass->choices[n].kind == HONE_PASS_MAP &&
                    pass->choices[n].index == (int)map)
                    return 1;
            }
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
        const char *name = p->tmpl->maps[i].name;

        if (!is_passed(p, i))
            ok = hone__complain(p, where,
                                "no kernel gets the tensor map '%s'; list it "
                                "in the args(..) of a launch",
                                name);
        else if (!hone__code_has(p, attribute, sizeof attribute - 1))
            ok = hone__complain(
                p, where,
                "a kernel gets a tensor map as 'const __grid_constant__ "
                "CUtensorMap %s'; the code of this file has no such parameter",
                name);
        else if (!p->tmpl->cuda_only)
            ok = hone__complain(p, where,
                                "tensor maps exist on GPUs only; say so with a "
                                "line: device cuda \"uses TMA\"");
    }
    return ok;
}
