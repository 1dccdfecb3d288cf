/* SPDX-License-Identifier: Apache-2.0 */
/* hone submit: a list of problems as a chain of jobs of a cluster. */
#include "tools/base/commands.h"
#include "tools/base/message.h"
#include "tools/submit_parts.h"

#include "runtime/base/alloc.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- what a run is
 * ------------------------------------------------------------- */

static int is_folder(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* A folder of a shared disk that is there, or can be made in one that is: a
 * path that is mounted nowhere must not become a folder of this machine's disk.
 */
static hone_status find_folder(hone_run *run, hone_error *err)
{
    const char *given = hone__options_arg(run->options, 0);
    char here[4096];
    hone_text *path = &run->folder;
    hone_text parent = {0};
    int is_there;

    if (*given != '/' && getcwd(here, sizeof here))
        hone__text_printf(path, "%s/", here);
    hone__text_puts(path, given);
    HONE_TRY(hone__text_check(path, err));
    while (path->length > 1 && path->data[path->length - 1] == '/')
        path->data[--path->length] = '\0';
    is_there = is_folder(path->data);
    if (!is_there) {
        hone__text_append(&parent, path->data,
                          (size_t)(strrchr(path->data, '/') - path->data) + 1);
        is_there = is_folder(hone__text_str(&parent));
    }
    hone__text_free(&parent);
    return is_there
               ? HONE_OK
               : hone__fail(err, HONE_ERR_IO,
                            "the shared folder '%s' is not there, nor is the "
                            "one that it would be made in; give a folder that "
                            "all machines of the cluster see under the same "
                            "path",
                            path->data);
}

static hone_status find_self(hone_run *run, hone_error *err)
{
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);

    if (length <= 0)
        return hone__fail(err, HONE_ERR_IO,
                          "cannot find out where this program is");
    path[length] = '\0';
    hone__text_puts(&run->hone, path);
    return hone__text_check(&run->hone, err);
}

/* Enough tasks that none takes very long, of nodes that a person would ask for.
 */
static int usual_tasks(const hone_run *run)
{
    enum { PROBLEMS_EACH = 8, MOST = 64 };
    const size_t each = PROBLEMS_EACH * (size_t)(run->gpus ? run->gpus : 1);
    const size_t n = (run->shapes.n + each - 1) / each;

    return n < 1 ? 1 : n < MOST ? (int)n : MOST;
}

/* Tasks run in the folder of the run, and read the same list. */
static hone_status check_paths(const hone_shapes *shapes, const char *list,
                               hone_error *err)
{
    char here[4096];

    if (!getcwd(here, sizeof here))
        here[0] = '\0';
    for (size_t i = 0; i < shapes->n_ops; ++i) {
        const hone_implementations *impls = &shapes->ops[i].impls;
        const char *name = shapes->ops[i].name;

        for (size_t k = 0; k < impls->n && *name != '/'; ++k)
            if (strcmp(impls->items[k]->path, name) == 0)
                return hone__fail(err, HONE_ERR_INPUT,
                                  "%s names the template '%s' as it is called "
                                  "from here, and tasks run in the folder of "
                                  "the run: write %s/%s there",
                                  list, name, here, name);
    }
    return HONE_OK;
}

static hone_status read_run(hone_run *run, hone_error *err)
{
    const hone_options *options = run->options;
    hone_options list = *options; /* FOLDER is no template */
    const char *device = options->text[HONE_OPT_DEVICE];
    const int is_cpu = device && strcmp(device, "cpu") == 0;
    int64_t n;

    if (!options->text[HONE_OPT_SHAPES])
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "what is to be tuned? --shapes FILE");
    if (device && !is_cpu && strcmp(device, "cuda") != 0)
        return hone__fail(
            err, HONE_ERR_ARGUMENT,
            "--device of a run is cuda, all GPUs of --gpus-per-node, "
            "or cpu, not '%s'",
            device);
    if (is_cpu && (options->number[HONE_OPT_GPUS_PER_NODE] ||
                   options->text[HONE_OPT_ARCH]))
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "--gpus-per-node and --arch go with GPUs, not with "
                          "--device cpu");
    list.n_items = list.n_args = 0;
    HONE_TRY(hone__shapes_read(&list, &run->shapes, err));
    HONE_TRY(check_paths(&run->shapes, options->text[HONE_OPT_SHAPES], err));
    HONE_TRY(
        hone__text_read_file(&run->list, options->text[HONE_OPT_SHAPES], err));
    n = options->number[HONE_OPT_GPUS_PER_NODE];
    run->gpus = is_cpu ? 0 : n ? (int)n : 1;
    n = options->number[HONE_OPT_TASKS];
    run->n_tasks = n ? (int)n : usual_tasks(run);
    if (run->n_tasks > 100000 || run->gpus > 64)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "a run has at most 100000 tasks of 64 GPUs");
    run->compiles = options->text[HONE_OPT_ARCH] != NULL;
    if (run->compiles)
        HONE_TRY(hone__properties_of_arch(options->text[HONE_OPT_ARCH],
                                          &run->properties, err));
    HONE_TRY(hone__tune_load(&list, &run->shapes, run->n_tasks, &run->most,
                             &run->split, err));
    HONE_TRY(find_folder(run, err));
    return find_self(run, err);
}

