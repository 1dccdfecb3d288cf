/* SPDX-License-Identifier: Apache-2.0 */
/* What sources reach among CUDA's headers: see cuda_headers.h. */
#include "tuner/compile/cuda_headers.h"

#include "runtime/base/alloc.h"
#include "runtime/base/grow.h"
#include "tuner/compile/cuda_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct hone_cuda_reach {
    hone_text names;  /* that the sources include */
    uint64_t changes; /* of all its files, when the digest was made */
    char digest[HONE_SHA256_HEX];
    size_t n; /* all that was looked for, found or not */
    size_t *files;
};

/* ---- finding ------------------------------------------------------------- */

/* A reach that is being made. */
typedef struct search {
    hone_cuda_headers *headers;
    hone_cuda_reach *reach;
    int is_whole; /* of all files of the folders */
    hone_text path;
    hone_error *err;
} search;

static hone_status no_memory(const search *s)
{
    return hone__out_of_memory(s->err, " while following CUDA's headers");
}

/* Look for s->path, which then is part of the reach. */
static hone_status look(search *s, int *out_found)
{
    hone_cuda_reach *reach = s->reach;
    hone_cuda_file *file;
    long index;

    HONE_TRY(hone__text_check(&s->path, s->err));
    index = hone__cuda_file_look(s->headers, s->path.data);
    if (index < 0)
        return no_memory(s);
    file = &s->headers->files[index];
    *out_found = S_ISREG(file->info.st_mode);
    if (file->search == s->headers->n_searches)
        return HONE_OK;
    if (!HONE_GROW(reach->files, reach->n))
        return no_memory(s);
    file->search = s->headers->n_searches;
    reach->files[reach->n++] = (size_t)index;
    return HONE_OK;
}

static hone_status look_in(search *s, const char *folder, size_t length,
                           const char *name, int *out_found)
{
    hone__text_clear(&s->path);
    hone__text_append(&s->path, folder, length);
    hone__text_puts(&s->path, "/");
    hone__text_puts(&s->path, name);
    return look(s, out_found);
}

/* As NVRTC does: beside the file that includes it, if in quotes, and in the
 * folders. `by` is NULL for a source of ours. */
static hone_status find(search *s, const char *by, const char *include)
{
    const char *slash = by ? strrchr(by, '/') : NULL;
    const char *name = include + 1;
    int found = 0;

    if (include[0] == '*') {
        s->is_whole = 1;
        return HONE_OK;
    }
    if (name[0] == '/')
        return look_in(s, "", 0, name + 1, &found);
    if (include[0] == '"' && slash)
        HONE_TRY(look_in(s, by, (size_t)(slash - by), name, &found));
    for (size_t i = 0; i < HONE_CUDA_FOLDERS && !found; ++i) {
        const char *folder = s->headers->folders[i];

        if (folder && *folder)
            HONE_TRY(look_in(s, folder, strlen(folder), name, &found));
    }
    return HONE_OK;
}

static hone_status find_all(search *s, const char *by, const hone_text *names)
{
    const char *at = hone__text_str(names);
    const char *end = at + names->length;

    for (; at < end; at += strlen(at) + 1)
        HONE_TRY(find(s, by, at));
    return HONE_OK;
}

static hone_status look_below(search *s, DIR *dir);

static hone_status no_folder(const search *s)
{
    return hone__fail_native(s->err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, errno,
                             "cannot read the folder '%s': %s", s->path.data,
                             strerror(errno));
}

/* A folder at s->path. One that is none, is gone or may not be read has
 * nothing; a link to one may lead round in circles. */
static hone_status look_into(search *s)
{
    struct stat info;
    hone_status status = HONE_OK;
    DIR *dir;

    if (lstat(s->path.data, &info) || !S_ISDIR(info.st_mode))
        return HONE_OK;
    dir = opendir(s->path.data);
    if (dir) {
        status = look_below(s, dir);
        (void)closedir(dir);
    } else if (errno != ENOENT && errno != EACCES) {
        status = no_folder(s);
    }
    return status;
}

static hone_status look_below(search *s, DIR *dir)
{
    const size_t length = s->path.length;
    const struct dirent *entry;
    hone_status status = HONE_OK;

    while (status == HONE_OK && (errno = 0, entry = readdir(dir))) {
        int found;

        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        s->path.length = length;
        hone__text_printf(&s->path, "/%s", entry->d_name);
        status = look(s, &found);
        if (status == HONE_OK && !found)
            status = look_into(s);
    }
    if (status == HONE_OK && errno) {
        s->path.data[length] = '\0';
        status = no_folder(s);
    }
    return status;
}

