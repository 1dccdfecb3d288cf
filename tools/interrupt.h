/* SPDX-License-Identifier: Apache-2.0 */
/* Ctrl-C as a flag that long commands poll. */
#ifndef HONE_TOOLS_INTERRUPT_H
#define HONE_TOOLS_INTERRUPT_H

#include <signal.h>

/* From here on the first SIGINT or SIGTERM sets the flag, the second ends
 * the program. Returns the flag. */
const volatile sig_atomic_t *hone__interrupt_flag(void);

#endif
