/* SPDX-License-Identifier: Apache-2.0 */
/* What a function of a vendor's library costs through the runtime. */
#include "runtime/vendor/vendor_handles.h"
#include "tests/runtime/gpu_vendor_problems.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

enum { ROUNDS = 200, CALLS = 64 };

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Medians of the calling thread's time: the library's call with everything at
 * hand, and hone_plan_run(). */
static void measure(void)
{
    hone_vendor_algorithm wanted = {.function = "cublaslt.gemm"};
    static double times[2][ROUNDS], over[ROUNDS];
    hone_plan *plan = plan_of("gemm", gemm_dims, 3);
    hone_launch_spec *spec = NULL;
    hone_vendors *vendors = NULL;
    hone_vendor *vendor = NULL;
    hone_cu_ptr workspace = 0;
    hone_resolved problem;
    product p = make_product(gemm_dims, 0, 0);

    bind(&p);
    CHECK(!hone__launch_spec_parse(GEMM "vendor any\n", &spec, &error));
    CHECK(!hone__launch_spec_resolve(
        &(hone_launch_case){spec, gemm_dims, 3, &properties}, &problem,
        &error));
    CHECK(!hone__vendors_create(driver, &vendors, &error));
    CHECK(!hone__vendor_open(vendors, "gemm", &problem, &wanted, &vendor,
                             &error));
    CHECK(!driver->memory_alloc(&workspace, vendor->workspace_bytes + 1));
    for (int r = 0; r < ROUNDS; r++) {
        for (int way = 0; way < 2; way++) {
            const double start = seconds();

            for (int i = 0; i < CALLS; i++)
                CHECK(
                    way ? !hone_plan_run(plan, p.args, HONE_COUNT(p.args), NULL)
                        : !hone__vendor_enqueue(vendor, p.args, workspace, NULL,
                                                &error));
            times[way][r] = (seconds() - start) / CALLS * 1e9;
            CHECK(!driver->context_synchronize());
        }
        over[r] = times[1][r] - times[0][r];
    }
    qsort(times[0], ROUNDS, sizeof(double), compare);
    qsort(over, ROUNDS, sizeof(double), compare);
    (void)printf("cublasLtMatmul as it is called %.0f ns, hone_plan_run "
                 "%+.0f ns\n",
                 times[0][ROUNDS / 2], over[ROUNDS / 2]);
    (void)driver->memory_free(workspace);
    hone__vendor_close(vendor);
    hone__vendors_free(vendors, 1);
    hone__launch_spec_free(spec);
    hone_plan_destroy(plan);
}

/* Of a shape whose handle and kernels are there. */
static void measure_plans(void)
{
    static const char *const ops[] = {"gemm", "blas", "c2c"};

    for (size_t i = 0; i < 3; i++) {
        const int64_t *dims = i < 2 ? gemm_dims : fft_dims;
        double times[20];

        for (int r = 0; r < 20; r++) {
            const double start = seconds();
            hone_plan *plan = NULL;

            CHECK(!hone_plan_create(ctx, ops[i], dims, i < 2 ? 3 : 2, &plan,
                                    NULL));
            times[r] = (seconds() - start) * 1e6;
            hone_plan_destroy(plan);
        }
        qsort(times, 20, sizeof(double), compare);
        (void)printf("hone_plan_create of %s %.0f us\n", ops[i], times[10]);
    }
}

void measure_costs(void)
{
    measure();
    measure_plans();
}
