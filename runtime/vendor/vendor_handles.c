/* SPDX-License-Identifier: Apache-2.0 */
/* Handles of vendors' libraries in a CUDA context: see vendor_handles.h. */
#include "runtime/vendor/vendor_handles.h"

#include "runtime/base/alloc.h"

struct hone_vendors {
    const hone_driver *driver;
    pthread_mutex_t lock; /* held to make one of these */
    const hone_lt *lt;
    hone_lt_handle lt_handle;
    hone_vendor_blas blas;
    hone_vendor_fft *ffts;
    hone_cu_module filter;
};

hone_status hone__vendors_create(const hone_driver *driver, hone_vendors **out,
                                 hone_error *err)
{
    hone_vendors *vendors = hone__alloc(sizeof *vendors);

    *out = NULL;
    if (!vendors || pthread_mutex_init(&vendors->lock, NULL)) {
        hone__free(vendors);
        return hone__out_of_memory(err, " for the handles of libraries");
    }
    if (pthread_mutex_init(&vendors->blas.at.turn, NULL)) {
        (void)pthread_mutex_destroy(&vendors->lock);
        hone__free(vendors);
        return hone__out_of_memory(err, " for the handles of libraries");
    }
    vendors->driver = driver;
    *out = vendors;
    return HONE_OK;
}

static void free_fft(hone_vendor_fft *fft, int alive)
{
    if (alive)
        hone__fft_plan_close(&fft->plan);
    (void)pthread_mutex_destroy(&fft->at.turn);
    hone__free(fft);
}

void hone__vendors_free(hone_vendors *vendors, int alive)
{
    if (!vendors)
        return;
    while (vendors->ffts) {
        hone_vendor_fft *next = vendors->ffts->next;

        free_fft(vendors->ffts, alive);
        vendors->ffts = next;
    }
    if (alive && vendors->lt_handle)
        (void)vendors->lt->destroy(vendors->lt_handle);
    if (alive && vendors->blas.handle)
        (void)vendors->blas.blas->destroy(vendors->blas.handle);
    if (alive && vendors->filter)
        (void)vendors->driver->module_unload(vendors->filter);
    (void)pthread_mutex_destroy(&vendors->blas.at.turn);
    (void)pthread_mutex_destroy(&vendors->lock);
    hone__free(vendors);
}

const hone_driver *hone__vendors_driver(const hone_vendors *vendors)
{
    return vendors->driver;
}

/* ---- cuBLASLt ------------------------------------------------------------ */

static hone_status open_lt(hone_vendors *vendors, hone_error *err)
{
    hone_lt_handle handle = NULL;

    if (vendors->lt_handle)
        return HONE_OK;
    HONE_TRY(hone__lt_get(&vendors->lt, err));
    HONE_TRY(hone__lt_check(vendors->lt, vendors->lt->create(&handle),
                            "cublasLtCreate", err));
    vendors->lt_handle = handle;
    return HONE_OK;
}

hone_status hone__vendors_lt(hone_vendors *vendors, const hone_lt **out,
                             hone_lt_handle *out_handle, hone_error *err)
{
    hone_status status;

    (void)pthread_mutex_lock(&vendors->lock);
    status = open_lt(vendors, err);
    *out = vendors->lt;
    *out_handle = vendors->lt_handle;
    (void)pthread_mutex_unlock(&vendors->lock);
    return status;
}

/* ---- cuBLAS -------------------------------------------------------------- */

static hone_status set_up_blas(hone_vendor_blas *of, hone_blas_handle handle,
                               hone_error *err)
{
    const hone_blas *const blas = of->blas;

    HONE_TRY(hone__blas_check(
        blas, blas->set_pointer_mode(handle, HONE_BLAS_POINTER_MODE_HOST),
        "cublasSetPointerMode", err));
    HONE_TRY(hone__blas_check(
        blas, blas->set_math_mode(handle, HONE_BLAS_DEFAULT_MATH),
        "cublasSetMathMode", err));
    return hone__blas_check(blas, blas->version(handle, &of->version),
                            "cublasGetVersion", err);
}

static hone_status open_blas(hone_vendor_blas *of, hone_error *err)
{
    hone_blas_handle handle = NULL;
    hone_status status;

    if (of->handle)
        return HONE_OK;
    HONE_TRY(hone__blas_get(&of->blas, err));
    HONE_TRY(hone__blas_check(of->blas, of->blas->create(&handle),
                              "cublasCreate", err));
    status = set_up_blas(of, handle, err);
    if (status == HONE_OK)
        of->handle = handle;
    else
        (void)of->blas->destroy(handle);
    return status;
}

hone_status hone__vendors_blas(hone_vendors *vendors, hone_vendor_blas **out,
                               hone_error *err)
{
    hone_status status;

    (void)pthread_mutex_lock(&vendors->lock);
    status = open_blas(&vendors->blas, err);
    *out = &vendors->blas;
    (void)pthread_mutex_unlock(&vendors->lock);
    return status;
}

hone_status hone__vendor_blas_use(hone_vendor_blas *shared, hone_stream stream,
                                  hone_cu_ptr workspace, size_t size_bytes,
                                  hone_error *err)
{
    const hone_blas *const blas = shared->blas;
    hone_vendor_turn *const at = &shared->at;

    if (at->is_set && at->stream == stream && at->workspace == workspace)
        return HONE_OK;
    at->is_set = 0;
    HONE_TRY(hone__blas_check(blas, blas->set_stream(shared->handle, stream),
                              "cublasSetStream", err));
    if (workspace)
        HONE_TRY(hone__blas_check(
            blas,
            blas->set_workspace(shared->handle, (void *)(uintptr_t)workspace,
                                size_bytes),
            "cublasSetWorkspace", err));
    at->stream = stream;
    at->workspace = workspace;
    at->is_set = 1;
    return HONE_OK;
}

