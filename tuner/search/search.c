/* SPDX-License-Identifier: Apache-2.0 */
/* What all searches share: the trials so far, what comes first, and that
 * nothing comes twice. */
#include "tuner/search/strategy.h"

#include <string.h>

static hone_status out_of_memory(hone_error *err)
{
    return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory in the search");
}

/* ---- trials ------------------------------------------------------------- */

static size_t place_of(const hone_search *search, int64_t index)
{
    const size_t mask = search->table_size - 1;
    size_t at = ((uint64_t)index * 0x9e3779b97f4a7c15u >> 20) & mask;

    while (search->table[at] &&
           search->trials[search->table[at] - 1].index != index)
        at = (at + 1) & mask;
    return at;
}

/* The trial of a configuration, -1 if it is new. */
static int64_t slot_of(const hone_search *search, int64_t index)
{
    return search->table[place_of(search, index)] - 1;
}

/* Neighbours go to different parts: the finalizer of MurmurHash3. */
static int is_ours(const hone_search *search, int64_t index)
{
    uint64_t h = (uint64_t)index + 1;

    if (search->n_parts < 2)
        return 1;
    h = (h ^ h >> 33) * 0xff51afd7ed558ccdu;
    h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53u;
    return (h >> 33) % (uint64_t)search->n_parts == (uint64_t)search->part;
}

int hone__search_is_known(const hone_search *search, int64_t index)
{
    return index >= 0 && slot_of(search, index) >= 0;
}

int hone__search_is_new(const hone_search *search, int64_t index)
{
    return index >= 0 && is_ours(search, index) &&
           !hone__search_is_known(search, index);
}

const int *hone__search_values(const hone_search *search, int64_t slot)
{
    return search->values + (size_t)slot * search->space.n_params;
}

size_t hone__search_distance(const hone_search *search, int64_t a, int64_t b)
{
    const int *const va = hone__search_values(search, a);
    const int *const vb = hone__search_values(search, b);
    size_t n = 0;

    for (size_t i = 0; i < search->space.n_params; ++i)
        n += va[i] != vb[i];
    return n;
}

static hone_status grow(hone_search *search, hone_error *err)
{
    const size_t n = search->capacity ? 2 * (size_t)search->capacity : 256;
    hone_search_trial *trials =
        hone__realloc(search->trials, n * sizeof *trials);
    int *values;
    int64_t *told;
    int64_t *table;

    if (!trials)
        return out_of_memory(err);
    search->trials = trials;
    values = hone__realloc(search->values,
                           n * (search->space.n_params + 1) * sizeof *values);
    if (!values)
        return out_of_memory(err);
    search->values = values;
    told = hone__realloc(search->told, n * sizeof *told);
    if (!told)
        return out_of_memory(err);
    search->told = told;
    table = hone__alloc(4 * n * sizeof *table);
    if (!table)
        return out_of_memory(err);
    hone__free(search->table);
    search->table = table;
    search->table_size = 4 * n;
    search->capacity = (int64_t)n;
    for (int64_t i = 0; i < search->n_trials; ++i)
        table[place_of(search, search->trials[i].index)] = i + 1;
    return HONE_OK;
}

/* The caller has seen that it is new. */
static hone_status add_trial(hone_search *search, int64_t index,
                             hone_error *err)
{
    const int64_t slot = search->n_trials;

    if (slot == search->capacity)
        HONE_TRY(grow(search, err));
    search->space.get(search->space.user, index,
                      search->values + (size_t)slot * search->space.n_params);
    search->trials[slot] = (hone_search_trial){index, NAN, search->tag, {0}};
    for (size_t i = 0; i < search->n_priors; ++i)
        search->trials[slot].guesses[i] =
            search->priors[i].guess(search->priors[i].user, index);
    search->table[place_of(search, index)] = slot + 1;
    ++search->n_trials;
    return HONE_OK;
}

/* ---- times --------------------------------------------------------------- */

double hone__search_scatter(const hone_search *search)
{
    const double least = 1e-6;
    const double variance =
        search->n_scattered > 1
            ? search->scatter_squares / (double)(search->n_scattered - 1)
            : 0;

    return variance > least * least ? sqrt(variance) : least;
}

int hone__search_accepts(hone_search *search, double from_ns, double to_ns,
                         double temperature)
{
    if (to_ns <= from_ns)
        return 1;
    return temperature > 0 && hone__chance_unit(&search->chance) <
                                  exp(-log(to_ns / from_ns) / temperature);
}

