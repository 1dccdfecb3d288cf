/* SPDX-License-Identifier: Apache-2.0 */
/* The compile farm's pure parts: how long a compile may take, and what of the
 * machine the farm may use. */
#include "runtime/base/text.h"
#include "tuner/compile/allowance.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- how long a compile may take --------------------------------------- */

static void add(hone_compile_limit *limit, int n, double seconds)
{
    for (int i = 0; i < n; ++i)
        hone__limit_add(limit, seconds);
}

static int near(double a, double b)
{
    return a > b - 1e-9 && a < b + 1e-9;
}

static void test_limit_learns_first(void **state)
{
    hone_compile_limit limit;
    char text[160];

    (void)state;
    hone__limit_start(&limit, 120);
    assert_true(near(hone__limit_s(&limit), 120));
    add(&limit, HONE_LIMIT_LEARNS - 1, 0.5);
    assert_true(near(hone__limit_s(&limit), 120));
    hone__limit_text(&limit, text, sizeof text);
    assert_string_equal(text, "the most any compile may take");
    add(&limit, 1, 0.5);
    assert_true(near(hone__limit_s(&limit), 15)); /* 2 s would be too few */
    hone__limit_text(&limit, text, sizeof text);
    assert_string_equal(text, "4 times what 95 % of the last 32 compiles "
                              "took (0.5 s), but at least 15 s");
}

static void test_limit_follows_what_is_common(void **state)
{
    hone_compile_limit limit;

    (void)state;
    hone__limit_start(&limit, 120);
    add(&limit, 95, 5);
    add(&limit, 5, 100); /* one in twenty: a tail, not the rule */
    assert_true(near(hone__limit_s(&limit), 20));
    add(&limit, 1, 100); /* one more is the rule: as long as may be */
    assert_true(near(hone__limit_s(&limit), 120));
    /* What was long ago does not count. */
    add(&limit, HONE_LIMIT_WINDOW, 6);
    assert_true(near(hone__limit_s(&limit), 24));
    assert_true(near(limit.common_s, 6));
}

static void test_limit_is_never_above_the_most(void **state)
{
    hone_compile_limit limit;

    (void)state;
    hone__limit_start(&limit, 4);
    add(&limit, 100, 0.5);
    assert_true(near(hone__limit_s(&limit), 4)); /* below the usual 15 s */
    add(&limit, 300, 3);
    assert_true(near(hone__limit_s(&limit), 4));
}

/* Compiles that were ended count with the time they were given: where many
 * are, the limit grows until they fit or reach the most. */
static void test_limit_grows_where_many_are_ended(void **state)
{
    hone_compile_limit limit;
    double before;

    (void)state;
    hone__limit_start(&limit, 120);
    add(&limit, 200, 1);
    before = hone__limit_s(&limit);
    assert_true(near(before, 15));
    add(&limit, 20, before);
    assert_true(near(hone__limit_s(&limit), 60));
    add(&limit, 20, hone__limit_s(&limit));
    assert_true(near(hone__limit_s(&limit), 120));
}

/* ---- what the farm may use --------------------------------------------- */

static char root[64];

static int make_root(void **state)
{
    (void)state;
    (void)snprintf(root, sizeof root, "/tmp/hone-allowance-XXXXXX");
    return !mkdtemp(root);
}

static int remove_root(void **state)
{
    char command[96];

    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf %s", root);
    return system(command);
}

static void put(const char *path, const char *text)
{
    char whole[256];
    char *slash;

    (void)snprintf(whole, sizeof whole, "%s%s", root, path);
    slash = strrchr(whole, '/');
    *slash = '\0';
    assert_int_equal(hone__folder_create(whole, NULL), HONE_OK);
    *slash = '/';
    assert_int_equal(hone__file_replace(whole, text, strlen(text), NULL),
                     HONE_OK);
}

static void expect(int n_cores, int64_t memory_bytes)
{
    hone_allowance found;

    hone__allowance_files(root, &found);
    assert_int_equal(found.n_cores, n_cores);
    assert_int_equal(found.memory_bytes, memory_bytes);
}

