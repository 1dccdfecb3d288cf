/* SPDX-License-Identifier: Apache-2.0 */
/* hone simulate: a search strategy on recorded spaces, many times. */
#include "tools/commands.h"
#include "tools/message.h"
#include "tools/option_value.h"
#include "tools/output.h"

#include "runtime/alloc.h"
#include "tuner/measure.h"
#include "tuner/replay_score.h"
#include "tuner/replay_tune.h"

#include <string.h>

enum { DEFAULT_REPEATS = 25 };

/* The budget without --budget: what random search needs to come so far from
 * the median to the optimum. */
static const double default_cutoff = 0.95;

typedef struct simulation {
    const hone_options *options;
    hone_recordings *files; /* one list per argument */
    const char *strategy;
    int64_t repeats;
    uint64_t seed;
    hone_replay_budget budget; /* of --budget */
    double *scores;
    size_t n_scores;
    int n_without; /* recordings without a result that was asked for */
} simulation;

/* What the repeats on one recording gave. */
typedef struct summary {
    double best_ns;       /* median; 0: none found a valid one */
    double fraction;      /* of the optimum, mean */
    double evaluations;   /* mean */
    double simulated_s;   /* mean */
    double score;
    int has_score;
    hone_replay_budget budget;
    char message[1024]; /* what is missing and why */
} summary;

/* ---- one recording ------------------------------------------------------ */

static void choose_budget(const simulation *s,
                          const hone_recording *recording,
                          hone_replay_budget *out)
{
    *out = s->budget;
    if (out->evaluations > 0 || out->seconds > 0)
        return;
    /* Without two different times there is nothing to aim at: the whole
     * space. */
    if (hone__replay_cutoff(recording, default_cutoff, out, NULL) != HONE_OK)
        *out = (hone_replay_budget){0, 0};
    else if (out->seconds > 0)
        out->evaluations = 0;
}

static hone_status run_repeats(const simulation *s,
                               const hone_recording *recording, double *best,
                               summary *out, hone_error *err)
{
    const double share = 1 / (double)s->repeats;
    size_t n = 0;

    for (int64_t i = 0; i < s->repeats; ++i) {
        hone_replay_step last;

        HONE_TRY(hone__replay_run(
            &(hone_replay_request){recording, s->strategy, -1,
                                   hone__replay_seed(s->seed, i),
                                   out->budget, 1},
            NULL, NULL, &last, err));
        out->evaluations += share * (double)last.n;
        out->simulated_s += share * last.simulated_s;
        if (last.best_ns <= 0)
            continue;
        out->fraction += share * recording->best_ns / last.best_ns;
        best[n++] = last.best_ns;
    }
    if (n)
        out->best_ns = hone__median(best, n);
    return HONE_OK;
}

static void copy_message(summary *out, const char *text)
{
    (void)snprintf(out->message, sizeof out->message, "%s", text);
}

static hone_status simulate(simulation *s, const hone_recording *recording,
                            summary *out, hone_error *err)
{
    double *best = hone__alloc((size_t)s->repeats * sizeof *best);
    hone_error why = {0};
    hone_status status;

    *out = (summary){0};
    choose_budget(s, recording, &out->budget);
    status = best ? run_repeats(s, recording, best, out, err)
                  : hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    hone__free(best);
    HONE_TRY(status);
    if (out->best_ns <= 0)
        copy_message(out, recording->n_valid
                              ? "no run found a valid configuration"
                              : "every recorded configuration failed");
    if (s->options->text[HONE_OPT_SCORE]) {
        status = hone__replay_score(recording, s->strategy, s->repeats,
                                    s->seed, &out->score, &why);
        out->has_score = status == HONE_OK;
        if (status != HONE_OK && status != HONE_ERR_INPUT) {
            *err = why;
            return status;
        }
        if (out->has_score)
            s->scores[s->n_scores++] = out->score;
        else if (!out->message[0])
            copy_message(out, why.text);
    }
    s->n_without += out->message[0] != '\0';
    return HONE_OK;
}

/* ---- output ------------------------------------------------------------- */

static json_t *positive(double value)
{
    return value > 0 ? json_real(value) : json_null();
}

static json_t *result_row(const simulation *s,
                          const hone_recording *recording, const summary *r)
{
    hone_text label = {0}, device = {0};
    json_t *row;

    hone__recording_label(recording, &label);
    hone__recording_device(recording, &device);
    row = json_pack("{s:s, s:s, s:s, s:s, s:s, s:b, s:I, s:I}", "file",
                    recording->path, "op", recording->op, "label",
                    hone__text_str(&label), "device",
                    hone__text_str(&device), "recording_format",
                    recording->format, "recording_interrupted",
                    recording->interrupted, "configurations",
                    (json_int_t)recording->n_configs, "valid",
                    (json_int_t)recording->n_valid);
    hone__text_free(&label);
    hone__text_free(&device);
    (void)json_object_update_new(
        row,
        json_pack("{s:o, s:o, s:o, s:f, s:f, s:o, s:o, s:s}", "optimum_ns",
                  positive(recording->best_ns), "best_ns",
                  positive(r->best_ns), "fraction",
                  r->best_ns > 0 ? json_real(r->fraction) : json_null(),
                  "evaluations", r->evaluations, "simulated_s",
                  r->simulated_s, "budget_evaluations",
                  r->budget.evaluations > 0
                      ? json_integer(r->budget.evaluations)
                      : json_null(),
                  "budget_s", positive(r->budget.seconds), "message",
                  r->message));
    if (s->options->text[HONE_OPT_SCORE])
        (void)json_object_set_new(
            row, "score", r->has_score ? json_real(r->score) : json_null());
    return row;
}

