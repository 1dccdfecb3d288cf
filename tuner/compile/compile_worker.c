/* SPDX-License-Identifier: Apache-2.0 */
/* A process of the compile farm: reads jobs, answers with machine code, from
 * the cache where it has it. Which compiler it is is one row of a table. */
#include "tuner/compile/farm_state.h"

#include "tuner/compile/compile_log.h"
#include "tuner/compile/compiler.h"
#include "tuner/compile/cubin_cache.h"
#include "tuner/compile/work_folder.h"
#include "tuner/compile/cuda_headers.h"
#include "tuner/compile/host_compiler.h"
#include "tuner/compile/library_build.h"
#include "tuner/process/guard.h"
#include "tuner/process/sandbox.h"

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Everything of one worker process. */
typedef struct state {
    const struct producer *producer;
    const hone_compile_worker_setup *setup;
    hone_toolchain toolchain;
    const hone_nvrtc *nvrtc;
    hone_cuda_headers cuda; /* that NVRTC opens itself */
    hone_text nvrtc_build;  /* which of its version */
    hone_host_compiler host;
    char folder_path[4096];
    const char *folder; /* of this process, for the compiler; NULL: none */
    int to_parent;
    int64_t job;
} state;

typedef struct producer {
    hone_status (*open)(state *st, hone_error *err);
    hone_status (*compile)(state *st, const hone_compile_input *input,
                           hone_compile_output *out, hone_error *err);
} producer;

static hone_status open_nvrtc(state *st, hone_error *err)
{
    /* NVRTC frees all it took after every compile. Kept by malloc, not given
     * back to the system, it is there for the next one without two thirds of
     * the page faults (5 % of the time of a compile of gemm/wmma). */
    (void)mallopt(M_MMAP_THRESHOLD, 32 << 20); /* the most it takes */
    (void)mallopt(M_TRIM_THRESHOLD, 256 << 20);
    (void)mallopt(M_TOP_PAD, 64 << 20);
    HONE_TRY(hone__nvrtc_get(&st->nvrtc, err));
    HONE_TRY(hone__nvrtc_toolchain(st->nvrtc, &st->toolchain, err));
    hone__nvrtc_build(st->nvrtc, &st->nvrtc_build);
    HONE_TRY(hone__text_check(&st->nvrtc_build, err));
    /* in the order of the options */
    st->cuda.folders[0] = st->nvrtc->includes;
    st->cuda.folders[1] = st->nvrtc->crt;
    st->cuda.folders[2] = st->nvrtc->cccl;
    /* The default heap is too small for mma.h in some processes; NVRTC then
     * compiles without the precompiled header, at three times the cost. */
    if (st->nvrtc->set_pch_heap_bytes)
        (void)st->nvrtc->set_pch_heap_bytes((size_t)256 << 20);
    return HONE_OK;
}

static hone_status compile_nvrtc(state *st, const hone_compile_input *input,
                                 hone_compile_output *out, hone_error *err)
{
    /* NVRTC looks for names in quotes in the working folder, too. */
    const int back = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    hone_status status;

    if (back >= 0 && st->folder)
        (void)chdir(st->folder);
    status = hone__compile_source(st->nvrtc, input, st->folder, out, err);
    if (back >= 0) {
        (void)fchdir(back);
        (void)close(back);
    }
    return status;
}

static hone_status open_host(state *st, hone_error *err)
{
    st->host.at_most_s = st->setup->compile_at_most_s;
    return hone__host_compiler_open(&st->host, st->setup->host_build,
                                    &st->toolchain, err);
}

static hone_status compile_host(state *st, const hone_compile_input *input,
                                hone_compile_output *out, hone_error *err)
{
    return hone__host_compile(&st->host, input, st->folder, out, err);
}

static const producer producers[] = {
#define PRODUCER(id, name, compiler) {open_##compiler, compile_##compiler},
    HONE_BACKEND_MAP(PRODUCER)
#undef PRODUCER
};

