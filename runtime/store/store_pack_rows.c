/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows of a pack may answer a problem: found in its sorted index, so
 * that no more is read of 100,000 winners than some of their dims. See
 * store_pack.h. */
#include "runtime/store/store_pack_records.h"

#include "runtime/store/code_arch.h"
#include "runtime/store/nearest.h"

#include <string.h>

enum {
    /* Rows that tell the dims of an operation: one does, unless its launch
     * plan is damaged. */
    SAMPLES = 8,
    /* Winners of any shape, where nothing will be launched. */
    ANY_WINNERS = 64
};

/* ---- of a device --------------------------------------------------------- */

/* Is a device one that winners have to be of? The last answer is kept, for
 * most winners have the same. */
typedef struct device_filter {
    const hone_wanted *wanted;
    uint32_t last;
    int answer;
} device_filter;

/* Devices like this one; of its family all others. */
static int is_device_wanted(const hone_wanted *wanted, const char *arch,
                            const hone_pack_device *device)
{
    const int is_alike =
        strcmp(arch, wanted->arch) == 0 &&
        (wanted->is_any || device->sm_count == (uint64_t)wanted->sm_count);

    /* Who compiles it for this device does not care where it was measured. */
    if (wanted->kind == HONE_MATCH_PTX)
        return strcmp(arch, HONE_ARCH_CPU) != 0;
    return wanted->kind == HONE_MATCH_FAMILY
               ? !is_alike &&
                     hone__arch_family_distance(arch, wanted->arch) >= 0
               : is_alike;
}

static int is_wanted(device_filter *filter, const hone_pack_view *view,
                     uint32_t i)
{
    const uint32_t number = view->winners[i].device;
    const hone_pack_device *device;
    const char *arch;

    if (number == filter->last)
        return filter->answer;
    device = hone__pack_record(view->pack, HONE_PACK_DEVICES, number);
    arch = device ? hone__pack_text(view->pack, device->arch) : NULL;
    filter->last = number;
    filter->answer = arch && is_device_wanted(filter->wanted, arch, device);
    return filter->answer;
}

static device_filter filter_of(const hone_wanted *wanted)
{
    return (device_filter){wanted, HONE_PACK_NONE, 0};
}

/* ---- exact --------------------------------------------------------------- */

