/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA devices: their row, and what its parts share. */
#ifndef HONE_TUNER_CUDA_DEVICE_H
#define HONE_TUNER_CUDA_DEVICE_H

#include "tuner/device/device.h"
#include "tuner/judge/samples.h"

extern const hone_device_kind hone__cuda_device;

/* Whether the last of `n` readings of a clock agree; pure. Readings of 0 are
 * unknown and agree with nothing. */
int hone__clock_settled(const double *mhz, int n);

/* Cycles over nanoseconds as MHz; 0 if that cannot be a GPU's clock. */
double hone__clock_mhz(uint64_t cycles, uint64_t ns);

/* The device's place on the PCI bus, "00000000:c1:02.0"; 0: the driver does not
 * tell. */
int hone__cuda_pci_text(const hone_driver *driver, hone_cu_device device,
                        char out[32]);

/* ---- NVML -----------------------------------------------------------------
 * What the driver's management library says about a device while we measure
 * on it: clocks, power, temperature and why the clocks are held back. Only
 * reads; no clock, limit or mode is ever set. Without NVML everything works
 * and every value is -1. */

typedef struct hone_nvml hone_nvml;

/* Find the device of the CUDA driver in NVML, by its UUID, else by its place
 * on the PCI bus. No NVML, or a device it does not know, is no failure: the
 * monitor then says why in hone__nvml_reason(). HONE_ERR_NO_MEMORY.
 * $HONE_NVML_LIBRARY names another library to load. */
hone_status hone__nvml_open(const hone_driver *driver, hone_cu_device device,
                            hone_nvml **out, hone_error *err);
void hone__nvml_close(hone_nvml *nvml); /* NULL is a no-op */

/* Load and start NVML, and stop it again: the file that it was loaded from, or
 * HONE_ERR_UNSUPPORTED. The library may do anything in the process that asks.
 */
hone_status hone__nvml_look(char out_path[static 1024], hone_error *err);

/* Read everything now; some microseconds. A NULL monitor reads nothing. */
void hone__nvml_sample(hone_nvml *nvml, hone_clocks *out);

/* The counter of energy since the driver was loaded, in millijoules; 0: it has
 * none (before Volta, or a slice of a card). */
int hone__nvml_energy(hone_nvml *nvml, int64_t *out_mj);

/* Is the card gone, or the driver replaced underneath? 0: no, or unknown. */
int hone__nvml_is_lost(hone_nvml *nvml);

/* Why there are no values, one sentence; "" if there are. */
const char *hone__nvml_reason(const hone_nvml *nvml);

/* The reasons, right now, for which a time must be thrown away: 0 if there
 * are none, or unknown. One short call. */
int64_t hone__nvml_slowdown(hone_nvml *nvml);

#endif
