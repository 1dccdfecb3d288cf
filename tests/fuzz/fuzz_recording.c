/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings of trials: T4 results and caches of Kernel Tuner, plain and
 * compressed. */
#define _GNU_SOURCE /* memfd_create */
#include "runtime/base/text.h"
#include "tests/fuzz/fuzz.h"
#include "tuner/replay/replay_recording.h"

#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    hone_recordings recordings;
    hone_error err = {0};
    char path[64];
    const int fd = memfd_create("fuzz", MFD_CLOEXEC);

    if (fd < 0)
        return 0;
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    /* A database is SQLite's and fuzz_pack's affair. */
    if (!(size_bytes > 6 && data[0] == 'S' && data[1] == 'Q') &&
        !hone__write_all(fd, data, size_bytes)) {
        if (hone__recordings_read(path, &recordings, &err) == HONE_OK)
            for (size_t i = 0; i < recordings.n; ++i) {
                const hone_recording *r = recordings.items[i];

                FUZZ_HOLDS(r->n_valid <= r->n_configs && r->n_configs > 0);
            }
        else
            FUZZ_HOLDS(err.text[0]);
        hone__recordings_free(&recordings);
    }
    (void)close(fd);
    return 0;
}
