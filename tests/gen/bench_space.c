/* SPDX-License-Identifier: Apache-2.0 */
/* What search spaces cost. In each round every file is taken once: its text,
 * which is in memory, is read (JSON and expressions), the space is built, and
 * all configurations are written to memory that is allocated for it; then
 * single operations on random configurations. Files of more than --most
 * configurations are not written out. Prints one JSON object.
 *
 *   bench_space [--rounds N] [--most N] FILE.json.. */
#include "gen/space.h"
#include "runtime/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_FILES = 32, MAX_ROUNDS = 1000, N_OPERATIONS = 2000 };

typedef enum phase {
    PHASE_READ_MS,
    PHASE_BUILD_MS,
    PHASE_LIST_MS,
    PHASE_ALL_MS,
    PHASE_GET_NS, /* value indexes of a number, of one configuration */
    PHASE_FIND_NS,
    N_PHASES
} phase;

static const char *const phase_names[N_PHASES] = {
    "read_ms", "build_ms", "list_ms", "all_ms", "get_ns", "find_ns"};

typedef struct subject {
    const char *path;
    hone_text text;
    int64_t raw;
    int64_t valid;
    double rounds[N_PHASES][MAX_ROUNDS];
} subject;

static subject subjects[MAX_FILES];
static double totals[MAX_ROUNDS]; /* all_ms of the files that are listed */
static volatile int64_t sink;

static double now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void must(hone_status status, const hone_error *err)
{
    if (status == HONE_OK)
        return;
    (void)fprintf(stderr, "bench_space: %s\n", err->text);
    exit(3);
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state ^ *state >> 32;
}

/* Single operations, each on N_OPERATIONS configurations. */
static void operate(subject *s, const hone_space *space, size_t round)
{
    static int64_t index[N_OPERATIONS];
    static int values[N_OPERATIONS][64];
    uint64_t random = round;
    double at[3];
    int64_t sum = 0;

    for (size_t i = 0; i < N_OPERATIONS; ++i)
        index[i] = (int64_t)(next_random(&random) % (uint64_t)space->count);
    at[0] = now_ns();
    for (size_t i = 0; i < N_OPERATIONS; ++i)
        hone__space_get_indexes(space, index[i], values[i]);
    at[1] = now_ns();
    for (size_t i = 0; i < N_OPERATIONS; ++i)
        sum += hone__space_find_indexes(space, values[i]);
    at[2] = now_ns();
    sink = sum;
    s->rounds[PHASE_GET_NS][round] = (at[1] - at[0]) / N_OPERATIONS;
    s->rounds[PHASE_FIND_NS][round] = (at[2] - at[1]) / N_OPERATIONS;
}

static void run_one(subject *s, size_t round, int64_t most)
{
    hone_diagnostics diagnostics;
    hone_error err = {0};
    hone_space *space;
    hone_t1 *t1;
    double at[4];

    at[0] = now_ns();
    must(hone__t1_read(s->path, hone__text_str(&s->text), s->text.length, &t1,
                       &diagnostics, &err),
         &err);
    at[1] = now_ns();
    must(hone__space_create_t1(t1, &space, &err), &err);
    at[2] = now_ns();
    s->raw = space->raw;
    s->valid = space->count;
    if (s->valid <= most) {
        const size_t width = space->n_params;
        uint16_t *list = malloc(((size_t)s->valid * width + 1) * sizeof *list);

        hone__space_rows(space, 0, s->valid, list);
        at[3] = now_ns();
        sink = list[(size_t)s->valid / 2 * width];
        free(list);
    } else {
        at[3] = at[2];
    }
    s->rounds[PHASE_READ_MS][round] = (at[1] - at[0]) * 1e-6;
    s->rounds[PHASE_BUILD_MS][round] = (at[2] - at[1]) * 1e-6;
    s->rounds[PHASE_LIST_MS][round] = (at[3] - at[2]) * 1e-6;
    s->rounds[PHASE_ALL_MS][round] = (at[3] - at[0]) * 1e-6;
    if (s->valid <= most)
        totals[round] += s->rounds[PHASE_ALL_MS][round];
    if (s->valid)
        operate(s, space, round);
    hone__space_free(space);
    hone__t1_free(t1);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Median, and half the range between the quartiles. */
static void print_figure(const char *name, double *values, size_t n,
                         const char *before)
{
    qsort(values, n, sizeof *values, compare);
    (void)printf("%s\"%s\": {\"median\": %.6g, \"spread\": %.3g}", before, name,
                 values[n / 2], (values[n * 3 / 4] - values[n / 4]) / 2);
}

int main(int argc, char **argv)
{
    size_t n_rounds = 200;
    size_t n_files = 0;
    int64_t most = 1000000;
    hone_error err = {0};

    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--rounds") == 0 && i + 1 < argc)
            n_rounds = strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--most") == 0 && i + 1 < argc)
            most = strtoll(argv[++i], NULL, 10);
        else if (n_files < MAX_FILES)
            subjects[n_files++].path = argv[i];
    }
    if (!n_files || !n_rounds || n_rounds > MAX_ROUNDS) {
        (void)fprintf(stderr, "usage: bench_space [--rounds N] [--most N] "
                              "FILE.json..\n");
        return 2;
    }
    for (size_t f = 0; f < n_files; ++f)
        must(hone__text_read_file(&subjects[f].text, subjects[f].path, &err),
             &err);
    for (size_t round = 0; round < n_rounds; ++round) {
        for (size_t f = 0; f < n_files; ++f)
            run_one(&subjects[f], round, most);
    }
    (void)printf("{\"rounds\": %zu,\n", n_rounds);
    print_figure("all_files_ms", totals, n_rounds, " ");
    (void)printf(",\n \"files\": {");
    for (size_t f = 0; f < n_files; ++f) {
        subject *s = &subjects[f];

        (void)printf("%s\n  \"%s\": {\"raw\": %lld, \"valid\": %lld",
                     f ? "," : "", s->path, (long long)s->raw,
                     (long long)s->valid);
        for (int p = 0; p < N_PHASES; ++p)
            print_figure(phase_names[p], s->rounds[p], n_rounds, ",\n   ");
        (void)printf("}");
        hone__text_free(&s->text);
    }
    (void)printf("\n }}\n");
    return 0;
}
