/* SPDX-License-Identifier: Apache-2.0 */
/* A list of problems among shards, and what of it a database does not have: see
 * tune_parts.h. */
#include "tools/tune_parts.h"

#include "runtime/base/alloc.h"
#include "tools/base/message.h"
#include "tools/base/option_value.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- what a problem is expected to take ------------------------------------
 */

/* Of a trial, in seconds: what does not depend on the problem, and its checks
 * and samples at rates that a card of today about has. Guesses, all four: only
 * their proportion matters, and who has which problem must not depend on the
 * machine that asks, nor on a database that only some have. */
#define FIXED_S 0.06
#define EXECUTIONS 60.0
#define FLOPS_PER_S 2e13
#define BYTES_PER_S 2e12

/* An expression over the dimensions and default values; 0: it cannot be said.
 */
static double work_of(const hone_template_expr *work, const int64_t *slots,
                      size_t n_slots)
{
    int64_t value = 0;

    if (!work->expr || hone__expr_slot_count(work->expr) > n_slots ||
        hone__expr_eval(work->expr, slots, &value, NULL) != HONE_OK)
        return 0;
    return value > 0 ? (double)value : 0;
}

static void fill_slots(const hone_shape *shape, int64_t *slots, size_t n_slots)
{
    const hone_template *tmpl = shape->tmpl;

    memset(slots, 0, n_slots * sizeof *slots);
    memcpy(slots + tmpl->slots.dims, shape->dims,
           tmpl->n_dims * sizeof *shape->dims);
    for (size_t i = 0; i < tmpl->n_params; ++i)
        slots[tmpl->slots.params + i] =
            tmpl->params[i].values[tmpl->params[i].default_index];
    for (size_t i = 0; i < tmpl->n_lets; ++i) {
        const hone_template_expr *let = &tmpl->lets[i].value;

        if (let->expr && hone__expr_slot_count(let->expr) <= n_slots)
            (void)hone__expr_eval(let->expr, slots,
                                  &slots[tmpl->slots.lets + i], NULL);
    }
}

/* `whole` is --budget: with a time every problem takes that. */
static hone_status price(const hone_shape *shape, const hone_tune_budget *whole,
                         double *out, hone_error *err)
{
    const hone_template *tmpl = shape->tmpl;
    const size_t n_slots = tmpl->slots.lets + tmpl->n_lets + 1;
    int64_t *slots;
    double flops, bytes, run_s;

    *out = whole->seconds;
    if (whole->seconds > 0)
        return HONE_OK;
    slots = hone__alloc(n_slots * sizeof *slots);
    if (!slots)
        return hone__out_of_memory(err, "");
    fill_slots(shape, slots, n_slots);
    flops = work_of(&tmpl->work_flops, slots, n_slots) / FLOPS_PER_S;
    bytes = work_of(&tmpl->work_bytes, slots, n_slots) / BYTES_PER_S;
    run_s = flops > bytes ? flops : bytes;
    *out = FIXED_S + EXECUTIONS * run_s;
    hone__free(slots);
    return HONE_OK;
}

/* ---- dealing ----------------------------------------------------------------
 */

typedef struct deal {
    double *costs;
    hone_dealt *dealt;
} deal;

static hone_status deal_all(const hone_options *options,
                            const hone_shapes *shapes, int n_shards, deal *out,
                            hone_error *err)
{
    hone_tune_budget whole = {0};

    HONE_TRY(hone__option_budget(options, &whole.trials, &whole.seconds, err));
    if (shapes->is_counted) /* one for all, spent where it pays */
        whole.seconds = 0;
    out->costs = hone__alloc((shapes->n + 1) * sizeof *out->costs);
    out->dealt = hone__alloc((shapes->n + 1) * sizeof *out->dealt);
    if (!out->costs || !out->dealt)
        return hone__out_of_memory(err, " for the shards");
    for (size_t i = 0; i < shapes->n; ++i)
        HONE_TRY(price(&shapes->items[i], &whole, &out->costs[i], err));
    return hone__shard_deal(out->costs, shapes->n, n_shards, out->dealt, err);
}

