/* SPDX-License-Identifier: Apache-2.0 */
/* Setting the stage: see stage.h. */
#include "tuner/stage.h"

#include "tuner/compile/compiler_kind.h"
#include "tuner/compile/host_unit.h"
#include "tuner/compile/helper_kernels.h"

/* Without any that applies, the last one's reason. */
static hone_status choose(hone_stage *stage, hone_error *err)
{
    const hone_tuned *tuned = stage->tuned;
    hone_status status = HONE_OK;

    for (size_t i = 0; i < tuned->n_impls; ++i) {
        stage->tmpl = tuned->impls[i];
        status = hone__backend_takes(tuned->farm.backend, stage->tmpl, err);
        if (status == HONE_OK)
            status = hone__space_create(stage->tmpl, tuned->dims,
                                        &stage->device.properties,
                                        &stage->space, err);
        if (status == HONE_OK &&
            (stage->space->count || i + 1 == tuned->n_impls))
            return HONE_OK;
        hone__space_free(stage->space);
        stage->space = NULL;
        if (status != HONE_OK && status != HONE_ERR_CONSTRAINT &&
            status != HONE_ERR_UNSUPPORTED)
            return status;
        if (i + 1 < tuned->n_impls)
            hone__error_clear(err);
    }
    return status;
}

hone_status hone__stage_open(const hone_tuned *tuned, hone_stage *out,
                             hone_error *err)
{
    *out = (hone_stage){.tuned = tuned,
                        .kind = hone__device_kind(tuned->farm.backend),
                        .lock = {.fd = -1}};
    HONE_TRY(hone__references_check(tuned->impls[0], tuned->references,
                                    tuned->n_references, err));
    if (tuned->n_impls == 1)
        HONE_TRY(
            hone__backend_takes(tuned->farm.backend, tuned->impls[0], err));
    HONE_TRY(hone__device_describe(tuned->farm.backend, tuned->device,
                                   HONE_ANSWER_S, tuned->farm.stop,
                                   &out->device, err));
    return choose(out, err);
}

hone_status hone__stage_prepare(hone_stage *stage, hone_error *err)
{
    const hone_tuned *tuned = stage->tuned;
    int64_t ignored = 0;

    HONE_TRY(hone__default_plan(stage->tmpl, stage->space, &ignored,
                                &stage->spec, err));
    HONE_TRY(hone__reference_templates_open(
        &(hone_reference_templates_request){.tmpl = stage->tmpl,
                                            .spec = stage->spec,
                                            .dims = tuned->dims,
                                            .properties =
                                                &stage->device.properties,
                                            .arch = stage->device.arch,
                                            .farm = &tuned->farm},
        &stage->reference_templates, err));
    if (stage->kind->needs_code)
        HONE_TRY(hone__helper_kernels_compile(&tuned->farm, stage->device.arch,
                                              &stage->device_code, err));
    return stage->kind->is_shared
               ? HONE_OK
               : hone__device_lock_take(stage->device.id, tuned->farm.stop,
                                        tuned->on_wait, tuned->user,
                                        &stage->lock, err);
}

void hone__stage_close(hone_stage *stage)
{
    hone__device_lock_drop(&stage->lock);
    hone__text_free(&stage->device_code);
    hone__launch_spec_free(stage->spec);
    hone__reference_templates_close(stage->reference_templates);
    hone__space_free(stage->space);
}

hone_problem_setup hone__stage_problem(const hone_stage *stage)
{
    const hone_tuned *tuned = stage->tuned;

    return (hone_problem_setup){.tmpl = stage->tmpl,
                                .spec = stage->spec,
                                .dims = tuned->dims,
                                .mode = tuned->mode,
                                .rotation = HONE_ROTATION_FINAL,
                                .seed = tuned->seed,
                                .references = tuned->references,
                                .n_references = tuned->n_references,
                                .reference_templates =
                                    stage->reference_templates};
}
