/* SPDX-License-Identifier: Apache-2.0 */
/* A chooser's memory: see chooser.h. */
#include "runtime/choose/chooser_model.h"

#include "runtime/base/grow.h"

#include <string.h>

#define CHOOSER_RANGE(name, usual, low, high) {#name, usual, low, high},
const hone_chooser_range hone__chooser_ranges[HONE_N_CHOOSER_PARAMETERS] = {
    HONE_CHOOSER_PARAMETERS(CHOOSER_RANGE)};

#define CHOOSER_WEIGHT(name, usual) usual,
static const double usual_weights[] = {HONE_CHOOSER_FEATURES(CHOOSER_WEIGHT)};

static const char too_many[] = "too much for a chooser";

static hone_status no_memory(hone_error *err)
{
    return hone__out_of_memory(err, "");
}

hone_status hone__chooser_create(const char *op, size_t n_dims,
                                 size_t n_members, size_t n_problems,
                                 hone_chooser **out, hone_error *err)
{
    hone_chooser *c;

    *out = NULL;
    if (n_dims > HONE_MAX_DIMS || n_members > HONE_CHOOSER_MEMBERS ||
        n_problems > HONE_CHOOSER_PROBLEMS)
        return hone__fail(err, HONE_ERR_ARGUMENT, too_many);
    c = hone__alloc(sizeof *c);
    if (!c)
        return no_memory(err);
    c->n_dims = n_dims;
    c->n_members = n_members;
    c->n_problems = n_problems;
    for (size_t i = 0; i < n_dims; ++i)
        for (size_t kind = 0; kind < HONE_N_CHOOSER_FEATURES; ++kind)
            c->weights[kind][i] = usual_weights[kind];
    for (size_t i = 0; i < HONE_N_CHOOSER_PARAMETERS; ++i)
        c->parameters[i] = hone__chooser_ranges[i].usual;
    c->op = hone__arena_strndup(&c->arena, op, strlen(op));
    /* Numbers of both lists have 8 bytes; empty ones have an address, too. */
    c->members =
        hone__arena_alloc(&c->arena, (n_members + 1) * sizeof *c->members);
    c->time_ns = hone__arena_alloc(
        &c->arena, (n_problems * (n_members + n_dims) + 1) * sizeof(double));
    if (!c->op || !c->members || !c->time_ns) {
        hone__chooser_free(c);
        return no_memory(err);
    }
    c->dims = (int64_t *)(void *)(c->time_ns + n_problems * n_members);
    for (size_t i = 0; i < n_members; ++i)
        c->members[i].implementation = "";
    *out = c;
    return HONE_OK;
}

hone_status hone__chooser_set_member(hone_chooser *chooser, size_t member,
                                     const char *launch_sha256,
                                     const char *implementation,
                                     hone_error *err)
{
    hone_chooser_member *m = &chooser->members[member];

    if (strlen(launch_sha256) != HONE_CHOOSER_SHA256)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "member %zu of a chooser: '%.80s' is no SHA-256",
                          member, launch_sha256);
    memcpy(m->launch_sha256, launch_sha256, sizeof m->launch_sha256);
    m->implementation = hone__arena_strndup(&chooser->arena, implementation,
                                            strlen(implementation));
    if (m->implementation)
        return HONE_OK;
    m->implementation = "";
    return no_memory(err);
}

hone_status hone__chooser_set_reach(hone_chooser *chooser, size_t member,
                                    const int64_t *dims, hone_error *err)
{
    const size_t bytes = chooser->n_dims * sizeof *dims;
    int64_t *reach = chooser->members[member].reach;

    if (!reach)
        reach = hone__arena_alloc(&chooser->arena, bytes ? bytes : 1);
    if (!reach)
        return no_memory(err);
    memcpy(reach, dims, bytes);
    chooser->members[member].reach = reach;
    return HONE_OK;
}

/* An expression that is compiled. */
typedef struct estimate_reader {
    hone_chooser *chooser;
    int has_no_memory;
} estimate_reader;

/* "d3", "e12": of dims, and of estimates that are there; which of these are
 * read is written down. */
