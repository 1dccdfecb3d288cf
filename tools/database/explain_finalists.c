/* SPDX-License-Identifier: Apache-2.0 */
/* Winner and runners-up side by side: see explain.h. */
#include "tools/database/explain.h"

#include "runtime/base/alloc.h"
#include "runtime/launch/launch_spec.h"
#include "tools/analysis/occupancy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_IMPLEMENTATIONS = 32 };

/* ---- what a launch needs ------------------------------------------------- */

/* The launch with the most shared memory, of those the one with the most
 * threads: what others do, such as packing, is small beside it. */
typedef struct launch_figures {
    int64_t threads; /* of a block; 0: no launch, or it is not known */
    int64_t blocks;
    int64_t dynamic_bytes;
    int64_t flops, bytes;
    unsigned types;
} launch_figures;

static launch_figures figures_of(const hone_explained *about, const char *plan)
{
    launch_figures out = {.threads = 0};
    hone_launch_spec *spec = NULL;
    hone_resolved *resolved = NULL;
    const hone_launch_case wanted = {.dims = about->dims,
                                     .n_dims = about->n_dims,
                                     .properties = &about->properties};
    hone_launch_case with_spec = wanted;

    if (hone__launch_spec_parse(plan, &spec, NULL) != HONE_OK)
        return out;
    with_spec.spec = spec;
    resolved = hone__alloc(sizeof *resolved);
    if (resolved &&
        hone__launch_spec_resolve(&with_spec, resolved, NULL) == HONE_OK) {
        out.flops = resolved->flops;
        out.bytes = resolved->bytes;
        for (size_t i = 0; i < resolved->n_args; ++i)
            if (resolved->args[i].rank > 0 && !resolved->args[i].is_absent)
                out.types |= 1u << resolved->args[i].type;
        for (size_t i = 0; i < resolved->n_launches; ++i) {
            const hone_launch_shape *shape = &resolved->launches[i].shape;
            const int64_t threads =
                (int64_t)shape->block[0] * shape->block[1] * shape->block[2];
            const int64_t blocks =
                (int64_t)shape->grid[0] * shape->grid[1] * shape->grid[2];

            if ((int64_t)shape->shared_bytes < out.dynamic_bytes ||
                ((int64_t)shape->shared_bytes == out.dynamic_bytes &&
                 threads * blocks <= out.threads * out.blocks))
                continue;
            out.threads = threads;
            out.blocks = blocks;
            out.dynamic_bytes = (int64_t)shape->shared_bytes;
        }
    }
    hone__free(resolved);
    hone__launch_spec_free(spec);
    return out;
}

/* ---- rows
 * -------------------------------------------------------------------- */

static const char ranked_sql[] =
    "SELECT rank, template_name, config, time_ns, ci_low_ns, ci_high_ns,"
    " registers, spill_bytes, static_shared_bytes, decided_by, launch_plan,"
    " (SELECT t.sm_clock_mhz FROM trial t WHERE t.trial_id = r.trial_id),"
    " (SELECT d.config FROM variant o JOIN variant d"
    "  ON d.template_id = o.template_id AND d.is_default = 1"
    "  AND d.types = o.types AND d.arch = o.arch"
    "  WHERE o.variant_id = r.variant_id LIMIT 1), session_id"
    " FROM ranked_v1 r WHERE problem_id = ?1 AND device_id = ?2 AND mode = ?3"
    " ORDER BY rank";

/* Implementations that came to no final have the time of their best trial. */
static const char others_sql[] =
    "SELECT NULL, k.name, v.config, min(t.time_ns), NULL, NULL, v.registers,"
    " v.spill_bytes, v.static_shared_bytes,"
    " 'time of its trial: it was not in the final', l.launch_plan,"
    " t.sm_clock_mhz, (SELECT d.config FROM variant d"
    "  WHERE d.template_id = v.template_id AND d.is_default = 1"
    "  AND d.types = v.types AND d.arch = v.arch LIMIT 1), s.session_id"
    " FROM session s JOIN trial t ON t.session_id = s.session_id"
    " JOIN variant v ON v.variant_id = t.variant_id"
    " JOIN template k ON k.template_id = v.template_id"
    " JOIN launch_v1 l ON l.variant_id = v.variant_id"
    " WHERE s.problem_id = ?1 AND s.device_id = ?2 AND s.mode = ?3"
    " AND t.outcome = 'ok' GROUP BY k.name ORDER BY 4";

typedef struct finalists_walk {
    hone_explained *about;
    int64_t most;
    json_t *rows;
    char seen[MOST_IMPLEMENTATIONS][64];
    size_t n_seen;
    int is_ranked;
} finalists_walk;

static int is_seen(finalists_walk *walk, const char *name)
{
    for (size_t i = 0; i < walk->n_seen; ++i)
        if (strcmp(walk->seen[i], name) == 0)
            return 1;
    if (walk->n_seen < MOST_IMPLEMENTATIONS)
        (void)snprintf(walk->seen[walk->n_seen++], 64, "%s", name);
    return 0;
}

