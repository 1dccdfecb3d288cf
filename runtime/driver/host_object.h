/* SPDX-License-Identifier: Apache-2.0 */
/* Shared objects with kernels for the `cpu` device, loaded from memory. What
 * they show is in host_abi.h. */
#ifndef HONE_RUNTIME_HOST_OBJECT_H
#define HONE_RUNTIME_HOST_OBJECT_H

#include "runtime/base/error.h"
#include "runtime/driver/host_abi.h"

#include <stddef.h>

/* Starts as {0}. */
typedef struct hone_host_object {
    void *handle; /* of dlopen(); NULL: not loaded */
    hone_host_run_fn *run;
    hone_host_param_fn *param;
    hone_host_constant_fn *constant; /* NULL: it has no constants */
    int fd;                          /* of the file it was loaded from */
} hone_host_object;

/* Load the object whose file contents these are. `what` names it in
 * sentences. HONE_ERR_UNSUPPORTED: this machine does not load it;
 * HONE_ERR_IO: there is no place for it. */
hone_status hone__host_load(const void *bytes, size_t size_bytes,
                            const char *what, hone_host_object *out,
                            hone_error *err);
/* Back to {0}; one that is not loaded is a no-op. */
void hone__host_unload(hone_host_object *object);

#endif
