/* SPDX-License-Identifier: Apache-2.0 */
/* --device, --budget, --until, --mode, --strategy and --seed. */
#include "tools/option_value.h"

#include "tuner/trial/devices.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* NAME or NAME:N; `otherwise` if there is no such option. */
hone_status hone__option_device(const hone_options *options,
                                hone_backend otherwise,
                                hone_backend *out_backend, int *out_ordinal,
                                hone_error *err)
{
    const char *text = options->text[HONE_OPT_DEVICE];

    *out_ordinal = 0;
    *out_backend = otherwise;
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
    if (!text)
        return HONE_OK;
    return hone__fail(err, HONE_ERR_ARGUMENT,
                      "--device takes cuda, cuda:N or cpu, not '%s'", text);
}

static double unit_s(const char *unit)
{
    return strcmp(unit, "s") == 0   ? 1
           : strcmp(unit, "m") == 0 ? 60
           : strcmp(unit, "h") == 0 ? 3600
                                    : 0;
}

hone_status hone__option_budget(const hone_options *options,
                                int64_t *out_trials, double *out_s,
                                hone_error *err)
{
    const char *text = options->text[HONE_OPT_BUDGET];
    char *end = NULL;
    double value;

    *out_trials = 0;
    *out_s = 0;
    if (!text)
        return HONE_OK;
    errno = 0;
    if (!text[strspn(text, "0123456789")]) {
        *out_trials = strtoll(text, &end, 10);
        if (!errno && *out_trials > 0)
            return HONE_OK;
    } else {
        value = strtod(text, &end);
        *out_s = value * unit_s(end);
        if (isfinite(*out_s) && *out_s > 0)
            return HONE_OK;
    }
    return hone__fail(err, HONE_ERR_ARGUMENT,
                      "--budget takes a number of trials (200) or a time "
                      "(60s, 5m, 1h), not '%s'",
                      text);
}

hone_status hone__option_until(const hone_options *options, double *out_gain,
                               hone_error *err)
{
    const char *text = options->text[HONE_OPT_UNTIL];
    char *end = NULL;
    double percent;

    *out_gain = 0;
    if (!text)
        return HONE_OK;
    percent = strtod(text, &end);
    if (end == text || (*end && strcmp(end, "%") != 0) ||
        !(percent > 0 && percent < 100))
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "--until takes a percentage above 0 and below 100 "
                          "(1, 0.5), not '%s'",
                          text);
    *out_gain = percent / 100;
    return HONE_OK;
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
    *out = hone__option_mode(options);
    if (backend != HONE_BACKEND_CPU)
        return HONE_OK;
    *out = HONE_MODE_HOT;
    return hone__options_is(options, HONE_OPT_MODE, "cold")
               ? hone__fail(err, HONE_ERR_ARGUMENT,
                            "--mode cold is for GPUs: the cpu device always "
                            "measures hot")
               : HONE_OK;
}

hone_timing hone__option_timing(const hone_options *options)
{
    if (hone__options_is(options, HONE_OPT_TIMING, "event"))
        return HONE_TIMING_EVENT;
    return hone__options_is(options, HONE_OPT_TIMING, "graph")
               ? HONE_TIMING_GRAPH
               : HONE_TIMING_AUTO;
}

static const char default_strategy[] = "auto";

/* The table's copy of a name. */
static hone_status find_strategy(const char *name, size_t length,
                                 const char **out, hone_error *err)
{
    const char *summary;

    for (size_t i = 0; hone__search_strategy(i, out, &summary); ++i)
        if (strlen(*out) == length && memcmp(*out, name, length) == 0)
            return HONE_OK;
    return hone__fail(err, HONE_ERR_ARGUMENT,
                      "there is no search strategy '%.*s'; there are: %s",
                      (int)length, name, hone__search_names());
}

hone_status hone__option_strategy(const hone_options *options, const char **out,
                                  hone_error *err)
{
    const char *name = options->text[HONE_OPT_STRATEGY];

    name = name ? name : default_strategy;
    return find_strategy(name, strlen(name), out, err);
}

static void add_strategy(hone_strategies *list, const char *name)
{
    for (size_t i = 0; i < list->n; ++i)
        if (list->names[i] == name)
            return;
    if (list->n < HONE_MOST_STRATEGIES)
        list->names[list->n++] = name;
}

hone_status hone__option_strategies(const hone_options *options,
                                    hone_strategies *out, hone_error *err)
{
    const char *text = options->text[HONE_OPT_STRATEGY];
    const char *name, *summary;

    text = text ? text : default_strategy;
    out->n = 0;
    if (strcmp(text, "all") == 0) {
        for (size_t i = 0; hone__search_strategy(i, &name, &summary); ++i)
            add_strategy(out, name);
        return HONE_OK;
    }
    for (;;) {
        const size_t length = strcspn(text, ",");

        HONE_TRY(find_strategy(text, length, &name, err));
        add_strategy(out, name);
        if (!text[length])
            return HONE_OK;
        text += length + 1;
    }
}

uint64_t hone__option_seed(const hone_options *options)
{
    return options->text[HONE_OPT_SEED]
               ? (uint64_t)options->number[HONE_OPT_SEED]
               : 1;
}
