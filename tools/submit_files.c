/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a run that are not the same for all: see submit_parts.h. */
#include "tools/submit_parts.h"

#include "gen/space.h"
#include "tools/base/message.h"
#include "tools/base/option_value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Options of hone tune that submit has as well, and hands on. */
static const hone_option_id handed_on[] = {
    HONE_OPT_BUDGET,        HONE_OPT_UNTIL,           HONE_OPT_MODE,
    HONE_OPT_STRATEGY,      HONE_OPT_OBJECTIVE,       HONE_OPT_SEED,
    HONE_OPT_NO_SEEDS,      HONE_OPT_SAMPLES,         HONE_OPT_TIMING,
    HONE_OPT_TRIAL_TIMEOUT, HONE_OPT_COMPILE_TIMEOUT, HONE_OPT_JOBS};
enum { N_HANDED_ON = sizeof handed_on / sizeof handed_on[0] };

/* ---- settings ---------------------------------------------------------------
 */

static void put_setting(hone_text *out, const char *name, const char *value)
{
    hone__text_printf(out, "%s=", name);
    hone__shell_word(value, out);
    hone__text_puts(out, "\n");
}

/* Paths of a list with colons, from here: tasks run elsewhere. */
static void put_absolute(hone_text *out, const char *list)
{
    char here[4096];
    hone_text all = {0};

    if (!getcwd(here, sizeof here))
        here[0] = '\0';
    while (*list) {
        const size_t length = strcspn(list, ":");

        if (length)
            hone__text_printf(&all, "%s%s%s%.*s", all.length ? ":" : "",
                              *list == '/' ? "" : here, *list == '/' ? "" : "/",
                              (int)length, list);
        list += length + (list[length] == ':');
    }
    hone__shell_word(hone__text_str(&all), out);
    out->failed |= all.failed;
    hone__text_free(&all);
}

static void put_all_folders(const hone_run *run, hone_text *out)
{
    static const hone_option_id ids[] = {HONE_OPT_TEMPLATE_PATH,
                                         HONE_OPT_INCLUDE};

    for (size_t i = 0; i < 2; ++i) {
        const char *list;

        for (size_t k = 0;
             (list = hone__options_listed(run->options, ids[i], k)) != NULL;
             ++k) {
            hone__text_printf(out, " --%s ", hone__option_table[ids[i]].name);
            put_absolute(out, list);
        }
    }
}

static void put_tune(const hone_run *run, hone_text *out)
{
    hone__text_puts(out, "tune_list() {\n    \"$hone\" tune \"$@\"");
    put_all_folders(run, out);
    for (size_t i = 0; i < N_HANDED_ON; ++i) {
        const hone_option *option = &hone__option_table[handed_on[i]];
        const char *value = run->options->text[handed_on[i]];

        if (!value)
            continue;
        hone__text_printf(out, " --%s", option->name);
        if (option->kind == HONE_OPTION_FLAG)
            continue;
        hone__text_puts(out, " ");
        hone__shell_word(value, out);
    }
    hone__text_puts(out, "\n}\n");
}

/* An implementation's space depends on a problem's types, and by constraints on
 * its sizes; the code by the types alone. So of the problems with the same
 * types a few stand for all: what is missing then is compiled where it is
 * tuned. */
enum { OF_SAME_TYPES = 3 };

static int is_same_types(const hone_shape *a, const hone_shape *b)
{
    for (size_t i = 0; i < a->tmpl->n_dims; ++i)
        if (a->tmpl->dims[i].n_types && a->dims[i] != b->dims[i])
            return 0;
    return a->op == b->op;
}

static int stands_for_others(const hone_shapes *shapes, size_t place)
{
    int n = 0;

    for (size_t i = 0; i < place && n < OF_SAME_TYPES; ++i)
        n += is_same_types(&shapes->items[i], &shapes->items[place]);
    return n < OF_SAME_TYPES;
}

/* Has it a configuration there? What cannot be found out here is left to 'hone
 * compile', which says why. */
static int applies(const hone_run *run, const hone_template *tmpl,
                   const hone_shape *shape)
{
    hone_space *space = NULL;
    hone_status status =
        hone__space_create(tmpl, shape->dims, &run->properties, &space, NULL);
    const int is_empty = status == HONE_OK && space->count == 0;

    hone__space_free(space);
    /* Unsupported is a space that is too large for the whole of it. */
    return !is_empty && status != HONE_ERR_CONSTRAINT &&
           status != HONE_ERR_UNSUPPORTED;
}

