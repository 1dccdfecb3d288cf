/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* realpath */
/* Counters of the winner by NVIDIA's profiler: see explain.h. */
#include "tools/database/explain.h"

#include "runtime/base/alloc.h"
#include "tuner/compile/host_compiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Shares of peaks, what moved, and what a thread takes: what says which unit
 * limits a kernel. Clocks are left as they are. */
static const char metrics[] =
    "gpu__time_duration.sum,"
    "dram__throughput.avg.pct_of_peak_sustained_elapsed,"
    "lts__throughput.avg.pct_of_peak_sustained_elapsed,"
    "l1tex__throughput.avg.pct_of_peak_sustained_elapsed,"
    "sm__throughput.avg.pct_of_peak_sustained_elapsed,"
    "sm__inst_issued.avg.pct_of_peak_sustained_elapsed,"
    "sm__warps_active.avg.pct_of_peak_sustained_active,"
    "dram__bytes_read.sum,dram__bytes_write.sum,launch__registers_per_thread";

/* ---- the command ------------------------------------------------------------
 */

typedef struct ncu_words {
    char self[512];
    hone_text db, dims, kernels;
    hone_ncu_winner winner;
    hone_command_line command;
} ncu_words;

/* The kernels of a launch plan as an expression: "^(a|b)$". */
static void list_kernels(const char *plan, hone_text *out)
{
    for (const char *at = plan; (at = strstr(at, "\nlaunch ")) != NULL;) {
        const size_t length = strcspn(at += 8, "\n");

        hone__text_printf(out, "%s%.*s", out->length ? "|" : "regex:^(",
                          (int)length, at);
    }
    if (out->length)
        hone__text_puts(out, ")$");
}

static hone_status make_command(const hone_explained *about,
                                const char *program, ncu_words *out,
                                hone_error *err)
{
    char *whole = realpath(about->path, NULL);
    const ssize_t n = readlink("/proc/self/exe", out->self, sizeof out->self);

    hone__text_puts(&out->db, whole ? whole : about->path);
    free(whole);
    (void)snprintf(out->self + (n > 0 && (size_t)n < sizeof out->self ? n : 0),
                   1, "%s", "");
    for (size_t i = 0; i < about->n_dims; ++i)
        hone__text_printf(&out->dims, "%s%lld", i ? "," : "",
                          (long long)about->dims[i]);
    hone__command_start(&out->command, program);
    hone__command_add(&out->command, "--clock-control", "none",
                      "--target-processes", "all", "--csv", "--print-units",
                      "base", "--metrics", metrics, "--launch-count", "3",
                      NULL);
    if (out->kernels.length)
        hone__command_add(&out->command, "--kernel-name",
                          hone__text_str(&out->kernels), NULL);
    hone__command_add(&out->command, *out->self ? out->self : "hone", "run",
                      about->op, "--dims", hone__text_str(&out->dims), "--mode",
                      about->mode, "--db", hone__text_str(&out->db), "--format",
                      "json", NULL);
    HONE_TRY(hone__text_check(&out->db, err));
    return hone__text_check(&out->dims, err);
}

/* As a person types it. */
static void spell(const hone_command_line *command, hone_text *out)
{
    for (int i = 0; i < command->n && i < HONE_MAX_WORDS; ++i) {
        const char *word = command->words[i];
        const int is_plain =
            word[strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstu"
                              "vwxyz0123456789_-./,:+=")] == '\0';

        hone__text_printf(out, is_plain ? "%s%s" : "%s'%s'", i ? " " : "",
                          word);
    }
}

/* ---- running it
 * ----------------------------------------------------------------- */

static hone_status store_in(const hone_explained *about,
                            const hone_ncu_winner *winner, hone_text *printed,
                            int64_t *n_stored, hone_error *err)
{
    hone_db *db = NULL;
    hone_status status = hone__db_open(about->path, 0, &db, err);

    if (status == HONE_OK)
        status = hone__db_begin(db, err);
    if (status == HONE_OK)
        status =
            hone__db_end(db,
                         hone__explain_ncu_store(db, winner->trial_id,
                                                 printed->data, n_stored, err),
                         err);
    hone__db_close(db);
    return status;
}

/* The last line that says something. */
static void last_words(const hone_text *printed, char out[200])
{
    const char *at = hone__text_str(printed);

    (void)snprintf(out, 200, "it is not here");
    while (at && *at) {
        const size_t length = strcspn(at, "\n");

        if (length)
            (void)snprintf(out, 200, "%.*s", (int)length, at);
        at += length + (at[length] == '\n');
    }
}

