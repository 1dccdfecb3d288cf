/* SPDX-License-Identifier: Apache-2.0 */
/* A process of the compile farm: reads jobs, answers with cubins, from the
 * cache where it has them. */
#include "tuner/compile_worker.h"

#include "tuner/compiler.h"
#include "tuner/cubin_cache.h"
#include "tuner/pch_folder.h"

/* Everything of one worker process. */
typedef struct state {
    const hone_nvrtc *nvrtc;
    const char *cache_folder;
    const char *pch_folder; /* NULL if none could be made */
    int to_parent;
} state;

static void say_failed(int to_parent, const hone_error *err)
{
    hone_text payload = {0};

    hone__pack_i64(&payload, err->status);
    hone__pack_i64(&payload, 0);
    hone__pack_string(&payload, err->text);
    (void)hone__message_send(to_parent, HONE_COMPILE_FAILED, &payload, NULL);
    hone__text_free(&payload);
}

/* From the cache, or compiled and put there. A cache that cannot be written
 * costs time, never a result. */
static hone_status produce(const state *st, const hone_compile_input *input,
                           hone_compile_output *out, hone_error *err)
{
    char key[HONE_SHA256_HEX];
    hone_status status;
    int lock = -1;

    hone__cache_key(input, st->nvrtc->version_major, st->nvrtc->version_minor,
                    key);
    if (st->cache_folder &&
        hone__cache_load(st->cache_folder, key, out, NULL) == HONE_OK)
        return HONE_OK;
    if (st->cache_folder) {
        hone__cache_lock(st->cache_folder, key, &lock);
        if (hone__cache_load(st->cache_folder, key, out, NULL) == HONE_OK) {
            hone__cache_unlock(lock); /* another process was faster */
            return HONE_OK;
        }
    }
    status = hone__compile_source(st->nvrtc, input, st->pch_folder, out, err);
    if (status == HONE_OK && st->cache_folder)
        (void)hone__cache_store(st->cache_folder, key, out, NULL);
    hone__cache_unlock(lock);
    return status;
}

static int answer(const state *st, hone_text *request)
{
    hone_unpack in = {request->data, request->data + request->length, 0};
    const int64_t job = hone__unpack_i64(&in);
    hone_compile_output output = {.registers = -1};
    hone_compile_input input;
    hone_text payload = {0};
    hone_error err = {.status = HONE_OK};
    hone_status status;

    hone__compile_input_unpack(&in, &input);
    status = in.broken ? hone__fail(&err, HONE_ERR_INTERNAL,
                                    "a compile job arrived broken")
                       : produce(st, &input, &output, &err);
    if (status != HONE_OK) {
        say_failed(st->to_parent, &err);
    } else {
        hone__pack_i64(&payload, job);
        hone__compile_output_pack(&payload, &output);
        status = hone__message_send(st->to_parent, HONE_COMPILE_DONE,
                                    &payload, NULL);
        hone__compile_output_free(&output);
    }
    hone__text_free(&payload);
    return status == HONE_OK;
}

int hone__compile_worker(void *user, int from_parent, int to_parent)
{
    const hone_compile_worker_setup *setup = user;
    state st = {.cache_folder = setup->cache_folder, .to_parent = to_parent};
    hone_error err = {.status = HONE_OK};
    hone_text message = {0};
    char pch_folder[4096];
    uint32_t kind = 0;

    if (hone__nvrtc_get(&st.nvrtc, &err) != HONE_OK) {
        say_failed(to_parent, &err);
        return 1;
    }
    hone__pack_i64(&message, st.nvrtc->version_major);
    hone__pack_i64(&message, st.nvrtc->version_minor);
    (void)hone__message_send(to_parent, HONE_COMPILE_HELLO, &message, NULL);
    /* The default heap is too small for mma.h in some processes; NVRTC then
     * compiles without the precompiled header, at three times the cost. */
    if (st.nvrtc->set_pch_heap_bytes)
        (void)st.nvrtc->set_pch_heap_bytes((size_t)256 << 20);
    st.pch_folder = hone__pch_folder_make(pch_folder, sizeof pch_folder);
    while (hone__message_receive(from_parent, &kind, &message, NULL) ==
               HONE_OK &&
           answer(&st, &message))
        continue;
    hone__text_free(&message);
    hone__pch_folder_remove(st.pch_folder);
    return 0;
}
