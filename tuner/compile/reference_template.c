/* SPDX-License-Identifier: Apache-2.0 */
/* Templates as references, baselines and inputs of others: see
 * reference_template.h. */
#include "tuner/compile/reference_template.h"

#include "runtime/base/alloc.h"
#include "tuner/compile/farm.h"
#include "tuner/compile/compiler_kind.h"
#include "tuner/compile/host_unit.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int hone__reference_template_is(const char *name)
{
    return strncmp(name, HONE_TEMPLATE_PREFIX,
                   sizeof HONE_TEMPLATE_PREFIX - 1) == 0;
}

int hone__template_writes_input(const hone_template *tmpl,
                                const hone_template *inputs, size_t arg)
{
    const hone_arg_mode mine = tmpl->args[arg].mode;
    const hone_arg_mode its = inputs->args[arg].mode;

    return (mine == HONE_ARG_IN || mine == HONE_ARG_INOUT) &&
           (its == HONE_ARG_OUT || its == HONE_ARG_INOUT);
}

const hone_reference_template *
hone__reference_template_find(const hone_reference_templates *others,
                              const char *name)
{
    for (size_t i = 0; others && i < others->n; ++i) {
        if (strcmp(others->items[i].name, name) == 0)
            return &others->items[i];
    }
    return NULL;
}

void hone__reference_template_dims(const hone_reference_template *other,
                                   const int64_t *dims, int64_t *out)
{
    for (size_t i = 0; i < other->tmpl->n_dims; ++i)
        out[i] = other->from[i] < 0 ? HONE_DIM_DEFAULT : dims[other->from[i]];
}

/* ---- what is said ------------------------------------------------------- */

/* HONE_ERR_INPUT with the place of the line that names it in front. */
static __attribute__((format(printf, 3, 4))) hone_status
complain(const hone_reference_template *other, hone_error *err,
         const char *format, ...)
{
    char text[640];
    va_list values;

    va_start(values, format);
    (void)vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return hone__fail(err, HONE_ERR_INPUT, "%s:%d: %s: %s",
                      HONE_PLACE(other->by, other->line), other->name, text);
}

/* The same for what another function said. */
static hone_status locate(const hone_reference_template *other,
                          hone_status status, hone_error *err)
{
    char text[640];

    if (!err)
        return status;
    (void)snprintf(text, sizeof text, "%.630s", err->text);
    return hone__fail(err, status, "%s:%d: %s: %s",
                      HONE_PLACE(other->by, other->line), other->name, text);
}

/* ---- finding it --------------------------------------------------------- */

/* Beside the template that names it, then where that one was looked for. */
static hone_status load(const hone_template *by, const char *name,
                        hone_template **out, hone_error *err)
{
    hone_diagnostics diagnostics = {0};
    hone_text path = {0};
    const char *slash = strrchr(by->path, '/');
    hone_status status;

    hone__text_printf(&path, "%.*s:%s", slash ? (int)(slash - by->path) + 1 : 1,
                      slash ? by->path : ".", by->search_path);
    status = hone__text_check(&path, err);
    if (status == HONE_OK)
        status =
            hone__template_load(name + sizeof HONE_TEMPLATE_PREFIX - 1,
                                hone__text_str(&path), out, &diagnostics, err);
    hone__diagnostics_free(&diagnostics);
    hone__text_free(&path);
    return status;
}

static int is_same(const hone_template *a, const hone_template *b)
{
    return strcmp(a->sha256, b->sha256) == 0;
}

/* Is `tmpl` checked by `by`, or by one that is? Each would vouch for the
 * other. Baselines may name each other. The same file by another path is the
 * same template. What the contract of an operation compares implementations
 * with is right by definition: that the same line stands in the contract of
 * the reference itself is no circle. */
