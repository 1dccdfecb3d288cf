/* SPDX-License-Identifier: Apache-2.0 */
/* A strategy of one's own: a program that is asked and told over two pipes.
 * hone-strategy(5) is the protocol. What a program does wrong ends the search
 * with a sentence: going on by chance would spend a budget, and report as
 * the strategy's, what it never proposed. */
#include "tuner/search/asked_program.h"
#include "tuner/search/strategy.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_REFUSED = 1000, /* answers to one question */
    MOST_UNSENT = 1 << 16
};
static const double answer_s = 60;

typedef struct exec {
    hone_program program;
    int *row;
} exec;

/* ---- what is said -------------------------------------------------------- */

/* A word of the protocol: %20 for a blank, % for no text. */
static void put_word(const char *text, hone_text *out)
{
    if (!*text)
        hone__text_puts(out, "%");
    for (; *text; ++text) {
        const unsigned char c = (unsigned char)*text;

        if (c <= ' ' || c == '%' || c == 127)
            hone__text_printf(out, "%%%02x", c);
        else
            hone__text_append(out, text, 1);
    }
}

static void put_param(const hone_search_space *space, size_t param,
                      hone_text *out)
{
    hone_text word = {0};

    hone__text_puts(out, "param");
    for (int value = -1; value < space->n_values[param]; ++value) {
        hone__text_clear(&word);
        if (space->describe)
            space->describe(space->user, param, value, &word);
        else
            hone__text_printf(&word, value < 0 ? "p%d" : "%d",
                              value < 0 ? (int)param : value);
        hone__text_puts(out, " ");
        put_word(hone__text_str(&word), out);
    }
    hone__text_puts(out, "\n");
    out->failed |= word.failed;
    hone__text_free(&word);
}

static void put_values(const hone_search *search, const int *values,
                       hone_text *out)
{
    for (size_t i = 0; i < search->space.n_params; ++i)
        hone__text_printf(out, " %d", values[i]);
    hone__text_puts(out, "\n");
}

static void put_greeting(const hone_search *search, hone_text *out)
{
    hone__text_printf(
        out, "hone-strategy 1\nseed %llu\nbudget %lld\ncount %lld\n",
        (unsigned long long)search->seed, (long long)search->budget_trials,
        (long long)search->space.count);
    for (size_t i = 0; i < search->space.n_params; ++i)
        put_param(&search->space, i, out);
    hone__text_puts(out, "go\n");
}

/* ---- what is wrong ------------------------------------------------------- */

static hone_status blame(const hone_search *search, hone_error *err)
{
    const hone_error why = *err;

    return why.status == HONE_ERR_IO
               ? hone__fail(err, HONE_ERR_IO,
                            "the strategy '%.200s' failed: %.600s; what it "
                            "has to say is in hone-strategy(5)",
                            search->spec.command, why.text)
               : why.status;
}

static hone_status garbled(const char *line, const char *wanted,
                           hone_error *err)
{
    return hone__fail(err, HONE_ERR_IO, "its answer was '%.60s' and not '%s'",
                      line, wanted);
}

/* ---- what it says -------------------------------------------------------- */

/* "try 0 3 1": value indexes of all parameters. */
static hone_status read_values(const hone_search *search, const char *line,
                               int *out, hone_error *err)
{
    const char *at = line + strlen("try");

    for (size_t i = 0; i < search->space.n_params; ++i) {
        char *end = NULL;
        const long value = strtol(at, &end, 10);

        if (end == at || value < 0 || value >= search->space.n_values[i])
            return hone__fail(err, HONE_ERR_IO,
                              "its answer '%.60s' has no value 0 to %d for "
                              "parameter %zu",
                              line, search->space.n_values[i] - 1, i + 1);
        out[i] = (int)value;
        at = end;
    }
    while (isspace((unsigned char)*at))
        ++at;
    return *at ? hone__fail(err, HONE_ERR_IO,
                            "its answer '%.60s' has more than %zu values", line,
                            search->space.n_params)
               : HONE_OK;
}

