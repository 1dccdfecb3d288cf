/* SPDX-License-Identifier: Apache-2.0 */
/* What a worker is asked and what it says, as messages: see trial_protocol.h
 * and final.h. */
#include "tuner/judge/final.h"

#include <string.h>

void hone__struct_unpack(hone_unpack *in, void *out, size_t size)
{
    size_t size_bytes = 0;
    const void *bytes = hone__unpack_bytes(in, &size_bytes);

    memset(out, 0, size);
    if (size_bytes == size)
        memcpy(out, bytes, size);
    else
        in->broken = 1;
}

hone_status hone__struct_send(int fd, uint32_t kind, const void *bytes,
                              size_t size, hone_error *err)
{
    hone_text payload = {0};
    hone_status status;

    hone__pack_bytes(&payload, bytes, size);
    status = hone__message_send(fd, kind, &payload, err);
    hone__text_free(&payload);
    return status;
}

void hone__trial_job_pack(hone_text *out, const hone_trial_job *job)
{
    hone__pack_i64(out, job->id);
    hone__pack_string(out, job->launch_spec);
    hone__pack_bytes(out, job->cubin, job->cubin_bytes);
    hone__pack_f64(out, job->incumbent_ns);
    hone__pack_f64(out, job->noise);
    hone__pack_i64(out, job->fixed_samples);
    hone__pack_f64(out, job->timeout_s);
}

void hone__trial_job_unpack(hone_unpack *in, hone_trial_job *out)
{
    out->id = hone__unpack_i64(in);
    out->launch_spec = hone__unpack_string(in);
    out->spec = NULL;
    out->cubin = hone__unpack_bytes(in, &out->cubin_bytes);
    out->incumbent_ns = hone__unpack_f64(in);
    out->noise = hone__unpack_f64(in);
    out->fixed_samples = (int)hone__unpack_i64(in);
    out->timeout_s = hone__unpack_f64(in);
}

/* ---- finals -------------------------------------------------------------- */

void hone__final_request_pack(hone_text *out, const hone_final_request *request)
{
    hone__pack_i64(out, request->n_entries);
    hone__pack_i64(out, request->careful);
    hone__pack_f64(out, request->race_s);
    hone__pack_i64(out, request->wants_energy);
    for (int i = 0; i < request->n_entries; ++i) {
        const hone_final_entry *entry = &request->entries[i];

        hone__trial_job_pack(out, &entry->job);
        hone__pack_f64(out, entry->time_ns);
        hone__pack_i64(out, entry->is_trial);
        hone__pack_i64(out, entry->keep);
        hone__pack_i64(out, entry->wants_series);
        hone__pack_bytes(out, &entry->features, sizeof entry->features);
    }
    hone__pack_bytes(out, request->disqualified, sizeof request->disqualified);
}

void hone__final_request_unpack(hone_unpack *in, hone_final_request *out)
{
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
    out->wants_energy = (int)hone__unpack_i64(in);
    for (int i = 0; i < out->n_entries; ++i) {
        hone_final_entry *entry = &out->entries[i];

        hone__trial_job_unpack(in, &entry->job);
        entry->time_ns = hone__unpack_f64(in);
        entry->is_trial = (int)hone__unpack_i64(in);
        entry->keep = (int)hone__unpack_i64(in);
        entry->wants_series = (int)hone__unpack_i64(in);
        hone__struct_unpack(in, &entry->features, sizeof entry->features);
    }
    hone__struct_unpack(in, out->disqualified, sizeof out->disqualified);
}

void hone__final_say_at(int to_parent, int runner, hone_final_stage stage)
{
    hone_text payload = {0};

    hone__pack_i64(&payload, runner);
    hone__pack_i64(&payload, stage);
    (void)hone__message_send(to_parent, HONE_FINAL_AT, &payload, NULL);
    hone__text_free(&payload);
}
