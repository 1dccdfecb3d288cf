/* SPDX-License-Identifier: Apache-2.0 */
/* Asserts on the kernels' signatures: see values.h.
 *
 * They cost a compiler 9 ms a variant, a tenth of what a small kernel takes. So
 * there are none for a launch whose kernel says in plain words that it takes
 * what is passed.
 *
 * What is passed is described by a letter and a size: f(loating point),
 * i(nteger), c(omplex), m(ap). A scalar must have both; integers may have
 * either sign. A pointer's elements are those of the array, or unsigned
 * integers or structures that hold as much, which is how vectors and packed
 * elements are read, or void. An array that is written must have a kernel that
 * can: so two arrays that are swapped are found. */
#include "gen/expand/expand.h"
#include "gen/expand/parameter.h"
#include "gen/expand/values.h"

#include <string.h>

/* ---- what is passed ----------------------------------------------------- */

typedef struct passed {
    const char *name; /* of an argument, a workspace or a map; or NULL */
    const char *type; /* "f32" */
    char kind;
    int size;
    int is_array;
} passed;

/* 0: its type is not known here. */
static int describe(const hone_template *tmpl, const hone_values *values,
                    const hone_template_pass *pass, passed *out)
{
    static const hone_type codes[] = {[HONE_PASS_I32] = HONE_TYPE_I32,
                                      [HONE_PASS_I64] = HONE_TYPE_I64,
                                      [HONE_PASS_F32] = HONE_TYPE_F32,
                                      [HONE_PASS_F64] = HONE_TYPE_F64};
    const hone_template_expr *type = NULL;
    int64_t code = codes[pass->kind];

    *out = (passed){.is_array = 0};
    if (pass->kind == HONE_PASS_MAP) {
        *out =
            (passed){tmpl->maps[pass->index].name, "tensor map", 'm', 128, 0};
        return 1;
    }
    if (pass->kind == HONE_PASS_ARG) {
        out->name = tmpl->args[pass->index].name;
        out->is_array = tmpl->args[pass->index].mode != HONE_ARG_SCALAR;
        type = &tmpl->args[pass->index].type;
    } else if (pass->kind == HONE_PASS_WORKSPACE) {
        out->name = tmpl->workspaces[pass->index].name;
        out->is_array = 1;
        type = &tmpl->workspaces[pass->index].type;
    }
    if (type && hone__values_eval(tmpl, type, values, &code, NULL) != HONE_OK)
        return 0;
    out->type = hone__type_name((hone_type)code);
    out->size = (int)hone__type_size_bytes((hone_type)code);
    out->kind = *out->type == 'c' ? 'c'
                : *out->type == 'i' || *out->type == 'u'
                    ? 'i'
                    : 'f'; /* bf16, tf32 too */
    if (pass->kind == HONE_PASS_WORKSPACE && *out->type == 'u')
        out->kind = 'r';
    return out->size > 0;
}

static void put_passed(const hone_template_pass *pass, const passed *p,
                       hone_text *out)
{
    if (!p->name)
        hone__text_printf(out, "%s(%s)", p->type,
                          hone__expr_text(pass->value.expr.expr));
    else if (p->kind == 'm')
        hone__text_printf(out, "the tensor map %s", p->name);
    else
        hone__text_printf(out, "%s: %s%s", p->name, p->type,
                          p->is_array ? "[..]" : "");
}

/* ---- the asserts -------------------------------------------------------- */

/* A kernel whose condition is false for good need not be in the code. */
static int may_launch(const hone_template *tmpl, const hone_values *values,
                      const hone_template_launch *launch)
{
    int64_t holds = 1;

    if (launch->condition.expr && hone__values_is_fixed(&launch->condition))
        (void)hone__values_eval(tmpl, &launch->condition, values, &holds, NULL);
    return holds != 0;
}

static void assert_count(const hone_template_launch *launch,
                         const char *parameters, hone_text *out)
{
    hone__text_printf(
        out,
        "static_assert(hone__signature::counts<decltype(%s), %zu>(), \"launch "
        "passes %zu argument%s to the kernel '%s'",
        launch->kernel, launch->n_passed, launch->n_passed,
        launch->n_passed == 1 ? "" : "s", launch->kernel);
    if (parameters) {
        const char *end = parameters;

        while (*(end = hone__parameter_end(end)) == ',')
            ++end;
        hone__text_puts(out, ", which takes (");
        hone__parameter_code(parameters, end, out);
        hone__text_puts(out, ")");
    } else {
        hone__text_puts(out, ", which takes another number of them");
    }
    hone__text_puts(out, "\"); ");
}

