/* SPDX-License-Identifier: Apache-2.0 */
/* SIGINT and SIGTERM set a flag once; SA_RESETHAND lets a second one end a
 * program that does not come to its next poll. */
#include "tools/interrupt.h"

#include <stddef.h>

static volatile sig_atomic_t flag;

static void on_signal(int number)
{
    (void)number;
    flag = 1;
}

const volatile sig_atomic_t *hone__interrupt_flag(void)
{
    struct sigaction action = {0};

    action.sa_handler = on_signal;
    action.sa_flags = (int)SA_RESETHAND;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    return &flag;
}
