/* SPDX-License-Identifier: Apache-2.0 */
/* Asserts on the kernels' signatures: see values.h.
 *
 * What is passed is described by a letter and a size: f(loating point),
 * i(nteger), c(omplex), m(ap). A scalar must have both; integers may have
 * either sign. A pointer's elements are those of the array, or unsigned
 * integers or structures that hold as much, which is how vectors and packed
 * elements are read, or void. An array that is written must have a kernel that
 * can: so two arrays that are swapped are found. */
#include "gen/expand/expand.h"
#include "gen/expand/values.h"
#include "gen/parse/code.h"

#include <ctype.h>
#include <string.h>

/* ---- what the kernel's author wrote -------------------------------------
 */

/* Past a comment or a literal that begins at `at`, or NULL. */
static const char *skip_other(const char *at)
{
    if (at[0] == '/' && at[1] == '/')
        return at + strcspn(at, "\n");
    if (at[0] == '/' && at[1] == '*') {
        const char *end = strstr(at + 2, "*/");

        return end ? end + 2 : at + strlen(at);
    }
    if (*at != '"')
        return NULL;
    for (++at; *at && *at != '"' && *at != '\n'; ++at)
        at += at[0] == '\\' && at[1];
    return *at == '"' ? at + 1 : at;
}

/* Behind the bracket that opens the parameters of `name`; NULL: it is not
 * found, as where a macro makes it. */
static const char *find_parameters(const char *text, const char *name)
{
    const size_t length = strlen(name);

    for (const char *at = text; *at;) {
        const char *rest = skip_other(at);

        if (rest) {
            at = rest;
            continue;
        }
        if (strncmp(at, name, length) == 0 && !hone__code_is_name(at[length]) &&
            (at == text || !hone__code_is_name(at[-1]))) {
            rest = at + length + strspn(at + length, " \t\n");
            if (*rest == '(')
                return rest + 1;
        }
        ++at;
    }
    return NULL;
}

/* The end of the parameter at `at`: its comma or the bracket behind the last.
 */
static const char *parameter_end(const char *at)
{
    int depth = 0;

    for (; *at; ++at) {
        const char *rest = skip_other(at);

        if (rest)
            at = rest;
        if (!*at || (depth == 0 && (*at == ',' || *at == ')')))
            return at;
        depth += strchr("([{<", *at) != NULL;
        depth -= strchr(")]}>", *at) != NULL;
    }
    return at;
}

/* Code as part of a string literal, on one line. */
static void put_code(const char *at, const char *end, hone_text *out)
{
    int is_blank = 1;

    while (at < end) {
        const char *rest = skip_other(at);

        if (rest || isspace((unsigned char)*at)) {
            at = rest ? rest : at + 1;
            if (!is_blank)
                hone__text_puts(out, " ");
            is_blank = 1;
            continue;
        }
        if (*at == '\\')
            hone__text_puts(out, "\\");
        hone__text_append(out, at++, 1);
        is_blank = 0;
    }
    while (out->length && out->data && out->data[out->length - 1] == ' ')
        out->data[--out->length] = '\0';
}

/* Parameter `index` as it is written, "" if it is not found. */
static void put_parameter(const char *parameters, size_t index, hone_text *out)
{
    const char *end = parameters;

    for (size_t i = 0; end; ++i) {
        end = parameter_end(parameters);
        if (i == index) {
            put_code(parameters, end, out);
            return;
        }
        if (*end != ',')
            return;
        parameters = end + 1;
    }
}

/* ---- what is passed ----------------------------------------------------- */

typedef struct passed {
    const char *name; /* of an argument, a workspace or a map; or NULL */
    const char *type; /* "f32" */
    char kind;
    int size;
    int is_array;
} passed;

/* 0: its type is not known here. */
static int describe(const hone_template *tmpl, int64_t *slots,
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
    if (type && hone__values_eval(tmpl, type, slots, &code, NULL) != HONE_OK)
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
static int may_launch(const hone_template *tmpl, int64_t *slots,
                      const hone_template_launch *launch)
{
    int64_t holds = 1;

    if (launch->condition.expr && hone__values_is_fixed(&launch->condition))
        (void)hone__values_eval(tmpl, &launch->condition, slots, &holds, NULL);
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

        while (*(end = parameter_end(end)) == ',')
            ++end;
        hone__text_puts(out, ", which takes (");
        put_code(parameters, end, out);
        hone__text_puts(out, ")");
    } else {
        hone__text_puts(out, ", which takes another number of them");
    }
    hone__text_puts(out, "\"); ");
}

static void assert_one(const hone_template *tmpl, int64_t *slots,
                       const hone_template_launch *launch, size_t index,
                       const hone_template_pass *pass, const char *parameters,
                       hone_text *out)
{
    hone_text own = {0};
    passed p;

    if (!describe(tmpl, slots, pass, &p))
        return;
    if (parameters)
        put_parameter(parameters, index, &own);
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
static void assert_passed(const hone_template *tmpl, int64_t *slots,
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
        assert_one(tmpl, slots, launch, index, &pass, parameters, out);
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
static void assert_written(const hone_template *tmpl, int64_t *slots, int arg,
                           hone_text *out)
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
                !may_launch(tmpl, slots, launch))
                continue;
            hone__text_printf(
                out, "%shone__signature::writes<decltype(%s), %zu>()",
                n++ ? " || " : "static_assert(", launch->kernel, k);
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

void hone__signature_end(const hone_template *tmpl, int64_t *slots,
                         hone_text *out)
{
    hone_text asserts = {0};

    for (size_t i = 0; i < tmpl->n_launches; ++i) {
        const hone_template_launch *launch = &tmpl->launches[i];
        const char *parameters =
            find_parameters(hone__text_str(out), launch->kernel);

        if (!may_launch(tmpl, slots, launch))
            continue;
        hone__expand_line(tmpl, launch->line, &asserts);
        assert_count(launch, parameters, &asserts);
        for (size_t k = 0; k < launch->n_passed; ++k)
            assert_passed(tmpl, slots, launch, k, parameters, &asserts);
        hone__text_puts(&asserts, "\n");
    }
    if (tmpl->n_launches)
        hone__expand_line(tmpl, tmpl->launches[0].line, &asserts);
    for (size_t i = 0; i < tmpl->n_args; ++i)
        if (tmpl->args[i].mode == HONE_ARG_OUT ||
            tmpl->args[i].mode == HONE_ARG_INOUT)
            assert_written(tmpl, slots, (int)i, &asserts);
    out->failed |= asserts.failed;
    hone__text_puts(out, hone__text_str(&asserts));
    hone__text_free(&asserts);
}
