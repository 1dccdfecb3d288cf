/* SPDX-License-Identifier: Apache-2.0 */
/* The baseline cufft.image_pipeline: image_pipeline as a chain, a kernel that
 * thresholds, cuFFT, a kernel that filters, cuFFT, two that normalise. cuFFT is
 * opened by name, so that the baselines from CUB do without. Included by
 * cub_baselines.cu, which has check(), unfit(), keep() and the codes of types,
 * in its namespace. */

#include "tests/baselines/cufft_pipeline_kernels.cuh"

/* cuFFT's functions, as far as they are called; 0 is success. */
struct cufft_functions {
    int (*create)(int *);
    int (*make_plan)(int, int, long long *, long long *, long long, long long,
                     long long *, long long, long long, int, long long,
                     size_t *);
    int (*set_stream)(int, void *);
    int (*exec_r2c)(int, void *, void *);
    int (*exec_c2r)(int, void *, void *);
    int (*destroy)(int);
};

constexpr int cufft_r2c = 0x2a;
constexpr int cufft_c2r = 0x2c;

struct pipeline_state {
    cufft_functions fft;
    long long rows, columns, batch, cutoff;
    int shares; /* parts of an image of which sums are kept */
    bool has_there, has_back;
    int there, back; /* cuFFT's plans */
    void *scratch;   /* half spectra, then sums */
    size_t scratch_bytes;
};

size_t spectra_bytes(const pipeline_state &state)
{
    return size_t(state.batch) * size_t(state.rows) *
           size_t(state.columns / 2 + 1) * sizeof(float2);
}

bool cufft_open(cufft_functions &fft)
{
    const char *const named = std::getenv("HONE_CUFFT_LIBRARY");
    const bool is_named = named && *named;
    void *library =
        dlopen(is_named ? named : "libcufft.so.12", RTLD_NOW | RTLD_LOCAL);

    for (const char *name :
         {"libcufft.so.11", "/usr/local/cuda/lib64/libcufft.so"})
        if (!library && !is_named)
            library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return false;

    const struct {
        const char *name;
        void *place;
    } symbols[] = {{"cufftCreate", &fft.create},
                   {"cufftMakePlanMany64", &fft.make_plan},
                   {"cufftSetStream", &fft.set_stream},
                   {"cufftExecR2C", &fft.exec_r2c},
                   {"cufftExecC2R", &fft.exec_c2r},
                   {"cufftDestroy", &fft.destroy}};

    /* Never closed: it registers kernels with the driver. */
    for (const auto &symbol : symbols) {
        void *const found = dlsym(library, symbol.name);

        if (!found)
            return false;
        std::memcpy(symbol.place, &found, sizeof found);
    }
    return true;
}

int check_fft(int result, const char *what, hone_baseline_message_v1 *message)
{
    if (result == 0)
        return HONE_BASELINE_OK;
    std::snprintf(message->text, message->size_bytes, "%s failed: %d", what,
                  result);
    return HONE_BASELINE_FAILED;
}

/* x, threshold, eps, y, and four dimensions: those of image_pipeline. */
bool find_pipeline(const hone_baseline_problem_v1 *problem,
                   pipeline_state &state)
{
    const hone_baseline_arg_v1 *const args = problem->args;

    if (problem->n_args != 4 || problem->n_dims != 4)
        return false;
    state.rows = problem->dims[0];
    state.columns = problem->dims[1];
    state.batch = problem->dims[2];
    state.cutoff = problem->dims[3];
    for (int i = 0; i < 4; i++) {
        const int mode = i == 0   ? HONE_BASELINE_IN
                         : i == 3 ? HONE_BASELINE_OUT
                                  : HONE_BASELINE_SCALAR;

        if (args[i].mode != mode || args[i].type != type_f32)
            return false;
    }
    for (long long side : {state.rows, state.columns})
        if (side < 64 || side > 4096 || (side & (side - 1)))
            return false;
    return state.batch >= 1 && state.cutoff >= 1 && state.cutoff <= 4096 &&
           args[0].count == state.batch * state.rows * state.columns &&
           args[3].count == args[0].count;
}

void destroy_plans(const pipeline_state &state)
{
    if (state.has_there)
        state.fft.destroy(state.there);
    if (state.has_back)
        state.fft.destroy(state.back);
}

