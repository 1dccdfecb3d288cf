/* SPDX-License-Identifier: Apache-2.0 */
/* How jobs of the compile farm end, and how their workers do: see
 * farm_state.h. */
#define _GNU_SOURCE /* memfd_create */
#include "tuner/compile/farm_state.h"

#include "runtime/base/alloc.h"
#include "tuner/compile/compile_log.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

hone_status hone__farm_follow(hone_text *jobs, int64_t job, hone_error *err)
{
    hone__text_append(jobs, (const char *)&job, sizeof job);
    return hone__text_check(jobs, err);
}

/* Each gets a copy of its own: a callback may take it apart. */
static hone_status answer_all(hone_farm *farm, hone_text *jobs,
                              const hone_compile_output *output,
                              hone_error *err)
{
    hone_status status = HONE_OK;
    int64_t job;

    for (size_t at = 0; at < jobs->length && status == HONE_OK;
         at += sizeof job) {
        hone_compile_output copy;

        memcpy(&job, jobs->data + at, sizeof job);
        hone__compile_output_copy(output, &copy);
        status = hone__compile_output_check(&copy, err);
        if (status == HONE_OK)
            farm->on_done(farm->user, job, &copy);
        hone__compile_output_free(&copy);
    }
    hone__text_clear(jobs);
    return status;
}

/* ---- lost compiles --------------------------------------------------- */

hone_farm_lost *hone__farm_find_lost(hone_farm *farm, const char *key)
{
    hone_farm_lost *one = farm->lost;

    while (one && strcmp(one->key, key) != 0)
        one = one->next;
    return one;
}

static hone_status keep_lost(hone_farm *farm, const char *key,
                             const hone_compile_output *output, hone_error *err)
{
    hone_farm_lost *one = hone__alloc(sizeof *one);

    if (!one)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    one->next = farm->lost;
    farm->lost = one;
    memcpy(one->key, key, sizeof one->key);
    hone__compile_output_copy(output, &one->output);
    return hone__compile_output_check(&one->output, err);
}

hone_status hone__farm_answer_lost(hone_farm *farm, hone_error *err)
{
    for (hone_farm_lost *one = farm->lost; one; one = one->next)
        HONE_TRY(answer_all(farm, &one->waiting, &one->output, err));
    return HONE_OK;
}

void hone__farm_free_lost(hone_farm *farm)
{
    while (farm->lost) {
        hone_farm_lost *one = farm->lost;

        farm->lost = one->next;
        hone__compile_output_free(&one->output);
        hone__text_free(&one->waiting);
        hone__free(one);
    }
}

/* ---- answers --------------------------------------------------------- */

static int is_lost(const hone_compile_output *output)
{
    return output->timed_out || output->crashed || output->out_of_memory ||
           output->interrupted;
}

hone_status hone__farm_deliver(hone_farm *farm, hone_farm_slot *slot,
                               hone_compile_output *output, hone_error *err)
{
    hone_status status = hone__compile_output_check(output, err);

    slot->busy = 0;
    if (status == HONE_OK && is_lost(output))
        status = keep_lost(farm, slot->key, output, err);
    if (status == HONE_OK)
        status = answer_all(farm, &slot->followers, output, err);
    if (status == HONE_OK)
        farm->on_done(farm->user, slot->job, output);
    hone__compile_output_free(output);
    return status;
}

/* ---- workers --------------------------------------------------------- */

/* What the compiler says to stderr (its last words, mostly) is for the log of
 * the job, not for the terminal. */
hone_status hone__farm_start_worker(hone_farm *farm, hone_farm_slot *slot,
                                    hone_error *err)
{
    const int log = memfd_create("hone-compile", MFD_CLOEXEC);
    const hone_status status = hone__worker_start(
        &slot->worker, hone__compile_worker, &farm->setup, log, err);

    slot->log = log;
    if (status != HONE_OK && log >= 0)
        (void)close(log);
    return status;
}

/* The worker leads a process group, to which the C++ compiler belongs. */
void hone__farm_kill_worker(hone_farm_slot *slot)
{
    if (slot->worker.pid > 1)
        (void)kill(-slot->worker.pid, SIGKILL);
}

/* The end of what the worker said. */
static void last_words(hone_farm_slot *slot, char *out, size_t size)
{
    const off_t length = slot->log >= 0 ? lseek(slot->log, 0, SEEK_END) : 0;
    const off_t want = (off_t)size - 1;
    ssize_t n = 0;

    if (length > 0)
        n = pread(slot->log, out, size - 1, length > want ? length - want : 0);
    out[n > 0 ? n : 0] = '\0';
    if (slot->log >= 0)
        (void)close(slot->log);
    slot->log = -1;
}

static void describe_overdue(const hone_farm *farm, const hone_farm_slot *slot,
                             hone_compile_output *output)
{
    char from[160];

    output->timed_out = 1;
    if (!slot->begun) {
        hone__text_printf(&output->log,
                          "the compile process did not come to this variant "
                          "within %.0f s",
                          farm->clock_s - slot->start_s);
        return;
    }
    hone__limit_text(&farm->limit, from, sizeof from);
    hone__text_printf(&output->log,
                      "the compile was ended after %.1f s; the limit was %s",
                      farm->clock_s - slot->start_s, from);
}

