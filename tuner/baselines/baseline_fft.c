/* SPDX-License-Identifier: Apache-2.0 */
/* Baselines "cufft" (cufftExecC2C) and "cufft.filter": cuFFT forward, a
 * kernel of ours that multiplies by the filter, cuFFT back, as a program
 * without a fused kernel does it. The plans are made once, their workspaces
 * are cuFFT's. Nothing is scaled. */
#include "tuner/baselines/baseline.h"

#include "tuner/baselines/vendor_problem.h"
#include "tuner/compile/compiler.h"

#include <stdio.h>

enum { FILTER_BLOCK = 256, FILTER_NUMBERS = 2 /* of a thread */ };

/* Both are multiples of 16 bytes: two numbers at once. The last number of an
 * odd total is left to the last thread. */
static const char filter_source[] =
    "extern \"C\" __global__ void __launch_bounds__(256)\n"
    "hone_filter(float4 *y, const float2 *h, long long n, long long total)\n"
    "{\n"
    "    const long long i = blockIdx.x * 256ll + threadIdx.x;\n"
    "    const bool is_power = (n & (n - 1)) == 0;\n"
    "    const long long k = is_power ? 2 * i & (n - 1) : 2 * i % n;\n"
    "    const float2 a = h[k], b = h[k + 1 < n ? k + 1 : 0];\n"
    "    if (2 * i + 1 < total) {\n"
    "        const float4 v = y[i];\n"
    "        y[i] = make_float4(v.x * a.x - v.y * a.y,\n"
    "                           v.x * a.y + v.y * a.x,\n"
    "                           v.z * b.x - v.w * b.y,\n"
    "                           v.z * b.y + v.w * b.x);\n"
    "    } else if (2 * i < total) {\n"
    "        float2 *last = (float2 *)y + 2 * i;\n"
    "        *last = make_float2(last->x * a.x - last->y * a.y,\n"
    "                            last->x * a.y + last->y * a.x);\n"
    "    }\n"
    "}\n";

typedef struct fft_state {
    hone_fft_problem problem;
    hone_fft_plan plan;
    hone_cu_module module; /* of the filter, or NULL */
    hone_cu_function filter;
    hone_stream stream;
    int stream_set;
} fft_state;

static hone_status open_plan(hone_baseline *self, const hone_resolved *problem,
                             int is_filter, const char *label, hone_error *err)
{
    fft_state *const state = self->state;

    HONE_TRY(hone__fft_read(self->name, self->op, problem, is_filter,
                            &state->problem, err));
    (void)snprintf(self->label, sizeof self->label, "%s", label);
    return hone__fft_plan_open(&state->problem, HONE_FFT_C2C, &state->plan,
                               err);
}

static void fft_close(hone_baseline *self)
{
    fft_state *const state = self->state;

    hone__fft_plan_close(&state->plan);
    if (state->module)
        (void)self->driver->module_unload(state->module);
}

static hone_status use_stream(fft_state *state, hone_stream stream,
                              hone_error *err)
{
    if (state->stream_set && state->stream == stream)
        return HONE_OK;
    state->stream_set = 0;
    HONE_TRY(
        hone__fft_check(state->plan.fft->set_stream(state->plan.handle, stream),
                        "cufftSetStream", err));
    state->stream = stream;
    state->stream_set = 1;
    return HONE_OK;
}

static hone_status transform(const fft_state *state, void *from, void *to,
                             int direction, hone_error *err)
{
    return hone__fft_check(
        state->plan.fft->exec_c2c(state->plan.handle, from, to, direction),
        "cufftExecC2C", err);
}

/* ---- a transform --------------------------------------------------------- */

static hone_status c2c_open(hone_baseline *self, const hone_resolved *problem,
                            hone_error *err)
{
    return open_plan(self, problem, 0, "cuFFT (cufftExecC2C)", err);
}

static hone_status c2c_enqueue(hone_baseline *self, void *const *args,
                               hone_stream stream, hone_error *err)
{
    fft_state *const state = self->state;

    HONE_TRY(use_stream(state, stream, err));
    return transform(state, hone__baseline_pointer(args, state->problem.x),
                     hone__baseline_pointer(args, state->problem.y),
                     state->problem.direction, err);
}

