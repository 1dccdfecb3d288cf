/* SPDX-License-Identifier: Apache-2.0 */
/* The compile farm, parent side: jobs to its processes and their answers. See
 * farm.h. */
#include "tuner/compile/farm.h"

#include "runtime/base/alloc.h"
#include "tuner/compile/cubin_cache.h"
#include "tuner/compile/farm_link.h"
#include "tuner/compile/farm_state.h"

#include <string.h>

int hone__farm_n_workers(const hone_farm *farm)
{
    return farm->link ? farm->link->n_workers : farm->n_wanted;
}

const hone_toolchain *hone__farm_toolchain(const hone_farm *farm)
{
    return &farm->toolchain;
}

int hone__farm_n_busy(const hone_farm *farm)
{
    int n = farm->n_linked;

    for (int i = 0; i < farm->n_slots; ++i)
        n += farm->slots[i].busy;
    return n;
}

int hone__farm_n_idle(const hone_farm *farm)
{
    const int n = hone__farm_n_workers(farm) - hone__farm_n_busy(farm);

    return n > 0 ? n : 0;
}

static hone_status give(hone_farm *farm, hone_farm_slot *slot, int64_t job,
                        const char *key, hone_error *err)
{
    hone_status status;

    slot->job = job;
    memcpy(slot->key, key, sizeof slot->key);
    slot->begun = 0;
    slot->n_killed = 0;
    slot->n_starved = 0;
    slot->n_beside = farm->n_wanted;
    slot->start_s = farm->clock_s;
    status =
        hone__worker_send(&slot->worker, HONE_COMPILE_JOB, &slot->request, err);
    if (status == HONE_ERR_IO) { /* it died while idle */
        HONE_TRY(hone__farm_replace(farm, slot, 0, err));
        status = hone__worker_send(&slot->worker, HONE_COMPILE_JOB,
                                   &slot->request, err);
    }
    slot->busy = status == HONE_OK;
    return status;
}

hone_status hone__farm_submit(hone_farm *farm, int64_t job,
                              const hone_compile_input *input, hone_error *err)
{
    char key[HONE_SHA256_HEX];
    hone_farm_lost *lost;

    if (farm->link)
        return hone__farm_link_submit(farm->link, farm, job, input, err);
    HONE_TRY(hone__cache_key(input, &farm->toolchain, "", key, err));
    lost = hone__farm_find_lost(farm, key);
    if (lost)
        return hone__farm_follow(&lost->waiting, job, err);
    for (int i = 0; i < farm->n_slots; ++i) {
        if (farm->slots[i].busy && strcmp(farm->slots[i].key, key) == 0)
            return hone__farm_follow(&farm->slots[i].followers, job, err);
    }
    for (int i = 0; i < farm->n_slots; ++i) {
        hone_farm_slot *slot = &farm->slots[i];

        if (slot->busy || !slot->worker.pid)
            continue;
        hone__text_clear(&slot->request);
        hone__pack_i64(&slot->request, job);
        hone__compile_input_pack(&slot->request, input);
        return give(farm, slot, job, key, err);
    }
    return hone__fail(err, HONE_ERR_INTERNAL, "no compile process is idle");
}

static hone_status take_answer(hone_farm *farm, hone_farm_slot *slot,
                               hone_unpack *in, hone_error *err)
{
    hone_compile_output output;

    (void)hone__unpack_i64(in); /* the job, which the slot knows */
    hone__compile_output_unpack(in, &output);
    output.out_of_memory = (int)hone__unpack_i64(in);
    output.crashed = (int)hone__unpack_i64(in);
    farm->n_idle_deaths = 0;
    if (output.ok && !output.cached)
        hone__limit_add(&farm->limit, 1e-3 * output.compile_ms);
    if (output.out_of_memory && hone__farm_shrink(farm, slot)) {
        hone__compile_output_free(&output);
        return hone__farm_hold(farm, slot, err);
    }
    output.interrupted = output.out_of_memory;
    return hone__farm_deliver(farm, slot, &output, err);
}

