/* SPDX-License-Identifier: Apache-2.0 */
/* A pack as a store: opening it, its blobs, the operations there are. Its rows
 * are store_pack_rows.c. See store_pack.h. */
#include "runtime/store/store_pack.h"

#include "runtime/base/hash.h"

#include <string.h>

/* ---- blobs --------------------------------------------------------------- */

static hone_status say_damaged(const hone_store *store,
                               const hone_store_row *row, const char *what,
                               const hone_error *why, hone_error *err)
{
    if (why->status != HONE_ERR_DATABASE)
        return hone__fail(err, why->status, "%s", why->text);
    return hone__fail(err, HONE_ERR_DATABASE,
                      "pack '%s' is damaged: the %s of %.200s: %.300s; %s",
                      store->path, what, row->config, why->text,
                      store->kind->mend);
}

static uint32_t cubin_of(const hone_store *store, const hone_store_row *row)
{
    const hone_pack_variant *variant = hone__pack_record(
        hone__store_pack(store), HONE_PACK_VARIANTS, (uint64_t)row->id);

    return variant ? variant->cubin : HONE_PACK_NONE;
}

static hone_status check_cubin(const hone_store *store,
                               const hone_store_row *row, hone_error *err)
{
    hone_error why = {0};

    if (hone__pack_check_blob(hone__store_pack(store), cubin_of(store, row),
                              &why) == HONE_OK)
        return HONE_OK;
    return say_damaged(store, row, "cubin", &why, err);
}

static hone_status read_cubin(const hone_store *store,
                              const hone_store_row *row, hone_text *out,
                              hone_error *err)
{
    const size_t start = out->length;
    char actual[HONE_SHA256_HEX];
    hone_error why = {0};

    if (hone__pack_read_blob(hone__store_pack(store), cubin_of(store, row), out,
                             &why) != HONE_OK)
        return say_damaged(store, row, "cubin", &why, err);
    hone__sha256_hex(hone__text_str(out) + start, out->length - start, actual);
    if (strcmp(actual, row->cubin_sha256) == 0)
        return HONE_OK;
    out->length = start;
    (void)hone__fail(&why, HONE_ERR_DATABASE,
                     "its content does not match its SHA-256");
    return say_damaged(store, row, "cubin", &why, err);
}

static hone_status read_plan(const hone_store *store, hone_store_op *op,
                             const hone_store_row *row, hone_error *err)
{
    hone_text text = {0};
    hone_error why = {0};
    hone_status status = hone__pack_read_blob(hone__store_pack(store),
                                              row->plan->blob, &text, &why);

    if (status != HONE_OK)
        status = say_damaged(store, row, "launch plan", &why, err);
    else
        row->plan->text =
            hone__arena_strndup(&op->arena, hone__text_str(&text), text.length);
    hone__text_free(&text);
    if (status == HONE_OK && !row->plan->text)
        return hone__out_of_memory(err, " while reading a pack");
    return status;
}

/* ---- opening ------------------------------------------------------------- */

static hone_status visit_ops(hone_store *store,
                             const hone_name_visitor *visitor, hone_error *err)
{
    const hone_pack *pack = hone__store_pack(store);
    const int is_host = strcmp(store->device_kind, HONE_ARCH_CPU) == 0;
    const hone_pack_op *ops;
    size_t n = 0;

    ops = hone__pack_records(pack, HONE_PACK_OPS, &n);
    for (size_t i = 0; i < n; ++i) {
        const char *name = hone__pack_text(pack, ops[i].name);

        if ((ops[i].is_host != 0) == is_host)
            HONE_TRY(visitor->visit(visitor->user, name ? name : "?", err));
    }
    return HONE_OK;
}

static void close_pack(hone_store *store)
{
    hone_store_pack *self = (hone_store_pack *)(void *)store;

    hone__pack_close(&self->pack);
    hone__free(store->path);
    hone__free(store);
}

static const hone_store_kind kind = {
    .noun = "pack",
    .mend = "get a good copy, or make it again with `hone pack`",
    .remedy = "get a good copy",
    .close = close_pack,
    .read_op = hone__store_pack_read_op,
    .gather = hone__store_pack_gather,
    .read_choosers = hone__store_pack_read_choosers,
    .chooser_text = hone__store_pack_chooser_text,
    .read_members = hone__store_pack_read_members,
    .read_plan = read_plan,
    .check_cubin = check_cubin,
    .cubin = read_cubin,
    .visit_ops = visit_ops,
    .visit_implementations = hone__store_pack_visit_implementations,
};

hone_status hone__store_open_pack(const hone_store_source *source,
                                  hone_store **out, hone_error *err)
{
    const char *name = source->path ? source->path : "linked in";
    hone_store_pack *self = hone__alloc(sizeof *self);
    hone_status status;

    *out = NULL;
    if (self)
        self->store.path = hone__strdup(name);
    if (!self || !self->store.path) {
        hone__free(self);
        return hone__fail(err, HONE_ERR_NO_MEMORY,
                          "out of memory while opening '%s'", name);
    }
    self->store.kind = &kind;
    hone__store_select(&self->store, 0);
    status = source->path
                 ? hone__pack_open_file(self->store.path, source->sha256,
                                        &self->pack, err)
                 : hone__pack_open_memory(self->store.path, source->pack,
                                          source->pack_bytes, source->sha256,
                                          &self->pack, err);
    if (status != HONE_OK)
        hone__store_close(&self->store);
    else
        *out = &self->store;
    return status;
}
