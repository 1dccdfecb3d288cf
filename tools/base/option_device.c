/* SPDX-License-Identifier: Apache-2.0 */
/* Values of options that are about devices: --device and --mode. The only place
 * above the devices themselves that names one; others ask its row. */
#include "tools/base/option_value.h"

#include "tuner/trial/devices.h"

#include <stdlib.h>
#include <string.h>

/* "cuda, cuda:N or cpu" */
static hone_status no_such_device(const char *text, hone_error *err)
{
    hone_text names = {0};
    hone_status status;

    for (int i = 0; i < HONE_N_BACKENDS; ++i) {
        const hone_device_kind *kind = hone__device_kind((hone_backend)i);

        hone__text_puts(&names, i == 0                    ? ""
                                : i < HONE_N_BACKENDS - 1 ? ", "
                                                          : " or ");
        hone__text_puts(&names, kind->name);
        if (kind->has_ordinals)
            hone__text_printf(&names, ", %s:N", kind->name);
    }
    status = hone__text_check(&names, err);
    if (status == HONE_OK)
        status = hone__fail(err, HONE_ERR_ARGUMENT,
                            "--device takes %s, not '%s'", names.data, text);
    hone__text_free(&names);
    return status;
}

/* NAME or NAME:N. */
hone_status hone__option_device(const hone_options *options,
                                hone_purpose purpose, hone_backend *out_backend,
                                int *out_ordinal, hone_error *err)
{
    const char *text = options->text[HONE_OPT_DEVICE];

    *out_ordinal = 0;
    *out_backend =
        purpose == HONE_FOR_TIMES ? HONE_BACKEND_CUDA : HONE_BACKEND_CPU;
    for (int i = 0; text && i < HONE_N_BACKENDS; ++i) {
        const hone_device_kind *kind = hone__device_kind((hone_backend)i);
        const size_t length = strlen(kind->name);
        const char *number = text + length;
        char *end = NULL;
        long ordinal = 0;

        if (strncmp(text, kind->name, length) != 0)
            continue;
        if (*number == ':' && kind->has_ordinals && number[1] >= '0' &&
            number[1] <= '9')
            ordinal = strtol(number + 1, &end, 10);
        if ((*number && (!end || *end)) || ordinal >= 1024)
            continue;
        *out_backend = (hone_backend)i;
        *out_ordinal = (int)ordinal;
        return HONE_OK;
    }
    return text ? no_such_device(text, err) : HONE_OK;
}

hone_mode hone__option_mode(const hone_options *options)
{
    return hone__options_is(options, HONE_OPT_MODE, "hot") ? HONE_MODE_HOT
                                                           : HONE_MODE_COLD;
}

hone_status hone__option_device_mode(const hone_options *options,
                                     hone_backend backend, hone_mode *out,
                                     hone_error *err)
{
    const hone_device_kind *kind = hone__device_kind(backend);

    *out = hone__option_mode(options);
    if (kind->has_caches)
        return HONE_OK;
    *out = HONE_MODE_HOT;
    return hone__options_is(options, HONE_OPT_MODE, "cold")
               ? hone__fail(err, HONE_ERR_ARGUMENT,
                            "--mode cold is for GPUs: the %s device always "
                            "measures hot",
                            kind->name)
               : HONE_OK;
}
