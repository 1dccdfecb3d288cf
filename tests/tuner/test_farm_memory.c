/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of the compile farm whose compiler runs out of memory, and the caps on
 * it. A shell script plays the compiler; one test takes the real one. */
#include "tests/tuner/farm_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

static void test_out_of_memory(void **state)
{
    answers got;

    (void)state;
    farm_ask("wrong", &got); /* the source's fault: kept */
    assert_false(got.of[0].ok || got.of[0].out_of_memory);
    farm_ask("wrong", &got);
    assert_true(got.of[0].cached);
    assert_int_equal(farm_n_runs(), 1);
    farm_ask("exhausted", &got);
    assert_true(got.of[0].out_of_memory && !got.of[0].ok);
    assert_true(got.of[0].interrupted); /* another machine may have more */
    farm_log_has(&got, 0, "the compiler ran out of memory");
    farm_log_has(&got, 0, "--jobs");
    farm_log_has(&got, 0, "virtual memory exhausted");
    farm_ask("exhausted", &got); /* not kept */
    assert_false(got.of[0].cached);
    assert_int_equal(farm_n_runs(), 3);
    farm_ask("hungry", &got); /* with a process that did not survive it */
    assert_true(got.of[0].out_of_memory);
    farm_log_has(&got, 0, "the compiler ran out of memory");
    farm_log_has(&got, 0, "LLVM ERROR");
}

/* What reaches the cap of a process is tried again with fewer of them, which
 * may take more each. */
static void test_fewer_take_more(void **state)
{
    answers got;
    hone_farm *farm = farm_open(4, 0, &got);
    const int64_t cap_bytes = farm->setup.memory_cap_bytes;

    (void)state;
    farm_submit(farm, 0, "exhausted");
    farm_wait_for(farm, &got, 1);
    assert_true(got.of[0].out_of_memory && got.of[0].interrupted);
    assert_int_equal(hone__farm_n_workers(farm), 1);
    assert_true(farm->setup.memory_cap_bytes >= cap_bytes);
    assert_int_equal(farm_n_runs(), 3);
    farm_submit(farm, 1, "good");
    farm_wait_for(farm, &got, 2);
    assert_true(got.of[1].ok);
    hone__farm_close(farm);
}

/* The real compiler against a real cap: that of the user's shell. */
static void test_memory_cap(void **state)
{
    static const char eater[] =
        "#define R16(x) x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x\n"
        "#define R64K(x) R16(R16(R16(R16(x))))\n"
        "int a[] = {R16(R16(R64K(1)))};\n";
    struct rlimit before, limit;
    answers got;
    hone_farm *farm;

    (void)state;
    if (IS_SANITIZED || system("c++ --version >/dev/null 2>&1") != 0)
        skip();
    (void)unsetenv("CXX");
    assert_int_equal(getrlimit(RLIMIT_DATA, &before), 0);
    limit = before;
    limit.rlim_cur = (rlim_t)600 << 20;
    assert_int_equal(setrlimit(RLIMIT_DATA, &limit), 0);
    farm = farm_open(1, 0, &got);
    assert_int_equal(farm->setup.memory_cap_bytes, (int64_t)600 << 20);
    farm_submit(farm, 0, eater);
    farm_wait_for(farm, &got, 1);
    farm_submit(farm, 1, "int x;\n");
    farm_wait_for(farm, &got, 2);
    hone__farm_close(farm);
    assert_int_equal(setrlimit(RLIMIT_DATA, &before), 0);
    assert_true(got.of[0].out_of_memory && !got.of[0].ok);
    farm_log_has(&got, 0,
                 "each of 1 compile processes may take 600 MiB "
                 "(`ulimit -d`");
    assert_true(got.of[1].ok);
}

/* A cap is set in the worker, and only there. */
static void test_cap_is_the_worker_s(void **state)
{
    char path[64];
    struct rlimit limit;
    hone_text text = {0};
    answers got;
    hone_farm *farm = farm_open(2, 0, &got);
    const char *line;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_DATA, &limit), 0);
    farm_submit(farm, 0, "any"); /* it is set before the first answer */
    farm_wait_for(farm, &got, 1);
    (void)snprintf(path, sizeof path, "/proc/%d/limits",
                   (int)farm->slots[0].worker.pid);
    assert_int_equal(hone__text_read_file(&text, path, NULL), HONE_OK);
    line = strstr(text.data, "Max data size");
    assert_non_null(line);
    if (IS_SANITIZED)
        assert_int_equal(farm->setup.memory_cap_bytes, 0);
    else
        assert_int_equal(strtoll(line + strlen("Max data size"), NULL, 10),
                         farm->setup.memory_cap_bytes);
    if (limit.rlim_cur == RLIM_INFINITY && !IS_SANITIZED)
        assert_true(farm->setup.memory_cap_bytes >= 1 << 30);
    hone__text_free(&text);
    hone__farm_close(farm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_out_of_memory),
        IN_FOLDER(test_fewer_take_more),
        IN_FOLDER(test_memory_cap),
        IN_FOLDER(test_cap_is_the_worker_s),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
