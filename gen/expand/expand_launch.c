/* SPDX-License-Identifier: Apache-2.0 */
/* The launch plan of one variant as text (runtime/launch/launch_spec.h). Only
 * what the launch needs is written: lets and requires that are settled when
 * the variant is chosen stay out. */
#include "gen/expand/expand.h"
#include "gen/expand/values.h"
#include "runtime/base/alloc.h"

#include <stdio.h>

typedef struct plan {
    const hone_template *tmpl;
    const int64_t *config;
    char *needs_let; /* one flag for each let */
    hone_text *out;
} plan;

/* An expression as it is written; the lets that it reads are needed. */
static const char *text_of(plan *p, const hone_template_expr *expr)
{
    for (size_t i = p->tmpl->n_lets; i-- > 0;) {
        if (!p->needs_let[i] &&
            hone__expr_reads(expr->expr, p->tmpl->slots.lets + i)) {
            p->needs_let[i] = 1;
            (void)text_of(p, &p->tmpl->lets[i].value);
        }
    }
    return hone__expr_text(expr->expr);
}

static int is_settled(const hone_template_require *require)
{
    return require->is_preference || require->bytes.expr ||
           (!require->condition.reads_dims &&
            !require->condition.reads_properties);
}

/* The lowest version whose readers know all that is written. */
static int version(const plan *p)
{
    const hone_template *t = p->tmpl;
    int is_second = t->n_constants != 0 || t->n_maps != 0;
    int is_third = 0;
    int is_fifth = 0;
    int is_sixth = t->n_repeats != 0;
    int is_seventh = 0; /* a pipeline has arrays in host memory */
    int is_eighth = 0;

    for (size_t i = 0; i < t->n_dims; ++i) {
        is_second |= t->dims[i].is_choice;
        is_fifth |= t->dims[i].default_expr.expr != NULL;
        is_sixth |= t->dims[i].from_zero;
    }
    for (size_t i = 0; i < t->n_args; ++i) {
        is_third |= t->args[i].shape.rank > 1 || t->args[i].given.expr;
        is_seventh |= t->args[i].host.expr != NULL;
    }
    for (size_t i = 0; i < t->n_workspaces; ++i)
        is_second |= t->workspaces[i].zero == HONE_ZERO_EACH;
    for (size_t i = 0; i < t->n_launches; ++i) {
        is_second |= t->launches[i].cooperative ||
                     t->launches[i].cluster[0].expr != NULL;
        is_eighth |= t->launches[i].early;
        for (size_t k = 0; k < t->launches[i].n_passed; ++k) {
            is_third |= t->launches[i].passed[k].kind == HONE_PASS_F32 ||
                        t->launches[i].passed[k].kind == HONE_PASS_F64;
            is_sixth |= t->launches[i].passed[k].n_choices != 0;
        }
    }
    for (size_t i = 0; i < t->n_params; ++i)
        is_third |= t->params[i].kind == HONE_PARAM_REAL ||
                    t->params[i].exists.expr != NULL;
    return is_eighth    ? 8
           : is_seventh ? 7
           : is_sixth   ? 6
           : is_fifth   ? 5
           : t->call    ? 4
           : is_third   ? 3
           : is_second  ? 2
                        : 1;
}

static void write_names(plan *p)
{
    const hone_template *t = p->tmpl;

    hone__text_printf(p->out, "hone-launch %d\nop %s\n", version(p), t->op);
    for (size_t i = 0; i < t->n_symbols; ++i)
        hone__text_printf(p->out, "symbol %s %zu\n", t->symbols[i], 1000 + i);
    for (size_t i = 0; i < t->n_dims; ++i) {
        hone__text_printf(p->out, "dim %s %s", t->dims[i].name,
                          t->dims[i].is_choice   ? "choice"
                          : t->dims[i].n_types   ? "type"
                          : t->dims[i].from_zero ? "size"
                                                 : "int");
        if (t->dims[i].default_expr.expr)
            hone__text_printf(p->out, " %s",
                              hone__expr_text(t->dims[i].default_expr.expr));
        else if (!hone__dim_is_mandatory(&t->dims[i]))
            hone__text_printf(p->out, " %lld",
                              (long long)t->dims[i].default_value);
        hone__text_puts(p->out, "\n");
    }
    for (size_t i = 0; i < t->n_params; ++i) {
        const int is_real = t->params[i].kind == HONE_PARAM_REAL;

        hone__text_printf(p->out, "%s %s ", is_real ? "real-param" : "param",
                          t->params[i].name);
        if (is_real) {
            hone__template_value_text(t, &t->params[i], p->config[i], p->out);
            hone__text_puts(p->out, " ");
        }
        hone__text_printf(p->out, "%lld\n", (long long)p->config[i]);
        if (t->params[i].exists.expr &&
            p->config[i] == t->params[i].values[t->params[i].default_index])
            hone__text_printf(p->out, "unstated %s\n", t->params[i].name);
    }
    for (size_t i = 0; i < t->n_lets; ++i) {
        if (p->needs_let[i])
            hone__text_printf(p->out, "let %s %s\n", t->lets[i].name,
                              hone__expr_text(t->lets[i].value.expr));
    }
}

