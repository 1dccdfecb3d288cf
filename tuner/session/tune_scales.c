/* SPDX-License-Identifier: Apache-2.0 */
/* Code is for one length of transforms, a vendor's function for all: where it
 * was right at one, it is stored as the default variant of the others, too, so
 * that programs have an answer at lengths that nobody tuned. */
#include "tuner/session/tune_scales.h"

#include "tuner/session/tune.h"

#include <string.h>

/* Of more combinations of scales none is stored. */
enum { MOST_COMBINATIONS = 256 };

static const char for_any_problem[] = "for any problem";

static hone_status on_row(void *user, const hone_db_row *row, hone_error *err)
{
    (void)row;
    (void)err;
    *(int *)user = 1;
    return HONE_OK;
}

/* Unless it was tried there: then the database knows better. */
static hone_status put_at(hone_db *db, const hone_db_variant *of,
                          const char *types, hone_error *err)
{
    const hone_db_value key[] = {hone__db_integer(of->template_id),
                                 hone__db_text(of->config),
                                 hone__db_text(types), hone__db_text(of->arch)};
    hone_db_variant row = *of;
    int64_t id;
    int is_there = 0;

    HONE_TRY(hone__db_query(
        db,
        "SELECT 1 FROM variant WHERE template_id = ?1 AND config = ?2 AND"
        " types = ?3 AND arch = ?4 LIMIT 1",
        key, sizeof key / sizeof key[0], on_row, &is_there, err));
    if (is_there)
        return HONE_OK;
    row.types = types;
    row.options = for_any_problem;
    row.compile_key = NULL; /* of the problem that was tried */
    return hone__db_variant_put(db, &row, &id, err);
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

hone_status hone__tune_put_scales(hone_db *db, const hone_template *tmpl,
                                  const int64_t *dims,
                                  const hone_db_variant *of, hone_error *err)
{
    size_t digit[HONE_MAX_DIMS] = {0};
    int64_t there[HONE_MAX_DIMS];
    const size_t n = count(tmpl);
    hone_status status = HONE_OK;

    /* An algorithm is of the problem that it was asked for. */
    if (n < 2 || n > MOST_COMBINATIONS ||
        strstr(of->launch_plan, "\nvendor-algorithm "))
        return HONE_OK;
    memcpy(there, dims, tmpl->n_dims * sizeof *there);
    for (size_t d = 0; d < tmpl->n_dims; ++d)
        if (hone__template_dim_is_scale(&tmpl->dims[d]))
            there[d] = tmpl->dims[d].types[0];
    do {
        hone_text types = {0};

        hone__tune_types(tmpl, there, &types);
        status = hone__text_check(&types, err);
        if (status == HONE_OK)
            status = put_at(db, of, types.data, err);
        hone__text_free(&types);
    } while (status == HONE_OK && step(tmpl, there, digit));
    return status;
}
