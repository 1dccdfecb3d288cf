/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays in host memory: the statements that declare them and cut them into
 * chunks, and what the chunks of one problem are. */
#include "runtime/launch/launch_reader.h"
#include "runtime/launch/launch_host.h"

#include <inttypes.h>
#include <string.h>

/* ---- the text ------------------------------------------------------------ */

hone_status hone__reader_host(hone_reader *r)
{
    spec_arg *arg = NULL;

    HONE_TRY(hone__reader_array(r, &arg));
    if (arg->host)
        return hone__reader_fail(r,
                                 "said twice to be in host memory:", r->rest);
    return hone__reader_expr(r, r->rest, &arg->host);
}

hone_status hone__reader_pipeline(hone_reader *r)
{
    hone_launch_spec *spec = r->spec;
    spec_pipeline *pipeline = &spec->pipeline;
    hone_piece name;

    if (pipeline->line)
        return hone__reader_fail(r, "a second pipeline:", r->rest);
    HONE_TRY(hone__reader_name(r, &name));
    while (pipeline->dim < spec->n_dims &&
           !hone__piece_is(name, spec->dims[pipeline->dim].name))
        ++pipeline->dim;
    if (pipeline->dim == spec->n_dims ||
        hone__dim_is_fixed(&spec->dims[pipeline->dim]))
        return hone__reader_fail(r, "no size is called", name);
    pipeline->line = r->line;
    HONE_TRY(hone__reader_exprs(r, 3, pipeline->parts));
    return pipeline->parts[2]
               ? HONE_OK
               : hone__reader_fail(r,
                                   "a pipeline has a chunk, streams and "
                                   "staging, not",
                                   r->rest);
}

/* Is the first extent of the array the dim, as its name alone? */
static int is_cut(const hone_launch_spec *spec, const spec_arg *arg)
{
    const hone_expr *first = arg->extents[0] ? arg->extents[0] : arg->count;

    return spec->pipeline.line && first &&
           strcmp(hone__expr_text(first),
                  spec->dims[spec->pipeline.dim].name) == 0;
}

hone_status hone__launch_host_complete(const hone_launch_spec *spec,
                                       hone_error *err)
{
    const int has_other = spec->n_workspaces || spec->n_constants ||
                          spec->n_maps || spec->n_repeats;
    size_t n_host = 0;
    int is_wrong = 0; /* a map or a constant of an array in host memory */

    for (size_t i = 0; i < spec->n_args; ++i) {
        const spec_arg *arg = &spec->args[i];

        n_host += arg->host != NULL;
        if (spec->pipeline.line && !is_cut(spec, arg) &&
            (arg->mode == HONE_ARG_OUT || arg->mode == HONE_ARG_INOUT))
            return hone__fail(err, HONE_ERR_INPUT,
                              "launch plan, line %d: '%s' is written, and its "
                              "rows are not those that are cut",
                              spec->pipeline.line, arg->name);
    }
    for (size_t i = 0; i < spec->n_maps; ++i)
        is_wrong |= spec->maps[i].array_kind == HONE_PASS_ARG &&
                    spec->args[spec->maps[i].array].host;
    for (size_t i = 0; i < spec->n_constants; ++i)
        is_wrong |= spec->args[spec->constants[i].arg].host != NULL;
    if (is_wrong || (spec->pipeline.line && has_other))
        return hone__fail(err, HONE_ERR_INPUT,
                          "launch plan of %s: a constant or tensor map of an "
                          "array in host memory, or these, a workspace or a "
                          "repeat beside a pipeline",
                          spec->op);
    if (spec->pipeline.line && !n_host)
        return hone__fail(err, HONE_ERR_INPUT,
                          "launch plan, line %d: no array is in host memory",
                          spec->pipeline.line);
    if (n_host + spec->n_workspaces <= HONE_MAX_WORKSPACES)
        return HONE_OK;
    return hone__fail(err, HONE_ERR_INPUT,
                      "launch plan of %s: %zu workspaces and arrays in host "
                      "memory are more than %d",
                      spec->op, n_host + spec->n_workspaces,
                      HONE_MAX_WORKSPACES);
}

/* ---- one problem --------------------------------------------------------- */

