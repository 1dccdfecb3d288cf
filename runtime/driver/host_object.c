/* SPDX-License-Identifier: Apache-2.0 */
/* dlopen() of bytes: see host_object.h. They go into a memory file, or into
 * one of $TMPDIR where the system has none or does not show it in /proc. */
#define _GNU_SOURCE /* memfd_create */
#include "runtime/driver/host_object.h"

#include "runtime/base/text.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
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
                                 "device in '%s': %s; set TMPDIR to a folder "
                                 "where that is possible",
                                 folder, strerror(errno));
    out->is_named = 1;
    (void)fcntl(out->fd, F_SETFD, FD_CLOEXEC);
    return HONE_OK;
}

/* Does what the file is mapped by lie beyond its end? dlopen() does not look:
 * it would end in SIGBUS. Everything else it says itself. */
static int is_cut_short(const char *bytes, size_t size_bytes)
{
    ElfW(Ehdr) header;

    if (size_bytes < sizeof header || memcmp(bytes, ELFMAG, SELFMAG) != 0)
        return 0;
    memcpy(&header, bytes, sizeof header);
    if (header.e_phentsize != sizeof(ElfW(Phdr)))
        return 0;
    if (header.e_phoff > size_bytes ||
        header.e_phnum > (size_bytes - header.e_phoff) / sizeof(ElfW(Phdr)))
        return 1;
    for (size_t i = 0; i < header.e_phnum; ++i) {
        ElfW(Phdr) part;

        memcpy(&part, bytes + header.e_phoff + i * sizeof part, sizeof part);
        if (part.p_type == PT_LOAD &&
            (part.p_offset > size_bytes ||
             part.p_filesz > size_bytes - part.p_offset))
            return 1;
    }
    return 0;
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
        return load_failed(what, read_reason(from->path), err);
    symbol = dlsym(out->handle, HONE_HOST_SYMBOL);
    if (!symbol)
        return hone__fail(err, HONE_ERR_UNSUPPORTED,
                          "the kernels of %.256s for the cpu device are no "
                          "object of hone: there is no " HONE_HOST_SYMBOL
                          " in it; tune again with --device cpu",
                          what);
    memcpy(&out->run, &symbol, sizeof symbol);
    symbol = dlsym(out->handle, HONE_HOST_CONSTANT_SYMBOL);
    memcpy(&out->constant, &symbol, sizeof symbol);
    return HONE_OK;
}

hone_status hone__host_load(const void *bytes, size_t size_bytes,
                            const char *what, hone_host_object *out,
                            hone_error *err)
{
    place from = {.fd = -1};
    hone_status status;

    *out = (hone_host_object){.handle = NULL};
    if (is_cut_short(bytes, size_bytes))
        return load_failed(what, "it is cut short", err);
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
