/* SPDX-License-Identifier: Apache-2.0 */
/* hone run: launch a tuned operation through the runtime, check and time
 * it. */
#include "tools/base/commands.h"
#include "tools/inputs/inputs.h"
#include "tools/base/message.h"
#include "tools/base/output.h"

#define MATCH_NAME(name, value, spelling) [HONE_MATCH_##name] = spelling,
static const char *const match_names[] = {HONE_MATCH_MAP(MATCH_NAME)};
#undef MATCH_NAME

static hone_exit print_result(const hone_options *options,
                              const hone_tuned *tuned,
                              const hone_run_result *result)
{
    json_t *head = hone__json(
        "op:s dims:o device:s mode:s time_ns:f spread_ns:f tuned_time_ns:p "
        "error:f correct:b match:s implementation:s config:s "
        "predicted_time_ns:p doubt:p reason:s",
        tuned->impls[0]->op, hone__dims_json(tuned->impls[0], tuned->dims),
        result->device_name, hone__mode_name(tuned->mode), result->time_ns,
        result->spread_ns, result->tuned_time_ns, result->error_ratio,
        result->correct, match_names[result->match.kind],
        result->match.implementation, result->match.config,
        (double)result->match.predicted_time_ns, result->match.doubt,
        result->match.reason);
    const hone_exit code = hone__output_end(
        hone__output_begin(options, NULL, "", head), hone__json(""));
    const char *asked = strchr(hone__options_arg(options, 0), '/');

    if (asked && tuned->n_impls == 1 &&
        strcmp(hone__template_name(tuned->impls[0]),
               result->match.implementation) != 0)
        hone__message_note("programs launch what is known to be the fastest, "
                           "which is of '%s' here, not of '%s'; 'hone bench' "
                           "times the default of an implementation",
                           result->match.implementation,
                           hone__template_name(tuned->impls[0]));
    if (code != HONE_EXIT_DONE || result->correct)
        return code;
    hone__message_note("the result is wrong: %s", result->message);
    return HONE_EXIT_NEGATIVE;
}

hone_exit hone__cmd_run(const hone_options *options)
{
    hone_run_result result = {0};
    hone_tuned_options read;
    hone_error err = {0};
    hone_exit code;
    hone_status status = hone__tuned_read(options, &read, &err);

    if (status == HONE_OK) {
        status = hone__run(&read.tuned,
                           (double)options->number[HONE_OPT_TRIAL_TIMEOUT],
                           &result, &err);
        hone__tuned_mend_hint(options, &read.tuned, &err);
    }
    if (status == HONE_OK)
        code = print_result(options, &read.tuned, &result);
    else
        code = hone__message_error(&err);
    hone__tuned_free(&read);
    return code;
}
