/* SPDX-License-Identifier: Apache-2.0 */
/* The choosers of an operation, read when a shape is asked for that nobody
 * tuned: see store.h. */
#include "runtime/store/store_kind.h"

#include <string.h>

hone_status hone__store_choosers(hone_store *store, hone_store_op *op,
                                 hone_error *err)
{
    if (op->has_choosers)
        return HONE_OK;
    op->choosers = NULL; /* a part of them may be there: none is loaded */
    if (store->kind->read_choosers)
        HONE_TRY(store->kind->read_choosers(store, op, err));
    op->has_choosers = 1;
    return HONE_OK;
}

static hone_status parse(const hone_store *store, const hone_store_op *op,
                         hone_store_chooser *c, hone_error *err)
{
    hone_text text = {0};
    hone_status status = store->kind->chooser_text(store, c, &text, err);

    if (status == HONE_OK)
        status = hone__chooser_parse(hone__text_str(&text), &c->chooser, err);
    if (status == HONE_OK && strcmp(c->chooser->op, op->name) != 0)
        status = hone__fail(err, HONE_ERR_INPUT, "it is of another operation");
    hone__text_free(&text);
    return status;
}

static hone_status load(hone_store *store, hone_store_op *op,
                        hone_store_chooser *c, const hone_launch_case *plan,
                        hone_error *err)
{
    HONE_TRY(parse(store, op, c, err));
    HONE_TRY(hone__chooser_prepare(c->chooser, plan, err));
    return store->kind->read_members(store, op, c, err);
}

hone_status hone__store_load_chooser(hone_store *store, hone_store_op *op,
                                     hone_store_chooser *chooser,
                                     const hone_launch_case *plan,
                                     hone_error *err)
{
    hone_error why = {0};
    hone_status status;

    if (chooser->is_loaded)
        return HONE_OK;
    status = load(store, op, chooser, plan, &why);
    if (status != HONE_OK) {
        hone__chooser_free(chooser->chooser);
        chooser->chooser = NULL;
    }
    if (status == HONE_ERR_INPUT || status == HONE_ERR_DATABASE) {
        chooser->lack =
            hone__arena_strndup(&op->arena, why.text, strlen(why.text));
        status = chooser->lack ? HONE_OK : hone__out_of_memory(&why, "");
    }
    chooser->is_loaded = status == HONE_OK;
    if (status != HONE_OK && err)
        *err = why;
    return status;
}
