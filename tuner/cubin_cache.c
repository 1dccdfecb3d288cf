/* SPDX-License-Identifier: Apache-2.0 */
/* The cubin cache: see cubin_cache.h. An entry FOLDER/ab/<key> starts with a
 * magic word and the SHA-256 of the rest, which is a packed compile output;
 * failed compiles are kept too, so that they are not tried again. */
#include "tuner/cubin_cache.h"

#include "runtime/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static const char magic[] = "hone-cubin 1\n";
enum { HEAD_BYTES = sizeof magic - 1 + HONE_SHA256_HEX };

void hone__cache_key(const hone_compile_input *input,
                     const hone_toolchain *toolchain,
                     char out_key[HONE_SHA256_HEX])
{
    hone_text all = {0};

    /* Each part with its length, so that no two inputs run together. The
     * folder is left out: its headers are in the hash of the origin. */
    hone__pack_string(&all, input->source);
    hone__pack_string(&all, input->options);
    hone__pack_string(&all, input->arch);
    hone__pack_string(&all, input->origin);
    hone__pack_string(&all, toolchain->name);
    hone__pack_string(&all, toolchain->version);
    hone__sha256_hex(hone__text_str(&all), all.length, out_key);
    hone__text_free(&all);
}

static int entry_path(const char *folder, const char *key, const char *suffix,
                      char *out, size_t size)
{
    const int n = snprintf(out, size, "%s/%.2s/%s%s", folder, key, key, suffix);

    return n > 0 && (size_t)n < size;
}

hone_status hone__cache_prepare(const char *folder, hone_error *err)
{
    static const char tag[] =
        "Signature: 8a477f597d28d172789f06886806bc55\n"
        "# Compiled kernels of hone; may be deleted at any time.\n";
    char path[4096];

    HONE_TRY(hone__folder_create(folder, err));
    if (snprintf(path, sizeof path, "%s/CACHEDIR.TAG", folder) >=
        (int)sizeof path)
        return hone__fail(err, HONE_ERR_IO,
                          "the cache folder's path is too long: '%s'", folder);
    if (access(path, F_OK) == 0)
        return HONE_OK;
    return hone__file_replace(path, tag, sizeof tag - 1, err);
}

void hone__cache_lock(const char *folder, const char *key, int *out_lock)
{
    char path[4096];
    char parent[4096];

    *out_lock = -1;
    if (!entry_path(folder, key, ".lock", path, sizeof path) ||
        snprintf(parent, sizeof parent, "%s/%.2s", folder, key) >=
            (int)sizeof parent ||
        hone__folder_create(parent, NULL) != HONE_OK)
        return;
    *out_lock = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0644);
    while (*out_lock >= 0 && flock(*out_lock, LOCK_EX)) {
        if (errno != EINTR) {
            (void)close(*out_lock);
            *out_lock = -1;
        }
    }
}

void hone__cache_unlock(int lock)
{
    if (lock >= 0)
        (void)close(lock); /* the lock goes with its last descriptor */
}

hone_status hone__cache_load(const char *folder, const char *key,
                             hone_compile_output *out, hone_error *err)
{
    char path[4096];
    char sum[HONE_SHA256_HEX];
    hone_text file = {0};
    hone_status status = HONE_ERR_NOT_FOUND;

    *out = (hone_compile_output){.registers = -1};
    if (entry_path(folder, key, "", path, sizeof path) &&
        hone__text_read_file(&file, path, NULL) == HONE_OK &&
        file.length > HEAD_BYTES &&
        memcmp(file.data, magic, sizeof magic - 1) == 0) {
        const char *body = file.data + HEAD_BYTES;
        const size_t body_bytes = file.length - HEAD_BYTES;

        hone__sha256_hex(body, body_bytes, sum);
        if (memcmp(sum, file.data + sizeof magic - 1, sizeof sum) == 0) {
            hone_unpack in = {body, body + body_bytes, 0};

            hone__compile_output_unpack(&in, out);
            if (!in.broken)
                status = hone__text_check(&out->cubin, err);
        }
    }
    hone__text_free(&file);
    out->cached = status == HONE_OK;
    if (status != HONE_OK)
        hone__compile_output_free(out);
    return status;
}

hone_status hone__cache_store(const char *folder, const char *key,
                              const hone_compile_output *output,
                              hone_error *err)
{
    char path[4096];
    char sum[HONE_SHA256_HEX];
    hone_text body = {0};
    hone_text file = {0};
    hone_status status;

    hone__compile_output_pack(&body, output);
    hone__sha256_hex(hone__text_str(&body), body.length, sum);
    hone__text_append(&file, magic, sizeof magic - 1);
    hone__text_append(&file, sum, sizeof sum);
    hone__text_append(&file, hone__text_str(&body), body.length);
    status = hone__text_check(&file, err);
    if (status == HONE_OK &&
        !entry_path(folder, key, "", path, sizeof path))
        status = hone__fail(err, HONE_ERR_IO,
                            "the cache folder's path is too long: '%s'",
                            folder);
    if (status == HONE_OK)
        status = hone__file_replace(path, file.data, file.length, err);
    hone__text_free(&body);
    hone__text_free(&file);
    return status;
}
