/* SPDX-License-Identifier: Apache-2.0 */
/* This process: Ctrl-C as a flag that long commands poll, and AddressSanitizer
 * for variants that are built with it. */
#ifndef HONE_TOOLS_PROCESS_H
#define HONE_TOOLS_PROCESS_H

#include "runtime/base/error.h"

#include <signal.h>

/* From here on the first SIGINT, SIGTERM or SIGHUP sets the flag, the second
 * ends the program. Returns the flag. */
const volatile sig_atomic_t *hone__interrupt_flag(void);

/* The arguments of main(), which stay. From here on a failed write is an error
 * and does not end the program. */
void hone__process_begin(char **argv);

/* Returns HONE_OK if ASan's library is loaded. Otherwise starts this program
 * anew with the same arguments and the library preloaded, and returns only if
 * that fails: HONE_ERR_NO_COMPILER. */
hone_status hone__sanitizer_enter(hone_error *err);

#endif
