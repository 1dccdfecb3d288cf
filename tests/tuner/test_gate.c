/* SPDX-License-Identifier: Apache-2.0 */
/* The gates before and after compiling. */
#include "tests/tuner/gate_fixture.h"
#include "runtime/base/text.h"
#include "tests/tuner/ptxas_log.h"

#include <stdio.h>
#include <string.h>

/* Two kernels; the second only for long inputs. BLOCK and SMEM are written
 * in by plan(). */
static const char *plan(const char *block, const char *shared)
{
    static char text[1024];

    (void)snprintf(text, sizeof text,
                   "hone-launch 1\n"
                   "op f\n"
                   "dim n int\n"
                   "dim T type 4\n"
                   "let HALVES ceildiv(n,2)\n"
                   "arg x in T n\n"
                   "arg y out 1 HALVES\n"
                   "require n < 1000000000000\n"
                   "workspace part 4 n > 1000 ? 4*n : 0\n"
                   "launch first\n"
                   "grid ceildiv(n,256) ; 1 ; 1\n"
                   "block %s ; 1 ; 1\n"
                   "shared %s\n"
                   "pass x\n"
                   "value i32 HALVES\n"
                   "launch second\n"
                   "if n > 1000\n"
                   "grid 1 ; n ; 1\n"
                   "block 1024 ; 1 ; 1\n"
                   "pass y\n",
                   block, shared);
    return text;
}

typedef struct answer {
    hone_gate gate;
    char message[320];
} answer;

static answer launch(const char *spec, const char *options, int64_t n)
{
    const int64_t dims[2] = {n, 4};
    hone_properties properties;
    answer a;

    assert_int_equal(hone__properties_of_arch("sm_90", &properties, NULL),
                     HONE_OK);
    a.gate = GATE(hone__gate_launch, spec, n < 0 ? NULL : dims, 2, &properties,
                  options, a.message, sizeof a.message);
    return a;
}

static void expect(answer a, hone_gate gate, const char *part)
{
    if (a.gate != gate || !strstr(a.message, part))
        fail_msg("gate %d: '%s', expected %d: '%s'", (int)a.gate, a.message,
                 (int)gate, part);
    if (gate == HONE_GATE_PASS)
        assert_string_equal(a.message, "");
}

static void test_launch_limits(void **state)
{
    (void)state;
    expect(launch(plan("256", "0"), "", 500), HONE_GATE_PASS, "");
    expect(launch(plan("1024", "227K"), "", 1001), HONE_GATE_PASS, "");
    expect(launch(plan("1025", "0"), "", 500), HONE_GATE_LIMITS, "1025");
    expect(launch(plan("256", "227K+1"), "", 500), HONE_GATE_LIMITS,
           "kernel 'first' wants 232449 bytes");
    /* The second launch counts only where it happens. */
    expect(launch(plan("256", "0"), "", 65535), HONE_GATE_PASS, "");
    expect(launch(plan("256", "0"), "", 65536), HONE_GATE_LIMITS,
           "grid.y of kernel 'second' is 65536");
    expect(launch(plan("256", "0"), "", 1000000000000), HONE_GATE_LIMITS,
           "requires");
}

/* Bytes of x, y and part together: (4 + 2 + 16) n. */
static void test_launch_memory(void **state)
{
    const char *spec = "hone-launch 1\n"
                       "op f\n"
                       "dim n int\n"
                       "dim T type 4\n"
                       "arg x in T n\n"
                       "workspace part 10 n\n"
                       "launch k\n"
                       "grid 1 ; 1 ; 1\n"
                       "block 1 ; 1 ; 1\n"
                       "pass x\n";

    (void)state;
    expect(launch(spec, "", ((int64_t)80 << 30) / 8), HONE_GATE_PASS, "");
    expect(launch(spec, "", ((int64_t)80 << 30) / 8 + 1), HONE_GATE_LIMITS,
           "take 85899345928 bytes; this device has 85899345920");
}

/* A cap the compiler may stay below is no proof. */
static void test_launch_register_cap(void **state)
{
    (void)state;
    expect(launch(plan("512", "0"), "--fmad=true\n--maxrregcount=128\n", 9),
           HONE_GATE_PASS, "");
    expect(launch(plan("544", "0"), "--maxrregcount=128\n", 9), HONE_GATE_DEFER,
           "128 registers for each of 544 threads");
    expect(launch(plan("544", "0"), "--fmad=true\n", 9), HONE_GATE_PASS, "");
}

static void test_launch_without_sizes(void **state)
{
    (void)state;
    expect(launch(plan("256", "0"), "", -1), HONE_GATE_PASS, "");
    expect(launch(plan("256", "0"), "", 0), HONE_GATE_PASS, "");
    expect(launch(plan("2048", "0"), "", -1), HONE_GATE_LIMITS,
           "kernel 'first' has 2048 threads");
    expect(launch(plan("2048", "0"), "", 0), HONE_GATE_LIMITS, "2048");
    expect(launch(plan("32", "228K"), "", -1), HONE_GATE_LIMITS, "233472");
    expect(launch(plan("sizeof(f32)*512", "0"), "", -1), HONE_GATE_LIMITS,
           "2048");
    /* What reads the size is not decided, also through a let. */
    expect(launch(plan("n", "n*1000000"), "", -1), HONE_GATE_PASS, "");
    expect(launch(plan("HALVES+4096", "0"), "", -1), HONE_GATE_PASS, "");
    expect(launch(plan("512", "0"), "--maxrregcount=255\n", -1),
           HONE_GATE_DEFER, "255");
}

