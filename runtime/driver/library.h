/* SPDX-License-Identifier: Apache-2.0 */
/* Opening vendor libraries at run time and filling tables of their functions,
 * so that hone builds and runs on machines that have none of them. */
#ifndef HONE_RUNTIME_LIBRARY_H
#define HONE_RUNTIME_LIBRARY_H

#include "runtime/base/error.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

/* Where a library may be. */
typedef struct hone_library_search {
    const char *what;         /* "cuBLAS", for messages */
    const char *variable;     /* environment variable that names the file */
    const char *const *names; /* file names, best first, NULL at the end */
    int in_cuda_folders;      /* also beside NVRTC and in CUDA's folders */
    const char *advice;       /* what to install, one sentence */
} hone_library_search;

/* The functions of a table, by their symbols in the order of its fields, which
 * are pointers to functions one after the other: "cuInit\0cuDeviceGet\0", with
 * an empty name at the end. One that begins with '?' may be missing; its field
 * is NULL then. A text, since a table of pointers takes three times the room.
 */
#define HONE_LIBRARY_NAME(symbol) #symbol "\0"
#define HONE_LIBRARY_OPTIONAL_NAME(symbol) "?" #symbol "\0"

/* Open the file that the environment variable names, and that one alone, or
 * else the first that loads: by the loader, beside NVRTC, under
 * $CUDA_HOME/lib64, $CUDA_PATH/lib64 and /usr/local/cuda/lib64.
 * HONE_ERR_UNSUPPORTED quotes the loader and gives the advice. */
hone_status hone__library_open(const hone_library_search *search, void **out,
                               hone_error *err);

/* Fill `table` with the functions of an open library: the name of the first
 * one that is missing, or NULL. */
const char *hone__library_fill(void *library, const char *symbols, void *table);

/* The same, as a status. HONE_ERR_UNSUPPORTED
 * names the first one that is missing. */
hone_status hone__library_bind(void *library, const char *what,
                               const char *symbols, void *table,
                               hone_error *err);

/* A library that is loaded when it is first needed, once in a process. */
typedef struct hone_library_once {
    atomic_int is_done;
    pthread_mutex_t lock;
} hone_library_once;
#define HONE_LIBRARY_ONCE                                                      \
    {                                                                          \
        0, PTHREAD_MUTEX_INITIALIZER                                           \
    }

/* Call `load` unless it has succeeded before. A failure is not remembered: the
 * next call tries again. */
hone_status hone__library_once(hone_library_once *state,
                               hone_status (*load)(hone_error *err),
                               hone_error *err);

#endif
