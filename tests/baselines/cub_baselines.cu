/* SPDX-License-Identifier: Apache-2.0 */
/* The library of baselines that need nvcc: CUB's device-wide sum, extremes,
 * scan and histogram, its sums of segments, and cuFFT between kernels.
 * Compiled only where nvcc is found, loaded by hone as a plug-in
 * (tuner/baselines/baseline_plugin.h).
 * CUB's temporary storage is allocated when a baseline is opened, so that a run
 * only launches kernels and can be captured into a graph. */
#include "tuner/baselines/baseline_plugin.h"

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cuda/std/functional>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <new>

namespace {

constexpr int32_t type_f16 = 1;
constexpr int32_t type_bf16 = 2;
constexpr int32_t type_f32 = 4;
constexpr int32_t type_f64 = 5;
constexpr int32_t type_i32 = 7;
constexpr int32_t type_u8 = 9;
constexpr int32_t type_u32 = 10;
constexpr int32_t type_i64 = 11;

/* What is made of an array: its sum, or the value and the place of its first
 * extreme. */
enum class reduction { sum, min_index, max_index };

struct reduce_state {
    reduction what;
    int in;
    int out;
    int place; /* not of a sum */
    int64_t count;
    int32_t type;
    void *scratch;
    size_t scratch_bytes;
};

struct arrays {
    const void *in;
    void *out;
    void *place;
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

/* The end of every open(): temporary storage of the size that was asked for,
 * and the state where it is found again. */
template <typename State>
int keep(State &found, void **out, size_t *n_algorithms,
         hone_baseline_message_v1 *message)
{
    int result;

    if (!found.scratch_bytes)
        found.scratch_bytes = 1; /* a null pointer would only ask again */
    result = check(cudaMalloc(&found.scratch, found.scratch_bytes),
                   "cudaMalloc", message);
    if (result != HONE_BASELINE_OK)
        return result;
    *out = new (std::nothrow) State(found);
    if (!*out) {
        cudaFree(found.scratch);
        std::snprintf(message->text, message->size_bytes, "out of memory");
        return HONE_BASELINE_FAILED;
    }
    *n_algorithms = 1;
    return HONE_BASELINE_OK;
}

template <typename State> void leave(void *opaque)
{
    State *const state = static_cast<State *>(opaque);

    cudaFree(state->scratch);
    delete state;
}

struct to_float {
    template <typename T> __host__ __device__ float operator()(T v) const
    {
        return static_cast<float>(v);
    }
};

/* 16 bits are added in f32, as our own sums are. */
template <typename T, typename Count>
cudaError_t sum_counted(const reduce_state &state, size_t &scratch_bytes,
                        const arrays &with, cudaStream_t stream)
{
    const T *in = static_cast<const T *>(with.in);
    T *out = static_cast<T *>(with.out);
    const Count count = static_cast<Count>(state.count);

    if constexpr (sizeof(T) == 2)
        return cub::DeviceReduce::TransformReduce(
            state.scratch, scratch_bytes, in, out, count, ::cuda::std::plus<>{},
            to_float{}, 0.0f, stream);
    else
        return cub::DeviceReduce::Sum(state.scratch, scratch_bytes, in, out,
                                      count, stream);
}

/* A null scratch only asks for its size. 32-bit counts get CUB's faster
 * 32-bit indices, as a caller who knows its sizes would. */
template <typename T>
cudaError_t reduce_typed(const reduce_state &state, size_t &scratch_bytes,
                         const arrays &with, cudaStream_t stream)
{
    const T *in = static_cast<const T *>(with.in);
    T *out = static_cast<T *>(with.out);
    int64_t *place = static_cast<int64_t *>(with.place);

    if (state.what == reduction::min_index)
        return cub::DeviceReduce::ArgMin(state.scratch, scratch_bytes, in, out,
                                         place, state.count, stream);
    if (state.what == reduction::max_index)
        return cub::DeviceReduce::ArgMax(state.scratch, scratch_bytes, in, out,
                                         place, state.count, stream);
    return state.count <= INT32_MAX
               ? sum_counted<T, int32_t>(state, scratch_bytes, with, stream)
               : sum_counted<T, int64_t>(state, scratch_bytes, with, stream);
}

cudaError_t reduce(const reduce_state &state, size_t &scratch_bytes,
                   const arrays &with, cudaStream_t stream)
{
    switch (state.type) {
    case type_f16:
        return reduce_typed<__half>(state, scratch_bytes, with, stream);
    case type_bf16:
        return reduce_typed<__nv_bfloat16>(state, scratch_bytes, with, stream);
    case type_f64:
        return reduce_typed<double>(state, scratch_bytes, with, stream);
    default:
        return reduce_typed<float>(state, scratch_bytes, with, stream);
    }
}

/* The one input and its one or two outputs, of one element each. */
bool find_arrays(const hone_baseline_problem_v1 *problem, reduce_state &state)
{
    const hone_baseline_arg_v1 *args = problem->args;

    state.in = state.out = state.place = -1;
    for (size_t i = 0; i < problem->n_args; i++) {
        const bool is_out =
            args[i].mode == HONE_BASELINE_OUT && args[i].count == 1;

        if (args[i].mode == HONE_BASELINE_IN && state.in < 0)
            state.in = static_cast<int>(i);
        else if (is_out && state.out < 0)
            state.out = static_cast<int>(i);
        else if (is_out && state.place < 0 && args[i].type == type_i64)
            state.place = static_cast<int>(i);
        else
            return false;
    }
    return state.in >= 0 && state.out >= 0 &&
           (state.place >= 0) == (state.what != reduction::sum) &&
           args[state.out].type == args[state.in].type;
}

template <reduction WHAT>
int reduce_open(const hone_baseline_problem_v1 *problem, void **out,
                size_t *n_algorithms, hone_baseline_message_v1 *message)
{
    reduce_state found = {};
    int result;

    found.what = WHAT;
    if (!find_arrays(problem, found))
        return unfit(message,
                     WHAT == reduction::sum
                         ? "a sum has one input array and one output of one "
                           "element, of the same type"
                         : "an extreme has one input array, and as outputs "
                           "one element of its type and one i64, its place");
    found.count = problem->args[found.in].count;
    found.type = problem->args[found.in].type;
    if (found.type != type_f32 && found.type != type_f64 &&
        found.type != type_f16 && found.type != type_bf16)
        return unfit(message, "it takes f32, f64, f16 and bf16");
    result = check(reduce(found, found.scratch_bytes, {}, nullptr),
                   "cub::DeviceReduce (size of its storage)", message);
    return result == HONE_BASELINE_OK ? keep(found, out, n_algorithms, message)
                                      : result;
}

int reduce_enqueue(void *opaque, size_t, void *const *args, void *stream,
                   hone_baseline_message_v1 *message)
{
    const reduce_state &state = *static_cast<reduce_state *>(opaque);
    size_t scratch_bytes = state.scratch_bytes;
    const arrays with = {
        *static_cast<const void *const *>(args[state.in]),
        *static_cast<void *const *>(args[state.out]),
        state.place < 0 ? nullptr
                        : *static_cast<void *const *>(args[state.place])};

    return check(reduce(state, scratch_bytes, with,
                        static_cast<cudaStream_t>(stream)),
                 "cub::DeviceReduce", message);
}

#include "tests/baselines/cub_histogram.cuh"
#include "tests/baselines/cub_rows.cuh"
#include "tests/baselines/cub_scan.cuh"
#include "tests/baselines/cufft_pipeline.cuh"

const hone_baseline_v1 baselines[] = {
    {"cub.sum", "CUB (cub::DeviceReduce::Sum)", reduce_open<reduction::sum>,
     reduce_enqueue, leave<reduce_state>},
    {"cub.min_index", "CUB (cub::DeviceReduce::ArgMin)",
     reduce_open<reduction::min_index>, reduce_enqueue, leave<reduce_state>},
    {"cub.max_index", "CUB (cub::DeviceReduce::ArgMax)",
     reduce_open<reduction::max_index>, reduce_enqueue, leave<reduce_state>},
    {"cub.row_sums", "CUB (cub::DeviceSegmentedReduce::Reduce)", rows_open,
     rows_enqueue, leave<rows_state>},
    {"cub.scan", "CUB (cub::DeviceScan::InclusiveSum or ExclusiveSum)",
     scan_open, scan_enqueue, leave<scan_state>},
    {"cub.scan_rows", "CUB (cub::DeviceScan::InclusiveSumByKey or "
                      "ExclusiveSumByKey)",
     scan_rows_open, scan_enqueue, leave<scan_state>},
    {"cub.histogram", "CUB (cub::DeviceHistogram::HistogramEven)",
     histogram_open, histogram_enqueue, leave<histogram_state>},
    {"cufft.image_pipeline",
     "threshold, cuFFT, filter, cuFFT and normalisation by kernels of their own",
     pipeline_open, pipeline_enqueue, pipeline_close},
};

} // namespace

extern "C" __attribute__((visibility("default"))) const hone_baseline_v1 *
hone_baselines_v1(size_t *n)
{
    *n = sizeof baselines / sizeof baselines[0];
    return baselines;
}