void hone__compile_no_memory(const hone_compile_worker_setup *setup,
                             hone_text *out)
{
    hone__text_puts(out, "the compiler ran out of memory");
    if (!setup->memory_cap_bytes)
        hone__text_puts(out, " (fewer compile processes, --jobs, take less)");
    else
        hone__text_printf(out,
                          ": each of %d compile processes may take %lld MiB "
                          "(%s)",
                          setup->n_workers,
                          (long long)(setup->memory_cap_bytes >> 20),
                          setup->cap_is_inherited
                              ? "`ulimit -d` says so"
                              : "fewer of them, --jobs, may take more each");
}

/* Compile, and tell a failure for want of memory from one of the source. */
static hone_status compile(state *st, const hone_compile_input *input,
                           hone_compile_output *out, hone_error *err)
{
    hone_text begun = {0};
    hone_text log = {0};

    hone__pack_i64(&begun, st->job);
    HONE_TRY(hone__message_say(st->to_parent, HONE_COMPILE_BEGUN, &begun, err));
    HONE_TRY(st->producer->compile(st, input, out, err));
    if (out->ok || (!out->out_of_memory &&
                    !hone__compile_log_no_memory(hone__text_str(&out->log))))
        return HONE_OK;
    out->out_of_memory = 1;
    hone__compile_no_memory(st->setup, &log);
    if (out->log.length)
        hone__text_printf(&log, ": %s", hone__text_str(&out->log));
    hone__text_free(&out->log);
    out->log = log;
    return HONE_OK;
}

/* CUDA's headers that it may reach, and the compiler's build. That is no part
 * of the toolchain: what a database has of another build of one version stays
 * what it is, but is not compiled from the cache of it. */
static hone_status find_opened(state *st, const hone_compile_input *input,
                               char out[HONE_SHA256_HEX], hone_error *err)
{
    hone_text all = {0};
    hone_status status;

    out[0] = '\0';
    if (!st->nvrtc)
        return HONE_OK;
    HONE_TRY(hone__cuda_headers_digest(&st->cuda, input, out, err));
    hone__text_printf(&all, "%s\n%s", out, hone__text_str(&st->nvrtc_build));
    status = hone__text_check(&all, err);
    if (status == HONE_OK)
        hone__sha256_hex(all.data, all.length, out);
    hone__text_free(&all);
    return status;
}

/* What is opened is still what it was when the key was made: else nobody knows
 * which of the two was compiled. */
static int is_still(state *st, const hone_compile_input *input,
                    const char *opened)
{
    char now[HONE_SHA256_HEX];

    return find_opened(st, input, now, NULL) == HONE_OK &&
           strcmp(now, opened) == 0;
}

/* From the cache, or compiled and put there. A cache that cannot be written
 * costs time, never a result. A lock that somebody keeps for longer than any
 * compile takes is not waited for. */
static hone_status produce(state *st, const hone_compile_input *input,
                           hone_compile_output *out, hone_error *err)
{
    const char *cache = st->setup->cache_folder;
    char key[HONE_SHA256_HEX], opened[HONE_SHA256_HEX];
    hone_status status;
    int lock = -1;

    if (!cache)
        return compile(st, input, out, err);
    HONE_TRY(find_opened(st, input, opened, err));
    HONE_TRY(hone__cache_key(input, &st->toolchain, opened, key, err));
    if (hone__cache_load(cache, key, out, NULL) == HONE_OK)
        return HONE_OK;
    lock = hone__cache_lock(cache, key, st->setup->compile_at_most_s);
    if (hone__cache_load(cache, key, out, NULL) == HONE_OK) {
        hone__cache_unlock(lock); /* another process was faster */
        return HONE_OK;
    }
    status = compile(st, input, out, err);
    if (status == HONE_OK && !out->out_of_memory && !out->crashed &&
        is_still(st, input, opened))
        (void)hone__cache_store(cache, key, out, NULL);
    hone__cache_unlock(lock);
    return status;
}

