/* SPDX-License-Identifier: Apache-2.0 */
/* Which shapes a program really launches: how often each was, counted in
 * counters of count.h, and written to a file that many processes share. One
 * hone_record for each hone_ctx; it is not the ctx's lock that guards it. */
#ifndef HONE_RUNTIME_RECORD_H
#define HONE_RUNTIME_RECORD_H

#include "runtime/base/error.h"
#include "runtime/base/text.h"

#include <stdint.h>

typedef struct hone_record hone_record;
typedef struct hone_record_shape hone_record_shape;

/* A shape, and the kernel that it got. */
typedef struct hone_launched {
    const char *op;
    const char *dims; /* "4096,4096,4096,3" */
    hone_match_kind match;
    int is_vendor; /* a function of a vendor's library */
    const char *implementation;
    const char *arch; /* "sm_90" */
    int64_t multiprocessors;
    const char *device; /* "NVIDIA H200" */
} hone_launched;

/* Append to this file from now on; NULL: only count. HONE_ERR_IO: it cannot be
 * opened for writing, HONE_ERR_NO_MEMORY. */
hone_status hone__record_open(const char *path, hone_record **out,
                              hone_error *err);
/* Write, and free all; NULL is a no-op. */
void hone__record_close(hone_record *record);

/* One plan more has this shape; the same shape again is the same. NULL: no
 * memory. */
hone_record_shape *hone__record_enter(hone_record *record,
                                      const hone_launched *launched);
/* One less. What it counted stays. */
void hone__record_leave(hone_record *record, hone_record_shape *shape);
uint32_t hone__record_counter(const hone_record_shape *shape);

/* Append what was launched since the last time. HONE_ERR_IO: the file is as it
 * was, and what was not written will be with the next. A child of fork()
 * writes what it launched itself. */
hone_status hone__record_write(hone_record *record, hone_error *err);
/* The same, if some seconds have gone by and nobody has the file. */
void hone__record_write_now_and_then(hone_record *record);

/* Add up all launches so far: of each match, `n` of them, and of vendors'
 * functions among them. */
void hone__record_sum(hone_record *record, uint64_t *by_match, size_t n,
                      uint64_t *of_vendors);

/* ---- record_file.c: lines of the file -------------------------------------
 */

/* The first line of a file of recorded shapes. */
#define HONE_RECORD_TITLE "# hone-record 1"

/* Append a whole line. */
void hone__record_line(const char *shape, uint64_t n_launches,
                       const char *facts, hone_text *out);
/* Append lines: with the title to an empty file, behind what another process
 * left of a line. HONE_ERR_BUSY: another one has the file for longer than
 * `wait_ms`. HONE_ERR_IO: the file is as it was. */
hone_status hone__record_append(int file, const char *path,
                                const hone_text *lines, int wait_ms,
                                hone_error *err);

/* Is the line as it was written: its sum is right? Cuts off the sum. */
int hone__record_line_is_whole(char *line);

#endif
