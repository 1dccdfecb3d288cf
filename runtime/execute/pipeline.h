/* SPDX-License-Identifier: Apache-2.0 */
/* The run of a program whose arrays are in host memory: copies in, launches
 * and copies out, chunk by chunk, several chunks at a time.
 *
 * Each slot has a stream, and of every array that is cut a place in the
 * array's part (the caller's memory, as workspaces are). Chunk c goes through
 * slot c % n_slots; what a slot has under way comes in the order of its
 * stream, so that places are used again without waiting. All slots begin when
 * the caller's stream has come to the run, and the caller's stream goes on
 * when all have ended. With one slot everything is in the caller's stream.
 *
 * Staged, the calling thread copies each chunk to page-locked memory of the
 * slot and back, and waits for the slot's last chunk before the next. */
#ifndef HONE_RUNTIME_PIPELINE_H
#define HONE_RUNTIME_PIPELINE_H

#include "runtime/execute/program.h"

/* What runs need beside memory of the device: streams, events, page-locked
 * memory. It serves all programs of a context, one run at a time. Starts as
 * {0}; grows to what the programs need, and no further. */
typedef struct hone_lane {
    unsigned n_slots; /* that have a stream and an event */
    hone_stream streams[HONE_MAX_STREAMS];
    hone_cu_event ended[HONE_MAX_STREAMS]; /* the last chunk of a slot */
    hone_cu_event begins;                  /* the caller's stream is here */
    void *staging;
    size_t staging_bytes;
} hone_lane;

/* Of one argument. */
typedef struct hone_pipeline_array {
    hone_arg_mode mode;
    int is_host; /* and has elements */
    int is_cut;
    int part;           /* of a host array, in the program's */
    size_t row_bytes;   /* of one that is cut */
    size_t place_bytes; /* of a chunk, in the part and in staging memory */
    size_t whole_bytes;
    size_t staged_at; /* in the staging memory of a slot */
} hone_pipeline_array;

typedef struct hone_program_pipeline {
    int64_t n_rows;
    int64_t n_chunk_rows;
    unsigned n_slots;
    uint16_t n_launches; /* of a chunk; behind them: of a shorter last one */
    size_t slot_bytes;   /* of staging memory; 0: it is not staged */
    hone_pipeline_array arrays[]; /* one for each argument */
} hone_program_pipeline;

/* Of program.c: the size of the structure, and what is in it. */
size_t hone__pipeline_bytes(const hone_resolved *resolved);
void hone__pipeline_fill(hone_program *program, const hone_resolved *resolved);

/* Does a run of the program use a lane? */
int hone__lane_is_needed(const hone_program *program);
/* Make what the program needs and the lane lacks; no run is under way, the
 * context is current. What was made before stays if something fails.
 * HONE_ERR_CUDA, HONE_ERR_NO_MEMORY. */
hone_status hone__lane_make(hone_lane *lane, const hone_program *program,
                            hone_error *err);
int hone__lane_suffices(const hone_lane *lane, const hone_program *program);
/* The context is current, or `alive` 0 if it is gone. */
void hone__lane_free(hone_lane *lane, const hone_driver *driver, int alive);

/* As the parameters of hone__program_run(). */
typedef struct hone_pipeline_run {
    const hone_program *program;
    void *const *args;
    hone_cu_ptr *parts;
    hone_bank *bank;
    hone_lane *lane;
    hone_stream stream;
} hone_pipeline_run;

/* After an error nothing is under way on the lane's streams. HONE_ERR_CUDA
 * too if the stream is captured. */
hone_status hone__pipeline_run(const hone_pipeline_run *run, hone_error *err);

#endif
