/* SPDX-License-Identifier: Apache-2.0 */
/* cublaslt.gemm: cublasLtMatmul with one of the algorithms that the library's
 * heuristic proposes. A run whose arrays lie at lesser addresses than the
 * heuristic was told, or without memory for the workspace, takes another one,
 * which is asked for when the first such run comes. */
#include "runtime/vendor/vendor_lt.h"

#include "runtime/base/alloc.h"

#include <stdio.h>

static hone_status algorithms(hone_vendor *self, const hone_resolved *problem,
                              hone_vendor_algorithm *list, size_t most,
                              size_t *out_n, hone_error *err)
{
    hone_lt_proposal found[HONE_VENDOR_MOST_ALGORITHMS];
    size_t n = 0;

    HONE_TRY(hone__lt_describe(self, problem, err));
    HONE_TRY(hone__lt_ask(self->state, &hone__lt_usual, found, &n, err));
    for (size_t i = 0; i < n && i < most; i++) {
        list[i] = (hone_vendor_algorithm){
            .rank = (int64_t)i,
            .version = self->version,
            .workspace_bytes = (int64_t)found[i].workspace_bytes,
            .n_algorithm_bytes = sizeof found[i].algorithm};
        memcpy(list[i].algorithm, &found[i].algorithm,
               sizeof found[i].algorithm);
    }
    *out_n = n < most ? n : most;
    return HONE_OK;
}

/* ---- opening ------------------------------------------------------------- */

/* The stored algorithm, if the library agrees to it for this problem. */
static hone_status take_stored(hone_vendor *self,
                               const hone_vendor_algorithm *wanted,
                               hone_error *err)
{
    hone_lt_state *const state = self->state;
    hone_lt_heuristic result = {{{0}}, 0, 0, 0, {0}};
    const size_t measured_bytes = (size_t)wanted->workspace_bytes;

    if (wanted->n_algorithm_bytes != sizeof state->proposal.algorithm)
        return hone__fail(err, HONE_ERR_UNSUPPORTED,
                          "an algorithm of cuBLASLt has %zu bytes, the launch "
                          "plan's has %zu",
                          sizeof state->proposal.algorithm,
                          wanted->n_algorithm_bytes);
    memcpy(&state->proposal.algorithm, wanted->algorithm,
           sizeof state->proposal.algorithm);
    HONE_TRY(hone__lt_check(
        state->lt,
        state->lt->check(state->handle, state->desc, state->left, state->right,
                         state->out, state->out, &state->proposal.algorithm,
                         &result),
        "cuBLASLt refuses the stored algorithm: cublasLtMatmulAlgoCheck", err));
    state->proposal.workspace_bytes = result.workspace_bytes > measured_bytes
                                          ? result.workspace_bytes
                                          : measured_bytes;
    return HONE_OK;
}

/* The algorithm at the same place of the list, or the first. */
static hone_status take_by_rank(hone_vendor *self,
                                const hone_vendor_algorithm *wanted,
                                hone_error *err)
{
    hone_lt_state *const state = self->state;
    hone_lt_proposal found[HONE_VENDOR_MOST_ALGORITHMS];
    size_t n = 0;

    HONE_TRY(hone__lt_ask(state, &hone__lt_usual, found, &n, err));
    state->proposal = found[(uint64_t)wanted->rank < n ? wanted->rank : 0];
    if ((uint64_t)wanted->rank < n)
        return HONE_OK;
    (void)snprintf(self->note, sizeof self->note,
                   "algorithm %lld is not among the %zu of cuBLASLt %lld, its "
                   "first is taken",
                   (long long)wanted->rank, n, (long long)self->version);
    return HONE_OK;
}

static hone_status lt_open(hone_vendor *self, const hone_resolved *problem,
                           const hone_vendor_algorithm *wanted, hone_error *err)
{
    hone_lt_state *const state = self->state;

    if (pthread_mutex_init(&state->lock, NULL))
        return hone__out_of_memory(err, " for a lock");
    state->has_lock = 1;
    HONE_TRY(hone__lt_describe(self, problem, err));
    if (wanted->n_algorithm_bytes && wanted->version == self->version)
        HONE_TRY(take_stored(self, wanted, err));
    else
        HONE_TRY(take_by_rank(self, wanted, err));
    self->workspace_bytes = state->proposal.workspace_bytes;
    self->can_do_without = 1;
    return HONE_OK;
}

static void lt_close(hone_vendor *self)
{
    hone_lt_state *const state = self->state;
    const hone_lt_layout layouts[] = {state->out, state->right, state->left};

    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++)
        if (layouts[i])
            (void)state->lt->layout_destroy(layouts[i]);
    if (state->desc)
        (void)state->lt->desc_destroy(state->desc);
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < HONE_LT_N_ALIGNMENTS; j++)
            hone__free(atomic_load_explicit(&state->others[i][j],
                                            memory_order_relaxed));
    if (state->has_lock)
        (void)pthread_mutex_destroy(&state->lock);
}

/* ---- running ------------------------------------------------------------- */

/* A run: its arguments, and the algorithm it takes. */
typedef struct lt_run {
    const hone_lt_state *state;
    void *const *args;
    hone_cu_ptr workspace;
    const hone_lt_proposal *proposal;
} lt_run;

