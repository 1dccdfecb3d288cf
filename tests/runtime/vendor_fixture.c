/* SPDX-License-Identifier: Apache-2.0 */
/* See vendor_fixture.h. */
#include "tests/runtime/vendor_fixture.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

const int64_t vendor_dims[3] = {VENDOR_M, VENDOR_N, VENDOR_K};

const char vendor_head[] = "hone-launch 4\n"
                           "op axpy\n"
                           "dim M int\n"
                           "dim N int\n"
                           "dim K int\n"
                           "arg A in 1 M*K\n"
                           "arg B in 1 K*N\n"
                           "arg C inout 4 M*N\n"
                           "arg alpha scalar 4\n"
                           "arg beta scalar 4\n"
                           "work flops 2*M*N*K\n";

const char vendor_kernel_plan[] = "hone-launch 1\n"
                                  "op axpy\n"
                                  "dim M int\n"
                                  "dim N int\n"
                                  "dim K int\n"
                                  "arg A in 1 M*K\n"
                                  "arg B in 1 K*N\n"
                                  "arg C inout 4 M*N\n"
                                  "arg alpha scalar 4\n"
                                  "arg beta scalar 4\n"
                                  "launch ours\n"
                                  "grid M\n"
                                  "block 32\n"
                                  "pass A\n"
                                  "pass C\n";
const char vendor_kernel_cubin[] = "ours 0 8,8";

int (*vendor_live)(void);
long (*vendor_n_heuristics)(void);
void (*vendor_capture)(void *stream);
void (*vendor_unload)(void);

void vendor_fakes(void)
{
    static const char *const unset[] = {"FAKE_BLAS_FAIL", "FAKE_BLAS_VERSION",
                                        "FAKE_BLAS_GUESSES", "FAKE_FFT_FAIL",
                                        "FAKE_FFT_VERSION"};

    for (size_t i = 0; i < sizeof unset / sizeof unset[0]; i++)
        (void)unsetenv(unset[i]);
    (void)setenv("HONE_CUBLAS_LIBRARY", HONE_FAKES "/libfake_blas.so", 1);
    (void)setenv("HONE_CUBLASLT_LIBRARY", HONE_FAKES "/libfake_blas.so", 1);
    (void)setenv("HONE_CUFFT_LIBRARY", HONE_FAKES "/libfake_fft.so", 1);
}

void vendor_load(void)
{
    void *library =
        dlopen(HONE_FAKES "/libfake_blas.so", RTLD_NOW | RTLD_LOCAL);

    assert_non_null(library);
    *(void **)&vendor_live = dlsym(library, "fake_blas_live");
    *(void **)&vendor_n_heuristics = dlsym(library, "fake_blas_n_heuristics");
    *(void **)&vendor_capture = dlsym(library, "fake_blas_capture");
    *(void **)&vendor_unload = dlsym(library, "fake_blas_unload");
    assert_non_null(vendor_unload);
}

void vendor_put(runtime_fixture *fixture, const char *lines)
{
    hone_text plan = {0};

    hone__text_printf(&plan, "%s%s", vendor_head, lines);
    runtime_put(fixture, &(tuned_row){.dims = vendor_dims,
                                      .n_dims = 3,
                                      .config = "LIBRARY=0",
                                      .time_ns = 2000,
                                      .launch_plan = vendor_kernel_plan,
                                      .cubin = vendor_kernel_cubin});
    runtime_put(fixture, &(tuned_row){.dims = vendor_dims,
                                      .n_dims = 3,
                                      .config = "LIBRARY=1",
                                      .launch_plan = plan.data});
    /* The kernel's trial has the second place of the only ranking. */
    runtime_sql(fixture->path,
                "INSERT INTO ranking SELECT problem_id, device_id, mode, 2,"
                " (SELECT min(trial_id) FROM trial), session_id, 2000, NULL,"
                " NULL, '', ranked_unix_s FROM ranking");
    hone__text_free(&plan);
}

static hone_resolved resolve(hone_launch_spec **spec)
{
    static const hone_properties properties;
    hone_resolved problem;
    hone_error error = {0};
    hone_text plan = {0};

    hone__text_printf(&plan, "%svendor any\n", vendor_head);
    assert_int_equal(hone__launch_spec_parse(plan.data, spec, &error), HONE_OK);
    hone__text_free(&plan);
    assert_int_equal(
        hone__launch_spec_resolve(
            &(hone_launch_case){*spec, vendor_dims, 3, &properties}, &problem,
            &error),
        HONE_OK);
    return problem;
}

