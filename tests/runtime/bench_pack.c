/* SPDX-License-Identifier: Apache-2.0 */
/* bench_pack [N_WINNERS [N_VARIANTS]]: how long it takes from opening a pack to
 * the first plan, on the fake driver: nothing of the figures is the GPU's. The
 * database that the pack is made of is in memory's file system if there is one.
 *
 * Prints the sizes, and the least and median of 50 times for an exact shape, a
 * neighbour and a default, each with a hone_ctx of its own. */
#include "db/db_pack.h"
#include "runtime/base/alloc.h"
#include "runtime/hone.h"
#include "tests/runtime/bench_fake.h"
#include "tests/runtime/tuned_db.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { REPEATS = 50, CUBIN_BYTES = 20000 };

static const char plan_text[] = "hone-launch 1\n"
                                "op gemm\n"
                                "dim M int\n"
                                "dim N int\n"
                                "dim K int\n"
                                "arg A in 4 M*K\n"
                                "arg B in 4 K*N\n"
                                "arg C inout 4 M*N\n"
                                "require K >= 1\n"
                                "launch gemm\n"
                                "grid ceildiv(N,64) ; ceildiv(M,64)\n"
                                "block 256\n"
                                "pass A\npass B\npass C\n"
                                "value i32 M\nvalue i32 N\nvalue i32 K\n"
                                "work flops 2*M*N*K\n";

static void die(const char *what, const char *why)
{
    (void)fprintf(stderr, "bench_pack: %s: %s\n", what, why);
    exit(1);
}

static double now_us(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static uint64_t next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return *state >> 33;
}

/* What the fake driver loads, and bytes that are about as random as code. */
static void make_cubin(char *out, int variant)
{
    uint64_t state = (uint64_t)variant / 8 + 1;
    const int n = snprintf(out, CUBIN_BYTES, "gemm 0 8,8,8,4,4,4");

    for (int i = n + 1; i < CUBIN_BYTES; ++i)
        out[i] = (char)(next(&state) % 40);
    (void)snprintf(out + CUBIN_BYTES - 16, 16, "%d", variant);
}

/* Winners of shapes that are multiples of 8 up to 8192, in steps. */
static void shape_of(int i, int64_t out[3])
{
    uint64_t state = (uint64_t)i + 77;

    for (int d = 0; d < 3; ++d)
        out[d] = 8 * (int64_t)(1 + next(&state) % 1024);
}

static void fill(hone_db *db, int n_winners, int n_variants)
{
    static char cubin[CUBIN_BYTES];
    hone_error err = {0};

    if (hone__db_begin(db, &err) != HONE_OK)
        die("begin", err.text);
    for (int i = 0; i < n_winners; ++i) {
        char config[40];
        int64_t dims[3];
        const tuned_row row = {.op = "gemm",
                               .dims = dims,
                               .n_dims = 3,
                               .label = "M N K",
                               .config = config,
                               .launch_plan = plan_text,
                               .cubin = cubin,
                               .cubin_bytes = sizeof cubin,
                               .is_default = i % n_variants == 0};

        shape_of(i, dims);
        (void)snprintf(config, sizeof config, "BM=%d", i % n_variants);
        make_cubin(cubin, i % n_variants);
        if (tuned_put(db, &row, &err) != HONE_OK)
            die("put", err.text);
    }
    if (hone__db_commit(db, &err) != HONE_OK)
        die("commit", err.text);
}

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;

    return (a > b) - (a < b);
}

static void measure(const char *path, const char *what, const int64_t *dims)
{
    double open_us[REPEATS], plan_us[REPEATS], all_us[REPEATS];
    hone_match match = {.kind = HONE_MATCH_EXACT};

    for (int i = 0; i < REPEATS; ++i) {
        const double start = now_us();
        hone_ctx *ctx = NULL;
        hone_plan *plan = NULL;
        double opened;

        if (hone_open(path, &ctx) != HONE_OK)
            die("open", hone_error_text(ctx));
        opened = now_us();
        if (hone_plan_create(ctx, "gemm", dims, 3, &plan, &match) != HONE_OK)
            die("plan", hone_error_text(ctx));
        open_us[i] = opened - start;
        all_us[i] = now_us() - start;
        plan_us[i] = all_us[i] - open_us[i];
        hone_plan_destroy(plan);
        hone_close(ctx);
    }
    qsort(open_us, REPEATS, sizeof *open_us, compare);
    qsort(plan_us, REPEATS, sizeof *plan_us, compare);
    qsort(all_us, REPEATS, sizeof *all_us, compare);
    (void)printf("%-10s (kind %d): open %.0f us (median %.0f), first plan %.0f "
                 "(%.0f), both %.0f (%.0f)\n",
                 what, (int)match.kind, open_us[0], open_us[REPEATS / 2],
                 plan_us[0], plan_us[REPEATS / 2], all_us[0],
                 all_us[REPEATS / 2]);
}

int main(int argc, char **argv)
{
    const int n_winners = argc > 1 ? atoi(argv[1]) : 100000;
    const int n_variants = argc > 2 ? atoi(argv[2]) : 1000;
    static const int64_t odd[] = {100000, 3, 1};
    char folder[] = "/dev/shm/hone-bench-XXXXXX";
    char path[64], packed[64];
    hone_db_pack_summary summary;
    hone_text pack = {0};
    hone_error err = {0};
    hone_db *db = NULL;
    int64_t dims[3];

    if (!mkdtemp(folder))
        die(folder, "cannot be made");
    (void)snprintf(path, sizeof path, "%s/a.db", folder);
    (void)snprintf(packed, sizeof packed, "%s/a.pack", folder);
    if (hone__db_open(path, HONE_DB_CREATE, &db, &err) != HONE_OK)
        die("database", err.text);
    fill(db, n_winners, n_variants);
    if (hone__db_pack(db, &(hone_db_pack_request){.n_ops = 0}, &pack, &summary,
                      &err) != HONE_OK ||
        hone__file_replace(packed, pack.data, pack.length, &err) != HONE_OK)
        die("pack", err.text);
    (void)printf("%zu winners, %zu variants: %zu bytes, %zu of them index\n",
                 summary.n_winners, summary.n_variants, pack.length,
                 summary.index_bytes);
    bench_fake_start();
    shape_of(n_winners / 2, dims);
    measure(packed, "exact", dims);
    dims[0] += 16;
    measure(packed, "neighbour", dims);
    measure(packed, "default", odd);
    if (argc > 3) {
        shape_of(n_winners / 2, dims);
        measure(path, "database", dims);
    }
    hone__db_pack_summary_free(&summary);
    hone__text_free(&pack);
    hone__db_close(db);
    (void)unlink(path);
    (void)unlink(packed);
    (void)rmdir(folder);
    return 0;
}
