/* SPDX-License-Identifier: Apache-2.0 */
/* What became of tasks: see run_state.h. task.sh writes state/STEP-TASK, Slurm
 * logs/STEP-TASK.log, submit.sh the jobs' numbers. */
#include "tools/cluster/run_state.h"

#include "runtime/base/alloc.h"
#include "runtime/base/grow.h"
#include "tuner/compile/cubin_cache.h"
#include "tuner/compile/work_folder.h"
#include "tuner/compile/host_compiler.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *hone__task_state_name(hone_task_state state)
{
    static const char *const names[HONE_N_TASK_STATES] = {
        "done",        "done, not all", "running", "waiting",  "begun",
        "interrupted", "failed",        "lost",    "never ran"};

    return names[state];
}

/* ---- what tasks wrote -------------------------------------------------------
 */

/* The last of each kind counts. */
static void take_line(const char *line, hone_run_task *task)
{
    long long at = 0;
    int number = 0;
    char host[128] = "";

    if (sscanf(line, "began %lld %127s %d", &at, host, &number) == 3) {
        task->began_unix_s = at;
        task->ended_unix_s = 0;
        ++task->n_begun;
        (void)snprintf(task->host, sizeof task->host, "%s", host);
    } else if (sscanf(line, "ended %lld %d", &at, &number) == 2) {
        task->ended_unix_s = at;
        task->code = number;
    }
}

static void read_task(const char *folder, const hone_run_step *step, int number,
                      hone_run_task *task)
{
    hone_text path = {0}, text = {0};
    char *rest = NULL;

    hone__text_printf(&path, "%s/state/%s-%d", folder, step->name, number);
    if (hone__text_read_file(&text, hone__text_str(&path), NULL) == HONE_OK &&
        text.length)
        for (char *line = strtok_r(text.data, "\n", &rest); line;
             line = strtok_r(NULL, "\n", &rest))
            take_line(line, task);
    hone__text_free(&text);
    hone__text_free(&path);
}

/* The last line of its log that says something. */
static void read_log(const char *folder, const hone_run_step *step, int number,
                     hone_run_task *task)
{
    hone_text path = {0};
    char line[400];
    FILE *file;

    hone__text_printf(&path, "%s/logs/%s-%d.log", folder, step->name, number);
    file = fopen(hone__text_str(&path), "r");
    hone__text_free(&path);
    if (!file)
        return;
    if (fseek(file, -4000, SEEK_END) != 0)
        rewind(file);
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[strspn(line, " \t")])
            (void)snprintf(task->why, sizeof task->why, "%s", line);
    }
    (void)fclose(file);
}

/* ---- what the scheduler says
 * ---------------------------------------------------- */

static hone_run_task *find_task(hone_run_state *state, const char *job,
                                const char *index)
{
    for (size_t i = 0; i < state->n_steps; ++i) {
        hone_run_step *step = &state->steps[i];
        const int number = *index >= '0' && *index <= '9' ? atoi(index) : 1;

        if (strcmp(step->job, job) == 0 && number >= 1 &&
            number <= step->n_tasks)
            return &step->tasks[number - 1];
    }
    return NULL;
}

/* Marks what the queue has with a state; the others keep HONE_N_TASK_STATES. */
static void take_queued(hone_run_state *state, char *line)
{
    char *rest = NULL;
    const char *job = strtok_r(line, " ", &rest);
    const char *index = strtok_r(NULL, " ", &rest);
    const char *what = strtok_r(NULL, " ", &rest);
    hone_run_task *task =
        job && index && what ? find_task(state, job, index) : NULL;

    if (!task)
        return;
    task->state =
        strcmp(what, "PENDING") == 0 ? HONE_TASK_WAITING : HONE_TASK_RUNNING;
    if (task->state == HONE_TASK_WAITING && rest && *rest &&
        strcmp(rest, "None") != 0)
        (void)snprintf(task->why, sizeof task->why, "Slurm: %s", rest);
}

/* What it printed; jobs that are over for a while are unknown to it, which is
 * no failure. */
