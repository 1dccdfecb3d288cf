/* SPDX-License-Identifier: Apache-2.0 */
/* A vendor's library that nobody comes back from loading, as with a driver
 * that has lost its card or a disk that does not answer. It makes the file
 * that HANG_MARK names, so that a test knows when it is so far. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void hang(void)
{
    const char *mark = getenv("HANG_MARK");

    if (mark)
        (void)close(open(mark, O_CREAT | O_WRONLY, 0600));
    for (;;)
        (void)pause();
}