static hone_status find_cycle(const hone_template *tmpl,
                              const hone_template *by, int depth,
                              int *out_found, hone_error *err)
{
    enum { DEEPEST = 8 }; /* nobody checks a check of a check that far */

    *out_found |= is_same(tmpl, by) && !(depth == 0 && tmpl->is_reference);
    for (size_t i = 0; i < tmpl->n_checks && !*out_found; ++i) {
        hone_template *next = NULL;
        hone_status status;

        if (!hone__reference_template_is(tmpl->checks[i].reference))
            continue;
        if (depth == DEEPEST) {
            *out_found = 1;
            break;
        }
        status = load(tmpl, tmpl->checks[i].reference, &next, err);
        if (status == HONE_OK && !(tmpl->is_reference && is_same(next, tmpl)))
            status = find_cycle(next, by, depth + 1, out_found, err);
        hone__template_free(next);
        if (status != HONE_OK)
            return status;
    }
    return HONE_OK;
}

/* ---- the same signature ------------------------------------------------- */

static hone_status match_dim(hone_reference_template *other, size_t i,
                             hone_error *err)
{
    const hone_template *mine = other->by;
    const hone_template_dim *dim = &other->tmpl->dims[i];

    other->from[i] = -1;
    for (size_t k = 0; k < mine->n_dims; ++k) {
        if (strcmp(mine->dims[k].name, dim->name) != 0)
            continue;
        other->from[i] = (int)k;
        if (!mine->dims[k].n_types != !dim->n_types ||
            mine->dims[k].is_choice != dim->is_choice)
            return complain(other, err,
                            "the dimension %s is a size in one of the two "
                            "templates and a list of values in the other",
                            dim->name);
        return HONE_OK;
    }
    if (hone__dim_is_mandatory(dim))
        return complain(other, err,
                        "its dimension %s has no default, and %s has none of "
                        "that name",
                        dim->name, mine->op);
    return HONE_OK;
}

/* What writes inputs may mark arrays as it likes, but it must write one. */
static hone_status writes_inputs(const hone_reference_template *other,
                                 hone_error *err)
{
    const hone_template *mine = other->by;

    for (size_t i = 0; i < mine->n_args; ++i) {
        if (hone__template_writes_input(mine, other->tmpl, i))
            return HONE_OK;
    }
    return complain(other, err,
                    "it writes none of the inputs: mark them out there");
}

static hone_status match_args(const hone_reference_template *other,
                              hone_error *err)
{
    static const char *const modes[] = {"scalar", "in", "out", "inout"};
    const hone_template *mine = other->by;
    const hone_template *its = other->tmpl;

    _Static_assert(HONE_ARG_INOUT == 3 && HONE_ARG_SCALAR == 0,
                   "the words are in the order of hone_arg_mode");
    if (mine->n_args != its->n_args)
        return complain(other, err,
                        "it takes %zu arguments, and %s takes %zu: they must "
                        "be the same",
                        its->n_args, mine->op, mine->n_args);
    for (size_t i = 0; i < mine->n_args; ++i) {
        if (strcmp(mine->args[i].name, its->args[i].name) != 0)
            return complain(other, err,
                            "its argument %zu is '%s', and that of %s is "
                            "'%s': they must be the same, in this order",
                            i + 1, its->args[i].name, mine->op,
                            mine->args[i].name);
        if (other->role == HONE_ROLE_INPUTS
                ? !mine->args[i].mode != !its->args[i].mode
                : mine->args[i].mode != its->args[i].mode)
            return complain(other, err,
                            "its argument '%s' is marked %s, and that of %s "
                            "%s",
                            its->args[i].name, modes[its->args[i].mode],
                            mine->op, modes[mine->args[i].mode]);
        if (!mine->args[i].host.expr != !its->args[i].host.expr)
            return complain(
                other, err, "its argument '%s' is %s, and that of %s is %s",
                its->args[i].name,
                its->args[i].host.expr ? "in host memory" : "on the device",
                mine->op,
                mine->args[i].host.expr ? "in host memory" : "on the device");
    }
    return HONE_OK;
}

