/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling the tuner's own kernels: see own_code.h. */
#include "tuner/own_code.h"

#include "tuner/device.h"

/* The first answer of the farm: the tuner's own kernels. */
typedef struct own_code {
    hone_text *cubin;
    hone_text log;
    int done;
} own_code;

static void keep_code(void *user, int64_t job, hone_compile_output *output)
{
    own_code *code = user;

    (void)job;
    code->done = 1;
    if (output->ok)
        hone__text_append(code->cubin, output->cubin.data,
                          output->cubin.length);
    else
        hone__text_puts(&code->log, hone__text_str(&output->log));
}

hone_status hone__own_code_compile(const hone_farm_options *options,
                                   const char *arch, hone_text *out,
                                   hone_error *err)
{
    const hone_compile_input input = {hone__device_code, "hone/device_code.cu",
                                      arch, "", "", ""};
    hone_farm_options one = *options;
    own_code code = {out, {0}, 0};
    hone_farm *farm = NULL;
    hone_status status;

    one.n_workers = 1;
    status = hone__farm_open(&one, keep_code, &code, &farm, err);
    if (status == HONE_OK)
        status = hone__farm_submit(farm, -1, &input, err);
    while (status == HONE_OK && !code.done) {
        struct pollfd fd;

        if (hone__farm_descriptors(farm, &fd, 1))
            (void)poll(&fd, 1, 100);
        status = hone__farm_pump(farm, err);
    }
    if (status == HONE_OK && !out->length)
        status = hone__fail(err, HONE_ERR_NVRTC,
                            "the tuner's own kernels do not compile for %s: "
                            "%.600s",
                            arch, hone__text_str(&code.log));
    hone__farm_close(farm);
    hone__text_free(&code.log);
    return status;
}