static hone_symbol find_symbol(void *user, const char *name, size_t length)
{
    estimate_reader *r = user;
    hone_chooser *c = r->chooser;
    const int is_dim = name[0] == 'd';
    const size_t n = is_dim ? c->n_dims : name[0] == 'e' ? c->n_estimates : 0;
    size_t number = length > 1 ? 0 : n;

    for (size_t i = 1; i < length && number < n; ++i)
        number = name[i] >= '0' && name[i] <= '9'
                     ? number * 10 + (size_t)(name[i] - '0')
                     : n;
    if (number < n && !is_dim)
        r->has_no_memory |= !HONE_GROW(c->reads, c->n_reads);
    if (number >= n || r->has_no_memory)
        return (hone_symbol){HONE_SYMBOL_UNKNOWN, 0};
    if (!is_dim)
        c->reads[c->n_reads++] = (uint16_t)number;
    return (hone_symbol){HONE_SYMBOL_SLOT,
                         (int64_t)(is_dim ? number : HONE_MAX_DIMS + number)};
}

hone_status hone__chooser_add_estimate(hone_chooser *chooser, const char *text,
                                       size_t length, hone_error *err)
{
    const size_t n = chooser->n_estimates;
    estimate_reader reader = {chooser, 0};
    hone_chooser_estimate *estimate;
    hone_status status;

    if (n == HONE_CHOOSER_ESTIMATES)
        return hone__fail(err, HONE_ERR_ARGUMENT, too_many);
    if (!HONE_GROW(chooser->estimates, n))
        return no_memory(err);
    estimate = &chooser->estimates[n];
    status = hone__expr_compile(text, length, find_symbol, &reader,
                                &estimate->expr, NULL, err);
    if (status != HONE_OK) {
        chooser->n_reads = n ? estimate[-1].end : 0;
        return reader.has_no_memory ? no_memory(err) : status;
    }
    estimate->end = chooser->n_reads;
    ++chooser->n_estimates;
    return HONE_OK;
}

void hone__chooser_keep_estimates(hone_chooser *chooser, size_t n)
{
    while (chooser->n_estimates > n)
        hone__expr_free(chooser->estimates[--chooser->n_estimates].expr);
    chooser->n_reads = n ? chooser->estimates[n - 1].end : 0;
}

hone_status hone__chooser_add_place(hone_chooser *chooser, const int64_t *dims,
                                    const size_t *members, const float *beside,
                                    size_t n_members, hone_error *err)
{
    const size_t bytes = chooser->n_dims * sizeof *dims;
    hone_chooser_place *place;
    int64_t *own;

    if (chooser->n_places == HONE_CHOOSER_PLACES ||
        n_members > HONE_CHOOSER_AT_PLACE)
        return hone__fail(err, HONE_ERR_ARGUMENT, too_many);
    own = hone__arena_alloc(&chooser->arena, bytes + 1);
    if (!own || !HONE_GROW(chooser->places, chooser->n_places))
        return no_memory(err);
    memcpy(own, dims, bytes);
    place = &chooser->places[chooser->n_places];
    *place = (hone_chooser_place){.dims = own, .n_members = n_members};
    for (size_t i = 0; i < n_members; ++i) {
        if (members[i] >= chooser->n_members)
            return hone__fail(err, HONE_ERR_ARGUMENT,
                              "a place: there is no member %zu", members[i]);
        place->members[i] = (int16_t)members[i];
        place->beside[i] = beside[i];
    }
    ++chooser->n_places;
    return HONE_OK;
}

void hone__chooser_free(hone_chooser *chooser)
{
    if (!chooser)
        return;
    hone__chooser_keep_estimates(chooser, 0);
    hone__free(chooser->estimates);
    hone__free(chooser->reads);
    hone__free(chooser->places);
    hone__chooser_model_free(chooser->model);
    hone__arena_free(&chooser->arena);
    hone__free(chooser);
}

int hone__chooser_reaches(const hone_chooser *chooser, size_t member,
                          const int64_t *dims, const double *values)
{
    const int64_t *reach = chooser->members[member].reach;

    if (!reach)
        return 0;
    for (size_t i = 0; i < chooser->n_dims; ++i)
        if (dims[i] > reach[i] &&
            (values[i] != 0 || dims[i] > HONE_CHOOSER_WITHIN))
            return 0;
    return 1;
}