static void put_compile_of(const hone_run *run, const hone_shape *shape,
                           const hone_template *tmpl, hone_text *out)
{
    hone_text name = {0};

    hone__text_puts(out, "    \"$hone\" compile ");
    if (tmpl->contract_path) {
        hone__text_printf(&name, "%s/%s", tmpl->op, hone__template_name(tmpl));
        hone__shell_word(hone__text_str(&name), out);
    } else {
        put_absolute(out, tmpl->path);
    }
    hone__text_puts(out, " --dims ");
    hone__db_dims_text(shape->dims, shape->tmpl->n_dims, out);
    hone__text_puts(out, " --arch ");
    hone__shell_word(run->options->text[HONE_OPT_ARCH], out);
    put_all_folders(run, out);
    hone__text_puts(out, " \"$@\" || note_code $?\n");
    out->failed |= name.failed;
    hone__text_free(&name);
}

/* How many there are. */
static size_t put_compiles_of(const hone_run *run, const hone_shape *shape,
                              hone_text *out)
{
    const hone_tuned_op *op = &run->shapes.ops[shape->op];
    size_t n = 0;

    for (size_t i = 0; i < op->impls.n; ++i) {
        const hone_template *tmpl = op->impls.items[i];

        if (tmpl->call || (op->impls.named && op->impls.named != tmpl) ||
            !applies(run, tmpl, shape))
            continue;
        put_compile_of(run, shape, tmpl, out);
        ++n;
    }
    return n;
}

/* The worst of several. */
static void put_compile(const hone_run *run, hone_text *out)
{
    const hone_shapes *shapes = &run->shapes;
    size_t n = 0;

    hone__text_puts(out, "note_code() { [ \"$1\" -le \"$worst\" ] || "
                         "worst=$1; }\ncompile_list() {\n    worst=0\n");
    for (size_t i = 0; i < shapes->n; ++i)
        if (stands_for_others(shapes, i))
            n += put_compiles_of(run, &shapes->items[i], out);
    hone__text_puts(out, "    return \"$worst\"\n}\n");
    if (!n)
        hone__message_note("nothing is compiled beforehand: no template of the "
                           "list has a configuration for --arch %s",
                           run->options->text[HONE_OPT_ARCH]);
}

static void write_settings(hone_run *run)
{
    hone_text *out = &run->settings;
    const char *path = getenv("HONE_TEMPLATE_PATH");

    hone__text_puts(out, "# Written by hone submit, read by task.sh.\n");
    put_setting(out, "hone", hone__text_str(&run->hone));
    put_setting(out, "device",
                run->gpus > 1 ? "all"
                : run->gpus   ? "cuda"
                              : "cpu");
    hone__text_printf(out, "tasks=%d\n", run->n_tasks);
    if (path) {
        hone__text_puts(out, "HONE_TEMPLATE_PATH=");
        put_absolute(out, path);
        hone__text_puts(out, "\nexport HONE_TEMPLATE_PATH\n");
    }
    put_tune(run, out);
    if (run->compiles)
        put_compile(run, out);
}

/* ---- submit.sh ----------------------------------------------------------- */

enum { BEGIN_S = 600 /* until a task is at work */ };

/* Seconds that the longest shard may take on one device, 0: nobody can say. By
 * time as it is asked for, by trials as they are expected, with much room: a
 * task that is ended by its limit has lost nothing, but somebody has to submit
 * it again. */
static double serial_s(const hone_run *run)
{
    enum { FINAL_S = 60, ROOM = 4 };
    int64_t trials = 0;
    double seconds = 0;

    if (hone__option_budget(run->options, &trials, &seconds, NULL) != HONE_OK)
        return 0;
    if (run->shapes.is_counted && seconds > 0)
        return FINAL_S * (double)run->most.n_problems +
               1.25 * seconds * run->most.part;
    if (seconds > 0)
        return (1.25 * seconds + FINAL_S) * (double)run->most.n_problems;
    if (!trials)
        return 0;
    if (run->shapes.is_counted)
        trials = (int64_t)((double)trials * run->most.part /
                           (double)(run->most.n_problems ? run->most.n_problems
                                                         : 1)) +
                 1;
    return FINAL_S * (double)run->most.n_problems +
           ROOM * (double)trials * run->most.trial_s;
}

