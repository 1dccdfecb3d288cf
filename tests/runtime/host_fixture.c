/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the cpu device: see host_fixture.h. */
#include "tests/runtime/host_fixture.h"

#include <stdlib.h>
#include <string.h>

static const char sum_plan[] = "hone-launch 1\n"
                               "op sum\n"
                               "dim n int\n"
                               "arg x in 4 n\n"
                               "arg out out 4 1\n"
                               "workspace partial 4 n > 0 ? 5 : 0\n"
                               "workspace ticket 10 zero 1\n"
                               "launch sum_parts\n"
                               "grid 1\nblock 32\n"
                               "pass x\npass partial\npass ticket\n"
                               "value i32 n\n"
                               "launch sum_all\n"
                               "grid 1\nblock 32\n"
                               "pass partial\npass ticket\npass out\n";

hone_text host_objects[2];
char host_device_name[HONE_HOST_NAME_BYTES];
int64_t host_n_cores;

int host_load_objects(void **state)
{
    static const char *const paths[] = {HOST_KERNELS_0, HOST_KERNELS_1};
    hone_properties properties;

    (void)state;
    for (size_t i = 0; i < 2; ++i) {
        if (hone__text_read_file(&host_objects[i], paths[i], NULL))
            return -1;
    }
    hone__properties_of_host(&properties);
    if (hone__host_name(host_device_name, sizeof host_device_name, NULL))
        return -1;
    host_n_cores = properties.value[HONE_PROPERTY_sm_count];
    return 0;
}

int host_free_objects(void **state)
{
    (void)state;
    hone__text_free(&host_objects[0]);
    hone__text_free(&host_objects[1]);
    return 0;
}

int host_setup(void **state)
{
    const int failed = runtime_setup(state);

    (void)setenv("HONE_CUDA_LIBRARY", "/nonexistent/libcuda.so.1", 1);
    return failed;
}

int host_teardown(void **state)
{
    (void)unsetenv("HONE_DEVICE");
    (void)unsetenv("TMPDIR");
    return runtime_teardown(state);
}

/* A row of this machine, completed from what is set. */
tuned_row host_row(tuned_row row)
{
    static const int64_t dims[] = {HOST_N};

    row.dims = row.dims ? row.dims : dims;
    row.n_dims = 1;
    row.device_kind = "cpu";
    row.arch = "cpu";
    row.sm_count = row.sm_count ? row.sm_count : host_n_cores;
    row.device_name = row.device_name ? row.device_name : host_device_name;
    if (!row.cubin) {
        row.cubin = host_objects[0].data;
        row.cubin_bytes = host_objects[0].length;
    }
    if (!row.launch_plan)
        row.launch_plan =
            row.op && strcmp(row.op, "sum") == 0 ? sum_plan : axpy_plan;
    return row;
}

void host_put(runtime_fixture *fixture, tuned_row row)
{
    const tuned_row full = host_row(row);

    runtime_put(fixture, &full);
}

void host_put_both(runtime_fixture *fixture)
{
    host_put(fixture, (tuned_row){.op = "axpy", .is_default = 1});
    host_put(fixture, (tuned_row){.op = "sum", .is_default = 1});
}

hone_ctx *host_open(const runtime_fixture *fixture)
{
    hone_ctx *ctx = runtime_open(fixture);

    assert_hone(ctx, hone_device_select(ctx, "cpu"), HONE_OK);
    return ctx;
}

hone_plan *host_plan_of(hone_ctx *ctx, const char *op, int64_t n)
{
    hone_plan *plan = NULL;

    assert_hone(ctx, hone_plan_create(ctx, op, &n, 1, &plan, NULL), HONE_OK);
    return plan;
}

/* Run axpy on 1, 1, 1, ..; the sum that each y has now. */
float host_run_axpy(hone_ctx *ctx, hone_plan *plan)
{
    float x[HOST_N];
    float y[HOST_N];
    float alpha = 2.0f;
    float *x_host = x;
    float *y_host = y;
    void *args[] = {&alpha, &x_host, &y_host};

    for (size_t i = 0; i < HOST_N; ++i)
        x[i] = y[i] = 1.0f;
    assert_hone(ctx, hone_plan_run(plan, args, HONE_COUNT(args), NULL),
                HONE_OK);
    for (size_t i = 1; i < HOST_N; ++i)
        assert_true(y[i] == y[0]);
    return y[0];
}

void host_refuse(const runtime_fixture *fixture, hone_status status,
                 const char *part)
{
    host_refuse_n(fixture, HOST_N, status, part);
}

void host_refuse_n(const runtime_fixture *fixture, int64_t n,
                   hone_status status, const char *part)
{
    hone_ctx *ctx = host_open(fixture);
    hone_plan *plan = NULL;

    assert_int_equal(hone_plan_create(ctx, "axpy", &n, 1, &plan, NULL), status);
    assert_null(plan);
    assert_contains(hone_error_text(ctx), part);
    hone_close(ctx);
}