static json_t *add_launch(json_t *row, const hone_explained *about,
                          const launch_figures *launch, int64_t registers,
                          int64_t static_bytes)
{
    const int64_t shared = static_bytes + launch->dynamic_bytes;
    const hone_occupancy found =
        hone__occupancy(&about->properties, launch->threads, registers, shared);
    char limits[64];

    if (!launch->threads || strcmp(about->device_kind, "cuda") != 0)
        return row;
    (void)snprintf(limits, sizeof limits, "%.0f %% (%s)", found.share * 100,
                   found.limited_by);
    return hone__json_add(
        row,
        "threads:I blocks:I shared_bytes:I blocks_per_sm:I occupancy:f "
        "limited_by:s occupancy_text:s",
        launch->threads, launch->blocks, shared, found.blocks, found.share,
        found.limited_by, limits);
}

static json_t *null_if(const hone_db_value *value)
{
    return value->kind == HONE_DB_NULL ? json_null()
                                       : json_integer(value->integer);
}

static json_t *row_of(finalists_walk *walk, const hone_db_value *v)
{
    hone_explained *about = walk->about;
    const launch_figures launch = figures_of(about, v[10].text);
    const double seconds = v[3].real * 1e-9;
    json_t *row;

    if (!about->bytes) {
        about->bytes = launch.bytes;
        about->flops = launch.flops;
        about->types = launch.types;
    }
    row = hone__json(
        "place:o implementation:s config:s default_config:s time_ns:f "
        "ci_low_ns:p ci_high_ns:p ratio:p registers:o spill_bytes:o "
        "gbytes_per_s:p gflops:p sm_clock_mhz:o decided_by:s",
        null_if(&v[0]), v[1].text, v[2].text,
        v[12].kind == HONE_DB_TEXT ? v[12].text : NULL, v[3].real, v[4].real,
        v[5].real, about->winner_ns > 0 ? v[3].real / about->winner_ns : 0,
        null_if(&v[6]), null_if(&v[7]), (double)about->bytes / seconds * 1e-9,
        (double)about->flops / seconds * 1e-9, null_if(&v[11]), v[9].text);
    return add_launch(row, about, &launch, v[6].integer, v[8].integer);
}

static hone_status on_finalist(void *user, const hone_db_row *row,
                               hone_error *err)
{
    const hone_db_value *v = row->values;
    finalists_walk *walk = user;

    (void)err;
    if (walk->is_ranked && !(walk->about->winner_ns > 0)) {
        walk->about->winner_ns = v[3].real;
        walk->about->session_id = v[13].integer;
        walk->about->winner_clock_mhz = (double)v[11].integer;
    }
    if (is_seen(walk, v[1].text) &&
        !(walk->is_ranked && v[0].integer <= walk->most))
        return HONE_OK;
    walk->rows = hone__json_append(walk->rows, row_of(walk, v));
    return HONE_OK;
}

json_t *hone__explain_finalists(hone_explained *about, int64_t most,
                                hone_error *err)
{
    const hone_db_value values[] = {hone__db_integer(about->problem_id),
                                    hone__db_integer(about->device_id),
                                    hone__db_text(about->mode)};
    finalists_walk walk = {
        .about = about, .most = most, .rows = json_array(), .is_ranked = 1};
    hone_status status = hone__db_query(about->db, ranked_sql, values, 3,
                                        on_finalist, &walk, err);

    walk.is_ranked = 0;
    if (status == HONE_OK)
        status = hone__db_query(about->db, others_sql, values, 3, on_finalist,
                                &walk, err);
    if (status == HONE_OK)
        return walk.rows;
    json_decref(walk.rows);
    return NULL;
}

/* ---- baselines
 * ----------------------------------------------------------------- */

typedef struct baseline_walk {
    const hone_explained *about;
    json_t *rows;
} baseline_walk;

static hone_status on_baseline(void *user, const hone_db_row *row,
                               hone_error *err)
{
    const hone_db_value *v = row->values;
    baseline_walk *walk = user;

    (void)err;
    walk->rows = hone__json_append(
        walk->rows, hone__json("name:s what:s time_ns:p ratio:p message:s",
                               v[0].text, v[1].text, v[2].real,
                               walk->about->winner_ns > 0
                                   ? v[2].real / walk->about->winner_ns
                                   : 0,
                               v[3].kind == HONE_DB_TEXT ? v[3].text : NULL));
    return HONE_OK;
}

json_t *hone__explain_baselines(const hone_explained *about, hone_error *err)
{
    const hone_db_value values[] = {hone__db_integer(about->problem_id),
                                    hone__db_integer(about->device_id),
                                    hone__db_text(about->mode)};
    baseline_walk walk = {about, json_array()};

    if (hone__db_query(about->db,
                       "SELECT name, baseline_label, time_ns, message"
                       " FROM baseline_v1 WHERE problem_id = ?1"
                       " AND device_id = ?2 AND mode = ?3"
                       " ORDER BY time_ns IS NULL, time_ns",
                       values, 3, on_baseline, &walk, err) == HONE_OK)
        return walk.rows;
    json_decref(walk.rows);
    return NULL;
}
