/* SPDX-License-Identifier: Apache-2.0 */
/* `hone compile`: a space, or part of it, through the compile farm. Needs no
 * GPU; what it puts into the cache is what tuning finds there later. */
#include "tuner/tuner.h"

#include "gen/expand/expand.h"
#include "runtime/base/alloc.h"
#include "tuner/compile/farm.h"
#include "tuner/compile/gate.h"
#include "tuner/process/worker.h"

#include <stdio.h>
#include <string.h>

typedef struct compile_run {
    const hone_compile_request *request;
    hone_compile_result *result;
    hone_properties properties;
    char arch[16];
    int64_t dims[HONE_MAX_DIMS];
    int64_t gate_dims[HONE_MAX_DIMS]; /* 0: not known */
    hone_properties gate_properties;
    hone_space *space;
    int64_t n_all;   /* of all parts */
    int64_t first;   /* of this part */
    int64_t n_total; /* in it */
    int64_t *config; /* scratch */
    hone_farm *farm;
    int no_memory; /* for telling of a variant */
} compile_run;

/* Job n of n_total, spread evenly over the space; parts follow each other,
 * since neighbours share compiles. */
static void config_of(const compile_run *run, int64_t job, int64_t *out)
{
    if (!run->request->config) {
        const int64_t count = run->space->count;
        const int64_t step = count / run->n_all;
        const int64_t rest = count % run->n_all;
        const int64_t n = run->first + job;

        hone__space_get(run->space, n * step + (n < rest ? n : rest), out);
    } else {
        memcpy(out, run->request->config,
               run->request->tmpl->n_params * sizeof *out);
    }
}

static void tell(compile_run *run, int64_t job, hone_outcome outcome,
                 const hone_compile_output *output)
{
    hone_text config = {0};

    ++run->result->n_variants;
    if (!run->request->on_variant)
        return;
    config_of(run, job, run->config);
    hone__space_format(run->space, run->config, &config);
    run->no_memory |= config.failed;
    if (!config.failed)
        run->request->on_variant(run->request->user,
                                 &(hone_compile_report){job, run->n_total,
                                                        hone__text_str(&config),
                                                        outcome, output});
    hone__text_free(&config);
}

static void on_done(void *user, int64_t job, hone_compile_output *output)
{
    compile_run *run = user;
    hone_compile_result *result = run->result;

    result->n_failed += !output->ok;
    result->n_warned += output->warnings[0] != '\0';
    result->n_compiles += !output->cached;
    result->n_cached += output->cached;
    tell(run, job,
         output->ok          ? HONE_OUTCOME_OK
         : output->timed_out ? HONE_OUTCOME_TIMEOUT
                             : HONE_OUTCOME_COMPILE,
         output);
}

static void on_gated(compile_run *run, int64_t job, const char *why)
{
    hone_compile_output output = {.registers = -1};

    hone__text_puts(&output.log, why);
    run->no_memory |= output.log.failed;
    ++run->result->n_gated;
    tell(run, job, HONE_OUTCOME_LIMITS, &output);
    hone__text_free(&output.log);
}

/* Type dimensions have a default that serves where no shape is given; sizes
 * are then unknown to the gate. */
static void default_dims(compile_run *run)
{
    const hone_template *tmpl = run->request->tmpl;

    if (run->request->dims)
        memcpy(run->dims, run->request->dims, tmpl->n_dims * sizeof *run->dims);
    else
        hone__template_usual_dims(tmpl, 1, run->dims);
    for (size_t i = 0; i < tmpl->n_dims; ++i) {
        run->gate_dims[i] =
            run->request->dims || tmpl->dims[i].n_types ? run->dims[i] : 0;
    }
    /* How much memory the device will have is not known here. */
    run->gate_properties = run->properties;
    run->gate_properties.value[HONE_PROPERTY_memory] = INT64_MAX;
}

/* Where a part of n begins. */
static int64_t begin_of(int64_t n, int part, int n_parts)
{
    return n / n_parts * part + n % n_parts * part / n_parts;
}

