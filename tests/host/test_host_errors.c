/* SPDX-License-Identifier: Apache-2.0 */
/* Mistakes in kernels are reported with kind, block, thread and line, never
 * by hanging, and the next launch is not affected. */
#include "tests/host/host_build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char file[] = "kernels_wrong.cu";
static build plain, race;

static int open_kernels(void **state)
{
    (void)state;
    build_open(&plain, file, BUILD_PLAIN);
    build_open(&race, file, BUILD_RACE);
    return 0;
}

static int close_kernels(void **state)
{
    (void)state;
    build_close(&plain);
    build_close(&race);
    return 0;
}

typedef struct mistake {
    const char *kernel;
    int kind;
    unsigned block, thread;
    int has_line; /* of the mark with the kernel's name */
    const char *says, *also;
} mistake;

static const mistake mistakes[] = {
    {"left_early", HONE_HOST_BARRIER, 0, 0, 1, "__syncthreads()",
     "thread (40,0,0) left the kernel"},
    {"two_barriers", HONE_HOST_BARRIER, 0, 5, 1, "arrives at __syncthreads()",
     "thread (0,0,0) waits"},
    {"barrier_or_shuffle", HONE_HOST_DIVERGENCE, 0, 0, 1,
     "__shfl_xor_sync() with mask 0xffffffff",
     "lane 16 waits in __syncthreads()"},
    {"two_masks", HONE_HOST_DIVERGENCE, 0, 16, 1, "mask 0xffffff00", NULL},
    {"crossed", HONE_HOST_DIVERGENCE, 0, 31, 1, "__reduce_add_sync()",
     "lane 30 waits in __shfl_xor_sync() with mask 0xffffffff"},
    {"not_in_mask", HONE_HOST_DIVERGENCE, 0, 1, 1, "lacks its own lane 1",
     "0xfffffffd"},
    {"lane_gone", HONE_HOST_DIVERGENCE, 0, 0, 0, "lane 3 left the kernel",
     "__shfl_xor_sync()"},
    {"trapped", HONE_HOST_TRAP, 2, 33, 1, "__trap()", NULL},
    {"asserted", HONE_HOST_TRAP, 0, 63, 1,
     "assert(threadIdx.x + 1 < blockDim.x) failed", NULL},
    {"too_long", HONE_HOST_BOUNDS, 0, 0, 0, "wrote byte 64 of its 64 bytes",
     NULL},
    {"half_a_product", HONE_HOST_DIVERGENCE, 0, 0, 1, "mma_sync()",
     "lane 20 left the kernel"},
    {"half_a_load", HONE_HOST_DIVERGENCE, 0, 0, 1,
     "after 1 loads and stores of fragments, lane 9 after 0", NULL},
};

static const mistake races[] = {
    {"race_read", HONE_HOST_RACE, 0, 32, 1, "writes static shared memory",
     "read at kernels_wrong.cu:"},
    {"race_write", HONE_HOST_RACE, 0, 1, 1, "writes", "thread (0,0,0) wrote"},
    {"race_loop", HONE_HOST_RACE, 0, 0, 1, "of dynamic shared memory",
     "thread (63,0,0) wrote"},
    {"race_warp", HONE_HOST_RACE, 0, 0, 1, "writes", "wrote at"},
    {"race_copy", HONE_HOST_RACE, 0, 0, 1, "writes", "read at"},
    {"race_part", HONE_HOST_RACE, 0, 33, 1, "writes",
     "wrote at kernels_wrong.cu:"},
    {"race_whole", HONE_HOST_RACE, 0, 32, 1, "reads",
     "wrote at kernels_wrong.cu:"},
};

static const mistake hints[] = {
    {"hint_dynamic", HONE_HOST_BOUNDS, 0, 0, 0, "__stwb() writes shared memory",
     "global memory only"},
    {"hint_fixed", HONE_HOST_BOUNDS, 0, 0, 0, "__ldg() reads shared memory",
     "global memory only"},
};

static void check(const build *b, const mistake *m)
{
    static float out[512];
    static int in[256];
    void *p[] = {out, in};
    void *params[] = {&p[0], &p[1]};
    hone_host_report r;

    if (build_run(b, m->kernel, 4, 64, 64 * 4, params, &r) != m->kind)
        fail_msg("%s: kind %d: %s", m->kernel, r.kind, r.text);
    if (!strstr(r.text, m->says) || (m->also && !strstr(r.text, m->also)))
        fail_msg("%s: %s", m->kernel, r.text);
    if (m->has_line && r.line != line_of(file, m->kernel))
        fail_msg("%s: line %d: %s", m->kernel, r.line, r.text);
}

/* One worker: the first block, and in it the first thread, is reported. */
static void check_place(const build *b, const mistake *m)
{
    static float out[512];
    static int in[256];
    void *p[] = {out, in};
    void *params[] = {&p[0], &p[1]};
    const unsigned shared = m->kind == HONE_HOST_BOUNDS ? 64 : 256;
    const hone_host_launch launch = {m->kernel, {4, 1, 1}, {64, 1, 1},
                                     shared,    params,    1};
    hone_host_report r;
    char place[64];

    assert_int_equal(b->run(&launch, &r), m->kind);
    assert_int_equal(r.block[0], m->block);
    if (m->kind == HONE_HOST_RACE || m->kind == HONE_HOST_BOUNDS)
        return;
    if (r.thread[0] != m->thread)
        fail_msg("%s: %s", m->kernel, r.text);
    (void)snprintf(place, sizeof place, "block (%u,0,0), thread (%u,0,0)",
                   m->block, m->thread);
    assert_non_null(strstr(r.text, place));
    if (m->has_line) {
        (void)snprintf(place, sizeof place, "%s:%d", file, r.line);
        assert_non_null(strstr(r.text, place));
    }
}

static void run_correct(const build *b)
{
    static int out[64], in[256];
    void *p[] = {out, in};
    void *params[] = {&p[0], &p[1]};

    for (int i = 0; i < 256; ++i)
        in[i] = i;
    build_run_ok(b, "no_race", 4, 64, 0, params);
    for (int t = 0; t < 64; ++t)
        assert_int_equal(out[t],
                         63 * 32 + (63 - t == 5 ? 0 : (63 - t) * 4 + 3));
}

static void test_mistakes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; ++i) {
        if (mistakes[i].kind != HONE_HOST_BOUNDS)
            check(&plain, &mistakes[i]);
        check_place(&plain, &mistakes[i]);
        run_correct(&plain);
    }
}

static void test_races(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof races / sizeof races[0]; ++i) {
        check(&race, &races[i]);
        check_place(&race, &races[i]);
        run_correct(&race);
    }
    /* The other mistakes are the same in this build. */
    for (size_t i = 0; i < 4; ++i)
        check(&race, &mistakes[i]);
}

static void test_hints(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof hints / sizeof hints[0]; ++i) {
        check(&plain, &hints[i]);
        check(&race, &hints[i]);
        run_correct(&plain);
    }
}

static void test_missing_wait(void **state)
{
    static int out[64], in[256];
    void *p[] = {out, in};
    void *params[] = {&p[0], &p[1]};

    (void)state;
    for (int i = 0; i < 256; ++i)
        in[i] = i;
    build_run_ok(&plain, "no_wait", 1, 64, 0, params);
    for (int t = 0; t < 64; ++t)
        assert_int_equal(out[t], -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_races),
        cmocka_unit_test(test_hints),
        cmocka_unit_test(test_missing_wait),
    };

    return cmocka_run_group_tests(tests, open_kernels, close_kernels);
}
