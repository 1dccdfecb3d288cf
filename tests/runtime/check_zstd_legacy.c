/* SPDX-License-Identifier: Apache-2.0 */
/* Configuration asks with this: does a program that decompresses link where
 * zstd_legacy.c stands in place of the archive's decoders of old formats?
 * small_library.sh runs it: frames of these formats are
 * refused like any damaged ones. */
#include <zstd.h>

int main(void)
{
    char out[64];

    /* The magic numbers of 0.5, 0.6 and 0.7 are 0xFD2FB525 and on. */
    for (char format = 0x25; format <= 0x27; ++format) {
        const char frame[32] = {format, (char)0xB5, 0x2F, (char)0xFD, 1, 2, 3};
        ZSTD_DCtx *context = ZSTD_createDCtx();
        ZSTD_inBuffer in = {frame, sizeof frame, 0};
        ZSTD_outBuffer to = {out, sizeof out, 0};
        const int refused =
            ZSTD_isError(
                ZSTD_decompress(out, sizeof out, frame, sizeof frame)) &&
            ZSTD_isError(ZSTD_findFrameCompressedSize(frame, sizeof frame)) &&
            ZSTD_isError(ZSTD_decompressStream(context, &to, &in)) &&
            ZSTD_isError(ZSTD_decompress_usingDict(
                context, out, sizeof out, frame, sizeof frame, "dict", 4));
        const unsigned long long bytes =
            ZSTD_getFrameContentSize(frame, sizeof frame);

        (void)ZSTD_freeDCtx(context);
        if (!refused || (bytes && bytes < ZSTD_CONTENTSIZE_ERROR))
            return 1;
    }
    return 0;
}