static void assert_one(const hone_template *tmpl, const hone_values *values,
                       const hone_template_launch *launch, size_t index,
                       const hone_template_pass *pass, const char *parameters,
                       hone_text *out)
{
    hone_text own = {0};
    passed p;

    if (!describe(tmpl, values, pass, &p))
        return;
    if (parameters)
        hone__parameter_put(parameters, index, &own);
    hone__text_printf(out,
                      "static_assert(!hone__signature::counts<decltype(%s), "
                      "%zu>() || hone__signature::%s<decltype(%s), %zu, '%c', "
                      "%d>(), \"argument %zu of the kernel '%s' is ",
                      launch->kernel, launch->n_passed,
                      p.is_array ? "array" : "value", launch->kernel, index,
                      p.kind, p.size, index + 1, launch->kernel);
    if (own.length && !own.failed)
        hone__text_printf(out, "'%s'", hone__text_str(&own));
    else
        hone__text_puts(out, "of another type");
    hone__text_puts(out, ", and launch passes ");
    put_passed(pass, &p, out);
    hone__text_puts(out, "\"); ");
    out->failed |= own.failed;
    hone__text_free(&own);
}

/* All that may be picked. */
static void assert_passed(const hone_template *tmpl, const hone_values *values,
                          const hone_template_launch *launch, size_t index,
                          const char *parameters, hone_text *out)
{
    hone_template_pass pass = launch->passed[index];
    size_t i = 0;

    do {
        if (pass.n_choices) {
            pass.kind = pass.choices[i].kind;
            pass.index = pass.choices[i].index;
        }
        assert_one(tmpl, values, launch, index, &pass, parameters, out);
    } while (++i < pass.n_choices);
}

/* Does a kernel get the array `arg` as this parameter? */
static int passes(const hone_template_pass *pass, int arg)
{
    int yes = pass->kind == HONE_PASS_ARG && pass->index == arg;

    for (size_t i = 0; i < pass->n_choices; ++i)
        yes |= pass->choices[i].kind == HONE_PASS_ARG &&
               pass->choices[i].index == arg;
    return yes;
}

/* The array `arg` is written: by a kernel that takes it without const, or
 * through a map. */
static void assert_written(const hone_template *tmpl, const hone_values *values,
                           int arg, const hone_text *line, hone_text *out)
{
    size_t n = 0;

    for (size_t i = 0; i < tmpl->n_maps; ++i)
        if (tmpl->maps[i].array_kind == HONE_PASS_ARG &&
            tmpl->maps[i].array == arg)
            return;
    for (size_t i = 0; i < tmpl->n_launches; ++i) {
        const hone_template_launch *launch = &tmpl->launches[i];

        for (size_t k = 0; k < launch->n_passed; ++k) {
            if (!passes(&launch->passed[k], arg) ||
                !may_launch(tmpl, values, launch))
                continue;
            hone__text_printf(out,
                              "%s%shone__signature::writes<decltype(%s), "
                              "%zu>()",
                              n ? "" : hone__text_str(line),
                              n ? " || " : "static_assert(", launch->kernel, k);
            ++n;
        }
    }
    if (n)
        hone__text_printf(out,
                          ", \"'%s' is %s, and every kernel that is passed it "
                          "takes it as const: are arguments swapped?\");\n",
                          tmpl->args[arg].name,
                          tmpl->args[arg].mode == HONE_ARG_OUT ? "out"
                                                               : "inout");
}

/* ---- without the compiler ----------------------------------------------- */

/* The type's kind and bytes; 0: only the compiler knows. */
static int look_up(const char *type, char *kind, int *size)
{
    static const struct {
        const char *type;
        char kind;
        int size;
    } known[] = {{"float", 'f', 4},
                 {"double", 'f', 8},
                 {"int", 'i', 4},
                 {"long long", 'i', 8},
                 {"unsigned", 'u', 4},
                 {"unsigned int", 'u', 4},
                 {"unsigned long long", 'u', 8},
                 {"unsigned char", 'u', 1}};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
        if (strcmp(known[i].type, type) == 0) {
            *kind = known[i].kind;
            *size = known[i].size;
            return 1;
        }
    return 0;
}

/* Is it a dimension that is a type, and the one that is passed? */
static int is_type_dim(const hone_template *tmpl, const hone_values *values,
                       const char *type, const passed *p)
{
    for (size_t i = 0; i < tmpl->n_dims; ++i)
        if (tmpl->dims[i].n_types && !tmpl->dims[i].is_choice &&
            strcmp(tmpl->dims[i].name, type) == 0)
            return strcmp(hone__type_name(
                              (hone_type)values->slots[tmpl->slots.dims + i]),
                          p->type) == 0;
    return 0;
}

