/* SPDX-License-Identifier: Apache-2.0 */
/* In place of zstd's decoders of formats older than 0.8, which its archive
 * brings into every program that decompresses: nothing of ours was ever
 * written in one, and they are 90 KB. These are the functions that zstd's own
 * decoder (lib/decompress/zstd_decompress.c, lib/legacy/zstd_legacy.h of 1.5)
 * calls for such a frame; with them here the linker takes no others. Each
 * refuses, so that a frame of an old format is damaged data like any other. */
#include <stddef.h>

enum {
    UNKNOWN_FORMAT = 10, /* ZSTD_error_prefix_unknown of zstd_errors.h */
    SIZE_ERROR = 2       /* ZSTD_CONTENTSIZE_ERROR is -2 of 64 bits */
};
#define REFUSED ((size_t)-UNKNOWN_FORMAT)

/* Of each format the same nine. */
#define REFUSE(v)                                                              \
    void *ZSTD##v##_createDCtx(void);                                          \
    size_t ZSTD##v##_freeDCtx(void *context);                                  \
    size_t ZSTD##v##_decompress_usingDict(                                     \
        void *context, void *out, size_t out_bytes, const void *in,            \
        size_t in_bytes, const void *dictionary, size_t dictionary_bytes);     \
    size_t ZSTD##v##_getFrameParams(void *params, const void *in,              \
                                    size_t in_bytes);                          \
    void ZSTD##v##_findFrameSizeInfoLegacy(const void *in, size_t in_bytes,    \
                                           size_t *out_in_bytes,               \
                                           unsigned long long *out_bound);     \
    void *ZSTD##v##_createDCtx(void)                                           \
    {                                                                          \
        return NULL;                                                           \
    }                                                                          \
    size_t ZSTD##v##_freeDCtx(void *context)                                   \
    {                                                                          \
        (void)context;                                                         \
        return 0;                                                              \
    }                                                                          \
    size_t ZSTD##v##_decompress_usingDict(                                     \
        void *context, void *out, size_t out_bytes, const void *in,            \
        size_t in_bytes, const void *dictionary, size_t dictionary_bytes)      \
    {                                                                          \
        (void)context, (void)out, (void)out_bytes, (void)in, (void)in_bytes;   \
        (void)dictionary, (void)dictionary_bytes;                              \
        return REFUSED;                                                        \
    }                                                                          \
    size_t ZSTD##v##_getFrameParams(void *params, const void *in,              \
                                    size_t in_bytes)                           \
    {                                                                          \
        (void)params, (void)in, (void)in_bytes;                                \
        return REFUSED;                                                        \
    }                                                                          \
    void ZSTD##v##_findFrameSizeInfoLegacy(const void *in, size_t in_bytes,    \
                                           size_t *out_in_bytes,               \
                                           unsigned long long *out_bound)      \
    {                                                                          \
        (void)in, (void)in_bytes;                                              \
        *out_in_bytes = REFUSED;                                               \
        *out_bound = 0ULL - SIZE_ERROR;                                        \
    }                                                                          \
    void *ZBUFF##v##_createDCtx(void);                                         \
    size_t ZBUFF##v##_freeDCtx(void *context);                                 \
    size_t ZBUFF##v##_decompressInitDictionary(                                \
        void *context, const void *dictionary, size_t dictionary_bytes);       \
    size_t ZBUFF##v##_decompressContinue(void *context, void *out,             \
                                         size_t *out_bytes, const void *in,    \
                                         size_t *in_bytes);                    \
    void *ZBUFF##v##_createDCtx(void)                                          \
    {                                                                          \
        return NULL;                                                           \
    }                                                                          \
    size_t ZBUFF##v##_freeDCtx(void *context)                                  \
    {                                                                          \
        (void)context;                                                         \
        return 0;                                                              \
    }                                                                          \
    size_t ZBUFF##v##_decompressInitDictionary(                                \
        void *context, const void *dictionary, size_t dictionary_bytes)        \
    {                                                                          \
        (void)context, (void)dictionary, (void)dictionary_bytes;               \
        return REFUSED;                                                        \
    }                                                                          \
    size_t ZBUFF##v##_decompressContinue(void *context, void *out,             \
                                         size_t *out_bytes, const void *in,    \
                                         size_t *in_bytes)                     \
    {                                                                          \
        (void)context, (void)out, (void)out_bytes, (void)in, (void)in_bytes;   \
        return REFUSED;                                                        \
    }

REFUSE(v05)
REFUSE(v06)
REFUSE(v07)