static int compare_dims(const int64_t *a, const int64_t *b, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

static hone_status add_exact(const hone_pack_view *view, hone_store_op *op,
                             const hone_wanted *wanted, hone_error *err)
{
    device_filter filter = filter_of(wanted);
    uint32_t low = 0, high = view->n;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (compare_dims(hone__pack_view_dims(view, middle), wanted->dims,
                         view->n_dims) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < view->n && !compare_dims(hone__pack_view_dims(view, low),
                                          wanted->dims, view->n_dims);
         ++low)
        if (is_wanted(&filter, view, low))
            HONE_TRY(hone__store_pack_add_winner(view, op, low, err));
    return HONE_OK;
}

/* ---- neighbours ---------------------------------------------------------- */

/* Is any of the pack's devices? Most packs are of one, whose winners need no
 * pass then to find those of others. */
static int has_wanted_device(const hone_pack *pack, const hone_wanted *wanted)
{
    size_t n;
    const hone_pack_device *devices =
        hone__pack_records(pack, HONE_PACK_DEVICES, &n);

    for (size_t i = 0; i < n; ++i) {
        const char *arch = hone__pack_text(pack, devices[i].arch);

        if (arch && is_device_wanted(wanted, arch, &devices[i]))
            return 1;
    }
    return 0;
}

static hone_status add_neighbours(const hone_pack_view *view, hone_store_op *op,
                                  const hone_wanted *wanted, hone_error *err)
{
    device_filter filter = filter_of(wanted);
    hone_nearest near = {.most = wanted->most};
    hone_status status = HONE_OK;

    if (!has_wanted_device(view->pack, wanted))
        return HONE_OK;
    /* Dims lie side by side, a fifth of what winners take. */
    for (uint32_t i = 0; i < view->n && status == HONE_OK; ++i) {
        const double distance =
            wanted->distance(wanted->user, hone__pack_view_dims(view, i));

        if (distance >= 0 && is_wanted(&filter, view, i) &&
            !hone__nearest_add(&near, distance, i))
            status = hone__store_pack_no_memory(err);
    }
    for (size_t i = 0; i < near.n && status == HONE_OK; ++i)
        status = hone__store_pack_add_winner(view, op,
                                             (uint32_t)near.list[i].id, err);
    op->has_more |= near.has_more;
    hone__free(near.list);
    return status;
}

/* ---- defaults ------------------------------------------------------------ */

/* The group that a winner is in. */
static int group_of(const hone_pack *pack, const hone_pack_op *record,
                    uint32_t winner, hone_pack_view *out)
{
    for (uint32_t i = 0; i < record->n_groups; ++i)
        if (hone__pack_view_open(pack, (uint64_t)record->first_group + i,
                                 out) &&
            winner >= out->first && winner - out->first < out->n)
            return 1;
    return 0;
}

static hone_status add_defaults(const hone_pack *pack, hone_store_op *op,
                                uint32_t most, hone_error *err)
{
    const hone_pack_op *record = op->self;

    for (uint32_t i = 0; i < record->n_defaults && i < most; ++i)
        HONE_TRY(hone__store_pack_add_default(pack, op,
                                              record->first_default + i, err));
    return HONE_OK;
}

/* Winners that are default variants; one of each. */
static hone_status add_standins(const hone_pack *pack, hone_store_op *op,
                                hone_error *err)
{
    const hone_pack_op *record = op->self;
    hone_pack_view view;

    for (uint32_t i = 0; i < record->n_standins; ++i) {
        const uint32_t *winner = hone__pack_record(
            pack, HONE_PACK_STANDINS, (uint64_t)record->first_standin + i);

        if (winner && group_of(pack, record, *winner, &view))
            HONE_TRY(hone__store_pack_add_winner(&view, op,
                                                 *winner - view.first, err));
    }
    return HONE_OK;
}

/* The first winners of each group; of one architecture if `wanted`. */
static hone_status add_any(const hone_pack *pack, hone_store_op *op,
                           const hone_wanted *wanted, size_t most,
                           hone_error *err)
{
    const hone_pack_op *record = op->self;

    for (uint32_t i = 0; i < record->n_groups; ++i) {
        device_filter filter = filter_of(wanted);
        hone_pack_view view;

        if (!hone__pack_view_open(pack, (uint64_t)record->first_group + i,
                                  &view))
            continue;
        for (uint32_t j = 0; j < view.n && op->n_rows < most; ++j)
            if (!wanted || is_wanted(&filter, &view, j))
                HONE_TRY(hone__store_pack_add_winner(&view, op, j, err));
    }
    return HONE_OK;
}

/* ---- one configuration --------------------------------------------------- */

/* Is a variant of the op's configuration? The last answer is kept. */
typedef struct config_filter {
    const hone_store_op *op;
    uint32_t last;
    int answer;
} config_filter;

static int is_configured(config_filter *filter, const hone_pack *pack,
                         uint32_t i)
{
    const hone_pack_variant *variant;
    const char *implementation, *config;

    if (i == filter->last)
        return filter->answer;
    variant = hone__pack_record(pack, HONE_PACK_VARIANTS, i);
    implementation =
        variant ? hone__pack_text(pack, variant->implementation) : NULL;
    config = variant ? hone__pack_text(pack, variant->config) : NULL;
    filter->last = i;
    filter->answer = implementation && config &&
                     hone__store_op_takes(filter->op, implementation, config);
    return filter->answer;
}

/* All rows of it, of whatever shape. */
static hone_status add_configured(const hone_pack *pack, hone_store_op *op,
                                  hone_error *err)
{
    const hone_pack_op *record = op->self;
    config_filter filter = {op, HONE_PACK_NONE, 0};

    for (uint32_t i = 0; i < record->n_groups; ++i) {
        hone_pack_view view;

        if (!hone__pack_view_open(pack, (uint64_t)record->first_group + i,
                                  &view))
            continue;
        for (uint32_t j = 0; j < view.n; ++j)
            if (is_configured(&filter, pack, view.winners[j].variant))
                HONE_TRY(hone__store_pack_add_winner(&view, op, j, err));
    }
    for (uint32_t i = 0; i < record->n_defaults; ++i) {
        const uint32_t at = record->first_default + i;
        const hone_pack_default *entry =
            hone__pack_record(pack, HONE_PACK_DEFAULTS, at);

        if (entry && is_configured(&filter, pack, entry->variant))
            HONE_TRY(hone__store_pack_add_default(pack, op, at, err));
    }
    return HONE_OK;
}

/* ---- of the table of functions ------------------------------------------- */

static hone_status add_samples(const hone_pack *pack, hone_store_op *op,
                               hone_error *err)
{
    HONE_TRY(add_defaults(pack, op, SAMPLES, err));
    return add_any(pack, op, NULL, 2 * SAMPLES, err);
}

hone_status hone__store_pack_gather(hone_store *store, hone_store_op *op,
                                    const hone_wanted *wanted, hone_error *err)
{
    const hone_pack *pack = hone__store_pack(store);
    const hone_pack_op *record = op->self;

    op->n_rows = 0;
    op->has_more = 0;
    if (!record)
        return HONE_OK;
    if (op->config)
        return add_configured(pack, op, err);
    if (!wanted)
        return add_samples(pack, op, err);
    if (wanted->kind == HONE_MATCH_DEFAULT || wanted->kind == HONE_MATCH_PTX ||
        wanted->kind == HONE_MATCH_REFERENCE) {
        HONE_TRY(add_defaults(pack, op, UINT32_MAX, err));
        HONE_TRY(add_standins(pack, op, err));
    }
    if (wanted->kind == HONE_MATCH_DEFAULT ||
        wanted->kind == HONE_MATCH_REFERENCE) {
        return wanted->is_any
                   ? add_any(pack, op, wanted, op->n_rows + ANY_WINNERS, err)
                   : HONE_OK;
    }
    for (uint32_t i = 0; i < record->n_groups; ++i) {
        hone_pack_view view;

        if (!hone__pack_view_open(pack, (uint64_t)record->first_group + i,
                                  &view) ||
            view.n_dims != wanted->n_dims ||
            strcmp(view.types, wanted->types) != 0)
            continue;
        HONE_TRY(wanted->kind == HONE_MATCH_EXACT
                     ? add_exact(&view, op, wanted, err)
                     : add_neighbours(&view, op, wanted, err));
    }
    return HONE_OK;
}

/* Has the operation only what is in the pack? */
static int is_whole(const hone_pack *pack, const hone_pack_op *record)
{
    const struct {
        hone_pack_part part;
        uint32_t first;
        uint32_t n;
    } ranges[] = {
        {HONE_PACK_GROUPS, record->first_group, record->n_groups},
        {HONE_PACK_DEFAULTS, record->first_default, record->n_defaults},
        {HONE_PACK_STANDINS, record->first_standin, record->n_standins}};

    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; ++i) {
        size_t n;

        (void)hone__pack_records(pack, ranges[i].part, &n);
        if (ranges[i].first > n || ranges[i].n > n - ranges[i].first)
            return 0;
    }
    return 1;
}

hone_status hone__store_pack_read_op(hone_store *store, hone_store_op *op,
                                     hone_error *err)
{
    const hone_pack *pack = hone__store_pack(store);
    const int is_host = strcmp(store->device_kind, HONE_ARCH_CPU) == 0;
    const hone_pack_op *ops;
    size_t n;

    ops = hone__pack_records(pack, HONE_PACK_OPS, &n);
    for (size_t i = 0; i < n; ++i) {
        const char *name = hone__pack_text(pack, ops[i].name);

        if (name && (ops[i].is_host != 0) == is_host &&
            strcmp(name, op->name) == 0)
            op->self = &ops[i];
    }
    if (op->self && !is_whole(pack, op->self))
        return hone__fail(err, HONE_ERR_DATABASE,
                          "pack '%s' is damaged: operation '%s' has records "
                          "that are not there; %s",
                          store->path, op->name, store->kind->mend);
    return hone__store_pack_gather(store, op, NULL, err);
}