/* ---- life --------------------------------------------------------------- */

double hone__search_option(const hone_search *search,
                           const hone_strategy *strategy, size_t i)
{
    return search->spec.strategy == strategy ? search->spec.options[i]
                                             : strategy->options[i].initial;
}

void *hone__search_alloc(hone_search *search, size_t size_bytes,
                         hone_error *err)
{
    void *memory = hone__arena_alloc(&search->arena, size_bytes);

    if (!memory)
        (void)out_of_memory(err);
    return memory;
}

/* A parameter with dozens of values counts as one with seven: what its many
 * neighbours have to say, a few of them say as well, and while they were all
 * asked a search that is stuck stayed so. */
static int64_t patience_for(const hone_search *search)
{
    enum { MOST_OF_ONE = 6, ROUNDS = 2 };
    int64_t n = 0;

    for (size_t i = 0; i < search->n_free; ++i) {
        const int others = search->space.n_values[search->free[i]] - 1;

        n += others < MOST_OF_ONE ? others : MOST_OF_ONE;
    }
    return ROUNDS * n;
}

static hone_status prepare(hone_search *search,
                           const hone_search_options *options, hone_error *err)
{
    const size_t n_params = search->space.n_params;
    const size_t first_bytes = options->n_first * sizeof *search->first;
    hone_arena *arena = &search->arena;
    size_t n_values = 0;

    search->use_base = hone__arena_alloc(arena, n_params * sizeof(size_t));
    search->row = hone__arena_alloc(arena, n_params * sizeof(int));
    search->free = hone__arena_alloc(arena, n_params * sizeof(size_t));
    search->first = hone__arena_alloc(arena, first_bytes);
    search->hints =
        hone__arena_alloc(arena, options->n_hints * sizeof(int64_t));
    if (!search->use_base || !search->row || !search->free || !search->first ||
        !search->hints)
        return out_of_memory(err);
    for (size_t i = 0; i < options->n_hints; ++i)
        search->hints[search->n_hints++] = options->hints[i];
    for (size_t i = 0; i < n_params; ++i) {
        if (search->space.n_values[i] > 1)
            search->free[search->n_free++] = i;
        search->use_base[i] = n_values;
        n_values += (size_t)search->space.n_values[i];
    }
    search->neighbourhood = (int64_t)(n_values - n_params);
    search->patience = patience_for(search);
    if (first_bytes)
        memcpy(search->first, options->first, first_bytes);
    search->n_first = options->n_first;
    search->uses = hone__arena_alloc(arena, n_values * sizeof(int));
    search->state = hone__arena_alloc(arena, search->strategy->state_bytes);
    if (!search->uses || !search->state)
        return out_of_memory(err);
    HONE_TRY(grow(search, err));
    return search->strategy->start ? search->strategy->start(search, err)
                                   : HONE_OK;
}

hone_status hone__search_open(const char *name, const hone_search_space *space,
                              const hone_search_options *options,
                              hone_search **out, hone_error *err)
{
    hone_strategy_spec spec;
    hone_search *search;
    hone_status status;

    *out = NULL;
    HONE_TRY(hone__strategy_read(name, &spec, err));
    /* The trials that 'auto' spreads stay in front (decision 232). */
    if (options->prior.guess && spec.strategy == hone__strategy_find("auto"))
        spec.strategy = &hone__strategy_guided;
    search = hone__alloc(sizeof *search);
    if (!search)
        return out_of_memory(err);
    search->strategy = spec.strategy;
    search->spec = spec;
    search->space = *space;
    search->priors[0] = options->prior;
    search->priors[1] = options->second;
    search->n_priors = !options->prior.guess    ? 0
                       : !options->second.guess ? 1
                                                : 2;
    search->chance = hone__chance(options->seed);
    search->permutation = hone__permutation(space->count, options->seed);
    search->budget_trials = options->budget_trials;
    search->seed = options->seed;
    search->answer_s = options->answer_s;
    search->stop = options->stop;
    search->part = options->part;
    search->n_parts = options->n_parts;
    search->n_spread = spec.n_spread;
    search->best = -1;
    search->worst_ns = 1;
    status = prepare(search, options, err);
    if (status != HONE_OK) {
        hone__search_close(search);
        return status;
    }
    *out = search;
    return HONE_OK;
}

