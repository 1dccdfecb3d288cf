/* SPDX-License-Identifier: Apache-2.0 */
/* One measuring process per device. Two tuners on one device would measure each
 * other, so whoever measures holds the device's lock and the next one waits;
 * it then finds the first one's trials in the database and does not repeat
 * them. The lock is two things, of which the kernel drops both when their
 * holder ends, however it ends:
 *
 * - a flock() on a small file in $HONE_LOCK_DIR, or else in the run-time folder
 *   of the user ($XDG_RUNTIME_DIR, or /tmp/hone-UID). The holder removes the
 *   file; that of one that was killed goes with the next holder. It is the
 *   user's alone (mode 0600), unless $HONE_LOCK_DIR is a folder that others may
 *   write to: then as them. It reaches as far as that folder does, for instance
 *   across containers that share it;
 * - without $HONE_LOCK_DIR, a socket with a name and no file, which all users
 *   of the machine see, and which says who has it. It reaches as far as a name
 *   space of the network.
 */
#ifndef HONE_TUNER_DEVICE_LOCK_H
#define HONE_TUNER_DEVICE_LOCK_H

#include "runtime/base/error.h"

#include <signal.h>

typedef struct hone_device_lock {
    int fd;     /* -1: not held */
    int socket; /* -1: there is none */
    char path[4096];
} hone_device_lock;

/* Called about ten times a second while another process holds the lock, with
 * its process number (0: unknown). */
typedef void hone_lock_waiting(void *user, long holder);

/* "process 12 (hone, of user ann)", as far as that can be known; "" for 0. */
void hone__device_lock_holder(long holder, char *out, size_t size);

/* Wait for the lock of `name` (letters, digits, '-'). HONE_ERR_INTERRUPTED
 * when *stop becomes non-zero, HONE_ERR_BUSY after $HONE_LOCK_WAIT seconds (an
 * hour), HONE_ERR_INPUT if that is no number. HONE_ERR_IO where no lock can be
 * had, in a folder that cannot be written, say: nobody measures without one,
 * for whoever else does would not know of it. The sentence says how to get one.
 */
hone_status hone__device_lock_take(const char *name,
                                   const volatile sig_atomic_t *stop,
                                   hone_lock_waiting *on_wait, void *user,
                                   hone_device_lock *out, hone_error *err);
void hone__device_lock_drop(hone_device_lock *lock);

#endif
