/* SPDX-License-Identifier: Apache-2.0 */
/* How jobs of the compile farm end when the compiler does not: too slow,
 * crashed, killed, out of memory. A shell script plays the C++ compiler and
 * does what the source tells it. */
#include "tuner/compile/farm_state.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define IS_SANITIZED 1
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED 0
#endif

static const char played_compiler[] =
    "#!/bin/sh\n"
    "here=$(dirname \"$0\")\n"
    "case \"$*\" in\n"
    "*--version*) echo 'played c++ 1.0'; exit 0 ;;\n"
    "*/dev/null*) exit 1 ;;\n" /* asked for an option */
    "*c++-header*) exit 0 ;;\n"
    "esac\n"
    "unit= object= list= before=\n"
    "for word in \"$@\"; do\n"
    "    case $word in *.cpp) unit=$word ;; esac\n"
    "    [ \"$before\" != -o ] || object=$word\n"
    "    [ \"$before\" != -MF ] || list=$word\n"
    "    before=$word\n"
    "done\n"
    "echo once >> \"$here/runs\"\n"
    "says() { grep -q \"$1\" \"$unit\"; }\n"
    "if says slow; then sleep 1000 & echo $! > \"$here/child\"; wait; fi\n"
    "if says crash; then kill -ABRT $PPID; sleep 1000; fi\n"
    "if says hungry; then\n"
    "    echo 'LLVM ERROR: out of memory' > /proc/$PPID/fd/2\n"
    "    kill -ABRT $PPID; sleep 1000\n"
    "fi\n"
    "if says killed || { says unlucky && [ ! -e \"$here/mark\" ]; }; then\n"
    "    : > \"$here/mark\"\n"
    "    kill -KILL $PPID; sleep 1000\n"
    "fi\n"
    "if says exhausted; then\n"
    "    echo 'virtual memory exhausted: Cannot allocate memory'; exit 1\n"
    "fi\n"
    "if says wrong; then echo 'error: wrong'; exit 1; fi\n"
    "echo object > \"$object\"\n"
    "echo 'o: u.cpp /usr/local/include/c++/12/cmath' > \"$list\"\n"
    "if says foreign; then echo ' /usr/local/include/own.h' >> \"$list\"; fi\n";

static char folder[64];
static char cache[80];

static int make_folder(void **state)
{
    char path[128];

    (void)state;
    (void)snprintf(folder, sizeof folder, "/tmp/hone-ends-XXXXXX");
    if (!mkdtemp(folder))
        return 1;
    (void)snprintf(cache, sizeof cache, "%s/cache", folder);
    (void)snprintf(path, sizeof path, "%s/c++", folder);
    return hone__file_replace(path, played_compiler, sizeof played_compiler - 1,
                              NULL) != HONE_OK ||
           chmod(path, 0700) || setenv("CXX", path, 1);
}

