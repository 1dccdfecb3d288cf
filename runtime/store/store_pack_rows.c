/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a pack that may answer a problem: found in its sorted index, so
 * that no more is read of 100,000 winners than some of their dims. See
 * store_pack.h. */
#include "runtime/store/store_pack.h"

#include "runtime/base/grow.h"

#include <string.h>

enum {
    /* Rows that tell the dims of an operation: one does, unless its launch
     * plan is damaged. */
    SAMPLES = 8,
    /* Winners of any shape, where nothing will be launched. */
    ANY_WINNERS = 64
};

/* Behind all that are written. */
#define LAST_PREFERENCE 4.0

/* What `kept` of an op has. */
typedef enum kept_kind { KEPT_WINNER = 1, KEPT_DEFAULT, KEPT_PLAN } kept_kind;

static uint64_t tag_of(kept_kind kind, uint32_t i)
{
    return hone__table_tag((uint64_t)kind << 32 | i);
}

static hone_status no_memory(hone_error *err)
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
        return no_memory(err);
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
        return no_memory(err);
    if (!*out) {
        *out = hone__arena_alloc(&op->arena, sizeof **out);
        if (!*out)
            return no_memory(err);
        HONE_TRY(fill_variant(pack, op, variant, *out, err));
        HONE_TRY(hone__table_put(&op->kept, tag, *out, err));
    }
    op->rows[op->n_rows++] = *out;
    return HONE_OK;
}

static hone_status add_default(const hone_pack *pack, hone_store_op *op,
                               uint32_t i, hone_error *err)
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

/* Winners of one operation for the same types, with their dims. */
typedef struct group_view {
    const hone_pack *pack;
    const char *types;
    size_t n_dims;
    uint32_t first; /* of all winners of the pack */
    uint32_t n;
    const hone_pack_winner *winners; /* `n`, and n_dims of these for each */
    const int64_t *dims;
} group_view;

/* 0: there is no such group, or it is not in the pack. */
static int view_group(const hone_pack *pack, uint64_t i, group_view *out)
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
    *out = (group_view){pack,
                        hone__pack_text(pack, group->types),
                        group->n_dims,
                        group->first_winner,
                        group->n_winners,
                        winners + group->first_winner,
                        dims + group->first_dim};
    return out->types != NULL;
}

static const int64_t *dims_of(const group_view *view, uint32_t i)
{
    return view->dims + (size_t)i * view->n_dims;
}

static hone_status add_winner(const group_view *view, hone_store_op *op,
                              uint32_t i, hone_error *err)
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
    memcpy(row->dims, dims_of(view, i), view->n_dims * sizeof *row->dims);
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

/* Is a device one that winners have to be of? The last answer is kept, for
 * most winners have the same. */
typedef struct device_filter {
    const hone_wanted *wanted;
    uint32_t last;
    int answer;
} device_filter;

