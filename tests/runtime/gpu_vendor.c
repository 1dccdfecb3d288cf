/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of vendors' libraries through the runtime on a real GPU: right
 * results of every algorithm, first runs that are captured, arrays at lesser
 * addresses, batches, a workspace that is not there, a context that is reset;
 * and what a run costs above the library's own call. Needs no test library.
 * Exit 0: passed; 1: failed; 77: no GPU or no cuBLASLt here. */
#include "runtime/vendor/vendor_handles.h"
#include "tests/runtime/gpu_vendor_problems.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The first run is captured, `mode` 0: whatever is unsafe breaks it. */
static void run_captured(hone_plan *plan, void *const *args, size_t n_args)
{
    hone_stream stream = NULL;
    hone_cu_graph graph = NULL;
    hone_cu_graph_exec exec = NULL;

    CHECK(!driver->stream_create(&stream, HONE_CU_STREAM_NON_BLOCKING));
    CHECK(!hone_plan_prepare(plan, stream));
    CHECK(!driver->capture_begin(stream, 0));
    CHECK(!hone_plan_run(plan, args, n_args, stream));
    CHECK(!driver->capture_end(stream, &graph));
    CHECK(!driver->graph_instantiate(&exec, graph, 0));
    for (int i = 0; i < 3; i++)
        CHECK(!driver->graph_launch(exec, stream));
    CHECK(!driver->stream_synchronize(stream));
    (void)driver->graph_exec_destroy(exec);
    (void)driver->graph_destroy(graph);
    CHECK(!hone_stream_release(ctx, stream));
    (void)driver->stream_destroy(stream);
}

static void check_gemm(const char *op, const int64_t *dims, size_t n_dims)
{
    /* Aligned; where f16 still is and f32 is; where f32 just is. */
    static const size_t shifts[] = {0, 8, 4};
    hone_plan *plan = plan_of(op, dims, n_dims);

    for (size_t i = 0; i < sizeof shifts / sizeof shifts[0]; i++) {
        product p = make_product(dims, n_dims > 3, shifts[i]);

        bind(&p);
        run_captured(plan, p.args, HONE_COUNT(p.args));
        check_product(&p);
        p = make_product(dims, n_dims > 3, shifts[i]);
        bind(&p);
        CHECK(!hone_plan_run(plan, p.args, HONE_COUNT(p.args), NULL));
        check_product(&p);
    }
    hone_plan_destroy(plan);
}

/* ---- the others ---------------------------------------------------------- */

static void check_axpy(void)
{
    hone_plan *plan = plan_of("axpy", axpy_dims, 1);
    hone_cu_ptr x = floats(1000, 5, 0), y = floats(1000, 7, 0);
    float alpha = 2, host[1000];
    void *args[] = {&alpha, &x, &y};

    run_captured(plan, args, HONE_COUNT(args));
    CHECK(!hone_plan_run(plan, args, HONE_COUNT(args), NULL));
    CHECK(!driver->context_synchronize());
    CHECK(!driver->copy_to_host(host, y, sizeof host));
    for (int i = 0; i < 1000; i++)
        CHECK(host[i] - (float)(8 * small(i, 5) + small(i, 7)) == 0);
    hone_plan_destroy(plan);
}

/* sum_j x[j] e^(sign*2*pi*i*j*k/n) */
static void transform(const double *from, double *to, int sign)
{
    for (int k = 0; k < FFT; k++) {
        to[2 * k] = to[2 * k + 1] = 0;
        for (int j = 0; j < FFT; j++) {
            const double angle =
                sign * 6.283185307179586 * ((double)j * k / FFT);

            to[2 * k] +=
                from[2 * j] * cos(angle) - from[2 * j + 1] * sin(angle);
            to[2 * k + 1] +=
                from[2 * j] * sin(angle) + from[2 * j + 1] * cos(angle);
        }
    }
}

static void check_fft(const char *op, int is_filter)
{
    static double in[2 * FFT], out[2 * FFT];
    static float host[2 * FFT * MANY];
    hone_plan *plan = plan_of(op, fft_dims, 2);

    for (size_t shift = 0; shift <= 8; shift += 8) {
        hone_cu_ptr x = floats(2 * FFT * MANY, 5, shift);
        hone_cu_ptr h = floats(2 * FFT, 7, shift);
        hone_cu_ptr y = floats(2 * FFT * MANY, 1, shift);
        void *plain[] = {&x, &y}, *filter[] = {&x, &h, &y};

        run_captured(plan, is_filter ? filter : plain, is_filter ? 3 : 2);
        CHECK(!hone_plan_run(plan, is_filter ? filter : plain,
                             is_filter ? 3 : 2, NULL));
        CHECK(!driver->context_synchronize());
        CHECK(!driver->copy_to_host(host, y, sizeof host));
        for (int b = 0; b < MANY; b += MANY - 1) {
            double worst = 0;

            for (int i = 0; i < 2 * FFT; i++)
                in[i] = small(b * 2 * FFT + i, 5);
            transform(in, out, -1);
            for (int k = 0; is_filter && k < FFT; k++) {
                const double re = small(2 * k, 7), im = small(2 * k + 1, 7);

                in[2 * k] = out[2 * k] * re - out[2 * k + 1] * im;
                in[2 * k + 1] = out[2 * k] * im + out[2 * k + 1] * re;
            }
            if (is_filter)
                transform(in, out, 1);
            for (int i = 0; i < 2 * FFT; i++)
                worst =
                    fmax(worst, fabs(out[i] - (double)host[b * 2 * FFT + i]));
            CHECK(worst < (is_filter ? 10 : 0.02));
        }
    }
    hone_plan_destroy(plan);
}

