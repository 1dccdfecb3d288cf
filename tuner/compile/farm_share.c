/* SPDX-License-Identifier: Apache-2.0 */
/* One farm for several processes, from the side of the one that has it: see
 * farm_link.h. A free compile process goes to whoever has the fewest, so that
 * nobody's first variant waits behind another's twentieth. */
#include "tuner/compile/farm_link.h"

#include "runtime/base/alloc.h"

struct hone_shared_job {
    hone_shared_job *next;
    int64_t id; /* of the farm */
    size_t client;
    int64_t number;   /* of the client */
    int is_submitted; /* it has a process, or waits for another's answer */
    int is_unwanted;
    double asked_s;
    hone_text input; /* as it came */
};

static void free_job(hone_shared_job *job)
{
    hone__text_free(&job->input);
    hone__free(job);
}

static hone_shared_job *take_job(hone_farm_share *share, int64_t id)
{
    for (hone_shared_job **at = &share->jobs; *at; at = &(*at)->next) {
        hone_shared_job *job = *at;

        if (job->id != id)
            continue;
        *at = job->next;
        return job;
    }
    return NULL;
}

/* A client that is gone is noticed where its messages come from. */
static void on_done(void *user, int64_t id, hone_compile_output *output)
{
    hone_farm_share *share = user;
    hone_shared_job *job = take_job(share, id);
    hone_text payload = {0};

    if (!job)
        return;
    ++share->use.n_jobs;
    share->use.n_cached += output->cached;
    if (!job->is_unwanted) {
        hone__pack_i64(&payload, job->number);
        hone__compile_output_pack(&payload, output);
        hone__pack_i64(&payload, output->out_of_memory);
        hone__pack_i64(&payload, output->crashed);
        hone__pack_i64(&payload, output->timed_out);
        hone__pack_i64(&payload, output->interrupted);
        if (hone__worker_send(share->clients[job->client], HONE_LINK_COMPILED,
                              &payload, &share->error) == HONE_ERR_NO_MEMORY)
            share->status = HONE_ERR_NO_MEMORY;
        hone__text_free(&payload);
    }
    free_job(job);
}

hone_status hone__farm_share_open(hone_farm_share *share,
                                  const hone_farm_options *options,
                                  hone_error *err)
{
    *share = (hone_farm_share){.looked_s = hone__now_s()};
    HONE_TRY(hone__farm_open(options, on_done, share, &share->farm, err));
    share->use.n_workers = hone__farm_n_workers(share->farm);
    return HONE_OK;
}

void hone__farm_share_close(hone_farm_share *share)
{
    hone__farm_close(share->farm);
    share->farm = NULL;
    while (share->jobs) {
        hone_shared_job *job = share->jobs;

        share->jobs = job->next;
        free_job(job);
    }
}

/* ---- what clients want --------------------------------------------------- */

static void take_input(hone_farm_share *share, size_t client, hone_unpack *in)
{
    hone_shared_job **at = &share->jobs;
    hone_shared_job *job = hone__alloc(sizeof *job);

    if (job) {
        *job = (hone_shared_job){.id = share->next++,
                                 .client = client,
                                 .number = hone__unpack_i64(in),
                                 .asked_s = hone__now_s()};
        hone__text_append(&job->input, in->at, (size_t)(in->end - in->at));
    }
    if (!job || hone__text_check(&job->input, &share->error) != HONE_OK) {
        share->status = hone__out_of_memory(&share->error, " for a compile");
        if (job)
            free_job(job);
        return;
    }
    while (*at)
        at = &(*at)->next;
    *at = job;
}

/* One that is being compiled comes to its end: others may wait for it, and
 * the cache keeps it. */
static void forget(hone_farm_share *share, size_t client, int64_t number,
                   int is_all)
{
    hone_shared_job **at = &share->jobs;

    while (*at) {
        hone_shared_job *job = *at;

        if (job->client != client || (!is_all && job->number != number)) {
            at = &job->next;
        } else if (job->is_submitted) {
            job->is_unwanted = 1;
            at = &job->next;
        } else {
            *at = job->next;
            free_job(job);
        }
    }
}

int hone__farm_share_take(hone_farm_share *share, size_t client, uint32_t kind,
                          hone_unpack *in)
{
    if (kind == HONE_LINK_COMPILE)
        take_input(share, client, in);
    else if (kind == HONE_LINK_FORGET)
        forget(share, client, hone__unpack_i64(in), 0);
    else
        return 0;
    return 1;
}

void hone__farm_share_drop(hone_farm_share *share, size_t client)
{
    forget(share, client, 0, 1);
}

/* ---- its turn ------------------------------------------------------------ */

static int n_submitted(const hone_farm_share *share, size_t client)
{
    int n = 0;

    for (const hone_shared_job *job = share->jobs; job; job = job->next)
        n += job->client == client && job->is_submitted;
    return n;
}

static hone_shared_job *next_job(const hone_farm_share *share)
{
    hone_shared_job *best = NULL;
    int least = 0;

    for (hone_shared_job *job = share->jobs; job; job = job->next) {
        int n;

        if (job->is_submitted || (best && best->client == job->client))
            continue;
        n = n_submitted(share, job->client);
        if (!best || n < least) {
            best = job;
            least = n;
        }
    }
    return best;
}

static hone_status submit(hone_farm_share *share, hone_error *err)
{
    hone_shared_job *job;

    while (hone__farm_n_idle(share->farm) > 0 && (job = next_job(share))) {
        hone_unpack in = {job->input.data, job->input.data + job->input.length,
                          0};
        hone_compile_input input;

        hone__compile_input_unpack(&in, &input);
        if (in.broken)
            return hone__fail(err, HONE_ERR_INTERNAL,
                              "what is to be compiled came in a broken "
                              "message");
        job->is_submitted = 1;
        share->use.queued_s += hone__now_s() - job->asked_s;
        HONE_TRY(hone__farm_submit(share->farm, job->id, &input, err));
    }
    return HONE_OK;
}

hone_status hone__farm_share_turn(hone_farm_share *share, hone_error *err)
{
    hone_status status = submit(share, err);
    const int n_busy = hone__farm_n_busy(share->farm);
    double now_s;

    if (status == HONE_OK)
        status =
            hone__farm_turn(share->farm, share->clients, share->n_clients, err);
    now_s = hone__now_s();
    share->use.wall_s += now_s - share->looked_s;
    share->use.busy_s += n_busy * (now_s - share->looked_s);
    share->looked_s = now_s;
    if (status == HONE_OK && share->status != HONE_OK) {
        *err = share->error;
        status = share->status;
    }
    return status;
}
