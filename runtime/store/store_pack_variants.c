/* SPDX-License-Identifier: Apache-2.0 */
/* What a pack has of an operation, whatever the problem: its variants, by
 * their implementations. See store_pack.h. */
#include "runtime/store/store_pack.h"

/* Implementations, each once as long as they come one after the other. */
typedef struct implementation_walk {
    const hone_pack *pack;
    const hone_name_visitor *visitor;
    uint32_t last; /* its text */
} implementation_walk;

static hone_status visit_variant(implementation_walk *walk, uint32_t i,
                                 hone_error *err)
{
    const hone_pack_variant *variant =
        hone__pack_record(walk->pack, HONE_PACK_VARIANTS, i);
    const char *name;

    if (!variant || variant->implementation == walk->last)
        return HONE_OK;
    walk->last = variant->implementation;
    name = hone__pack_text(walk->pack, variant->implementation);
    return name ? walk->visitor->visit(walk->visitor->user, name, err)
                : HONE_OK;
}

static hone_status visit_group(implementation_walk *walk,
                               const hone_pack_group *group, hone_error *err)
{
    for (uint32_t i = 0; i < group->n_winners; ++i) {
        const hone_pack_winner *winner = hone__pack_record(
            walk->pack, HONE_PACK_WINNERS, (uint64_t)group->first_winner + i);

        if (!winner)
            return HONE_OK;
        HONE_TRY(visit_variant(walk, winner->variant, err));
    }
    return HONE_OK;
}

hone_status hone__store_pack_visit_implementations(
    const hone_store *store, const hone_store_op *op,
    const hone_name_visitor *visitor, hone_error *err)
{
    implementation_walk walk = {hone__store_pack(store), visitor,
                                HONE_PACK_NONE};
    const hone_pack_op *record = op->self;

    for (uint32_t i = 0; record && i < record->n_groups; ++i) {
        const hone_pack_group *group = hone__pack_record(
            walk.pack, HONE_PACK_GROUPS, (uint64_t)record->first_group + i);

        if (group)
            HONE_TRY(visit_group(&walk, group, err));
    }
    for (uint32_t i = 0; record && i < record->n_defaults; ++i) {
        const hone_pack_default *entry = hone__pack_record(
            walk.pack, HONE_PACK_DEFAULTS, (uint64_t)record->first_default + i);

        if (entry)
            HONE_TRY(visit_variant(&walk, entry->variant, err));
    }
    return HONE_OK;
}
