/* SPDX-License-Identifier: Apache-2.0 */
/* A process of the compile farm: reads jobs, answers with machine code, from
 * the cache where it has it. Which compiler it is is one row of a table. */
#include "tuner/compile_worker.h"

#include "tuner/compiler.h"
#include "tuner/cubin_cache.h"
#include "tuner/host_compiler.h"
#include "tuner/pch_folder.h"

#include <stdio.h>

/* Everything of one worker process. */
typedef struct state {
    const struct producer *producer;
    const hone_compile_worker_setup *setup;
    hone_toolchain toolchain;
    const hone_nvrtc *nvrtc;
    hone_host_compiler host;
    char folder_path[4096];
    const char *folder; /* of this process, for the compiler; NULL: none */
    int to_parent;
} state;

typedef struct producer {
    hone_status (*open)(state *st, hone_error *err);
    hone_status (*compile)(state *st, const hone_compile_input *input,
                           hone_compile_output *out, hone_error *err);
} producer;

static hone_status open_nvrtc(state *st, hone_error *err)
{
    HONE_TRY(hone__nvrtc_get(&st->nvrtc, err));
    (void)snprintf(st->toolchain.name, sizeof st->toolchain.name, "nvrtc");
    (void)snprintf(st->toolchain.version, sizeof st->toolchain.version,
                   "%d.%d", st->nvrtc->version_major,
                   st->nvrtc->version_minor);
    /* The default heap is too small for mma.h in some processes; NVRTC then
     * compiles without the precompiled header, at three times the cost. */
    if (st->nvrtc->set_pch_heap_bytes)
        (void)st->nvrtc->set_pch_heap_bytes((size_t)256 << 20);
    return HONE_OK;
}

static hone_status compile_nvrtc(state *st, const hone_compile_input *input,
                                 hone_compile_output *out, hone_error *err)
{
    return hone__compile_source(st->nvrtc, input, st->folder, out, err);
}

static hone_status open_host(state *st, hone_error *err)
{
    return hone__host_compiler_open(&st->host, st->setup->host_build,
                                    &st->toolchain, err);
}

static hone_status compile_host(state *st, const hone_compile_input *input,
                                hone_compile_output *out, hone_error *err)
{
    return hone__host_compile(&st->host, input, st->folder, out, err);
}

static const producer producers[] = {
    [HONE_BACKEND_CUDA] = {open_nvrtc, compile_nvrtc},
    [HONE_BACKEND_CPU] = {open_host, compile_host},
};

static void say_failed(int to_parent, const hone_error *err)
{
    hone_text payload = {0};

    hone__pack_i64(&payload, err->status);
    hone__pack_string(&payload, err->text);
    (void)hone__message_send(to_parent, HONE_COMPILE_FAILED, &payload, NULL);
    hone__text_free(&payload);
}

/* From the cache, or compiled and put there. A cache that cannot be written
 * costs time, never a result. */
static hone_status produce(state *st, const hone_compile_input *input,
                           hone_compile_output *out, hone_error *err)
{
    const char *cache = st->setup->cache_folder;
    char key[HONE_SHA256_HEX];
    hone_status status;
    int lock = -1;

    hone__cache_key(input, &st->toolchain, key);
    if (cache && hone__cache_load(cache, key, out, NULL) == HONE_OK)
        return HONE_OK;
    if (cache) {
        hone__cache_lock(cache, key, &lock);
        if (hone__cache_load(cache, key, out, NULL) == HONE_OK) {
            hone__cache_unlock(lock); /* another process was faster */
            return HONE_OK;
        }
    }
    status = st->producer->compile(st, input, out, err);
    if (status == HONE_OK && cache)
        (void)hone__cache_store(cache, key, out, NULL);
    hone__cache_unlock(lock);
    return status;
}

static int answer(state *st, hone_text *request)
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

static void say_hello(const state *st)
{
    hone_text message = {0};

    hone__pack_string(&message, st->toolchain.name);
    hone__pack_string(&message, st->toolchain.version);
    (void)hone__message_send(st->to_parent, HONE_COMPILE_HELLO, &message,
                             NULL);
    hone__text_free(&message);
}

int hone__compile_worker(void *user, int from_parent, int to_parent)
{
    static state st; /* one per process; large */
    hone_error err = {.status = HONE_OK};
    hone_text message = {0};
    uint32_t kind = 0;

    hone__worker_name("hone-compile");
    st.setup = user;
    st.to_parent = to_parent;
    st.producer = &producers[st.setup->backend];
    if (st.producer->open(&st, &err) != HONE_OK) {
        say_failed(to_parent, &err);
        return 1;
    }
    say_hello(&st);
    st.folder = hone__pch_folder_make(st.folder_path, sizeof st.folder_path);
    while (hone__message_receive(from_parent, &kind, &message, NULL) ==
               HONE_OK &&
           answer(&st, &message))
        continue;
    hone__text_free(&message);
    hone__pch_folder_remove(st.folder);
    return 0;
}
