/* SPDX-License-Identifier: Apache-2.0 */
/* What cuBLASLt's heuristic proposes for matrix products, and what each of its
 * proposals takes: whether what they are made of tells which is the fastest.
 *
 *     nvcc -O2 -o proposals tests/gpu/library_proposals.cu -lcublasLt
 *     awk -v seed=2401 -v n=24 -f tests/gpu/six_classes.awk |
 *         sed 's/$/,f16,f32,0,0,1/' | ./proposals >proposals.csv
 *
 * A line of stdin: M,N,K, the type of A and B (f16 or bf16), that of C (the same or
 * f32), is A transposed, is B, is half of C added (beta = 0.5, so that C stays
 * finite); matrices lie row by row. A line of stdout for each
 * proposal, most of 32: the same, its rank, what its algorithm is, and how long it
 * took in ns: the median of nine replays of a graph of launches one behind the other,
 * and the shortest and longest of these. The launches take turns on up to 64 sets of
 * arrays: sets of 1 MB and more are not in the level 2 cache when their turn comes,
 * smaller ones may be.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <vector>

static const size_t kWorkspace = 32u << 20, kCold = 256u << 20;
static const int kMost = 32, kReplays = 9, kMostSets = 64;
static const float kGraphMs = 0.3f; /* so long is a graph, or all sets' turn */

static void need(int status, const char *what)
{
    if (status) {
        fprintf(stderr, "%s: error %d\n", what, status);
        exit(1);
    }
}

/* Numbers about 1, either sign, without a pattern that saves power. */
template <typename T> __global__ void fill(T *x, size_t n, unsigned seed)
{
    for (size_t i = blockIdx.x * 256ull + threadIdx.x; i < n;
         i += gridDim.x * 256ull) {
        unsigned h = (unsigned)i * 2654435761u ^ seed;

        h = (h ^ h >> 15) * 2246822519u;
        h = (h ^ h >> 13) * 3266489917u;
        x[i] = T((float)(int)(h ^ h >> 16) * 0x1p-31f);
    }
}

struct problem {
    long long m, n, k;
    char in[8], out[8];
    int ta, tb, add;
};

/* One after the other, so that each is cold when its turn comes again. */
struct arrays {
    char *memory;
    size_t a, b, c, set; /* bytes */
    int n_sets;
};

struct described {
    cublasLtMatmulDesc_t desc;
    cublasLtMatrixLayout_t left, right, out; /* of B, A and C, column by column */
};

static cublasLtHandle_t library;
static void *workspace;
static cudaStream_t stream;

static cudaDataType_t type_of(const char *name)
{
    return !strcmp(name, "f16")    ? CUDA_R_16F
           : !strcmp(name, "bf16") ? CUDA_R_16BF
                                   : CUDA_R_32F;
}
static size_t padded(size_t bytes) { return (bytes + 255) / 256 * 256; }

static arrays make_arrays(const problem &p)
{
    const size_t out_bytes = type_of(p.out) == CUDA_R_32F ? 4 : 2;
    arrays x = {nullptr, padded(p.m * p.k * 2), padded(p.k * p.n * 2),
                padded(p.m * p.n * out_bytes), 0, 0};

    x.set = x.a + x.b + x.c;
    x.n_sets = (int)std::min((kCold + x.set - 1) / x.set, (size_t)kMostSets);
    x.n_sets = std::max(x.n_sets, 2);
    need(cudaMalloc(&x.memory, x.set * x.n_sets), "cudaMalloc");
    for (int i = 0; i < x.n_sets; ++i) {
        char *at = x.memory + x.set * i;

        if (type_of(p.in) == CUDA_R_16F)
            fill<<<1024, 256>>>((half *)at, (x.a + x.b) / 2, i);
        else
            fill<<<1024, 256>>>((nv_bfloat16 *)at, (x.a + x.b) / 2, i);
    }
    need(cudaDeviceSynchronize(), "fill");
    return x;
}

