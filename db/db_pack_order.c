/* SPDX-License-Identifier: Apache-2.0 */
/* The order of a pack's rows: by what they say, whenever they were stored. */
#include "db/db_pack_parts.h"

#include <stdlib.h>
#include <string.h>

int hone__pack_compare_numbers(double a, double b)
{
    return (a > b) - (a < b);
}

static int compare_variants(const pack_variant *a, const pack_variant *b)
{
    int order = strcmp(a->config->text, b->config->text);

    if (!order)
        order = strcmp(a->implementation->text, b->implementation->text);
    if (!order)
        order = strcmp(a->compile_arch->text, b->compile_arch->text);
    if (!order)
        order = strcmp(a->cubin_sha256->text, b->cubin_sha256->text);
    return order ? order : strcmp(a->plan->text, b->plan->text);
}

static int compare_devices(const pack_device *a, const pack_device *b)
{
    int order = strcmp(a->arch->text, b->arch->text);

    if (!order)
        order = (a->sm_count > b->sm_count) - (a->sm_count < b->sm_count);
    if (!order)
        order = strcmp(a->name->text, b->name->text);
    return order ? order
                 : strcmp(a->driver_version->text, b->driver_version->text);
}

int hone__pack_compare_groups(const pack_winner *a, const pack_winner *b)
{
    int order = a->is_host - b->is_host;

    if (!order)
        order = strcmp(a->op->text, b->op->text);
    if (!order)
        order = strcmp(a->variant->types->text, b->variant->types->text);
    return order ? order : (a->n_dims > b->n_dims) - (a->n_dims < b->n_dims);
}

static int compare_winners(const void *left, const void *right)
{
    const pack_winner *a = left;
    const pack_winner *b = right;
    int order = hone__pack_compare_groups(a, b);

    for (size_t i = 0; i < a->n_dims && !order; ++i)
        order = (a->dims[i] > b->dims[i]) - (a->dims[i] < b->dims[i]);
    if (!order)
        order = compare_devices(&a->device, &b->device);
    if (!order)
        order = b->is_cold - a->is_cold;
    if (!order)
        order = (a->rank > b->rank) - (a->rank < b->rank);
    if (!order)
        order = hone__pack_compare_numbers(a->time_ns, b->time_ns);
    if (!order)
        order = strcmp(a->label->text, b->label->text);
    return order ? order : compare_variants(a->variant, b->variant);
}

static int compare_defaults(const void *left, const void *right)
{
    const pack_default *a = left;
    const pack_default *b = right;
    int order = a->is_host - b->is_host;

    if (!order)
        order = strcmp(a->op->text, b->op->text);
    if (!order)
        order = hone__pack_compare_numbers(a->preference, b->preference);
    if (!order)
        order = strcmp(a->variant->types->text, b->variant->types->text);
    if (!order)
        order = strcmp(a->arch->text, b->arch->text);
    return order ? order : compare_variants(a->variant, b->variant);
}

static int compare_choosers(const void *left, const void *right)
{
    const pack_chooser *a = left;
    const pack_chooser *b = right;
    int order = a->is_host - b->is_host;

    if (!order)
        order = strcmp(a->op->text, b->op->text);
    if (!order)
        order = strcmp(a->types->text, b->types->text);
    if (!order)
        order = compare_devices(&a->device, &b->device);
    if (!order)
        order = b->is_cold - a->is_cold;
    return order ? order : strcmp(a->text, b->text);
}

void hone__pack_sort(pack_input *in)
{
    if (in->n_choosers)
        qsort(in->choosers, in->n_choosers, sizeof *in->choosers,
              compare_choosers);
    if (in->n_winners)
        qsort(in->winners, in->n_winners, sizeof *in->winners, compare_winners);
    if (in->n_defaults)
        qsort(in->defaults, in->n_defaults, sizeof *in->defaults,
              compare_defaults);
}
