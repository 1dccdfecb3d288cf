/* SPDX-License-Identifier: Apache-2.0 */
/* The compile farm, parent side: how many processes it has and how much memory
 * each may take, their beginning and their end. See farm.h. */
#include "runtime/base/alloc.h"
#include "tuner/compile/compiler_kind.h"
#include "tuner/compile/cubin_cache.h"
#include "tuner/compile/farm_link.h"
#include "tuner/compile/farm_state.h"
#include "tuner/compile/work_folder.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const double default_timeout_s = 120;
/* NVRTC is there in a tenth of a second, from a slow network in ten. */
static const double most_to_load_s = 120;
enum { FAREWELL_S = 2 };

static int default_workers(void)
{
    hone_allowance allowance;

    hone__allowance_read(&allowance);
    return hone__allowance_workers(&allowance);
}

/* What this process has mapped to write: /proc/self/statm, sixth number. */
static int64_t data_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "re");
    long long pages = 0;

    if (file) {
        if (fscanf(file, "%*d %*d %*d %*d %*d %lld", &pages) != 1)
            pages = 0;
        (void)fclose(file);
    }
    return pages * sysconf(_SC_PAGESIZE);
}

/* Sanitizers map far more than any cap, and never touch most of it: there is
 * no cap for a process that already has half of it. */
static void choose_cap(hone_compile_worker_setup *setup)
{
    hone_allowance allowance;
    struct rlimit limit;
    int64_t cap;

    hone__allowance_read(&allowance);
    cap = hone__allowance_cap(&allowance, setup->n_workers);
    if (getrlimit(RLIMIT_DATA, &limit) == 0 &&
        limit.rlim_cur != RLIM_INFINITY &&
        (cap == 0 || limit.rlim_cur < (rlim_t)cap)) {
        cap = (int64_t)limit.rlim_cur;
        setup->cap_is_inherited = 1;
    }
    setup->memory_cap_bytes = data_bytes() > cap / 2 ? 0 : cap;
}

int hone__farm_shrink(hone_farm *farm, hone_farm_slot *slot)
{
    if (slot->n_beside <= 1 || farm->setup.cap_is_inherited)
        return 0;
    if (farm->n_wanted >= slot->n_beside)
        farm->n_wanted = slot->n_starved ? 1 : (slot->n_beside + 1) / 2;
    ++slot->n_starved;
    farm->setup.n_workers = farm->n_wanted;
    choose_cap(&farm->setup);
    return 1;
}

/* The first thing a worker says: its compiler, or why there is none. */
hone_status hone__farm_wait(hone_farm *farm, hone_error *err)
{
    const hone_status missing =
        hone__compiler_kind(farm->setup.backend)->missing;
    hone_wait wait = {hone__now_s() + most_to_load_s, farm->stop};
    uint32_t kind = 0;
    hone_unpack in;

    if (farm->link)
        return HONE_OK;
    HONE_TRY(hone__worker_hear(&farm->slots[0].worker, &wait, &kind, &in, err));
    switch (kind) {
    case HONE_COMPILE_HELLO:
        hone__toolchain_unpack(&in, &farm->toolchain);
        return in.broken ? hone__fail(err, HONE_ERR_INTERNAL,
                                      "a compile process named its compiler "
                                      "in a broken message")
                         : HONE_OK;
    case HONE_COMPILE_FAILED:
        return hone__unpack_error(&in, err);
    case HONE_HEARD_NOTHING:
        return hone__fail(err, missing,
                          "the compiler did not answer within %g s of its "
                          "start; is the disk that it lies on reachable?",
                          most_to_load_s);
    default:
        return hone__fail(err, missing,
                          "a compile process ended while it started its "
                          "compiler; 'hone doctor' says which one it is");
    }
}

hone_status hone__farm_start(const hone_farm_options *options,
                             hone_farm_done *on_done, void *user,
                             hone_farm **out, hone_error *err)
{
    hone_farm *farm = hone__alloc(sizeof *farm);
    hone_status status = HONE_OK;
    const int wanted =
        options->n_workers > 0 ? options->n_workers : default_workers();
    const int n_workers =
        wanted < HONE_MOST_COMPILE_WORKERS ? wanted : HONE_MOST_COMPILE_WORKERS;
    const double timeout_s = options->compile_timeout_s > 0
                                 ? options->compile_timeout_s
                                 : default_timeout_s;

    *out = NULL;
    if (!farm)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    farm->on_done = on_done;
    farm->user = user;
    farm->stop = options->stop;
    farm->looked_s = hone__now_s();
    farm->root = "";
    farm->n_oom = hone__allowance_oom_kills(farm->root);
    if (options->link) {
        hone__farm_link_join(options->link, farm);
        *out = farm;
        return HONE_OK;
    }
    farm->setup =
        (hone_compile_worker_setup){.cache_folder = options->cache_folder,
                                    .backend = options->backend,
                                    .host_build = options->host_build,
                                    .compile_at_most_s = timeout_s,
                                    .n_workers = n_workers};
    hone__limit_start(&farm->limit, timeout_s);
    choose_cap(&farm->setup);
    hone__work_folder_sweep(); /* what a killed run left behind */
    if (options->cache_folder)
        status = hone__cache_prepare(options->cache_folder, err);
    while (status == HONE_OK && farm->n_slots < n_workers) {
        status =
            hone__farm_start_worker(farm, &farm->slots[farm->n_slots], err);
        if (status == HONE_OK)
            ++farm->n_slots;
    }
    if (status != HONE_OK) {
        hone__farm_close(farm);
        return status;
    }
    farm->n_wanted = farm->n_slots;
    *out = farm;
    return HONE_OK;
}

hone_status hone__farm_open(const hone_farm_options *options,
                            hone_farm_done *on_done, void *user,
                            hone_farm **out, hone_error *err)
{
    hone_status status = hone__farm_start(options, on_done, user, out, err);

    if (status == HONE_OK)
        status = hone__farm_wait(*out, err);
    if (status != HONE_OK) {
        hone__farm_close(*out);
        *out = NULL;
    }
    return status;
}

/* When a person wants an end, the idle do not get time to tidy up either:
 * one may be loading a compiler that does not load. */
void hone__farm_dismiss(hone_farm *farm)
{
    if (farm && farm->link)
        hone__farm_link_forget(farm->link, farm);
    for (int i = 0; farm && i < farm->n_slots; ++i) {
        hone_farm_slot *slot = &farm->slots[i];

        if (slot->busy || (farm->stop && *farm->stop))
            hone__farm_kill_worker(slot);
        hone__worker_dismiss(&slot->worker);
    }
}

void hone__farm_close(hone_farm *farm)
{
    double until_s;

    if (!farm)
        return;
    hone__farm_dismiss(farm); /* tell all, then wait: they leave side by side */
    until_s = hone__now_s() + FAREWELL_S;
    for (int i = 0; i < farm->n_slots; ++i) {
        hone_farm_slot *slot = &farm->slots[i];
        const pid_t group = slot->worker.pid;

        if (farm->stop && *farm->stop)
            hone__worker_kill(&slot->worker);
        else if (hone__worker_stop(&slot->worker, until_s - hone__now_s(), NULL,
                                   0) == HONE_WORKER_OVERDUE)
            (void)kill(-group, SIGKILL); /* its compiler's processes, too */
        if (slot->log >= 0)
            (void)close(slot->log);
        hone__text_free(&slot->request);
        hone__text_free(&slot->followers);
    }
    hone__farm_free_lost(farm);
    if (!farm->link)
        hone__work_folder_sweep(); /* of busy workers, which were killed */
    hone__free(farm);
}
