/* SPDX-License-Identifier: Apache-2.0 */
/* Setting the stage: see stage.h. */
#include "tuner/stage.h"

#include "tuner/compile/host_unit.h"
#include "tuner/compile/helper_kernels.h"

hone_status hone__stage_open(const hone_tuned *tuned, hone_stage *out,
                             hone_error *err)
{
    *out = (hone_stage){.tuned = tuned,
                        .kind = hone__device_kind(tuned->farm.backend),
                        .lock = {.fd = -1}};
    HONE_TRY(hone__references_check(tuned->tmpl, tuned->references,
                                    tuned->n_references, err));
    HONE_TRY(hone__device_describe(tuned->farm.backend, tuned->device,
                                   tuned->farm.stop, &out->device, err));
    return hone__space_create(tuned->tmpl, tuned->dims, &out->device.properties,
                              &out->space, err);
}

hone_status hone__stage_prepare(hone_stage *stage, hone_error *err)
{
    const hone_tuned *tuned = stage->tuned;
    int64_t ignored = 0;

    HONE_TRY(hone__default_plan(tuned->tmpl, stage->space, &ignored,
                                &stage->spec, err));
    HONE_TRY(hone__reference_templates_open(
        &(hone_reference_templates_request){.tmpl = tuned->tmpl,
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

    return (hone_problem_setup){.tmpl = tuned->tmpl,
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