/* ---- cuFFT --------------------------------------------------------------- */

/* The context is current; freeing memory waits for what still runs. */
static void trim_ffts(hone_vendors *vendors)
{
    hone_vendor_fft **link = &vendors->ffts;
    int n_idle = 0;

    while (*link) {
        hone_vendor_fft *fft = *link;

        if (fft->n_users ||
            atomic_load_explicit(&fft->was_captured, memory_order_relaxed) ||
            ++n_idle <= HONE_VENDOR_IDLE_FFTS) {
            link = &fft->next;
        } else {
            *link = fft->next;
            free_fft(fft, 1);
        }
    }
}

static int is_of(const hone_vendor_fft *fft, const hone_fft_problem *problem)
{
    const hone_fft_problem *const of = &fft->of;

    return hone__fft_type(of) == hone__fft_type(problem) &&
           (of->form == HONE_FFT_FORM_2D) ==
               (problem->form == HONE_FFT_FORM_2D) &&
           of->rows == problem->rows && of->n == problem->n &&
           of->batch == problem->batch && of->stride == problem->stride &&
           of->distance == problem->distance;
}

/* The newest is the first of the list. */
static hone_status add_fft(hone_vendors *vendors,
                           const hone_fft_problem *problem,
                           hone_vendor_fft **out, hone_error *err)
{
    hone_vendor_fft *fft = hone__alloc(sizeof *fft);
    hone_status status;

    if (!fft || pthread_mutex_init(&fft->at.turn, NULL)) {
        hone__free(fft);
        return hone__out_of_memory(err, " for a plan of cuFFT");
    }
    fft->of = *problem;
    status = hone__fft_plan_open(problem, hone__fft_type(problem), &fft->plan,
                                 &fft->workspace_bytes, err);
    if (status == HONE_OK)
        status = hone__fft_check(fft->plan.fft->version(&fft->version),
                                 "cufftGetVersion", err);
    if (status != HONE_OK) {
        free_fft(fft, 1);
        return status;
    }
    fft->next = vendors->ffts;
    vendors->ffts = fft;
    *out = fft;
    return HONE_OK;
}

hone_status hone__vendors_fft(hone_vendors *vendors,
                              const hone_fft_problem *problem,
                              hone_vendor_fft **out, hone_error *err)
{
    hone_status status = HONE_OK;

    (void)pthread_mutex_lock(&vendors->lock);
    *out = vendors->ffts;
    while (*out && !is_of(*out, problem))
        *out = (*out)->next;
    if (!*out) {
        trim_ffts(vendors);
        status = add_fft(vendors, problem, out, err);
    }
    if (status == HONE_OK)
        ++(*out)->n_users;
    (void)pthread_mutex_unlock(&vendors->lock);
    return status;
}

void hone__vendors_fft_leave(hone_vendors *vendors, hone_vendor_fft *fft)
{
    (void)pthread_mutex_lock(&vendors->lock);
    --fft->n_users;
    (void)pthread_mutex_unlock(&vendors->lock);
}

hone_status hone__vendors_filter(hone_vendors *vendors, hone_cu_function *out,
                                 hone_error *err)
{
    const hone_driver *driver = vendors->driver;
    hone_status status = HONE_OK;

    (void)pthread_mutex_lock(&vendors->lock);
    if (!vendors->filter)
        status = hone__driver_check(
            driver,
            driver->module_load(&vendors->filter, hone__vendor_filter_ptx),
            "loading the filter kernel of cufft.filter (cuModuleLoadData)",
            err);
    if (status == HONE_OK)
        status = hone__driver_check(
            driver,
            driver->module_function(out, vendors->filter, "hone_filter"),
            "finding the filter kernel of cufft.filter (cuModuleGetFunction)",
            err);
    (void)pthread_mutex_unlock(&vendors->lock);
    return status;
}

/* ---- streams that are captured ------------------------------------------- */

int hone__vendors_relax(const hone_vendors *vendors, int mode)
{
    if (vendors->driver->capture_mode)
        (void)vendors->driver->capture_mode(&mode);
    return mode;
}

/* Instantiating a graph loads all kernels that it has. */
static void instantiate(const hone_driver *driver, hone_cu_graph graph)
{
    hone_cu_graph_exec exec = NULL;

    if (!driver->graph_instantiate(&exec, graph, 0))
        (void)driver->graph_exec_destroy(exec);
    (void)driver->graph_destroy(graph);
}

hone_status hone__vendors_rehearse(const hone_vendors *vendors,
                                   hone_vendor_rehearsal *enqueue,
                                   const void *user, hone_error *err)
{
    const hone_driver *driver = vendors->driver;
    const int mode = hone__vendors_relax(vendors, HONE_CU_CAPTURE_RELAXED);
    hone_status status = HONE_OK;
    hone_cu_graph graph = NULL;
    hone_stream own = NULL;

    if (!driver->stream_create(&own, HONE_CU_STREAM_NON_BLOCKING)) {
        if (!driver->capture_begin(own, HONE_CU_CAPTURE_RELAXED)) {
            status = enqueue(user, own, err);
            if (!driver->capture_end(own, &graph) && graph)
                instantiate(driver, graph);
        }
        (void)driver->stream_destroy(own);
    }
    (void)hone__vendors_relax(vendors, mode);
    return status;
}