/* ---- its files
 * ------------------------------------------------------------------ */

typedef struct run_file {
    const char *name;
    const char *bytes;
    size_t size_bytes;
    int is_program;
    int decides; /* what it says must be the same when the run goes on */
} run_file;

static size_t files_of(const hone_run *run, run_file out[5])
{
    const hone_text *settings = &run->settings, *submit = &run->submit;

    out[0] = (run_file){"shapes", run->list.data, run->list.length, 0, 1};
    out[1] = (run_file){"settings", settings->data, settings->length, 0, 1};
    out[2] = (run_file){"task.sh", hone__cluster_task,
                        strlen(hone__cluster_task), 1, 0};
    out[3] = (run_file){"submit.sh", submit->data, submit->length, 1, 0};
    out[4] = (run_file){"split", run->split.data, run->split.length, 0, 1};
    return run->split.length ? 5 : 4;
}

static hone_status write_file(const hone_run *run, const run_file *file,
                              hone_error *err)
{
    hone_text path = {0}, there = {0};
    hone_status status;
    int is_same = 1;

    hone__text_printf(&path, "%s/%s", hone__text_str(&run->folder), file->name);
    status = hone__text_check(&path, err);
    if (status == HONE_OK && file->decides &&
        hone__text_read_file(&there, path.data, NULL) == HONE_OK)
        is_same =
            there.length == file->size_bytes &&
            memcmp(hone__text_str(&there), file->bytes, file->size_bytes) == 0;
    if (!is_same)
        status = hone__fail(err, HONE_ERR_INPUT,
                            "'%s' belongs to another run, which has other "
                            "problems, options or shards: take a folder of its "
                            "own",
                            path.data);
    if (status == HONE_OK)
        status =
            hone__file_replace(path.data, file->bytes, file->size_bytes, err);
    if (status == HONE_OK && file->is_program && chmod(path.data, 0755))
        status = hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, errno,
                                   "cannot make '%s' executable: %s", path.data,
                                   strerror(errno));
    hone__text_free(&there);
    hone__text_free(&path);
    return status;
}

static hone_status write_files(const hone_run *run, hone_error *err)
{
    const char *folder = hone__text_str(&run->folder);
    run_file files[5];
    const size_t n = files_of(run, files);

    if (mkdir(folder, 0777) && errno != EEXIST)
        return hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, errno,
                                 "cannot make the folder '%s': %s", folder,
                                 strerror(errno));
    for (size_t i = 0; i < n; ++i)
        HONE_TRY(write_file(run, &files[i], err));
    return HONE_OK;
}

static hone_exit print_files(const hone_run *run)
{
    run_file files[5];
    const size_t n = files_of(run, files);
    hone_text all = {0};

    for (size_t i = 0; i < n; ++i) {
        hone__text_printf(&all, "%s==> %s/%s <==\n", i ? "\n" : "",
                          hone__text_str(&run->folder), files[i].name);
        hone__text_append(&all, files[i].bytes ? files[i].bytes : "",
                          files[i].size_bytes);
    }
    return hone__output_text(&all);
}

/* ---- submitting
 * ------------------------------------------------------------------- */

