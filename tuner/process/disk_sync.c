/* SPDX-License-Identifier: Apache-2.0 */
/* The process that waits for the disk: see disk_sync.h. */
#include "tuner/process/disk_sync.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

/* Every byte says that something was written; a read takes all there are. */
static int run(void *user, int from_parent, int to_parent)
{
    const char *path = user;
    char bytes[4096];
    int fd = -1;

    (void)to_parent;
    hone__worker_name("hone-disk");
    for (;;) {
        const ssize_t n = read(from_parent, bytes, sizeof bytes);

        if (n == 0)
            return 0;
        if (n < 0 && errno != EINTR)
            return 1;
        if (fd < 0)
            fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd >= 0)
            (void)fdatasync(fd);
    }
}

hone_status hone__disk_sync_start(hone_disk_sync *sync, const char *path,
                                  hone_error *err)
{
    return hone__worker_start(&sync->worker, run, (void *)(uintptr_t)path, -1,
                              err);
}

int hone__disk_sync_soon(hone_disk_sync *sync)
{
    if (!sync->worker.pid)
        return 0;
    /* A full pipe means that it will sync anyway. */
    return write(sync->worker.to, "", 1) == 1 || errno == EAGAIN;
}

void hone__disk_sync_stop(hone_disk_sync *sync)
{
    (void)hone__worker_stop(&sync->worker, 10, NULL, 0);
}
