/* SPDX-License-Identifier: Apache-2.0 */
/* See clock_reasons.h. */
#include "tuner/judge/clock_reasons.h"

#include <inttypes.h>
#include <stdio.h>

static const struct {
    int64_t bit;
    const char *text;
    int discard;
} reason_rows[] = {
#define REASON_ROW(name, bit, text, discard) {bit, text, discard},
    HONE_CLOCK_REASON_MAP(REASON_ROW)
#undef REASON_ROW
};

enum { N_REASONS = sizeof reason_rows / sizeof reason_rows[0] };

void hone__clock_reasons_text(int64_t clock_reasons, char *out,
                              size_t size_bytes)
{
    int64_t left = clock_reasons;
    size_t at = 0;

    if (clock_reasons <= 0) {
        (void)snprintf(out, size_bytes, "%s",
                       clock_reasons ? "unknown" : "none");
        return;
    }
    for (size_t i = 0; i <= N_REASONS && left && at < size_bytes; i++) {
        const char *const comma = at ? ", " : "";
        int n = 0;

        if (i == N_REASONS)
            n = snprintf(out + at, size_bytes - at, "%s0x%" PRIx64, comma,
                         (uint64_t)left);
        else if (left & reason_rows[i].bit)
            n = snprintf(out + at, size_bytes - at, "%s%s", comma,
                         reason_rows[i].text);
        if (i < N_REASONS)
            left &= ~reason_rows[i].bit;
        at += n > 0 ? (size_t)n : 0;
    }
}

int64_t hone__clock_discard_bits(int64_t clock_reasons)
{
    int64_t bits = 0;

    for (size_t i = 0; clock_reasons > 0 && i < N_REASONS; i++)
        if (reason_rows[i].discard)
            bits |= clock_reasons & reason_rows[i].bit;
    return bits;
}
