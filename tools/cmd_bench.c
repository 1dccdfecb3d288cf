/* SPDX-License-Identifier: Apache-2.0 */
/* hone bench: the winner, the default variant, the baselines and
 * configurations of one's own side by side. */
#include "tools/base/commands.h"
#include "tools/inputs/inputs.h"
#include "tools/base/message.h"
#include "tools/base/output.h"

#include "runtime/base/alloc.h"
#include "tuner/bench.h"

#include <string.h>

static json_t *bench_row(const hone_bench_row *r)
{
    return hone__json(
        "name:s label:s outcome:s time_ns:p ci_low_ns:p "
        "ci_high_ns:p spread_ns:F ratio:p ratio_low:p "
        "ratio_high:p n_samples:i implementation:s config:s message:s",
        r->name, r->label, hone__outcome_name(r->outcome), r->time_ns,
        r->ci_low_ns, r->ci_high_ns, r->time_ns > 0, r->spread_ns, r->ratio,
        r->ratio_low, r->ratio_high, r->n_samples,
        r->implementation[0] ? r->implementation : NULL, r->config, r->message);
}

static json_t *bench_head(const hone_tuned *tuned,
                          const hone_bench_result *result)
{
    const hone_bench_row *reference =
        result->reference >= 0 ? &result->rows[result->reference] : NULL;

    return hone__json(
        "op:s dims:o device:s arch:s mode:s config:s tuned_time_ns:p "
        "sm_clock_mhz:P reference:s reference_config:s rounds:i noise_floor:F "
        "verdict:s decided_by:s",
        tuned->impls[0]->op, hone__dims_json(tuned->impls[0], tuned->dims),
        result->device_name, result->arch, hone__mode_name(tuned->mode),
        result->has_winner ? result->rows[0].config : "", result->tuned_time_ns,
        (int64_t)result->sm_clock_mhz, reference ? reference->name : "",
        reference ? reference->config : "", result->n_rounds,
        result->noise_floor >= 0, result->noise_floor, result->verdict,
        result->decided_by);
}

/* The first variant that was asked for and could not be timed. */
static const hone_bench_row *find_failed(const hone_bench_result *result)
{
    for (size_t i = 0; i < result->n_rows; ++i) {
        const hone_bench_row *r = &result->rows[i];

        if (r->time_ns <= 0 &&
            (strcmp(r->name, "winner") == 0 || strcmp(r->name, "config") == 0))
            return r;
    }
    return NULL;
}

#define COLUMNS(ratio)                                                         \
    "label=runner, time_ns:t=time, ci_low_ns:t=from, ci_high_ns:t=to, "        \
    "ratio:n=" ratio ", ratio_low:n=from, ratio_high:n=to, n_samples:n=rounds" \
    ", message=note"

static hone_exit print_result(const hone_options *options,
                              const hone_tuned *tuned,
                              const hone_bench_result *result)
{
    const int to_winner = result->has_winner && result->reference == 0;
    const char *const columns =
        to_winner ? COLUMNS("x winner") : COLUMNS("x fastest");
    const hone_bench_row *failed = find_failed(result);
    hone_output *output =
        hone__output_begin(options, "rows", columns, bench_head(tuned, result));
    hone_exit code;

    for (size_t i = 0; i < result->n_rows; ++i)
        hone__output_row(output, bench_row(&result->rows[i]));
    code = hone__output_end(output, hone__json(""));
    if (code != HONE_EXIT_DONE || !failed)
        return code;
    hone__message_note("%s could not be timed (%s): %s", failed->label,
                       hone__outcome_name(failed->outcome), failed->message);
    return HONE_EXIT_NEGATIVE;
}

/* The last is of a template, if any is: libraries go first. */
static const char *an_implementation(const hone_tuned *tuned)
{
    size_t i = tuned->n_impls - 1;

    while (i > 0 && tuned->impls[i]->is_reference)
        --i;
    return tuned->impls[i]->implementation;
}

static hone_status no_implementation(const hone_tuned *tuned, const char *text,
                                     const char *why, hone_error *err)
{
    return hone__fail(err, HONE_ERR_ARGUMENT,
                      "--config %s: %s implementation of %s? Name one, as "
                      "%s:%s, or bench %s/%s",
                      text, why, tuned->impls[0]->op, an_implementation(tuned),
                      strchr(text, ':') ? strchr(text, ':') + 1 : text,
                      tuned->impls[0]->op, an_implementation(tuned));
}

/* Whose configuration `*text` is, which is left without the name in front. */
static hone_status find_implementation(const hone_tuned *tuned,
                                       const char **text,
                                       const hone_template **out,
                                       hone_error *err)
{
    const char *const all = *text;
    const char *const colon = strchr(all, ':');

    *out = tuned->impls[0];
    if (!colon)
        return tuned->n_impls == 1
                   ? HONE_OK
                   : no_implementation(tuned, all, "of which", err);
    for (size_t i = 0; i < tuned->n_impls; ++i) {
        const char *name = hone__template_name(tuned->impls[i]);
        const size_t length = (size_t)(colon - all);

        if (strlen(name) == length && strncmp(name, all, length) == 0) {
            *out = tuned->impls[i];
            *text = colon + 1;
            return HONE_OK;
        }
    }
    return no_implementation(tuned, all, "of an unknown", err);
}

/* The values of every --config. */
static hone_status read_configs(const hone_options *options,
                                const hone_tuned *tuned,
                                hone_bench_config *configs, size_t *out_n,
                                hone_error *err)
{
    const char *text;

    for (*out_n = 0;
         (text = hone__options_listed(options, HONE_OPT_CONFIG, *out_n));
         ++*out_n) {
        if (*out_n == HONE_MAX_BENCH_CONFIGS)
            return hone__fail(err, HONE_ERR_ARGUMENT,
                              "at most %d --config can run side by side",
                              HONE_MAX_BENCH_CONFIGS);
        HONE_TRY(find_implementation(tuned, &text, &configs[*out_n].tmpl, err));
        HONE_TRY(hone__load_config(configs[*out_n].tmpl, text,
                                   &configs[*out_n].values, err));
    }
    return HONE_OK;
}

static hone_status run_bench(const hone_options *options,
                             const hone_tuned *tuned, hone_bench_result *result,
                             hone_error *err)
{
    hone_bench_config configs[HONE_MAX_BENCH_CONFIGS] = {{0}};
    size_t n = 0;
    hone_status status = read_configs(options, tuned, configs, &n, err);

    if (status == HONE_OK)
        status = hone__bench(tuned, configs, n, result, err);
    hone__tuned_mend_hint(options, tuned, err);
    for (size_t i = 0; i < HONE_MAX_BENCH_CONFIGS; ++i)
        hone__free(configs[i].values);
    return status;
}

hone_exit hone__cmd_bench(const hone_options *options)
{
    hone_bench_result *result = hone__alloc(sizeof *result);
    hone_tuned_options read;
    hone_error err = {0};
    hone_exit code;
    hone_status status = hone__tuned_read(options, &read, &err);

    if (status == HONE_OK && !result)
        status = hone__fail(&err, HONE_ERR_NO_MEMORY, "out of memory");
    if (status == HONE_OK)
        status = run_bench(options, &read.tuned, result, &err);
    if (status == HONE_OK)
        code = print_result(options, &read.tuned, result);
    else
        code = hone__message_error(&err);
    hone__tuned_free(&read);
    hone__free(result);
    return code;
}
