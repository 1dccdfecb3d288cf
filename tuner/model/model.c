/* SPDX-License-Identifier: Apache-2.0 */
/* A model as data: its parts, its text, the rows that it is made from. */
#include "tuner/model/model.h"

#include "runtime/base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void hone__model_free(hone_model *model)
{
    for (size_t i = 0; i < model->n_parts; ++i) {
        hone__free(model->parts[i].implementation);
        hone__free(model->parts[i].feature_names);
        hone__boost_free(model->parts[i].boost);
    }
    hone__free(model->parts);
    *model = (hone_model){0};
}

void hone__model_rows_free(hone_model_rows *rows)
{
    hone__text_free(&rows->trials);
    hone__text_free(&rows->features);
    *rows = (hone_model_rows){0};
}

hone_status hone__model_add(hone_model_rows *rows, size_t problem,
                            double slowdown, const float *features,
                            hone_error *err)
{
    const hone_model_trial trial = {problem, slowdown};

    hone__text_append(&rows->trials, (const char *)&trial, sizeof trial);
    hone__text_append(&rows->features, (const char *)features,
                      rows->n_features * sizeof *features);
    HONE_TRY(hone__text_check(&rows->trials, err));
    return hone__text_check(&rows->features, err);
}

size_t hone__model_rows_count(const hone_model_rows *rows)
{
    return rows->trials.length / sizeof(hone_model_trial);
}

const hone_model_part *hone__model_part(const hone_model *model,
                                        const char *implementation,
                                        const hone_features *features)
{
    hone_text names = {0};
    const hone_model_part *found = NULL;

    hone__features_identify(features, &names);
    for (size_t i = 0; i < model->n_parts && !names.failed; ++i) {
        const hone_model_part *part = &model->parts[i];

        if (strcmp(part->implementation, implementation) == 0 &&
            strcmp(part->feature_names, hone__text_str(&names)) == 0)
            found = part;
    }
    hone__text_free(&names);
    return found;
}

double hone__model_guess(const hone_model_part *part, hone_features *features,
                         const int64_t *config, float *row)
{
    double cost = 0;

    if (hone__features_have_cost(features))
        cost = hone__features_cost(features, config, row);
    else
        hone__features_get(features, config, row);
    return hone__boost_predict(part->boost, row) + cost;
}

/* ---- text ---------------------------------------------------------------- */

/* 1: trees of templates with an estimate of their own knew nothing of it. */
static const char first_line[] = "hone-model 2";

void hone__model_write(const hone_model *model, const char *op, hone_text *out)
{
    hone__text_printf(out, "%s\nop %s\ntrials %zu\nproblems %zu\nerror %.6g\n",
                      first_line, op, model->n_trials, model->n_problems,
                      model->error);
    for (size_t i = 0; i < model->n_parts; ++i) {
        const hone_model_part *part = &model->parts[i];

        hone__text_printf(out, "implementation %s\nfeatures %zu %s\n",
                          part->implementation, part->n_features,
                          part->feature_names);
        hone__boost_write(part->boost, out);
    }
    hone__text_puts(out, "end\n");
}

static hone_status refuse(hone_error *err)
{
    return hone__fail(err, HONE_ERR_INPUT,
                      "this model is damaged or of another hone; 'hone tune' "
                      "makes a new one");
}

/* "KEY REST": the rest of the line, NUL-terminated in `out`; 0: another key. */
static int take_line(const char **cursor, const char *key, hone_text *out)
{
    const size_t length = strlen(key);
    const char *const end = strchr(*cursor, '\n');

    if (!end || strncmp(*cursor, key, length) != 0 || (*cursor)[length] != ' ')
        return 0;
    hone__text_clear(out);
    hone__text_append(out, *cursor + length + 1,
                      (size_t)(end - *cursor) - length - 1);
    *cursor = end + 1;
    return !out->failed;
}

static char *copy_of(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = hone__alloc(size);

    if (copy)
        memcpy(copy, text, size);
    return copy;
}

static hone_status read_part(const char **cursor, hone_text *line,
                             hone_model *model, hone_error *err)
{
    hone_model_part *part;
    hone_model_part *parts = hone__realloc(
        model->parts, (model->n_parts + 1) * sizeof *model->parts);
    char *names = NULL;

    if (!parts)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    model->parts = parts;
    part = &parts[model->n_parts++];
    *part = (hone_model_part){.implementation = copy_of(hone__text_str(line))};
    if (!take_line(cursor, "features", line))
        return refuse(err);
    part->n_features = strtoul(hone__text_str(line), &names, 10);
    if (*names != ' ' || part->n_features < 1 || part->n_features > 100000)
        return refuse(err);
    part->feature_names = copy_of(names + 1);
    if (!part->implementation || !part->feature_names)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    return hone__boost_read(cursor, part->n_features, &part->boost, err);
}

static hone_status read_all(const char *cursor, hone_text *line,
                            hone_model *model, hone_error *err)
{
    const size_t length = sizeof first_line - 1;

    if (strncmp(cursor, first_line, length) != 0 || cursor[length] != '\n')
        return refuse(err);
    cursor += length + 1;
    if (!take_line(&cursor, "op", line) || !take_line(&cursor, "trials", line))
        return refuse(err);
    model->n_trials = strtoul(hone__text_str(line), NULL, 10);
    if (!take_line(&cursor, "problems", line))
        return refuse(err);
    model->n_problems = strtoul(hone__text_str(line), NULL, 10);
    if (!take_line(&cursor, "error", line))
        return refuse(err);
    model->error = strtod(hone__text_str(line), NULL);
    while (take_line(&cursor, "implementation", line))
        HONE_TRY(read_part(&cursor, line, model, err));
    return strcmp(cursor, "end\n") == 0 ? HONE_OK : refuse(err);
}

hone_status hone__model_read(const char *text, hone_model *out, hone_error *err)
{
    hone_text line = {0};
    hone_status status;

    *out = (hone_model){0};
    status = read_all(text, &line, out, err);
    hone__text_free(&line);
    if (status != HONE_OK)
        hone__model_free(out);
    return status;
}
