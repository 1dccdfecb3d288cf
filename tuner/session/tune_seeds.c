/* SPDX-License-Identifier: Apache-2.0 */
/* What the database knows to be good elsewhere goes first in a tuning run,
 * after the default configuration. */
#include "tuner/session/tune_state.h"

#include "runtime/base/alloc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct seed_walk {
    hone_tune_run *run;
    int is_type[HONE_MAX_DIMS];
    int64_t *config; /* scratch */
    hone_text seeds; /* as many hone_seed as there were */
} seed_walk;

/* "4096,4096,512"; 0 if there are not as many as the template has. */
static int read_dims(const char *text, size_t n_dims, int64_t *out)
{
    for (size_t i = 0; i < n_dims; ++i) {
        char *end = NULL;

        out[i] = strtoll(text, &end, 10);
        if (end == text || *end != (i + 1 < n_dims ? ',' : '\0'))
            return 0;
        text = end + 1;
    }
    return 1;
}

/* Devices of one architecture are near each other, then those with as many
 * multiprocessors. The driver makes no difference. */
static double device_distance(const hone_tune_run *run,
                              const hone_db_ranked_row *row)
{
    const double sm_count =
        (double)run->device.properties.value[HONE_PROPERTY_sm_count];
    const int other_arch = strcmp(row->arch, run->device.arch) != 0;

    if (!other_arch && strcmp(row->device_name, run->device.name) == 0)
        return 0;
    return 0.01 + other_arch +
           (row->sm_count > 0 && sm_count > 0
                ? fabs(log((double)row->sm_count / sm_count))
                : 0);
}

static void place(const hone_tune_run *run, const hone_db_ranked_row *row,
                  double shape, hone_seed *out)
{
    const double device = device_distance(run, row);
    const int is_far = device > 0;
    const int is_other_mode =
        strcmp(row->mode, hone__mode_name(run->request->mode)) != 0;

    out->from = shape > 0 ? is_far ? HONE_SEED_FAR : HONE_SEED_SHAPE
                : is_far  ? HONE_SEED_DEVICE
                          : HONE_SEED_HERE;
    out->distance = shape + device + 0.01 * is_other_mode;
    out->rank = row->rank;
    (void)snprintf(out->origin, sizeof out->origin,
                   "place %lld of %.60s on %.60s%s", (long long)row->rank,
                   shape > 0 ? row->label : "this problem",
                   is_far ? row->device_name : "this device",
                   is_other_mode ? ", in the other mode" : "");
}

/* A configuration of another shape, device or version of the template may not
 * be valid here, or not even have the same parameters: then it is left out.
 * Those that it lacks take their defaults. */
static hone_status take_ranked(void *user, const hone_db_ranked_row *row,
                               hone_error *err)
{
    seed_walk *walk = user;
    hone_tune_run *run = walk->run;
    const hone_template *tmpl = run->request->tmpl;
    int64_t dims[HONE_MAX_DIMS];
    double shape;
    hone_seed seed;
    hone_status status;

    if (!read_dims(row->dims, tmpl->n_dims, dims))
        return HONE_OK;
    shape = hone__seed_shape_distance(run->request->dims, dims, walk->is_type,
                                      tmpl->n_dims);
    if (shape < 0)
        return HONE_OK;
    status = hone__config_parse(tmpl, row->config, walk->config, NULL);
    if (status == HONE_ERR_NO_MEMORY)
        return hone__fail(err, status, "out of memory");
    if (status != HONE_OK)
        return HONE_OK;
    seed.index = hone__space_find(run->space, walk->config);
    if (seed.index < 0 || seed.index == run->default_index)
        return HONE_OK;
    place(run, row, shape, &seed);
    hone__text_append(&walk->seeds, (const char *)&seed, sizeof seed);
    return hone__text_check(&walk->seeds, err);
}

hone_status hone__tune_seeds_find(hone_tune_run *run, hone_error *err)
{
    const hone_tune_request *request = run->request;
    seed_walk walk = {.run = run};
    hone_status status;

    if (!request->db || request->without_seeds || run->only_index >= 0)
        return HONE_OK;
    for (size_t i = 0; i < request->tmpl->n_dims; ++i)
        walk.is_type[i] = request->tmpl->dims[i].n_types > 0;
    walk.config =
        hone__alloc((request->tmpl->n_params + 1) * sizeof *walk.config);
    status =
        walk.config
            ? hone__db_ranked_configs(request->db, request->tmpl->op,
                                      hone__tune_kind(run)->name,
                                      HONE_SEED_RANKS, take_ranked, &walk, err)
            : hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    if (status == HONE_OK && walk.seeds.length) {
        run->n_seeds =
            hone__seeds_choose((hone_seed *)(void *)walk.seeds.data,
                               walk.seeds.length / sizeof(hone_seed));
        memcpy(run->seeds, walk.seeds.data, run->n_seeds * sizeof *run->seeds);
    }
    hone__free(walk.config);
    hone__text_free(&walk.seeds);
    return status;
}

const char *hone__tune_seed_origin(const hone_tune_run *run, int64_t index)
{
    for (size_t i = 0; i < run->n_seeds; ++i) {
        if (run->seeds[i].index == index)
            return run->seeds[i].origin;
    }
    return NULL;
}
