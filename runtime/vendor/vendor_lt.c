/* SPDX-License-Identifier: Apache-2.0 */
/* cublaslt.gemm: cublasLtMatmul with one of the algorithms that the library's
 * heuristic proposes. A run whose arrays lie at lesser addresses than the
 * heuristic was told, or without memory for the workspace, takes another one,
 * which is asked for when the first such run comes. */
#include "runtime/vendor/vendor_handles.h"

#include "runtime/base/alloc.h"

#include <stdio.h>

enum {
    N_ALIGNMENTS = 5 /* 1, 2, 4, 8 and 16 bytes */
};

typedef struct lt_way {
    hone_lt_algorithm algorithm;
    size_t workspace_bytes;
} lt_way;

typedef struct lt_state {
    const hone_lt *lt;
    hone_lt_handle handle;
    hone_lt_desc desc;
    hone_lt_layout left;  /* op: B^T, N x K */
    hone_lt_layout right; /* op: A^T, K x M */
    hone_lt_layout out;   /* C^T, N x M */
    hone_gemm gemm;
    lt_way way;
    /* For lesser addresses, without and with a workspace; NULL: not asked. */
    _Atomic(lt_way *) others[2][N_ALIGNMENTS];
    pthread_mutex_t lock; /* held to ask for one */
    int has_lock;
} lt_state;

/* ---- the problem as cuBLASLt describes it -------------------------------- */

static hone_status set_layout(const lt_state *state, hone_lt_layout layout,
                              int attribute, const void *value,
                              size_t size_bytes, hone_error *err)
{
    return hone__lt_check(
        state->lt, state->lt->layout_set(layout, attribute, value, size_bytes),
        "cublasLtMatrixLayoutSetAttribute", err);
}

static hone_status create_layout(const lt_state *state, hone_lt_layout *out,
                                 int type, const hone_gemm_factor *x,
                                 hone_error *err)
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

static hone_status set_op(const lt_state *state, int attribute, int op,
                          hone_error *err)
{
    return hone__lt_check(
        state->lt, state->lt->desc_set(state->desc, attribute, &op, sizeof op),
        "cublasLtMatmulDescSetAttribute", err);
}

/* Operation and matrices; pointer mode (host) is the default of a new
 * description. */
static hone_status describe(hone_vendor *self, const hone_resolved *problem,
                            hone_error *err)
{
    lt_state *const state = self->state;
    hone_gemm *const g = &state->gemm;

    HONE_TRY(hone__gemm_read(self->name, self->op, problem, g, err));
    HONE_TRY(hone__vendors_lt(self->vendors, &state->lt, &state->handle, err));
    self->version = (int64_t)state->lt->version();
    HONE_TRY(hone__lt_check(
        state->lt,
        state->lt->desc_create(&state->desc, g->compute_type, g->scale_type),
        "cublasLtMatmulDescCreate", err));
    HONE_TRY(set_op(state, HONE_LT_DESC_LEFT_OP, g->left.op, err));
    HONE_TRY(set_op(state, HONE_LT_DESC_RIGHT_OP, g->right.op, err));
    HONE_TRY(create_layout(state, &state->left, g->in_type, &g->left, err));
    HONE_TRY(create_layout(state, &state->right, g->in_type, &g->right, err));
    return create_layout(state, &state->out, g->out_type, &g->out, err);
}

/* ---- what it proposes ---------------------------------------------------- */

typedef struct lt_wish {
    unsigned align_bytes; /* of all arrays */
    size_t workspace_bytes;
} lt_wish;

static const lt_wish usual = {HONE_VENDOR_ALIGN_BYTES,
                              HONE_VENDOR_WORKSPACE_BYTES};

static hone_status set_preference(const lt_state *state, hone_lt_pref to,
                                  int attribute, const void *value,
                                  size_t size_bytes, hone_error *err)
{
    return hone__lt_check(state->lt,
                          state->lt->pref_set(to, attribute, value, size_bytes),
                          "cublasLtMatmulPreferenceSetAttribute", err);
}

static hone_status set_preferences(const lt_state *state, const lt_wish *wish,
                                   hone_lt_pref to, hone_error *err)
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

static hone_status ask_heuristic(const lt_state *state, const lt_wish *wish,
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
                       HONE_VENDOR_MOST_CHOICES, results, n_results),
        "cublasLtMatmulAlgoGetHeuristic", err);
}

