/* SPDX-License-Identifier: Apache-2.0 */
/* Why a card holds its clocks back: bits of NVML, in words; pure. */
#ifndef HONE_TUNER_CLOCK_REASONS_H
#define HONE_TUNER_CLOCK_REASONS_H

#include <stddef.h>
#include <stdint.h>

/* X(NAME, bit, text, whether a time measured under it
 * must be thrown away). The software power cap is the normal state of a
 * tensor-core kernel; it is recorded and kept. */
#define HONE_CLOCK_REASON_MAP(X)                                               \
    X(IDLE, 0x1, "idle", 0)                                                    \
    X(APPLICATION_CLOCKS, 0x2, "application clocks setting", 0)                \
    X(SW_POWER_CAP, 0x4, "software power cap", 0)                              \
    X(HW_SLOWDOWN, 0x8, "hardware slowdown", 1)                                \
    X(SYNC_BOOST, 0x10, "sync boost", 0)                                       \
    X(SW_THERMAL, 0x20, "software thermal slowdown", 1)                        \
    X(HW_THERMAL, 0x40, "hardware thermal slowdown", 1)                        \
    X(POWER_BRAKE, 0x80, "hardware power brake", 1)                            \
    X(DISPLAY_CLOCKS, 0x100, "display clock setting", 0)

enum {
#define HONE_CLOCK_REASON_ENUM(name, bit, text, discard)                       \
    HONE_CLOCK_REASON_##name = bit,
    HONE_CLOCK_REASON_MAP(HONE_CLOCK_REASON_ENUM)
#undef HONE_CLOCK_REASON_ENUM
};

/* "software power cap, hardware slowdown"; "none" for 0, "unknown" for -1;
 * bits without a name as a number. Cut to size_bytes. */
void hone__clock_reasons_text(int64_t clock_reasons, char *out,
                              size_t size_bytes);

/* Those of them under which a time must be thrown away. */
int64_t hone__clock_discard_bits(int64_t clock_reasons);

#endif
