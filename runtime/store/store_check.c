/* SPDX-License-Identifier: Apache-2.0 */
/* Is a row what was stored? Asked before a launch relies on it, and answered
 * once per row. See store.h. */
#include "runtime/store/launch_hash.h"
#include "runtime/store/store_sql.h"

#include <string.h>

static hone_status check_plan(const hone_store *store, const hone_store_op *op,
                              const hone_store_row *row, hone_error *err)
{
    const hone_launch_parts parts = {row->config, row->types, row->compile_arch,
                                     row->cubin_sha256, row->plan->text};
    hone_error why = {0};
    const hone_status status = hone__launch_verify(
        &parts, row->launch_sha256, op->name, &row->plan->spec, &why);

    if (status == HONE_ERR_DATABASE)
        return hone__fail(err, status,
                          "database '%s' is damaged: the launch plan of "
                          "%.200s: %.300s; tuning again stores a good one",
                          store->file.path, row->config, why.text);
    return status == HONE_OK ? HONE_OK
                             : hone__fail(err, status, "%s", why.text);
}

/* Damage is kept with the row, so that it is not looked at again. */
static hone_status conclude(hone_store_op *op, hone_store_row *row,
                            hone_status status, const hone_error *why,
                            int *is_checked, hone_error *err)
{
    *is_checked = status == HONE_OK;
    if (status == HONE_OK)
        return HONE_OK;
    if (status == HONE_ERR_DATABASE) {
        row->damage =
            hone__arena_strndup(&op->arena, why->text, strlen(why->text));
        if (!row->damage)
            return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    }
    if (err)
        *err = *why;
    return status;
}

hone_status hone__store_spec(const hone_store *store, hone_store_op *op,
                             hone_store_row *row, const hone_launch_spec **out,
                             hone_error *err)
{
    hone_error why = {0};

    *out = NULL;
    if (row->damage)
        return hone__fail(err, HONE_ERR_DATABASE, "%s", row->damage);
    if (!row->is_plan_checked) {
        const hone_status status = check_plan(store, op, row, &why);

        HONE_TRY(conclude(op, row, status, &why, &row->is_plan_checked, err));
    }
    *out = row->plan->spec;
    return HONE_OK;
}

hone_status hone__store_check_cubin(const hone_store *store, hone_store_op *op,
                                    hone_store_row *row, hone_error *err)
{
    hone_text content = {0};
    hone_error why = {0};
    hone_status status;

    if (row->damage)
        return hone__fail(err, HONE_ERR_DATABASE, "%s", row->damage);
    if (row->is_cubin_checked)
        return HONE_OK;
    status = hone__store_cubin(store, row, &content, &why);
    hone__text_free(&content);
    return conclude(op, row, status, &why, &row->is_cubin_checked, err);
}