/* Those that cuBLASLt itself calls usable, at least one, best first. */
static hone_status ask(const lt_state *state, const lt_wish *wish,
                       lt_way ways[HONE_VENDOR_MOST_CHOICES], size_t *out_n,
                       hone_error *err)
{
    hone_lt_heuristic results[HONE_VENDOR_MOST_CHOICES] = {
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
    for (int i = 0; i < n_results && i < HONE_VENDOR_MOST_CHOICES; i++)
        if (!results[i].state &&
            results[i].workspace_bytes <= wish->workspace_bytes)
            ways[(*out_n)++] =
                (lt_way){results[i].algorithm, results[i].workspace_bytes};
    if (*out_n)
        return HONE_OK;
    return hone__fail(err, HONE_ERR_UNSUPPORTED,
                      "cuBLASLt's heuristic knows no algorithm for this "
                      "problem (M=%d, N=%d, K=%d) with arrays at multiples of "
                      "%u bytes and a workspace of %zu bytes",
                      g->m, g->n, g->k, wish->align_bytes,
                      wish->workspace_bytes);
}

static hone_status choices(hone_vendor *self, const hone_resolved *problem,
                           hone_vendor_choice *list, size_t most, size_t *out_n,
                           hone_error *err)
{
    lt_way ways[HONE_VENDOR_MOST_CHOICES];
    size_t n = 0;

    HONE_TRY(describe(self, problem, err));
    HONE_TRY(ask(self->state, &usual, ways, &n, err));
    for (size_t i = 0; i < n && i < most; i++) {
        list[i] = (hone_vendor_choice){
            .rank = (int64_t)i,
            .version = self->version,
            .workspace_bytes = (int64_t)ways[i].workspace_bytes,
            .n_algorithm_bytes = sizeof ways[i].algorithm};
        memcpy(list[i].algorithm, &ways[i].algorithm, sizeof ways[i].algorithm);
    }
    *out_n = n < most ? n : most;
    return HONE_OK;
}

/* ---- opening ------------------------------------------------------------- */

/* The stored algorithm, if the library agrees to it for this problem. */
static hone_status take_stored(hone_vendor *self,
                               const hone_vendor_choice *choice,
                               hone_error *err)
{
    lt_state *const state = self->state;
    hone_lt_heuristic result = {{{0}}, 0, 0, 0, {0}};
    const size_t measured_bytes = (size_t)choice->workspace_bytes;

    if (choice->n_algorithm_bytes != sizeof state->way.algorithm)
        return hone__fail(err, HONE_ERR_UNSUPPORTED,
                          "an algorithm of cuBLASLt has %zu bytes, the launch "
                          "plan's has %zu",
                          sizeof state->way.algorithm,
                          choice->n_algorithm_bytes);
    memcpy(&state->way.algorithm, choice->algorithm,
           sizeof state->way.algorithm);
    HONE_TRY(hone__lt_check(
        state->lt,
        state->lt->check(state->handle, state->desc, state->left, state->right,
                         state->out, state->out, &state->way.algorithm,
                         &result),
        "cuBLASLt refuses the stored algorithm: cublasLtMatmulAlgoCheck", err));
    state->way.workspace_bytes = result.workspace_bytes > measured_bytes
                                     ? result.workspace_bytes
                                     : measured_bytes;
    return HONE_OK;
}

/* The algorithm at the same place of the list, or the first. */
static hone_status take_by_rank(hone_vendor *self,
                                const hone_vendor_choice *choice,
                                hone_error *err)
{
    lt_state *const state = self->state;
    lt_way ways[HONE_VENDOR_MOST_CHOICES];
    size_t n = 0;

    HONE_TRY(ask(state, &usual, ways, &n, err));
    state->way = ways[(uint64_t)choice->rank < n ? choice->rank : 0];
    if ((uint64_t)choice->rank < n)
        return HONE_OK;
    (void)snprintf(self->note, sizeof self->note,
                   "choice %lld is not among the %zu of cuBLASLt %lld, its "
                   "first is taken",
                   (long long)choice->rank, n, (long long)self->version);
    return HONE_OK;
}

static hone_status lt_open(hone_vendor *self, const hone_resolved *problem,
                           const hone_vendor_choice *choice, hone_error *err)
{
    lt_state *const state = self->state;

    if (pthread_mutex_init(&state->lock, NULL))
        return hone__out_of_memory(err, " for a lock");
    state->has_lock = 1;
    HONE_TRY(describe(self, problem, err));
    if (choice->n_algorithm_bytes && choice->version == self->version)
        HONE_TRY(take_stored(self, choice, err));
    else
        HONE_TRY(take_by_rank(self, choice, err));
    self->workspace_bytes = state->way.workspace_bytes;
    self->can_do_without = 1;
    return HONE_OK;
}

static void lt_close(hone_vendor *self)
{
    lt_state *const state = self->state;
    const hone_lt_layout layouts[] = {state->out, state->right, state->left};

    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++)
        if (layouts[i])
            (void)state->lt->layout_destroy(layouts[i]);
    if (state->desc)
        (void)state->lt->desc_destroy(state->desc);
    for (size_t i = 0; i < 2 * N_ALIGNMENTS; i++)
        hone__free(atomic_load_explicit(
            &state->others[i / N_ALIGNMENTS][i % N_ALIGNMENTS],
            memory_order_relaxed));
    if (state->has_lock)
        (void)pthread_mutex_destroy(&state->lock);
}

