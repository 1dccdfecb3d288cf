/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor maps on a real driver: the rules of runtime/launch/tensor_map.c
 * against the driver's own judgement, copies through maps in several buffers,
 * graph capture, pointers and sizes without a map, and what encoding costs.
 * Needs no test library, so that it can be carried to a GPU machine. Exit 0:
 * passed; 1: failed; 77: no GPU of compute capability 9.0, or no NVRTC. */
#include "runtime/driver/map_cache.h"
#include "tests/runtime/gpu_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { M = 1000, K = 516, BYTES = M * K * 4 };

static const char source[] =
    "struct alignas(128) map { unsigned long long opaque[16]; };\n"
    "extern \"C\" __global__ void copy(float *y,\n"
    "    const __grid_constant__ map x_map, int m, int k)\n"
    "{\n"
    "    extern __shared__ unsigned char room[];\n"
    "    __shared__ unsigned long long bar[1];\n"
    "    unsigned at = (unsigned)__cvta_generic_to_shared(room);\n"
    "    unsigned base = (at + 1023) & ~1023u;\n"
    "    unsigned b = (unsigned)__cvta_generic_to_shared(bar);\n"
    "    int x0 = blockIdx.x * 32, y0 = blockIdx.y * 64;\n"
    "    if (threadIdx.x == 0)\n"
    "        asm volatile(\"mbarrier.init.shared::cta.b64 [%0], 1;\\n\"\n"
    "            \"fence.mbarrier_init.release.cluster;\\n\"\n"
    "            \"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], "
    "8192;\"\n"
    "            :: \"r\"(b) : \"memory\");\n"
    "    __syncthreads();\n"
    "    if (threadIdx.x == 0)\n"
    "        asm "
    "volatile(\"cp.async.bulk.tensor.2d.shared::cluster.global\"\n"
    "            \".tile.mbarrier::complete_tx::bytes \"\n"
    "            \"[%0], [%1, {%2, %3}], [%4];\"\n"
    "            :: \"r\"(base), \"l\"(&x_map), \"r\"(x0), \"r\"(y0), "
    "\"r\"(b)\n"
    "            : \"memory\");\n"
    "    asm volatile(\"{ .reg .pred p; again:\\n\"\n"
    "        \"mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\\n\"\n"
    "        \"@!p bra again; }\" :: \"r\"(b) : \"memory\");\n"
    "    for (int i = threadIdx.x; i < 64 * 32; i += 128) {\n"
    "        int row = y0 + i / 32, column = x0 + i % 32;\n"
    "        unsigned o = i * 4;\n"
    "        o ^= (o >> 7 & 7) << 4;\n"
    "        if (row < m && column < k)\n"
    "            y[(long long)row * k + column] =\n"
    "                *(float *)(room + (base - at) + o);\n"
    "    }\n"
    "}\n";

static const char plan_text[] = "hone-launch 2\nop copy\n"
                                "dim M int\ndim K int\n"
                                "arg x in 4 M*K\narg y out 4 M*K\n"
                                "tensormap X_MAP x\n"
                                "map dims K ; M\nmap strides 4*K\n"
                                "map box 32 ; 64\nmap swizzle 128\n"
                                "launch copy\n"
                                "grid ceildiv(K,32) ; ceildiv(M,64)\n"
                                "block 128\nshared 9216\n"
                                "pass y\npass X_MAP\n"
                                "value i32 M\nvalue i32 K\n";

static void make_database(void)
{
    hone_text cubin = {0};
    hone_db *db;
    tuned_row row = {
        .op = "copy", .launch_plan = plan_text, .arch = gpu_arch()};

    gpu_compile(source, &cubin);
    db = gpu_create_database();
    row.cubin = cubin.data;
    row.cubin_bytes = cubin.length;
    CHECK(!tuned_put_default(db, &row, &error));
    hone__db_close(db);
    hone__text_free(&cubin);
}

/* ---- the rules ----------------------------------------------------------
 */