static hone_status profile(const hone_explained *about, ncu_words *words,
                           char why[200], hone_error *err)
{
    const char *tmp = getenv("TMPDIR");
    char folder[512], path[600];
    hone_text printed = {0};
    int64_t n_stored = 0;
    hone_status status = HONE_OK;

    (void)snprintf(folder, sizeof folder, "%s/hone-ncu-XXXXXX",
                   tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(folder))
        return hone__fail(err, HONE_ERR_IO,
                          "there can be no folder '%s'; TMPDIR names another",
                          folder);
    (void)snprintf(path, sizeof path, "%s/text", folder);
    {
        const int code = hone__command_run(&words->command, folder, "text", 0);

        if (access(path, R_OK) == 0)
            status = hone__text_read_file(&printed, path, err);
        last_words(&printed, why);
        if (status == HONE_OK && code == 0 && printed.data &&
            hone__explain_ncu_is_of(&words->winner, printed.data, why))
            status = store_in(about, &words->winner, &printed, &n_stored, err);
    }
    (void)unlink(path);
    (void)rmdir(folder);
    hone__text_free(&printed);
    if (status == HONE_OK && n_stored)
        why[0] = '\0';
    return status;
}

static hone_status on_winner(void *user, const hone_db_row *row,
                             hone_error *err)
{
    ncu_words *words = user;
    hone_ncu_winner *winner = &words->winner;

    winner->trial_id = row->values[0].integer;
    list_kernels(row->values[1].text, &words->kernels);
    hone__text_puts(&winner->implementation, row->values[2].text);
    hone__text_puts(&winner->config, row->values[3].text);
    hone__text_puts(&winner->card, row->values[4].text);
    HONE_TRY(hone__text_check(&winner->implementation, err));
    HONE_TRY(hone__text_check(&winner->config, err));
    HONE_TRY(hone__text_check(&winner->card, err));
    return hone__text_check(&words->kernels, err);
}

static void words_free(ncu_words *words)
{
    hone__text_free(&words->db);
    hone__text_free(&words->dims);
    hone__text_free(&words->kernels);
    hone__text_free(&words->winner.implementation);
    hone__text_free(&words->winner.config);
    hone__text_free(&words->winner.card);
}

hone_status hone__explain_profile(const hone_explained *about,
                                  hone_text *out_command, char why[200],
                                  hone_error *err)
{
    const hone_db_value values[] = {hone__db_integer(about->problem_id),
                                    hone__db_integer(about->device_id),
                                    hone__db_text(about->mode)};
    const char *home = getenv("CUDA_HOME");
    char places[3][520];
    ncu_words words = {.self = ""};
    hone_status status = hone__db_query(
        about->db,
        "SELECT trial_id, launch_plan, template_name, config, device_name"
        " FROM ranked_v1 WHERE problem_id = ?1"
        " AND (device_id, mode) = (?2, ?3) AND rank = 1",
        values, 3, on_winner, &words, err);

    if (status == HONE_OK && strcmp(about->device_kind, "cuda") != 0)
        status = hone__fail(err, HONE_ERR_UNSUPPORTED,
                            "ncu counts on GPUs, and this was tuned on '%s'",
                            about->device);
    if (status == HONE_OK && !words.winner.trial_id)
        status = hone__fail(err, HONE_ERR_NOT_FOUND,
                            "there is no winner that ncu could run");
    (void)snprintf(places[0], sizeof places[0], "ncu");
    (void)snprintf(places[1], sizeof places[1], "%s/bin/ncu", home ? home : "");
    (void)snprintf(places[2], sizeof places[2], "/usr/local/cuda/bin/ncu");
    (void)snprintf(why, 200, "there is no winner");
    for (size_t i = 0; i < 3 && status == HONE_OK && *why; ++i) {
        hone__text_free(&words.db);
        hone__text_free(&words.dims);
        status = make_command(about, places[i], &words, err);
        if (status == HONE_OK && !i)
            spell(&words.command, out_command);
        if (status == HONE_OK && (!i || access(places[i], X_OK) == 0))
            status = profile(about, &words, why, err);
        if (strcmp(why, "it is not here") != 0)
            break;
    }
    words_free(&words);
    return status;
}

/* ---- what is stored ---------------------------------------------------------
 */

static hone_status on_counter(void *user, const hone_db_row *row,
                              hone_error *err)
{
    const hone_db_value *v = row->values;
    json_t **rows = user;

    (void)err;
    *rows = hone__json_append(
        *rows, hone__json("kernel:s counter:s value:f unit:s", v[0].text,
                          v[1].text, v[2].real, v[3].text));
    return HONE_OK;
}

json_t *hone__explain_counters(const hone_explained *about, hone_error *err)
{
    const hone_db_value values[] = {hone__db_integer(about->problem_id),
                                    hone__db_integer(about->device_id),
                                    hone__db_text(about->mode)};
    json_t *rows = json_array();

    if (hone__db_query(about->db,
                       "SELECT kernel, name, value, unit FROM counter_v1"
                       " WHERE trial_id = (SELECT r.trial_id FROM ranking r"
                       "  WHERE r.problem_id = ?1 AND r.device_id = ?2"
                       "  AND r.mode = ?3 AND r.rank = 1)"
                       " AND kernel <> '(run)'" /* of hone tune --objective */
                       " ORDER BY kernel, name",
                       values, 3, on_counter, &rows, err) == HONE_OK)
        return rows;
    json_decref(rows);
    return NULL;
}
