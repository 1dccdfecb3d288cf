/* SPDX-License-Identifier: Apache-2.0 */
/* dlopen() of bytes: see host_object.h. They go into a memory file, or into
 * one of $TMPDIR where the system has none or does not show it in /proc. */
#define _GNU_SOURCE /* memfd_create */
#include "runtime/driver/host_object.h"

#include "runtime/base/text.h"
#include "runtime/driver/code_check.h"

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

/* The loader takes a name it knows for the object it knows, and an object may
 * stay loaded after dlclose: each load spells the name with another number of
 * slashes. */
static int open_memory(place *out)
{
    enum { MOST_SLASHES = PATH_MAX - 64 };
    static _Atomic unsigned n_loads;
    static const char folder[] = "/proc/self/fd";
    const size_t n_slashes = 1 + n_loads++ % MOST_SLASHES;
    char *const end = out->path + sizeof folder - 1 + n_slashes;

    out->fd = memfd_create("hone-kernels", MFD_CLOEXEC);
    if (out->fd < 0)
        return 0;
    memcpy(out->path, folder, sizeof folder - 1);
    memset(out->path + sizeof folder - 1, '/', n_slashes);
    (void)snprintf(end, sizeof out->path - (size_t)(end - out->path), "%d",
                   out->fd);
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
                                 "device in '%s': %s; set TMPDIR to another "
                                 "folder",
                                 folder, strerror(errno));
    out->is_named = 1;
    (void)fcntl(out->fd, F_SETFD, FD_CLOEXEC);
    return HONE_OK;
}

/* What dlopen() has to say, without the path, which tells nobody anything. */
static const char *read_reason(const char *path)
{
    const char *reason = dlerror();
    const size_t length = strlen(path);

    if (!reason)
        return "no reason is given";
    if (strncmp(reason, path, length) == 0 && reason[length] == ':')
        reason += length + 1 + (reason[length + 1] == ' ');
    return reason;
}

static hone_status load_failed(const char *what, const char *reason,
                               hone_error *err)
{
    return hone__fail(err, HONE_ERR_UNSUPPORTED,
                      "this machine does not load the kernels of %.256s, "
                      "compiled for the cpu device: %.400s; tune again here "
                      "with --device cpu",
                      what, reason);
}

/* A pointer to a function of the object; NULL: it has no such one. */
static int find(const hone_host_object *object, const char *name, void *out)
{
    void *const symbol = dlsym(object->handle, name);

    memcpy(out, &symbol, sizeof symbol);
    return symbol != NULL;
}

static hone_status load_from(const place *from, const void *bytes,
                             size_t size_bytes, const char *what,
                             hone_host_object *out, hone_error *err)
{
    if (hone__write_all(from->fd, bytes, size_bytes))
        return hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, errno,
                                 "cannot write the kernels of %.256s to "
                                 "'%.256s' for loading them: %s",
                                 what, from->path, strerror(errno));
    out->handle = dlopen(from->path, RTLD_NOW | RTLD_LOCAL);
    if (!out->handle)
        return load_failed(what, read_reason(from->path), err);
    if (!find(out, HONE_HOST_SYMBOL, &out->run) ||
        !find(out, HONE_HOST_PARAM_SYMBOL, &out->param))
        return load_failed(what,
                           "it is of another hone, there is "
                           "no " HONE_HOST_PARAM_SYMBOL " in it",
                           err);
    (void)find(out, HONE_HOST_CONSTANT_SYMBOL, &out->constant);
    return HONE_OK;
}

hone_status hone__host_load(const void *bytes, size_t size_bytes,
                            const char *what, hone_host_object *out,
                            hone_error *err)
{
    /* What is mapped beyond the file's end would be SIGBUS. */
    const char *const reason = hone__elf_check(bytes, size_bytes, 0);
    place from = {.fd = -1};
    hone_status status;

    *out = (hone_host_object){.handle = NULL};
    if (reason)
        return load_failed(what, reason, err);
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
