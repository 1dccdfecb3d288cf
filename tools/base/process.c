/* SPDX-License-Identifier: Apache-2.0 */
/* Signals and starting anew: see process.h. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "tools/base/process.h"

#include "runtime/base/text.h"
#include "tuner/compile/host_compiler.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- Ctrl-C --------------------------------------------------------------
 */

/* A signal that comes a second after the first or more ends a program that
 * does not come to its next poll; one that comes at once is the same wish said
 * twice: timeout(1) signals the process and then its group. */
static volatile sig_atomic_t flag;
static volatile time_t first_s;

/* All that is called here is async-signal-safe. */
static void on_signal(int number)
{
    struct timespec now = {0};

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    if (!flag) {
        flag = 1;
        first_s = now.tv_sec;
    } else if (now.tv_sec - first_s > 1) {
        (void)signal(number, SIG_DFL);
        (void)raise(number);
    }
}

const volatile sig_atomic_t *hone__interrupt_flag(void)
{
    struct sigaction action = {0};
    struct sigaction hang_up;

    action.sa_handler = on_signal;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    /* The terminal was closed; nohup(1) wants it ignored. */
    if (sigaction(SIGHUP, NULL, &hang_up) == 0 && hang_up.sa_handler != SIG_IGN)
        (void)sigaction(SIGHUP, &action, NULL);
    return &flag;
}

/* ---- AddressSanitizer -----------------------------------------------------
 */

static char **words; /* of the command line */

/* A pipe that nobody reads any more and a file that may not grow are errors of
 * write(), which everybody here looks at. Caught, and not ignored: what is
 * started from here begins as it would elsewhere. */
static void on_failed_write(int number)
{
    (void)number;
}

void hone__process_begin(char **argv)
{
    static const int numbers[] = {SIGPIPE, SIGXFSZ};
    struct sigaction action = {0};

    words = argv;
    action.sa_handler = on_failed_write;
    action.sa_flags = SA_RESTART;
    (void)sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        struct sigaction now;

        if (!sigaction(numbers[i], NULL, &now) && now.sa_handler == SIG_DFL)
            (void)sigaction(numbers[i], &action, NULL);
    }
}

hone_status hone__sanitizer_enter(hone_error *err)
{
    hone_text library = {0};
    hone_status status;

    if (dlsym(RTLD_DEFAULT, "__asan_init"))
        return HONE_OK;
    if (getenv("HONE_SANITIZED"))
        return hone__fail(err, HONE_ERR_NO_COMPILER,
                          "AddressSanitizer's library was preloaded but is "
                          "not there; install libasan for your C++ compiler");
    status = hone__host_sanitizer_library(&library, err);
    if (status == HONE_OK) {
        (void)setenv("LD_PRELOAD", library.data, 1);
        (void)setenv("HONE_SANITIZED", "1", 1);
        /* Leaks are not the variants'; the link order is deliberate. */
        (void)setenv("ASAN_OPTIONS",
                     "detect_leaks=0:verify_asan_link_order=0:"
                     "detect_stack_use_after_return=0",
                     0);
        (void)setenv("UBSAN_OPTIONS", "print_stacktrace=1", 0);
        (void)execv("/proc/self/exe", words);
        status = hone__fail_native(err, HONE_ERR_NO_COMPILER, HONE_DOMAIN_ERRNO,
                                   errno,
                                   "cannot start anew under "
                                   "AddressSanitizer: %s",
                                   strerror(errno));
    }
    hone__text_free(&library);
    return status;
}