static hone_status read_answers(hone_farm *farm, hone_farm_slot *slot,
                                hone_error *err)
{
    uint32_t kind = 0;
    hone_unpack in;

    while (slot->worker.pid &&
           hone__inbox_next(&slot->worker.inbox, &kind, &in)) {
        switch (kind) {
        case HONE_COMPILE_HELLO:
            break;
        case HONE_COMPILE_FAILED:
            return hone__unpack_error(&in, err);
        case HONE_COMPILE_BEGUN:
            slot->begun = 1;
            slot->start_s = farm->clock_s;
            break;
        default:
            HONE_TRY(take_answer(farm, slot, &in, err));
        }
    }
    return HONE_OK;
}

/* A job that waits in vain, say for another process's lock on a folder that
 * hangs, ends too. The worker waits for a lock as long as a compile may take
 * (compile_worker.c), so it has twice that. */
static int is_overdue(const hone_farm *farm, const hone_farm_slot *slot)
{
    const double limit_s =
        slot->begun ? hone__limit_s(&farm->limit) : 2 * farm->limit.at_most_s;

    return slot->busy && !slot->held && farm->clock_s - slot->start_s > limit_s;
}

static hone_status look_after(hone_farm *farm, hone_farm_slot *slot,
                              hone_error *err)
{
    if (slot->held)
        return hone__farm_resume(farm, slot, err);
    if (!slot->worker.pid)
        return HONE_OK;
    HONE_TRY(read_answers(farm, slot, err));
    if (slot->held)
        return HONE_OK;
    if (slot->worker.is_over || is_overdue(farm, slot))
        return hone__farm_replace(farm, slot, !slot->worker.is_over, err);
    hone__farm_retire(farm, slot);
    return HONE_OK;
}

hone_status hone__farm_turn(hone_farm *farm, hone_worker *const *also,
                            size_t n_also, hone_error *err)
{
    const hone_wait wait = {hone__now_s() + 0.05, farm->stop};
    hone_worker *workers[HONE_MOST_COMPILE_WORKERS + HONE_FARM_MOST_ALSO];
    size_t n = 0;

    if (n_also > HONE_FARM_MOST_ALSO - 1)
        return hone__fail(err, HONE_ERR_INTERNAL,
                          "%zu processes beside a farm are too many", n_also);
    for (int i = 0; i < farm->n_slots; ++i)
        workers[n++] = &farm->slots[i].worker;
    for (size_t i = 0; i < n_also; ++i)
        workers[n++] = also[i];
    if (farm->link)
        workers[n++] = &farm->link->parent;
    HONE_TRY(hone__workers_wait(workers, n, &wait, err));
    if (farm->link)
        return hone__farm_link_read(farm->link, err);
    farm->clock_s += hone__watched_s(&farm->looked_s);
    for (int i = 0; i < farm->n_slots; ++i)
        HONE_TRY(look_after(farm, &farm->slots[i], err));
    return hone__farm_answer_lost(farm, err);
}

/* ---- one compile --------------------------------------------------------- */

typedef struct answer {
    hone_compile_output *output;
    int is_here;
} answer;

static void take_one(void *user, int64_t job, hone_compile_output *output)
{
    answer *a = user;

    (void)job;
    *a->output = *output;
    memset(output, 0, sizeof *output); /* moved */
    a->is_here = 1;
}

hone_status hone__compile_one(const hone_farm_options *options,
                              const hone_compile_input *input,
                              hone_compile_output *out, hone_error *err)
{
    hone_farm_options one = *options;
    answer a = {out, 0};
    hone_farm *farm = NULL;
    hone_status status;

    memset(out, 0, sizeof *out);
    one.n_workers = 1;
    status = hone__farm_open(&one, take_one, &a, &farm, err);
    if (status == HONE_OK)
        status = hone__farm_submit(farm, 0, input, err);
    while (status == HONE_OK && !a.is_here)
        status = hone__farm_turn(farm, NULL, 0, err);
    hone__farm_close(farm);
    return status;
}