static int is_wanted(device_filter *filter, const group_view *view, uint32_t i)
{
    const uint32_t number = view->winners[i].device;
    const hone_pack_device *device;
    const char *arch;

    if (number == filter->last)
        return filter->answer;
    device = hone__pack_record(view->pack, HONE_PACK_DEVICES, number);
    arch = device ? hone__pack_text(view->pack, device->arch) : NULL;
    filter->last = number;
    filter->answer = arch && strcmp(arch, filter->wanted->arch) == 0 &&
                     (filter->wanted->is_any ||
                      device->sm_count == (uint64_t)filter->wanted->sm_count);
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

static hone_status add_exact(const group_view *view, hone_store_op *op,
                             const hone_wanted *wanted, hone_error *err)
{
    device_filter filter = filter_of(wanted);
    uint32_t low = 0, high = view->n;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (compare_dims(dims_of(view, middle), wanted->dims, view->n_dims) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < view->n &&
           !compare_dims(dims_of(view, low), wanted->dims, view->n_dims);
         ++low)
        if (is_wanted(&filter, view, low))
            HONE_TRY(add_winner(view, op, low, err));
    return HONE_OK;
}

/* ---- neighbours ---------------------------------------------------------- */

typedef struct near_winner {
    double distance;
    uint32_t i;
} near_winner;

/* The nearest so far, the farthest of them last. */
typedef struct nearest {
    near_winner *list;
    size_t n;
    size_t most;
    int has_more;
} nearest;

static int insert_near(nearest *near, double distance, uint32_t i)
{
    size_t at;

    if (near->n == near->most) {
        near->has_more = 1;
        if (near->list[near->n - 1].distance <= distance)
            return 1;
        --near->n; /* the farthest gives way */
    } else if (!HONE_GROW(near->list, near->n)) {
        return 0;
    }
    at = near->n++;
    /* Where all are taken, the order is made later. */
    for (;
         near->most != SIZE_MAX && at && near->list[at - 1].distance > distance;
         --at)
        near->list[at] = near->list[at - 1];
    near->list[at] = (near_winner){distance, i};
    return 1;
}

static hone_status add_neighbours(const group_view *view, hone_store_op *op,
                                  const hone_wanted *wanted, hone_error *err)
{
    device_filter filter = filter_of(wanted);
    nearest near = {.most = wanted->most};
    hone_status status = HONE_OK;

    for (uint32_t i = 0; i < view->n && status == HONE_OK; ++i) {
        double distance;

        if (!is_wanted(&filter, view, i))
            continue;
        distance = wanted->distance(wanted->user, dims_of(view, i));
        if (distance >= 0 && !insert_near(&near, distance, i))
            status = no_memory(err);
    }
    for (size_t i = 0; i < near.n && status == HONE_OK; ++i)
        status = add_winner(view, op, near.list[i].i, err);
    op->has_more |= near.has_more;
    hone__free(near.list);
    return status;
}

/* ---- defaults ------------------------------------------------------------ */

/* The group that a winner is in. */
static int group_of(const hone_pack *pack, const hone_pack_op *record,
                    uint32_t winner, group_view *out)
{
    for (uint32_t i = 0; i < record->n_groups; ++i)
        if (view_group(pack, (uint64_t)record->first_group + i, out) &&
            winner >= out->first && winner - out->first < out->n)
            return 1;
    return 0;
}

static hone_status add_defaults(const hone_pack *pack, hone_store_op *op,
                                uint32_t most, hone_error *err)
{
    const hone_pack_op *record = op->self;

    for (uint32_t i = 0; i < record->n_defaults && i < most; ++i)
        HONE_TRY(add_default(pack, op, record->first_default + i, err));
    return HONE_OK;
}

/* Winners that are default variants; one of each. */
static hone_status add_standins(const hone_pack *pack, hone_store_op *op,
                                hone_error *err)
{
    const hone_pack_op *record = op->self;
    group_view view;

    for (uint32_t i = 0; i < record->n_standins; ++i) {
        const uint32_t *winner = hone__pack_record(
            pack, HONE_PACK_STANDINS, (uint64_t)record->first_standin + i);

        if (winner && group_of(pack, record, *winner, &view))
            HONE_TRY(add_winner(&view, op, *winner - view.first, err));
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
        group_view view;

        if (!view_group(pack, (uint64_t)record->first_group + i, &view))
            continue;
        for (uint32_t j = 0; j < view.n && op->n_rows < most; ++j)
            if (!wanted || is_wanted(&filter, &view, j))
                HONE_TRY(add_winner(&view, op, j, err));
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
        group_view view;

        if (!view_group(pack, (uint64_t)record->first_group + i, &view))
            continue;
        for (uint32_t j = 0; j < view.n; ++j)
            if (is_configured(&filter, pack, view.winners[j].variant))
                HONE_TRY(add_winner(&view, op, j, err));
    }
    for (uint32_t i = 0; i < record->n_defaults; ++i) {
        const uint32_t at = record->first_default + i;
        const hone_pack_default *entry =
            hone__pack_record(pack, HONE_PACK_DEFAULTS, at);

        if (entry && is_configured(&filter, pack, entry->variant))
            HONE_TRY(add_default(pack, op, at, err));
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
    if (wanted->kind == HONE_MATCH_DEFAULT) {
        HONE_TRY(add_defaults(pack, op, UINT32_MAX, err));
        HONE_TRY(add_standins(pack, op, err));
        return wanted->is_any
                   ? add_any(pack, op, wanted, op->n_rows + ANY_WINNERS, err)
                   : HONE_OK;
    }
    for (uint32_t i = 0; i < record->n_groups; ++i) {
        group_view view;

        if (!view_group(pack, (uint64_t)record->first_group + i, &view) ||
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
