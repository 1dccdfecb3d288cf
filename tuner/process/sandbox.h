/* SPDX-License-Identifier: Apache-2.0 */
/* A template on the cpu device is native code, and a compiler reads what a
 * template says: the processes that run them get only what they need, as far
 * as the kernel can take the rest away without rights of its own:
 *
 * - files: all may be read and run, none written but below the folders that the
 *   process is given, and a few devices (Landlock);
 * - no signals to processes outside of it, no abstract sockets of others, no
 *   TCP (Landlock, as its version knows them);
 * - no sockets, no tracing of others, no name spaces, no mounts, nothing that
 *   only an administrator needs, and no io_uring, which goes round such rules
 *   (a seccomp filter);
 * - no core files.
 *
 * It is no wall against a template that wants to break out: it can read all
 * that the user can read, and hand it to whoever reads its results. Processes
 * that use a GPU are left out: what a driver needs is its own affair.
 * HONE_SANDBOX=off in the environment leaves all of it out. */
#ifndef HONE_TUNER_SANDBOX_H
#define HONE_TUNER_SANDBOX_H

#include <stddef.h>

/* From here on, and for all that this process starts. What the kernel does not
 * have is left out. `folders` that may be written to; NULL ones are passed
 * over. Returns 1 if files cannot be written elsewhere any more. */
int hone__sandbox_enter(const char *const *folders, size_t n_folders);

/* What is active on this machine, as a sentence; 0: nothing is. */
int hone__sandbox_describe(char *out, size_t size);

#endif
