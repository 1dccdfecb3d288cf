/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling the tuner's own kernels: see helper_kernels.h. */
#include "tuner/compile/helper_kernels.h"

void hone__helper_kernels_take(hone_helper_kernels *code,
                               const hone_compile_output *output)
{
    code->done = 1;
    if (output->ok)
        hone__text_append(&code->cubin, output->cubin.data,
                          output->cubin.length);
    else
        hone__text_puts(&code->log, hone__text_str(&output->log));
}

static hone_compile_input input_for(const char *arch)
{
    return (hone_compile_input){
        hone__device_code, "hone/device_code.cu", arch, "", {0}, NULL};
}

hone_status hone__helper_kernels_submit(hone_farm *farm, const char *arch,
                                        hone_error *err)
{
    const hone_compile_input input = input_for(arch);

    return hone__farm_submit(farm, HONE_HELPER_KERNELS_JOB, &input, err);
}

hone_status hone__helper_kernels_check(const hone_helper_kernels *code,
                                       const char *arch, hone_error *err)
{
    HONE_TRY(hone__text_check(&code->cubin, err));
    return code->cubin.length
               ? HONE_OK
               : hone__fail(err, HONE_ERR_NVRTC,
                            "the tuner's own kernels do not compile for %s: "
                            "%.600s",
                            arch, hone__text_str(&code->log));
}

hone_status hone__helper_kernels_finish(hone_helper_kernels *code,
                                        hone_farm *farm, const char *arch,
                                        hone_error *err)
{
    while (!code->done)
        HONE_TRY(hone__farm_turn(farm, NULL, 0, err));
    return hone__helper_kernels_check(code, arch, err);
}

void hone__helper_kernels_free(hone_helper_kernels *code)
{
    hone__text_free(&code->cubin);
    hone__text_free(&code->log);
}

hone_status hone__helper_kernels_compile(const hone_farm_options *options,
                                         const char *arch, hone_text *out,
                                         hone_error *err)
{
    const hone_compile_input input = input_for(arch);
    hone_helper_kernels code = {.done = 0};
    hone_compile_output output;
    hone_status status = hone__compile_one(options, &input, &output, err);

    hone__helper_kernels_take(&code, &output);
    hone__compile_output_free(&output);
    if (status == HONE_OK)
        status = hone__helper_kernels_check(&code, arch, err);
    hone__text_append(out, hone__text_str(&code.cubin), code.cubin.length);
    hone__helper_kernels_free(&code);
    return status == HONE_OK ? hone__text_check(out, err) : status;
}