void vendor_choose(const char *function, size_t rank, hone_text *out)
{
    hone_vendor_algorithm proposed[HONE_VENDOR_MOST_ALGORITHMS];
    hone_launch_spec *spec = NULL;
    const hone_resolved problem = resolve(&spec);
    const hone_driver *driver = NULL;
    hone_vendors *vendors = NULL;
    hone_error error = {0};
    size_t n = 0;

    assert_int_equal(hone__cuda_get(&driver, &error), HONE_OK);
    assert_int_equal(hone__vendors_create(driver, &vendors, &error), HONE_OK);
    if (hone__vendor_algorithms(vendors, function, "gemm", &problem, proposed,
                                HONE_VENDOR_MOST_ALGORITHMS, &n, &error))
        fail_msg("%s", error.text);
    assert_true(rank < n);
    hone__vendor_lines(&proposed[rank], out);
    hone__vendors_free(vendors, 1);
    hone__launch_spec_free(spec);
}

void vendor_put_chosen(void **state, const char *function, size_t rank)
{
    hone_text lines = {0};

    vendor_choose(function, rank, &lines);
    vendor_put(*state, hone__text_str(&lines));
    hone__text_free(&lines);
}

int vendor_setup(void **state)
{
    vendor_fakes();
    return runtime_setup(state);
}

/* Half-precision bits of the integers -4..4. */
static uint16_t half_of(int value)
{
    static const uint16_t bits[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400};

    return (uint16_t)(value < 0 ? bits[-value] | 0x8000 : bits[value]);
}

void vendor_make(vendor_case *c, size_t shift)
{
    enum { M = VENDOR_M, N = VENDOR_N, K = VENDOR_K };
    uint16_t a[M * K], b[K * N];
    float out[M * N];

    c->alpha = 2;
    c->beta = -1;
    for (int i = 0; i < M * K; i++)
        a[i] = half_of(i * 5 % 9 - 4);
    for (int i = 0; i < K * N; i++)
        b[i] = half_of(i * 7 % 8 - 4);
    for (int i = 0; i < M * N; i++) {
        int sum = 0;

        out[i] = (float)(i - 6);
        for (int l = 0; l < K; l++)
            sum +=
                ((i / N * K + l) * 5 % 9 - 4) * ((l * N + i % N) * 7 % 8 - 4);
        c->expected[i] = 2 * (float)sum - out[i];
    }
    for (int i = 0; i < 3; i++) {
        c->blocks[i] = aligned_alloc(256, 1024);
        assert_non_null(c->blocks[i]);
        c->at[i] = (hone_cu_ptr)(uintptr_t)c->blocks[i] + shift;
        c->args[i] = &c->at[i];
    }
    c->args[3] = &c->alpha;
    c->args[4] = &c->beta;
    memcpy((void *)(uintptr_t)c->at[0], a, sizeof a);
    memcpy((void *)(uintptr_t)c->at[1], b, sizeof b);
    memcpy((void *)(uintptr_t)c->at[2], out, sizeof out);
}

void vendor_free(vendor_case *c)
{
    for (int i = 0; i < 3; i++)
        free(c->blocks[i]);
}

void vendor_check(vendor_case *c)
{
    float out[VENDOR_M * VENDOR_N];

    memcpy(out, (void *)(uintptr_t)c->at[2], sizeof out);
    for (int i = 0; i < VENDOR_M * VENDOR_N; i++)
        if (out[i] - c->expected[i] != 0)
            fail_msg("element %d is %g, not %g", i, (double)out[i],
                     (double)c->expected[i]);
    vendor_free(c);
}

hone_ctx *vendor_open(void **state, const char *function, size_t rank)
{
    vendor_put_chosen(state, function, rank);
    return runtime_open(*state);
}

hone_plan *vendor_plan(hone_ctx *ctx, hone_match *match)
{
    hone_plan *plan = NULL;

    assert_hone(ctx,
                hone_plan_create(ctx, "axpy", vendor_dims, 3, &plan, match),
                HONE_OK);
    return plan;
}

void vendor_close(hone_ctx *ctx, hone_plan *plan)
{
    hone_plan_destroy(plan);
    hone_close(ctx);
}

void vendor_run(hone_ctx *ctx, hone_plan *plan, size_t shift)
{
    const long n = fake_n_launches();
    vendor_case c;

    vendor_make(&c, shift);
    assert_hone(ctx,
                hone_plan_run(plan, c.args, HONE_COUNT(c.args), VENDOR_STREAM),
                HONE_OK);
    vendor_check(&c);
    assert_int_equal(fake_n_launches(), n);
}
