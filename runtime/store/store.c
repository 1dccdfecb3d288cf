/* SPDX-License-Identifier: Apache-2.0 */
/* What databases and packs have in common: opening the right one, the
 * operations that were read, and is what was read what was stored? Artifacts
 * are compressed and named by the SHA-256 of their content, launches have a
 * hash over all that they rely on (launch_hash.h). A row is looked at before a
 * launch relies on it, and once. See store.h. */
#include "runtime/store/store_kind.h"
#include "runtime/store/database.h"
#include "runtime/store/pack_format.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* ---- opening ------------------------------------------------------------- */

/* The first bytes of a file, as far as there are any: what cannot be read is
 * the database's to complain about. */
static size_t read_beginning(const char *path, char *out, size_t size_bytes)
{
    ssize_t n;
    int fd;

    if (hone__file_open(path, INT64_MAX, &fd, NULL) != HONE_OK)
        return 0;
    do
        n = read(fd, out, size_bytes);
    while (n < 0 && errno == EINTR);
    (void)close(fd);
    return n > 0 ? (size_t)n : 0;
}

hone_status hone__store_open_source(const hone_store_source *source,
                                    hone_store **out, hone_error *err)
{
    char beginning[sizeof HONE_PACK_MAGIC - 1];
    size_t n = 0;

    *out = NULL;
    if (source->path && *source->path)
        n = read_beginning(source->path, beginning, sizeof beginning);
    /* A file that breaks off in there is no database either. */
    if (!source->path || (n && memcmp(beginning, HONE_PACK_MAGIC, n) == 0))
        return hone__store_open_pack(source, out, err);
    if (source->sha256)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "a SHA-256 was asked for and '%.200s' is no pack: "
                          "only packs never change",
                          source->path);
    /* Said here, since who ships packs alone has nothing that reads databases.
     */
    if (!n && source->path && *source->path && access(source->path, F_OK) &&
        (errno == ENOENT || errno == ENOTDIR))
        return hone__fail_native(err, HONE_ERR_NOT_FOUND, HONE_DOMAIN_ERRNO,
                                 errno, HONE_NO_DATABASE, source->path);
    return hone__store_open_database(source->path, out, err);
}

hone_status hone__store_open(const char *path, hone_store **out,
                             hone_error *err)
{
    const hone_store_source source = {.path = path ? path : ""};

    return hone__store_open_source(&source, out, err);
}

void hone__store_close(hone_store *store)
{
    if (!store)
        return;
    hone__store_forget(store);
    store->kind->close(store);
}

/* ---- operations ---------------------------------------------------------- */

static void free_op(hone_store_op *op)
{
    for (hone_store_plan *plan = op->plans; plan; plan = plan->next)
        hone__launch_spec_free(plan->spec);
    for (hone_store_chooser *c = op->choosers; c; c = c->next)
        hone__chooser_free(c->chooser);
    hone__table_free(&op->kept);
    hone__free(op->rows);
    hone__arena_free(&op->arena);
    hone__free(op);
}

void hone__store_forget(hone_store *store)
{
    if (store->configured)
        free_op(store->configured);
    store->configured = NULL;
    while (store->ops) {
        hone_store_op *next = store->ops->next;

        free_op(store->ops);
        store->ops = next;
    }
}

void hone__store_select(hone_store *store, int is_host)
{
    store->device_kind = is_host ? HONE_ARCH_CPU : "cuda";
    hone__store_forget(store);
}

static hone_status no_memory(const hone_store *store, hone_error *err)
{
    return hone__fail(err, HONE_ERR_NO_MEMORY,
                      "out of memory while reading %s '%s'", store->kind->noun,
                      store->path);
}

/* NULL stays NULL; 0: there is no memory. */
static int keep_text(hone_store_op *op, const char *text, const char **out)
{
    *out = text ? hone__arena_strndup(&op->arena, text, strlen(text)) : NULL;
    return !text || *out;
}

/* Read an op, which is in no list yet. */
static hone_status read_op(hone_store *store, const char *name,
                           const char *implementation, const char *config,
                           hone_store_op **out, hone_error *err)
{
    hone_store_op *op = hone__alloc(sizeof *op);
    hone_status status;

    *out = NULL;
    if (!op)
        return no_memory(store, err);
    if (keep_text(op, name, &op->name) && keep_text(op, config, &op->config) &&
        keep_text(op, implementation, &op->implementation))
        status = store->kind->read_op(store, op, err);
    else
        status = no_memory(store, err);
    if (status == HONE_OK)
        *out = op;
    else
        free_op(op);
    return status;
}

hone_status hone__store_op(hone_store *store, const char *name,
                           hone_store_op **out, hone_error *err)
{
    hone_store_op *op;

    *out = NULL;
    if (store->kind->refresh)
        HONE_TRY(store->kind->refresh(store, err));
    for (op = store->ops; op; op = op->next) {
        if (strcmp(op->name, name) == 0) {
            *out = op;
            return hone__store_gather(store, op, NULL, err);
        }
    }
    HONE_TRY(read_op(store, name, NULL, NULL, &op, err));
    op->next = store->ops;
    store->ops = op;
    *out = op;
    return HONE_OK;
}

hone_status hone__store_op_configured(hone_store *store, const char *name,
                                      const char *implementation,
                                      const char *config, hone_store_op **out,
                                      hone_error *err)
{
    *out = NULL;
    if (store->kind->refresh)
        HONE_TRY(store->kind->refresh(store, err));
    if (store->configured)
        free_op(store->configured);
    store->configured = NULL;
    HONE_TRY(
        read_op(store, name, implementation, config, &store->configured, err));
    *out = store->configured;
    return HONE_OK;
}