static void describe_death(const hone_farm *farm, hone_worker_end end,
                           int is_memory, const char *how, const char *words,
                           hone_compile_output *output)
{
    if (is_memory) {
        output->out_of_memory = 1;
        output->interrupted = 1;
        hone__compile_no_memory(&farm->setup, &output->log);
        if (end == HONE_WORKER_KILLED)
            hone__text_printf(&output->log,
                              "; the system killed its process (%s)", how);
    } else if (end == HONE_WORKER_KILLED) {
        output->interrupted = 1;
        hone__text_printf(&output->log,
                          "two compile processes were killed over this "
                          "variant, from outside (%s)",
                          how);
    } else {
        output->crashed = 1;
        hone__text_printf(&output->log, "the compiler crashed (%s)", how);
    }
    if (words[0])
        hone__text_printf(&output->log, ": %s", words);
}

/* A worker that dies again and again without a job will not get better. */
static hone_status idle_death(hone_farm *farm, const char *how,
                              const char *words, hone_error *err)
{
    enum { MOST = 16 };

    if (++farm->n_idle_deaths <= MOST)
        return HONE_OK;
    return hone__fail(err, HONE_ERR_NVRTC,
                      "the compile processes end by themselves, without a "
                      "job (%s). %s",
                      how, words);
}

/* ---- after memory ran out ------------------------------------------------ */

/* Has the system killed a process for want of memory since the last look? */
static int system_killed(hone_farm *farm)
{
    const int64_t n = hone__allowance_oom_kills(farm->root);
    const int is_more = n > farm->n_oom && farm->n_oom >= 0;

    farm->n_oom = n;
    return is_more;
}

static int n_running(const hone_farm *farm)
{
    int n = 0;

    for (int i = 0; i < farm->n_slots; ++i)
        n += farm->slots[i].worker.pid != 0;
    return n;
}

static void end_worker(hone_farm_slot *slot)
{
    hone__farm_kill_worker(slot);
    (void)hone__worker_stop(&slot->worker, 1, NULL, 0);
    if (slot->log >= 0)
        (void)close(slot->log);
    slot->log = -1;
}

static hone_status send_again(hone_farm *farm, hone_farm_slot *slot,
                              hone_error *err)
{
    hone_status status;

    slot->held = 0;
    slot->begun = 0;
    slot->n_beside = farm->n_wanted;
    slot->start_s = farm->clock_s;
    status =
        hone__worker_send(&slot->worker, HONE_COMPILE_JOB, &slot->request, err);
    return status == HONE_ERR_IO ? HONE_OK : status; /* the next turn sees it */
}

hone_status hone__farm_hold(hone_farm *farm, hone_farm_slot *slot,
                            hone_error *err)
{
    end_worker(slot);
    slot->held = 1;
    return hone__farm_resume(farm, slot, err);
}

hone_status hone__farm_resume(hone_farm *farm, hone_farm_slot *slot,
                              hone_error *err)
{
    if (n_running(farm) >= farm->n_wanted)
        return HONE_OK;
    HONE_TRY(hone__farm_start_worker(farm, slot, err));
    return send_again(farm, slot, err);
}

void hone__farm_retire(const hone_farm *farm, hone_farm_slot *slot)
{
    int n_held = 0; /* need a place, too */

    for (int i = 0; i < farm->n_slots; ++i)
        n_held += farm->slots[i].held;
    if (!slot->busy && n_running(farm) + n_held > farm->n_wanted)
        end_worker(slot);
}

/* ---- a process that ended, or is ended ----------------------------------- */

hone_status hone__farm_replace(hone_farm *farm, hone_farm_slot *slot,
                               int overdue, hone_error *err)
{
    hone_compile_output output = {.registers = -1};
    hone_worker_end end;
    int is_memory;
    char how[128];
    char words[400];

    hone__farm_kill_worker(slot);
    end = hone__worker_stop(&slot->worker, 1, how, sizeof how);
    last_words(slot, words, sizeof words);
    is_memory = !overdue && slot->busy &&
                (hone__compile_log_no_memory(words) ||
                 (end == HONE_WORKER_KILLED && system_killed(farm)));
    if (is_memory && hone__farm_shrink(farm, slot))
        return hone__farm_hold(farm, slot, err);
    HONE_TRY(hone__farm_start_worker(farm, slot, err));
    if (!slot->busy)
        return idle_death(farm, how, words, err);
    if (overdue) {
        describe_overdue(farm, slot, &output);
        if (slot->begun)
            hone__limit_add(&farm->limit, farm->clock_s - slot->start_s);
    } else if (end == HONE_WORKER_KILLED && !is_memory && !slot->n_killed) {
        ++slot->n_killed;
        return send_again(farm, slot, err);
    } else {
        describe_death(farm, end, is_memory, how, words, &output);
    }
    return hone__farm_deliver(farm, slot, &output, err);
}