/* ---- algorithms ---------------------------------------------------------- */

static void check_algorithms(void)
{
    hone_vendor_algorithm proposed[HONE_VENDOR_MOST_ALGORITHMS];
    const int64_t dims[] = {M, N, K};
    hone_launch_spec *spec = NULL;
    hone_vendors *vendors = NULL;
    hone_resolved problem;
    size_t n = 0;

    CHECK(!hone__launch_spec_parse(GEMM "vendor any\n", &spec, &error));
    CHECK(!hone__launch_spec_resolve(
        &(hone_launch_case){spec, dims, 3, &properties}, &problem, &error));
    CHECK(!hone__vendors_create(driver, &vendors, &error));
    CHECK(!hone__vendor_algorithms(vendors, "cublaslt.gemm", "gemm", &problem,
                                   proposed, HONE_VENDOR_MOST_ALGORITHMS, &n,
                                   &error));
    for (size_t i = 0; i < n; i++) {
        hone_vendor *vendor = NULL;
        hone_cu_ptr workspace = 0;
        product p = make_product(gemm_dims, 0, 0);

        bind(&p);
        CHECK(!hone__vendor_open(vendors, "gemm", &problem, &proposed[i],
                                 &vendor, &error));
        CHECK(!hone__vendor_warm(vendor, &problem, &error));
        if (vendor->workspace_bytes)
            CHECK(!driver->memory_alloc(&workspace, vendor->workspace_bytes));
        CHECK(!hone__vendor_enqueue(vendor, p.args, workspace, NULL, &error));
        check_product(&p);
        p = make_product(gemm_dims, 0, 0);
        bind(&p);
        CHECK(!hone__vendor_enqueue(vendor, p.args, 0, NULL, &error));
        check_product(&p);
        hone__vendor_close(vendor);
    }
    (void)printf("%zu algorithms of cuBLASLt %lld\n", n,
                 (long long)proposed[0].version);
    hone__vendors_free(vendors, 1);
    hone__launch_spec_free(spec);
}

/* ---- contexts ------------------------------------------------------------ */

static void launch_product(void)
{
    product p = make_product(gemm_dims, 0, 0);

    bind(&p);
    CHECK(!hone_launch(ctx, "gemm", gemm_dims, 3, p.args, HONE_COUNT(p.args),
                       NULL));
    check_product(&p);
}

/* What cudaDeviceReset() does, and a context of the caller's own that is
 * destroyed: each has handles of its own, which go with it. */
static void check_contexts(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    hone_cu_result (*reset)(hone_cu_device);
    hone_cu_result (*create)(hone_cu_context *, unsigned, hone_cu_device);
    hone_cu_result (*destroy)(hone_cu_context);
    hone_cu_context primary = NULL, own = NULL;

    *(void **)&reset = dlsym(library, "cuDevicePrimaryCtxReset_v2");
    *(void **)&create = dlsym(library, "cuCtxCreate_v2");
    *(void **)&destroy = dlsym(library, "cuCtxDestroy_v2");
    launch_product();
    CHECK(!driver->context_get(&primary));
    CHECK(!create(&own, 0, 0));
    launch_product();
    CHECK(!driver->context_set(primary));
    launch_product();
    CHECK(!destroy(own));
    CHECK(!driver->context_set(primary));
    launch_product();
    CHECK(!reset(0));
    CHECK(!driver->primary_retain(&primary, 0));
    CHECK(!driver->context_set(primary));
    launch_product();
}

int main(void)
{
    const hone_lt *lt = NULL;

    if (hone__lt_get(&lt, &error))
        gpu_skip(error.text);
    gpu_begin();
    make_database();
    gpu_open();
    check_gemm("gemm", gemm_dims, 3);
    check_gemm("batched", batched_dims, 8);
    check_gemm("blas", gemm_dims, 3);
    check_gemm("batched_blas", batched_dims, 8);
    check_axpy();
    check_fft("c2c", 0);
    check_fft("filter", 1);
    check_algorithms();
    measure_costs();
    check_contexts();
    return gpu_passed();
}
