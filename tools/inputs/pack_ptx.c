/* SPDX-License-Identifier: Apache-2.0 */
/* hone pack --with-ptx: the PTX of a stored variant, made of its template as it
 * is now, if that is the one that the variant was made of. */
#include "tools/inputs/pack_ptx.h"

#include "gen/expand/expand.h"
#include "tools/base/message.h"
#include "tools/base/option_value.h"
#include "tools/inputs/inputs.h"
#include "tuner/compile/compiler_kind.h"

#include <stdlib.h>
#include <string.h>

/* A variant of a template and what its compile needs. */
typedef struct ptx_job {
    const hone_template *tmpl;
    int64_t *config;
    int64_t dims[HONE_MAX_DIMS];
    hone_text source;
    hone_text options;
} ptx_job;

/* ---- the farm ------------------------------------------------------------ */

/* Whose compiler makes PTX. */
static hone_backend ptx_backend(void)
{
    int backend = 0;

    while (!hone__compiler_kind((hone_backend)backend)->takes_ptx)
        ++backend;
    return (hone_backend)backend;
}

static void on_done(void *user, int64_t job, hone_compile_output *output)
{
    hone_pack_ptx *ptx = user;

    (void)job;
    hone__compile_output_copy(output, &ptx->output);
    ptx->is_done = 1;
}

static hone_status open_farm(hone_pack_ptx *ptx, hone_error *err)
{
    hone_farm_options options = {.backend = ptx_backend()};

    if (ptx->farm)
        return HONE_OK;
    HONE_TRY(hone__locate_farm(ptx->options, &ptx->cache, &options, err));
    options.n_workers = 1;
    return hone__farm_open(&options, on_done, ptx, &ptx->farm, err);
}

static hone_status compile(hone_pack_ptx *ptx, const ptx_job *job,
                           const char *arch, hone_error *err)
{
    const hone_compile_input input = {.source = hone__text_str(&job->source),
                                      .name = job->tmpl->path,
                                      .arch = arch,
                                      .options = hone__text_str(&job->options),
                                      .headers = job->tmpl->headers,
                                      .text = job->tmpl->source};

    HONE_TRY(open_farm(ptx, err));
    ptx->is_done = 0;
    HONE_TRY(hone__farm_submit(ptx->farm, 0, &input, err));
    while (!ptx->is_done)
        HONE_TRY(hone__farm_turn(ptx->farm, NULL, 0, err));
    return HONE_OK;
}

/* ---- the template -------------------------------------------------------- */

static void forget_templates(hone_pack_ptx *ptx)
{
    hone__implementations_free(&ptx->impls);
    hone__text_free(&ptx->op);
}

/* Variants come by operation: the implementations of the last one are kept. */
static hone_status load(hone_pack_ptx *ptx, const char *op, hone_error *err)
{
    if (ptx->op.length && strcmp(hone__text_str(&ptx->op), op) == 0)
        return HONE_OK;
    forget_templates(ptx);
    hone__text_puts(&ptx->op, op);
    HONE_TRY(hone__text_check(&ptx->op, err));
    return hone__load_implementations(ptx->options, op, &ptx->impls, err);
}

/* The template of a variant; NULL: there is none, or it was edited. */
static const hone_template *find(const hone_pack_ptx *ptx,
                                 const hone_db_pack_source *source)
{
    for (size_t i = 0; i < ptx->impls.n; ++i) {
        const hone_template *tmpl = ptx->impls.items[i];

        if (strcmp(hone__template_name(tmpl), source->implementation) == 0 &&
            strcmp(tmpl->sha256, source->template_sha256) == 0)
            return tmpl;
    }
    return NULL;
}

/* Dims that the code depends on, of their codes; all others are 1. */
static void read_dims(const hone_template *tmpl, const char *types,
                      int64_t *out)
{
    for (size_t i = 0; i < tmpl->n_dims; ++i) {
        char *end = NULL;

        out[i] = 1;
        if (!tmpl->dims[i].n_types)
            continue;
        out[i] = strtoll(types, &end, 10);
        types = end + (*end == ',');
    }
}

static hone_status write_source(const hone_db_pack_source *source, ptx_job *job,
                                hone_error *err)
{
    read_dims(job->tmpl, source->types, job->dims);
    HONE_TRY(hone__load_config(job->tmpl, source->config, &job->config, err));
    HONE_TRY(hone__variant_source(job->tmpl, job->config, job->dims,
                                  ptx_backend(), &job->source, &job->options,
                                  err));
    HONE_TRY(hone__text_check(&job->source, err));
    return hone__text_check(&job->options, err);
}

/* ---- the callback -------------------------------------------------------- */

static hone_status left_out(hone_pack_ptx *ptx, const char *why)
{
    if (!ptx->n_left_out++)
        hone__text_puts(&ptx->why, why);
    return HONE_OK;
}

/* Appends it. What does not compile has none: the cubin is there. */
static hone_status take_output(hone_pack_ptx *ptx, hone_text *out)
{
    const hone_compile_output *output = &ptx->output;

    if (!output->ok || !output->cubin.length)
        return left_out(ptx, hone__text_str(&output->log));
    hone__text_append(out, output->cubin.data, output->cubin.length);
    return HONE_OK;
}

hone_status hone__pack_ptx_make(void *user, const hone_db_pack_source *source,
                                hone_text *out, hone_error *err)
{
    hone_pack_ptx *ptx = user;
    ptx_job job = {.tmpl = NULL};
    hone_error why = {0};
    hone_status status = load(ptx, source->op, &why);

    if (status == HONE_ERR_NO_MEMORY || status == HONE_ERR_INTERRUPTED) {
        *err = why;
        return status;
    }
    job.tmpl = find(ptx, source);
    if (!job.tmpl)
        return left_out(ptx, status == HONE_OK
                                 ? "the template is not there as it was tuned"
                                 : why.text);
    status = write_source(source, &job, err);
    if (status == HONE_OK)
        status = compile(ptx, &job, source->ptx_arch, err);
    if (status == HONE_OK)
        status = hone__compile_output_check(&ptx->output, err);
    if (status == HONE_OK)
        status = take_output(ptx, out);
    hone__compile_output_free(&ptx->output);
    hone__text_free(&job.source);
    hone__text_free(&job.options);
    hone__free(job.config);
    return status;
}

void hone__pack_ptx_end(hone_pack_ptx *ptx)
{
    hone__farm_close(ptx->farm);
    forget_templates(ptx);
    if (ptx->n_left_out)
        hone__message_note("%zu variant%s without PTX; the first: %.300s",
                           ptx->n_left_out, ptx->n_left_out == 1 ? "" : "s",
                           hone__text_str(&ptx->why));
    hone__text_free(&ptx->why);
    hone__text_free(&ptx->cache);
}
