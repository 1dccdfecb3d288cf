/* SPDX-License-Identifier: Apache-2.0 */
/* Is a file of kernels whole? Drivers and dynamic loaders believe what its
 * headers say and read what lies outside of it. What the parts contain, the
 * code above all, nobody can check. */
#ifndef HONE_RUNTIME_CODE_CHECK_H
#define HONE_RUNTIME_CODE_CHECK_H

#include <stddef.h>

enum { HONE_ELF_CUDA = 190 /* e_machine of a cubin */ };

/* What is wrong with an ELF file of 64 bits, little-endian; NULL: headers,
 * sections and segments lie within it, and so do the names of sections and
 * symbols within their tables. Of a cubin also the places and symbols of
 * relocations. `machine` is HONE_ELF_CUDA, or 0 for any. */
const char *hone__elf_check(const void *bytes, size_t size_bytes, int machine);

/* The same of what CUDA's driver takes: a cubin, or PTX, which is text. */
const char *hone__code_check(const void *bytes, size_t size_bytes);

#endif
