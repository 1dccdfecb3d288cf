/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime on a real driver, with kernels compiled here: right results,
 * workspaces, graph capture, streams, contexts that are reset or destroyed
 * under it. Needs no test library, so that it can be carried to a GPU
 * machine. Exit 0: passed; 1: failed; 77: no GPU or no NVRTC here. */
#include "tests/runtime/gpu_program.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 100003 };

static const char source[] =
    "extern \"C\" __global__ void axpy(float a, const float *x, float *y,\n"
    "                                  long long n)\n"
    "{\n"
    "    long long i = blockIdx.x * 256LL + threadIdx.x;\n"
    "    if (i < n) y[i] += a * x[i];\n"
    "}\n"
    "extern \"C\" __global__ void sum(const float *x, float *partial,\n"
    "                                 unsigned *ticket, float *out, int n)\n"
    "{\n"
    "    extern __shared__ float s[];\n"
    "    float v = 0;\n"
    "    for (int i = blockIdx.x * 256 + threadIdx.x; i < n;\n"
    "         i += gridDim.x * 256)\n"
    "        v += x[i];\n"
    "    s[16000 + threadIdx.x] = v;\n"
    "    __syncthreads();\n"
    "    if (threadIdx.x) return;\n"
    "    for (int i = 1; i < 256; ++i) v += s[16000 + i];\n"
    "    partial[blockIdx.x] = v;\n"
    "    __threadfence();\n"
    "    if (atomicInc(ticket, gridDim.x - 1) != gridDim.x - 1) return;\n"
    "    __threadfence();\n"
    "    v = 0;\n"
    "    for (int i = 0; i < gridDim.x; ++i)\n"
    "        v += ((volatile float *)partial)[i];\n"
    "    *out = v;\n"
    "}\n";

static const char axpy_plan[] = "hone-launch 1\nop axpy\ndim n int\n"
                                "arg a scalar 4\narg x in 4 n\n"
                                "arg y inout 4 n\n"
                                "launch axpy\ngrid ceildiv(n,256)\n"
                                "block 256\npass a\npass x\npass y\n"
                                "value i64 n\n";
static const char sum_plan[] = "hone-launch 1\nop sum\ndim n int\n"
                               "arg x in 4 n\narg out out 4 1\n"
                               "workspace partial 4 64\n"
                               "workspace ticket 10 zero 1\n"
                               "launch sum\ngrid 64\nblock 256\n"
                               "shared 16256*4\n"
                               "pass x\npass partial\npass ticket\npass out\n"
                               "value i32 n\n";

/* The same kernel; the shape is only how much memory it takes. */
static const char work_plan[] = "hone-launch 1\nop work\ndim n int\n"
                                "arg x in 4 1000\narg out out 4 1\n"
                                "workspace partial 4 64+n\n"
                                "workspace ticket 10 zero n\n"
                                "launch sum\ngrid 64\nblock 256\n"
                                "shared 16256*4\n"
                                "pass x\npass partial\npass ticket\npass out\n"
                                "value i32 1000\n";

static void make_database(void)
{
    hone_text cubin = {0};
    hone_db *db;
    tuned_row row = {.arch = gpu_arch()};

    gpu_compile(source, &cubin);
    db = gpu_create_database();
    row.cubin = cubin.data;
    row.cubin_bytes = cubin.length;
    row.op = "axpy";
    row.launch_plan = axpy_plan;
    CHECK(!tuned_put_default(db, &row, &error));
    row.op = "sum";
    row.launch_plan = sum_plan;
    CHECK(!tuned_put_default(db, &row, &error));
    row.op = "work";
    row.launch_plan = work_plan;
    CHECK(!tuned_put_default(db, &row, &error));
    hone__db_close(db);
    hone__text_free(&cubin);
}

static hone_cu_ptr device_floats(float value)
{
    float *host = malloc(N * sizeof *host);
    hone_cu_ptr device = 0;

    CHECK(host && !driver->memory_alloc(&device, N * sizeof *host));
    for (int i = 0; i < N; ++i)
        host[i] = value;
    CHECK(!driver->copy_to_device(device, host, N * sizeof *host));
    free(host);
    return device;
}

static float device_float(hone_cu_ptr at)
{
    float value = -1;

    CHECK(!driver->copy_to_host(&value, at, sizeof value));
    return value;
}

