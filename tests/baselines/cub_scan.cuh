/* SPDX-License-Identifier: Apache-2.0 */
/* The baselines cub.scan and cub.scan_rows: cub::DeviceScan, over all, and by the
 * number of an element's row as its key. Included by cub_baselines.cu, which has
 * check(), unfit(), keep() and the codes of types, in its namespace. */

struct scan_state {
    int64_t count;
    int64_t columns; /* of a row; 0: all are one */
    int32_t type;
    void *scratch;
    size_t scratch_bytes;
};

template <typename Count> struct row_of_element {
    Count columns;

    __host__ __device__ Count operator()(Count i) const { return i / columns; }
};

template <typename T, typename Count>
cudaError_t scan_by_row(const scan_state &state, size_t &scratch_bytes,
                        const T *from, T *to, bool exclusive,
                        cudaStream_t stream)
{
    const Count count = static_cast<Count>(state.count);
    const auto row = thrust::make_transform_iterator(
        thrust::counting_iterator<Count>(0),
        row_of_element<Count>{static_cast<Count>(state.columns)});
    const auto same = ::cuda::std::equal_to<>{};

    return exclusive ? cub::DeviceScan::ExclusiveSumByKey(
                           state.scratch, scratch_bytes, row, from, to, count,
                           same, stream)
                     : cub::DeviceScan::InclusiveSumByKey(
                           state.scratch, scratch_bytes, row, from, to, count,
                           same, stream);
}

template <typename T, typename Count>
cudaError_t scan_typed(const scan_state &state, size_t &scratch_bytes,
                       const void *in, void *out, bool exclusive,
                       cudaStream_t stream)
{
    const T *from = static_cast<const T *>(in);
    T *to = static_cast<T *>(out);
    const Count count = static_cast<Count>(state.count);

    if (state.columns > 0)
        return scan_by_row<T, Count>(state, scratch_bytes, from, to, exclusive,
                                     stream);
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

/* Sums of f16 and bf16 are of 16 bits here, as CUB has them. */
cudaError_t scan(const scan_state &state, size_t &scratch_bytes,
                 const void *in, void *out, bool exclusive,
                 cudaStream_t stream)
{
    switch (state.type) {
    case type_f16:
        return scan_counted<__half>(state, scratch_bytes, in, out, exclusive,
                                    stream);
    case type_bf16:
        return scan_counted<__nv_bfloat16>(state, scratch_bytes, in, out,
                                           exclusive, stream);
    case type_i64:
        return scan_counted<int64_t>(state, scratch_bytes, in, out,
                                     exclusive, stream);
    case type_i32:
        return scan_counted<int32_t>(state, scratch_bytes, in, out,
                                     exclusive, stream);
    default:
        return scan_counted<float>(state, scratch_bytes, in, out, exclusive,
                                   stream);
    }
}

int open_scan(const hone_baseline_problem_v1 *problem, int64_t columns,
              void **out, size_t *n_algorithms,
              hone_baseline_message_v1 *message)
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
         args[0].type != type_i32 && args[0].type != type_bf16 &&
         args[0].type != type_i64))
        return unfit(message, "a scan has one input and one output array of "
                              "f32, i32, f16, bf16 or i64, and an i32 that "
                              "says whether it is exclusive");
    found.count = args[0].count;
    found.columns = columns;
    found.type = args[0].type;
    result = check(scan(found, inclusive_bytes, nullptr, nullptr, false,
                        nullptr),
                   "cub::DeviceScan (size of its storage)", message);
    if (result == HONE_BASELINE_OK)
        result = check(scan(found, found.scratch_bytes, nullptr, nullptr,
                            true, nullptr),
                       "cub::DeviceScan (size of its storage)", message);
    if (found.scratch_bytes < inclusive_bytes)
        found.scratch_bytes = inclusive_bytes;
    return result == HONE_BASELINE_OK ? keep(found, out, n_algorithms, message)
                                      : result;
}

int scan_open(const hone_baseline_problem_v1 *problem, void **out,
              size_t *n_algorithms, hone_baseline_message_v1 *message)
{
    return open_scan(problem, 0, out, n_algorithms, message);
}

/* Dimensions: rows, columns and what does not count. */
int scan_rows_open(const hone_baseline_problem_v1 *problem, void **out,
                   size_t *n_algorithms, hone_baseline_message_v1 *message)
{
    if (problem->n_dims < 2 || problem->dims[1] < 1)
        return unfit(message, "rows have at least one element");
    return open_scan(problem, problem->dims[1], out, n_algorithms, message);
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
