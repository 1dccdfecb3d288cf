/* SPDX-License-Identifier: Apache-2.0 */
/* Baseline "cublaslt": what a user gets who asks cuBLASLt's heuristic for its
 * 16 best guesses, times each and keeps the fastest. Each guess is an
 * algorithm. */
#include "tuner/baselines/baseline.h"

#include "tuner/baselines/vendor_problem.h"

#include <stdio.h>

enum { N_GUESSES = 16, ALIGNMENT_BYTES = 256 };

typedef struct lt_state {
    const hone_lt *lt;
    hone_lt_handle handle;
    hone_lt_desc desc;
    hone_lt_layout left;  /* op: B^T, N x K */
    hone_lt_layout right; /* op: A^T, K x M */
    hone_lt_layout out;   /* C^T, N x M */
    hone_cu_ptr workspace;
    hone_gemm gemm;
    hone_lt_algorithm algorithms[N_GUESSES];
} lt_state;

static hone_status create_layout(const lt_state *state, hone_lt_layout *out,
                                 int type, int rows, int columns,
                                 hone_error *err)
{
    return hone__lt_check(state->lt,
                          state->lt->layout_create(out, type, (uint64_t)rows,
                                                   (uint64_t)columns, rows),
                          "cublasLtMatrixLayoutCreate", err);
}

static hone_status set_op(const lt_state *state, int attribute, int op,
                          hone_error *err)
{
    return hone__lt_check(
        state->lt, state->lt->desc_set(state->desc, attribute, &op, sizeof op),
        "cublasLtMatmulDescSetAttribute", err);
}

/* Operation and matrices; pointer mode (host) is the default of a new
 * description. */
static hone_status describe(lt_state *state, hone_error *err)
{
    const hone_gemm *const g = &state->gemm;

    HONE_TRY(hone__lt_check(state->lt, state->lt->create(&state->handle),
                            "cublasLtCreate", err));
    HONE_TRY(hone__lt_check(
        state->lt,
        state->lt->desc_create(&state->desc, g->compute_type, HONE_CUDA_R_32F),
        "cublasLtMatmulDescCreate", err));
    HONE_TRY(set_op(state, HONE_LT_DESC_LEFT_OP, g->left.op, err));
    HONE_TRY(set_op(state, HONE_LT_DESC_RIGHT_OP, g->right.op, err));
    HONE_TRY(create_layout(state, &state->left, g->in_type, g->left.rows,
                           g->left.columns, err));
    HONE_TRY(create_layout(state, &state->right, g->in_type, g->right.rows,
                           g->right.columns, err));
    return create_layout(state, &state->out, g->out_type, g->n, g->m, err);
}

static hone_status ask_heuristic(lt_state *state, hone_lt_pref preference,
                                 hone_lt_heuristic *results, int *n_results,
                                 hone_error *err)
{
    const uint64_t workspace_bytes = HONE_BASELINE_WORKSPACE_BYTES;
    const hone_lt *const lt = state->lt;

    HONE_TRY(hone__lt_check(
        lt,
        lt->pref_set(preference, HONE_LT_PREF_MAX_WORKSPACE_BYTES,
                     &workspace_bytes, sizeof workspace_bytes),
        "cublasLtMatmulPreferenceSetAttribute", err));
    return hone__lt_check(lt,
                          lt->heuristics(state->handle, state->desc,
                                         state->left, state->right, state->out,
                                         state->out, preference, N_GUESSES,
                                         results, n_results),
                          "cublasLtMatmulAlgoGetHeuristic", err);
}

/* Keep the guesses that cuBLASLt itself calls usable. */
static hone_status choose(hone_baseline *self, hone_error *err)
{
    lt_state *const state = self->state;
    hone_lt_heuristic results[N_GUESSES] = {{{{0}}, 0, 0, 0, {0}}};
    hone_lt_pref preference = NULL;
    hone_status status;
    int n_results = 0;

    HONE_TRY(hone__lt_check(state->lt, state->lt->pref_create(&preference),
                            "cublasLtMatmulPreferenceCreate", err));
    status = ask_heuristic(state, preference, results, &n_results, err);
    (void)state->lt->pref_destroy(preference);
    HONE_TRY(status);
    self->n_algorithms = 0;
    for (int i = 0; i < n_results && i < N_GUESSES; i++)
        if (!results[i].state &&
            results[i].workspace_bytes <= HONE_BASELINE_WORKSPACE_BYTES)
            state->algorithms[self->n_algorithms++] = results[i].algorithm;
    if (!self->n_algorithms)
        return hone__fail(err, HONE_ERR_UNSUPPORTED,
                          "cuBLASLt's heuristic knows no algorithm for this "
                          "problem (M=%d, N=%d, K=%d)",
                          state->gemm.m, state->gemm.n, state->gemm.k);
    return HONE_OK;
}

static hone_status lt_open(hone_baseline *self, const hone_resolved *problem,
                           hone_error *err)
{
    lt_state *const state = self->state;

    HONE_TRY(hone__gemm_read(self->name, self->op, problem, &state->gemm, err));
    HONE_TRY(hone__lt_get(&state->lt, err));
    HONE_TRY(describe(state, err));
    HONE_TRY(choose(self, err));
    HONE_TRY(hone__driver_check(
        self->driver,
        self->driver->memory_alloc(&state->workspace,
                                   HONE_BASELINE_WORKSPACE_BYTES),
        "allocating the workspace of cuBLASLt", err));
    (void)snprintf(self->label, sizeof self->label,
                   "cuBLASLt (best of %zu heuristics)", self->n_algorithms);
    return HONE_OK;
}

static void lt_close(hone_baseline *self)
{
    const lt_state *const state = self->state;
    const hone_lt_layout layouts[] = {state->out, state->right, state->left};

    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++)
        if (layouts[i])
            (void)state->lt->layout_destroy(layouts[i]);
    if (state->desc)
        (void)state->lt->desc_destroy(state->desc);
    if (state->handle)
        (void)state->lt->destroy(state->handle);
    if (state->workspace)
        (void)self->driver->memory_free(state->workspace);
}

static hone_status lt_enqueue(hone_baseline *self, void *const *args,
                              hone_stream stream, hone_error *err)
{
    lt_state *const state = self->state;
    const hone_gemm *const g = &state->gemm;
    void *const a = hone__baseline_pointer(args, g->a);
    void *const b = hone__baseline_pointer(args, g->b);
    void *const c = hone__baseline_pointer(args, g->c);

    /* The heuristic assumed aligned matrices; an algorithm that relies on it
     * would read a wrong address. */
    if (((uintptr_t)a | (uintptr_t)b | (uintptr_t)c) % ALIGNMENT_BYTES)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "baseline cublaslt needs matrices that start on "
                          "256-byte boundaries");
    return hone__lt_check(
        state->lt,
        state->lt->matmul(state->handle, state->desc, hone__gemm_alpha(g, args),
                          b, state->left, a, state->right,
                          hone__gemm_beta(g, args), c, state->out, c,
                          state->out, &state->algorithms[self->algorithm],
                          (void *)(uintptr_t)state->workspace,
                          HONE_BASELINE_WORKSPACE_BYTES, stream),
        "cublasLtMatmul", err);
}

const hone_baseline_kind hone__baseline_cublaslt = {
    1, sizeof(lt_state), lt_open, lt_close, lt_enqueue};
