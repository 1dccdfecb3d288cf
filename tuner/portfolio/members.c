/* SPDX-License-Identifier: Apache-2.0 */
/* What is stored of a portfolio's members: see matrix.h. */
#include "tuner/portfolio/matrix.h"

#include "gen/expand/expand.h"
#include "gen/space.h"

#include <stdio.h>
#include <string.h>

static hone_status make_plan(const hone_matrix *matrix, size_t candidate,
                             hone_text *out, hone_error *err)
{
    const hone_matrix_candidate *c = &matrix->candidates[candidate];
    const hone_template *tmpl = matrix->impls[c->impl];
    int64_t *config = hone__alloc((tmpl->n_params + 1) * sizeof *config);
    hone_status status = config
                             ? hone__config_parse(tmpl, c->config, config, err)
                             : hone__out_of_memory(err, " for a portfolio");

    if (status == HONE_OK)
        status = hone__expand_launch_spec(tmpl, config, out, err);
    hone__free(config);
    return status;
}

hone_status hone__matrix_launch_spec(const hone_matrix *matrix,
                                     size_t candidate, hone_launch_spec **out,
                                     hone_error *err)
{
    hone_text plan = {0};
    hone_status status = make_plan(matrix, candidate, &plan, err);

    if (status == HONE_OK)
        status = hone__launch_spec_parse(hone__text_str(&plan), out, err);
    hone__text_free(&plan);
    return status;
}

typedef struct vendor_variant {
    int64_t toolchain_id;
    char arch[16];
} vendor_variant;

static hone_status on_vendor(void *user, const hone_db_row *row,
                             hone_error *err)
{
    vendor_variant *like = user;

    (void)err;
    like->toolchain_id = row->values[0].integer;
    (void)snprintf(like->arch, sizeof like->arch, "%s", row->values[1].text);
    return HONE_OK;
}

static hone_status put_vendor(hone_matrix *matrix,
                              hone_matrix_candidate *candidate, hone_error *err)
{
    const hone_db_value key =
        hone__db_integer(matrix->template_ids[candidate->impl]);
    vendor_variant like = {0};
    hone_text plan = {0};
    hone_status status =
        make_plan(matrix, (size_t)(candidate - matrix->candidates), &plan, err);

    if (status == HONE_OK)
        status = hone__db_query(matrix->tune->db,
                                "SELECT toolchain_id, arch FROM variant"
                                " WHERE template_id = ?1"
                                " ORDER BY variant_id DESC LIMIT 1",
                                &key, 1, on_vendor, &like, err);
    if (status == HONE_OK && like.toolchain_id)
        status = hone__db_variant_put(
            matrix->tune->db,
            &(hone_db_variant){.template_id = key.integer,
                               .toolchain_id = like.toolchain_id,
                               .config = candidate->config,
                               .types = matrix->types[0] ? matrix->types : NULL,
                               .arch = like.arch,
                               .options = "for any problem",
                               .outcome = "ok",
                               .registers = -1,
                               .spill_bytes = -1,
                               .static_shared_bytes = -1,
                               .compile_time_ns = -1,
                               .launch_plan = hone__text_str(&plan)},
            &candidate->variant_id, err);
    hone__text_free(&plan);
    return status;
}

static hone_status on_hash(void *user, const hone_db_row *row, hone_error *err)
{
    (void)err;
    (void)snprintf(user, HONE_SHA256_HEX, "%s", row->values[0].text);
    return HONE_OK;
}

hone_status hone__matrix_launch_hash(hone_matrix *matrix, size_t candidate,
                                     char out_sha256[HONE_SHA256_HEX],
                                     hone_error *err)
{
    hone_matrix_candidate *c = &matrix->candidates[candidate];
    hone_db_value key;

    out_sha256[0] = '\0';
    if (c->is_vendor && !c->variant_id)
        HONE_TRY(put_vendor(matrix, c, err));
    key = hone__db_integer(c->variant_id);
    return hone__db_query(matrix->tune->db,
                          "SELECT launch_sha256 FROM variant"
                          " WHERE variant_id = ?1"
                          " AND launch_sha256 IS NOT NULL",
                          &key, 1, on_hash, out_sha256, err);
}
