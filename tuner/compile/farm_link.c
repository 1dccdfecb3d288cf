/* SPDX-License-Identifier: Apache-2.0 */
/* A farm in the parent process, from a child's side: see farm_link.h. */
#include "tuner/compile/farm_link.h"

#include "runtime/base/alloc.h"
#include "runtime/base/grow.h"
#include "tuner/compile/farm_state.h"

#include <fcntl.h>

void hone__farm_link_open(hone_farm_link *link, const hone_farm *farm,
                          int from_parent, int to_parent,
                          hone_link_other *on_other, void *user)
{
    /* Any number but 0: pipes that are waited for. Nobody ends it. */
    *link = (hone_farm_link){
        .parent = {.pid = -1, .to = to_parent, .from = from_parent},
        .n_workers = hone__farm_n_workers(farm),
        .toolchain = *hone__farm_toolchain(farm),
        .on_other = on_other,
        .user = user};
    (void)fcntl(to_parent, F_SETFL, O_NONBLOCK);
}

void hone__farm_link_close(hone_farm_link *link)
{
    hone__mail_free(&link->parent.inbox);
    hone__mail_free(&link->parent.outbox);
    hone__free(link->jobs);
    link->jobs = NULL;
    link->n_jobs = 0;
}

void hone__farm_link_join(hone_farm_link *link, hone_farm *farm)
{
    farm->link = link;
    farm->toolchain = link->toolchain;
}

hone_status hone__farm_link_submit(hone_farm_link *link, hone_farm *farm,
                                   int64_t job, const hone_compile_input *input,
                                   hone_error *err)
{
    hone_text payload = {0};
    hone_status status;

    if (!HONE_GROW(link->jobs, link->n_jobs))
        return hone__out_of_memory(err, " for a compile");
    link->jobs[link->n_jobs++] = (hone_linked_job){link->next, farm, job};
    ++farm->n_linked;
    hone__pack_i64(&payload, link->next++);
    hone__compile_input_pack(&payload, input);
    status = hone__worker_send(&link->parent, HONE_LINK_COMPILE, &payload, err);
    hone__text_free(&payload);
    return status;
}

/* The parent is told, so that it compiles nothing that nobody wants. One that
 * is gone will be noticed where its answers come from. */
void hone__farm_link_forget(hone_farm_link *link, hone_farm *farm)
{
    size_t n_kept = 0;

    for (size_t i = 0; i < link->n_jobs; ++i) {
        hone_text payload = {0};

        if (link->jobs[i].farm != farm) {
            link->jobs[n_kept++] = link->jobs[i];
            continue;
        }
        hone__pack_i64(&payload, link->jobs[i].number);
        (void)hone__worker_send(&link->parent, HONE_LINK_FORGET, &payload,
                                NULL);
        hone__text_free(&payload);
    }
    link->n_jobs = n_kept;
    farm->n_linked = 0;
}

/* The answer to a job of a farm that is closed by now is dropped. */
static hone_status take_compiled(hone_farm_link *link, hone_unpack *in,
                                 hone_error *err)
{
    const int64_t number = hone__unpack_i64(in);
    hone_compile_output output;
    hone_status status;
    size_t i = 0;

    while (i < link->n_jobs && link->jobs[i].number != number)
        ++i;
    if (i == link->n_jobs)
        return HONE_OK;
    hone__compile_output_unpack(in, &output);
    output.out_of_memory = (int)hone__unpack_i64(in);
    output.crashed = (int)hone__unpack_i64(in);
    output.timed_out = (int)hone__unpack_i64(in);
    output.interrupted = (int)hone__unpack_i64(in);
    status = hone__compile_output_check(&output, err);
    if (status == HONE_OK) {
        const hone_linked_job job = link->jobs[i];

        link->jobs[i] = link->jobs[--link->n_jobs];
        --job.farm->n_linked;
        job.farm->on_done(job.farm->user, job.job, &output);
    }
    hone__compile_output_free(&output);
    return status;
}

hone_status hone__farm_link_read(hone_farm_link *link, hone_error *err)
{
    uint32_t kind = 0;
    hone_unpack in;

    while (hone__inbox_next(&link->parent.inbox, &kind, &in)) {
        if (kind == HONE_LINK_COMPILED)
            HONE_TRY(take_compiled(link, &in, err));
        else
            HONE_TRY(link->on_other(link->user, kind, &in, err));
    }
    return link->parent.is_over
               ? hone__fail(err, HONE_ERR_IO,
                            "the process that compiles for this one is gone")
               : HONE_OK;
}
