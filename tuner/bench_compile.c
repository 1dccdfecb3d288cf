/* SPDX-License-Identifier: Apache-2.0 */
/* Variants of `hone bench` that the database does not have: see
 * bench_variants.h. */
#include "tuner/bench_variants.h"

#include "tuner/compile/farm.h"

static void on_compiled(void *user, int64_t job, hone_compile_output *output)
{
    hone_bench_variants *variants = user;
    hone_bench_variant *variant = &variants->items[job];

    variant->cubin = output->cubin;
    variant->log = output->log;
    output->cubin = output->log = (hone_text){0}; /* moved */
    if (!output->ok)
        hone__text_free(&variant->cubin);
}

static hone_status submit(hone_farm *farm, int id, const hone_bench_variant *v,
                          const hone_device_report *device, hone_error *err)
{
    const hone_template *tmpl = v->tmpl;
    char arch[16];
    const hone_compile_input input = {
        hone__text_str(&v->source),  tmpl->path,    arch,
        hone__text_str(&v->options), tmpl->headers, tmpl->source};

    hone__arch_for(tmpl, device->arch, arch);
    return hone__farm_submit(farm, id, &input, err);
}

static hone_status run_farm(const hone_stage *stage,
                            const hone_bench_variants *variants,
                            hone_farm *farm, hone_error *err)
{
    hone_status status = HONE_OK;
    int next = 0;

    while (status == HONE_OK &&
           (next < variants->n || hone__farm_n_busy(farm) > 0)) {
        for (; status == HONE_OK && next < variants->n &&
               hone__farm_n_idle(farm) > 0;
             ++next) {
            const hone_bench_variant *v = &variants->items[next];
            if (v->source.length)
                status = submit(farm, next, v, &stage->device, err);
        }
        if (status == HONE_OK)
            status = hone__farm_turn(farm, NULL, 0, err);
    }
    return status;
}

hone_status hone__bench_variants_compile(const hone_stage *stage,
                                         hone_bench_variants *variants,
                                         hone_error *err)
{
    hone_farm *farm = NULL;
    int n = 0;
    hone_status status;

    for (int i = 0; i < variants->n; ++i)
        n += variants->items[i].source.length > 0;
    if (!n)
        return HONE_OK;
    HONE_TRY(hone__farm_open(&stage->tuned->farm, on_compiled, variants, &farm,
                             err));
    status = run_farm(stage, variants, farm, err);
    hone__farm_close(farm);
    for (int i = 0; status == HONE_OK && i < variants->n; ++i) {
        const hone_bench_variant *v = &variants->items[i];

        if (!v->cubin.length)
            status =
                hone__fail(err, HONE_ERR_INPUT,
                           "the configuration %s does not compile: "
                           "%.600s",
                           hone__text_str(&v->config), hone__text_str(&v->log));
    }
    return status;
}
