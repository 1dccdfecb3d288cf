/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/tuner/farm_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char played_compiler[] =
    "#!/bin/sh\n"
    "here=$(dirname \"$0\")\n"
    "case \"$*\" in\n"
    "*--version*) echo 'played c++ 1.0'; exit 0 ;;\n"
    "*/dev/null*) echo \"unknown: $*\"; exit 1 ;;\n" /* asked for an option */
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
    "if says starved && [ \"$(cat \"$here/starved\" || echo 0)\" -gt 0 ]; "
    "then\n"
    "    n=$(($(cat \"$here/starved\") - 1)); echo $n > \"$here/starved\"\n"
    "    echo \"oom_kill $((9 - n))\" > \"$here/sys/fs/cgroup/memory.events\"\n"
    "    kill -KILL $PPID; sleep 1000\n"
    "fi\n"
    "if says killed || { says unlucky && [ ! -e \"$here/mark\" ]; }; then\n"
    "    : > \"$here/mark\"\n"
    "    kill -KILL $PPID; sleep 1000\n"
    "fi\n"
    "if says exhausted; then\n"
    "    echo 'virtual memory exhausted: Cannot allocate memory'; exit 1\n"
    "fi\n"
    "if says wrong; then echo 'unit.cpp:1:1: error: wrong'; exit 1; fi\n"
    "echo object > \"$object\"\n"
    "echo 'o: u.cpp /usr/local/include/c++/12/cmath' > \"$list\"\n"
    "if says foreign; then echo ' /usr/local/include/own.h' >> \"$list\"; fi\n";

char farm_folder[64];
static char cache[80];

int farm_folder_make(void **state)
{
    char path[128];

    (void)state;
    (void)snprintf(farm_folder, sizeof farm_folder, "/tmp/hone-ends-XXXXXX");
    if (!mkdtemp(farm_folder))
        return 1;
    (void)snprintf(cache, sizeof cache, "%s/cache", farm_folder);
    (void)snprintf(path, sizeof path, "%s/c++", farm_folder);
    return hone__file_replace(path, played_compiler, sizeof played_compiler - 1,
                              NULL) != HONE_OK ||
           chmod(path, 0700) || setenv("CXX", path, 1) ||
           setenv("HONE_SANDBOX", "off", 1); /* it writes beside itself */
}

int farm_folder_remove(void **state)
{
    char command[96];

    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf %s", farm_folder);
    return system(command);
}

static void keep(void *user, int64_t job, hone_compile_output *output)
{
    answers *got = user;

    assert_in_range(job, 0, MOST_JOBS - 1);
    ++got->n;
    got->of[job] = *output;
    (void)snprintf(got->log[job], sizeof got->log[job], "%s",
                   hone__text_str(&output->log));
}

hone_farm *farm_open(int n_workers, double timeout_s, answers *got)
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

void farm_submit(hone_farm *farm, int64_t job, const char *source)
{
    const hone_compile_input input = {source, "t.cu", "sm_90", "", {0}, NULL};

    assert_int_equal(hone__farm_submit(farm, job, &input, NULL), HONE_OK);
}

void farm_wait_for(hone_farm *farm, const answers *got, int n)
{
    while (got->n < n) {
        hone_error err = {.status = HONE_OK};

        if (hone__farm_turn(farm, NULL, 0, &err) != HONE_OK)
            fail_msg("%s", err.text);
    }
}

void farm_ask(const char *source, answers *got)
{
    hone_farm *farm = farm_open(1, 0, got);

    farm_submit(farm, 0, source);
    farm_wait_for(farm, got, 1);
    hone__farm_close(farm);
}

void farm_log_has(const answers *got, int job, const char *part)
{
    if (!strstr(got->log[job], part))
        fail_msg("job %d says '%s', not '%s'", job, got->log[job], part);
}

int farm_n_runs(void)
{
    char path[128];
    hone_text text = {0};
    int n = 0;

    (void)snprintf(path, sizeof path, "%s/runs", farm_folder);
    (void)hone__text_read_file(&text, path, NULL);
    for (size_t i = 0; i < text.length; ++i)
        n += text.data[i] == '\n';
    hone__text_free(&text);
    return n;
}
