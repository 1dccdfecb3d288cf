/* SPDX-License-Identifier: Apache-2.0 */
/* What templates may ask about a device: `device.NAME` in expressions. */
#ifndef HONE_RUNTIME_DEVICE_PROPERTIES_H
#define HONE_RUNTIME_DEVICE_PROPERTIES_H

#include "runtime/base/error.h"

#include <stdint.h>

/* X(NAME, meaning): device.NAME, in this order in every value vector. */
#define HONE_PROPERTY_MAP(X)                                                   \
    X(sm, "compute capability, 10*major + minor: 90")                          \
    X(sm_count, "multiprocessors")                                             \
    X(warp, "threads of a warp")                                               \
    X(threads_block, "most threads of a block")                                \
    X(threads_sm, "most threads of a multiprocessor")                          \
    X(blocks_sm, "most blocks of a multiprocessor")                            \
    X(regs_sm, "32-bit registers of a multiprocessor")                         \
    X(smem_sm, "bytes of shared memory of a multiprocessor")                   \
    X(smem_block, "bytes of shared memory of a block without opt-in")          \
    X(smem_optin, "bytes of shared memory of a block with opt-in")             \
    X(l2, "bytes of level 2 cache")                                            \
    X(memory, "bytes of device memory")

typedef enum hone_property {
#define HONE_PROPERTY_ENUM(name, meaning) HONE_PROPERTY_##name,
    HONE_PROPERTY_MAP(HONE_PROPERTY_ENUM)
#undef HONE_PROPERTY_ENUM
        HONE_N_PROPERTIES
} hone_property;

typedef struct hone_properties {
    int64_t value[HONE_N_PROPERTIES];
} hone_properties;

extern const char
    *const hone__property_names[HONE_N_PROPERTIES]; /* "sm", ... */

/* Typical values of an architecture, for compiling without its GPU. `arch`
 * is "sm_90", "sm_90a" or "90". HONE_ERR_UNSUPPORTED lists what is known. */
hone_status hone__properties_of_arch(const char *arch, hone_properties *out,
                                     hone_error *err);

/* This machine as the device `cpu`: the limits of sm_90, so that the same
 * variants are valid, with the cores that are online as multiprocessors and
 * the physical memory. `l2` is the last cache; sm_90's if the system does
 * not tell. */
void hone__properties_of_host(hone_properties *out);

enum { HONE_HOST_NAME_BYTES = 128 };

/* What the database knows this machine by: "HOSTNAME, CPU MODEL NAME". Cut
 * to 127 bytes, or to `size` - 1 if that is less. HONE_ERR_IO: the model cannot
 * be read just now; under another name it would be another machine. */
hone_status hone__host_name(char *out, size_t size, hone_error *err);

#endif
