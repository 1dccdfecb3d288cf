/* SPDX-License-Identifier: Apache-2.0 */
/* Problems and candidates from the database: see matrix.h. */
#include "tuner/portfolio/matrix.h"

#include "runtime/base/grow.h"
#include "runtime/choose/chooser.h"
#include "tuner/portfolio/lessons.h"
#include "tuner/session/rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* Places of a ranking that become candidates: fewer where there are many
     * problems, since choosing among them is linear in their number and twice
     * what is wanted are measured. */
    MOST_CANDIDATES = 512,
    MOST_PLACES = 8,
    LEAST_PLACES = 2
};

static const char *mode_of(const hone_tune_request *tune)
{
    return hone__mode_name(tune->mode);
}

static hone_status no_memory(hone_error *err)
{
    return hone__out_of_memory(err, " for a portfolio");
}

/* ---- problems ---------------------------------------------------------------
 */

typedef struct problem_walk {
    const hone_tune_request *tune;
    hone_matrix *matrix; /* NULL: only types are wanted */
    hone_text *types;    /* one a line */
    hone_status status;
} problem_walk;

/* Lines may be empty: of an operation without types. */
static int has_line(const char *text, const char *line)
{
    while (text && *text) {
        const size_t n = strcspn(text, "\n");

        if (n == strlen(line) && strncmp(text, line, n) == 0)
            return 1;
        text += n + (text[n] == '\n');
    }
    return 0;
}

static hone_status add_problem(hone_matrix *matrix, const int64_t *dims,
                               const hone_db_value *row, hone_error *err)
{
    hone_matrix_problem *problem;

    if (matrix->n_problems == HONE_CHOOSER_PROBLEMS) {
        ++matrix->n_left_out; /* what was tuned last comes first */
        return HONE_OK;
    }
    if (!HONE_GROW(matrix->problems, matrix->n_problems))
        return no_memory(err);
    problem = &matrix->problems[matrix->n_problems];
    *problem = (hone_matrix_problem){
        .problem_id = row[0].integer,
        .label = hone__arena_strndup(&matrix->arena, row[2].text,
                                     row[2].size_bytes)};
    memcpy(problem->dims, dims, sizeof problem->dims);
    ++matrix->n_problems;
    return problem->label ? HONE_OK : no_memory(err);
}

static hone_status on_problem(void *user, const hone_db_row *row,
                              hone_error *err)
{
    problem_walk *walk = user;
    const hone_template *tmpl = walk->tune->tmpl;
    int64_t dims[HONE_MAX_DIMS] = {0};
    hone_text types = {0};
    hone_status status = HONE_OK;

    if (!hone__db_dims_read(row->values[1].text, tmpl->n_dims, dims))
        return HONE_OK; /* of another contract */
    hone__tune_types(tmpl, dims, &types);
    if (types.failed)
        status = no_memory(err);
    else if (walk->types &&
             !has_line(walk->types->data, hone__text_str(&types)))
        hone__text_printf(walk->types, "%s\n", hone__text_str(&types));
    else if (walk->matrix &&
             strcmp(walk->matrix->types, hone__text_str(&types)) == 0)
        status = add_problem(walk->matrix, dims, row->values, err);
    else if (walk->matrix)
        status = hone__matrix_add_other(walk->matrix, dims, err);
    hone__text_free(&types);
    return status;
}

static hone_status walk_problems(problem_walk *walk, int64_t device_id,
                                 hone_error *err)
{
    static const char sql[] =
        "SELECT problem_id, p.dims, p.label FROM problem p"
        " JOIN ranking USING (problem_id)"
        " WHERE p.op = ?1 AND device_id = ?2 AND mode = ?3 AND rank = 1"
        " ORDER BY ranked_unix_s DESC, p.dims";
    const hone_db_value key[] = {hone__db_text(walk->tune->tmpl->op),
                                 hone__db_integer(device_id),
                                 hone__db_text(mode_of(walk->tune))};

    return hone__db_query(walk->tune->db, sql, key, 3, on_problem, walk, err);
}

static int by_dims(const void *left, const void *right)
{
    const hone_matrix_problem *const a = left, *const b = right;

    for (size_t d = 0; d < HONE_MAX_DIMS; ++d)
        if (a->dims[d] != b->dims[d])
            return a->dims[d] < b->dims[d] ? -1 : 1;
    return 0;
}