/* A code, or the name of the dimension that has it. */
static const char *type_text(const plan *p, const hone_template_expr *type,
                             char out[24])
{
    int64_t code = 0;

    for (size_t i = 0; i < p->tmpl->n_dims; ++i) {
        if (hone__expr_reads(type->expr, p->tmpl->slots.dims + i))
            return p->tmpl->dims[i].name;
    }
    for (size_t i = 0; i < p->tmpl->n_params; ++i) {
        if (hone__expr_reads(type->expr, p->tmpl->slots.params + i))
            code = p->config[i];
    }
    if (!code)
        (void)hone__expr_eval(type->expr, NULL, &code, NULL);
    (void)snprintf(out, 24, "%lld", (long long)code);
    return out;
}

static void write_buffers(plan *p)
{
    static const char *const modes[] = {"scalar", "in", "out", "inout"};
    static const char *const zeros[] = {"", "zero ", "zero-each "};
    const hone_template *t = p->tmpl;
    char code[24];

    for (size_t i = 0; i < t->n_args; ++i) {
        const hone_template_arg *arg = &t->args[i];

        hone__text_printf(p->out, "arg %s %s %s", arg->name, modes[arg->mode],
                          type_text(p, &arg->type, code));
        if (arg->mode != HONE_ARG_SCALAR)
            hone__text_printf(p->out, " %s", text_of(p, &arg->count));
        hone__text_puts(p->out, "\n");
        if (arg->given.expr)
            hone__text_printf(p->out, "optional %s %s\n", arg->name,
                              text_of(p, &arg->given));
        if (arg->host.expr)
            hone__text_printf(p->out, "host %s %s\n", arg->name,
                              text_of(p, &arg->host));
        for (size_t e = 0; arg->shape.rank > 1 && e < arg->shape.rank; ++e)
            hone__text_printf(p->out, "%s%s %s%s", e ? " ;" : "shape ",
                              e ? "" : arg->name,
                              text_of(p, &arg->shape.extents[e]),
                              e + 1 == arg->shape.rank ? "\n" : "");
    }
    for (size_t i = 0; i < t->n_requires; ++i) {
        if (!is_settled(&t->requires_[i]))
            hone__text_printf(p->out, "require %s\n",
                              text_of(p, &t->requires_[i].condition));
    }
    for (size_t i = 0; i < t->n_workspaces; ++i) {
        const hone_template_workspace *workspace = &t->workspaces[i];

        hone__text_printf(p->out, "workspace %s %s %s%s\n", workspace->name,
                          type_text(p, &workspace->type, code),
                          zeros[workspace->zero],
                          text_of(p, &workspace->count));
    }
    for (size_t i = 0; i < t->n_constants; ++i) {
        const hone_template_constant *constant = &t->constants[i];

        hone__text_printf(p->out, "constant %s %s %s %s", constant->name,
                          type_text(p, &constant->type, code),
                          t->args[constant->arg].name,
                          text_of(p, &constant->count));
        if (constant->condition.expr)
            hone__text_printf(p->out, " ; %s",
                              text_of(p, &constant->condition));
        hone__text_puts(p->out, "\n");
    }
}

static void write_map(plan *p, const hone_template_map *map)
{
    const hone_template *t = p->tmpl;

    hone__text_printf(p->out, "tensormap %s %s\n", map->name,
                      map->array_kind == HONE_PASS_ARG
                          ? t->args[map->array].name
                          : t->workspaces[map->array].name);
    for (int k = 0; k < HONE_N_MAP_PARTS; ++k) {
        for (size_t e = 0; e < map->n[k]; ++e)
            hone__text_printf(p->out, "%s%s %s", e ? " ;" : "map ",
                              e ? "" : hone__map_part_names[k],
                              text_of(p, &map->part[k][e]));
        if (map->n[k])
            hone__text_puts(p->out, "\n");
    }
}

