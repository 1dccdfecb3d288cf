/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings in memory: parameters, values and trials, each configuration
 * once. The readers of the formats fill them. */
#include "tuner/replay/replay_recording.h"

#include "runtime/base/grow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static hone_status out_of_memory(hone_error *err)
{
    return hone__fail(err, HONE_ERR_NO_MEMORY,
                      "out of memory while reading a recording");
}

/* ---- life --------------------------------------------------------------- */

hone_status hone__recording_text(hone_recording *recording, const char *text,
                                 const char **out, hone_error *err)
{
    char *copy = hone__arena_strndup(&recording->arena, text, strlen(text));

    if (!copy)
        return out_of_memory(err);
    *out = copy;
    return HONE_OK;
}

/* "gemm" of "folder/gemm.json.gz". */
static const char *op_of_file(hone_recording *recording)
{
    static const char *const endings[] = {".gz", ".json", ".db"};
    const char *base = recording->file;
    size_t length = strlen(base);

    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; ++i) {
        const size_t n = strlen(endings[i]);

        if (length > n && strncmp(base + length - n, endings[i], n) == 0)
            length -= n;
    }
    return hone__arena_strndup(&recording->arena, base, length);
}

hone_status hone__recording_add(hone_recordings *list, const char *path,
                                const char *format, hone_recording **out,
                                hone_error *err)
{
    hone_recording *recording = hone__alloc(sizeof *recording);

    *out = NULL;
    if (!recording || !HONE_GROW(list->items, list->n)) {
        hone__free(recording);
        return out_of_memory(err);
    }
    list->items[list->n++] = recording;
    recording->format = format;
    recording->device = "";
    recording->mode = HONE_MODE_HOT;
    recording->default_index = -1;
    HONE_TRY(hone__recording_text(recording, path, &recording->path, err));
    recording->file = strrchr(recording->path, '/');
    recording->file = recording->file ? recording->file + 1 : recording->path;
    recording->op = op_of_file(recording);
    if (!recording->op)
        return out_of_memory(err);
    *out = recording;
    return HONE_OK;
}

void hone__recordings_free(hone_recordings *recordings)
{
    for (size_t i = 0; i < recordings->n; ++i) {
        hone_recording *recording = recordings->items[i];

        for (size_t p = 0; p < recording->n_params; ++p)
            hone__free(recording->params[p].values);
        hone__free(recording->params);
        hone__free(recording->values);
        hone__free(recording->trials);
        hone__free(recording->table);
        hone__arena_free(&recording->arena);
        hone__free(recording);
    }
    hone__free(recordings->items);
    *recordings = (hone_recordings){0};
}

/* ---- parameters --------------------------------------------------------- */

long hone__recording_find_param(const hone_recording *recording,
                                const char *name)
{
    for (size_t i = 0; i < recording->n_params; ++i)
        if (strcmp(recording->params[i].name, name) == 0)
            return (long)i;
    return -1;
}

hone_status hone__recording_add_param(hone_recording *recording,
                                      const char *name, hone_error *err)
{
    const size_t n = recording->n_params;

    if (n == HONE_MAX_RECORDED_PARAMS)
        return hone__fail(err, HONE_ERR_INPUT, "%s: more than %d parameters",
                          recording->path, HONE_MAX_RECORDED_PARAMS);
    if (!HONE_GROW(recording->params, n))
        return out_of_memory(err);
    recording->params[n] = (hone_recorded_param){0};
    ++recording->n_params;
    return hone__recording_text(recording, name, &recording->params[n].name,
                                err);
}

hone_status hone__recording_value(hone_recording *recording, size_t param,
                                  const char *text, uint32_t *out,
                                  hone_error *err)
{
    hone_recorded_param *p = &recording->params[param];

    for (size_t i = 0; i < p->n_values; ++i) {
        if (strcmp(p->values[i], text) == 0) {
            *out = (uint32_t)i;
            return HONE_OK;
        }
    }
    if (!HONE_GROW(p->values, p->n_values))
        return out_of_memory(err);
    HONE_TRY(
        hone__recording_text(recording, text, &p->values[p->n_values], err));
    *out = (uint32_t)p->n_values++;
    return HONE_OK;
}

