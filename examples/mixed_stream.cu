/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of a program and of hone on one stream, by CUDA's runtime API: what
 * one writes the next one reads, without a word in between. Then the same three
 * in a graph.
 *
 *     hone tune saxpy --dims 1048576 --db saxpy.db
 *     nvcc -o mixed_stream mixed_stream.cu -I PREFIX/include -L PREFIX/lib -lhone
 *     HONE_PATH=saxpy.db ./mixed_stream */
#include <hone.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                            \
    do {                                                                       \
        const cudaError_t error = (call);                                      \
        if (error != cudaSuccess) {                                            \
            std::fprintf(stderr, "%s: %s\n", #call,                            \
                         cudaGetErrorString(error));                           \
            std::exit(EXIT_FAILURE);                                           \
        }                                                                      \
    } while (0)

constexpr int N = 1 << 20;

__global__ void ramp(float *x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    x[i] = float(i % 1024);
    y[i] = 1.0f;
}

__global__ void count_wrong(const float *y, float alpha, int *n_wrong)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (y[i] != alpha * float(i % 1024) + 1.0f)
        atomicAdd(n_wrong, 1);
}

static void need(hone_ctx *ctx, hone_status status)
{
    if (status == HONE_OK)
        return;
    std::fprintf(stderr, "mixed_stream: %s\n", hone_error_text(ctx));
    std::exit(EXIT_FAILURE);
}

int main()
{
    const int64_t dims[] = {N};
    float alpha = 2.0f, *x, *y;
    int *n_wrong, result = -1;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t repeated;
    hone_ctx *ctx = nullptr;
    hone_plan *plan = nullptr;
    hone_match match;

    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMalloc(&x, N * sizeof *x));
    CHECK(cudaMalloc(&y, N * sizeof *y));
    CHECK(cudaMalloc(&n_wrong, sizeof *n_wrong));
    CHECK(cudaMemset(n_wrong, 0, sizeof *n_wrong));
    need(ctx, hone_open(nullptr, &ctx));
    need(ctx, hone_plan_create(ctx, "saxpy", dims, 1, &plan, &match));
    std::printf("%s, %s\n", match.implementation, match.reason);

    void *args[] = {&alpha, &x, &y};
    const auto all = [&] {
        ramp<<<N / 256, 256, 0, stream>>>(x, y);
        need(ctx, hone_plan_run(plan, args, HONE_COUNT(args), stream));
        count_wrong<<<N / 256, 256, 0, stream>>>(y, alpha, n_wrong);
    };

    all();
    need(ctx, hone_plan_prepare(plan, stream)); /* nothing is left to load */
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    all();
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&repeated, graph, 0));
    for (int i = 0; i < 10; ++i)
        CHECK(cudaGraphLaunch(repeated, stream));
    CHECK(cudaMemcpyAsync(&result, n_wrong, sizeof result,
                          cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaGetLastError());
    std::printf(result ? "WRONG\n" : "right\n");

    CHECK(cudaGraphExecDestroy(repeated));
    CHECK(cudaGraphDestroy(graph));
    hone_plan_destroy(plan);
    need(ctx, hone_stream_release(ctx, stream));
    hone_close(ctx);
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
    CHECK(cudaFree(n_wrong));
    CHECK(cudaStreamDestroy(stream));
    return result != 0;
}
