/* SPDX-License-Identifier: Apache-2.0 */
/* Finalists that a final did not time to the end, and why: see tune_parts.h.
 * A person whose fastest trial did not win has to know. */
#include "tools/tune_parts.h"

#include "tools/base/message.h"
#include "tools/base/progress.h"

#include <string.h>

static size_t count(const hone_tune_result *result)
{
    return result->n_out < HONE_TUNE_MOST_OUT ? result->n_out
                                              : HONE_TUNE_MOST_OUT;
}

json_t *hone__tune_out_json(const hone_tune_result *result)
{
    json_t *array = json_array();

    for (size_t i = 0; i < count(result); ++i) {
        const hone_tune_out *out = &result->out[i];

        array = hone__json_append(
            array, hone__json("implementation:s config:s trial_ns:p outcome:s "
                              "message:s",
                              out->implementation, out->config, out->trial_ns,
                              out->outcome, out->message));
    }
    return array;
}

/* Up to the first full stop that ends a sentence. */
static int sentence(const char *text)
{
    const char *end = strstr(text, ". ");

    return (int)(end ? (size_t)(end - text) : strlen(text));
}

void hone__tune_out_say(const char *title, const hone_tune_result *result)
{
    enum { MOST = 8 };
    const size_t n = count(result) < MOST ? count(result) : MOST;

    for (size_t i = 0; i < n; ++i) {
        const hone_tune_out *out = &result->out[i];
        char time[32];

        hone__time_text(out->trial_ns, time);
        hone__message_note("%s: out of the final: %s %s (%s in its trial): "
                           "%s: %.*s",
                           title, out->implementation, out->config, time,
                           strcmp(out->outcome, "no_room") ? out->outcome
                                                           : "no room",
                           sentence(out->message), out->message);
    }
    if (n < result->n_out)
        hone__message_note("%s: out of the final: %zu more ('out_of_final' in "
                           "JSON, 'hone show decisions')",
                           title, result->n_out - n);
}