/* ---- trials ------------------------------------------------------------- */

static const uint32_t *values_of(const hone_recording *recording, int64_t index)
{
    return recording->values + (size_t)index * recording->n_params;
}

/* The place of a configuration in the table: its own, or the empty one where
 * it belongs. */
static size_t find_place(const hone_recording *recording,
                         const uint32_t *values)
{
    const size_t bytes = recording->n_params * sizeof *values;
    size_t at = hone__hash64(values, bytes) & (recording->table_size - 1);

    while (recording->table[at] &&
           memcmp(values_of(recording, recording->table[at] - 1), values,
                  bytes) != 0)
        at = (at + 1) & (recording->table_size - 1);
    return at;
}

static hone_status grow(hone_recording *recording, hone_error *err)
{
    const int64_t capacity =
        recording->capacity ? 2 * recording->capacity : 256;
    const size_t n = (size_t)capacity;
    uint32_t *values = hone__realloc(
        recording->values, n * (recording->n_params + 1) * sizeof *values);
    hone_recorded_trial *trials;
    int64_t *table;

    if (!values)
        return out_of_memory(err);
    recording->values = values;
    trials = hone__realloc(recording->trials, n * sizeof *trials);
    if (!trials)
        return out_of_memory(err);
    recording->trials = trials;
    table = hone__alloc(2 * n * sizeof *table);
    if (!table)
        return out_of_memory(err);
    hone__free(recording->table);
    recording->table = table;
    recording->table_size = 2 * n;
    recording->capacity = capacity;
    for (int64_t i = 0; i < recording->n_configs; ++i)
        table[find_place(recording, values_of(recording, i))] = i + 1;
    return HONE_OK;
}

hone_status hone__recording_put(hone_recording *recording,
                                const uint32_t *values,
                                const hone_recorded_trial *trial,
                                int64_t *out_index, hone_error *err)
{
    size_t place;

    if (recording->n_configs == recording->capacity)
        HONE_TRY(grow(recording, err));
    place = find_place(recording, values);
    if (!recording->table[place]) {
        memcpy(recording->values +
                   (size_t)recording->n_configs * recording->n_params,
               values, recording->n_params * sizeof *values);
        recording->table[place] = ++recording->n_configs;
    }
    *out_index = recording->table[place] - 1;
    recording->trials[*out_index] = *trial;
    return HONE_OK;
}

double hone__recorded_cost_s(const hone_recorded_trial *trial)
{
    double sum = 0;

    for (int i = 0; i < HONE_N_COSTS; ++i)
        sum += trial->cost_s[i];
    return sum;
}

/* The hash of what it says: two files with the same trials are the same
 * device when they are replayed. */
static hone_status hash_contents(hone_recording *recording, hone_error *err)
{
    hone_text text = {0};
    hone_status status;

    hone__text_printf(&text, "%s\n%s\n", recording->op, recording->device);
    for (int64_t i = 0; i < recording->n_configs; ++i) {
        const hone_recorded_trial *trial = &recording->trials[i];

        hone__recording_config(recording, i, &text);
        hone__text_printf(&text, "|%s|%.17g|%.17g\n",
                          hone__outcome_name(trial->outcome), trial->time_ns,
                          hone__recorded_cost_s(trial));
    }
    status = hone__text_check(&text, err);
    if (status == HONE_OK)
        hone__sha256_hex(text.data, text.length, recording->sha256);
    hone__text_free(&text);
    return status;
}

static int is_number(const char *text, double *out)
{
    char *end = NULL;

    /* Where there is no such parameter: before all others. */
    *out = *text ? strtod(text, &end) : -INFINITY;
    return !*text || (end != text && *end == '\0');
}

/* Files list values as their trials have them; neighbours in a search are
 * neighbouring numbers. Booleans and words stay as they came. */
