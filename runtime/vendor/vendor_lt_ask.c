/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/vendor/vendor_lt.h"

/* ---- the problem as cuBLASLt describes it -------------------------------- */

static hone_status set_layout(const hone_lt_state *state, hone_lt_layout layout,
                              int attribute, const void *value,
                              size_t size_bytes, hone_error *err)
{
    return hone__lt_check(
        state->lt, state->lt->layout_set(layout, attribute, value, size_bytes),
        "cublasLtMatrixLayoutSetAttribute", err);
}

static hone_status create_layout(const hone_lt_state *state,
                                 hone_lt_layout *out, int type,
                                 const hone_gemm_factor *x, hone_error *err)
{
    const int32_t batch = state->gemm.batch;

    HONE_TRY(hone__lt_check(
        state->lt,
        state->lt->layout_create(out, type, (uint64_t)x->rows,
                                 (uint64_t)x->columns, x->leading),
        "cublasLtMatrixLayoutCreate", err));
    if (batch == 1)
        return HONE_OK;
    HONE_TRY(set_layout(state, *out, HONE_LT_LAYOUT_BATCH_COUNT, &batch,
                        sizeof batch, err));
    return set_layout(state, *out, HONE_LT_LAYOUT_BATCH_STRIDE, &x->stride,
                      sizeof x->stride, err);
}

static hone_status set(const hone_lt_state *state, int attribute,
                       const void *value, size_t size_bytes, hone_error *err)
{
    return hone__lt_check(
        state->lt,
        state->lt->desc_set(state->desc, attribute, value, size_bytes),
        "cublasLtMatmulDescSetAttribute", err);
}

hone_status hone__lt_set_given(const hone_lt_state *state, int which,
                               const void *array, hone_error *err)
{
    static const uint8_t attributes[] = {
        HONE_LT_DESC_BIAS, HONE_LT_DESC_LEFT_SCALE, HONE_LT_DESC_RIGHT_SCALE};

    return set(state, attributes[which], &array, sizeof array, err);
}

/* Of 8-bit floats. */
static hone_status set_scaled(const hone_lt_state *state, hone_error *err)
{
    const int8_t fast = state->gemm.fast != 0;
    const int32_t mode = HONE_LT_SCALE_LINES;

    HONE_TRY(set(state, HONE_LT_DESC_FAST_SUMS, &fast, sizeof fast, err));
    if (state->gemm.is_scaled < 3)
        return HONE_OK;
    HONE_TRY(set(state, HONE_LT_DESC_LEFT_SCALE_MODE, &mode, sizeof mode, err));
    return set(state, HONE_LT_DESC_RIGHT_SCALE_MODE, &mode, sizeof mode, err);
}

/* Pointer mode (host) is the default of a new description. */
hone_status hone__lt_describe(hone_vendor *self, const hone_resolved *problem,
                              hone_error *err)
{
    hone_lt_state *const state = self->state;
    hone_gemm *const g = &state->gemm;
    const struct {
        int attribute;
        const int *value;
    } options[] = {{HONE_LT_DESC_LEFT_OP, &g->left.op},
                   {HONE_LT_DESC_RIGHT_OP, &g->right.op},
                   {HONE_LT_DESC_EPILOGUE, &g->epilogue}};

    HONE_TRY(hone__gemm_read(self->name, self->op, problem, g, err));
    HONE_TRY(hone__vendors_lt(self->vendors, &state->lt, &state->handle, err));
    self->version = (int64_t)state->lt->version();
    HONE_TRY(hone__lt_check(
        state->lt,
        state->lt->desc_create(&state->desc, g->compute_type, g->scale_type),
        "cublasLtMatmulDescCreate", err));
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        HONE_TRY(set(state, options[i].attribute, options[i].value, sizeof(int),
                     err));
    /* Nowhere, until a run says where: the library proposes nothing without. */
    for (int i = 0; i < HONE_GEMM_N_GIVEN; i++)
        if (g->given[i] >= 0)
            HONE_TRY(hone__lt_set_given(state, i, (void *)((uintptr_t)1 << 40),
                                        err));
    if (g->is_scaled)
        HONE_TRY(set_scaled(state, err));
    HONE_TRY(create_layout(state, &state->left, g->left_type, &g->left, err));
    HONE_TRY(
        create_layout(state, &state->right, g->right_type, &g->right, err));
    return create_layout(state, &state->out, g->out_type, &g->out, err);
}

