/* SPDX-License-Identifier: Apache-2.0 */
/* What is common to all baselines: see baseline.h. */
#include "tuner/baselines/baseline_kind.h"

#include "runtime/base/alloc.h"

#include <string.h>

static const hone_baseline_kind *kind_of(const char *name)
{
#define COMPARE(text, kind, summary)                                           \
    if (strcmp(text, name) == 0)                                               \
        return &hone__baseline_##kind;
    HONE_BASELINE_MAP(COMPARE)
#undef COMPARE
    return &hone__baseline_plugin;
}

int hone__baseline_about(size_t i, const char **out_name,
                         const char **out_summary)
{
    static const char *const rows[][2] = {
#define ROW(text, kind, summary) {text, summary},
        HONE_BASELINE_MAP(ROW)
#undef ROW
    };

    if (i >= sizeof rows / sizeof rows[0])
        return 0;
    *out_name = rows[i][0];
    *out_summary = rows[i][1];
    return 1;
}

hone_status hone__baseline_open(const char *name, const char *op,
                                const hone_resolved *problem,
                                const hone_driver *driver, hone_baseline **out,
                                hone_error *err)
{
    hone_baseline *self;
    hone_status status;

    if (!out)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "opening a baseline needs a place for the result");
    *out = NULL;
    if (!name || !op || !problem || !driver)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "opening a baseline needs its name, an operation, a "
                          "problem and the driver's functions");
    self = hone__alloc(sizeof *self);
    if (!self)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    self->kind = kind_of(name);
    self->driver = driver;
    self->name = name;
    self->op = op;
    self->n_algorithms = 1;
    status = self->kind->open(self, problem, err);
    self->name = NULL;
    self->op = NULL;
    if (status != HONE_OK) {
        hone__baseline_close(self);
        return status;
    }
    *out = self;
    return HONE_OK;
}

void hone__baseline_close(hone_baseline *baseline)
{
    if (!baseline)
        return;
    baseline->kind->close(baseline);
    hone__free(baseline);
}

size_t hone__baseline_n_algorithms(const hone_baseline *baseline)
{
    return baseline->n_algorithms;
}

int hone__baseline_computes(const hone_baseline *baseline)
{
    return baseline->kind->computes;
}

const char *hone__baseline_label(const hone_baseline *baseline)
{
    return baseline->label;
}

hone_status hone__baseline_enqueue(hone_baseline *baseline, size_t algorithm,
                                   void *const *args, hone_stream stream,
                                   hone_error *err)
{
    if (!baseline || !args || algorithm >= baseline->n_algorithms)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "a baseline was run without arguments or with a "
                          "algorithm it does not have");
    return baseline->kind->enqueue(baseline, algorithm, args, stream, err);
}

int hone__baseline_find_arg(const hone_resolved *problem, const char *name)
{
    for (size_t i = 0; i < problem->n_args; i++)
        if (!strcmp(problem->args[i].name, name))
            return (int)i;
    return -1;
}

void *hone__baseline_pointer(void *const *args, int index)
{
    const hone_cu_ptr address = *(const hone_cu_ptr *)args[index];

    return (void *)(uintptr_t)address;
}