void pipeline_close(void *opaque)
{
    destroy_plans(*static_cast<pipeline_state *>(opaque));
    leave<pipeline_state>(opaque);
}

int make_plan(pipeline_state &state, int type, int &plan, bool &has_plan,
              hone_baseline_message_v1 *message)
{
    long long sides[] = {state.rows, state.columns};
    size_t workspace_bytes = 0;
    const int result =
        check_fft(state.fft.create(&plan), "cufftCreate", message);

    if (result != HONE_BASELINE_OK)
        return result;
    has_plan = true;
    return check_fft(state.fft.make_plan(plan, 2, sides, nullptr, 1, 0, nullptr,
                                         1, 0, type, state.batch,
                                         &workspace_bytes),
                     "cufftMakePlanMany64", message);
}

int pipeline_open(const hone_baseline_problem_v1 *problem, void **out,
                  size_t *n_algorithms, hone_baseline_message_v1 *message)
{
    pipeline_state found = {};

    if (!find_pipeline(problem, found))
        return unfit(message, "it does what image_pipeline does: images x and "
                              "y of f32, threshold, eps, and the dimensions "
                              "rows, columns, batch and cutoff");
    if (!cufft_open(found.fft))
        return unfit(message, "cuFFT (libcufft.so.12 or 11) is not on this "
                              "machine, or HONE_CUFFT_LIBRARY names no such "
                              "library");
    /* 4096 packs each, where there are so many; at most 64. */
    const long long packs = found.rows * found.columns / 4;

    found.shares = int(packs / 4096 < 1 ? 1 : packs / 4096 > 64 ? 64
                                                                : packs / 4096);

    found.scratch_bytes =
        spectra_bytes(found) +
        size_t(found.batch) * size_t(found.shares) * sizeof(double2);

    int result =
        make_plan(found, cufft_r2c, found.there, found.has_there, message);

    if (result == HONE_BASELINE_OK)
        result =
            make_plan(found, cufft_c2r, found.back, found.has_back, message);
    if (result == HONE_BASELINE_OK)
        result = keep(found, out, n_algorithms, message);
    if (result != HONE_BASELINE_OK)
        destroy_plans(found);
    return result;
}

int pipeline_enqueue(void *opaque, size_t, void *const *args, void *stream,
                     hone_baseline_message_v1 *message)
{
    const pipeline_state &state = *static_cast<pipeline_state *>(opaque);
    const cufft_functions &fft = state.fft;
    const cudaStream_t on = static_cast<cudaStream_t>(stream);
    const float4 *const x = *static_cast<const float4 *const *>(args[0]);
    const float threshold = *static_cast<const float *>(args[1]);
    const float eps = *static_cast<const float *>(args[2]);
    float4 *const y = *static_cast<float4 *const *>(args[3]);
    float2 *const spectra = static_cast<float2 *>(state.scratch);
    double2 *const sums = reinterpret_cast<double2 *>(
        static_cast<char *>(state.scratch) + spectra_bytes(state));
    const long long packs = state.batch * state.rows * state.columns / 4;
    const unsigned blocks = unsigned(state.batch * state.shares);
    const int size = int(packs / blocks);
    int result = check_fft(fft.set_stream(state.there, stream),
                           "cufftSetStream", message);

    if (result == HONE_BASELINE_OK)
        result = check_fft(fft.set_stream(state.back, stream),
                           "cufftSetStream", message);
    if (result != HONE_BASELINE_OK)
        return result;
    pipeline_threshold<<<unsigned((packs + 255) / 256), 256, 0, on>>>(
        x, threshold, y, packs);
    result = check_fft(fft.exec_r2c(state.there, y, spectra),
                       "cufftExecR2C", message);
    if (result != HONE_BASELINE_OK)
        return result;
    pipeline_filter<<<unsigned(state.batch * state.rows), 256, 0, on>>>(
        spectra, int(state.rows), int(state.columns), int(state.cutoff));
    result = check_fft(fft.exec_c2r(state.back, spectra, y),
                       "cufftExecC2R", message);
    if (result != HONE_BASELINE_OK)
        return result;
    pipeline_sums<<<blocks, 256, 0, on>>>(y, sums, size);
    pipeline_normalise<<<blocks, 256, 0, on>>>(y, sums, eps, size,
                                               state.shares);
    return check(cudaGetLastError(), "launching a kernel", message);
}