static void test_launch_leaves_errors_to_others(void **state)
{
    const int64_t dims[1] = {-3};
    hone_properties properties;
    answer a;

    (void)state;
    assert_int_equal(hone__properties_of_arch("sm_90", &properties, NULL),
                     HONE_OK);
    a.gate = GATE(hone__gate_launch, plan("256", "0"), dims, 1, &properties, "",
                  a.message, sizeof a.message);
    expect(a, HONE_GATE_PASS, "");
    a.gate = GATE(hone__gate_launch, plan("4096", "0"), NULL, 0, &properties,
                  NULL, NULL, 0);
    assert_int_equal(a.gate, HONE_GATE_LIMITS);
}

/* ---- after compiling ------------------------------------------------- */

static answer compiled(const char *spec, int64_t n, const char *warnings)
{
    const int64_t dims[2] = {n, 4};
    hone_compile_output output = {.ok = 1};
    hone_properties properties;
    answer a;

    assert_int_equal(hone__properties_of_arch("sm_90", &properties, NULL),
                     HONE_OK);
    hone__text_puts(&output.log, ptxas_log);
    (void)snprintf(output.warnings, sizeof output.warnings, "%s", warnings);
    a.gate = GATE(hone__gate_compiled, spec, dims, 2, &properties, &output,
                  a.message, sizeof a.message);
    hone__text_free(&output.log);
    return a;
}

static void test_compiled(void **state)
{
    (void)state;
    expect(compiled(plan("256", "0"), 500, ""), HONE_GATE_PASS, "");
    expect(compiled(plan("768", "0"), 500, ""), HONE_GATE_PASS, "");
    expect(compiled(plan("800", "0"), 500, ""), HONE_GATE_LIMITS,
           "kernel 'first' takes 80 registers for each of 800 threads");
    expect(compiled(plan("256", "226K"), 500, ""), HONE_GATE_PASS, "");
    expect(compiled(plan("256", "226K+1"), 500, ""), HONE_GATE_LIMITS,
           "231425 + 1024 bytes");
    /* 72 registers for 1024 threads: `second`, where it is launched. */
    expect(compiled(plan("256", "0"), 1001, ""), HONE_GATE_LIMITS,
           "kernel 'second' takes 72");
    expect(compiled(plan("256", "0"), 500, "C7510"), HONE_GATE_REJECT,
           "(C7510)");
    /* In the log: with what the compiler says. */
    expect(compiled(plan("256", "0"), 500, "C7517,C7508"), HONE_GATE_REJECT,
           "(C7517,C7508): warpgroup.wait is injected");
}

/* `cluster` of a plan whose sizes are known or not, on two devices. */
static answer cluster(const char *extents, int64_t n, const char *arch)
{
    const int64_t dims[1] = {n};
    char spec[200];
    hone_properties properties;
    answer a;

    (void)snprintf(spec, sizeof spec,
                   "hone-launch 2\nop f\ndim n int\nlaunch k\ngrid 64 ; 16\n"
                   "block 32\ncluster %s\ncooperative\n",
                   extents);
    assert_int_equal(hone__properties_of_arch(arch, &properties, NULL),
                     HONE_OK);
    a.gate = GATE(hone__gate_launch, spec, n ? dims : NULL, 1, &properties, "",
                  a.message, sizeof a.message);
    return a;
}

static void test_clusters(void **state)
{
    (void)state;
    for (int64_t n = 0; n < 2; ++n) {
        expect(cluster("2 ; 8", n, "sm_90"), HONE_GATE_PASS, "");
        expect(cluster("1", n, "sm_80"), HONE_GATE_PASS, "");
        expect(cluster("4 ; 8", n, "sm_90"), HONE_GATE_LIMITS,
               "a cluster of kernel 'k' has 32 blocks; CUDA allows 16");
        expect(cluster("2", n, "sm_80"), HONE_GATE_LIMITS,
               "clusters of 2 blocks; they need sm_90 or newer");
    }
    expect(cluster("n", 0, "sm_80"), HONE_GATE_PASS, "");
    expect(cluster("3*n", 1, "sm_90"), HONE_GATE_LIMITS,
           "which clusters of 3 blocks do not divide");
}

