/* SPDX-License-Identifier: Apache-2.0 */
/* What the functions of one library share in a CUDA context. Each is made at
 * the first call, in the context that is current then. */
#ifndef HONE_RUNTIME_VENDOR_HANDLES_H
#define HONE_RUNTIME_VENDOR_HANDLES_H

#include "runtime/vendor/vendor.h"
#include "runtime/vendor/vendor_problem.h"

#include <pthread.h>

/* A handle that runs on one stream at a time: whoever uses it holds `turn`
 * from setting the stream to the call. */
typedef struct hone_vendor_turn {
    pthread_mutex_t turn;
    hone_stream stream;
    hone_cu_ptr workspace;
    int is_set; /* these two, in the library's handle */
} hone_vendor_turn;

/* cuBLASLt's handles may be used by several threads at once. */
hone_status hone__vendors_lt(hone_vendors *vendors, const hone_lt **out,
                             hone_lt_handle *out_handle, hone_error *err);

typedef struct hone_vendor_blas {
    const hone_blas *blas;
    hone_blas_handle handle;
    int version;
    hone_vendor_turn at;
} hone_vendor_blas;

hone_status hone__vendors_blas(hone_vendors *vendors, hone_vendor_blas **out,
                               hone_error *err);

/* Setting a stream puts cuBLAS's own workspace back, so ours follows. `turn`
 * held. */
hone_status hone__vendor_blas_use(hone_vendor_blas *shared, hone_stream stream,
                                  hone_cu_ptr workspace, size_t size_bytes,
                                  hone_error *err);

/* Plans of cuFFT that nobody uses are kept, in case somebody will. */
enum { HONE_VENDOR_IDLE_FFTS = 16 };

/* A plan of cuFFT for transforms of one kind, length, number and layout: all
 * programs with them share it. Its tables lie on the device, where captured
 * graphs read them. */
typedef struct hone_vendor_fft {
    hone_fft_plan plan;
    hone_fft_problem of; /* but for arguments and direction */
    size_t workspace_bytes;
    int version;
    int n_users;
    atomic_int was_captured; /* it stays until the context is closed */
    hone_vendor_turn at;
    struct hone_vendor_fft *next;
} hone_vendor_fft;

/* It is used until it is left. A new one makes the oldest go of too many that
 * nobody uses. */
hone_status hone__vendors_fft(hone_vendors *vendors,
                              const hone_fft_problem *problem,
                              hone_vendor_fft **out, hone_error *err);
void hone__vendors_fft_leave(hone_vendors *vendors, hone_vendor_fft *fft);

/* The kernel that multiplies by a filter (vendor_filter.c). */
hone_status hone__vendors_filter(hone_vendors *vendors, hone_cu_function *out,
                                 hone_error *err);
extern const char hone__vendor_filter_ptx[];

/* Have the kernels loaded that `enqueue` takes: it is captured on a stream of
 * our own, and the graph thrown away. Whatever goes wrong is left to the first
 * run, but what `enqueue` itself says comes back. */
typedef hone_status hone_vendor_rehearsal(const void *user, hone_stream stream,
                                          hone_error *err);
hone_status hone__vendors_rehearse(const hone_vendors *vendors,
                                   hone_vendor_rehearsal *enqueue,
                                   const void *user, hone_error *err);

/* Allow, also when another stream of this thread is captured, what a capture
 * does not allow; returns what undoes it. */
int hone__vendors_relax(const hone_vendors *vendors, int mode);

/* Fails: an array does not lie at a multiple of the size of its elements. */
hone_status hone__vendor_misplaced(const hone_vendor *self, hone_error *err);
/* The address of an array, as number, to be asked for its low bits. */
static inline uintptr_t hone__vendor_address(void *const *args, int index)
{
    return (uintptr_t)hone__vendor_pointer(args, index);
}

const hone_driver *hone__vendors_driver(const hone_vendors *vendors);

#endif
