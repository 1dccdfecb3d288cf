/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays in host memory: the word `host` of an argument, and the statement
 * that cuts such arrays into chunks. */
#include "gen/parse/parse.h"

#include <string.h>

/* `host`, `host(PINNED)` */
int hone__host_word(hone_cursor *c, hone_template_arg *arg)
{
    const hone_template_expr at = hone__place(c->p, hone__cursor_here(c));

    if (hone__cursor_peek(c) != '(')
        return hone__compile_text(c->p, "0", &at, &arg->host);
    return hone__compile_of_callers(
        c, "host",
        "whether host memory is page-locked is up to callers, who know nothing "
        "of parameters and lets: read a dimension that lists its values, such "
        "as PINNED in {0, 1}",
        &arg->host);
}

/* `chunks(DIM, E)` */
static int read_chunks(hone_cursor *c, hone_template_pipeline *pipeline)
{
    const hone_template *tmpl = c->p->tmpl;
    hone_slice where = hone__cursor_here(c);
    hone_template_expr exprs[2] = {{0}};
    size_t n = 0;

    if (!hone__compile_list(c, "chunks", 2, HONE_SCOPE_ANY, exprs, &n))
        return 0;
    where.end = c->at;
    if (n < 2)
        return hone__complain(c->p, where,
                              "say what is cut, and how many rows a chunk "
                              "has: chunks(DIMENSION, ROWS)");
    while (pipeline->dim < tmpl->n_dims &&
           (tmpl->dims[pipeline->dim].n_types ||
            strcmp(tmpl->dims[pipeline->dim].name,
                   hone__expr_text(exprs[0].expr)) != 0))
        ++pipeline->dim;
    if (pipeline->dim == tmpl->n_dims)
        return hone__complain(c->p, where,
                              "'%s' is no size of the operation: a dimension "
                              "is cut into chunks of rows",
                              hone__expr_text(exprs[0].expr));
    pipeline->chunk = exprs[1];
    return 1;
}

/* `pipeline chunks(n, CHUNK) streams(3) staging(STAGING)` */
int hone__statement_pipeline(hone_parser *p, hone_cursor *c)
{
    enum { CHUNKS, STREAMS, STAGING };
    static const char *const words[] = {"chunks", "streams", "staging"};
    hone_template_pipeline *pipeline = &p->tmpl->pipeline;
    const hone_slice here = hone__cursor_here(c);
    const hone_template_expr at = hone__place(p, here);
    unsigned seen = 0;

    if (pipeline->line)
        return hone__complain(
            p, here, "a template has one pipeline; the first is line %d%s%s",
            HONE_LINE_OF(p->tmpl, pipeline->line));
    p->pipeline = here;
    pipeline->line = at.line;
    while (!hone__cursor_is_done(c)) {
        const int which = hone__cursor_choose(c, "a pipeline", words, 3, &seen,
                                              "chunks, streams or staging",
                                              "chunks, streams and staging");
        hone_template_expr *expr =
            which == STREAMS ? &pipeline->streams : &pipeline->staging;

        if (which < 0 ||
            !(which == CHUNKS
                  ? read_chunks(c, pipeline)
                  : hone__compile_value(c, words[which], HONE_SCOPE_ANY, expr)))
            return 0;
    }
    if (!(seen >> CHUNKS & 1))
        return hone__complain(p, here,
                              "a pipeline needs chunks(DIMENSION, "
                              "ROWS)");
    return (seen >> STREAMS & 1 ||
            hone__compile_text(p, "3", &at, &pipeline->streams)) &&
           (seen >> STAGING & 1 ||
            hone__compile_text(p, "0", &at, &pipeline->staging));
}

/* ---- the whole ----------------------------------------------------------- */

/* Is the first extent of the array the dimension, as its name alone? */
static int is_cut(const hone_template *tmpl, const hone_template_arg *arg)
{
    return arg->shape.rank &&
           strcmp(hone__expr_text(arg->shape.extents[0].expr),
                  tmpl->dims[tmpl->pipeline.dim].name) == 0;
}

