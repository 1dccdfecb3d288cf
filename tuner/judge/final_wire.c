/* SPDX-License-Identifier: Apache-2.0 */
/* A final on its way between the tuner and its worker: see final.h. */
#include "tuner/judge/final.h"

#include <string.h>

static void pack_entry(hone_text *out, const hone_final_entry *entry)
{
    hone__trial_job_pack(out, &entry->job);
    hone__pack_i64(out, entry->keep);
    hone__pack_i64(out, entry->wants_series);
    hone__pack_bytes(out, &entry->features, sizeof entry->features);
}

static void unpack_entry(hone_unpack *in, hone_final_entry *out)
{
    size_t size_bytes = 0;
    const void *bytes;

    hone__trial_job_unpack(in, &out->job);
    out->keep = (int)hone__unpack_i64(in);
    out->wants_series = (int)hone__unpack_i64(in);
    bytes = hone__unpack_bytes(in, &size_bytes);
    if (size_bytes == sizeof out->features)
        memcpy(&out->features, bytes, size_bytes);
    else
        in->broken = 1;
}

void hone__final_request_pack(hone_text *out, const hone_final_request *request)
{
    hone__pack_i64(out, request->n_entries);
    hone__pack_i64(out, request->careful);
    hone__pack_f64(out, request->race_s);
    for (int i = 0; i < request->n_entries; ++i)
        pack_entry(out, &request->entries[i]);
    hone__pack_bytes(out, request->disqualified, sizeof request->disqualified);
}

void hone__final_request_unpack(hone_unpack *in, hone_final_request *out)
{
    size_t size_bytes = 0;
    const void *bytes;
    int64_t n;

    memset(out, 0, sizeof *out);
    n = hone__unpack_i64(in);
    if (n < 0 || n > HONE_MAX_FINALISTS) {
        in->broken = 1;
        return;
    }
    out->n_entries = (int)n;
    out->careful = (int)hone__unpack_i64(in);
    out->race_s = hone__unpack_f64(in);
    for (int i = 0; i < out->n_entries; ++i)
        unpack_entry(in, &out->entries[i]);
    bytes = hone__unpack_bytes(in, &size_bytes);
    if (size_bytes == sizeof out->disqualified)
        memcpy(out->disqualified, bytes, size_bytes);
    else
        in->broken = 1;
}

hone_status hone__final_request_open(hone_final_request *request,
                                     hone_error *err)
{
    for (int i = 0; i < request->n_entries; ++i)
        HONE_TRY(hone__trial_job_open(&request->entries[i].job, err));
    return HONE_OK;
}

void hone__final_request_close(hone_final_request *request)
{
    for (int i = 0; i < request->n_entries; ++i)
        hone__trial_job_close(&request->entries[i].job);
}

void hone__final_say_at(int to_parent, int runner, hone_final_stage stage)
{
    hone_text payload = {0};

    hone__pack_i64(&payload, runner);
    hone__pack_i64(&payload, stage);
    (void)hone__message_send(to_parent, HONE_FINAL_AT, &payload, NULL);
    hone__text_free(&payload);
}

hone_status hone__final_say(int to_parent, const hone_final_report *report,
                            hone_error *err)
{
    hone_text payload = {0};
    hone_status status;

    hone__pack_bytes(&payload, report, sizeof *report);
    status = hone__message_send(to_parent, HONE_DEVICE_RANKED, &payload, err);
    hone__text_free(&payload);
    return status;
}
