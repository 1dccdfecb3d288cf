/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for the cpu device, written by hand: what the tuner makes of a
 * template, as the runtime sees it. Built as a module, twice: the second
 * time with HOST_BIAS, so that the two are told apart by their results. */
#include "runtime/driver/host_abi.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#ifndef HOST_BIAS
#define HOST_BIAS 0
#endif

__attribute__((visibility("default"))) hone_host_run_fn hone_host_run;

static int fail(hone_host_report *report, int kind, const char *text)
{
    report->kind = kind;
    (void)snprintf(report->text, sizeof report->text, "%s", text);
    return kind;
}

/* y = alpha*x + y, by blocks and threads. */
static int axpy(const hone_host_launch *launch, hone_host_report *report)
{
    const float alpha = *(const float *)launch->params[0];
    const float *x = *(const float *const *)launch->params[1];
    float *y = *(float *const *)launch->params[2];
    const int32_t n = *(const int32_t *)launch->params[3];
    const int64_t n_bytes = *(const int64_t *)launch->params[4];

    if (n_bytes != 4 * (int64_t)n || launch->grid[1] != 1 ||
        launch->block[2] != 1 || launch->shared_bytes || launch->n_workers)
        return fail(report, HONE_HOST_TRAP, "not what the plan says");
    for (unsigned i = 0; i < launch->grid[0] * launch->block[0]; ++i) {
        if (i < (unsigned)n)
            y[i] += alpha * x[i] + (float)HOST_BIAS;
    }
    return HONE_HOST_OK;
}

/* What x[0] asks for instead of a sum. */
enum { ASK_BARRIER = -1, ASK_UNWRITTEN = -2, ASK_MEMORY = -3, ASK_MUTE = -4 };

static int answer(int asked, const float *partial, hone_host_report *report)
{
    unsigned char byte;
    char text[64];

    memcpy(&byte, partial, 1);
    (void)snprintf(text, sizeof text, "the workspace begins with %02x", byte);
    switch (asked) {
    case ASK_BARRIER:
        return fail(report, HONE_HOST_BARRIER,
                    "block (1,0,0), line 7: thread (3,0,0) left");
    case ASK_UNWRITTEN:
        return fail(report, HONE_HOST_TRAP, text);
    case ASK_MEMORY:
        return fail(report, HONE_HOST_MEMORY, "no memory for stacks");
    case ASK_MUTE:
        return fail(report, HONE_HOST_TRAP, "");
    default:
        return HONE_HOST_OK;
    }
}

/* partial[i] = sum of a quarter of x; the ticket says that it is there. */
static int sum_parts(const hone_host_launch *launch, hone_host_report *report)
{
    const float *x = *(const float *const *)launch->params[0];
    float *partial = *(float *const *)launch->params[1];
    uint32_t *ticket = *(uint32_t *const *)launch->params[2];
    const int32_t n = *(const int32_t *)launch->params[3];
    /* Enough for another run of this plan to come between. */
    const struct timespec pause = {0, 20000};

    if ((uintptr_t)partial % 256 || (uintptr_t)ticket % 256)
        return fail(report, HONE_HOST_TRAP, "a workspace is not aligned");
    if (*ticket)
        return fail(report, HONE_HOST_TRAP, "the ticket is not zero");
    *ticket = 1;
    if (n < 1 || answer((int)x[0], partial, report))
        return report->kind;
    memset(partial, 0, 4 * sizeof *partial);
    for (int32_t i = 0; i < n; ++i)
        partial[i % 4] += x[i];
    (void)nanosleep(&pause, NULL);
    return HONE_HOST_OK;
}

static int sum_all(const hone_host_launch *launch, hone_host_report *report)
{
    const float *partial = *(const float *const *)launch->params[0];
    uint32_t *ticket = *(uint32_t *const *)launch->params[1];
    float *out = *(float *const *)launch->params[2];

    if (*ticket != 1)
        return fail(report, HONE_HOST_TRAP, "the ticket is not one");
    *out = partial[0] + partial[1] + partial[2] + partial[3];
    *ticket = 0;
    return HONE_HOST_OK;
}

/* Constant memory, and a kernel that reads it: y = the sum of the taps and of
 * its workspace, which is zero. */
static float taps[4];

__attribute__((visibility("default"))) hone_host_constant_fn hone_host_constant;

void *hone_host_constant(const char *name, unsigned long *out_bytes)
{
    *out_bytes = sizeof taps;
    return strcmp(name, "taps") == 0 ? taps : NULL;
}

static int fir(const hone_host_launch *launch, hone_host_report *report)
{
    float *y = *(float *const *)launch->params[0];
    float *sums = *(float *const *)launch->params[1];

    if (sums[0] != 0)
        return fail(report, HONE_HOST_TRAP, "the workspace is not zero");
    sums[0] = 1;
    *y = taps[0] + taps[1] + taps[2] + taps[3];
    return HONE_HOST_OK;
}

static const struct kernel {
    const char *name;
    hone_host_run_fn *run;
    unsigned long bytes[8]; /* of the parameters, up to a 0 */
} kernels[] = {{"axpy", axpy, {4, 8, 8, 4, 8}},
               {"axpy_more", axpy, {4, 8, 8, 4, 8, 8, 8}},
               {"sum_parts", sum_parts, {8, 8, 8, 4}},
               {"sum_all", sum_all, {8, 8, 8}},
               {"fir", fir, {8, 8}}};

static const struct kernel *find(const char *name)
{
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; ++i) {
        if (strcmp(kernels[i].name, name) == 0)
            return &kernels[i];
    }
    return NULL;
}

int hone_host_run(const hone_host_launch *launch, hone_host_report *report)
{
    const struct kernel *kernel = find(launch->kernel);

    return kernel ? kernel->run(launch, report)
                  : fail(report, HONE_HOST_NO_KERNEL, "no such kernel");
}

#ifndef HOST_OLD /* as an older hone has compiled it */
__attribute__((visibility("default"))) hone_host_param_fn hone_host_param;

int hone_host_param(const char *name, unsigned long index,
                    unsigned long *out_bytes)
{
    const struct kernel *kernel = find(name);

    if (!kernel)
        return HONE_HOST_NO_KERNEL;
    *out_bytes = kernel->bytes[index];
    return *out_bytes ? HONE_HOST_OK : HONE_HOST_NO_PARAM;
}
#endif
