/* SPDX-License-Identifier: Apache-2.0 */
/* A process that waits for the disk, so that a tuning run does not: a commit
 * waits some milliseconds for a disk, as long as a trial takes. One wait
 * covers all that was committed before it began, so a power failure loses at
 * most what finished within the last two. */
#ifndef HONE_TUNER_DISK_SYNC_H
#define HONE_TUNER_DISK_SYNC_H

#include "tuner/process/worker.h"

typedef struct hone_disk_sync {
    hone_worker worker;
} hone_disk_sync;

/* `path` is borrowed until it is stopped; the file need not be there yet. */
hone_status hone__disk_sync_start(hone_disk_sync *sync, const char *path,
                                  hone_error *err);
/* Something was written. Does not wait; 0 if the process is gone. */
int hone__disk_sync_soon(hone_disk_sync *sync);
/* Wait until it has synced what it was told of, and end it. A zeroed or a
 * stopped one is left alone. */
void hone__disk_sync_stop(hone_disk_sync *sync);

#endif