/* ---- running ------------------------------------------------------------- */

/* A run: its arguments, and the algorithm it takes. */
typedef struct lt_run {
    const lt_state *state;
    void *const *args;
    hone_cu_ptr workspace;
    const lt_way *way;
} lt_run;

static hone_status multiply(const void *user, hone_stream stream,
                            hone_error *err)
{
    const lt_run *const run = user;
    const lt_state *const state = run->state;
    const hone_gemm *const g = &state->gemm;
    const hone_gemm_scalar alpha = hone__gemm_alpha(g, run->args);
    const hone_gemm_scalar beta = hone__gemm_beta(g, run->args);
    void *const c = hone__vendor_pointer(run->args, g->c);

    return hone__lt_check(
        state->lt,
        state->lt->matmul(state->handle, state->desc, &alpha,
                          hone__vendor_pointer(run->args, g->b), state->left,
                          hone__vendor_pointer(run->args, g->a), state->right,
                          &beta, c, state->out, c, state->out,
                          &run->way->algorithm,
                          (void *)(uintptr_t)run->workspace,
                          run->way->workspace_bytes, stream),
        "cublasLtMatmul", err);
}

/* Have the kernels of this run loaded, with arrays that lie nowhere. */
static void rehearse(const hone_vendor *self, const lt_run *run,
                     unsigned align_bytes)
{
    const hone_gemm *const g = &run->state->gemm;
    const int arrays[] = {g->a, g->b, g->c};
    hone_cu_ptr at[3];
    void *args[HONE_MAX_ARGS] = {NULL};
    lt_run other = *run;

    for (int i = 0; i < 3; i++) {
        at[i] = ((hone_cu_ptr)(i + 1) << 40) + align_bytes;
        args[arrays[i]] = &at[i];
    }
    if (g->alpha >= 0)
        args[g->alpha] = run->args[g->alpha];
    if (g->beta >= 0)
        args[g->beta] = run->args[g->beta];
    other.args = args;
    (void)hone__vendors_rehearse(self->vendors, multiply, &other, NULL);
}

static hone_status make_other(hone_vendor *self, const lt_wish *wish,
                              lt_run *run, _Atomic(lt_way *) *place,
                              hone_error *err)
{
    lt_way ways[HONE_VENDOR_MOST_CHOICES];
    lt_way *way;
    size_t n = 0;

    HONE_TRY(ask(self->state, wish, ways, &n, err));
    way = hone__alloc(sizeof *way);
    if (!way)
        return hone__out_of_memory(err, " for an algorithm of cuBLASLt");
    *way = ways[0];
    run->way = way;
    rehearse(self, run, wish->align_bytes);
    atomic_store_explicit(place, way, memory_order_release);
    return HONE_OK;
}

/* For arrays at such addresses, as they come, or without a workspace. */
static hone_status find_other(hone_vendor *self, lt_run *run,
                              unsigned align_bytes, hone_error *err)
{
    lt_state *const state = self->state;
    const lt_wish wish = {align_bytes,
                          run->workspace ? self->workspace_bytes : 0};
    _Atomic(lt_way *) *const place =
        &state->others[run->workspace != 0][__builtin_ctz(align_bytes)];
    hone_status status = HONE_OK;

    run->way = atomic_load_explicit(place, memory_order_acquire);
    if (run->way)
        return HONE_OK;
    (void)pthread_mutex_lock(&state->lock);
    run->way = atomic_load_explicit(place, memory_order_relaxed);
    if (!run->way)
        status = make_other(self, &wish, run, place, err);
    (void)pthread_mutex_unlock(&state->lock);
    return status;
}

static hone_status lt_enqueue(hone_vendor *self, void *const *args,
                              hone_cu_ptr workspace, hone_stream stream,
                              hone_error *err)
{
    const lt_state *const state = self->state;
    const hone_gemm *const g = &state->gemm;
    const uintptr_t in =
        hone__vendor_address(args, g->a) | hone__vendor_address(args, g->b);
    const uintptr_t out = hone__vendor_address(args, g->c);
    const uintptr_t bits = in | out | HONE_VENDOR_ALIGN_BYTES;
    lt_run run = {state, args, workspace, &state->way};

    if (bits % HONE_VENDOR_ALIGN_BYTES == 0 &&
        (workspace || !state->way.workspace_bytes))
        return multiply(&run, stream, err);
    if (in % (unsigned)g->in_bytes || out % (unsigned)g->out_bytes)
        return hone__vendor_misplaced(self, err);
    HONE_TRY(find_other(self, &run, (unsigned)(bits & -bits), err));
    return multiply(&run, stream, err);
}

const hone_vendor_kind hone__vendor_lt_gemm = {sizeof(lt_state), lt_open,
                                               lt_close, lt_enqueue, choices};