/* y = 2 + 3*1 through hone_launch, in whatever context is current. */
static void check_axpy(void)
{
    const int64_t n = N;
    hone_cu_ptr x = device_floats(1);
    hone_cu_ptr y = device_floats(2);
    float a = 3;
    void *args[] = {&a, &x, &y};

    CHECK(!hone_launch(ctx, "axpy", &n, 1, args, HONE_COUNT(args), NULL));
    CHECK(!driver->context_synchronize());
    CHECK(device_float(y) == 5.0f);
    CHECK(device_float(y + (N - 1) * sizeof a) == 5.0f);
    (void)driver->memory_free(x);
    (void)driver->memory_free(y);
}

static void check_workspaces(void)
{
    const int64_t n = N;
    hone_cu_ptr x = device_floats(1);
    hone_cu_ptr out = device_floats(0);
    void *args[] = {&x, &out};
    hone_stream streams[3] = {NULL};
    hone_plan *plan = NULL;
    hone_match match;

    CHECK(!hone_plan_create(ctx, "sum", &n, 1, &plan, &match));
    CHECK(match.kind == HONE_MATCH_DEFAULT);
    CHECK(!driver->stream_create(&streams[1], HONE_CU_STREAM_NON_BLOCKING));
    streams[2] = (hone_stream)(uintptr_t)2; /* the per-thread one */
    for (int i = 0; i < 30; ++i) {
        CHECK(!hone_plan_run(plan, args, HONE_COUNT(args), streams[i % 3]));
        CHECK(!driver->context_synchronize());
        CHECK(device_float(out) == (float)N);
        CHECK(!driver->fill8_async(out, 0xff, 4, NULL));
    }
    hone_plan_destroy(plan);
    (void)driver->stream_destroy(streams[1]);
    (void)driver->memory_free(x);
    (void)driver->memory_free(out);
}

static void check_capture(void)
{
    const int64_t n = N;
    hone_cu_ptr x = device_floats(1);
    hone_cu_ptr out = device_floats(0);
    void *args[] = {&x, &out};
    hone_stream stream = NULL;
    hone_plan *plan = NULL;
    hone_cu_graph graph = NULL;
    hone_cu_graph_exec exec = NULL;

    CHECK(!driver->stream_create(&stream, HONE_CU_STREAM_NON_BLOCKING));
    CHECK(!hone_plan_create(ctx, "sum", &n, 1, &plan, NULL));
    /* Unprepared: refused with a sentence that says what to do. */
    CHECK(!driver->capture_begin(stream, 0));
    CHECK(hone_plan_run(plan, args, HONE_COUNT(args), stream) == HONE_ERR_CUDA);
    CHECK(strstr(hone_error_text(ctx), "hone_plan_prepare()") != NULL);
    (void)driver->capture_end(stream, &graph);
    CHECK(!hone_plan_prepare(plan, stream));
    CHECK(!driver->capture_begin(stream, 0));
    CHECK(!hone_plan_run(plan, args, HONE_COUNT(args), stream));
    CHECK(!driver->capture_end(stream, &graph));
    CHECK(!driver->graph_instantiate(&exec, graph, 0));
    for (int i = 0; i < 5; ++i)
        CHECK(!driver->graph_launch(exec, stream));
    CHECK(!driver->stream_synchronize(stream));
    CHECK(device_float(out) == (float)N);
    (void)driver->graph_exec_destroy(exec);
    (void)driver->graph_destroy(graph);
    hone_plan_destroy(plan);
    (void)driver->stream_destroy(stream);
    (void)driver->memory_free(x);
    (void)driver->memory_free(out);
}

static size_t free_bytes(void)
{
    size_t n_free = 0;
    size_t n_total = 0;

    CHECK(!driver->memory_info(&n_free, &n_total));
    return n_free;
}

/* A graph goes on when the stream's memory has grown since it was captured,
 * when its plan is destroyed and when cached plans are evicted. */
