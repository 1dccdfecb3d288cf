/* SPDX-License-Identifier: Apache-2.0 */
/* Where a machine may have NVRTC and CUDA's headers. */
#ifndef HONE_RUNTIME_NVRTC_PLACES_H
#define HONE_RUNTIME_NVRTC_PLACES_H

#include "runtime/base/error.h"

enum { HONE_PLACE_BYTES = 1024 }; /* the longest path that is looked at */

/* A file or folder that is there, or a name for the dynamic loader (without a
 * slash), and why it is looked at, as "named by $CUDA_HOME". Not 0: that is
 * enough. */
typedef int hone_place_visit(void *user, const char *path, const char *origin);

/* Visit the libraries, best first: what variables name, what the loader finds,
 * what is installed for the machine, and the wheels of Python. `root` stands
 * before the machine's own folders; "" but in tests. HONE_ERR_NO_MEMORY: not
 * all were visited. */
hone_status hone__nvrtc_each_library(const char *root, hone_place_visit *visit,
                                     void *user, hone_error *err);

/* The same for the folders that have the file `header`. */
hone_status hone__nvrtc_each_include(const char *root, const char *header,
                                     hone_place_visit *visit, void *user,
                                     hone_error *err);

#endif