static described describe(const problem &p)
{
    const cublasOperation_t left_op = p.tb ? CUBLAS_OP_T : CUBLAS_OP_N;
    const cublasOperation_t right_op = p.ta ? CUBLAS_OP_T : CUBLAS_OP_N;
    const cudaDataType_t in = type_of(p.in);
    const long long b_rows = p.tb ? p.k : p.n, b_cols = p.tb ? p.n : p.k;
    const long long a_rows = p.ta ? p.m : p.k, a_cols = p.ta ? p.k : p.m;
    described d;

    need(cublasLtMatmulDescCreate(&d.desc, CUBLAS_COMPUTE_32F, CUDA_R_32F),
         "desc");
    need(cublasLtMatmulDescSetAttribute(d.desc, CUBLASLT_MATMUL_DESC_TRANSA,
                                        &left_op, sizeof left_op),
         "left op");
    need(cublasLtMatmulDescSetAttribute(d.desc, CUBLASLT_MATMUL_DESC_TRANSB,
                                        &right_op, sizeof right_op),
         "right op");
    need(cublasLtMatrixLayoutCreate(&d.left, in, b_rows, b_cols, b_rows), "B");
    need(cublasLtMatrixLayoutCreate(&d.right, in, a_rows, a_cols, a_rows), "A");
    need(cublasLtMatrixLayoutCreate(&d.out, type_of(p.out), p.n, p.m, p.n), "C");
    return d;
}

/* As many bytes as rows of so many elements leave of 16. */
static unsigned alignment(long long elements, int element_bytes)
{
    const unsigned long long bits = 16ull | elements * element_bytes;

    return (unsigned)(bits & -bits);
}

static int ask(const problem &p, const described &d,
               cublasLtMatmulHeuristicResult_t *results)
{
    const int out_bytes = type_of(p.out) == CUDA_R_32F ? 4 : 2;
    const unsigned of[4] = {alignment(p.tb ? p.k : p.n, 2),
                            alignment(p.ta ? p.m : p.k, 2),
                            alignment(p.n, out_bytes), alignment(p.n, out_bytes)};
    const cublasLtMatmulPreferenceAttributes_t which[4] = {
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES};
    cublasLtMatmulPreference_t wish;
    int n = 0;

    need(cublasLtMatmulPreferenceCreate(&wish), "preference");
    need(cublasLtMatmulPreferenceSetAttribute(
             wish, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &kWorkspace,
             sizeof kWorkspace),
         "workspace");
    for (int i = 0; i < 4; ++i)
        need(cublasLtMatmulPreferenceSetAttribute(wish, which[i], &of[i],
                                                  sizeof of[i]),
             "alignment");
    if (cublasLtMatmulAlgoGetHeuristic(library, d.desc, d.left, d.right, d.out,
                                       d.out, wish, kMost, results, &n))
        n = 0;
    cublasLtMatmulPreferenceDestroy(wish);
    return n;
}

/* Launches one behind the other; the first error. */
static int launch(const arrays &x, const described &d, float beta,
                  const cublasLtMatmulAlgo_t &algorithm, int n)
{
    const float one = 1;
    int status = 0;

    for (int i = 0; i < n && !status; ++i) {
        char *at = x.memory + x.set * (i % x.n_sets);

        status = cublasLtMatmul(library, d.desc, &one, at + x.a, d.left, at,
                                d.right, &beta, at + x.a + x.b, d.out,
                                at + x.a + x.b, d.out, &algorithm, workspace,
                                kWorkspace, stream);
    }
    return status;
}

/* What a graph of `n` launches takes, each of several times; empty: it fails. */
static std::vector<float> replay(const arrays &x, const described &d, float beta,
                                 const cublasLtMatmulAlgo_t &algorithm, int n,
                                 int replays)
{
    std::vector<float> times;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t made = nullptr;
    cudaEvent_t begin, end;
    int status;

    need(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
         "capture");
    status = launch(x, d, beta, algorithm, n);
    need(cudaStreamEndCapture(stream, &graph), "graph");
    if (status) {
        cudaGraphDestroy(graph);
        return times;
    }
    need(cudaGraphInstantiate(&made, graph, 0), "instantiate");
    need(cudaEventCreate(&begin), "event");
    need(cudaEventCreate(&end), "event");
    for (int i = 0; i <= replays; ++i) {
        float ms;

        need(cudaEventRecord(begin, stream), "record");
        need(cudaGraphLaunch(made, stream), "replay");
        need(cudaEventRecord(end, stream), "record");
        need(cudaEventSynchronize(end), "wait");
        need(cudaEventElapsedTime(&ms, begin, end), "elapsed");
        if (i)
            times.push_back(ms / n);
    }
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    cudaGraphExecDestroy(made);
    cudaGraphDestroy(graph);
    std::sort(times.begin(), times.end());
    return times;
}