static int check_pipeline(hone_parser *p, size_t n_host)
{
    const hone_template *tmpl = p->tmpl;

    if (!n_host)
        return hone__complain(p, p->pipeline,
                              "no array is in host memory: mark what is copied "
                              "in chunks, as in 'x: in host f32[n]'");
    if (tmpl->n_workspaces + tmpl->n_constants + tmpl->n_maps + tmpl->n_repeats)
        return hone__complain(p, p->pipeline,
                              "a pipeline has no workspace, constant, "
                              "tensormap or repeat beside it");
    for (size_t i = 0; i < tmpl->n_args; ++i) {
        const hone_template_arg *arg = &tmpl->args[i];

        if ((arg->mode == HONE_ARG_OUT || arg->mode == HONE_ARG_INOUT) &&
            !is_cut(tmpl, arg))
            return hone__complain(
                p, p->pipeline,
                "'%s' is written, so its rows must be those that are cut: "
                "declare it as %s[%s], or [%s][..]",
                arg->name, arg->name, tmpl->dims[tmpl->pipeline.dim].name,
                tmpl->dims[tmpl->pipeline.dim].name);
    }
    return 1;
}

/* What reads an array through the device's memory alone. */
static int check_others(hone_parser *p, const char *array)
{
    const hone_template *tmpl = p->tmpl;
    const hone_slice start = {0, 1};

    if (tmpl->call || tmpl->n_vendors)
        return hone__complain(p, start,
                              "'%s' is in host memory, and functions of "
                              "libraries take arrays on the device: there can "
                              "be no 'vendor' and no 'call'",
                              array);
    for (size_t i = 0; i < tmpl->n_baselines; ++i) {
        if (strncmp(tmpl->baselines[i].name, HONE_TEMPLATE_PREFIX,
                    sizeof HONE_TEMPLATE_PREFIX - 1) != 0)
            return hone__complain(p, start,
                                  "'%s' is in host memory: its baselines are "
                                  "other templates, not '%s'",
                                  array, tmpl->baselines[i].name);
    }
    for (size_t i = 0; i < tmpl->n_checks; ++i) {
        const char *name = tmpl->checks[i].reference;

        if (strncmp(name, HONE_TEMPLATE_PREFIX,
                    sizeof HONE_TEMPLATE_PREFIX - 1) != 0 &&
            strncmp(name, "cpu.", 4) != 0)
            return hone__complain(p, start,
                                  "'%s' is in host memory: it is checked by "
                                  "other templates and CPU references, not by "
                                  "'%s'",
                                  array, name);
    }
    return 1;
}

int hone__host_complete(hone_parser *p)
{
    const hone_template *tmpl = p->tmpl;
    const char *array = NULL;
    size_t n_host = 0;

    for (size_t i = 0; i < tmpl->n_args; ++i) {
        if (!tmpl->args[i].host.expr)
            continue;
        array = tmpl->args[i].name;
        ++n_host;
    }
    if (tmpl->pipeline.line && !check_pipeline(p, n_host))
        return 0;
    for (size_t i = 0; i < tmpl->n_constants; ++i) {
        if (tmpl->args[tmpl->constants[i].arg].host.expr)
            return hone__complain(p, (hone_slice){0, 1},
                                  "the constant '%s' is filled from an array "
                                  "in host memory, which it cannot be",
                                  tmpl->constants[i].name);
    }
    for (size_t i = 0; i < tmpl->n_maps; ++i) {
        if (tmpl->maps[i].array_kind == HONE_PASS_ARG &&
            tmpl->args[tmpl->maps[i].array].host.expr)
            return hone__complain(p, (hone_slice){0, 1},
                                  "the tensormap '%s' is of an array in host "
                                  "memory, which it cannot be",
                                  tmpl->maps[i].name);
    }
    if (n_host + tmpl->n_workspaces > HONE_MAX_WORKSPACES && n_host)
        return hone__complain(p, (hone_slice){0, 1},
                              "workspaces and arrays in host memory are at "
                              "most %d together, not %zu",
                              HONE_MAX_WORKSPACES, n_host + tmpl->n_workspaces);
    return !n_host || check_others(p, array);
}