static void write_list(const hone_shapes *shapes, const deal *of, int n_shards,
                       hone_text *out)
{
    hone_text dims = {0};

    hone__db_shards_begin(n_shards, out);
    for (size_t i = 0; i < shapes->n; ++i) {
        const hone_shape *shape = &shapes->items[i];

        hone__text_clear(&dims);
        hone__db_dims_text(shape->dims, shape->tmpl->n_dims, &dims);
        hone__db_shards_add(
            &(hone_db_listed){of->dealt[i].shard, of->dealt[i].n_parts,
                              shape->tmpl->op, hone__text_str(&dims),
                              shapes->ops[shape->op].name},
            out);
    }
    out->failed |= dims.failed;
    hone__text_free(&dims);
}

/* An item of this shard, until they are in their order. */
typedef struct own {
    double cost;
    size_t place;
} own;

static int longest_first(const void *a, const void *b)
{
    const own *x = a;
    const own *y = b;

    if (x->cost != y->cost)
        return x->cost > y->cost ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static hone_status keep_own(hone_shapes *shapes, const deal *of,
                            hone_tune_shard *out, hone_error *err)
{
    own *mine = hone__alloc((shapes->n + 1) * sizeof *mine);
    hone_shape *kept = hone__alloc((shapes->n + 1) * sizeof *kept);
    double sum = 0, all = 0;
    size_t n = 0;

    for (size_t i = 0; mine && kept && i < shapes->n; ++i) {
        const hone_dealt *dealt = &of->dealt[i];
        const int part = out->shard.index - dealt->shard;

        all += of->costs[i];
        if (part < 0 || part >= dealt->n_parts)
            continue;
        sum += of->costs[i] / dealt->n_parts;
        mine[n++] = (own){of->costs[i], i};
        if (dealt->n_parts > 1) {
            shapes->items[i].part = part;
            shapes->items[i].n_parts = dealt->n_parts;
        }
    }
    if (mine && kept) {
        qsort(mine, n, sizeof *mine, longest_first);
        for (size_t i = 0; i < n; ++i)
            kept[i] = shapes->items[mine[i].place];
        memcpy(shapes->items, kept, n * sizeof *kept);
        shapes->n = n;
        hone__free(shapes->table); /* of places that are others now */
        shapes->table = NULL;
        shapes->table_size = 0;
        out->part = all > 0 ? sum / all : 0;
    }
    hone__free(kept);
    hone__free(mine);
    return mine && kept ? HONE_OK : hone__out_of_memory(err, " for the shards");
}

/* What sessions of each are stored with. */
static hone_status mark_own(const hone_shapes *shapes, hone_tune_shard *out,
                            hone_error *err)
{
    out->marks = hone__alloc((shapes->n + 1) * sizeof *out->marks);
    if (!out->marks)
        return hone__out_of_memory(err, " for the shards");
    for (size_t i = 0; i < shapes->n; ++i) {
        const hone_shape *shape = &shapes->items[i];

        hone__db_shards_mark(
            out->shard.index, out->shard.n, out->id,
            &(hone_db_listed){.shard = out->shard.index - shape->part,
                              .n_parts = shape->n_parts},
            out->marks[i]);
    }
    return HONE_OK;
}

void hone__tune_shard_free(hone_tune_shard *shard)
{
    hone__text_free(&shard->list);
    hone__free(shard->marks);
    *shard = (hone_tune_shard){0};
}

/* Folders of databases are made; but the one of a shard is one that machines
 * share, and where it is not there its disk is not: what would be made in its
 * place nobody else would find. */
static hone_status check_folder(const hone_options *options, hone_error *err)
{
    const char *path = options->text[HONE_OPT_DB];
    const char *slash = path ? strrchr(path, '/') : NULL;
    hone_text folder = {0};
    struct stat file;
    hone_status status;

    if (!slash || slash == path)
        return HONE_OK;
    hone__text_append(&folder, path, (size_t)(slash - path));
    status = hone__text_check(&folder, err);
    if (status == HONE_OK &&
        (stat(folder.data, &file) != 0 || !S_ISDIR(file.st_mode)))
        status = hone__fail(err, HONE_ERR_IO,
                            "the folder '%s' of the shard's database is not "
                            "there: if machines share it, its disk is not "
                            "mounted on this one; else make it first",
                            folder.data);
    hone__text_free(&folder);
    return status;
}

hone_status hone__tune_shard(const hone_options *options, hone_shapes *shapes,
                             hone_tune_shard *out, hone_error *err)
{
    deal all = {0};
    hone_status status;

    *out = (hone_tune_shard){0};
    HONE_TRY(hone__option_shard(options, &out->shard, err));
    if (!out->shard.n)
        return HONE_OK;
    HONE_TRY(check_folder(options, err));
    out->n_all = shapes->n;
    status = deal_all(options, shapes, out->shard.n, &all, err);
    if (status == HONE_OK) {
        write_list(shapes, &all, out->shard.n, &out->list);
        hone__db_shards_id(&out->list, out->id);
        status = hone__text_check(&out->list, err);
    }
    if (status == HONE_OK)
        status = keep_own(shapes, &all, out, err);
    if (status == HONE_OK)
        status = mark_own(shapes, out, err);
    hone__free(all.costs);
    hone__free(all.dealt);
    if (status == HONE_OK)
        hone__message_note("shard %d of %d: %zu of %zu problems, %.3g %% of "
                           "what all are expected to take",
                           out->shard.index, out->shard.n, shapes->n,
                           out->n_all, 100 * out->part);
    return status;
}

/* ---- for those who ask for machines
 * ------------------------------------------ */

static void put_split(const hone_shapes *shapes, const hone_shape *shape,
                      hone_text *out)
{
    hone__text_printf(out, "%s ", shapes->ops[shape->op].name);
    hone__db_dims_text(shape->dims, shape->tmpl->n_dims, out);
    hone__text_puts(out, "\n");
}

/* The most of each that any shard has. */
static hone_status add_loads(const hone_shapes *shapes, const deal *of,
                             int n_shards, hone_tune_load *out, hone_error *err)
{
    hone_tune_load *loads = hone__alloc((size_t)n_shards * sizeof *loads);
    double all = 0;

    if (!loads)
        return hone__out_of_memory(err, " for the shards");
    for (size_t i = 0; i < shapes->n; ++i) {
        const int n_parts = of->dealt[i].n_parts;

        all += of->costs[i];
        for (int k = 0; k < n_parts; ++k) {
            hone_tune_load *load = &loads[of->dealt[i].shard - 1 + k];

            ++load->n_problems;
            load->part += of->costs[i] / n_parts;
        }
    }
    for (int i = 0; i < n_shards; ++i) {
        if (loads[i].n_problems > out->n_problems)
            out->n_problems = loads[i].n_problems;
        if (loads[i].part > out->part)
            out->part = loads[i].part;
    }
    out->trial_s = out->part;
    out->part = all > 0 ? out->part / all : 0;
    hone__free(loads);
    return HONE_OK;
}

hone_status hone__tune_load(const hone_options *options,
                            const hone_shapes *shapes, int n_shards,
                            hone_tune_load *out, hone_text *split,
                            hone_error *err)
{
    deal all = {0};
    hone_status status = deal_all(options, shapes, n_shards, &all, err);

    *out = (hone_tune_load){0};
    if (status == HONE_OK)
        status = add_loads(shapes, &all, n_shards, out, err);
    for (size_t i = 0; status == HONE_OK && i < shapes->n; ++i)
        if (all.dealt[i].n_parts > 1)
            put_split(shapes, &shapes->items[i], split);
    hone__free(all.costs);
    hone__free(all.dealt);
    return status == HONE_OK ? hone__text_check(split, err) : status;
}
