/* SPDX-License-Identifier: Apache-2.0 */
/* What a worker is asked and what it says, as messages: see trial_protocol.h.
 */
#include "tuner/judge/trial_protocol.h"

#include <string.h>

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

hone_status hone__trial_job_open(hone_trial_job *job, hone_error *err)
{
    return hone__launch_spec_parse(job->launch_spec, &job->spec, err);
}

void hone__trial_job_close(hone_trial_job *job)
{
    hone__launch_spec_free(job->spec);
    job->spec = NULL;
}

/* Reports travel as they are in memory: both ends are one program. */
static void unpack_struct(hone_unpack *in, void *out, size_t size)
{
    size_t size_bytes = 0;
    const void *bytes = hone__unpack_bytes(in, &size_bytes);

    memset(out, 0, size);
    if (size_bytes == size)
        memcpy(out, bytes, size);
    else
        in->broken = 1;
}

void hone__trial_report_pack(hone_text *out, const hone_trial_report *report)
{
    hone__pack_bytes(out, report, sizeof *report);
}

void hone__trial_report_unpack(hone_unpack *in, hone_trial_report *out)
{
    unpack_struct(in, out, sizeof *out);
}

void hone__ready_report_pack(hone_text *out, const hone_ready_report *report)
{
    hone__pack_bytes(out, report, sizeof *report);
}

void hone__ready_report_unpack(hone_unpack *in, hone_ready_report *out)
{
    unpack_struct(in, out, sizeof *out);
}