static hone_output *begin_output(const simulation *s)
{
    static const hone_column columns[] = {
        {"file", "file", HONE_CELL_TEXT},
        {"op", "op", HONE_CELL_TEXT},
        {"label", "problem", HONE_CELL_TEXT},
        {"configurations", "configs", HONE_CELL_NUMBER},
        {"optimum_ns", "optimum", HONE_CELL_TIME_NS},
        {"best_ns", "best found", HONE_CELL_TIME_NS},
        {"fraction", "fraction", HONE_CELL_NUMBER},
        {"evaluations", "evaluations", HONE_CELL_NUMBER},
        {"simulated_s", "simulated s", HONE_CELL_NUMBER},
        {"message", "message", HONE_CELL_TEXT},
        {"score", "score", HONE_CELL_NUMBER},
    };
    const size_t n = sizeof columns / sizeof columns[0];

    return hone__output_begin(
        s->options, "files", columns,
        s->options->text[HONE_OPT_SCORE] ? n : n - 1,
        json_pack("{s:s, s:I, s:I}", "strategy", s->strategy, "repeats",
                  (json_int_t)s->repeats, "seed", (json_int_t)s->seed));
}

/* Mean and median of the scores, null if there is none. */
static json_t *score_tail(simulation *s)
{
    double sum = 0;

    if (!s->options->text[HONE_OPT_SCORE])
        return NULL;
    if (!s->n_scores)
        return json_pack("{s:n, s:n}", "mean", "median");
    for (size_t i = 0; i < s->n_scores; ++i)
        sum += s->scores[i];
    return json_pack("{s:f, s:f}", "mean", sum / (double)s->n_scores,
                     "median", hone__median(s->scores, s->n_scores));
}

/* ---- the command -------------------------------------------------------- */

/* Every file is read before anything is printed. */
static hone_status prepare(simulation *s, hone_error *err)
{
    const hone_options *options = s->options;
    const char *strategy = options->text[HONE_OPT_STRATEGY];
    size_t n = 0;

    s->strategy = strategy ? strategy : "random";
    s->seed = hone__option_seed(options);
    s->repeats = options->text[HONE_OPT_REPEATS]
                     ? options->number[HONE_OPT_REPEATS]
                     : DEFAULT_REPEATS;
    HONE_TRY(hone__option_budget(options, &s->budget.evaluations,
                                 &s->budget.seconds, err));
    s->files = hone__alloc(options->n_args * sizeof *s->files);
    if (!s->files)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < options->n_args; ++i) {
        HONE_TRY(hone__recordings_read(hone__options_arg(options, i),
                                       &s->files[i], err));
        n += s->files[i].n;
        if (s->files[i].items[0]->interrupted)
            hone__message_note("%s ends early: it has %lld trials",
                               s->files[i].items[0]->path,
                               (long long)s->files[i].items[0]->n_configs);
    }
    s->scores = hone__alloc((n + 1) * sizeof *s->scores);
    return s->scores ? HONE_OK
                     : hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
}

static hone_exit run_all(simulation *s)
{
    hone_output *output = begin_output(s);
    hone_error err = {0};
    hone_status status = HONE_OK;
    hone_exit code;

    for (size_t i = 0; status == HONE_OK && i < s->options->n_args; ++i) {
        for (size_t k = 0; status == HONE_OK && k < s->files[i].n; ++k) {
            summary r;

            status = simulate(s, s->files[i].items[k], &r, &err);
            if (status == HONE_OK)
                hone__output_row(output,
                                 result_row(s, s->files[i].items[k], &r));
        }
    }
    code = hone__output_end(output, score_tail(s));
    if (status != HONE_OK)
        return hone__message_error(&err);
    if (code == HONE_EXIT_DONE && s->n_without) {
        hone__message_note("%d recordings have no result; their 'message' "
                           "says why",
                           s->n_without);
        code = HONE_EXIT_NEGATIVE;
    }
    return code;
}

hone_exit hone__cmd_simulate(const hone_options *options)
{
    simulation s = {.options = options};
    hone_error err = {0};
    const hone_status status = prepare(&s, &err);
    hone_exit code;

    if (status == HONE_ERR_ARGUMENT)
        code = hone__message_usage(HONE_CMD_simulate, err.text);
    else if (status != HONE_OK)
        code = hone__message_error(&err);
    else
        code = run_all(&s);
    for (size_t i = 0; s.files && i < options->n_args; ++i)
        hone__recordings_free(&s.files[i]);
    hone__free(s.files);
    hone__free(s.scores);
    return code;
}