static int takes(const hone_template *tmpl, const hone_values *values,
                 const hone_parameter *parameter, const passed *p)
{
    char kind;
    int size;

    if (p->kind == 'm' || parameter->is_pointer != p->is_array)
        return 0;
    if (p->is_array && strcmp(parameter->type, "void") == 0)
        return 1;
    if (p->kind != 'r' && is_type_dim(tmpl, values, parameter->type, p))
        return 1;
    if (!look_up(parameter->type, &kind, &size) || size != p->size)
        return 0;
    return p->kind == 'i'   ? kind != 'f'
           : p->kind == 'f' ? kind == 'f'
                            : p->kind == 'r' && kind == 'u';
}

static int takes_all(const hone_template *tmpl, const hone_values *values,
                     const hone_template_pass *passed_to,
                     const hone_parameter *parameter)
{
    hone_template_pass pass = *passed_to;
    size_t i = 0;

    do {
        passed p;

        if (pass.n_choices) {
            pass.kind = pass.choices[i].kind;
            pass.index = pass.choices[i].index;
        }
        if (!describe(tmpl, values, &pass, &p) ||
            !takes(tmpl, values, parameter, &p))
            return 0;
    } while (++i < pass.n_choices);
    return 1;
}

/* Does the code say it in plain words, and once? `is_written` has a 1 for each
 * array that the kernel can write. */
static int is_plain(const hone_template *tmpl, const hone_values *values,
                    const hone_template_launch *launch, const char *parameters,
                    char is_written[])
{
    if (!parameters || !launch->n_passed ||
        hone__parameters_find(parameters, launch->kernel))
        return 0;
    for (size_t i = 0; i < launch->n_passed; ++i) {
        const hone_template_pass *pass = &launch->passed[i];
        hone_parameter parameter;

        if (!hone__parameter_parse(&parameters, &parameter) ||
            !takes_all(tmpl, values, pass, &parameter) ||
            *parameters != (i + 1 < launch->n_passed ? ',' : ')'))
            return 0;
        ++parameters;
        for (size_t k = 0; k < tmpl->n_args; ++k)
            is_written[k] |= parameter.is_pointer && !parameter.is_const &&
                             passes(pass, (int)k);
    }
    return 1;
}

/* ---- all of them -------------------------------------------------------- */

static void assert_launches(const hone_template *tmpl,
                            const hone_values *values, const char *code,
                            char is_written[], hone_text *out)
{
    for (size_t i = 0; i < tmpl->n_launches; ++i) {
        const hone_template_launch *launch = &tmpl->launches[i];
        const char *parameters = hone__parameters_find(code, launch->kernel);

        if (!may_launch(tmpl, values, launch) ||
            is_plain(tmpl, values, launch, parameters, is_written))
            continue;
        hone__expand_line(tmpl, launch->line, out);
        assert_count(launch, parameters, out);
        for (size_t k = 0; k < launch->n_passed; ++k)
            assert_passed(tmpl, values, launch, k, parameters, out);
        hone__text_puts(out, "\n");
    }
}

static void insert(size_t at, const char *text, hone_text *out)
{
    hone_text rest = {0};

    hone__text_puts(&rest, hone__text_str(out) + at);
    out->failed |= rest.failed;
    if (!out->failed && out->data) {
        out->data[at] = '\0';
        out->length = at;
        hone__text_puts(out, text);
        hone__text_puts(out, hone__text_str(&rest));
    }
    hone__text_free(&rest);
}

void hone__signature_add(const hone_template *tmpl, const hone_values *values,
                         size_t at, hone_text *out)
{
    char is_written[HONE_MAX_ARGS] = {0};
    hone_text asserts = {0};
    hone_text line = {0};

    assert_launches(tmpl, values, hone__text_str(out), is_written, &asserts);
    if (tmpl->n_launches)
        hone__expand_line(tmpl, tmpl->launches[0].line, &line);
    for (size_t i = 0; i < tmpl->n_args; ++i)
        if (!is_written[i] && (tmpl->args[i].mode == HONE_ARG_OUT ||
                               tmpl->args[i].mode == HONE_ARG_INOUT))
            assert_written(tmpl, values, (int)i, &line, &asserts);
    out->failed |= asserts.failed | line.failed;
    if (asserts.length) {
        hone__text_puts(out, hone__text_str(&asserts));
        insert(at, hone__signature, out);
    }
    hone__text_free(&asserts);
    hone__text_free(&line);
}