void hone__search_close(hone_search *search)
{
    if (!search)
        return;
    if (search->state && search->spec.strategy->finish)
        search->spec.strategy->finish(search);
    hone__arena_free(&search->arena);
    hone__free(search->trials);
    hone__free(search->values);
    hone__free(search->told);
    hone__free(search->table);
    hone__free(search);
}

/* ---- ask and tell ------------------------------------------------------- */

static int64_t next_first(hone_search *search)
{
    while (search->at_first < search->n_first) {
        const int64_t index = search->first[search->at_first++];

        if (index >= 0 && slot_of(search, index) < 0)
            return index;
    }
    return -1;
}

/* Before the first good answer no strategy has an idea: what a farm asks for
 * until then is spread too. */
static int wants_spread(const hone_search *search)
{
    return search->n_spread > 0 ||
           (search->best < 0 && !search->strategy->is_blind &&
            !search->strategy->asks_at_once);
}

hone_status hone__search_next(hone_search *search, int64_t *out_index,
                              hone_error *err)
{
    int64_t index;
    int is_first;

    *out_index = -1;
    if (search->n_trials >= search->space.count)
        return HONE_OK;
    index = next_first(search);
    is_first = index >= 0;
    if (index < 0 && wants_spread(search)) {
        --search->n_spread;
        index = hone__search_spread(search);
    }
    search->tag = 0;
    if (index < 0)
        index = search->strategy->propose(search);
    if (search->failure.status != HONE_OK) {
        if (err)
            *err = search->failure;
        return search->failure.status;
    }
    if (is_first ? index < 0 : !hone__search_is_new(search, index)) {
        search->tag = 0;
        index = hone__search_any_new(search);
    }
    if (index < 0)
        return HONE_OK;
    HONE_TRY(add_trial(search, index, err));
    *out_index = index;
    return HONE_OK;
}

const char *hone__search_failure(const hone_search *search)
{
    return search->failure.status == HONE_ERR_IO ? search->failure.text : NULL;
}

int hone__search_is_learning(const hone_search *search)
{
    return !search->strategy->is_blind && search->n_spread <= 0 &&
           search->at_first == search->n_first;
}

static void learn_time(hone_search *search, int64_t slot)
{
    const double time_ns = search->trials[slot].time_ns;
    const double distance = log(time_ns) - search->scatter_mean;

    ++search->n_scattered;
    search->scatter_mean += distance / (double)search->n_scattered;
    search->scatter_squares += distance * (log(time_ns) - search->scatter_mean);
    if (search->n_scattered == 1 || time_ns > search->worst_ns)
        search->worst_ns = time_ns;
    if (search->best < 0 || time_ns < search->trials[search->best].time_ns)
        search->best = slot;
}

hone_status hone__search_tell(hone_search *search, int64_t index,
                              double time_ns, hone_error *err)
{
    int64_t slot = slot_of(search, index);

    if (slot < 0) {
        search->tag = 0;
        HONE_TRY(add_trial(search, index, err));
        slot = search->n_trials - 1;
    }
    if (!isnan(search->trials[slot].time_ns))
        return HONE_OK;
    search->trials[slot].time_ns = time_ns > 0 ? time_ns : INFINITY;
    search->told[search->n_told++] = slot;
    if (!isinf(search->trials[slot].time_ns))
        learn_time(search, slot);
    if (search->strategy->learn)
        search->strategy->learn(search, slot);
    return HONE_OK;
}

/* ---- templates' spaces -------------------------------------------------- */

static void get_from_space(const void *user, int64_t index, int *out_values)
{
    hone__space_get_ranks(user, index, out_values);
}

static int64_t find_in_space(const void *user, int *values)
{
    return hone__space_find_ranks(user, values);
}

static void describe_in_space(const void *user, size_t param, int value,
                              hone_text *out)
{
    const hone_template *tmpl = ((const hone_space *)user)->tmpl;

    if (!tmpl)
        hone__text_printf(out, value < 0 ? "p%d" : "%d",
                          value < 0 ? (int)param : value);
    else if (value < 0)
        hone__text_puts(out, tmpl->params[param].name);
    else
        hone__template_value_text(
            tmpl, &tmpl->params[param],
            tmpl->params[param]
                .values[hone__space_value_at(user, param, value)],
            out);
}

hone_search_space hone__search_space_of(const hone_space *space)
{
    return (hone_search_space){.count = space->count,
                               .n_params = space->n_params,
                               .n_values = space->n_values,
                               .get = get_from_space,
                               .find = find_in_space,
                               .user = space,
                               .describe = describe_in_space};
}