static hone_status open_space(compile_run *run, hone_error *err)
{
    const hone_compile_request *request = run->request;
    const size_t length = strlen(request->arch);

    HONE_TRY(hone__properties_of_arch(request->arch, &run->properties, err));
    (void)snprintf(run->arch, sizeof run->arch, "sm_%lld%s",
                   (long long)run->properties.value[HONE_PROPERTY_sm],
                   request->tmpl->needs_arch_features ||
                           (length && request->arch[length - 1] == 'a')
                       ? "a"
                       : "");
    default_dims(run);
    run->config =
        hone__alloc((request->tmpl->n_params + 1) * sizeof *run->config);
    if (!run->config)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    HONE_TRY((request->config ? hone__space_create_whole : hone__space_create)(
        request->tmpl, request->dims, &run->properties, &run->space, err));
    run->n_total = run->n_all = 1;
    if (request->config)
        return hone__space_check(run->space, request->config, err);
    run->n_all = run->space->count;
    if (request->limit > 0 && request->limit < run->n_all)
        run->n_all = request->limit;
    run->n_total = run->n_all;
    if (request->n_parts > 1) {
        run->first = begin_of(run->n_all, request->part, request->n_parts);
        run->n_total =
            begin_of(run->n_all, request->part + 1, request->n_parts) -
            run->first;
    }
    return HONE_OK;
}

/* What one configuration is compiled from. */
typedef struct variant_text {
    hone_text source;
    hone_text options;
    hone_text spec;
} variant_text;

static hone_status submit_text(compile_run *run, int64_t job,
                               variant_text *text, hone_error *err)
{
    const hone_template *tmpl = run->request->tmpl;
    hone_compile_input input;
    hone_launch_spec *spec;
    hone_gate gate;
    hone_status status;
    char why[320];
    hone_error refused = {0};

    config_of(run, job, run->config);
    status = hone__expand_unit(tmpl, run->config, run->dims, &text->source,
                               &refused);
    if (status == HONE_OK)
        status = hone__expand_options(tmpl, run->config, run->dims,
                                      &text->options, &refused);
    if (status == HONE_ERR_INPUT || status == HONE_ERR_OVERFLOW) {
        on_gated(run, job, refused.text); /* others can be expanded */
        return HONE_OK;
    }
    if (status != HONE_OK)
        return hone__fail(err, status, "%s", refused.text);
    HONE_TRY(hone__expand_launch_spec(tmpl, run->config, &text->spec, err));
    HONE_TRY(hone__launch_spec_parse(text->spec.data, &spec, err));
    input = (hone_compile_input){
        hone__text_str(&text->source),  tmpl->path,    run->arch,
        hone__text_str(&text->options), tmpl->headers, tmpl->source};
    gate = hone__gate_launch(&(hone_launch_case){spec, run->gate_dims,
                                                 tmpl->n_dims,
                                                 &run->gate_properties},
                             input.options, why, sizeof why);
    hone__launch_spec_free(spec);
    if (gate != HONE_GATE_LIMITS)
        return hone__farm_submit(run->farm, job, &input, err);
    on_gated(run, job, why);
    return HONE_OK;
}

static hone_status submit(compile_run *run, int64_t job, hone_error *err)
{
    variant_text text = {.source = {0}};
    const hone_status status = submit_text(run, job, &text, err);

    hone__text_free(&text.source);
    hone__text_free(&text.options);
    hone__text_free(&text.spec);
    return status;
}

static hone_status compile_all(compile_run *run, hone_error *err)
{
    hone_status status = HONE_OK;
    int64_t next = 0;

    while (status == HONE_OK && run->result->n_variants < run->n_total) {
        while (next < run->n_total && hone__farm_n_idle(run->farm) > 0)
            HONE_TRY(submit(run, next++, err));
        status = hone__farm_turn(run->farm, NULL, 0, err);
    }
    return status == HONE_ERR_INTERRUPTED
               ? hone__fail(err, status,
                            "interrupted; what is compiled stays in the cache "
                            "and is found by the next run")
               : status;
}

hone_status hone__compile_space(const hone_compile_request *request,
                                hone_compile_result *out, hone_error *err)
{
    compile_run run = {.request = request, .result = out};
    double start_s = 0;
    hone_status status;

    memset(out, 0, sizeof *out);
    status = open_space(&run, err);
    if (status == HONE_OK)
        status = hone__farm_open(&request->farm, on_done, &run, &run.farm, err);
    if (status == HONE_OK) {
        out->n_workers = hone__farm_n_workers(run.farm);
        (void)snprintf(out->toolchain, sizeof out->toolchain, "%s %.40s",
                       hone__farm_toolchain(run.farm)->name,
                       hone__farm_toolchain(run.farm)->version);
        start_s = hone__now_s();
        status = compile_all(&run, err);
        if (status == HONE_OK && run.no_memory)
            status = hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
        out->seconds = hone__now_s() - start_s;
        if (out->seconds > 0) {
            out->variants_per_s = (double)out->n_variants / out->seconds;
            out->compiles_per_s = (double)out->n_compiles / out->seconds;
        }
    }
    hone__farm_close(run.farm);
    hone__space_free(run.space);
    hone__free(run.config);
    return status;
}