/* With a bias or scales the lock is held. */
static hone_status multiply(const void *user, hone_stream stream,
                            hone_error *err)
{
    const lt_run *const run = user;
    const hone_lt_state *const state = run->state;
    const hone_gemm *const g = &state->gemm;
    const hone_gemm_scalar alpha = hone__gemm_alpha(g, run->args);
    const hone_gemm_scalar beta = hone__gemm_beta(g, run->args);
    void *const c = hone__vendor_pointer(run->args, g->c);

    for (int i = 0; i < HONE_GEMM_N_GIVEN; i++)
        if (g->given[i] >= 0)
            HONE_TRY(hone__lt_set_given(
                state, i, hone__vendor_pointer(run->args, g->given[i]), err));
    return hone__lt_check(
        state->lt,
        state->lt->matmul(state->handle, state->desc, &alpha,
                          hone__vendor_pointer(run->args, g->b), state->left,
                          hone__vendor_pointer(run->args, g->a), state->right,
                          &beta, c, state->out, c, state->out,
                          &run->proposal->algorithm,
                          (void *)(uintptr_t)run->workspace,
                          run->proposal->workspace_bytes, stream),
        "cublasLtMatmul", err);
}

/* Have the kernels of this run loaded, with arrays that lie nowhere. */
static void rehearse(const hone_vendor *self, const lt_run *run,
                     unsigned align_bytes)
{
    const hone_gemm *const g = &run->state->gemm;
    const int arrays[] = {g->a,        g->b,        g->c,
                          g->given[0], g->given[1], g->given[2]};
    hone_cu_ptr at[6];
    void *args[HONE_MAX_ARGS] = {NULL};
    lt_run other = *run;

    for (int i = 0; i < 6; i++) {
        at[i] = ((hone_cu_ptr)(i + 1) << 40) + align_bytes;
        if (arrays[i] >= 0)
            args[arrays[i]] = &at[i];
    }
    if (g->alpha >= 0)
        args[g->alpha] = run->args[g->alpha];
    if (g->beta >= 0)
        args[g->beta] = run->args[g->beta];
    other.args = args;
    (void)hone__vendors_rehearse(self->vendors, multiply, &other, NULL);
}

static hone_status make_other(hone_vendor *self, const hone_lt_wish *wish,
                              lt_run *run, _Atomic(hone_lt_proposal *) *place,
                              hone_error *err)
{
    hone_lt_proposal found[HONE_VENDOR_MOST_ALGORITHMS];
    hone_lt_proposal *proposal;
    size_t n = 0;

    HONE_TRY(hone__lt_ask(self->state, wish, found, &n, err));
    proposal = hone__alloc(sizeof *proposal);
    if (!proposal)
        return hone__out_of_memory(err, " for an algorithm of cuBLASLt");
    *proposal = found[0];
    run->proposal = proposal;
    rehearse(self, run, wish->align_bytes);
    atomic_store_explicit(place, proposal, memory_order_release);
    return HONE_OK;
}

/* For arrays at such addresses, as they come, or without a workspace. */
static hone_status find_other(hone_vendor *self, lt_run *run,
                              unsigned align_bytes, hone_error *err)
{
    hone_lt_state *const state = self->state;
    const hone_lt_wish wish = {align_bytes,
                               run->workspace ? self->workspace_bytes : 0};
    _Atomic(hone_lt_proposal *) *const place =
        &state->others[run->workspace != 0][__builtin_ctz(align_bytes)];
    hone_status status = HONE_OK;

    run->proposal = atomic_load_explicit(place, memory_order_acquire);
    if (run->proposal)
        return HONE_OK;
    (void)pthread_mutex_lock(&state->lock);
    run->proposal = atomic_load_explicit(place, memory_order_relaxed);
    if (!run->proposal)
        status = make_other(self, &wish, run, place, err);
    (void)pthread_mutex_unlock(&state->lock);
    return status;
}

static hone_status enqueue(hone_vendor *self, const lt_run *run,
                           hone_stream stream, hone_error *err)
{
    hone_lt_state *const state = self->state;
    hone_status status;

    /* Below 0 where all are: none is given. */
    if ((state->gemm.given[0] & state->gemm.given[1] & state->gemm.given[2]) <
        0)
        return multiply(run, stream, err);
    (void)pthread_mutex_lock(&state->lock);
    status = multiply(run, stream, err);
    (void)pthread_mutex_unlock(&state->lock);
    return status;
}

static hone_status lt_enqueue(hone_vendor *self, void *const *args,
                              hone_cu_ptr workspace, hone_stream stream,
                              hone_error *err)
{
    const hone_lt_state *const state = self->state;
    const hone_gemm *const g = &state->gemm;
    const uintptr_t in =
        hone__vendor_address(args, g->a) | hone__vendor_address(args, g->b);
    const uintptr_t out = hone__vendor_address(args, g->c);
    const uintptr_t bits = in | out | HONE_VENDOR_ALIGN_BYTES;
    lt_run run = {state, args, workspace, &state->proposal};

    if (bits % HONE_VENDOR_ALIGN_BYTES == 0 &&
        (workspace || !state->proposal.workspace_bytes))
        return enqueue(self, &run, stream, err);
    if (in % (unsigned)g->in_bytes || out % (unsigned)g->out_bytes)
        return hone__vendor_misplaced(self, err);
    HONE_TRY(find_other(self, &run, (unsigned)(bits & -bits), err));
    return enqueue(self, &run, stream, err);
}

const hone_vendor_kind hone__vendor_lt_gemm = {
    sizeof(hone_lt_state), lt_open, lt_close, lt_enqueue, algorithms};
