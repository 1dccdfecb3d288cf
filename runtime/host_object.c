/* SPDX-License-Identifier: Apache-2.0 */
/* dlopen() of bytes: see host_object.h. They go into a memory file, or into
 * one of $TMPDIR where the system has none or does not show it in /proc. */
#define _GNU_SOURCE /* memfd_create */
#include "runtime/host_object.h"

#include "runtime/text.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A file with a path to open it by. */
typedef struct place {
    int fd;
    int is_named; /* in a folder, to be unlinked */
    char path[PATH_MAX];
} place;

static int open_memory(place *out)
{
    out->fd = memfd_create("hone-kernels", MFD_CLOEXEC);
    if (out->fd < 0)
        return 0;
    (void)snprintf(out->path, sizeof out->path, "/proc/self/fd/%d", out->fd);
    if (access(out->path, R_OK) == 0)
        return 1;
    (void)close(out->fd);
    return 0;
}

static hone_status open_place(place *out, hone_error *err)
{
    const char *folder = getenv("TMPDIR");

    if (open_memory(out))
        return HONE_OK;
    if (!folder || !*folder)
        folder = "/tmp";
    (void)snprintf(out->path, sizeof out->path, "%s/hone-kernels-XXXXXX",
                   folder);
    out->fd = mkstemp(out->path);
    if (out->fd < 0)
        return hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, errno,
                                 "cannot make a file for kernels of the cpu "
                                 "device in '%s': %s; set TMPDIR to a folder "
                                 "where that is possible",
                                 folder, strerror(errno));
    out->is_named = 1;
    (void)fcntl(out->fd, F_SETFD, FD_CLOEXEC);
    return HONE_OK;
}

/* What dlopen() has to say, without the path, which tells nobody anything. */
static hone_status load_failed(const char *what, const char *path,
                               hone_error *err)
{
    const char *reason = dlerror();
    const size_t length = strlen(path);

    if (!reason)
        reason = "no reason is given";
    if (strncmp(reason, path, length) == 0 && reason[length] == ':')
        reason += length + 1 + (reason[length + 1] == ' ');
    return hone__fail(err, HONE_ERR_UNSUPPORTED,
                      "this machine does not load the kernels of %.256s, "
                      "compiled for the cpu device: %.400s; tune again here "
                      "with --device cpu",
                      what, reason);
}

static hone_status load_from(const place *from, const void *bytes,
                             size_t size_bytes, const char *what,
                             hone_host_object *out, hone_error *err)
{
    void *symbol;

    if (hone__write_all(from->fd, bytes, size_bytes))
        return hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, errno,
                                 "cannot write the kernels of %.256s to "
                                 "'%.256s' for loading them: %s",
                                 what, from->path, strerror(errno));
    out->handle = dlopen(from->path, RTLD_NOW | RTLD_LOCAL);
    if (!out->handle)
        return load_failed(what, from->path, err);
    symbol = dlsym(out->handle, HONE_HOST_SYMBOL);
    if (!symbol)
        return hone__fail(err, HONE_ERR_UNSUPPORTED,
                          "the kernels of %.256s for the cpu device are no "
                          "object of hone: there is no " HONE_HOST_SYMBOL
                          " in it; tune again with --device cpu",
                          what);
    memcpy(&out->run, &symbol, sizeof symbol);
    return HONE_OK;
}

hone_status hone__host_load(const void *bytes, size_t size_bytes,
                            const char *what, hone_host_object *out,
                            hone_error *err)
{
    place from = {.fd = -1};
    hone_status status;

    *out = (hone_host_object){.handle = NULL};
    HONE_TRY(open_place(&from, err));
    status = load_from(&from, bytes, size_bytes, what, out, err);
    if (from.is_named)
        (void)unlink(from.path);
    if (status != HONE_OK && out->handle)
        (void)dlclose(out->handle);
    if (status != HONE_OK) {
        *out = (hone_host_object){.handle = NULL};
        (void)close(from.fd);
        return status;
    }
    /* Stays open: the loader knows objects by their path, and would take the
     * next one under the same number for this one. */
    out->fd = from.fd;
    return HONE_OK;
}

void hone__host_unload(hone_host_object *object)
{
    if (!object->handle)
        return;
    (void)dlclose(object->handle);
    (void)close(object->fd);
    *object = (hone_host_object){.handle = NULL};
}