/* Is each "K=V" of one configuration in the other? */
static int is_within(const char *config, const char *other)
{
    while (*config) {
        const size_t length = strcspn(config, ",");
        const char *at = other;

        while (*at &&
               (strcspn(at, ",") != length || memcmp(at, config, length)))
            at += strcspn(at, ",") + (at[strcspn(at, ",")] == ',');
        if (!*at)
            return 0;
        config += length + (config[length] == ',');
    }
    return 1;
}

int hone__store_op_takes(const hone_store_op *op, const char *implementation,
                         const char *config)
{
    return !op->config ||
           (strlen(config) == strlen(op->config) &&
            is_within(config, op->config) && is_within(op->config, config) &&
            (!op->implementation ||
             strcmp(implementation, op->implementation) == 0));
}

hone_status hone__store_gather(hone_store *store, hone_store_op *op,
                               const hone_wanted *wanted, hone_error *err)
{
    return store->kind->gather ? store->kind->gather(store, op, wanted, err)
                               : HONE_OK;
}

hone_status hone__store_widen(hone_store *store, hone_store_op *op,
                              hone_error *err)
{
    return store->kind->widen ? store->kind->widen(store, op, err) : HONE_OK;
}

hone_status hone__store_runners_up(hone_store *store, hone_store_op *op,
                                   hone_store_row *winner, hone_error *err)
{
    if (store->kind->runners_up)
        HONE_TRY(store->kind->runners_up(store, op, winner, err));
    winner->has_runners_up = 1;
    return HONE_OK;
}

hone_status hone__store_visit_ops(hone_store *store,
                                  const hone_name_visitor *visitor,
                                  hone_error *err)
{
    return store->kind->visit_ops(store, visitor, err);
}

hone_status hone__store_visit_implementations(hone_store *store,
                                              const hone_store_op *op,
                                              const hone_name_visitor *visitor,
                                              hone_error *err)
{
    if (store->kind->visit_implementations)
        return store->kind->visit_implementations(store, op, visitor, err);
    for (size_t i = 0; i < op->n_rows; ++i)
        HONE_TRY(
            visitor->visit(visitor->user, op->rows[i]->implementation, err));
    return HONE_OK;
}

static hone_status append_name(void *user, const char *name, hone_error *err)
{
    hone_text *text = user;

    hone__text_printf(text, "%s%s", text->length ? ", " : "", name);
    return hone__text_check(text, err);
}

hone_status hone__store_list_ops(hone_store *store, hone_text *out,
                                 hone_error *err)
{
    return hone__store_visit_ops(store, &(hone_name_visitor){append_name, out},
                                 err);
}

hone_status hone__store_cubin(const hone_store *store,
                              const hone_store_row *row, hone_text *out,
                              hone_error *err)
{
    return store->kind->cubin(store, row, out, err);
}

/* ---- rows ---------------------------------------------------------------- */

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
                          "%s '%s' is damaged: the launch plan of "
                          "%.200s: %.300s; %s",
                          store->kind->noun, store->path, row->config, why.text,
                          store->kind->mend);
    return status == HONE_OK ? HONE_OK
                             : hone__fail(err, status, "%s", why.text);
}

hone_status hone__store_blame(hone_store_op *op, hone_store_row *row,
                              hone_error *why)
{
    row->damage = hone__arena_strndup(&op->arena, why->text, strlen(why->text));
    return row->damage ? why->status : hone__out_of_memory(why, "");
}

/* Damage is kept with the row, so that it is not looked at again. */
static hone_status conclude(hone_store_op *op, hone_store_row *row,
                            hone_status status, hone_error *why,
                            int *is_checked, hone_error *err)
{
    *is_checked = status == HONE_OK;
    if (status == HONE_OK)
        return HONE_OK;
    if (status == HONE_ERR_DATABASE)
        status = hone__store_blame(op, row, why);
    if (err)
        *err = *why;
    return status;
}

/* Its text too, where that is not there yet. */
static hone_status read_and_check_plan(const hone_store *store,
                                       hone_store_op *op, hone_store_row *row,
                                       hone_error *err)
{
    if (!row->plan->text)
        HONE_TRY(store->kind->read_plan(store, op, row, err));
    return check_plan(store, op, row, err);
}

hone_status hone__store_spec(hone_store *store, hone_store_op *op,
                             hone_store_row *row, const hone_launch_spec **out,
                             hone_error *err)
{
    hone_error why = {0};

    *out = NULL;
    if (row->damage)
        return hone__fail(err, HONE_ERR_DATABASE, "%s", row->damage);
    if (!row->is_plan_checked) {
        const hone_status status = read_and_check_plan(store, op, row, &why);

        HONE_TRY(conclude(op, row, status, &why, &row->is_plan_checked, err));
    }
    *out = row->plan->spec;
    return HONE_OK;
}

hone_status hone__store_check_cubin(const hone_store *store, hone_store_op *op,
                                    hone_store_row *row, hone_error *err)
{
    hone_error why = {0};
    hone_status status;

    if (row->damage)
        return hone__fail(err, HONE_ERR_DATABASE, "%s", row->damage);
    if (row->is_cubin_checked || !row->cubin_sha256[0])
        return HONE_OK;
    status = store->kind->check_cubin(store, row, &why);
    return conclude(op, row, status, &why, &row->is_cubin_checked, err);
}