/* Of these types, in an order that does not depend on when they were tuned. */
static hone_status find_problems(hone_matrix *matrix, hone_error *err)
{
    problem_walk walk = {.tune = matrix->tune, .matrix = matrix};

    HONE_TRY(walk_problems(&walk, matrix->device_id, err));
    if (matrix->n_problems)
        qsort(matrix->problems, matrix->n_problems, sizeof *matrix->problems,
              by_dims);
    return HONE_OK;
}

hone_status hone__matrix_types(const hone_tune_request *tune, int64_t device_id,
                               hone_text *out, hone_error *err)
{
    problem_walk walk = {.tune = tune, .types = out};

    HONE_TRY(walk_problems(&walk, device_id, err));
    return hone__text_check(out, err);
}

/* As seeds are near or far: sum of |log| over the sizes that say something of
 * their own. */
static hone_status measure_distances(hone_matrix *matrix, hone_error *err)
{
    const hone_template *tmpl = matrix->tune->tmpl;
    const size_t n = matrix->n_problems;
    int is_type[HONE_MAX_DIMS];

    matrix->distance =
        hone__arena_alloc(&matrix->arena, (n * n + 1) * sizeof(double));
    if (!matrix->distance)
        return no_memory(err);
    for (size_t i = 0; i < tmpl->n_dims; ++i)
        is_type[i] = tmpl->dims[i].n_types > 0;
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j) {
            int64_t a[HONE_MAX_DIMS], b[HONE_MAX_DIMS];

            memcpy(a, matrix->problems[i].dims, sizeof a);
            memcpy(b, matrix->problems[j].dims, sizeof b);
            for (size_t k = 0; k < tmpl->n_dims; ++k)
                if (hone__template_dim_follows(tmpl, k,
                                               matrix->problems[i].dims) &&
                    hone__template_dim_follows(tmpl, k,
                                               matrix->problems[j].dims))
                    a[k] = b[k];
            matrix->distance[i * n + j] =
                hone__seed_shape_distance(a, b, is_type, tmpl->n_dims);
        }
    return HONE_OK;
}

/* ---- candidates -------------------------------------------------------------
 */

static hone_status on_integer(void *user, const hone_db_row *row,
                              hone_error *err)
{
    (void)err;
    *(int64_t *)user = row->values[0].integer;
    return HONE_OK;
}

static hone_status find_templates(hone_matrix *matrix, hone_error *err)
{
    for (size_t i = 0; i < matrix->n_impls; ++i) {
        const hone_template *tmpl = matrix->impls[i];
        const hone_db_value key[] = {hone__db_text(tmpl->op),
                                     hone__db_text(hone__template_name(tmpl)),
                                     hone__db_text(tmpl->sha256)};

        HONE_TRY(hone__db_query(
            matrix->tune->db,
            "SELECT template_id FROM template WHERE op = ?1 AND name = ?2"
            " AND sha256 = ?3",
            key, 3, on_integer, &matrix->template_ids[i], err));
    }
    return HONE_OK;
}

size_t hone__matrix_impl(const hone_matrix *matrix, int64_t template_id)
{
    size_t i = 0;

    while (i < matrix->n_impls &&
           (!template_id || matrix->template_ids[i] != template_id))
        ++i;
    return i;
}

size_t hone__matrix_find(const hone_matrix *matrix, size_t impl,
                         const char *config)
{
    for (size_t i = 0; i < matrix->n_candidates; ++i)
        if (matrix->candidates[i].impl == impl &&
            strcmp(matrix->candidates[i].config, config) == 0)
            return i;
    return SIZE_MAX;
}

hone_status hone__matrix_add(hone_matrix *matrix, size_t impl,
                             const char *config, int is_default,
                             hone_error *err)
{
    hone_matrix_candidate *candidate;

    if (hone__matrix_find(matrix, impl, config) != SIZE_MAX)
        return HONE_OK;
    if (!HONE_GROW(matrix->candidates, matrix->n_candidates))
        return no_memory(err);
    candidate = &matrix->candidates[matrix->n_candidates];
    *candidate = (hone_matrix_candidate){
        .impl = impl,
        .config = hone__arena_strndup(&matrix->arena, config, strlen(config)),
        .is_default = is_default,
        .is_vendor = matrix->impls[impl]->call != NULL};
    if (!candidate->config)
        return no_memory(err);
    ++matrix->n_candidates;
    return HONE_OK;
}

