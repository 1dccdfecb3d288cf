/* SPDX-License-Identifier: Apache-2.0 */
/* The files behind cuda_headers.h: what they are now, and what they include. */
#ifndef HONE_TUNER_CUDA_FILES_H
#define HONE_TUNER_CUDA_FILES_H

#include "tuner/compile/cuda_headers.h"

#include <sys/stat.h>

struct hone_cuda_file {
    char *path;
    uint64_t path_hash;
    struct stat info; /* all zero: there is none */
    uint64_t round;   /* when it was looked at */
    uint64_t changes; /* how often it was found to be another one */
    uint64_t search;  /* the last one that came to it */
    int is_hashed;
    int is_scanned;
    char sha256[HONE_SHA256_HEX];
    hone_text includes; /* as hone__cuda_includes() writes them */
};

/* Index of the file or folder at that path, looked at in this round; -1
 * without memory. */
long hone__cuda_file_look(hone_cuda_headers *headers, const char *path);

/* The same of one that is known. */
void hone__cuda_file_look_again(hone_cuda_headers *headers, size_t index);

/* Fill in its hash and, if asked for, what it includes, unless that was done
 * since it changed. What cannot be read is as a file without contents: NVRTC
 * cannot, either. HONE_ERR_NO_MEMORY. */
hone_status hone__cuda_file_read(hone_cuda_file *file, int with_includes,
                                 hone_error *err);

/* Append each name that a text includes, with its NUL, behind '<' or '"'; or
 * "*" for one that is not written out. 0 without memory. */
int hone__cuda_includes(const char *text, size_t length, hone_text *out);

#endif