hone_status hone__reference_template_fits(const hone_reference_template *other,
                                          const hone_resolved *mine,
                                          const hone_resolved *its,
                                          hone_error *err)
{
    /* What has nothing to do does not say how large its arrays are. */
    if (mine->is_nothing || its->is_nothing)
        return HONE_OK;
    for (size_t i = 0; i < mine->n_args; ++i) {
        const hone_resolved_arg *a = &mine->args[i];
        const hone_resolved_arg *b = &its->args[i];

        if (a->type != b->type || a->count != b->count)
            return complain(other, err,
                            "its argument '%s' is %s[%lld] here, and that of "
                            "%s is %s[%lld]",
                            b->name, hone__type_name(b->type),
                            (long long)b->count, other->by->op,
                            hone__type_name(a->type), (long long)a->count);
    }
    return HONE_OK;
}

/* Now, if both plans are valid at these sizes; else who runs it will see. */
static hone_status
compare_plans(const hone_reference_template *other,
              const hone_reference_templates_request *request,
              const int64_t *dims, hone_error *err)
{
    const hone_launch_case mine = {request->spec, request->dims,
                                   request->tmpl->n_dims, request->properties};
    const hone_launch_case its = {other->spec, dims, other->tmpl->n_dims,
                                  request->properties};
    hone_resolved plans[2];

    if (hone__launch_spec_resolve(&mine, &plans[0], NULL) != HONE_OK ||
        hone__launch_spec_resolve(&its, &plans[1], NULL) != HONE_OK)
        return HONE_OK;
    return hone__reference_template_fits(other, &plans[0], &plans[1], err);
}

/* ---- compiling it ------------------------------------------------------- */

typedef struct source_unit {
    hone_text source;
    hone_text options;
} source_unit;

static hone_status expand(const hone_reference_templates_request *request,
                          hone_reference_template *other, const int64_t *dims,
                          source_unit *out, hone_error *err)
{
    const hone_template *tmpl = other->tmpl;
    int64_t *config = hone__alloc((tmpl->n_params + 1) * sizeof *config);
    hone_space *space = NULL;
    int64_t known[HONE_MAX_DIMS], index = 0;
    hone_status status;

    if (!config)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    hone__template_known_dims(tmpl, dims, !request->every_size, known);
    status = hone__space_create(tmpl, known, request->properties, &space, err);
    if (status == HONE_OK)
        status = hone__default_plan(tmpl, space, &index, &other->spec, err);
    if (status == HONE_OK) {
        hone__space_get(space, index, config);
        status =
            hone__variant_source(tmpl, config, dims, request->farm->backend,
                                 &out->source, &out->options, err);
    }
    hone__space_free(space);
    hone__free(config);
    return status;
}

static hone_status compile(const hone_reference_templates_request *request,
                           hone_reference_template *other,
                           const source_unit *unit, hone_error *err)
{
    const hone_template *tmpl = other->tmpl;
    hone_compile_output output;
    char arch[16];
    hone_compile_input input = {.source = hone__text_str(&unit->source),
                                .name = tmpl->path,
                                .arch = arch,
                                .options = hone__text_str(&unit->options),
                                .headers = tmpl->headers,
                                .text = tmpl->source};
    hone_status status;

    (void)snprintf(arch, sizeof arch, "%.14s%s", request->arch,
                   tmpl->needs_arch_features ? "a" : "");
    status = hone__compile_one(request->farm, &input, &output, err);
    if (status == HONE_OK && output.ok) {
        other->code = output.cubin; /* moved */
        output.cubin = (hone_text){0};
    } else if (status == HONE_OK && other->role != HONE_ROLE_BASELINE) {
        status = complain(other, err, "it does not compile: %.500s",
                          hone__text_str(&output.log));
    } else if (status == HONE_OK) {
        (void)snprintf(other->why, sizeof other->why,
                       "it does not compile: %.200s",
                       hone__text_str(&output.log));
    }
    hone__compile_output_free(&output);
    return status;
}

/* ---- one, and all ------------------------------------------------------- */