/* ---- what it proposes ---------------------------------------------------- */

const hone_lt_wish hone__lt_usual = {HONE_VENDOR_ALIGN_BYTES,
                                     HONE_VENDOR_WORKSPACE_BYTES};

static hone_status set_preference(const hone_lt_state *state, hone_lt_pref to,
                                  int attribute, const void *value,
                                  size_t size_bytes, hone_error *err)
{
    return hone__lt_check(state->lt,
                          state->lt->pref_set(to, attribute, value, size_bytes),
                          "cublasLtMatmulPreferenceSetAttribute", err);
}

static hone_status set_preferences(const hone_lt_state *state,
                                   const hone_lt_wish *wish, hone_lt_pref to,
                                   hone_error *err)
{
    const hone_gemm *const g = &state->gemm;
    const hone_gemm_factor *const factors[] = {&g->left, &g->right, &g->out,
                                               &g->out};
    const uint64_t workspace_bytes = wish->workspace_bytes;

    for (int i = 0; i < 4; i++) {
        const int element_bytes = i < 2 ? g->in_bytes : g->out_bytes;
        uint32_t align_bytes =
            hone__gemm_alignment(g, factors[i], element_bytes);

        if (align_bytes > wish->align_bytes)
            align_bytes = wish->align_bytes;
        if (align_bytes < (unsigned)element_bytes)
            align_bytes = (unsigned)element_bytes;
        HONE_TRY(set_preference(state, to, HONE_LT_PREF_MIN_ALIGNMENT_A + i,
                                &align_bytes, sizeof align_bytes, err));
    }
    return set_preference(state, to, HONE_LT_PREF_MAX_WORKSPACE_BYTES,
                          &workspace_bytes, sizeof workspace_bytes, err);
}

static hone_status ask_heuristic(const hone_lt_state *state,
                                 const hone_lt_wish *wish,
                                 hone_lt_pref preference,
                                 hone_lt_heuristic *results, int *n_results,
                                 hone_error *err)
{
    const hone_lt *const lt = state->lt;

    HONE_TRY(set_preferences(state, wish, preference, err));
    return hone__lt_check(
        lt,
        lt->heuristics(state->handle, state->desc, state->left, state->right,
                       state->out, state->out, preference,
                       HONE_VENDOR_MOST_ALGORITHMS, results, n_results),
        "cublasLtMatmulAlgoGetHeuristic", err);
}

hone_status hone__lt_ask(const hone_lt_state *state, const hone_lt_wish *wish,
                         hone_lt_proposal list[HONE_VENDOR_MOST_ALGORITHMS],
                         size_t *out_n, hone_error *err)
{
    hone_lt_heuristic results[HONE_VENDOR_MOST_ALGORITHMS] = {
        {{{0}}, 0, 0, 0, {0}}};
    const hone_gemm *const g = &state->gemm;
    hone_lt_pref preference = NULL;
    hone_status status;
    int n_results = 0;

    *out_n = 0;
    HONE_TRY(hone__lt_check(state->lt, state->lt->pref_create(&preference),
                            "cublasLtMatmulPreferenceCreate", err));
    status = ask_heuristic(state, wish, preference, results, &n_results, err);
    (void)state->lt->pref_destroy(preference);
    HONE_TRY(status);
    for (int i = 0; i < n_results && i < HONE_VENDOR_MOST_ALGORITHMS; i++)
        if (!results[i].state &&
            results[i].workspace_bytes <= wish->workspace_bytes)
            list[(*out_n)++] = (hone_lt_proposal){results[i].algorithm,
                                                  results[i].workspace_bytes};
    if (*out_n) {
        hone__lt_order(state, list, *out_n);
        return HONE_OK;
    }
    return hone__fail(err, HONE_ERR_UNSUPPORTED,
                      "cuBLASLt knows no algorithm for M=%d, N=%d, K=%d with "
                      "arrays at multiples of %u bytes and a workspace of %zu",
                      g->m, g->n, g->k, wish->align_bytes,
                      wish->workspace_bytes);
}
