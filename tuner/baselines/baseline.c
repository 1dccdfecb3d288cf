/* SPDX-License-Identifier: Apache-2.0 */
/* What is common to all baselines: see baseline.h. */
#include "tuner/baselines/baseline.h"

#include "runtime/base/alloc.h"

#include <string.h>

static const struct {
    const char *name;
    const hone_baseline_kind *kind;
    const char *summary;
} rows[] = {
#define ROW(name, kind, summary) {name, &hone__baseline_##kind, summary},
    HONE_BASELINE_MAP(ROW)
#undef ROW
};

enum { N_ROWS = sizeof rows / sizeof rows[0] };

static const hone_baseline_kind *kind_of(const char *name)
{
    for (size_t i = 0; i < N_ROWS; i++)
        if (strcmp(rows[i].name, name) == 0)
            return rows[i].kind;
    return &hone__baseline_plugin;
}

int hone__baseline_about(size_t i, const char **out_name,
                         const char **out_summary)
{
    if (i >= N_ROWS)
        return 0;
    *out_name = rows[i].name;
    *out_summary = rows[i].summary;
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
    *self = (hone_baseline){.kind = kind_of(name),
                            .driver = driver,
                            .name = name,
                            .op = op,
                            .n_algorithms = 1};
    self->state = hone__alloc(self->kind->state_bytes);
    status = self->state ? self->kind->open(self, problem, err)
                         : hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    self->name = self->op = NULL;
    if (status == HONE_OK)
        *out = self;
    else
        hone__baseline_close(self);
    return status;
}

void hone__baseline_close(hone_baseline *baseline)
{
    if (!baseline)
        return;
    if (baseline->state)
        baseline->kind->close(baseline);
    hone__free(baseline->state);
    hone__free(baseline);
}

hone_status hone__baseline_enqueue(void *baseline, void *const *args,
                                   hone_stream stream, hone_error *err)
{
    hone_baseline *self = baseline;

    if (!self || !args || self->algorithm >= self->n_algorithms)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "a baseline was run without arguments or with an "
                          "algorithm it does not have");
    return self->kind->enqueue(self, args, stream, err);
}