static void test_allowance_of_a_plain_machine(void **state)
{
    (void)state;
    expect(INT_MAX, INT64_MAX); /* nothing is known */
    put("/proc/meminfo", "MemTotal:       8000 kB\n"
                         "MemFree:         100 kB\n"
                         "MemAvailable:   4000 kB\n");
    put("/proc/self/cgroup", "0::/user.slice\n");
    put("/sys/fs/cgroup/user.slice/cpu.max", "max 100000\n");
    put("/sys/fs/cgroup/user.slice/memory.max", "max\n");
    expect(INT_MAX, 4000 * 1024);
}

static void test_allowance_of_groups(void **state)
{
    (void)state;
    put("/proc/meminfo", "MemAvailable:   4000 kB\n");
    put("/proc/self/cgroup", "0::/a/b\n");
    put("/sys/fs/cgroup/a/b/cpu.max", "250000 100000\n");
    expect(3, 4000 * 1024); /* 2.5 rounded up */
    /* A group above may have less. */
    put("/sys/fs/cgroup/a/cpu.max", "100000 100000\n");
    put("/sys/fs/cgroup/a/memory.max", "1048576\n");
    expect(1, 1048576);
    /* Inside a container its own group is the root. */
    put("/proc/self/cgroup", "0::/\n");
    put("/sys/fs/cgroup/cpu.max", "700000 100000\n");
    put("/sys/fs/cgroup/memory.max", "2097152\n");
    expect(7, 2097152);
    put("/proc/self/cgroup", "0::/../../not/here\n");
    expect(7, 2097152);
}

static void test_allowance_of_old_groups(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "9:memory:/docker/x\n"
                             "4:cpuset:/\n"
                             "3:cpuacct,cpu:/docker/x\n"
                             "1:name=systemd:/docker/x\n");
    put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
    put("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    expect(INT_MAX, 9223372036854771712);
    put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n");
    expect(1, 1073741824);
}

static void test_oom_kills(void **state)
{
    (void)state;
    assert_int_equal(hone__allowance_oom_kills(root), -1);
    put("/proc/vmstat", "nr_free_pages 5\noom_kill 7\n");
    assert_int_equal(hone__allowance_oom_kills(root), 7);
    put("/proc/self/cgroup", "4:cpuset:/\n3:memory:/docker/x\n");
    put("/sys/fs/cgroup/memory/memory.oom_control",
        "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
    assert_int_equal(hone__allowance_oom_kills(root), 2); /* a container's */
    put("/proc/self/cgroup", "0::/a/b\n");
    put("/sys/fs/cgroup/a/b/memory.events", "max 9\noom 4\noom_kill 3\n");
    assert_int_equal(hone__allowance_oom_kills(root), 3);
}

static void test_allowance_of_this_machine(void **state)
{
    hone_allowance here;

    (void)state;
    hone__allowance_read(&here);
    assert_in_range(here.n_cores, 1, 100000);
    assert_true(here.memory_bytes > 1 << 20);
}

static void test_workers_and_cap(void **state)
{
    const int64_t gib = (int64_t)1 << 30;
    hone_allowance some = {16, 128 * gib};

    (void)state;
    assert_int_equal(hone__allowance_workers(&some), 16);
    assert_int_equal(hone__allowance_cap(&some, 16), 8 * gib);
    some.memory_bytes = 3 * gib + gib / 2;
    assert_int_equal(hone__allowance_workers(&some), 7);
    assert_int_equal(hone__allowance_cap(&some, 7), gib); /* not less */
    assert_int_equal(hone__allowance_cap(&some, 1), 3 * gib + gib / 2);
    some.memory_bytes = 1000;
    assert_int_equal(hone__allowance_workers(&some), 1);
    some = (hone_allowance){INT_MAX, INT64_MAX};
    assert_int_equal(hone__allowance_workers(&some), 256);
    assert_int_equal(hone__allowance_cap(&some, 4), 0);
}

#define IN_ROOT(test)                                                          \
    cmocka_unit_test_setup_teardown(test, make_root, remove_root)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limit_learns_first),
        cmocka_unit_test(test_limit_follows_what_is_common),
        cmocka_unit_test(test_limit_is_never_above_the_most),
        cmocka_unit_test(test_limit_grows_where_many_are_ended),
        IN_ROOT(test_allowance_of_a_plain_machine),
        IN_ROOT(test_allowance_of_groups),
        IN_ROOT(test_allowance_of_old_groups),
        IN_ROOT(test_oom_kills),
        cmocka_unit_test(test_allowance_of_this_machine),
        cmocka_unit_test(test_workers_and_cap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