static int remove_folder(void **state)
{
    char command[96];

    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* ---- a farm and its answers -------------------------------------------- */

/* LIMIT_S is what the compiles that are too slow take, and many times what
 * the others take. */
enum { MOST_JOBS = 8, LIMIT_S = 10 };

typedef struct answers {
    int n;
    hone_compile_output of[MOST_JOBS]; /* by job; logs, no cubins */
    char log[MOST_JOBS][600];
} answers;

static void keep(void *user, int64_t job, hone_compile_output *output)
{
    answers *got = user;

    assert_in_range(job, 0, MOST_JOBS - 1);
    ++got->n;
    got->of[job] = *output;
    (void)snprintf(got->log[job], sizeof got->log[job], "%s",
                   hone__text_str(&output->log));
}

static hone_farm *open_farm(int n_workers, double timeout_s, answers *got)
{
    const hone_farm_options options = {.backend = HONE_BACKEND_CPU,
                                       .cache_folder = cache,
                                       .n_workers = n_workers,
                                       .compile_timeout_s = timeout_s};
    hone_error err = {.status = HONE_OK};
    hone_farm *farm = NULL;

    memset(got, 0, sizeof *got);
    if (hone__farm_open(&options, keep, got, &farm, &err) != HONE_OK)
        fail_msg("%s", err.text);
    return farm;
}

static void submit(hone_farm *farm, int64_t job, const char *source)
{
    const hone_compile_input input = {source, "t.cu", "sm_90", "", {0}, NULL};

    assert_int_equal(hone__farm_submit(farm, job, &input, NULL), HONE_OK);
}

static void wait_for(hone_farm *farm, const answers *got, int n)
{
    while (got->n < n) {
        hone_error err = {.status = HONE_OK};

        if (hone__farm_turn(farm, NULL, &err) != HONE_OK)
            fail_msg("%s", err.text);
    }
}

/* The answer to one source from a farm of its own. */
static void ask(const char *source, answers *got)
{
    hone_farm *farm = open_farm(1, 0, got);

    submit(farm, 0, source);
    wait_for(farm, got, 1);
    hone__farm_close(farm);
}

static void has(const answers *got, int job, const char *part)
{
    if (!strstr(got->log[job], part))
        fail_msg("job %d says '%s', not '%s'", job, got->log[job], part);
}

/* What the compiler opened is looked at. */
static void test_foreign_header(void **state)
{
    answers got;
    hone_farm *farm = open_farm(1, 0, &got);
    hone_error err = {.status = HONE_OK};
    hone_status status = HONE_OK;

    (void)state;
    submit(farm, 0, "foreign");
    while (status == HONE_OK && !got.n)
        status = hone__farm_turn(farm, NULL, &err);
    assert_int_equal(status, HONE_ERR_INPUT);
    assert_non_null(strstr(err.text, "'/usr/local/include/own.h'"));
    hone__farm_close(farm);
}

/* Compiles that the played compiler was asked for. */
static int n_runs(void)
{
    char path[128];
    hone_text text = {0};
    int n = 0;

    (void)snprintf(path, sizeof path, "%s/runs", folder);
    (void)hone__text_read_file(&text, path, NULL);
    for (size_t i = 0; i < text.length; ++i)
        n += text.data[i] == '\n';
    hone__text_free(&text);
    return n;
}

/* ---- too slow ---------------------------------------------------------- */

/* Is the process that the compiler started gone, or a zombie that nobody
 * collects? */
static int child_is_gone(void)
{
    char path[128];
    hone_text text = {0};
    const char *state;
    int gone;

    (void)snprintf(path, sizeof path, "%s/child", folder);
    assert_int_equal(hone__text_read_file(&text, path, NULL), HONE_OK);
    (void)snprintf(path, sizeof path, "/proc/%d/stat", atoi(text.data));
    hone__text_free(&text);
    gone = hone__text_read_file(&text, path, NULL) != HONE_OK;
    state = gone ? NULL : strrchr(text.data, ')');
    gone = gone || (state && state[2] == 'Z');
    hone__text_free(&text);
    return gone;
}

static void test_too_slow(void **state)
{
    const struct timespec nap = {0, 10000000};
    answers got;
    hone_farm *farm = open_farm(1, LIMIT_S, &got);

    (void)state;
    submit(farm, 0, "slow");
    submit(farm, 1, "slow"); /* follows the first */
    wait_for(farm, &got, 2);
    for (int i = 0; i < 2; ++i) {
        assert_true(got.of[i].timed_out && !got.of[i].ok);
        has(&got, i, "the compile was ended after");
        has(&got, i, "the limit was the most any compile may take");
    }
    assert_false(got.of[0].cached);
    assert_true(got.of[1].cached);
    while (!child_is_gone()) /* with its process group */
        (void)nanosleep(&nap, NULL);
    /* Not tried again, and the farm goes on. */
    submit(farm, 2, "slow");
    submit(farm, 3, "quick");
    wait_for(farm, &got, 4);
    assert_true(got.of[2].timed_out && got.of[2].cached);
    assert_true(got.of[3].ok);
    assert_int_equal(n_runs(), 2);
    hone__farm_close(farm);
    /* Nor kept: another run may have more time. */
    farm = open_farm(1, LIMIT_S, &got);
    submit(farm, 0, "quick");
    wait_for(farm, &got, 1);
    assert_true(got.of[0].ok && got.of[0].cached);
    submit(farm, 1, "slow");
    wait_for(farm, &got, 2);
    assert_true(got.of[1].timed_out && !got.of[1].cached);
    assert_int_equal(n_runs(), 3);
    hone__farm_close(farm);
}

/* ---- killed and crashed ------------------------------------------------ */

static void test_crashed(void **state)
{
    answers got;
    hone_farm *farm = open_farm(1, 0, &got);

    (void)state;
    submit(farm, 0, "crash");
    wait_for(farm, &got, 1);
    assert_true(got.of[0].crashed && !got.of[0].ok);
    has(&got, 0, "the compiler crashed (killed by signal 6");
    submit(farm, 1, "crash");
    submit(farm, 2, "good");
    wait_for(farm, &got, 3);
    assert_true(got.of[1].crashed);
    assert_true(got.of[2].ok);
    assert_int_equal(n_runs(), 2);
    hone__farm_close(farm);
    ask("crash", &got); /* not kept */
    assert_int_equal(n_runs(), 3);
}

static void test_killed_from_outside(void **state)
{
    answers got;
    hone_farm *farm = open_farm(1, 0, &got);

    (void)state;
    submit(farm, 0, "unlucky"); /* once: gets another worker */
    wait_for(farm, &got, 1);
    assert_true(got.of[0].ok);
    assert_int_equal(n_runs(), 2);
    submit(farm, 1, "killed"); /* twice is enough */
    wait_for(farm, &got, 2);
    assert_true(got.of[1].crashed);
    has(&got, 1, "two compile processes were killed");
    assert_int_equal(n_runs(), 4);
    /* While it has nothing to do. */
    (void)kill(farm->slots[0].worker.pid, SIGKILL);
    submit(farm, 2, "fine");
    wait_for(farm, &got, 3);
    assert_true(got.of[2].ok);
    hone__farm_close(farm);
}

/* ---- out of memory ----------------------------------------------------- */

static void test_out_of_memory(void **state)
{
    answers got;

    (void)state;
    ask("wrong", &got); /* the source's fault: kept */
    assert_false(got.of[0].ok || got.of[0].out_of_memory);
    ask("wrong", &got);
    assert_true(got.of[0].cached);
    assert_int_equal(n_runs(), 1);
    ask("exhausted", &got);
    assert_true(got.of[0].out_of_memory && !got.of[0].ok);
    has(&got, 0, "the compiler ran out of memory");
    has(&got, 0, "--jobs");
    has(&got, 0, "virtual memory exhausted");
    ask("exhausted", &got); /* not kept */
    assert_false(got.of[0].cached);
    assert_int_equal(n_runs(), 3);
    ask("hungry", &got); /* with a process that did not survive it */
    assert_true(got.of[0].out_of_memory);
    has(&got, 0, "the compiler ran out of memory");
    has(&got, 0, "LLVM ERROR");
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
    farm = open_farm(1, 0, &got);
    assert_int_equal(farm->setup.memory_cap_bytes, (int64_t)600 << 20);
    submit(farm, 0, eater);
    wait_for(farm, &got, 1);
    submit(farm, 1, "int x;\n");
    wait_for(farm, &got, 2);
    hone__farm_close(farm);
    assert_int_equal(setrlimit(RLIMIT_DATA, &before), 0);
    assert_true(got.of[0].out_of_memory && !got.of[0].ok);
    has(&got, 0,
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
    hone_farm *farm = open_farm(2, 0, &got);
    const char *line;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_DATA, &limit), 0);
    submit(farm, 0, "any"); /* it is set before the first answer */
    wait_for(farm, &got, 1);
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

#define IN_FOLDER(test)                                                        \
    cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_too_slow),
        IN_FOLDER(test_crashed),
        IN_FOLDER(test_killed_from_outside),
        IN_FOLDER(test_out_of_memory),
        IN_FOLDER(test_memory_cap),
        IN_FOLDER(test_cap_is_the_worker_s),
        IN_FOLDER(test_foreign_header),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
