/* SPDX-License-Identifier: Apache-2.0 */
/* Files among CUDA's headers: see cuda_files.h. */
#include "tuner/compile/cuda_files.h"

#include "gen/parse/code.h"
#include "runtime/base/alloc.h"
#include "runtime/base/grow.h"

#include <string.h>

static int is_same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/* ctime, since an editor may keep size and mtime. */
static int is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
           a->st_mode == b->st_mode && a->st_size == b->st_size &&
           is_same_time(a->st_mtim, b->st_mtim) &&
           is_same_time(a->st_ctim, b->st_ctim);
}

void hone__cuda_file_look_again(hone_cuda_headers *headers, size_t index)
{
    hone_cuda_file *file = &headers->files[index];
    struct stat info;

    if (file->round == headers->round)
        return;
    if (stat(file->path, &info))
        memset(&info, 0, sizeof info);
    if (!file->round || !is_same(&info, &file->info)) {
        ++file->changes;
        file->is_hashed = file->is_scanned = 0;
    }
    file->info = info;
    file->round = headers->round;
}

/* The slot of that path, or the free one where it belongs. */
static size_t *find_slot(const hone_cuda_headers *headers, const char *path,
                         uint64_t hash)
{
    size_t at = (size_t)hash & (headers->n_slots - 1);

    while (headers->slots[at]) {
        const hone_cuda_file *file = &headers->files[headers->slots[at] - 1];

        if (file->path_hash == hash && strcmp(file->path, path) == 0)
            break;
        at = (at + 1) & (headers->n_slots - 1);
    }
    return &headers->slots[at];
}

static int grow_slots(hone_cuda_headers *headers)
{
    const size_t n = headers->n_slots ? 2 * headers->n_slots : 256;
    size_t *slots = hone__alloc(n * sizeof *slots);

    if (!slots)
        return 0;
    hone__free(headers->slots);
    headers->slots = slots;
    headers->n_slots = n;
    for (size_t i = 0; i < headers->n_files; ++i)
        *find_slot(headers, headers->files[i].path,
                   headers->files[i].path_hash) = i + 1;
    return 1;
}

static int add(hone_cuda_headers *headers, const char *path, uint64_t hash)
{
    char *copy = hone__strdup(path);

    if (!copy || !HONE_GROW(headers->files, headers->n_files)) {
        hone__free(copy);
        return 0;
    }
    *find_slot(headers, path, hash) = headers->n_files + 1;
    headers->files[headers->n_files++] =
        (hone_cuda_file){.path = copy, .path_hash = hash};
    return 1;
}

long hone__cuda_file_look(hone_cuda_headers *headers, const char *path)
{
    const uint64_t hash = hone__hash64(path, strlen(path));
    size_t *slot;

    if (2 * (headers->n_files + 1) > headers->n_slots && !grow_slots(headers))
        return -1;
    slot = find_slot(headers, path, hash);
    if (!*slot && !add(headers, path, hash))
        return -1;
    hone__cuda_file_look_again(headers, *slot - 1);
    return (long)(*slot - 1);
}

int hone__cuda_includes(const char *text, size_t length, hone_text *out)
{
    char *code = hone__alloc(length + 2);
    hone_include_scan scan = {.text = code, .length = length};
    hone_include include;

    if (!code)
        return 0;
    memcpy(code, text, length);
    hone__code_blank(code, length);
    while (hone__include_next(&scan, &include)) {
        if (include.mistake) {
            hone__text_append(out, "*", 2);
            continue;
        }
        hone__text_puts(out, include.is_quoted ? "\"" : "<");
        hone__text_append(out, include.name, strlen(include.name) + 1);
    }
    hone__free(code);
    return !out->failed;
}

hone_status hone__cuda_file_read(hone_cuda_file *file, int with_includes,
                                 hone_error *err)
{
    hone_text text = {0};
    int ok;

    if (file->is_hashed && (file->is_scanned || !with_includes))
        return HONE_OK;
    hone__text_free(&file->includes);
    ok = hone__text_read_file(&text, file->path, NULL) != HONE_ERR_NO_MEMORY &&
         (!with_includes || hone__cuda_includes(hone__text_str(&text),
                                                text.length, &file->includes));
    if (ok)
        hone__sha256_hex(hone__text_str(&text), text.length, file->sha256);
    file->is_hashed = ok;
    file->is_scanned = ok && with_includes;
    hone__text_free(&text);
    return ok ? HONE_OK
              : hone__out_of_memory(err, " while reading CUDA's headers");
}