static hone_status look_everywhere(search *s)
{
    for (size_t i = 0; i < HONE_CUDA_FOLDERS; ++i) {
        const char *folder = s->headers->folders[i];
        int found;

        if (!folder || !*folder)
            continue;
        hone__text_clear(&s->path);
        hone__text_puts(&s->path, folder);
        HONE_TRY(look(s, &found));
        HONE_TRY(look_into(s));
    }
    return HONE_OK;
}

/* All that the names lead to. */
static hone_status follow(search *s)
{
    const hone_cuda_reach *reach = s->reach;
    int is_done = 0;

    HONE_TRY(find_all(s, NULL, &reach->names));
    for (size_t i = 0;; ++i) {
        hone_cuda_file *file;
        hone_text includes;

        if (s->is_whole && !is_done) {
            HONE_TRY(look_everywhere(s));
            is_done = 1;
        }
        if (i >= reach->n)
            return HONE_OK;
        file = &s->headers->files[reach->files[i]];
        if (!S_ISREG(file->info.st_mode))
            continue;
        HONE_TRY(hone__cuda_file_read(file, !is_done, s->err));
        if (is_done)
            continue; /* what it includes is there */
        /* The list of files may move, not what they hold. */
        includes = file->includes;
        HONE_TRY(find_all(s, file->path, &includes));
    }
}

/* ---- the digest ---------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Without what depends on the machine: the number of the folder, and the name
 * in it. */
static void write_file(const hone_cuda_headers *headers,
                       const hone_cuda_file *file, hone_text *out)
{
    const int is_file = S_ISREG(file->info.st_mode);
    const char *name = file->path;
    size_t longest = 0, in = HONE_CUDA_FOLDERS;

    for (size_t i = 0; i < HONE_CUDA_FOLDERS; ++i) {
        const char *folder = headers->folders[i];
        const size_t length = folder ? strlen(folder) : 0;

        if (length > longest && strncmp(file->path, folder, length) == 0 &&
            (file->path[length] == '/' || !file->path[length])) {
            longest = length;
            in = i;
        }
    }
    name += longest;
    hone__text_printf(out, "%zu%s %s", in, name, is_file ? file->sha256 : "-");
    hone__text_append(out, "", 1);
}

static hone_status hash_lines(const hone_text *lines, size_t n,
                              char out[HONE_SHA256_HEX], hone_error *err)
{
    const char **sorted = hone__alloc((n ? n : 1) * sizeof *sorted);
    const char *at = hone__text_str(lines);
    hone_text all = {0};
    hone_status status;

    if (!sorted)
        return hone__out_of_memory(err, " while following CUDA's headers");
    for (size_t i = 0; i < n; ++i, at += strlen(at) + 1)
        sorted[i] = at;
    qsort(sorted, n, sizeof *sorted, compare);
    for (size_t i = 0; i < n; ++i)
        hone__text_append(&all, sorted[i], strlen(sorted[i]) + 1);
    hone__free(sorted);
    status = hone__text_check(&all, err);
    if (status == HONE_OK)
        hone__sha256_hex(all.data, all.length, out);
    hone__text_free(&all);
    return status;
}

static hone_status make_digest(search *s)
{
    const hone_cuda_headers *headers = s->headers;
    hone_cuda_reach *reach = s->reach;
    hone_text lines = {0};
    hone_status status;

    reach->changes = 0;
    for (size_t i = 0; i < reach->n; ++i) {
        write_file(headers, &headers->files[reach->files[i]], &lines);
        reach->changes += headers->files[reach->files[i]].changes;
    }
    status = hone__text_check(&lines, s->err);
    if (status == HONE_OK)
        status = hash_lines(&lines, reach->n, reach->digest, s->err);
    hone__text_free(&lines);
    return status;
}

/* ---- reaches ------------------------------------------------------------- */

/* What the sources' own headers include: most often the same as the last time.
 */
