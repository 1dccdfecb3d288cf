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

/* ---- several ------------------------------------------------------------- */

/* The number of the next word behind a kind's name: "2", or "cuda:2", or
 * "cpu", which is the next of a kind that is shared. Negative: none. */
static int ordinal_of(const hone_device_kind *kind, const char *word, size_t n)
{
    const size_t length = strlen(kind->name);
    char *end;
    long ordinal;

    if (strncmp(word, kind->name, length) == 0) {
        word += length;
        if (!*word)
            return kind->is_shared ? (int)n : 0;
        if (*word++ != ':')
            return -1;
    }
    if (*word < '0' || *word > '9')
        return -1;
    ordinal = strtol(word, &end, 10);
    return *end || ordinal >= 1024 ? -1 : (int)ordinal;
}

static hone_status add_device(hone_devices *out, const char *text,
                              const char *word, hone_error *err)
{
    const hone_device_kind *kind = hone__device_kind(out->backend);
    const int ordinal = ordinal_of(kind, word, out->n);

    if (ordinal < 0)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "--device %s: '%s' is no number of a %s device; "
                          "several devices are of one kind: %s:0,1",
                          text, word, kind->name, kind->name);
    for (size_t i = 0; i < out->n; ++i)
        if (out->ordinals[i] == ordinal)
            return hone__fail(err, HONE_ERR_ARGUMENT,
                              "--device %s names %s:%d twice", text, kind->name,
                              ordinal);
    if (out->n == HONE_DISPATCH_MOST_DEVICES)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "--device %s names more than %d devices", text,
                          (int)HONE_DISPATCH_MOST_DEVICES);
    out->ordinals[out->n++] = ordinal;
    return HONE_OK;
}

/* A list, or of a kind without numbers one that has one. */
static int is_list(const char *text)
{
    return strchr(text, ',') != NULL;
}

/* `words` is cut into pieces. */
static hone_status add_devices(hone_devices *out, const char *text, char *words,
                               hone_error *err)
{
    for (char *word = words; word;) {
        char *next = strchr(word, ',');

        if (next)
            *next++ = '\0';
        if (!*word)
            return hone__fail(err, HONE_ERR_ARGUMENT,
                              "--device %s: a comma has no device %s it; a "
                              "list is %s:0,1",
                              text, next ? "before" : "behind",
                              hone__device_kind(out->backend)->name);
        HONE_TRY(add_device(out, text, word, err));
        word = next;
    }
    return HONE_OK;
}

hone_status hone__option_devices(const hone_options *options, hone_devices *out,
                                 hone_error *err)
{
    const char *text = options->text[HONE_OPT_DEVICE];
    hone_text words = {0};
    hone_status status = HONE_OK;

    *out = (hone_devices){.backend = HONE_BACKEND_CUDA};
    if (text && strcmp(text, "all") == 0) {
        out->n = 1;
        out->is_all = 1;
        return HONE_OK;
    }
    if (!text || !is_list(text)) {
        out->n = 1;
        return hone__option_device(options, HONE_FOR_TIMES, &out->backend,
                                   &out->ordinals[0], err);
    }
    for (int i = 0; i < HONE_N_BACKENDS; ++i)
        if (strncmp(text, hone__device_kind((hone_backend)i)->name,
                    strlen(hone__device_kind((hone_backend)i)->name)) == 0)
            out->backend = (hone_backend)i;
    hone__text_puts(&words, text);
    status = hone__text_check(&words, err);
    if (status == HONE_OK)
        status = add_devices(out, text, words.data, err);
    hone__text_free(&words);
    return status;
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
