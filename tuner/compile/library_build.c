/* SPDX-License-Identifier: Apache-2.0 */
/* Build ids of libraries: see library_build.h. A digest of all they hold would
 * take each compile process half a second: NVRTC has 110 MB. */
#include "tuner/compile/library_build.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static size_t aligned(size_t size)
{
    return (size + 3) & ~(size_t)3;
}

/* In hexadecimal, if these notes have one; else 0. */
static int put_id(const unsigned char *notes, size_t length, hone_text *out)
{
    Elf64_Nhdr note;

    for (size_t at = 0; at + sizeof note <= length;) {
        size_t name = at + sizeof note, id;

        memcpy(&note, notes + at, sizeof note);
        if (note.n_namesz > length || note.n_descsz > length)
            return 0;
        id = name + aligned(note.n_namesz);
        at = id + aligned(note.n_descsz);
        if (at > length || note.n_type != NT_GNU_BUILD_ID ||
            note.n_namesz != 4 || memcmp(notes + name, "GNU", 4) != 0)
            continue;
        for (size_t i = 0; i < note.n_descsz; ++i)
            hone__text_printf(out, "%02x", notes[id + i]);
        return note.n_descsz > 0;
    }
    return 0;
}

static int put_build_id(int fd, hone_text *out)
{
    enum { MOST_SEGMENTS = 64 };
    unsigned char notes[4096];
    Elf64_Ehdr head;
    Elf64_Phdr segment;

    if (pread(fd, &head, sizeof head, 0) != sizeof head ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_phentsize != sizeof segment)
        return 0;
    for (int i = 0; i < head.e_phnum && i < MOST_SEGMENTS; ++i) {
        const off_t at = (off_t)(head.e_phoff + (size_t)i * sizeof segment);
        ssize_t n;

        if (pread(fd, &segment, sizeof segment, at) != sizeof segment)
            return 0;
        if (segment.p_type != PT_NOTE)
            continue;
        n = pread(fd, notes,
                  segment.p_filesz < sizeof notes ? segment.p_filesz
                                                  : sizeof notes,
                  (off_t)segment.p_offset);
        if (n > 0 && put_id(notes, (size_t)n, out))
            return 1;
    }
    return 0;
}

void hone__library_build(const char *path, hone_text *out)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;

    if (fd < 0)
        return;
    if (fstat(fd, &status) == 0) {
        hone__text_printf(out, "%lld ", (long long)status.st_size);
        if (!put_build_id(fd, out))
            hone__text_printf(out, "of %lld.%09ld",
                              (long long)status.st_mtim.tv_sec,
                              status.st_mtim.tv_nsec);
        hone__text_puts(out, "\n");
    }
    (void)close(fd);
}

void hone__nvrtc_build(const hone_nvrtc *nvrtc, hone_text *out)
{
    const char *path = nvrtc->library;
    const char *slash = strrchr(path, '/');
    char name[1400];

    hone__library_build(path, out);
    (void)snprintf(name, sizeof name, "%.*slibnvrtc-builtins.so.%d.%d",
                   slash ? (int)(slash + 1 - path) : 0, path,
                   nvrtc->version_major, nvrtc->version_minor);
    hone__library_build(name, out);
}
