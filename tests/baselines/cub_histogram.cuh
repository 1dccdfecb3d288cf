/* SPDX-License-Identifier: Apache-2.0 */
/* The baseline cub.histogram: cub::DeviceHistogram::HistogramEven for
 * histogram_u8 and histogram_f32. Included by cub_baselines.cu, which has
 * check(), unfit(), keep() and the codes of types, in its namespace. */

struct histogram_state {
    bool is_u8;
    bool is_long; /* counts of 64 bits */
    int64_t count;
    int bins;
    void *scratch;
    size_t scratch_bytes;
};

/* What one execution is given. */
struct histogram_call {
    const void *x;
    float lo, hi; /* of f32 */
    void *counts;
    cudaStream_t stream;
};

template <typename Counter, typename Offset>
cudaError_t histogram_typed(const histogram_state &state,
                            size_t &scratch_bytes, const histogram_call &with)
{
    Counter *const counts = static_cast<Counter *>(with.counts);
    const Offset count = static_cast<Offset>(state.count);

    return state.is_u8
               ? cub::DeviceHistogram::HistogramEven(
                     state.scratch, scratch_bytes,
                     static_cast<const uint8_t *>(with.x), counts, 257, 0, 256,
                     count, with.stream)
               : cub::DeviceHistogram::HistogramEven(
                     state.scratch, scratch_bytes,
                     static_cast<const float *>(with.x), counts,
                     state.bins + 1, with.lo, with.hi, count, with.stream);
}

template <typename Counter>
cudaError_t histogram_counted(const histogram_state &state,
                              size_t &scratch_bytes,
                              const histogram_call &with)
{
    return state.count <= INT32_MAX
               ? histogram_typed<Counter, int32_t>(state, scratch_bytes, with)
               : histogram_typed<Counter, int64_t>(state, scratch_bytes, with);
}

/* A null scratch only asks for its size. */
cudaError_t histogram(const histogram_state &state, size_t &scratch_bytes,
                      const histogram_call &with)
{
    return state.is_long ? histogram_counted<unsigned long long>(
                               state, scratch_bytes, with)
                         : histogram_counted<unsigned>(state, scratch_bytes,
                                                       with);
}

/* x, of u8, or x, lo and hi, of f32; then the counts. */
bool find_histogram(const hone_baseline_problem_v1 *problem,
                    histogram_state &state)
{
    const hone_baseline_arg_v1 *const args = problem->args;

    if (problem->n_args != 2 && problem->n_args != 4)
        return false;

    const hone_baseline_arg_v1 &x = args[0];
    const hone_baseline_arg_v1 &counts = args[problem->n_args - 1];

    state.is_u8 = problem->n_args == 2;
    state.is_long = counts.type == type_i64;
    state.count = x.count;
    if (x.mode != HONE_BASELINE_IN || counts.mode != HONE_BASELINE_OUT ||
        (!state.is_long && counts.type != type_u32) ||
        counts.count >= INT32_MAX)
        return false;
    state.bins = static_cast<int>(counts.count);
    if (state.is_u8)
        return x.type == type_u8 && state.bins == 256;
    return x.type == type_f32 &&
           args[1].mode == HONE_BASELINE_SCALAR &&
           args[1].type == type_f32 &&
           args[2].mode == HONE_BASELINE_SCALAR &&
           args[2].type == type_f32;
}

int histogram_open(const hone_baseline_problem_v1 *problem, void **out,
                   size_t *n_algorithms, hone_baseline_message_v1 *message)
{
    histogram_state found = {};
    int result;

    if (!find_histogram(problem, found))
        return unfit(message, "a histogram has u8 and 256 counts, or f32, two "
                              "ends of their range and counts, which are u32 "
                              "or i64");
    result = check(histogram(found, found.scratch_bytes,
                             {nullptr, 0.0f, 1.0f, nullptr, nullptr}),
                   "cub::DeviceHistogram (size of its storage)", message);
    return result == HONE_BASELINE_OK ? keep(found, out, n_algorithms, message)
                                      : result;
}

int histogram_enqueue(void *opaque, size_t, void *const *args, void *stream,
                      hone_baseline_message_v1 *message)
{
    const histogram_state &state = *static_cast<histogram_state *>(opaque);
    size_t scratch_bytes = state.scratch_bytes;
    histogram_call with = {*static_cast<const void *const *>(args[0]), 0.0f,
                           0.0f, nullptr, static_cast<cudaStream_t>(stream)};

    if (!state.is_u8) {
        with.lo = *static_cast<const float *>(args[1]);
        with.hi = *static_cast<const float *>(args[2]);
    }
    with.counts = *static_cast<void *const *>(args[state.is_u8 ? 1 : 3]);
    return check(histogram(state, scratch_bytes, with),
                 "cub::DeviceHistogram::HistogramEven", message);
}