/* Four axes of numbers about a map of f32 with `rank` dimensions. */
static hone_tensor_map map_of(uint64_t choice)
{
    static const int64_t boxes[] = {4, 8, 16, 32, 64, 6, 256, 260};
    static const int64_t strides[] = {
        64, 72, 4096, (INT64_C(1) << 40) - 16, INT64_C(1) << 40, 0, 16, 48};
    static const int64_t swizzles[] = {0, 32, 64, 128};
    static const int64_t dims[] = {1, 7, INT64_C(1) << 32, 0};
    hone_tensor_map map = {.name = "X",
                           .array = "x",
                           .type = HONE_TYPE_F32,
                           .array_bytes = HONE_MAP_UNKNOWN,
                           .rank = 1 + (int)(choice % 5)};

    choice /= 5;
    for (int i = 0; i < map.rank; ++i) {
        map.dims[i] = 16;
        map.strides[i] = 1024;
        map.box[i] = i ? 2 : boxes[choice % 8];
        map.steps[i] = 1;
    }
    choice /= 8;
    map.swizzle = swizzles[choice % 4];
    choice /= 4;
    map.strides[map.rank - 1] = strides[choice % 8];
    choice /= 8;
    map.dims[map.rank - 1] = dims[choice % 4];
    choice /= 4;
    map.steps[map.rank - 1] = choice % 3 == 2 ? 9 : 1 + (int64_t)(choice % 3);
    return map;
}

static hone_cu_result encode(const hone_tensor_map *map, hone_cu_ptr at)
{
    const hone_cu_map_codes codes = hone__tensor_map_codes(map);
    hone_cu_tensor_map out;
    uint64_t dims[5], strides[5];
    uint32_t box[5], steps[5];

    for (int i = 0; i < 5; ++i) {
        dims[i] = (uint64_t)map->dims[i];
        strides[i] = (uint64_t)map->strides[i];
        box[i] = (uint32_t)map->box[i];
        steps[i] = (uint32_t)map->steps[i];
    }
    return driver->tensor_map(&out, codes.type, (uint32_t)map->rank, at, dims,
                              strides + 1, box, steps, HONE_CU_INTERLEAVE_NONE,
                              codes.swizzle, codes.l2, codes.fill);
}

/* What we let through the driver must take; what it takes beyond is told. */
static void check_rules(hone_cu_ptr at)
{
    const uint64_t n = 5 * 8 * 4 * 8 * 4 * 3;
    long n_good = 0, n_stricter = 0, n_wrong = 0;

    for (uint64_t i = 0; i < n; ++i) {
        const hone_tensor_map map = map_of(i);
        const hone_status ours = hone__tensor_map_check(&map, NULL);
        const int theirs = encode(&map, at) == 0;

        n_good += ours == HONE_OK && theirs;
        n_stricter += ours != HONE_OK && theirs;
        if (ours == HONE_OK && !theirs && n_wrong++ < 8)
            (void)fprintf(stderr,
                          "the driver refuses: rank %d, last dim %lld, last "
                          "stride %lld, box %lld, swizzle %lld, last step "
                          "%lld\n",
                          map.rank, (long long)map.dims[map.rank - 1],
                          (long long)map.strides[map.rank - 1],
                          (long long)map.box[0], (long long)map.swizzle,
                          (long long)map.steps[map.rank - 1]);
    }
    (void)printf("rules: %ld of %lu maps are good; the driver takes %ld more "
                 "and refuses %ld of ours\n",
                 n_good, (unsigned long)n, n_stricter, n_wrong);
    CHECK(n_good > 0 && n_wrong == 0);
    CHECK(encode(&(hone_tensor_map){.type = HONE_TYPE_F32,
                                    .rank = 1,
                                    .dims = {16},
                                    .box = {4},
                                    .steps = {1}},
                 at + 8) != 0);
}

/* ---- copies -------------------------------------------------------------
 */

typedef struct buffers {
    hone_cu_ptr x[3];
    hone_cu_ptr y;
    float *host;
} buffers;

static float value_of(int buffer, int i)
{
    return (float)(buffer * 1000003 + i);
}

static void open_buffers(buffers *b)
{
    b->host = malloc(BYTES);
    CHECK(b->host && !driver->memory_alloc(&b->y, BYTES));
    for (int k = 0; k < 3; ++k) {
        CHECK(!driver->memory_alloc(&b->x[k], BYTES));
        for (int i = 0; i < M * K; ++i)
            b->host[i] = value_of(k, i);
        CHECK(!driver->copy_to_device(b->x[k], b->host, BYTES));
    }
}

static void close_buffers(buffers *b)
{
    for (int k = 0; k < 3; ++k)
        (void)driver->memory_free(b->x[k]);
    (void)driver->memory_free(b->y);
    free(b->host);
}

static void clear(const buffers *b)
{
    CHECK(!driver->fill8_async(b->y, 0xff, BYTES, NULL));
    CHECK(!driver->context_synchronize());
}

static int holds(const buffers *b, int buffer)
{
    CHECK(!driver->context_synchronize());
    CHECK(!driver->copy_to_host(b->host, b->y, BYTES));
    for (int i = 0; i < M * K; ++i) {
        if (b->host[i] != value_of(buffer, i))
            return 0;
    }
    return 1;
}

