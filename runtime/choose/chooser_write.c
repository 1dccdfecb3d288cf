/* SPDX-License-Identifier: Apache-2.0 */
/* A chooser as text: chooser_parse.c reads it, README.md has an example. */
#include "runtime/choose/chooser.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Digits enough that measurements stay what they are, and that a text that was
 * read is written the same. */
static void put_number(double value, hone_text *out)
{
    hone__text_printf(out, " %.9g", value);
}

static void put_dims(const hone_chooser *chooser, const int64_t *dims,
                     hone_text *out)
{
    for (size_t i = 0; i < chooser->n_dims; ++i)
        hone__text_printf(out, "%c%" PRId64, i ? ',' : ' ', dims[i]);
}

static void put_problem(const hone_chooser *chooser, size_t i, hone_text *out)
{
    hone__text_puts(out, "problem");
    put_dims(chooser, &chooser->dims[i * chooser->n_dims], out);
    for (size_t j = 0; j < chooser->n_members; ++j) {
        const double time_ns = chooser->time_ns[i * chooser->n_members + j];

        if (time_ns > 0)
            put_number(
                chooser->beside
                    ? time_ns *
                          exp(-chooser->beside[i * chooser->n_members + j])
                    : time_ns,
                out);
        else
            hone__text_puts(out, " -");
    }
    hone__text_puts(out, "\n");
}

static void put_weights(const hone_chooser *chooser, hone_text *out)
{
#define CHOOSER_NAME(name, usual) #name,
    static const char *const names[] = {HONE_CHOOSER_FEATURES(CHOOSER_NAME)};
#undef CHOOSER_NAME

    for (size_t kind = 0; kind < HONE_N_CHOOSER_FEATURES; ++kind) {
        for (size_t i = 0; i < chooser->n_dims; ++i) {
            hone__text_printf(out, "weight %s.%zu", names[kind], i);
            put_number(chooser->weights[kind][i], out);
            hone__text_puts(out, "\n");
        }
    }
    for (size_t i = 0; i < HONE_N_CHOOSER_PARAMETERS; ++i) {
        hone__text_puts(out, hone__chooser_ranges[i].name);
        put_number(chooser->parameters[i], out);
        hone__text_puts(out, "\n");
    }
}

static void put_costs(const hone_chooser *chooser, hone_text *out)
{
    for (size_t i = 0; i < chooser->n_estimates; ++i)
        hone__text_printf(out, "estimate %s\n",
                          hone__expr_text(chooser->estimates[i].expr));
    for (size_t j = 0; j < chooser->n_members; ++j)
        if (chooser->members[j].cost)
            hone__text_printf(out, "cost %zu %zu\n", j,
                              chooser->members[j].cost - 1);
}

static void put_places(const hone_chooser *chooser, hone_text *out)
{
    for (size_t i = 0; i < chooser->n_places; ++i) {
        const hone_chooser_place *place = &chooser->places[i];

        hone__text_puts(out, "place");
        put_dims(chooser, place->dims, out);
        for (size_t j = 0; j < place->n_members; ++j)
            hone__text_printf(out, " %d %.0f", place->members[j],
                              HONE_CHOOSER_BESIDE_UNIT *
                                  exp((double)place->beside[j]));
        hone__text_puts(out, "\n");
    }
}

static void put_error(const char *whose, double error, hone_text *out)
{
    if (!(error > 0))
        return;
    hone__text_printf(out, "error %s", whose);
    put_number(error, out);
    hone__text_puts(out, "\n");
}

hone_status hone__chooser_write(const hone_chooser *chooser, hone_text *out,
                                hone_error *err)
{
    hone__text_printf(out, "hone-chooser %d\nop %s\ndims %zu\n",
                      HONE_CHOOSER_VERSION, chooser->op, chooser->n_dims);
    for (size_t j = 0; j < chooser->n_members; ++j)
        hone__text_printf(out, "member %zu %s %s\n", j,
                          chooser->members[j].launch_sha256,
                          chooser->members[j].implementation);
    for (size_t i = 0; i < chooser->n_problems; ++i)
        put_problem(chooser, i, out);
    put_costs(chooser, out);
    put_weights(chooser, out);
    for (size_t j = 0; j < chooser->n_members; ++j) {
        char number[24];

        (void)snprintf(number, sizeof number, "%zu", j);
        put_error(number, chooser->members[j].error, out);
    }
    put_error("all", chooser->error, out);
    put_error("gain", chooser->gain_error, out);
    for (size_t j = 0; j < chooser->n_members; ++j) {
        if (!chooser->members[j].reach)
            continue;
        hone__text_printf(out, "reach %zu", j);
        put_dims(chooser, chooser->members[j].reach, out);
        hone__text_puts(out, "\n");
    }
    put_places(chooser, out);
    return hone__text_check(out, err);
}