static hone_status rank_values(hone_arena *arena, hone_recorded_param *param,
                               hone_error *err)
{
    const size_t n = param->n_values;
    double *numbers = hone__arena_alloc(arena, n * sizeof *numbers);
    int are_numbers = 1;

    param->rank = hone__arena_alloc(arena, n * sizeof *param->rank);
    param->by_rank = hone__arena_alloc(arena, n * sizeof *param->by_rank);
    if (!numbers || !param->rank || !param->by_rank)
        return out_of_memory(err);
    for (size_t i = 0; i < n; ++i)
        are_numbers = are_numbers && is_number(param->values[i], &numbers[i]);
    for (size_t i = 0; i < n; ++i) {
        size_t at = i;

        for (; are_numbers && at > 0 &&
               numbers[param->by_rank[at - 1]] > numbers[i];
             --at)
            param->by_rank[at] = param->by_rank[at - 1];
        param->by_rank[at] = (int)i;
    }
    for (size_t i = 0; i < n; ++i)
        param->rank[param->by_rank[i]] = (int)i;
    return HONE_OK;
}

static hone_status rank_all_values(hone_recording *recording, hone_error *err)
{
    recording->n_values = hone__arena_alloc(
        &recording->arena, recording->n_params * sizeof *recording->n_values);
    if (!recording->n_values)
        return out_of_memory(err);
    for (size_t i = 0; i < recording->n_params; ++i) {
        recording->n_values[i] = (int)recording->params[i].n_values;
        HONE_TRY(rank_values(&recording->arena, &recording->params[i], err));
    }
    return HONE_OK;
}

hone_status hone__recording_finish(hone_recording *recording, double unit_s,
                                   hone_error *err)
{
    if (recording->n_configs == 0)
        return hone__fail(err, HONE_ERR_INPUT,
                          "%s: there is no trial in this file",
                          recording->path);
    for (int64_t i = 0; i < recording->n_configs; ++i) {
        hone_recorded_trial *trial = &recording->trials[i];

        for (int c = 0; c < HONE_N_COSTS; ++c)
            trial->cost_s[c] *= unit_s;
        trial->time_ns *= 1e9 * unit_s;
        recording->total_s += hone__recorded_cost_s(trial);
        if (trial->outcome != HONE_OUTCOME_OK)
            continue;
        if (++recording->n_valid == 1 || trial->time_ns < recording->best_ns)
            recording->best_ns = trial->time_ns;
    }
    HONE_TRY(rank_all_values(recording, err));
    return hash_contents(recording, err);
}

/* ---- as a space --------------------------------------------------------- */

static void get_ranks(const void *user, int64_t index, int *out_ranks)
{
    const hone_recording *recording = user;
    const uint32_t *values = values_of(recording, index);

    for (size_t i = 0; i < recording->n_params; ++i)
        out_ranks[i] = recording->params[i].rank[values[i]];
}

/* What was not recorded is not valid. */
static int64_t find_ranks(const void *user, int *ranks)
{
    const hone_recording *recording = user;
    uint32_t values[HONE_MAX_RECORDED_PARAMS];

    for (size_t i = 0; i < recording->n_params; ++i)
        values[i] = (uint32_t)recording->params[i].by_rank[ranks[i]];
    return recording->table[find_place(recording, values)] - 1;
}

static void describe(const void *user, size_t param, int rank, hone_text *out)
{
    const hone_recorded_param *p =
        &((const hone_recording *)user)->params[param];

    hone__text_puts(out, rank < 0 ? p->name : p->values[p->by_rank[rank]]);
}

hone_search_space hone__recording_space(const hone_recording *recording)
{
    return (hone_search_space){.count = recording->n_configs,
                               .n_params = recording->n_params,
                               .n_values = recording->n_values,
                               .get = get_ranks,
                               .find = find_ranks,
                               .user = recording,
                               .describe = describe};
}

void hone__recording_config(const hone_recording *recording, int64_t index,
                            hone_text *out)
{
    const uint32_t *values = values_of(recording, index);
    const char *separator = "";

    for (size_t i = 0; i < recording->n_params; ++i) {
        const char *value = recording->params[i].values[values[i]];

        if (*value)
            hone__text_printf(out, "%s%s=%s", separator,
                              recording->params[i].name, value);
        separator = *value ? "," : separator;
    }
}