typedef struct default_walk {
    hone_matrix *matrix;
    size_t impl;
} default_walk;

static hone_status on_default(void *user, const hone_db_row *row,
                              hone_error *err)
{
    const default_walk *walk = user;

    return hone__matrix_add(walk->matrix, walk->impl, row->values[0].text, 1,
                            err);
}

/* Its default variants, which may be another for each problem, since a
 * constraint may rule out what the template names; of a library its first
 * proposal. */
static hone_status add_defaults(hone_matrix *matrix, size_t impl,
                                hone_error *err)
{
    default_walk walk = {matrix, impl};
    const hone_db_value key[] = {hone__db_integer(matrix->template_ids[impl]),
                                 hone__db_text(matrix->types)};

    return hone__db_query(matrix->tune->db,
                          "SELECT DISTINCT config FROM variant"
                          " WHERE template_id = ?1 AND types = ?2"
                          " AND is_default = 1 ORDER BY config",
                          key, 2, on_default, &walk, err);
}

static hone_status on_ranked(void *user, const hone_db_row *row,
                             hone_error *err)
{
    hone_matrix *matrix = user;
    const size_t impl = hone__matrix_impl(matrix, row->values[0].integer);

    /* What a library proposes at another place than the first is another
     * function for each problem. */
    if (impl == matrix->n_impls || matrix->impls[impl]->call)
        return HONE_OK;
    return hone__matrix_add(matrix, impl, row->values[1].text, 0, err);
}

static hone_status find_candidates(hone_matrix *matrix, hone_error *err)
{
    static const char sql[] =
        "SELECT v.template_id, v.config FROM ranking r"
        " JOIN trial t ON t.trial_id = r.trial_id"
        " JOIN variant v ON v.variant_id = t.variant_id"
        " WHERE r.problem_id = ?1 AND r.device_id = ?2 AND r.mode = ?3"
        " AND r.rank = ?4";
    int64_t places = (int64_t)(MOST_CANDIDATES / (matrix->n_problems + 1));

    places = places > MOST_PLACES ? MOST_PLACES : places;
    places = places < LEAST_PLACES ? LEAST_PLACES : places;
    for (size_t i = 0; i < matrix->n_impls; ++i)
        if (matrix->template_ids[i])
            HONE_TRY(add_defaults(matrix, i, err));
    /* All winners first: where two are worth the same, the first is taken. */
    for (int64_t rank = 1; rank <= places; ++rank)
        for (size_t i = 0; i < matrix->n_problems; ++i) {
            const hone_db_value key[] = {
                hone__db_integer(matrix->problems[i].problem_id),
                hone__db_integer(matrix->device_id),
                hone__db_text(mode_of(matrix->tune)), hone__db_integer(rank)};

            HONE_TRY(hone__db_query(matrix->tune->db, sql, key, 4, on_ranked,
                                    matrix, err));
        }
    return HONE_OK;
}

hone_status hone__matrix_open(const hone_tune_request *tune, int64_t device_id,
                              const hone_properties *properties,
                              const char *types, hone_matrix *out,
                              hone_error *err)
{
    size_t n_cells;

    *out = (hone_matrix){.tune = tune,
                         .device_id = device_id,
                         .properties = properties,
                         .types = types,
                         .impls = tune->n_impls ? tune->impls : &tune->tmpl,
                         .n_impls = tune->n_impls ? tune->n_impls : 1};
    HONE_TRY(find_templates(out, err));
    HONE_TRY(find_problems(out, err));
    hone__matrix_settle_others(out);
    HONE_TRY(measure_distances(out, err));
    HONE_TRY(find_candidates(out, err));
    HONE_TRY(hone__matrix_add_likely(out, err));
    n_cells = out->n_problems * out->n_candidates;
    out->time_ns =
        hone__arena_alloc(&out->arena, (n_cells + 1) * sizeof(double));
    out->best_ns =
        hone__arena_alloc(&out->arena, (out->n_problems + 1) * sizeof(double));
    return out->time_ns && out->best_ns ? HONE_OK : no_memory(err);
}

void hone__matrix_free(hone_matrix *matrix)
{
    hone__lessons_free(matrix->lessons);
    hone__free(matrix->problems);
    hone__free(matrix->others);
    hone__free(matrix->candidates);
    hone__arena_free(&matrix->arena);
    *matrix = (hone_matrix){0};
}