/* *out -1: it has no idea, or was refused too often. */
static hone_status ask(hone_search *search, int64_t *out, hone_error *err)
{
    exec *e = search->state;

    hone__text_puts(&e->program.out, "ask\n");
    for (int i = 0;; ++i) {
        char *line = NULL;

        HONE_TRY(hone__program_ask(&e->program, &line, err));
        *out = -1;
        if (strcmp(line, "pass") == 0)
            return HONE_OK;
        if (strncmp(line, "try ", 4) != 0)
            return garbled(line, "try 0 3 1' or 'pass", err);
        HONE_TRY(read_values(search, line, e->row, err));
        *out = search->space.find(search->space.user, e->row);
        if (hone__search_is_new(search, *out))
            return HONE_OK;
        if (i + 1 == MOST_REFUSED)
            break; /* nothing said: it would be answered once more */
        hone__text_puts(&e->program.out, *out < 0 ? "invalid\n" : "known\n");
    }
    *out = -1;
    return HONE_OK;
}

/* ---- the strategy -------------------------------------------------------- */

static hone_status start(hone_search *search, hone_error *err)
{
    exec *e = search->state;
    char *line = NULL;
    hone_status status;

    e->program.to = e->program.from = -1;
    e->row =
        hone__search_alloc(search, search->space.n_params * sizeof(int), err);
    if (!e->row)
        return HONE_ERR_NO_MEMORY;
    HONE_TRY(
        hone__program_start(search->spec.command,
                            search->answer_s > 0 ? search->answer_s : answer_s,
                            search->stop, &e->program, err));
    put_greeting(search, &e->program.out);
    status = hone__program_ask(&e->program, &line, err);
    if (status == HONE_OK && strcmp(line, "hone-strategy 1") != 0)
        status = garbled(line, "hone-strategy 1", err);
    return status == HONE_OK ? status : blame(search, err);
}

/* One by chance is the search's to take: it says so all the same. */
static int64_t propose(hone_search *search)
{
    exec *e = search->state;
    int64_t index = -1;

    if (search->failure.status != HONE_OK)
        return -1;
    if (ask(search, &index, &search->failure) != HONE_OK) {
        (void)blame(search, &search->failure);
        hone__program_stop(&e->program);
        return -1;
    }
    if (index < 0)
        index = hone__search_any_new(search);
    if (index >= 0) {
        search->space.get(search->space.user, index, e->row);
        hone__text_puts(&e->program.out, "taken");
        put_values(search, e->row, &e->program.out);
    }
    return index;
}

static void learn(hone_search *search, int64_t slot)
{
    exec *e = search->state;
    const double time_ns = search->trials[slot].time_ns;

    if (search->failure.status != HONE_OK)
        return;
    if (isinf(time_ns))
        hone__text_puts(&e->program.out, "tell failed");
    else
        hone__text_printf(&e->program.out, "tell %.17g", time_ns);
    put_values(search, hone__search_values(search, slot), &e->program.out);
    if (e->program.out.length < MOST_UNSENT ||
        hone__program_ask(&e->program, NULL, &search->failure) == HONE_OK)
        return;
    (void)blame(search, &search->failure);
    hone__program_stop(&e->program);
}

static void finish(hone_search *search)
{
    exec *e = search->state;

    if (!e || !e->program.pid)
        return;
    if (search->failure.status == HONE_OK) {
        hone__text_puts(&e->program.out, "end\n");
        e->program.answer_s = 1;
        (void)hone__program_ask(&e->program, NULL, NULL);
    }
    hone__program_stop(&e->program);
}

const hone_strategy hone__strategy_exec = {
    .name = "exec",
    .summary = "a program of yours that is asked and told over its standard "
               "input and output: hone-strategy(5)",
    .asks_at_once = 1,
    .state_bytes = sizeof(exec),
    .start = start,
    .propose = propose,
    .learn = learn,
    .finish = finish,
};
