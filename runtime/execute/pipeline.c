/* SPDX-License-Identifier: Apache-2.0 */
/* A run with arrays in host memory: see pipeline.h. */
#include "runtime/execute/pipeline.h"

#include <stdio.h>
#include <string.h>

typedef struct flow {
    const hone_pipeline_run *run;
    const hone_driver *driver;
    const hone_program_pipeline *pipeline;
    hone_cu_ptr caller[HONE_MAX_ARGS]; /* the arrays, on either side */
    int64_t n_chunks;
    hone_error *err;
} flow;

/* Some rows, and where they are. */
typedef struct chunk {
    int64_t first;
    int64_t n;
    unsigned slot;
    hone_stream stream;
} chunk;

static chunk chunk_of(const flow *f, int64_t index)
{
    const hone_program_pipeline *p = f->pipeline;
    chunk c = {.first = index * p->n_chunk_rows,
               .slot = (unsigned)(index % p->n_slots),
               .stream = f->run->stream};

    c.n = p->n_rows - c.first < p->n_chunk_rows ? p->n_rows - c.first
                                                : p->n_chunk_rows;
    if (hone__lane_is_needed(f->run->program))
        c.stream = f->run->lane->streams[c.slot];
    return c;
}

static hone_status check(const flow *f, hone_cu_result result, const char *what)
{
    char text[160];

    if (!result)
        return HONE_OK;
    (void)snprintf(text, sizeof text, "%s of %.80s", what, f->run->program->op);
    return hone__driver_check(f->driver, result, text, f->err);
}

static void *host(hone_cu_ptr address)
{
    return (void *)(uintptr_t)address;
}

static hone_cu_ptr place_of(const flow *f, const hone_pipeline_array *array,
                            const chunk *c)
{
    return f->run->parts[array->part] + c->slot * array->place_bytes;
}

/* The chunk's rows of the caller's array. */
static hone_cu_ptr rows_of(const flow *f, size_t arg, const chunk *c)
{
    return f->caller[arg] +
           (size_t)c->first * f->pipeline->arrays[arg].row_bytes;
}

static unsigned char *staged(const flow *f, const hone_pipeline_array *array,
                             const chunk *c)
{
    return (unsigned char *)f->run->lane->staging +
           c->slot * f->pipeline->slot_bytes + array->staged_at;
}

static hone_status copy_in(const flow *f, const chunk *c)
{
    for (size_t i = 0; i < f->run->program->n_args; ++i) {
        const hone_pipeline_array *array = &f->pipeline->arrays[i];
        const size_t bytes = (size_t)c->n * array->row_bytes;
        const void *from = host(rows_of(f, i, c));

        if (!array->is_host || !array->is_cut || array->mode == HONE_ARG_OUT)
            continue;
        if (f->pipeline->slot_bytes)
            from = memcpy(staged(f, array, c), from, bytes);
        HONE_TRY(check(f,
                       f->driver->copy_in_async(place_of(f, array, c), from,
                                                bytes, c->stream),
                       "copying a host array in (cuMemcpyHtoDAsync)"));
    }
    return HONE_OK;
}

static hone_status copy_out(const flow *f, const chunk *c)
{
    for (size_t i = 0; i < f->run->program->n_args; ++i) {
        const hone_pipeline_array *array = &f->pipeline->arrays[i];
        const int is_staged = f->pipeline->slot_bytes != 0;

        if (!array->is_host || !array->is_cut || array->mode == HONE_ARG_IN)
            continue;
        HONE_TRY(check(f,
                       f->driver->copy_out_async(
                           is_staged ? (void *)staged(f, array, c)
                                     : host(rows_of(f, i, c)),
                           place_of(f, array, c),
                           (size_t)c->n * array->row_bytes, c->stream),
                       "copying a host array out (cuMemcpyDtoHAsync)"));
    }
    return HONE_OK;
}

/* With the chunk's pointers in place of the caller's. */
static hone_status launch(const flow *f, const chunk *c)
{
    const hone_pipeline_run *run = f->run;
    const size_t n = f->pipeline->n_launches;
    const int is_last = c->n < f->pipeline->n_chunk_rows;
    hone_cu_ptr pointers[HONE_MAX_ARGS];
    void *args[HONE_MAX_ARGS];

    for (size_t i = 0; i < run->program->n_args; ++i) {
        const hone_pipeline_array *array = &f->pipeline->arrays[i];

        args[i] = run->args[i];
        if (array->is_host)
            pointers[i] = place_of(f, array, c);
        else if (array->is_cut && f->caller[i])
            pointers[i] = rows_of(f, i, c);
        else
            continue;
        args[i] = &pointers[i];
    }
    return hone__program_launches(run->program, is_last ? n : 0,
                                  is_last ? run->program->n_launches - n : n,
                                  args, run->parts, run->bank, c->stream,
                                  f->err);
}

/* Staged: when the chunk has ended, its results go to the caller's arrays. */
static hone_status fetch(const flow *f, int64_t index)
{
    const chunk c = chunk_of(f, index);

    HONE_TRY(check(f, f->driver->event_synchronize(f->run->lane->ended[c.slot]),
                   "waiting for a chunk (cuEventSynchronize)"));
    for (size_t i = 0; i < f->run->program->n_args; ++i) {
        const hone_pipeline_array *array = &f->pipeline->arrays[i];

        if (array->is_host && array->is_cut && array->mode != HONE_ARG_IN)
            memcpy(host(rows_of(f, i, &c)), staged(f, array, &c),
                   (size_t)c.n * array->row_bytes);
    }
    return HONE_OK;
}

