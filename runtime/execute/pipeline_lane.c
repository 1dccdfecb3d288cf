/* SPDX-License-Identifier: Apache-2.0 */
/* What a program keeps of its arrays in host memory, and the lane that a run of
 * it takes: see pipeline.h. */
#include "runtime/execute/pipeline.h"

#include <stdio.h>
#include <string.h>

/* ---- made with the program ----------------------------------------------- */

size_t hone__pipeline_bytes(const hone_resolved *resolved)
{
    return sizeof(hone_program_pipeline) +
           resolved->n_args * sizeof(hone_pipeline_array);
}

static void fill_array(hone_program_pipeline *pipeline,
                       const hone_resolved_arg *from, hone_pipeline_array *to)
{
    *to = (hone_pipeline_array){.mode = from->mode,
                                .is_host = from->is_host && from->copy_bytes,
                                .is_cut = from->is_cut,
                                .whole_bytes = (size_t)from->size_bytes};
    if (to->is_cut && pipeline->n_rows > 0)
        to->row_bytes = (size_t)(from->size_bytes / pipeline->n_rows);
    if (to->is_cut && to->is_host)
        to->place_bytes = (size_t)hone__chunk_place((int64_t)to->row_bytes *
                                                    pipeline->n_chunk_rows);
}

void hone__pipeline_fill(hone_program *program, const hone_resolved *resolved)
{
    hone_program_pipeline *to = program->more->pipeline;
    hone_program_more *more = program->more;
    size_t slot_bytes = 0;

    to->n_rows = resolved->pipeline.n_rows;
    to->n_chunk_rows = resolved->pipeline.n_chunk_rows;
    to->n_slots = resolved->pipeline.n_slots;
    to->n_launches = (uint16_t)resolved->pipeline.n_launches;
    for (size_t i = 0; i < resolved->n_args; ++i) {
        hone_pipeline_array *array = &to->arrays[i];

        fill_array(to, &resolved->args[i], array);
        if (!array->is_host)
            continue;
        array->part = (int)more->n_parts;
        more->parts[more->n_parts++] = (hone_program_part){
            (size_t)resolved->args[i].copy_bytes, HONE_ZERO_NEVER};
        if (array->is_cut) {
            array->staged_at = slot_bytes;
            slot_bytes += array->place_bytes;
        }
    }
    to->slot_bytes = resolved->pipeline.is_staged ? slot_bytes : 0;
    program->is_special = 1;
}

/* ---- the lane ------------------------------------------------------------ */

/* How many streams of its own a run takes. */
static unsigned count_streams(const hone_program *program)
{
    const hone_program_pipeline *pipeline = program->more->pipeline;

    if (!pipeline || (pipeline->n_slots == 1 && !pipeline->slot_bytes))
        return 0;
    return pipeline->n_slots;
}

static size_t staging_bytes(const hone_program *program)
{
    const hone_program_pipeline *pipeline = program->more->pipeline;

    return pipeline ? pipeline->n_slots * pipeline->slot_bytes : 0;
}

int hone__lane_is_needed(const hone_program *program)
{
    return count_streams(program) != 0;
}

int hone__lane_suffices(const hone_lane *lane, const hone_program *program)
{
    return lane->n_slots >= count_streams(program) &&
           lane->staging_bytes >= staging_bytes(program);
}

static hone_status add_slot(hone_lane *lane, const hone_driver *driver,
                            hone_error *err)
{
    hone_stream *stream = &lane->streams[lane->n_slots];
    hone_status status;

    HONE_TRY(hone__driver_check(
        driver, driver->stream_create(stream, HONE_CU_STREAM_NON_BLOCKING),
        "making a stream for chunks (cuStreamCreate)", err));
    status =
        hone__driver_check(driver,
                           driver->event_create(&lane->ended[lane->n_slots],
                                                HONE_CU_EVENT_NO_TIMING),
                           "making an event for chunks (cuEventCreate)", err);
    if (status == HONE_OK)
        ++lane->n_slots;
    else
        (void)driver->stream_destroy(*stream);
    return status;
}

static void free_staging(hone_lane *lane, const hone_driver *driver)
{
    if (lane->staging)
        (void)driver->host_free(lane->staging);
    lane->staging = NULL;
    lane->staging_bytes = 0;
}

hone_status hone__lane_make(hone_lane *lane, const hone_program *program,
                            hone_error *err)
{
    const hone_driver *driver = program->driver;
    const size_t size_bytes = staging_bytes(program);
    char what[160];

    if (!lane->begins)
        HONE_TRY(hone__driver_check(
            driver,
            driver->event_create(&lane->begins, HONE_CU_EVENT_NO_TIMING),
            "making an event for chunks (cuEventCreate)", err));
    while (lane->n_slots < count_streams(program))
        HONE_TRY(add_slot(lane, driver, err));
    if (lane->staging_bytes >= size_bytes)
        return HONE_OK;
    free_staging(lane, driver);
    (void)snprintf(what, sizeof what,
                   "allocating %zu bytes of page-locked memory for the chunks "
                   "of %.60s (cuMemHostAlloc)",
                   size_bytes, program->op);
    HONE_TRY(hone__driver_check(
        driver,
        driver->host_alloc(&lane->staging, size_bytes, HONE_CU_HOST_SHARED),
        what, err));
    lane->staging_bytes = size_bytes;
    return HONE_OK;
}

void hone__lane_free(hone_lane *lane, const hone_driver *driver, int alive)
{
    if (alive) {
        free_staging(lane, driver);
        for (unsigned i = 0; i < lane->n_slots; ++i) {
            (void)driver->event_destroy(lane->ended[i]);
            (void)driver->stream_destroy(lane->streams[i]);
        }
        if (lane->begins)
            (void)driver->event_destroy(lane->begins);
    }
    *lane = (hone_lane){0};
}
