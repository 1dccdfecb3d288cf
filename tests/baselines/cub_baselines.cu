/* SPDX-License-Identifier: Apache-2.0 */
/* The library of baselines that need nvcc: CUB's device-wide sum and scan.
 * Compiled only where nvcc is found, loaded by hone as a plug-in
 * (tuner/baselines/baseline_plugin.h).
 * CUB's temporary storage is allocated when a baseline is opened, so that a run
 * only launches kernels and can be captured into a graph. */
#include "tuner/baselines/baseline_plugin.h"

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cuda_fp16.h>

#include <cstdint>
#include <cstdio>
#include <new>

namespace {

constexpr int32_t type_f16 = 1;
constexpr int32_t type_f32 = 4;
constexpr int32_t type_f64 = 5;
constexpr int32_t type_i32 = 7;

struct sum_state {
    int in;
    int out;
    int64_t count;
    int32_t type;
    void *scratch;
    size_t scratch_bytes;
};

int unfit(hone_baseline_message_v1 *message, const char *why)
{
    std::snprintf(message->text, message->size_bytes, "%s", why);
    return HONE_BASELINE_UNFIT;
}

int check(cudaError_t error, const char *what,
          hone_baseline_message_v1 *message)
{
    if (error == cudaSuccess)
        return HONE_BASELINE_OK;
    std::snprintf(message->text, message->size_bytes, "%s: %s (%s)", what,
                  cudaGetErrorString(error), cudaGetErrorName(error));
    return HONE_BASELINE_FAILED;
}

template <typename T, typename Count>
cudaError_t sum_typed(const sum_state &state, size_t &scratch_bytes,
                      const void *in, void *out, cudaStream_t stream)
{
    return cub::DeviceReduce::Sum(state.scratch, scratch_bytes,
                                  static_cast<const T *>(in),
                                  static_cast<T *>(out),
                                  static_cast<Count>(state.count), stream);
}

/* A null scratch only asks for its size. 32-bit counts get CUB's faster
 * 32-bit indices, as a caller who knows its sizes would. */
cudaError_t sum(const sum_state &state, size_t &scratch_bytes,
                const void *in, void *out, cudaStream_t stream)
{
    const bool small = state.count <= INT32_MAX;

    if (state.type == type_f64)
        return small ? sum_typed<double, int32_t>(state, scratch_bytes, in,
                                                  out, stream)
                     : sum_typed<double, int64_t>(state, scratch_bytes, in,
                                                  out, stream);
    return small ? sum_typed<float, int32_t>(state, scratch_bytes, in, out,
                                             stream)
                 : sum_typed<float, int64_t>(state, scratch_bytes, in, out,
                                             stream);
}

/* The one input and the one output. */
bool find_arrays(const hone_baseline_problem_v1 *problem, sum_state &state)
{
    state.in = -1;
    state.out = -1;
    for (size_t i = 0; i < problem->n_args; i++) {
        const int32_t mode = problem->args[i].mode;

        if (mode == HONE_BASELINE_IN && state.in < 0)
            state.in = static_cast<int>(i);
        else if (mode == HONE_BASELINE_OUT && state.out < 0)
            state.out = static_cast<int>(i);
        else
            return false;
    }
    return state.in >= 0 && state.out >= 0;
}

int sum_open(const hone_baseline_problem_v1 *problem, void **out,
             size_t *n_algorithms, hone_baseline_message_v1 *message)
{
    sum_state found = {};
    int result;

    if (!find_arrays(problem, found) || problem->args[found.out].count != 1)
        return unfit(message, "a sum has one input array and one output of "
                              "one element");
    found.count = problem->args[found.in].count;
    found.type = problem->args[found.in].type;
    if ((found.type != type_f32 && found.type != type_f64) ||
        problem->args[found.out].type != found.type)
        return unfit(message, "it sums f32 to f32 or f64 to f64");
    result = check(sum(found, found.scratch_bytes, nullptr, nullptr, nullptr),
                   "cub::DeviceReduce::Sum (size of its storage)", message);
    if (result != HONE_BASELINE_OK)
        return result;
    if (!found.scratch_bytes)
        found.scratch_bytes = 1; /* a null pointer would only ask again */
    result = check(cudaMalloc(&found.scratch, found.scratch_bytes),
                   "cudaMalloc", message);
    if (result != HONE_BASELINE_OK)
        return result;
    *out = new (std::nothrow) sum_state(found);
    if (!*out) {
        cudaFree(found.scratch);
        std::snprintf(message->text, message->size_bytes, "out of memory");
        return HONE_BASELINE_FAILED;
    }
    *n_algorithms = 1;
    return HONE_BASELINE_OK;
}

int sum_enqueue(void *opaque, size_t, void *const *args, void *stream,
                hone_baseline_message_v1 *message)
{
    const sum_state &state = *static_cast<sum_state *>(opaque);
    size_t scratch_bytes = state.scratch_bytes;

    return check(sum(state, scratch_bytes,
                     *static_cast<const void *const *>(args[state.in]),
                     *static_cast<void *const *>(args[state.out]),
                     static_cast<cudaStream_t>(stream)),
                 "cub::DeviceReduce::Sum", message);
}

void sum_close(void *opaque)
{
    sum_state *const state = static_cast<sum_state *>(opaque);

    cudaFree(state->scratch);
    delete state;
}

struct scan_state {
    int64_t count;
    int32_t type;
    void *scratch;
    size_t scratch_bytes;
};

template <typename T, typename Count>
cudaError_t scan_typed(const scan_state &state, size_t &scratch_bytes,
                       const void *in, void *out, bool exclusive,
                       cudaStream_t stream)
{
    const T *from = static_cast<const T *>(in);
    T *to = static_cast<T *>(out);
    const Count count = static_cast<Count>(state.count);

    return exclusive ? cub::DeviceScan::ExclusiveSum(
                           state.scratch, scratch_bytes, from, to, count,
                           stream)
                     : cub::DeviceScan::InclusiveSum(
                           state.scratch, scratch_bytes, from, to, count,
                           stream);
}

template <typename T>
cudaError_t scan_counted(const scan_state &state, size_t &scratch_bytes,
                         const void *in, void *out, bool exclusive,
                         cudaStream_t stream)
{
    return state.count <= INT32_MAX
               ? scan_typed<T, int32_t>(state, scratch_bytes, in, out,
                                        exclusive, stream)
               : scan_typed<T, int64_t>(state, scratch_bytes, in, out,
                                        exclusive, stream);
}

/* Sums of f16 are f16 here, as CUB has them. */
cudaError_t scan(const scan_state &state, size_t &scratch_bytes,
                 const void *in, void *out, bool exclusive,
                 cudaStream_t stream)
{
    switch (state.type) {
    case type_f16:
        return scan_counted<__half>(state, scratch_bytes, in, out, exclusive,
                                    stream);
    case type_i32:
        return scan_counted<int32_t>(state, scratch_bytes, in, out,
                                     exclusive, stream);
    default:
        return scan_counted<float>(state, scratch_bytes, in, out, exclusive,
                                   stream);
    }
}

int scan_open(const hone_baseline_problem_v1 *problem, void **out,
              size_t *n_algorithms, hone_baseline_message_v1 *message)
{
    const hone_baseline_arg_v1 *args = problem->args;
    scan_state found = {};
    size_t inclusive_bytes = 0;
    int result;

    if (problem->n_args != 3 || args[0].mode != HONE_BASELINE_IN ||
        args[1].mode != HONE_BASELINE_OUT || args[2].mode != HONE_BASELINE_SCALAR ||
        args[2].type != type_i32 || args[0].type != args[1].type ||
        args[0].count != args[1].count ||
        (args[0].type != type_f16 && args[0].type != type_f32 &&
         args[0].type != type_i32))
        return unfit(message, "a scan has one input and one output array of "
                              "f16, f32 or i32, and an i32 that says whether "
                              "it is exclusive");
    found.count = args[0].count;
    found.type = args[0].type;
    result = check(scan(found, inclusive_bytes, nullptr, nullptr, false,
                        nullptr),
                   "cub::DeviceScan (size of its storage)", message);
    if (result == HONE_BASELINE_OK)
        result = check(scan(found, found.scratch_bytes, nullptr, nullptr,
                            true, nullptr),
                       "cub::DeviceScan (size of its storage)", message);
    if (result != HONE_BASELINE_OK)
        return result;
    if (found.scratch_bytes < inclusive_bytes)
        found.scratch_bytes = inclusive_bytes;
    if (!found.scratch_bytes)
        found.scratch_bytes = 1; /* a null pointer would only ask again */
    result = check(cudaMalloc(&found.scratch, found.scratch_bytes),
                   "cudaMalloc", message);
    if (result != HONE_BASELINE_OK)
        return result;
    *out = new (std::nothrow) scan_state(found);
    if (!*out) {
        cudaFree(found.scratch);
        std::snprintf(message->text, message->size_bytes, "out of memory");
        return HONE_BASELINE_FAILED;
    }
    *n_algorithms = 1;
    return HONE_BASELINE_OK;
}

int scan_enqueue(void *opaque, size_t, void *const *args, void *stream,
                 hone_baseline_message_v1 *message)
{
    const scan_state &state = *static_cast<scan_state *>(opaque);
    size_t scratch_bytes = state.scratch_bytes;

    return check(scan(state, scratch_bytes,
                      *static_cast<const void *const *>(args[0]),
                      *static_cast<void *const *>(args[1]),
                      *static_cast<const int32_t *>(args[2]) & 1,
                      static_cast<cudaStream_t>(stream)),
                 "cub::DeviceScan", message);
}

void scan_close(void *opaque)
{
    scan_state *const state = static_cast<scan_state *>(opaque);

    cudaFree(state->scratch);
    delete state;
}

const hone_baseline_v1 baselines[] = {
    {"cub.sum", "CUB (cub::DeviceReduce::Sum)", sum_open, sum_enqueue,
     sum_close},
    {"cub.scan", "CUB (cub::DeviceScan::InclusiveSum or ExclusiveSum)",
     scan_open, scan_enqueue, scan_close},
};

} // namespace

extern "C" __attribute__((visibility("default"))) const hone_baseline_v1 *
hone_baselines_v1(size_t *n)
{
    *n = sizeof baselines / sizeof baselines[0];
    return baselines;
}
