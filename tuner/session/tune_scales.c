/* SPDX-License-Identifier: Apache-2.0 */
/* Code is for one length of transforms, a vendor's function for all: where it
 * is right at one, it is stored as the default variant of the others, too, so
 * that programs have an answer at lengths that nobody tuned. */
#include "tuner/session/tune_scales.h"

#include "gen/expand/expand.h"
#include "gen/space.h"
#include "runtime/base/alloc.h"
#include "tuner/judge/outcome.h"
#include "tuner/session/tune.h"

#include <stdio.h>
#include <string.h>

/* Of more combinations of scales none is stored. */
enum { MOST_COMBINATIONS = 256 };

/* ---- the last trial of it ------------------------------------------------ */

typedef struct last_trial {
    int is_there;
    hone_outcome outcome;
    int64_t toolchain_id;
    char config[256];
} last_trial;

static hone_status on_trial(void *user, const hone_db_row *row, hone_error *err)
{
    last_trial *out = user;

    (void)err;
    out->is_there = 1;
    out->outcome = hone__outcome_find(row->values[0].text);
    out->toolchain_id = row->values[1].integer;
    (void)snprintf(out->config, sizeof out->config, "%s", row->values[2].text);
    return HONE_OK;
}

static hone_status find_trial(const hone_scales *s, last_trial *out,
                              hone_error *err)
{
    hone_text types = {0};
    hone_status status;

    hone__tune_types(s->tmpl, s->dims, &types);
    status = hone__text_check(&types, err);
    if (status == HONE_OK) {
        const hone_db_value key[] = {hone__db_integer(s->template_id),
                                     hone__db_text(types.data),
                                     hone__db_text(s->arch)};

        status = hone__db_query(
            s->db,
            "SELECT t.outcome, v.toolchain_id, v.config FROM trial t JOIN"
            " variant v USING (variant_id) WHERE v.template_id = ?1 AND"
            " v.types = ?2 AND v.arch = ?3 AND v.is_default = 1"
            " ORDER BY t.trial_id DESC LIMIT 1",
            key, sizeof key / sizeof key[0], on_trial, out, err);
    }
    hone__text_free(&types);
    return status;
}

/* ---- stored ------------------------------------------------------------- */

static hone_status on_row(void *user, const hone_db_row *row, hone_error *err)
{
    (void)row;
    (void)err;
    *(int *)user = 1;
    return HONE_OK;
}

/* Unless a default is there, of a trial or from before: the library is asked
 * for each problem, whatever compiler there was. */
static hone_status put_at(const hone_scales *s, const hone_db_variant *row,
                          hone_error *err)
{
    const hone_db_value key[] = {
        hone__db_integer(s->template_id), hone__db_text(row->config),
        hone__db_text(row->types), hone__db_text(row->arch)};
    int64_t id;
    int is_there = 0;

    HONE_TRY(hone__db_query(
        s->db,
        "SELECT 1 FROM variant WHERE template_id = ?1 AND config = ?2 AND"
        " types = ?3 AND arch = ?4 AND is_default = 1 LIMIT 1",
        key, sizeof key / sizeof key[0], on_row, &is_there, err));
    return is_there ? HONE_OK : hone__db_variant_put(s->db, row, &id, err);
}

/* The next combination of values of scales, as digits of a number; 0: that was
 * the last. */
static int step(const hone_template *tmpl, int64_t *dims, size_t *digit)
{
    for (size_t d = 0; d < tmpl->n_dims; ++d) {
        const hone_template_dim *dim = &tmpl->dims[d];

        if (!hone__template_dim_is_scale(dim))
            continue;
        digit[d] = (digit[d] + 1) % dim->n_types;
        dims[d] = dim->types[digit[d]];
        if (digit[d])
            return 1;
    }
    return 0;
}

static size_t count(const hone_template *tmpl)
{
    size_t n = 1;

    for (size_t d = 0; d < tmpl->n_dims && n <= MOST_COMBINATIONS; ++d)
        if (hone__template_dim_is_scale(&tmpl->dims[d]))
            n *= tmpl->dims[d].n_types;
    return n;
}

static hone_status put_everywhere(const hone_scales *s, hone_db_variant *row,
                                  hone_error *err)
{
    size_t digit[HONE_MAX_DIMS] = {0};
    int64_t there[HONE_MAX_DIMS];
    hone_status status;

    memcpy(there, s->dims, s->tmpl->n_dims * sizeof *there);
    for (size_t d = 0; d < s->tmpl->n_dims; ++d)
        if (hone__template_dim_is_scale(&s->tmpl->dims[d]))
            there[d] = s->tmpl->dims[d].types[0];
    do {
        hone_text types = {0};

        hone__tune_types(s->tmpl, there, &types);
        status = hone__text_check(&types, err);
        row->types = types.data;
        if (status == HONE_OK)
            status = put_at(s, row, err);
        hone__text_free(&types);
    } while (status == HONE_OK && step(s->tmpl, there, digit));
    return status;
}

/* As the template says, of no problem and nothing that was measured. */
static hone_status make_plan(const hone_scales *s, const char *config,
                             hone_text *out, hone_error *err)
{
    int64_t *values = hone__alloc((s->tmpl->n_params + 1) * sizeof *values);
    hone_status status =
        values ? hone__config_parse(s->tmpl, config, values, err)
               : hone__out_of_memory(err, " for a library's function");

    if (status == HONE_OK)
        status = hone__expand_launch_spec(s->tmpl, values, out, err);
    hone__free(values);
    return status;
}

static hone_status put(const hone_scales *s, const last_trial *trial,
                       hone_error *err)
{
    hone_text plan = {0};
    hone_status status = make_plan(s, trial->config, &plan, err);
    hone_db_variant row = {.template_id = s->template_id,
                           .toolchain_id = trial->toolchain_id,
                           .config = trial->config,
                           .arch = s->arch,
                           /* Not what members of choosers have, whose
                              plans must stay as they are. */
                           .options = HONE_DB_FOR_ANY_LENGTH,
                           .outcome = "ok",
                           .registers = -1,
                           .spill_bytes = -1,
                           .static_shared_bytes = -1,
                           .compile_time_ns = -1,
                           .is_default = 1};

    row.launch_plan = hone__text_str(&plan);
    if (status == HONE_OK)
        status = put_everywhere(s, &row, err);
    hone__text_free(&plan);
    return status;
}

hone_status hone__tune_settle_scales(const hone_scales *s, hone_error *err)
{
    const size_t n = count(s->tmpl);
    last_trial trial = {.is_there = 0};
    hone_status status = HONE_OK;

    if (!s->tmpl->call || n < 2 || n > MOST_COMBINATIONS)
        return HONE_OK;
    HONE_TRY(find_trial(s, &trial, err));
    if (!trial.is_there)
        return HONE_OK;
    HONE_TRY(hone__db_begin(s->db, err));
    if (trial.outcome == HONE_OUTCOME_OK)
        status = put(s, &trial, err);
    if (status == HONE_OK)
        status = hone__db_untried_withdraw(s->db, err);
    return hone__db_end(s->db, status, err);
}
