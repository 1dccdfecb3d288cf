/* SPDX-License-Identifier: Apache-2.0 */
/* Variants as host code: a variant compiled by the system's C++ compiler is a
 * shared object with a function, hone_host_run, that executes one launch
 * synchronously. It may be called from several threads at once, and starts
 * no thread that outlives the call: the object is unloaded later. Another one,
 * hone_host_param, says what it has to be given. Plain C, the same on both
 * sides. */
#ifndef HONE_RUNTIME_HOST_ABI_H
#define HONE_RUNTIME_HOST_ABI_H

#ifdef __cplusplus
extern "C" {
#endif

#define HONE_HOST_SYMBOL "hone_host_run"

/* What went wrong in a launch; 0 is nothing. */
enum {
    HONE_HOST_OK = 0,
    HONE_HOST_NO_KERNEL = 1,  /* no kernel of that name */
    HONE_HOST_MEMORY = 2,     /* no memory for stacks or shared memory */
    HONE_HOST_BARRIER = 3,    /* threads wait at different barriers, or some
                                 left the kernel while others wait */
    HONE_HOST_DIVERGENCE = 4, /* lanes of a mask do not meet in a shuffle,
                                vote or other warp operation */
    HONE_HOST_RACE = 5,       /* two threads touch a word of shared memory
                                 between two barriers, one of them writes */
    HONE_HOST_BOUNDS = 6,     /* outside dynamic shared memory */
    HONE_HOST_TRAP = 7,       /* __trap, assert */
    HONE_HOST_NO_PARAM = 8    /* the kernel has fewer */
};

typedef struct hone_host_launch {
    const char *kernel;
    unsigned grid[3];
    unsigned block[3];
    unsigned shared_bytes; /* dynamic */
    void *const *params;   /* as cuLaunchKernel takes them */
    int n_workers;         /* operating system threads; 0: one per core */
} hone_host_launch;

typedef struct hone_host_report {
    int kind; /* HONE_HOST_.. */
    unsigned block[3];
    unsigned thread[3];
    int line;       /* of the template, as #line says; 0: unknown */
    char text[320]; /* a sentence with block, thread and line in it */
} hone_host_report;

/* Returns report->kind. */
typedef int hone_host_run_fn(const hone_host_launch *launch,
                             hone_host_report *report);

/* What the kernel's parameter `index` takes, in bytes: HONE_HOST_OK, or
 * HONE_HOST_NO_KERNEL, HONE_HOST_NO_PARAM. It is the version of this interface
 * as well: objects of an older hone lack it and are not loaded. Who changes a
 * meaning here gives this function another name. */
#define HONE_HOST_PARAM_SYMBOL "hone_host_param"
typedef int hone_host_param_fn(const char *kernel, unsigned long index,
                               unsigned long *out_bytes);

/* Objects with constant memory also have this one: its address by name, and
 * its size; NULL if there is none of that name. */
#define HONE_HOST_CONSTANT_SYMBOL "hone_host_constant"
typedef void *hone_host_constant_fn(const char *name, unsigned long *out_bytes);

#ifdef __cplusplus
}
#endif
#endif