static hone_status make(const hone_reference_templates_request *request,
                        hone_reference_template *other, hone_error *err)
{
    source_unit unit = {{0}, {0}};
    int64_t mapped[HONE_MAX_DIMS], dims[HONE_MAX_DIMS];
    hone_status status =
        hone__backend_takes(request->farm->backend, other->tmpl, err);

    hone__reference_template_dims(other, request->dims, mapped);
    if (status == HONE_OK)
        status = hone__template_complete_dims(other->tmpl, mapped,
                                              other->tmpl->n_dims, dims, err);
    if (status == HONE_OK)
        status = expand(request, other, dims, &unit, err);
    /* What a template says to a problem that it is not for. */
    if (status == HONE_ERR_CONSTRAINT || status == HONE_ERR_DIMS ||
        status == HONE_ERR_NOT_FOUND) {
        (void)snprintf(other->why, sizeof other->why, "%.250s",
                       err ? err->text : "it is not for this problem");
        hone__error_clear(err);
        status = HONE_OK;
    } else if (status == HONE_OK) {
        status = compare_plans(other, request, dims, err);
        if (status == HONE_OK)
            status = compile(request, other, &unit, err);
    }
    hone__text_free(&unit.source);
    hone__text_free(&unit.options);
    return status;
}

/* Unless it is no template, or there already. */
static hone_status add(const hone_reference_templates_request *request,
                       const char *name, int line, hone_reference_role role,
                       hone_reference_templates **others, hone_error *err)
{
    hone_reference_template *other;
    int found = 0;
    hone_status status;

    if (!name || !hone__reference_template_is(name) ||
        hone__reference_template_find(*others, name))
        return HONE_OK;
    if (!*others && !(*others = hone__alloc(sizeof **others)))
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    if ((*others)->n == HONE_MAX_OTHERS)
        return HONE_OK;
    other = &(*others)->items[(*others)->n++];
    *other = (hone_reference_template){
        .by = request->tmpl, .name = name, .line = line, .role = role};
    status = load(other->by, name, &other->tmpl, err);
    if (status == HONE_OK && role == HONE_ROLE_CHECK)
        status = find_cycle(other->tmpl, other->by, 0, &found, err);
    if (status != HONE_OK)
        return locate(other, status, err);
    if (found)
        return complain(other, err,
                        "a template cannot vouch for itself, not even through "
                        "another one: its own checks lead back here");
    HONE_TRY(match_args(other, err));
    if (role == HONE_ROLE_INPUTS)
        HONE_TRY(writes_inputs(other, err));
    for (size_t i = 0; i < other->tmpl->n_dims; ++i)
        HONE_TRY(match_dim(other, i, err));
    return make(request, other, err);
}

static hone_status add_all(const hone_reference_templates_request *request,
                           hone_reference_templates **others, hone_error *err)
{
    const hone_template *tmpl = request->tmpl;

    for (size_t i = 0; i < tmpl->n_checks; ++i)
        HONE_TRY(add(request, tmpl->checks[i].reference, tmpl->checks[i].line,
                     HONE_ROLE_CHECK, others, err));
    for (size_t i = 0; i < tmpl->n_checks; ++i)
        HONE_TRY(add(request, tmpl->checks[i].magnitude, tmpl->checks[i].line,
                     HONE_ROLE_CHECK, others, err));
    for (size_t i = 0; i < tmpl->n_baselines; ++i)
        HONE_TRY(add(request, tmpl->baselines[i].name, tmpl->baselines[i].line,
                     HONE_ROLE_BASELINE, others, err));
    return add(request, tmpl->inputs, tmpl->inputs_line, HONE_ROLE_INPUTS,
               others, err);
}

hone_status
hone__reference_templates_open(const hone_reference_templates_request *request,
                               hone_reference_templates **out, hone_error *err)
{
    hone_status status;

    *out = NULL;
    status = add_all(request, out, err);
    if (status != HONE_OK) {
        hone__reference_templates_close(*out);
        *out = NULL;
    }
    return status;
}

void hone__reference_templates_close(hone_reference_templates *others)
{
    for (size_t i = 0; others && i < others->n; ++i) {
        hone__launch_spec_free(others->items[i].spec);
        hone__text_free(&others->items[i].code);
        hone__template_free(others->items[i].tmpl);
    }
    hone__free(others);
}
