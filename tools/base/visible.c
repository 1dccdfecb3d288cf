/* SPDX-License-Identifier: Apache-2.0 */
/* Control characters: see visible.h. */
#include "tools/base/visible.h"

#include <string.h>

size_t hone__control_bytes(const char *at, size_t length, unsigned char before)
{
    const unsigned char c = (unsigned char)*at;

    if (c < 0x20 || c == 0x7f)
        return 1;
    if (c == 0xc2 && length > 1 && (at[1] & 0xe0) == 0x80)
        return 2;
    /* Alone: behind ASCII it is no part of a character. */
    return c >= 0x80 && c < 0xa0 && before < 0x80;
}

void hone__text_visible(const char *text, size_t length, const char *kept,
                        hone_text *out)
{
    unsigned char before = 0;

    for (size_t i = 0; i < length;) {
        const size_t n = hone__control_bytes(text + i, length - i, before);

        if (n && !(text[i] && strchr(kept, text[i])))
            hone__text_append(out, " ", 1);
        else
            hone__text_append(out, text + i, 1);
        before = n ? 0 : (unsigned char)text[i];
        i += n ? n : 1;
    }
}

void hone__string_visible(char *text)
{
    const size_t length = strlen(text);
    unsigned char before = 0;

    for (size_t i = 0; i < length;) {
        const size_t n = hone__control_bytes(text + i, length - i, before);

        before = n ? 0 : (unsigned char)text[i];
        for (size_t k = 0; k < n; ++k)
            text[i + k] = ' ';
        i += n ? n : 1;
    }
}