static void take_answer(hone_run_state *state, int code, char *text)
{
    char last[300] = "";
    char *rest = NULL;

    for (char *line = strtok_r(text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        (void)snprintf(last, sizeof last, "%.299s", line);
        take_queued(state, line);
    }
    state->is_asked = code == 0 || strstr(last, "Invalid job id") != NULL;
    if (!state->is_asked)
        (void)snprintf(state->not_asked, sizeof state->not_asked, "%s",
                       last[0] ? last : "there is no squeue here");
}

static void ask_queue(hone_run_state *state)
{
    hone_command_line command;
    hone_text jobs = {0}, path = {0}, text = {0};
    char folder[512];
    int code = -1;

    for (size_t i = 0; i < state->n_steps; ++i)
        hone__text_printf(&jobs, "%s%s", i ? "," : "", state->steps[i].job);
    hone__command_start(&command, "squeue");
    hone__command_add(&command, "-h", "-r", "-o", "%F %K %T %r", "-j",
                      hone__text_str(&jobs), NULL);
    if (!jobs.failed && hone__work_folder_make(folder, sizeof folder)) {
        code = hone__command_run(&command, folder, "text", 0);
        hone__text_printf(&path, "%s/text", folder);
        (void)hone__text_read_file(&text, hone__text_str(&path), NULL);
        hone__work_folder_remove(folder);
    }
    hone__text_append(&text, "", 1); /* a text where nothing was printed, too */
    if (!text.failed)
        take_answer(state, code, text.data);
    hone__text_free(&text);
    hone__text_free(&path);
    hone__text_free(&jobs);
}

/* ---- both
 * ----------------------------------------------------------------------------
 */

static void decide(const hone_run_state *state, const char *folder,
                   const hone_run_step *step, int number, hone_run_task *task)
{
    const hone_task_state queued = task->state;

    if (task->ended_unix_s && queued != HONE_TASK_WAITING)
        task->state = task->code == 0     ? HONE_TASK_DONE
                      : task->code == 1   ? HONE_TASK_NEGATIVE
                      : task->code == 130 ? HONE_TASK_INTERRUPTED
                                          : HONE_TASK_FAILED;
    else if (queued != HONE_N_TASK_STATES)
        return;
    else if (!state->is_asked)
        task->state = task->n_begun ? HONE_TASK_BEGUN : HONE_TASK_WAITING;
    else
        task->state = task->n_begun ? HONE_TASK_LOST : HONE_TASK_NEVER;
    if (task->state == HONE_TASK_NEGATIVE || task->state == HONE_TASK_FAILED ||
        task->state == HONE_TASK_LOST)
        read_log(folder, step, number, task);
    if (task->state == HONE_TASK_NEVER)
        (void)snprintf(task->why, sizeof task->why,
                       "it was cancelled, or what it waits for failed");
    if (task->state == HONE_TASK_LOST && !task->why[0])
        (void)snprintf(task->why, sizeof task->why,
                       "it ended without a word: its node, or its limit of "
                       "time or memory");
}

static hone_status add_step(hone_run_state *state, const char *line,
                            hone_error *err)
{
    hone_run_step step = {.n_tasks = 0};

    if (sscanf(line, "%31s %31[0-9] %d", step.name, step.job, &step.n_tasks) !=
            3 ||
        step.n_tasks < 1 || step.n_tasks > 1000000)
        return HONE_OK;
    if (!HONE_GROW(state->steps, state->n_steps))
        return hone__out_of_memory(err, "");
    step.tasks = hone__alloc((size_t)step.n_tasks * sizeof *step.tasks);
    if (!step.tasks)
        return hone__out_of_memory(err, "");
    for (int i = 0; i < step.n_tasks; ++i)
        step.tasks[i].state = HONE_N_TASK_STATES;
    state->steps[state->n_steps++] = step;
    return HONE_OK;
}

static hone_status read_steps(const char *folder, hone_run_state *out,
                              hone_error *err)
{
    hone_text path = {0}, text = {0};
    hone_status status;
    struct stat there;
    char *rest = NULL;

    if (stat(folder, &there))
        return hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, errno,
                                 "cannot look into '%s': %s", folder,
                                 strerror(errno));
    hone__text_printf(&path, "%s/submitted", folder);
    status = hone__text_read_file(&text, hone__text_str(&path), NULL);
    if (status != HONE_OK)
        status = hone__fail(err, HONE_ERR_INPUT,
                            "'%s' is no folder of a run whose jobs were "
                            "submitted: it has no file 'submitted'",
                            folder);
    if (status == HONE_OK && text.length)
        for (char *line = strtok_r(text.data, "\n", &rest);
             line && status == HONE_OK; line = strtok_r(NULL, "\n", &rest))
            status = add_step(out, line, err);
    hone__text_free(&text);
    hone__text_free(&path);
    return status;
}

hone_status hone__run_state_read(const char *folder, hone_run_state *out,
                                 hone_error *err)
{
    *out = (hone_run_state){0};
    HONE_TRY(read_steps(folder, out, err));
    if (out->n_steps)
        ask_queue(out);
    for (size_t i = 0; i < out->n_steps; ++i) {
        const hone_run_step *step = &out->steps[i];

        for (int k = 0; k < step->n_tasks; ++k) {
            read_task(folder, step, k + 1, &step->tasks[k]);
            decide(out, folder, step, k + 1, &step->tasks[k]);
        }
    }
    return HONE_OK;
}

void hone__run_state_free(hone_run_state *state)
{
    for (size_t i = 0; i < state->n_steps; ++i)
        hone__free(state->steps[i].tasks);
    hone__free(state->steps);
    *state = (hone_run_state){0};
}