static hone_status answer(void *user, uint32_t kind, hone_unpack *in,
                          int *out_leave, hone_error *err)
{
    state *st = user;
    hone_compile_output output = {.registers = -1};
    hone_compile_input input;
    hone_text payload = {0};

    (void)out_leave;
    st->job = hone__unpack_i64(in);
    hone__compile_input_unpack(in, &input);
    if (in->broken || kind != HONE_COMPILE_JOB)
        return hone__fail(err, HONE_ERR_INTERNAL,
                          "a compile job arrived broken");
    HONE_TRY(produce(st, &input, &output, err));
    hone__pack_i64(&payload, st->job);
    hone__compile_output_pack(&payload, &output);
    hone__pack_i64(&payload, output.out_of_memory);
    hone__pack_i64(&payload, output.crashed);
    hone__compile_output_free(&output);
    return hone__message_say(st->to_parent, HONE_COMPILE_DONE, &payload, err);
}

/* Children are in this process's group, so that the farm can end them all,
 * and under the same cap. What the parent does on a signal is not for this
 * process: it ends, and the farm sees by which one. */
static void confine(const hone_compile_worker_setup *setup)
{
    static const int signals[] = {SIGHUP, SIGQUIT, SIGTERM, SIGABRT,
                                  SIGBUS, SIGFPE,  SIGILL};
    struct rlimit limit;

    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; ++i)
        (void)signal(signals[i], SIG_DFL);
    hone__guard_start(hone__work_folder_sweep);
    if (!setup->memory_cap_bytes || getrlimit(RLIMIT_DATA, &limit))
        return;
    limit.rlim_cur = (rlim_t)setup->memory_cap_bytes;
    (void)setrlimit(RLIMIT_DATA, &limit);
}

/* Temporary files of the compiler are there from the first one on. */
static void make_folder(state *st)
{
    st->folder =
        hone__work_folder_make(st->folder_path, sizeof st->folder_path);
    if (!st->folder)
        return;
    (void)setenv("TMPDIR", st->folder, 1);
    (void)setenv("CCACHE_TEMPDIR", st->folder, 1);
}

/* The compiler may write into its own folder and into caches: ours, and that of
 * ccache, which may be behind c++. */
static int enter_sandbox(const state *st)
{
    const char *ccache = getenv("CCACHE_DIR");
    const char *home = getenv("HOME");
    char newer[4096] = "", older[4096] = "";
    const char *folders[5] = {st->folder, st->setup->cache_folder, ccache};

    if (home && home[0] == '/' && !ccache) {
        (void)snprintf(newer, sizeof newer, "%s/.cache/ccache", home);
        (void)snprintf(older, sizeof older, "%s/.ccache", home);
        folders[3] = newer;
        folders[4] = older;
    }
    return hone__sandbox_enter(folders, sizeof folders / sizeof folders[0]);
}

int hone__compile_worker(void *user, int from_parent, int to_parent)
{
    static state st; /* one per process; large */
    hone_error err = {.status = HONE_OK};
    hone_text hello = {0};
    hone_status status;
    int is_confined = 0;

    hone__worker_name("hone-compile");
    st.setup = user;
    confine(st.setup);
    /* Else a compiler that outlives this process would keep its end hidden
     * from the parent. */
    (void)fcntl(from_parent, F_SETFD, FD_CLOEXEC);
    (void)fcntl(to_parent, F_SETFD, FD_CLOEXEC);
    st.to_parent = to_parent;
    st.producer = &producers[st.setup->backend];
    make_folder(&st);
    status = st.producer->open(&st, &err);
    hone__toolchain_pack(&hello, &st.toolchain);
    if (status == HONE_OK)
        status =
            hone__message_send(to_parent, HONE_COMPILE_HELLO, &hello, &err);
    hone__text_free(&hello);
    if (status == HONE_OK) {
        is_confined = enter_sandbox(&st);
        status = hone__serve(from_parent, answer, &st, &err);
        hone__cuda_headers_free(&st.cuda);
    }
    hone__text_free(&st.nvrtc_build);
    if (!is_confined) /* else the farm does */
        hone__work_folder_remove(st.folder);
    if (status != HONE_OK)
        hone__serve_failed(to_parent, HONE_COMPILE_FAILED, &err);
    return status == HONE_OK ? 0 : 1;
}
