/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver's management library says about a device while we measure
 * on it: clocks, power, temperature and why the clocks are held back. Only
 * reads; no clock, limit or mode is ever set. Without NVML everything works
 * and every value is -1. */
#ifndef HONE_TUNER_NVML_H
#define HONE_TUNER_NVML_H

#include "runtime/driver/driver.h"

typedef struct hone_nvml hone_nvml;

typedef struct hone_nvml_sample {
    int available;    /* 0: nothing could be read, all values are -1 */
    int sm_clock_mhz; /* each is -1 if the device does not tell */
    int memory_clock_mhz;
    int power_mw;
    int temperature_c;
    int64_t clock_reasons; /* why the clocks are not higher: bits below */
} hone_nvml_sample;

/* Bits of clock_reasons: X(NAME, bit, text, whether a time measured under it
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

/* Find the device of the CUDA driver in NVML, by its UUID, else by its place
 * on the PCI bus. No NVML, or a device it does not know, is no failure: the
 * monitor then says why in hone__nvml_reason(). HONE_ERR_NO_MEMORY,
 * HONE_ERR_CUDA. $HONE_NVML_LIBRARY names another library to load. */
hone_status hone__nvml_open(const hone_driver *driver, hone_cu_device device,
                            hone_nvml **out, hone_error *err);
void hone__nvml_close(hone_nvml *nvml); /* NULL is a no-op */

/* Read everything now; some microseconds. A NULL monitor reads nothing. */
void hone__nvml_sample(hone_nvml *nvml, hone_nvml_sample *out);

/* Why there are no values, one sentence; "" if there are. */
const char *hone__nvml_reason(const hone_nvml *nvml);

/* "software power cap, hardware slowdown"; "none" for 0, "unknown" for -1;
 * bits without a name as a number. Cut to size_bytes. */
void hone__nvml_reasons_text(int64_t clock_reasons, char *out,
                             size_t size_bytes);

/* Whether a time measured at this sample must be thrown away: the hardware
 * slowed the clocks down. 0 when unknown. */
int hone__nvml_must_discard(const hone_nvml_sample *sample);
/* The reasons, right now, for which a time must be thrown away: 0 if there
 * are none, or unknown. One short call. */
int64_t hone__nvml_slowdown(hone_nvml *nvml);

#endif