static void check_graph_outlives_its_plan(void)
{
    const int64_t small = 100;
    const int64_t large = 1 << 24;
    hone_cu_ptr x = device_floats(1);
    hone_cu_ptr out = device_floats(0);
    void *args[] = {&x, &out};
    hone_stream stream = NULL;
    hone_plan *plan = NULL;
    hone_cu_graph graph = NULL;
    hone_cu_graph_exec exec = NULL;
    size_t before;

    CHECK(!driver->stream_create(&stream, HONE_CU_STREAM_NON_BLOCKING));
    CHECK(!hone_plan_create(ctx, "work", &small, 1, &plan, NULL));
    CHECK(!hone_plan_prepare(plan, stream));
    /* The cache has a plan of its own, which its first run prepares. */
    CHECK(!hone_launch(ctx, "work", &small, 1, args, HONE_COUNT(args), stream));
    CHECK(!driver->capture_begin(stream, 0));
    CHECK(!hone_plan_run(plan, args, HONE_COUNT(args), stream));
    CHECK(!hone_launch(ctx, "work", &small, 1, args, HONE_COUNT(args), stream));
    CHECK(!driver->capture_end(stream, &graph));
    CHECK(!driver->graph_instantiate(&exec, graph, 0));
    hone_plan_destroy(plan);
    CHECK(!hone_plan_limit(ctx, 1));
    for (int64_t n = large; n < large + 100; ++n) {
        CHECK(!hone_launch(ctx, "work", &n, 1, args, HONE_COUNT(args), stream));
        CHECK(!driver->fill8_async(out, 0xff, 4, stream));
        CHECK(!driver->graph_launch(exec, stream));
        CHECK(!driver->stream_synchronize(stream));
        CHECK(device_float(out) == 1000.0f);
    }
    (void)driver->graph_exec_destroy(exec);
    (void)driver->graph_destroy(graph);
    before = free_bytes();
    CHECK(!hone_stream_release(ctx, stream));
    CHECK(free_bytes() >= before + (size_t)large * 8);
    (void)driver->stream_destroy(stream);
    CHECK(!hone_plan_limit(ctx, 4096));
    (void)driver->memory_free(x);
    (void)driver->memory_free(out);
}

/* Functions of the driver that the runtime has no use for. */
static void *driver_symbol(const char *name)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, name) : NULL;

    CHECK(symbol != NULL);
    return symbol;
}

/* cuDevicePrimaryCtxReset, which is what cudaDeviceReset() does. */
static void check_reset(void)
{
    hone_cu_result (*reset)(hone_cu_device);
    void *const symbol = driver_symbol("cuDevicePrimaryCtxReset_v2");
    const int64_t n = N;
    hone_cu_context context = NULL;
    hone_plan *plan = NULL;

    memcpy(&reset, &symbol, sizeof symbol);
    check_axpy();
    CHECK(!hone_plan_create(ctx, "sum", &n, 1, &plan, NULL));
    CHECK(!hone_plan_prepare(plan, NULL));
    CHECK(!reset(0));
    CHECK(!driver->primary_retain(&context, 0));
    CHECK(!driver->context_set(context));
    check_axpy();
    hone_plan_destroy(plan); /* of the context that is gone */
    check_axpy();
}

/* A context of the caller's own, destroyed before hone_close(). */
static void check_destroyed(void)
{
    hone_cu_result (*create)(hone_cu_context *, unsigned, hone_cu_device);
    hone_cu_result (*destroy)(hone_cu_context);
    void *const symbols[] = {driver_symbol("cuCtxCreate_v2"),
                             driver_symbol("cuCtxDestroy_v2")};
    hone_cu_context primary = NULL;
    hone_cu_context own = NULL;

    memcpy(&create, &symbols[0], sizeof symbols[0]);
    memcpy(&destroy, &symbols[1], sizeof symbols[1]);
    CHECK(!driver->context_get(&primary));
    CHECK(!create(&own, 0, 0));
    check_axpy();
    CHECK(!driver->context_set(primary));
    check_axpy();
    CHECK(!driver->context_set(own));
    check_axpy();
    CHECK(!destroy(own));
    CHECK(!driver->context_set(primary));
    check_axpy();
}

int main(void)
{
    gpu_begin();
    make_database();
    gpu_open();
    check_axpy();
    check_workspaces();
    check_capture();
    check_graph_outlives_its_plan();
    check_reset();
    check_destroyed();
    (void)driver->context_set(NULL); /* none is current when all is closed */
    return gpu_passed();
}
