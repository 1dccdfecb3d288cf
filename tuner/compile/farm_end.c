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
    return output->timed_out || output->crashed || output->out_of_memory;
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
                           const char *how, const char *words,
                           hone_compile_output *output)
{
    if (hone__compile_log_no_memory(words)) {
        output->out_of_memory = 1;
        hone__compile_no_memory(&farm->setup, &output->log);
    } else if (end == HONE_WORKER_KILLED) {
        output->crashed = 1;
        hone__text_printf(&output->log,
                          "two compile processes were killed over this "
                          "variant, from outside (%s); the system does that "
                          "when memory runs out: fewer compile processes "
                          "(--jobs) take less",
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

hone_status hone__farm_replace(hone_farm *farm, hone_farm_slot *slot,
                               int overdue, hone_error *err)
{
    hone_compile_output output = {.registers = -1};
    hone_worker_end end;
    char how[128];
    char words[400];

    hone__farm_kill_worker(slot);
    end = hone__worker_stop(&slot->worker, 1, how, sizeof how);
    last_words(slot, words, sizeof words);
    HONE_TRY(hone__farm_start_worker(farm, slot, err));
    if (!slot->busy)
        return idle_death(farm, how, words, err);
    if (overdue) {
        describe_overdue(farm, slot, &output);
        if (slot->begun)
            hone__limit_add(&farm->limit, farm->clock_s - slot->start_s);
    } else if (end == HONE_WORKER_KILLED && !slot->killed &&
               !hone__compile_log_no_memory(words)) {
        slot->killed = 1;
        slot->begun = 0;
        slot->start_s = farm->clock_s;
        return hone__worker_send(&slot->worker, HONE_COMPILE_JOB,
                                 &slot->request, err);
    } else {
        describe_death(farm, end, how, words, &output);
    }
    return hone__farm_deliver(farm, slot, &output, err);
}