static hone_status resolve_chunks(hone_resolver *r, hone_resolved_pipeline *to)
{
    const hone_launch_spec *spec = r->spec;
    static const char *const names[] = {"chunks", "streams", "staging"};
    static const int64_t most[] = {INT64_MAX, HONE_MAX_STREAMS, INT64_MAX};
    int64_t value[3];

    for (int i = 0; i < 3; ++i) {
        const hone_expr *expr = spec->pipeline.parts[i];

        HONE_TRY(hone__resolver_eval(r, expr, &value[i]));
        if (i < 2 && (value[i] < 1 || value[i] > most[i]))
            return hone__fail(r->err, HONE_ERR_INPUT,
                              "%s of the pipeline of %s is %" PRId64
                              " ('%s'); it must be from 1 to %" PRId64,
                              names[i], spec->op, value[i],
                              hone__expr_text(expr), most[i]);
    }
    to->n_rows = r->slots[SLOT_DIMS + spec->pipeline.dim];
    to->n_chunk_rows = value[0] < to->n_rows ? value[0] : to->n_rows;
    to->is_staged = value[2] != 0;
    to->n_slots = 1;
    if (to->n_rows > 0) {
        const int64_t n = (to->n_rows - 1) / to->n_chunk_rows + 1;

        to->n_slots = (unsigned)(n < value[1] ? n : value[1]);
    }
    return HONE_OK;
}

/* Memory of the device for an array: all of it, or a place for a chunk in each
 * slot. Nothing is behind the last one, so that whoever guards the memory sees
 * what is written there. */
static hone_status resolve_copy(const hone_launch_spec *spec,
                                const hone_resolved_pipeline *pipeline,
                                hone_resolved_arg *arg, hone_error *err)
{
    int64_t bytes = arg->size_bytes;
    int64_t place;

    arg->copy_bytes = bytes;
    if (!arg->is_cut || pipeline->n_rows < 1)
        return HONE_OK;
    bytes = bytes / pipeline->n_rows * pipeline->n_chunk_rows;
    if (bytes > INT64_MAX - HONE_CHUNK_ALIGN_BYTES ||
        __builtin_mul_overflow(hone__chunk_place(bytes),
                               (int64_t)pipeline->n_slots - 1, &place) ||
        __builtin_add_overflow(place, bytes, &arg->copy_bytes))
        return hone__fail(err, HONE_ERR_OVERFLOW,
                          "the chunks of '%s' of %s do not fit into 2^63 bytes",
                          arg->name, spec->op);
    return HONE_OK;
}

hone_status hone__launch_host_resolve(hone_resolver *r, hone_resolved *out)
{
    const hone_launch_spec *spec = r->spec;
    hone_resolved_pipeline *pipeline = &out->pipeline;

    *pipeline =
        (hone_resolved_pipeline){.n_rows = 1, .n_chunk_rows = 1, .n_slots = 1};
    if (spec->pipeline.line)
        HONE_TRY(resolve_chunks(r, pipeline));
    for (size_t i = 0; i < spec->n_args; ++i) {
        const spec_arg *from = &spec->args[i];
        hone_resolved_arg *to = &out->args[i];
        int64_t is_pinned = 0;

        to->is_cut = is_cut(spec, from) && !to->is_absent;
        if (!from->host)
            continue;
        HONE_TRY(hone__resolver_eval(r, from->host, &is_pinned));
        to->is_host = pipeline->is_used = 1;
        to->is_pinned = is_pinned != 0;
        HONE_TRY(resolve_copy(spec, pipeline, to, r->err));
    }
    return HONE_OK;
}

/* With so many rows of the dim that is cut. */
static hone_status resolve_chunk(hone_resolver *r, int64_t n_rows,
                                 hone_resolved *out)
{
    int64_t dims[HONE_MAX_DIMS];

    memcpy(dims, out->dims, sizeof dims);
    dims[r->spec->pipeline.dim] = n_rows;
    hone__resolver_fill(r, dims);
    return hone__resolver_launches(r, out);
}

hone_status hone__launch_host_launches(hone_resolver *r, hone_resolved *out)
{
    hone_resolved_pipeline *pipeline = &out->pipeline;
    const int64_t n_last = pipeline->n_chunk_rows > 0
                               ? pipeline->n_rows % pipeline->n_chunk_rows
                               : 0;

    if (!r->spec->pipeline.line) {
        HONE_TRY(hone__resolver_launches(r, out));
        pipeline->n_launches = out->n_launches;
        return HONE_OK;
    }
    HONE_TRY(resolve_chunk(r, pipeline->n_chunk_rows, out));
    pipeline->n_launches = out->n_launches;
    if (n_last)
        HONE_TRY(resolve_chunk(r, n_last, out));
    hone__resolver_fill(r, out->dims); /* the whole problem again */
    return HONE_OK;
}