static void check_copies(hone_plan *plan, const buffers *b)
{
    for (int i = 0; i < 6; ++i) {
        hone_cu_ptr x = b->x[i % 3];
        hone_cu_ptr y = b->y;
        void *args[] = {&x, &y};

        clear(b);
        CHECK(!hone_plan_run(plan, args, HONE_COUNT(args), NULL));
        CHECK(holds(b, i % 3));
    }
}

/* The maps of a captured run are those of its pointers, for ever. */
static void check_capture(hone_plan *plan, const buffers *b)
{
    hone_cu_ptr x = b->x[1];
    hone_cu_ptr y = b->y;
    void *args[] = {&x, &y};
    hone_stream stream = NULL;
    hone_cu_graph graph = NULL;
    hone_cu_graph_exec exec = NULL;

    CHECK(!driver->stream_create(&stream, HONE_CU_STREAM_NON_BLOCKING));
    CHECK(!driver->capture_begin(stream, 0));
    CHECK(!hone_plan_run(plan, args, HONE_COUNT(args), stream));
    CHECK(!driver->capture_end(stream, &graph));
    CHECK(!driver->graph_instantiate(&exec, graph, 0));
    x = b->x[2];
    for (int i = 0; i < 3; ++i) {
        clear(b);
        CHECK(!hone_plan_run(plan, args, HONE_COUNT(args), stream));
        CHECK(holds(b, 2));
        clear(b);
        CHECK(!driver->graph_launch(exec, stream));
        CHECK(holds(b, 1));
    }
    (void)driver->graph_exec_destroy(exec);
    (void)driver->graph_destroy(graph);
    (void)driver->stream_destroy(stream);
}

static void check_refusals(hone_plan *plan, const buffers *b)
{
    const int64_t dims[] = {M, K - 1};
    hone_cu_ptr x = b->x[0] + 8;
    hone_cu_ptr y = b->y;
    void *args[] = {&x, &y};
    hone_plan *other = NULL;

    CHECK(hone_plan_run(plan, args, HONE_COUNT(args), NULL) ==
          HONE_ERR_ARGUMENT);
    (void)printf("pointer: %s\n", hone_error_text(ctx));
    CHECK(strstr(hone_error_text(ctx), "no multiple of 16 bytes") != NULL);
    CHECK(hone_plan_create(ctx, "copy", dims, 2, &other, NULL) ==
          HONE_ERR_NOT_FOUND);
    (void)printf("size: %s\n", hone_error_text(ctx));
    CHECK(strstr(hone_error_text(ctx), "stride of dimension 1 is 2060") !=
          NULL);
}

/* ---- costs --------------------------------------------------------------
 */

static double now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void tell_costs(const buffers *b)
{
    hone_resolved *r = calloc(1, sizeof *r);
    hone_map_cache *cache = NULL;
    hone_cu_tensor_map maps[HONE_MAX_MAPS];
    hone_cu_ptr x = b->x[0];
    void *args[] = {&x};
    const int n = 200000;
    double start_ns, encode_ns, find_ns;

    CHECK(r != NULL);
    r->n_maps = 1;
    r->maps[0] = (hone_resolved_map){
        .wanted = 1, .array_kind = HONE_PASS_ARG, .shape = map_of(1)};
    CHECK(!hone__map_cache_create(r, driver, &cache, NULL));
    start_ns = now_ns();
    for (int i = 0; i < n; ++i)
        (void)encode(&r->maps[0].shape, x + 16 * (hone_cu_ptr)(i % 1000));
    encode_ns = (now_ns() - start_ns) / n;
    start_ns = now_ns();
    for (int i = 0; i < n; ++i)
        CHECK(!hone__map_cache_get(cache, args, NULL, maps, NULL));
    find_ns = (now_ns() - start_ns) / n;
    (void)printf("costs: encoding %.0f ns, finding %.1f ns\n", encode_ns,
                 find_ns);
    hone__map_cache_free(cache);
    free(r);
}

int main(void)
{
    const int64_t dims[] = {M, K};
    hone_plan *plan = NULL;
    buffers b;

    gpu_begin();
    if (hone__tensor_map_check_device(
            "X_MAP", properties.value[HONE_PROPERTY_sm], &error))
        gpu_skip(error.text);
    make_database();
    open_buffers(&b);
    check_rules(b.x[0]);
    gpu_open();
    CHECK(!hone_plan_create(ctx, "copy", dims, 2, &plan, NULL));
    check_copies(plan, &b);
    check_capture(plan, &b);
    check_refusals(plan, &b);
    tell_costs(&b);
    hone_plan_destroy(plan);
    close_buffers(&b);
    return gpu_passed();
}
