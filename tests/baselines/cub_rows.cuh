/* SPDX-License-Identifier: Apache-2.0 */
/* The baseline cub.row_sums: cub::DeviceSegmentedReduce, a segment for each row.
 * Included by cub_baselines.cu, which has check(), unfit(), keep() and the codes
 * of types, in its namespace. There is none for columns: CUB reduces what lies
 * side by side, and an iterator that jumps from row to row would read a
 * sector of memory for each element. */

struct rows_state {
    int64_t rows;
    int64_t columns;
    int64_t pitch;
    int32_t type;
    void *scratch;
    size_t scratch_bytes;
};

/* Where row r begins, or where it ends. */
template <typename Offset> struct offset_of_row {
    Offset pitch;
    Offset columns; /* 0: the beginning */

    __host__ __device__ Offset operator()(int64_t r) const
    {
        return static_cast<Offset>(r) * pitch + columns;
    }
};

/* Added in f32 if T has 16 bits: which CUB then reads one by one. */
template <typename T, typename Offset>
cudaError_t rows_sums(const rows_state &state, size_t &scratch_bytes,
                      const void *in, void *out, cudaStream_t stream)
{
    using sum = ::cuda::std::conditional_t<sizeof(T) == 2, float, T>;
    const thrust::counting_iterator<int64_t> row(0);
    const Offset pitch = static_cast<Offset>(state.pitch);
    const Offset columns = static_cast<Offset>(state.columns);

    return cub::DeviceSegmentedReduce::Reduce(
        state.scratch, scratch_bytes, static_cast<const T *>(in),
        static_cast<T *>(out), state.rows,
        thrust::make_transform_iterator(row, offset_of_row<Offset>{pitch, 0}),
        thrust::make_transform_iterator(row,
                                        offset_of_row<Offset>{pitch, columns}),
        ::cuda::std::plus<sum>{}, sum(0), stream);
}

template <typename T>
cudaError_t rows_counted(const rows_state &state, size_t &scratch_bytes,
                         const void *in, void *out, cudaStream_t stream)
{
    return state.rows * state.pitch <= INT32_MAX
               ? rows_sums<T, int32_t>(state, scratch_bytes, in, out, stream)
               : rows_sums<T, int64_t>(state, scratch_bytes, in, out, stream);
}

cudaError_t rows_all(const rows_state &state, size_t &scratch_bytes,
                     const void *in, void *out, cudaStream_t stream)
{
    switch (state.type) {
    case type_f16:
        return rows_counted<__half>(state, scratch_bytes, in, out, stream);
    case type_bf16:
        return rows_counted<__nv_bfloat16>(state, scratch_bytes, in, out,
                                           stream);
    case type_f64:
        return rows_counted<double>(state, scratch_bytes, in, out, stream);
    default:
        return rows_counted<float>(state, scratch_bytes, in, out, stream);
    }
}

/* Dimensions: rows, columns, a type and PITCH, the last two not always. */
bool find_rows(const hone_baseline_problem_v1 *problem, rows_state &state)
{
    const hone_baseline_arg_v1 *const args = problem->args;

    if (problem->n_args != 2 || problem->n_dims < 2)
        return false;
    state.rows = problem->dims[0];
    state.columns = problem->dims[1];
    state.pitch = problem->n_dims > 3 ? problem->dims[3] : state.columns;
    state.type = args[0].type;
    return args[0].mode == HONE_BASELINE_IN &&
           args[1].mode == HONE_BASELINE_OUT && args[1].type == state.type &&
           state.rows >= 1 && state.columns >= 0 &&
           state.pitch >= state.columns && args[1].count == state.rows &&
           args[0].count == (state.rows - 1) * state.pitch + state.columns &&
           (state.type == type_f32 || state.type == type_f64 ||
            state.type == type_f16 || state.type == type_bf16);
}

int rows_open(const hone_baseline_problem_v1 *problem, void **out,
              size_t *n_algorithms, hone_baseline_message_v1 *message)
{
    rows_state found = {};
    int result;

    if (!find_rows(problem, found))
        return unfit(message, "sums of rows have an input of rows x columns "
                              "and an output of rows elements, f32, f64, f16 "
                              "or bf16");
    result = check(rows_all(found, found.scratch_bytes, nullptr, nullptr,
                            nullptr),
                   "cub::DeviceSegmentedReduce (size of its storage)", message);
    return result == HONE_BASELINE_OK ? keep(found, out, n_algorithms, message)
                                      : result;
}

int rows_enqueue(void *opaque, size_t, void *const *args, void *stream,
                 hone_baseline_message_v1 *message)
{
    const rows_state &state = *static_cast<rows_state *>(opaque);
    size_t scratch_bytes = state.scratch_bytes;

    return check(rows_all(state, scratch_bytes,
                          *static_cast<const void *const *>(args[0]),
                          *static_cast<void *const *>(args[1]),
                          static_cast<cudaStream_t>(stream)),
                 "cub::DeviceSegmentedReduce", message);
}
