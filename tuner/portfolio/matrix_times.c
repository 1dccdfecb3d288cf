/* SPDX-License-Identifier: Apache-2.0 */
/* What the database knows of the candidates of a matrix: see matrix.h. */
#include "tuner/portfolio/matrix.h"

#include <string.h>

/* Of two compilers' variants of one configuration the later is launched. */
#define OF_LAST                                                                \
    " AND NOT EXISTS (SELECT 1 FROM variant w"                                 \
    "  WHERE w.template_id = v.template_id"                                    \
    "  AND w.toolchain_id IN (SELECT toolchain_id FROM toolchain)"             \
    "  AND w.config = v.config AND w.types = v.types AND w.arch = v.arch"      \
    "  AND w.variant_id > v.variant_id AND w.cubin_sha256 IS NOT NULL)"

typedef struct time_walk {
    hone_matrix *matrix;
    size_t problem;
} time_walk;

/* NULL: it is no candidate. */
static hone_matrix_candidate *find_candidate(const hone_matrix *matrix,
                                             int64_t template_id,
                                             const char *config)
{
    const size_t impl = hone__matrix_impl(matrix, template_id);
    const size_t place = impl < matrix->n_impls
                             ? hone__matrix_find(matrix, impl, config)
                             : SIZE_MAX;

    return place == SIZE_MAX ? NULL : &matrix->candidates[place];
}

/* The last trial of each variant, oldest first: of two compilers' variants of
 * one configuration the later counts. */
static hone_status on_time(void *user, const hone_db_row *row, hone_error *err)
{
    const time_walk *walk = user;
    hone_matrix *matrix = walk->matrix;
    const hone_db_value *v = row->values;
    const hone_outcome outcome = hone__outcome_find(v[2].text);
    hone_matrix_candidate *candidate =
        find_candidate(matrix, v[0].integer, v[1].text);
    double *cells = &matrix->time_ns[walk->problem * matrix->n_candidates];
    double *best = &matrix->best_ns[walk->problem];

    (void)err;
    if (hone__matrix_impl(matrix, v[0].integer) == matrix->n_impls)
        return HONE_OK;
    if (outcome == HONE_OUTCOME_OK && (*best <= 0 || v[3].real < *best))
        *best = v[3].real;
    if (!candidate)
        return HONE_OK;
    cells[candidate - matrix->candidates] =
        outcome == HONE_OUTCOME_OK ? v[3].real : HONE_CELL_FAILED;
    if (!candidate->is_vendor && v[5].integer &&
        v[4].integer > candidate->variant_id)
        candidate->variant_id = v[4].integer;
    return HONE_OK;
}

static hone_status on_proved(void *user, const hone_db_row *row,
                             hone_error *err)
{
    hone_matrix_candidate *candidate =
        find_candidate(user, row->values[0].integer, row->values[1].text);

    (void)err;
    if (candidate)
        candidate->is_proved = 1;
    return HONE_OK;
}

/* Winners, and those that could not be told from them, were verified on edge
 * shapes in their final. */
static hone_status read_proofs(hone_matrix *matrix, hone_error *err)
{
    static const char sql[] =
        "SELECT DISTINCT v.template_id, v.config FROM problem p"
        " JOIN session s ON s.problem_id = p.problem_id"
        " JOIN decision e ON e.session_id = s.session_id"
        " LEFT JOIN trial t ON t.trial_id = e.trial_id"
        " JOIN variant v ON v.variant_id = coalesce(e.variant_id, t.variant_id)"
        " WHERE p.op = ?1 AND s.device_id = ?2 AND v.types = ?3"
        " AND e.kind IN ('proved', 'winner', 'tied')" OF_LAST;
    const hone_db_value key[] = {hone__db_text(matrix->tune->tmpl->op),
                                 hone__db_integer(matrix->device_id),
                                 hone__db_text(matrix->types)};

    return hone__db_query(matrix->tune->db, sql, key, 3, on_proved, matrix,
                          err);
}

static hone_status on_refuted(void *user, const hone_db_row *row,
                              hone_error *err)
{
    const hone_db_value *v = row->values;
    hone_matrix_candidate *candidate =
        find_candidate(user, v[0].integer, v[1].text);

    (void)err;
    if (candidate)
        candidate->is_wrong |= hone__matrix_refutes(
            hone__outcome_find(v[2].text), v[3].integer != 0);
    return HONE_OK;
}

/* Who is no good at another problem, tuned or not, is none here. */
static hone_status read_refuted(hone_matrix *matrix, hone_error *err)
{
    static const char sql[] =
        "SELECT v.template_id, v.config, t.outcome,"
        " ifnull(t.error_ratio > 1, 0) FROM trial t"
        " JOIN variant v ON v.variant_id = t.variant_id WHERE t.trial_id IN"
        " (SELECT max(l.trial_id) FROM problem p"
        "  JOIN session s ON s.problem_id = p.problem_id"
        "  JOIN trial l ON l.session_id = s.session_id"
        "  WHERE p.op = ?1 AND device_id = ?2"
        "  GROUP BY p.problem_id, s.mode, l.variant_id)"
        " AND t.outcome <> 'ok' AND v.types = ?3" OF_LAST;
    const hone_db_value key[] = {hone__db_text(matrix->tune->tmpl->op),
                                 hone__db_integer(matrix->device_id),
                                 hone__db_text(matrix->types)};

    return hone__db_query(matrix->tune->db, sql, key, 3, on_refuted, matrix,
                          err);
}

hone_status hone__matrix_read(hone_matrix *matrix, hone_error *err)
{
    static const char sql[] =
        "SELECT v.template_id, v.config, t.outcome, t.time_ns, v.variant_id,"
        " v.cubin_sha256 IS NOT NULL FROM trial t"
        " JOIN variant v ON v.variant_id = t.variant_id WHERE t.trial_id IN"
        " (SELECT max(l.trial_id) FROM session s"
        "  JOIN trial l ON l.session_id = s.session_id"
        "  WHERE s.problem_id = ?1 AND s.device_id = ?2 AND s.mode = ?3"
        "  GROUP BY l.variant_id) ORDER BY t.trial_id";

    for (size_t i = 0; i < matrix->n_problems; ++i) {
        time_walk walk = {matrix, i};
        const hone_db_value key[] = {
            hone__db_integer(matrix->problems[i].problem_id),
            hone__db_integer(matrix->device_id),
            hone__db_text(hone__mode_name(matrix->tune->mode))};

        matrix->best_ns[i] = 0;
        HONE_TRY(
            hone__db_query(matrix->tune->db, sql, key, 3, on_time, &walk, err));
    }
    HONE_TRY(read_refuted(matrix, err));
    return read_proofs(matrix, err);
}
