/* SPDX-License-Identifier: Apache-2.0 */
/* Temporary files: see replay_file.h. */
#include "tests/replay/replay_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

void replay_file_write(replay_file *file, const void *bytes, size_t size)
{
    int fd;

    (void)snprintf(file->path, sizeof file->path, "/tmp/hone-replay-XXXXXX");
    fd = mkstemp(file->path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, size), size);
    assert_int_equal(close(fd), 0);
}

void replay_file_gzip(replay_file *file, const char *text, size_t cut)
{
    struct stat info;
    gzFile gz;

    replay_file_write(file, "", 0);
    gz = gzopen(file->path, "wb");
    assert_non_null(gz);
    assert_int_equal(gzwrite(gz, text, (unsigned)strlen(text)), strlen(text));
    assert_int_equal(gzclose(gz), Z_OK);
    assert_int_equal(stat(file->path, &info), 0);
    assert_int_equal(truncate(file->path, info.st_size - (off_t)cut), 0);
}

void replay_file_remove(const replay_file *file)
{
    assert_int_equal(unlink(file->path), 0);
}