static int read_ours(hone_cuda_headers *headers, const hone_headers *ours)
{
    const char *at = NULL;
    const char *name, *text;
    hone_text *names = &headers->ours_names;
    int ok = 1;

    if (headers->ours.length == ours->size_bytes && ours->size_bytes &&
        memcmp(headers->ours.data, ours->bytes, ours->size_bytes) == 0)
        return 1;
    hone__text_free(&headers->ours);
    hone__text_free(names);
    while (ok && hone__headers_next(ours, &at, &name, &text))
        ok = hone__cuda_includes(text, strlen(text), names);
    if (ok && ours->size_bytes)
        hone__text_append(&headers->ours, ours->bytes, ours->size_bytes);
    if (ok && !headers->ours.failed)
        return 1;
    hone__text_free(&headers->ours);
    return 0;
}

/* What the sources include, but for what came with them. */
static hone_status list_names(hone_cuda_headers *headers,
                              const hone_compile_input *input, hone_text *out,
                              hone_error *err)
{
    hone_text all = {0};
    const int ok =
        hone__cuda_includes(input->source, strlen(input->source), &all) &&
        read_ours(headers, &input->headers);

    if (ok)
        hone__text_append(&all, hone__text_str(&headers->ours_names),
                          headers->ours_names.length);
    for (const char *one = hone__text_str(&all);
         ok && one < hone__text_str(&all) + all.length;
         one += strlen(one) + 1) {
        if (*one != '"')
            hone__text_append(out, one, strlen(one) + 1);
    }
    out->failed |= !ok || all.failed;
    hone__text_free(&all);
    return hone__text_check(out, err);
}

static int is_current(hone_cuda_headers *headers, const hone_cuda_reach *reach)
{
    uint64_t changes = 0;

    for (size_t i = 0; i < reach->n; ++i) {
        hone__cuda_file_look_again(headers, reach->files[i]);
        changes += headers->files[reach->files[i]].changes;
    }
    return reach->digest[0] && changes == reach->changes;
}

static hone_status make_reach(hone_cuda_headers *headers,
                              hone_cuda_reach *reach, hone_error *err)
{
    search s = {.headers = headers, .reach = reach, .err = err};
    hone_status status;

    ++headers->n_searches;
    hone__free(reach->files);
    reach->files = NULL;
    reach->n = 0;
    reach->digest[0] = '\0';
    status = follow(&s);
    if (status == HONE_OK)
        status = make_digest(&s);
    hone__text_free(&s.path);
    return status;
}

/* The one of sources with these names, which it keeps; NULL without memory. */
static hone_cuda_reach *find_reach(hone_cuda_headers *headers, hone_text *names)
{
    hone_cuda_reach *reach;

    for (size_t i = 0; i < headers->n_reaches; ++i) {
        reach = &headers->reaches[i];
        if (reach->names.length == names->length &&
            memcmp(reach->names.data, names->data, names->length) == 0)
            return reach;
    }
    if (!HONE_GROW(headers->reaches, headers->n_reaches))
        return NULL;
    reach = &headers->reaches[headers->n_reaches++];
    *reach = (hone_cuda_reach){.names = *names};
    *names = (hone_text){0};
    return reach;
}

hone_status hone__cuda_headers_digest(hone_cuda_headers *headers,
                                      const hone_compile_input *input,
                                      char out[HONE_SHA256_HEX],
                                      hone_error *err)
{
    hone_text names = {0};
    hone_cuda_reach *reach = NULL;
    hone_status status = list_names(headers, input, &names, err);

    out[0] = '\0';
    ++headers->round;
    if (status == HONE_OK && names.length) {
        reach = find_reach(headers, &names);
        if (!reach)
            status = hone__out_of_memory(err, "");
    }
    hone__text_free(&names);
    if (reach && !is_current(headers, reach))
        status = make_reach(headers, reach, err);
    if (reach && status == HONE_OK)
        memcpy(out, reach->digest, sizeof reach->digest);
    return status;
}

void hone__cuda_headers_free(hone_cuda_headers *headers)
{
    for (size_t i = 0; i < headers->n_files; ++i) {
        hone__free(headers->files[i].path);
        hone__text_free(&headers->files[i].includes);
    }
    for (size_t i = 0; i < headers->n_reaches; ++i) {
        hone__text_free(&headers->reaches[i].names);
        hone__free(headers->reaches[i].files);
    }
    hone__text_free(&headers->ours);
    hone__text_free(&headers->ours_names);
    hone__free(headers->files);
    hone__free(headers->slots);
    hone__free(headers->reaches);
    headers->files = NULL;
    headers->reaches = NULL;
    headers->slots = NULL;
    headers->n_files = headers->n_slots = headers->n_reaches = 0;
}