static hone_status run_chunk(const flow *f, int64_t index)
{
    const chunk c = chunk_of(f, index);

    if (f->pipeline->slot_bytes && index >= f->pipeline->n_slots)
        HONE_TRY(fetch(f, index - f->pipeline->n_slots));
    HONE_TRY(copy_in(f, &c));
    HONE_TRY(launch(f, &c));
    HONE_TRY(copy_out(f, &c));
    if (c.stream == f->run->stream)
        return HONE_OK;
    return check(f,
                 f->driver->event_record(f->run->lane->ended[c.slot], c.stream),
                 "noting the end of a chunk (cuEventRecord)");
}

/* All chunks, on streams that begin behind what is in the caller's, and which
 * that one waits for. */
static hone_status run_lane(const flow *f)
{
    const hone_pipeline_run *run = f->run;
    const hone_lane *lane = run->lane;
    const int64_t n_slots = f->pipeline->n_slots;

    HONE_TRY(check(f, f->driver->event_record(lane->begins, run->stream),
                   "noting where a stream is (cuEventRecord)"));
    for (int64_t i = 0; i < n_slots; ++i)
        HONE_TRY(
            check(f, f->driver->stream_wait(lane->streams[i], lane->begins, 0),
                  "waiting for the stream (cuStreamWaitEvent)"));
    for (int64_t i = 0; i < f->n_chunks; ++i)
        HONE_TRY(run_chunk(f, i));
    for (int64_t i = f->n_chunks > n_slots ? f->n_chunks - n_slots : 0;
         f->pipeline->slot_bytes && i < f->n_chunks; ++i)
        HONE_TRY(fetch(f, i));
    for (int64_t i = 0; i < n_slots && i < f->n_chunks; ++i)
        HONE_TRY(check(f,
                       f->driver->stream_wait(run->stream, lane->ended[i], 0),
                       "waiting for the chunks (cuStreamWaitEvent)"));
    return HONE_OK;
}

/* The caller's arrays, each as it must be. */
static hone_status read_args(flow *f)
{
    const hone_program *program = f->run->program;

    for (size_t i = 0; i < program->n_args; ++i) {
        const hone_pipeline_array *array = &f->pipeline->arrays[i];
        void *const arg = f->run->args[i];

        f->caller[i] = 0;
        if (array->mode == HONE_ARG_SCALAR)
            continue;
        if (arg)
            memcpy(&f->caller[i], arg, sizeof f->caller[i]);
        if (array->is_host && (!arg || !f->caller[i]))
            return hone__program_explain(
                program,
                &(hone_program_fault){.missing = (int)i, .argument = arg},
                f->err);
    }
    return HONE_OK;
}

/* In the caller's stream. */
static hone_status copy_whole(const flow *f)
{
    for (size_t i = 0; i < f->run->program->n_args; ++i) {
        const hone_pipeline_array *array = &f->pipeline->arrays[i];

        if (array->is_host && !array->is_cut && array->mode != HONE_ARG_OUT)
            HONE_TRY(check(f,
                           f->driver->copy_in_async(
                               f->run->parts[array->part], host(f->caller[i]),
                               array->whole_bytes, f->run->stream),
                           "copying a host array in (cuMemcpyHtoDAsync)"));
    }
    return HONE_OK;
}

static hone_status copy_back(const flow *f)
{
    for (size_t i = 0; i < f->run->program->n_args; ++i) {
        const hone_pipeline_array *array = &f->pipeline->arrays[i];

        if (array->is_host && !array->is_cut && array->mode != HONE_ARG_IN)
            HONE_TRY(check(f,
                           f->driver->copy_out_async(
                               host(f->caller[i]), f->run->parts[array->part],
                               array->whole_bytes, f->run->stream),
                           "copying a host array out (cuMemcpyDtoHAsync)"));
    }
    return HONE_OK;
}

static hone_status refuse_capture(const flow *f)
{
    int status = HONE_CU_CAPTURE_NONE;
    uint64_t id = 0;

    HONE_TRY(check(f, f->driver->capture_info(f->run->stream, &status, &id),
                   "asking whether a stream is captured "
                   "(cuStreamGetCaptureInfo)"));
    if (status == HONE_CU_CAPTURE_NONE)
        return HONE_OK;
    return hone__fail(f->err, HONE_ERR_CUDA,
                      "%s has arrays in host memory and cannot be captured "
                      "into a graph",
                      f->run->program->op);
}

hone_status hone__pipeline_run(const hone_pipeline_run *run, hone_error *err)
{
    flow f = {.run = run,
              .driver = run->program->driver,
              .pipeline = run->program->more->pipeline,
              .err = err};
    hone_status status;

    f.n_chunks = f.pipeline->n_rows > 0
                     ? (f.pipeline->n_rows - 1) / f.pipeline->n_chunk_rows + 1
                     : 0;
    HONE_TRY(read_args(&f));
    HONE_TRY(refuse_capture(&f));
    /* Work in the stream may still write what is read here and now. */
    if (f.pipeline->slot_bytes)
        HONE_TRY(check(&f, f.driver->stream_synchronize(run->stream),
                       "waiting for the stream (cuStreamSynchronize)"));
    HONE_TRY(copy_whole(&f));
    if (!hone__lane_is_needed(run->program)) {
        for (int64_t i = 0; i < f.n_chunks; ++i)
            HONE_TRY(run_chunk(&f, i));
        return copy_back(&f);
    }
    status = run_lane(&f);
    for (unsigned i = 0; status != HONE_OK && i < f.pipeline->n_slots; ++i)
        (void)f.driver->stream_synchronize(run->lane->streams[i]);
    return status == HONE_OK ? copy_back(&f) : status;
}