template <typename T>
static long long config(const cublasLtMatmulAlgo_t &algorithm,
                        cublasLtMatmulAlgoConfigAttributes_t which)
{
    T value = 0;
    size_t written = 0;

    return cublasLtMatmulAlgoConfigGetAttribute(&algorithm, which, &value,
                                                sizeof value, &written)
               ? -1
               : (long long)value;
}

static void say(const problem &p, int rank,
                const cublasLtMatmulHeuristicResult_t &r,
                const std::vector<float> &times)
{
    const cublasLtMatmulAlgo_t &a = r.algo;

    printf("%lld,%lld,%lld,%s,%s,%d,%d,%d,%d", p.m, p.n, p.k, p.in, p.out,
           p.ta, p.tb, p.add, rank);
    printf(",%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld",
           config<int>(a, CUBLASLT_ALGO_CONFIG_ID),
           config<unsigned>(a, CUBLASLT_ALGO_CONFIG_TILE_ID),
           config<unsigned>(a, CUBLASLT_ALGO_CONFIG_STAGES_ID),
           config<unsigned>(a, CUBLASLT_ALGO_CONFIG_SPLITK_NUM),
           config<unsigned>(a, CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME),
           config<unsigned>(a, CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING),
           config<unsigned>(a, CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION),
           config<unsigned short>(a, CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID),
           config<unsigned short>(a, CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID));
    printf(",%zu,%g,%.0f,%.0f,%.0f\n", r.workspaceSize, r.wavesCount,
           times[times.size() / 2] * 1e6, times.front() * 1e6,
           times.back() * 1e6);
    fflush(stdout);
}

static void run(const problem &p)
{
    cublasLtMatmulHeuristicResult_t results[kMost];
    const described d = describe(p);
    const float beta = p.add ? 0.5f : 0;
    const arrays x = make_arrays(p);
    const int n = ask(p, d, results);

    for (int i = 0; i < n; ++i) {
        if (results[i].state || launch(x, d, beta, results[i].algo, 2))
            continue; /* which has loaded its kernels otherwise */
        need(cudaStreamSynchronize(stream), "first launches");
        const std::vector<float> rough = replay(x, d, beta, results[i].algo, 4, 1);
        if (rough.empty())
            continue;
        const int launches =
            std::min(256, std::max(x.n_sets, (int)(kGraphMs / rough[0])));
        const std::vector<float> times =
            replay(x, d, beta, results[i].algo, launches, kReplays);
        if (!times.empty())
            say(p, i, results[i], times);
    }
    cublasLtMatrixLayoutDestroy(d.left);
    cublasLtMatrixLayoutDestroy(d.right);
    cublasLtMatrixLayoutDestroy(d.out);
    cublasLtMatmulDescDestroy(d.desc);
    need(cudaFree(x.memory), "cudaFree");
}

int main()
{
    char line[256];
    problem p;

    need(cublasLtCreate(&library), "cublasLtCreate");
    need(cudaMalloc(&workspace, kWorkspace), "cudaMalloc");
    need(cudaStreamCreate(&stream), "stream");
    printf("m,n,k,in,out,ta,tb,add,rank,id,tile,stages,splits,reduction,swizzle,"
           "custom,inner,cluster,workspace_bytes,waves,time_ns,least_ns,most_ns\n");
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "%lld,%lld,%lld,%7[^,],%7[^,],%d,%d,%d", &p.m, &p.n, &p.k,
                   p.in, p.out, &p.ta, &p.tb, &p.add) != 8 ||
            p.m < 1 || p.n < 1 || p.k < 1) {
            fprintf(stderr, "not M,N,K,type,type,0 or 1,0 or 1,0 or 1: %s", line);
            return 2;
        }
        run(p);
    }
    return 0;
}
