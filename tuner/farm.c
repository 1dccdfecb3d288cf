/* SPDX-License-Identifier: Apache-2.0 */
/* The compile farm, parent side: see farm.h. */
#include "tuner/farm.h"

#include "runtime/alloc.h"
#include "tuner/compile_worker.h"
#include "tuner/cubin_cache.h"
#include "tuner/pch_folder.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_WORKERS = 256 };

typedef struct slot {
    hone_worker worker;
    int busy;
    int64_t job;
    char key[HONE_SHA256_HEX];
    double deadline_s;
    /* Jobs that wait for the same compile. */
    int64_t *followers;
    size_t n_followers;
    size_t follower_capacity;
} slot;

struct hone_farm {
    hone_compile_worker_setup setup;
    hone_farm_done *on_done;
    void *user;
    double timeout_s;
    hone_toolchain toolchain;
    int n_slots;
    slot slots[MAX_WORKERS];
};

int hone__farm_default_workers(void)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const double memory_bytes = (double)sysconf(_SC_PHYS_PAGES) *
                                (double)sysconf(_SC_PAGESIZE);
    const double by_memory = memory_bytes / (512.0 * 1024 * 1024);
    double n = cores < 1 ? 1 : (double)cores;

    if (n > by_memory)
        n = by_memory;
    return n < 1 ? 1 : n > MAX_WORKERS ? MAX_WORKERS : (int)n;
}

/* The first thing a worker says: its compiler, or why there is none. */
static hone_status wait_hello(hone_farm *farm, hone_error *err)
{
    hone_text payload = {0};
    uint32_t kind = 0;
    hone_status status = hone__message_receive(farm->slots[0].worker.from,
                                               &kind, &payload, err);
    hone_unpack in = {payload.data, payload.data, 0};

    if (status == HONE_OK) {
        in.end = payload.data + payload.length;
        if (kind == HONE_COMPILE_FAILED) {
            const hone_status code = (hone_status)hone__unpack_i64(&in);

            status = hone__fail(err, code, "%s", hone__unpack_string(&in));
        } else {
            (void)snprintf(farm->toolchain.name, sizeof farm->toolchain.name,
                           "%s", hone__unpack_string(&in));
            (void)snprintf(farm->toolchain.version,
                           sizeof farm->toolchain.version, "%s",
                           hone__unpack_string(&in));
        }
    }
    hone__text_free(&payload);
    return status;
}

hone_status hone__farm_open(const hone_farm_options *options,
                            hone_farm_done *on_done, void *user,
                            hone_farm **out, hone_error *err)
{
    hone_farm *farm = hone__alloc(sizeof *farm);
    hone_status status = HONE_OK;
    const int wanted = options->n_workers > 0 ? options->n_workers
                                              : hone__farm_default_workers();

    *out = NULL;
    if (!farm)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    farm->on_done = on_done;
    farm->user = user;
    farm->timeout_s =
        options->compile_timeout_s > 0 ? options->compile_timeout_s : 120;
    farm->setup.cache_folder = options->cache_folder;
    farm->setup.backend = options->backend;
    farm->setup.host_build = options->host_build;
    hone__pch_folder_sweep(); /* what a killed run left behind */
    if (options->cache_folder)
        status = hone__cache_prepare(options->cache_folder, err);
    while (status == HONE_OK && farm->n_slots < wanted &&
           farm->n_slots < MAX_WORKERS) {
        status = hone__worker_start(&farm->slots[farm->n_slots].worker,
                                    hone__compile_worker, &farm->setup, -1,
                                    err);
        if (status == HONE_OK)
            ++farm->n_slots;
    }
    if (status == HONE_OK)
        status = wait_hello(farm, err);
    if (status != HONE_OK) {
        hone__farm_close(farm);
        return status;
    }
    *out = farm;
    return HONE_OK;
}

void hone__farm_close(hone_farm *farm)
{
    if (!farm)
        return;
    /* First tell all, then wait: they leave side by side. */
    for (int i = 0; i < farm->n_slots; ++i) {
        if (farm->slots[i].worker.pid)
            (void)close(farm->slots[i].worker.to);
        farm->slots[i].worker.to = -1;
    }
    for (int i = 0; i < farm->n_slots; ++i) {
        hone__worker_stop(&farm->slots[i].worker,
                          farm->slots[i].busy ? 0 : 2.0, NULL, 0);
        hone__free(farm->slots[i].followers);
    }
    hone__pch_folder_sweep(); /* of busy workers, which were killed */
    hone__free(farm);
}

int hone__farm_n_workers(const hone_farm *farm)
{
    return farm->n_slots;
}

const hone_toolchain *hone__farm_toolchain(const hone_farm *farm)
{
    return &farm->toolchain;
}

int hone__farm_n_busy(const hone_farm *farm)
{
    int n = 0;

    for (int i = 0; i < farm->n_slots; ++i)
        n += farm->slots[i].busy;
    return n;
}