/* ---- forward, filter, back ----------------------------------------------- */

static hone_status compile_filter(const hone_driver *driver,
                                  hone_compile_output *out, hone_error *err)
{
    enum { ATTR_SM_MAJOR = 75, ATTR_SM_MINOR = 76 };
    const hone_nvrtc *nvrtc = NULL;
    hone_cu_device device = 0;
    int major = 0, minor = 0;
    char arch[16];
    const hone_compile_input input = {
        filter_source, "hone/filter.cu", arch, "", {0}, NULL};

    HONE_TRY(hone__driver_check(driver, driver->context_device(&device),
                                "cuCtxGetDevice", err));
    HONE_TRY(hone__driver_check(
        driver, driver->device_attribute(&major, ATTR_SM_MAJOR, device),
        "cuDeviceGetAttribute", err));
    HONE_TRY(hone__driver_check(
        driver, driver->device_attribute(&minor, ATTR_SM_MINOR, device),
        "cuDeviceGetAttribute", err));
    (void)snprintf(arch, sizeof arch, "sm_%d%d", major, minor);
    if (hone__nvrtc_get(&nvrtc, err) != HONE_OK) {
        if (err)
            err->status = HONE_ERR_UNSUPPORTED;
        return HONE_ERR_UNSUPPORTED;
    }
    HONE_TRY(hone__compile_source(nvrtc, &input, NULL, out, err));
    return out->ok ? HONE_OK
                   : hone__fail(err, HONE_ERR_NVRTC,
                                "the filter kernel of baseline 'cufft.filter' "
                                "does not compile: %.300s",
                                hone__text_str(&out->log));
}

static hone_status load_filter(hone_baseline *self, hone_error *err)
{
    const hone_driver *const driver = self->driver;
    fft_state *const state = self->state;
    hone_compile_output output = {0};
    hone_status status = compile_filter(driver, &output, err);

    if (status == HONE_OK)
        status = hone__driver_check(
            driver, driver->module_load(&state->module, output.cubin.data),
            "loading the filter kernel of cufft.filter", err);
    hone__compile_output_free(&output);
    HONE_TRY(status);
    return hone__driver_check(
        driver,
        driver->module_function(&state->filter, state->module, "hone_filter"),
        "cuModuleGetFunction", err);
}

static hone_status filter_open(hone_baseline *self,
                               const hone_resolved *problem, hone_error *err)
{
    HONE_TRY(open_plan(self, problem, 1,
                       "cuFFT, a filter kernel, cuFFT (cufftExecC2C)", err));
    return load_filter(self, err);
}

static hone_status filter_enqueue(hone_baseline *self, void *const *args,
                                  hone_stream stream, hone_error *err)
{
    fft_state *const state = self->state;
    const hone_fft_problem *const p = &state->problem;
    void *const x = hone__baseline_pointer(args, p->x);
    void *const y = hone__baseline_pointer(args, p->y);
    hone_cu_ptr to = (hone_cu_ptr)(uintptr_t)y;
    hone_cu_ptr h = (hone_cu_ptr)(uintptr_t)hone__baseline_pointer(args, p->h);
    long long n = p->n, total = p->n * p->batch;
    const long long of_block = FILTER_BLOCK * FILTER_NUMBERS;
    void *params[] = {&to, &h, &n, &total};

    HONE_TRY(use_stream(state, stream, err));
    HONE_TRY(transform(state, x, y, HONE_FFT_FORWARD, err));
    HONE_TRY(hone__driver_check(
        self->driver,
        self->driver->launch(state->filter,
                             (unsigned)((total + of_block - 1) / of_block), 1,
                             1, FILTER_BLOCK, 1, 1, 0, stream, params, NULL),
        "launching the filter kernel of cufft.filter", err));
    return transform(state, y, y, HONE_FFT_INVERSE, err);
}

const hone_baseline_kind hone__baseline_cufft = {1, sizeof(fft_state), c2c_open,
                                                 fft_close, c2c_enqueue};
const hone_baseline_kind hone__baseline_cufft_filter = {
    1, sizeof(fft_state), filter_open, fft_close, filter_enqueue};
