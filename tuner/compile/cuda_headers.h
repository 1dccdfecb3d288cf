/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA's own headers, which NVRTC opens itself, as part of a compile's key:
 * what a source may reach of them, by what the texts say. Where a name is not
 * written out, all of them may be reached. */
#ifndef HONE_TUNER_CUDA_HEADERS_H
#define HONE_TUNER_CUDA_HEADERS_H

#include "runtime/base/hash.h"
#include "tuner/compile/compiler.h"

enum { HONE_CUDA_FOLDERS = 3 };

/* A file or folder that was looked for. */
typedef struct hone_cuda_file hone_cuda_file;
/* What sources with the same includes reach. */
typedef struct hone_cuda_reach hone_cuda_reach;

/* What a process knows of them; starts as {.folders = ..}. Each file is read
 * once and looked at (stat) for every key, and read again where it changed. */
typedef struct hone_cuda_headers {
    /* Where NVRTC looks, in this order; "" and NULL are none. Borrowed. */
    const char *folders[HONE_CUDA_FOLDERS];
    size_t n_files;
    hone_cuda_file *files;
    size_t n_slots; /* a power of two, at least twice n_files */
    size_t *slots;  /* by the hash of the path: 1 + the index in files */
    size_t n_reaches;
    hone_cuda_reach *reaches;
    hone_text ours;       /* the last sources' own headers, */
    hone_text ours_names; /* and what these include */
    uint64_t round;       /* counts the digests */
    uint64_t n_searches;  /* of files, where a digest is made anew */
} hone_cuda_headers;

/* SHA-256 over the names, in the folders, and the contents of what the source
 * and its headers may reach, and over the names that are not there; "" if they
 * name nothing. The same on every machine with the same headers. */
hone_status hone__cuda_headers_digest(hone_cuda_headers *headers,
                                      const hone_compile_input *input,
                                      char out[HONE_SHA256_HEX],
                                      hone_error *err);
void hone__cuda_headers_free(hone_cuda_headers *headers);

#endif