/* Of 2048 threads and 32 blocks of each of 132 multiprocessors. */
static void test_together(void **state)
{
    static const struct {
        const char *geometry;
        hone_gate gate;
    } rows[] = {
        {"grid 4224\nblock 64\ncooperative\n", HONE_GATE_PASS},
        {"grid 4225\nblock 64\ncooperative\n", HONE_GATE_LIMITS},
        {"grid 4225\nblock 64\n", HONE_GATE_PASS},
        {"grid 132 ; 2\nblock 1024\ncooperative\n", HONE_GATE_PASS},
        {"grid 133 ; 2\nblock 1024\ncooperative\n", HONE_GATE_LIMITS},
        {"grid 133 ; 2\nblock 683\ncooperative\n", HONE_GATE_LIMITS},
        {"grid 132 ; 3\nblock 682\ncooperative\n", HONE_GATE_PASS},
        {"grid n+4224\nblock 64\ncooperative\n", HONE_GATE_PASS},
    };
    hone_properties properties;

    (void)state;
    assert_int_equal(hone__properties_of_arch("sm_90", &properties, NULL),
                     HONE_OK);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        const int64_t dims[1] = {1};
        char spec[200];
        answer a;

        (void)snprintf(spec, sizeof spec,
                       "hone-launch 2\nop f\ndim n int\nlaunch k\n%s",
                       rows[i].geometry);
        a.gate = GATE(hone__gate_launch, spec, NULL, 1, &properties, "",
                      a.message, sizeof a.message);
        expect(a, rows[i].gate,
               rows[i].gate == HONE_GATE_PASS ? "" : "at the same time");
        a.gate = GATE(hone__gate_launch, spec, dims, 1, &properties, "",
                      a.message, sizeof a.message);
        expect(a,
               strchr(rows[i].geometry, 'n') == rows[i].geometry + 5
                   ? HONE_GATE_LIMITS
                   : rows[i].gate,
               "");
    }
}

static void test_host(void **state)
{
    static const char head[] = "hone-launch 2\nop f\ndim n int\nlaunch k\n"
                               "grid 2\nblock 32\n";
    const int64_t dims[1] = {5};
    char spec[200];
    char message[200];
    hone_properties properties;

    (void)state;
    hone__properties_of_host(&properties);
    for (int i = 0; i < 3; ++i) {
        static const char *const more[] = {"cluster 2\n", "cooperative\n",
                                           "cluster 1\n"};
        static const char *const says[] = {"launched in clusters",
                                           "launched cooperatively", ""};

        (void)snprintf(spec, sizeof spec, "%s%s", head, more[i]);
        assert_int_equal(GATE(hone__gate_host, spec, dims, 1, &properties, NULL,
                              message, sizeof message),
                         *says[i] ? HONE_GATE_LIMITS : HONE_GATE_PASS);
        assert_non_null(strstr(message, says[i]));
    }
}

static void test_compiled_defers_spills(void **state)
{
    const char *spec = "hone-launch 1\n"
                       "op f\n"
                       "dim n int\n"
                       "dim T type 4\n"
                       "arg x in T n\n"
                       "launch second\n"
                       "grid 1 ; 1 ; 1\n"
                       "block n ; 1 ; 1\n"
                       "pass x\n";

    (void)state;
    expect(compiled(spec, 128, ""), HONE_GATE_DEFER,
           "kernel 'second' spills 32 bytes");
    expect(compiled(spec, 1024, "C7510"), HONE_GATE_LIMITS, "72");
}

static void test_compiled_failed_passes(void **state)
{
    const int64_t dims[2] = {500, 4};
    hone_compile_output output = {.ok = 0};
    hone_properties properties;
    char message[64];

    (void)state;
    assert_int_equal(hone__properties_of_arch("sm_90", &properties, NULL),
                     HONE_OK);
    hone__text_puts(&output.log, ptxas_log);
    assert_int_equal(GATE(hone__gate_compiled, plan("800", "0"), dims, 2,
                          &properties, &output, message, sizeof message),
                     HONE_GATE_PASS);
    hone__text_free(&output.log);
}

/* As ptxas limits kernels with launch bounds of so many threads (13.0,
 * sm_90): 256: 255, 288 to 384: 168, 512: 128, 544 to 640: 96, 768: 80. */
static void test_block_registers(void **state)
{
    static const struct {
        int threads;
        int most;
    } rows[] = {{32, 255},  {256, 255}, {288, 168}, {384, 168},
                {416, 128}, {512, 128}, {544, 96},  {640, 96},
                {672, 80},  {768, 80},  {1024, 64}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        assert_true(hone__gate_block_registers(rows[i].threads, rows[i].most) <=
                    65536);
        if (rows[i].most < 255)
            assert_true(hone__gate_block_registers(rows[i].threads,
                                                   rows[i].most + 1) > 65536);
    }
    assert_int_equal(hone__gate_block_registers(1024, -1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_launch_limits),
        cmocka_unit_test(test_clusters),
        cmocka_unit_test(test_together),
        cmocka_unit_test(test_host),
        cmocka_unit_test(test_launch_memory),
        cmocka_unit_test(test_launch_register_cap),
        cmocka_unit_test(test_launch_without_sizes),
        cmocka_unit_test(test_launch_leaves_errors_to_others),
        cmocka_unit_test(test_compiled),
        cmocka_unit_test(test_compiled_defers_spills),
        cmocka_unit_test(test_compiled_failed_passes),
        cmocka_unit_test(test_block_registers),
    };

    const int n_failed = cmocka_run_group_tests(tests, NULL, NULL);

    hone__launch_spec_free(parsed_plan);
    return n_failed;
}