static void put_time(const hone_run *run, int is_tune, hone_text *out)
{
    const char *given = run->options->text[HONE_OPT_TIME_LIMIT];
    const double one = is_tune && !given ? serial_s(run) : 0;
    const double seconds =
        one > 0 ? BEGIN_S + one / (run->gpus > 1 ? run->gpus : 1) : 0;

    if (given) {
        hone__text_puts(out, " --time=");
        hone__shell_word(given, out);
    } else if (seconds > 0) {
        hone__text_printf(out, " --time=%.0f", ceil(seconds / 60));
    }
}

typedef struct step {
    const char *name;
    const char *after; /* the step before; NULL: none */
    const char *kind;  /* of the dependency */
    int is_array, has_gpus;
} step;

static void put_step(const hone_run *run, const step *s, hone_text *out)
{
    const hone_options *options = run->options;
    const int64_t cpus = options->number[HONE_OPT_CPUS_PER_TASK];
    const char *partition = options->text[HONE_OPT_PARTITION];
    const char *more;

    if (!s->has_gpus && options->text[HONE_OPT_CPU_PARTITION])
        partition = options->text[HONE_OPT_CPU_PARTITION];
    hone__text_printf(out,
                      "job=$(sbatch --parsable --job-name=hone-%s --requeue "
                      "--open-mode=append --nodes=1 --ntasks=1",
                      s->name);
    if (partition) {
        hone__text_puts(out, " --partition=");
        hone__shell_word(partition, out);
    }
    if (s->is_array)
        hone__text_printf(out, " --array=1-%d", run->n_tasks);
    hone__text_printf(out, " --output=logs/%s%s.log", s->name,
                      s->is_array ? "-%a" : "-1");
    if (s->has_gpus && run->gpus)
        hone__text_printf(out, " --gpus-per-node=%d",
                          s->is_array ? run->gpus : 1);
    if (cpus)
        hone__text_printf(out, " --cpus-per-task=%lld", (long long)cpus);
    put_time(run, s->has_gpus, out);
    if (s->after)
        hone__text_printf(out, " \\\n    --dependency=%s:\"$%s\"", s->kind,
                          s->after);
    for (size_t i = 0;
         (more = hone__options_listed(options, HONE_OPT_SBATCH, i)) != NULL;
         ++i) {
        hone__text_puts(out, " ");
        hone__shell_word(more, out);
    }
    hone__text_printf(out,
                      " \\\n    task.sh %s)\n%s=${job%%%%;*}\necho \"%s $%s "
                      "%d\" >>submitted.new\n",
                      s->name, s->name, s->name, s->name,
                      s->is_array ? run->n_tasks : 1);
}

static void write_submit(hone_run *run)
{
    hone_text *out = &run->submit;
    const char *before = "merge";

    hone__text_puts(out,
                    "#!/bin/sh\n# Written by hone submit: the jobs of this "
                    "run. Started again it submits them again, and what is "
                    "done\n# is found done.\nset -eu\ncd ");
    hone__shell_word(hone__text_str(&run->folder), out);
    hone__text_puts(out, "\nmkdir -p logs state\n: >submitted.new\n");
    if (run->compiles)
        put_step(run, &(step){"compile", NULL, "", 1, 0}, out);
    put_step(
        run,
        &(step){"tune", run->compiles ? "compile" : NULL, "afterany", 1, 1},
        out);
    put_step(run, &(step){"merge", "tune", "afterany", 0, 0}, out);
    if (run->split.length) {
        put_step(run, &(step){"final", "merge", "afterok", 0, 1}, out);
        before = "final";
    }
    put_step(run, &(step){"report", before, "afterok", 0, 0}, out);
    hone__text_puts(out, "mv submitted.new submitted\n");
}

hone_status hone__run_write(hone_run *run, hone_error *err)
{
    write_settings(run);
    write_submit(run);
    HONE_TRY(hone__text_check(&run->settings, err));
    return hone__text_check(&run->submit, err);
}
