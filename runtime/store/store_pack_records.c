/* SPDX-License-Identifier: Apache-2.0 */
/* Rows made of the records of a pack: see store_pack_records.h. */
#include "runtime/store/store_pack_records.h"

#include "runtime/base/grow.h"

#include <string.h>

/* Behind all that are written. */
#define LAST_PREFERENCE 4.0

/* What `kept` of an op has. */
typedef enum kept_kind { KEPT_WINNER = 1, KEPT_DEFAULT, KEPT_PLAN } kept_kind;

static uint64_t tag_of(kept_kind kind, uint32_t i)
{
    return hone__table_tag((uint64_t)kind << 32 | i);
}

hone_status hone__store_pack_no_memory(hone_error *err)
{
    return hone__out_of_memory(err, " while reading a pack");
}

/* ---- rows ---------------------------------------------------------------- */

/* A launch plan, shared by the rows that have the same blob. */
static hone_status keep_plan(hone_store_op *op, uint32_t blob,
                             hone_store_plan **out, hone_error *err)
{
    const uint64_t tag = tag_of(KEPT_PLAN, blob);

    *out = hone__table_find(&op->kept, tag);
    if (*out)
        return HONE_OK;
    *out = hone__arena_alloc(&op->arena, sizeof **out);
    if (!*out)
        return hone__store_pack_no_memory(err);
    (*out)->blob = blob;
    HONE_TRY(hone__table_put(&op->kept, tag, *out, err));
    (*out)->next = op->plans;
    op->plans = *out;
    return HONE_OK;
}

/* A text of a record; where there is none, the row is damaged. */
static const char *text_of(const hone_pack *pack, uint32_t offset,
                           hone_store_row *row)
{
    const char *text = hone__pack_text(pack, offset);

    if (!text)
        row->damage = "a record of the pack names a text that is not there";
    return text ? text : "";
}

static hone_status fill_variant(const hone_pack *pack, hone_store_op *op,
                                uint32_t i, hone_store_row *row,
                                hone_error *err)
{
    static const hone_pack_variant none = {.launch_sha256 = HONE_PACK_NONE,
                                           .plan = HONE_PACK_NONE,
                                           .cubin = HONE_PACK_NONE};
    const hone_pack_variant *variant =
        hone__pack_record(pack, HONE_PACK_VARIANTS, i);

    if (!variant) {
        row->damage = "a record of the pack names a variant that is not there";
        variant = &none;
    }
    row->id = i;
    row->is_default = variant->is_default != 0;
    row->implementation = text_of(pack, variant->implementation, row);
    row->config = text_of(pack, variant->config, row);
    row->types = text_of(pack, variant->types, row);
    row->compile_arch = text_of(pack, variant->compile_arch, row);
    row->cubin_sha256 = text_of(pack, variant->cubin_sha256, row);
    if (variant->launch_sha256 != HONE_PACK_NONE)
        row->launch_sha256 = text_of(pack, variant->launch_sha256, row);
    row->has_runners_up = 1; /* they are gathered with the winner */
    row->label = row->device_name = row->driver_version = row->arch = "";
    return keep_plan(op, variant->plan, &row->plan, err);
}

hone_status hone__store_pack_make_row(const hone_pack *pack, hone_store_op *op,
                                      uint32_t i, hone_store_row **out,
                                      hone_error *err)
{
    *out = hone__arena_alloc(&op->arena, sizeof **out);
    return *out ? fill_variant(pack, op, i, *out, err)
                : hone__store_pack_no_memory(err);
}

/* A row that was kept, or a new one; what is not of a variant is for the
 * caller, if `*out_new`. */
static hone_status keep_row(const hone_pack *pack, hone_store_op *op,
                            kept_kind kind, uint32_t i, uint32_t variant,
                            hone_store_row **out, int *out_new, hone_error *err)
{
    const uint64_t tag = tag_of(kind, i);

    *out = hone__table_find(&op->kept, tag);
    *out_new = !*out;
    if (!HONE_GROW(op->rows, op->n_rows))
        return hone__store_pack_no_memory(err);
    if (!*out) {
        HONE_TRY(hone__store_pack_make_row(pack, op, variant, out, err));
        HONE_TRY(hone__table_put(&op->kept, tag, *out, err));
    }
    op->rows[op->n_rows++] = *out;
    return HONE_OK;
}

hone_status hone__store_pack_add_default(const hone_pack *pack,
                                         hone_store_op *op, uint32_t i,
                                         hone_error *err)
{
    const hone_pack_default *record =
        hone__pack_record(pack, HONE_PACK_DEFAULTS, i);
    hone_store_row *row;
    int is_new;

    if (!record)
        return HONE_OK;
    HONE_TRY(keep_row(pack, op, KEPT_DEFAULT, i, record->variant, &row, &is_new,
                      err));
    if (!is_new)
        return HONE_OK;
    row->is_default = 1;
    /* Not a number would come before and behind all others. */
    row->preference = record->preference == record->preference
                          ? record->preference
                          : LAST_PREFERENCE;
    return HONE_OK;
}

/* ---- winners ------------------------------------------------------------- */

int hone__pack_view_open(const hone_pack *pack, uint64_t i, hone_pack_view *out)
{
    const hone_pack_group *group = hone__pack_record(pack, HONE_PACK_GROUPS, i);
    size_t n_winners, n_dims;
    const hone_pack_winner *winners;
    const int64_t *dims;

    winners = hone__pack_records(pack, HONE_PACK_WINNERS, &n_winners);
    dims = hone__pack_records(pack, HONE_PACK_DIMS, &n_dims);
    if (!group || group->n_dims > HONE_MAX_DIMS || !group->n_dims ||
        group->first_winner > n_winners ||
        group->n_winners > n_winners - group->first_winner ||
        group->first_dim > n_dims ||
        group->n_winners > (n_dims - group->first_dim) / group->n_dims)
        return 0;
    *out = (hone_pack_view){pack,
                            hone__pack_text(pack, group->types),
                            group->n_dims,
                            group->first_winner,
                            group->n_winners,
                            winners + group->first_winner,
                            dims + group->first_dim};
    return out->types != NULL;
}

hone_status hone__store_pack_add_winner(const hone_pack_view *view,
                                        hone_store_op *op, uint32_t i,
                                        hone_error *err)
{
    const hone_pack *pack = view->pack;
    const hone_pack_winner *record = &view->winners[i];
    const hone_pack_device *device =
        hone__pack_record(pack, HONE_PACK_DEVICES, record->device);
    hone_store_row *row;
    int is_new;

    HONE_TRY(keep_row(pack, op, KEPT_WINNER, view->first + i, record->variant,
                      &row, &is_new, err));
    if (!is_new)
        return HONE_OK;
    row->rank = record->rank ? record->rank : 1;
    row->preference = 2; /* as a database says of winners */
    row->is_cold = record->is_cold != 0;
    row->time_ns = record->time_ns > 0 ? record->time_ns : 0;
    row->n_dims = view->n_dims;
    memcpy(row->dims, hone__pack_view_dims(view, i),
           view->n_dims * sizeof *row->dims);
    row->label = text_of(pack, record->label, row);
    if (!device) {
        row->damage = "a record of the pack names a device that is not there";
        return HONE_OK;
    }
    row->sm_count = device->sm_count;
    row->device_name = text_of(pack, device->name, row);
    row->driver_version = text_of(pack, device->driver_version, row);
    row->arch = text_of(pack, device->arch, row);
    return HONE_OK;
}
