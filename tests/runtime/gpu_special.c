/* SPDX-License-Identifier: Apache-2.0 */
/* Constant memory, workspaces that are zeroed for each run, cooperative
 * launches and clusters on a real driver: right results on two streams, after
 * changes, and in graphs. Needs no test library, so that it can be carried to
 * a GPU machine. Exit 0: passed; 1: failed; 77: no GPU or no NVRTC here. */
#include "tests/runtime/gpu_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1 << 16, K = 3, BLOCKS = 64 };

/* y[i] = sum(taps) + what was in `sums`; then all wait for all, and block 0
 * writes how many blocks its cluster has behind it. */
static const char source[] =
    "__constant__ float taps[64];\n"
    "extern \"C\" __global__ void fir(float *y, unsigned *arrived,\n"
    "                                float *sums, int n, int k)\n"
    "{\n"
    "    float sum = 0;\n"
    "    unsigned size = 1;\n"
    "    for (int t = 0; t < k; ++t) sum += taps[t];\n"
    "    for (int i = blockIdx.x * 256 + threadIdx.x; i < n;\n"
    "         i += gridDim.x * 256) {\n"
    "        y[i] = sum + sums[i % 256];\n"
    "    }\n"
    "    __syncthreads();\n"
    "    if (threadIdx.x == 0) {\n"
    "        __threadfence();\n"
    "        atomicAdd(arrived, 1u);\n"
    "        while (*(volatile unsigned *)arrived < gridDim.x) { }\n"
    "    }\n"
    "    __syncthreads();\n"
    "    sums[threadIdx.x] = 1000;\n"
    "#if __CUDA_ARCH__ >= 900\n"
    "    asm(\"mov.u32 %0, %%cluster_nctarank;\" : \"=r\"(size));\n"
    "#endif\n"
    "    if (blockIdx.x == 0 && threadIdx.x == 0) y[n] = size;\n"
    "}\n";

/* The second dimension is the size of the clusters. */
static const char plan_text[] =
    "hone-launch 2\nop fir\ndim n int\ndim c int 1\n"
    "arg h in 4 3\narg y out 4 n+1\n"
    "workspace arrived 10 zero-each 1\nworkspace sums 4 zero-each 256\n"
    "constant taps 4 h 3\n"
    "launch fir\ngrid c > 16 ? 1000000 : 64\nblock 256\n"
    "cluster min(c, 16)\ncooperative\n"
    "pass y\npass arrived\npass sums\nvalue i32 n\nvalue i32 3\n";

static hone_cu_ptr h[2];
static hone_cu_ptr y[2];
static hone_stream streams[2];

static void make_database(void)
{
    hone_text cubin = {0};
    hone_db *db;
    tuned_row row = {.arch = gpu_arch(), .op = "fir", .launch_plan = plan_text};

    gpu_compile(source, &cubin);
    db = gpu_create_database();
    row.cubin = cubin.data;
    row.cubin_bytes = cubin.length;
    CHECK(!tuned_put_default(db, &row, &error));
    hone__db_close(db);
    hone__text_free(&cubin);
}

static void set_taps(int i, float value)
{
    const float taps[K] = {value, value, value};

    CHECK(!driver->copy_to_device(h[i], taps, sizeof taps));
}

static void run(hone_plan *plan, int taps, int stream)
{
    void *args[] = {&h[taps], &y[stream]};

    CHECK(hone_plan_run(plan, args, HONE_COUNT(args), streams[stream]) ==
          HONE_OK);
}

/* What every element is; `cluster` blocks said so. */
static float result(int stream, float cluster)
{
    static float host[N + 1];

    CHECK(!driver->stream_synchronize(streams[stream]));
    CHECK(!driver->copy_to_host(host, y[stream], sizeof host));
    for (int i = 1; i < N; ++i)
        CHECK(host[i] == host[0]);
    CHECK(host[N] == cluster);
    return host[0];
}

static hone_plan *plan_of(int64_t cluster)
{
    const int64_t dims[] = {N, cluster};
    hone_plan *plan = NULL;

    CHECK(hone_plan_create(ctx, "fir", dims, 2, &plan, NULL) == HONE_OK);
    return plan;
}

static void changes_and_streams(void)
{
    hone_plan *plan = plan_of(1);

    set_taps(0, 1);
    set_taps(1, 10);
    for (int i = 0; i < 3; ++i) {
        run(plan, 0, 0);
        run(plan, 1, 1);
        CHECK(result(0, 1) == 3 && result(1, 1) == 30);
    }
    set_taps(0, 2);
    run(plan, 0, 0); /* nobody said that they changed */
    CHECK(result(0, 1) == 3);
    CHECK(hone_plan_refresh(plan) == HONE_OK);
    run(plan, 0, 0);
    CHECK(result(0, 1) == 6);
    run(plan, 1, 0);
    CHECK(result(0, 1) == 30);
    set_taps(1, 20);
    CHECK(hone_refresh(ctx) == HONE_OK);
    run(plan, 1, 0);
    CHECK(result(0, 1) == 60);
    hone_plan_destroy(plan);
}

static void graphs(void)
{
    hone_cu_graph graph = NULL;
    hone_cu_graph_exec exec = NULL;
    hone_plan *plan = plan_of(1);

    set_taps(0, 1);
    set_taps(1, 10);
    CHECK(hone_plan_prepare(plan, streams[0]) == HONE_OK);
    run(plan, 0, 0);
    CHECK(!driver->capture_begin(streams[0], HONE_CU_CAPTURE_THREAD_LOCAL));
    run(plan, 0, 0);
    run(plan, 0, 0);
    CHECK(!driver->capture_end(streams[0], &graph));
    CHECK(!driver->graph_instantiate(&exec, graph, 0));
    run(plan, 1, 0);
    CHECK(result(0, 1) == 30);
    set_taps(0, 3);
    CHECK(!driver->graph_launch(exec, streams[0]));
    CHECK(result(0, 1) == 9); /* a graph copies by itself */
    run(plan, 1, 0);          /* the same pointer as last time */
    CHECK(result(0, 1) == 30);
    (void)driver->graph_exec_destroy(exec);
    (void)driver->graph_destroy(graph);
    hone_plan_destroy(plan);
}

static void clusters(int sm)
{
    static const int64_t sizes[] = {2, 8, 16};
    const int64_t too_wide[] = {N, 17};
    hone_plan *plan = NULL;

    for (size_t i = 0; sm >= 90 && i < 3; ++i) {
        plan = plan_of(sizes[i]);
        run(plan, 0, 0);
        (void)result(0, (float)sizes[i]);
        hone_plan_destroy(plan);
    }
    CHECK(hone_plan_create(ctx, "fir", too_wide, 2, &plan, NULL) ==
          HONE_ERR_INPUT);
    CHECK(strstr(hone_error_text(ctx),
                 sm >= 90 ? "run at the same time" : "sm_90") != NULL);
}

int main(void)
{
    gpu_begin();
    make_database();
    gpu_open();
    for (int i = 0; i < 2; ++i)
        CHECK(!driver->memory_alloc(&h[i], K * sizeof(float)) &&
              !driver->memory_alloc(&y[i], (N + 1) * sizeof(float)) &&
              !driver->stream_create(&streams[i], HONE_CU_STREAM_NON_BLOCKING));
    changes_and_streams();
    graphs();
    clusters((int)properties.value[HONE_PROPERTY_sm]);
    return gpu_passed();
}
