/* SPDX-License-Identifier: Apache-2.0 */
/* The choosers of a pack. See store_pack.h. */
#include "runtime/store/store_pack_records.h"

#include <string.h>

/* 0: the record names what is not there, and it is left out. */
static int fill(const hone_pack *pack, const hone_pack_chooser *record,
                hone_store_chooser *out)
{
    const hone_pack_device *device =
        hone__pack_record(pack, HONE_PACK_DEVICES, record->device);

    if (!device)
        return 0;
    out->types = hone__pack_text(pack, record->types);
    out->device_name = hone__pack_text(pack, device->name);
    out->driver_version = hone__pack_text(pack, device->driver_version);
    out->arch = hone__pack_text(pack, device->arch);
    out->sm_count = device->sm_count;
    out->is_cold = record->is_cold != 0;
    return out->types && out->device_name && out->driver_version && out->arch;
}

hone_status hone__store_pack_read_choosers(hone_store *store, hone_store_op *op,
                                           hone_error *err)
{
    const hone_pack *pack = hone__store_pack(store);
    const uint32_t is_host = strcmp(store->device_kind, HONE_ARCH_CPU) == 0;
    hone_store_chooser **last = &op->choosers;
    const hone_pack_chooser *records;
    size_t n;

    records = hone__pack_records(pack, HONE_PACK_CHOOSERS, &n);
    for (size_t i = 0; i < n; ++i) {
        const hone_pack_chooser *record = &records[i];
        const char *name = hone__pack_text(pack, record->op);
        hone_store_chooser *c;

        if (!name || strcmp(name, op->name) != 0 || record->is_host != is_host)
            continue;
        c = hone__arena_alloc(&op->arena, sizeof *c);
        if (!c)
            return hone__store_pack_no_memory(err);
        c->id = (int64_t)i;
        if (!fill(pack, record, c))
            continue;
        *last = c;
        last = &c->next;
    }
    return HONE_OK;
}

static const hone_pack_chooser *record_of(const hone_store *store,
                                          const hone_store_chooser *chooser)
{
    return hone__pack_record(hone__store_pack(store), HONE_PACK_CHOOSERS,
                             (uint64_t)chooser->id);
}

hone_status hone__store_pack_chooser_text(const hone_store *store,
                                          const hone_store_chooser *chooser,
                                          hone_text *out, hone_error *err)
{
    return hone__pack_read_blob(hone__store_pack(store),
                                record_of(store, chooser)->blob, out, err);
}

hone_status hone__store_pack_read_members(hone_store *store, hone_store_op *op,
                                          hone_store_chooser *chooser,
                                          hone_error *err)
{
    const hone_pack *pack = hone__store_pack(store);
    const hone_pack_chooser *record = record_of(store, chooser);

    for (size_t i = 0; i < chooser->chooser->n_members && i < record->n_members;
         ++i) {
        const uint32_t *variant = hone__pack_record(
            pack, HONE_PACK_MEMBERS, (uint64_t)record->first_member + i);
        hone_store_row *row;

        if (!variant || *variant == HONE_PACK_NONE)
            continue;
        HONE_TRY(hone__store_pack_make_row(pack, op, *variant, &row, err));
        if (row->launch_sha256 &&
            strcmp(row->launch_sha256,
                   chooser->chooser->members[i].launch_sha256) == 0)
            chooser->rows[i] = row;
    }
    return HONE_OK;
}
