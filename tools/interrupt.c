/* SPDX-License-Identifier: Apache-2.0 */
/* SIGINT and SIGTERM set a flag. One that comes a second later or more ends a
 * program that does not come to its next poll; one that comes at once is the
 * same wish said twice: timeout(1) signals the process and then its group. */
#include "tools/interrupt.h"

#include <stddef.h>
#include <time.h>

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

    action.sa_handler = on_signal;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    return &flag;
}