int hone__farm_n_idle(const hone_farm *farm)
{
    return farm->n_slots - hone__farm_n_busy(farm);
}

static hone_status follow(slot *s, int64_t job, hone_error *err)
{
    if (s->n_followers == s->follower_capacity) {
        const size_t capacity =
            s->follower_capacity ? 2 * s->follower_capacity : 16;
        int64_t *grown =
            hone__realloc(s->followers, capacity * sizeof *grown);

        if (!grown)
            return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
        s->followers = grown;
        s->follower_capacity = capacity;
    }
    s->followers[s->n_followers++] = job;
    return HONE_OK;
}

/* The answer for the slot's job and all that follow it. The callback may
 * take the output apart, so the followers get theirs first. */
static void deliver(hone_farm *farm, slot *s, hone_compile_output *output)
{
    s->busy = 0;
    for (size_t i = 0; i < s->n_followers; ++i) {
        hone_compile_output copy;

        hone__compile_output_copy(output, &copy);
        farm->on_done(farm->user, s->followers[i], &copy);
        hone__compile_output_free(&copy);
    }
    s->n_followers = 0;
    farm->on_done(farm->user, s->job, output);
    hone__compile_output_free(output);
}

hone_status hone__farm_submit(hone_farm *farm, int64_t job,
                              const hone_compile_input *input, hone_error *err)
{
    hone_text payload = {0};
    hone_status status = HONE_ERR_INTERNAL;
    char key[HONE_SHA256_HEX];

    hone__cache_key(input, &farm->toolchain, key);
    for (int i = 0; i < farm->n_slots; ++i) {
        if (farm->slots[i].busy && strcmp(farm->slots[i].key, key) == 0)
            return follow(&farm->slots[i], job, err);
    }
    hone__pack_i64(&payload, job);
    hone__compile_input_pack(&payload, input);
    for (int i = 0; i < farm->n_slots; ++i) {
        slot *s = &farm->slots[i];

        if (s->busy)
            continue;
        status = hone__message_send(s->worker.to, HONE_COMPILE_JOB, &payload,
                                    err);
        s->busy = status == HONE_OK;
        s->job = job;
        memcpy(s->key, key, sizeof key);
        s->deadline_s = hone__now_s() + farm->timeout_s;
        break;
    }
    hone__text_free(&payload);
    return status;
}

size_t hone__farm_descriptors(const hone_farm *farm, struct pollfd *out,
                              size_t capacity)
{
    size_t n = 0;

    for (int i = 0; i < farm->n_slots && n < capacity; ++i) {
        if (farm->slots[i].worker.pid)
            out[n++] = (struct pollfd){farm->slots[i].worker.from, POLLIN, 0};
    }
    return n;
}

/* The job of a worker that is gone or overdue fails; a new worker starts. */
static hone_status replace_worker(hone_farm *farm, slot *s, const char *why,
                                  hone_error *err)
{
    hone_compile_output output = {.registers = -1};
    const int was_busy = s->busy;
    char how[128];

    hone__worker_stop(&s->worker, 0, how, sizeof how);
    HONE_TRY(hone__worker_start(&s->worker, hone__compile_worker, &farm->setup,
                                -1, err));
    if (was_busy) {
        hone__text_printf(&output.log, "the compiler process %s (%s)", why,
                          how);
        deliver(farm, s, &output);
    }
    return HONE_OK;
}

static hone_status read_answers(hone_farm *farm, slot *s, hone_error *err)
{
    uint32_t kind = 0;
    hone_unpack in;

    while (hone__inbox_next(&s->worker.inbox, &kind, &in)) {
        hone_compile_output output;
        int64_t first;

        if (kind == HONE_COMPILE_HELLO)
            continue;
        first = hone__unpack_i64(&in); /* the job, or a status */
        if (kind == HONE_COMPILE_FAILED)
            return hone__fail(err, (hone_status)first, "%s",
                              hone__unpack_string(&in));
        hone__compile_output_unpack(&in, &output);
        deliver(farm, s, &output);
    }
    return HONE_OK;
}

hone_status hone__farm_pump(hone_farm *farm, hone_error *err)
{
    const double now_s = hone__now_s();

    for (int i = 0; i < farm->n_slots; ++i) {
        slot *s = &farm->slots[i];
        struct pollfd ready = {s->worker.from, POLLIN, 0};

        while (poll(&ready, 1, 0) > 0) {
            if (!hone__inbox_fill(&s->worker.inbox, s->worker.from)) {
                HONE_TRY(read_answers(farm, s, err));
                HONE_TRY(replace_worker(farm, s, "died", err));
                break;
            }
            HONE_TRY(read_answers(farm, s, err));
        }
        if (s->busy && now_s > s->deadline_s)
            HONE_TRY(replace_worker(farm, s, "did not finish in time", err));
    }
    return HONE_OK;
}