/* Nothing, where it is not given. */
static void write_line(plan *p, const char *what,
                       const hone_template_expr *expr)
{
    if (expr->expr)
        hone__text_printf(p->out, "%s %s\n", what, text_of(p, expr));
}

static void write_triple(plan *p, const char *name,
                         const hone_template_expr expr[3])
{
    hone__text_puts(p->out, name);
    for (int k = 0; k < 3; ++k)
        hone__text_printf(p->out, "%s %s", k ? " ;" : "",
                          expr[k].expr ? text_of(p, &expr[k]) : "1");
    hone__text_puts(p->out, "\n");
}

static const char *buffer_name(const hone_template *t, hone_pass_kind kind,
                               int index)
{
    return kind == HONE_PASS_ARG         ? t->args[index].name
           : kind == HONE_PASS_WORKSPACE ? t->workspaces[index].name
                                         : t->maps[index].name;
}

static void write_passed(plan *p, const hone_template_pass *pass)
{
    const hone_template *t = p->tmpl;

    if (pass->n_choices) {
        hone__text_puts(p->out, "pick");
        for (size_t i = 0; i < pass->n_choices; ++i)
            hone__text_printf(
                p->out, " %s",
                buffer_name(t, pass->choices[i].kind, pass->choices[i].index));
        hone__text_printf(p->out, " ; %s\n", text_of(p, &pass->value.expr));
    } else if (hone__pass_words[pass->kind]) {
        hone__text_printf(
            p->out, "%s %s %s\n", pass->value.is_real ? "real" : "value",
            hone__pass_words[pass->kind], text_of(p, &pass->value.expr));
    } else {
        hone__text_printf(p->out, "pass %s\n",
                          buffer_name(t, pass->kind, pass->index));
    }
}

static void write_pipeline(plan *p)
{
    const hone_template_pipeline *pipeline = &p->tmpl->pipeline;

    if (pipeline->line)
        hone__text_printf(
            p->out, "pipeline %s %s ; %s ; %s\n",
            p->tmpl->dims[pipeline->dim].name, text_of(p, &pipeline->chunk),
            text_of(p, &pipeline->streams), text_of(p, &pipeline->staging));
}

static void write_launch(plan *p, const hone_template_launch *launch)
{
    hone__text_printf(p->out, "launch %s\n", launch->kernel);
    if (launch->repeat) {
        const hone_template_repeat *repeat =
            &p->tmpl->repeats[launch->repeat - 1];

        /* Its first launch says how often. */
        hone__text_printf(p->out, "repeat %s", repeat->name);
        if (launch == p->tmpl->launches || launch[-1].repeat != launch->repeat)
            hone__text_printf(p->out, " %s", text_of(p, &repeat->count));
        hone__text_puts(p->out, "\n");
    }
    write_line(p, "if", &launch->condition);
    write_triple(p, "grid", launch->grid);
    write_triple(p, "block", launch->block);
    write_line(p, "shared", &launch->shared);
    if (launch->cluster[0].expr)
        write_triple(p, "cluster", launch->cluster);
    if (launch->cooperative)
        hone__text_puts(p->out, "cooperative\n");
    if (launch->early)
        hone__text_puts(p->out, "early\n");
    for (size_t k = 0; k < launch->n_passed; ++k)
        write_passed(p, &launch->passed[k]);
}

hone_status hone__expand_launch_spec(const hone_template *tmpl,
                                     const int64_t *config, hone_text *out,
                                     hone_error *err)
{
    hone_text body = {0};
    plan p = {.tmpl = tmpl, .config = config, .out = &body};

    p.needs_let = hone__alloc(tmpl->n_lets);
    if (!p.needs_let)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    write_buffers(&p);
    for (size_t i = 0; i < tmpl->n_maps; ++i)
        write_map(&p, &tmpl->maps[i]);
    write_pipeline(&p);
    for (size_t i = 0; i < tmpl->n_launches; ++i)
        write_launch(&p, &tmpl->launches[i]);
    if (tmpl->call)
        hone__text_printf(
            p.out, "vendor %s\nvendor-rank %lld\n", tmpl->call,
            tmpl->call_rank < 0 ? 0LL : (long long)config[tmpl->call_rank]);
    write_line(&p, "work flops", &tmpl->work_flops);
    write_line(&p, "work bytes", &tmpl->work_bytes);
    p.out = out;
    write_names(&p); /* last: which lets are needed is known then */
    out->failed |= body.failed;
    hone__text_puts(out, hone__text_str(&body));
    hone__text_free(&body);
    hone__free(p.needs_let);
    return hone__text_check(out, err);
}
