/* SPDX-License-Identifier: Apache-2.0 */
/* One variant of a tuning run: what it is made of. */
#include "tuner/session/tune_state.h"

#include "runtime/base/alloc.h"
#include "tuner/compile/compiler_kind.h"

/* The plan of a vendor's function has the algorithm that was measured, which
 * is of one problem and one device: another one's variant is another row. */
static void write_circumstances(const hone_tune_run *run,
                                const hone_template *tmpl, hone_text *out)
{
    for (size_t i = 0; i < tmpl->n_dims; ++i)
        hone__text_printf(out, "%s%lld", i ? "," : "for ",
                          (long long)run->request->dims[i]);
    hone__text_printf(out, " on %s", run->device.name);
}

/* A configuration that the template cannot be expanded for is none that ends
 * the run. */
static hone_status write_source(const hone_tune_run *run,
                                const hone_tune_impl *impl,
                                const int64_t *config, hone_tune_job *job,
                                hone_error *err)
{
    const hone_tune_request *request = run->request;
    hone_error why = {0};
    const hone_status status = hone__variant_source(
        impl->tmpl, config, request->dims, request->farm.backend, &job->source,
        &job->options, &why);

    if (status == HONE_OK)
        return HONE_OK;
    if (status != HONE_ERR_INPUT && status != HONE_ERR_OVERFLOW)
        return hone__fail_native(err, status, why.domain, why.native, "%s",
                                 why.text);
    hone__text_clear(&job->source);
    hone__text_clear(&job->options);
    hone__text_puts(&job->refusal, why.text);
    return hone__text_check(&job->refusal, err);
}

hone_status hone__tune_job_write(hone_tune_run *run, hone_tune_impl *impl,
                                 const int64_t *config, hone_tune_job *job,
                                 hone_error *err)
{
    const hone_tune_request *request = run->request;

    hone__space_format(impl->space, config, &job->config);
    if (impl->tmpl->call)
        write_circumstances(run, impl->tmpl, &job->options);
    else
        HONE_TRY(write_source(run, impl, config, job, err));
    HONE_TRY(hone__text_check(&job->config, err));
    HONE_TRY(hone__text_check(&job->options, err));
    HONE_TRY(hone__expand_launch_spec(impl->tmpl, config, &job->spec, err));
    return request->db ? hone__tune_key_write(run, impl, config, job, err)
                       : HONE_OK;
}

hone_status hone__tune_job_make(hone_tune_run *run, hone_tune_impl *impl,
                                int64_t index, hone_tune_job **out,
                                hone_error *err)
{
    hone_tune_job *job = hone__alloc(sizeof *job);
    int64_t *config = hone__alloc((impl->tmpl->n_params + 1) * sizeof *config);
    hone_status status = HONE_OK;

    if (!job || !config)
        status = hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    if (status == HONE_OK) {
        job->id = run->next_job++;
        job->impl = impl;
        job->index = index;
        job->compiled.registers = -1;
        hone__space_get(impl->space, index, config);
        status = hone__tune_job_write(run, impl, config, job, err);
    }
    if (status == HONE_OK)
        status = hone__launch_spec_parse(job->spec.data, &job->plan, err);
    hone__free(config);
    if (status != HONE_OK) {
        hone__tune_job_free(job);
        job = NULL;
    }
    *out = job;
    return status;
}

void hone__tune_job_free(hone_tune_job *job)
{
    if (!job)
        return;
    hone__text_free(&job->config);
    hone__text_free(&job->source);
    hone__text_free(&job->options);
    hone__text_free(&job->spec);
    hone__text_free(&job->refusal);
    hone__launch_spec_free(job->plan);
    hone__compile_output_free(&job->compiled);
    hone__free(job);
}