/* Its exit code; what it prints goes to stderr, where messages are. */
static int run_script(const hone_run *run)
{
    char *argv[] = {NULL, NULL, NULL};
    char sh[] = "/bin/sh";
    hone_text path = {0};
    posix_spawn_file_actions_t actions;
    int status = -1;
    pid_t pid;

    hone__text_printf(&path, "%s/submit.sh", hone__text_str(&run->folder));
    argv[0] = sh;
    argv[1] = path.data;
    if (!path.failed && posix_spawn_file_actions_init(&actions) == 0) {
        (void)posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO,
                                               STDOUT_FILENO);
        if (posix_spawn(&pid, sh, &actions, NULL, argv, environ) == 0)
            while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
                ;
        (void)posix_spawn_file_actions_destroy(&actions);
    }
    hone__text_free(&path);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static hone_exit say_jobs(const hone_run *run)
{
    hone_output *output = hone__output_begin(
        run->options, "jobs", "step, job, tasks:n",
        hone__json("folder:s problems:I shards:i", hone__text_str(&run->folder),
                   (int64_t)run->shapes.n, run->n_tasks));
    hone_text path = {0}, text = {0};
    char *rest = NULL;

    hone__text_printf(&path, "%s/submitted", hone__text_str(&run->folder));
    if (hone__text_read_file(&text, hone__text_str(&path), NULL) == HONE_OK &&
        text.length)
        for (char *line = strtok_r(text.data, "\n", &rest); line;
             line = strtok_r(NULL, "\n", &rest)) {
            char name[32], job[32];
            int n = 0;

            if (sscanf(line, "%31s %31s %d", name, job, &n) == 3)
                hone__output_row(
                    output, hone__json("step:s job:s tasks:i", name, job, n));
        }
    hone__text_free(&text);
    hone__text_free(&path);
    return hone__output_end(output, hone__json(""));
}

/* What hone status looks for, where nobody gave numbers. */
static hone_status write_steps(const hone_run *run, hone_error *err)
{
    const char *folder = hone__text_str(&run->folder);
    hone_text path = {0}, text = {0};
    hone_status status;

    if (run->compiles)
        hone__text_printf(&text, "compile 0 %d\n", run->n_tasks);
    hone__text_printf(&text, "tune 0 %d\nmerge 0 1\n%sreport 0 1\n",
                      run->n_tasks, run->split.length ? "final 0 1\n" : "");
    hone__text_printf(&path, "%s/submitted", folder);
    status = hone__text_check(path.failed ? &path : &text, err);
    if (status == HONE_OK)
        status = hone__file_replace(path.data, text.data, text.length, err);
    hone__text_free(&path);
    hone__text_free(&text);
    return status;
}

static hone_exit leave_files(const hone_run *run)
{
    hone_error err = {0};

    if (write_steps(run, &err) != HONE_OK)
        return hone__message_error(&err);
    hone__message_note(
        "in %s: 'HONE_TASK=1 sh task.sh tune' is the first of %d "
        "tasks, then 'sh task.sh merge', %s'sh task.sh report'",
        hone__text_str(&run->folder), run->n_tasks,
        run->split.length ? "'sh task.sh final', " : "");
    return say_jobs(run);
}

static hone_exit submit(const hone_run *run)
{
    const int code = run_script(run);

    if (code) {
        hone__message_negative(
            "not all jobs were submitted (%s): see above; the run is in %s, "
            "and "
            "'sh %s/submit.sh' submits it where there is Slurm's sbatch",
            code == 127 ? "there is no sbatch" : "sbatch refused one",
            hone__text_str(&run->folder), hone__text_str(&run->folder));
        return HONE_EXIT_ENVIRONMENT;
    }
    hone__message_note("'hone status %s' says how it goes",
                       hone__text_str(&run->folder));
    return say_jobs(run);
}

hone_exit hone__cmd_submit(const hone_options *options)
{
    hone_run run = {.options = options};
    hone_error err = {0};
    hone_exit code;
    hone_status status = read_run(&run, &err);
    const int is_tried = options->text[HONE_OPT_DRY_RUN] != NULL;

    if (status == HONE_OK)
        status = hone__run_write(&run, &err);
    if (status == HONE_OK && !is_tried)
        status = write_files(&run, &err);
    if (status == HONE_OK && !run.compiles && run.gpus)
        hone__message_note("without --arch nothing is compiled beforehand: "
                           "the tasks with GPUs compile");
    code = status != HONE_OK ? hone__message_error(&err)
           : is_tried        ? print_files(&run)
           : hone__options_is(options, HONE_OPT_ENGINE, "files")
               ? leave_files(&run)
               : submit(&run);
    hone__shapes_free(&run.shapes);
    hone__text_free(&run.folder);
    hone__text_free(&run.hone);
    hone__text_free(&run.list);
    hone__text_free(&run.split);
    hone__text_free(&run.settings);
    hone__text_free(&run.submit);
    return code;
}
