/* SPDX-License-Identifier: Apache-2.0 */
/* What a worker says: a stream cut into messages, and each of them read as
 * everything that it could be. A worker runs the code of a template and may
 * write anything to its pipe. */
#include "tests/fuzz/fuzz.h"
#include "tuner/judge/trial_protocol.h"
#include "tuner/process/wire.h"

#include <string.h>

static void read_as_all(const hone_unpack *payload)
{
    hone_trial_report report;
    hone_ready_report ready;
    hone_trial_job job;
    hone_error err = {0};
    hone_unpack in = *payload;
    size_t n = 0;

    hone__struct_unpack(&in, &report, sizeof report);
    in = *payload;
    hone__struct_unpack(&in, &ready, sizeof ready);
    in = *payload;
    FUZZ_HOLDS(hone__unpack_error(&in, &err) != HONE_OK || !err.text[0]);
    FUZZ_HOLDS(memchr(err.text, 0, sizeof err.text));
    in = *payload;
    hone__trial_job_unpack(&in, &job);
    if (!in.broken && job.launch_spec)
        n = strlen(job.launch_spec);
    FUZZ_HOLDS(n <= (size_t)(payload->end - payload->at));
    in = *payload;
    while (!in.broken) {
        (void)hone__unpack_i64(&in);
        (void)hone__unpack_f64(&in);
        n += strlen(hone__unpack_string(&in));
        if (hone__unpack_bytes(&in, &n))
            FUZZ_HOLDS(n <= (size_t)(payload->end - payload->at));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    hone_mail inbox = {.done = 0};
    hone_unpack payload;
    uint32_t kind;

    hone__text_append(&inbox.bytes, (const char *)data, size_bytes);
    while (hone__inbox_next(&inbox, &kind, &payload))
        read_as_all(&payload);
    hone__mail_free(&inbox);
    payload =
        (hone_unpack){(const char *)data, (const char *)data + size_bytes, 0};
    read_as_all(&payload);
    return 0;
}
