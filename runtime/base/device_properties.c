/* SPDX-License-Identifier: Apache-2.0 */
/* Device properties: names, and typical values per architecture. The limits
 * are those of the CUDA programming guide's table of technical specifications
 * per compute capability; multiprocessors, cache and memory are those of one
 * common card of each (T4, A100 80GB, A10, L4, H100 SXM, B200, RTX 5090); and
 * this machine as a device. */
#include "runtime/base/device_properties.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

const char *const hone__property_names[HONE_N_PROPERTIES] = {
#define FACT_NAME(name, meaning) #name,
    HONE_PROPERTY_MAP(FACT_NAME)
#undef FACT_NAME
};

#define KIB(n) ((int64_t)(n) << 10)
#define MIB(n) ((int64_t)(n) << 20)
#define GIB(n) ((int64_t)(n) << 30)

static const hone_properties known[] = {
    {{75, 40, 32, 1024, 1024, 16, 65536, KIB(64), KIB(48), KIB(64), MIB(4),
      GIB(16)}},
    {{80, 108, 32, 1024, 2048, 32, 65536, KIB(164), KIB(48), KIB(163), MIB(40),
      GIB(80)}},
    {{86, 72, 32, 1024, 1536, 16, 65536, KIB(100), KIB(48), KIB(99), MIB(6),
      GIB(24)}},
    {{89, 58, 32, 1024, 1536, 24, 65536, KIB(100), KIB(48), KIB(99), MIB(48),
      GIB(24)}},
    {{90, 132, 32, 1024, 2048, 32, 65536, KIB(228), KIB(48), KIB(227), MIB(50),
      GIB(80)}},
    {{100, 148, 32, 1024, 2048, 32, 65536, KIB(228), KIB(48), KIB(227),
      MIB(126), GIB(180)}},
    {{120, 170, 32, 1024, 1536, 24, 65536, KIB(100), KIB(48), KIB(99), MIB(96),
      GIB(32)}},
};

hone_status hone__properties_of_arch(const char *arch, hone_properties *out,
                                     hone_error *err)
{
    const char *digits = strncmp(arch, "sm_", 3) == 0 ? arch + 3 : arch;
    char *end = NULL;
    const long sm = strtol(digits, &end, 10);

    if (end != digits && (strcmp(end, "") == 0 || strcmp(end, "a") == 0)) {
        for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
            if (known[i].value[HONE_PROPERTY_sm] == sm) {
                *out = known[i];
                return HONE_OK;
            }
        }
    }
    return hone__fail(err, HONE_ERR_UNSUPPORTED,
                      "unknown architecture '%s'; known are sm_75, sm_80, "
                      "sm_86, sm_89, sm_90, sm_90a, sm_100 and sm_120",
                      arch);
}

void hone__properties_of_host(hone_properties *out)
{
    static const int caches[] = {_SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE,
                                 _SC_LEVEL4_CACHE_SIZE};
    const int64_t n_cores = sysconf(_SC_NPROCESSORS_ONLN);
    const int64_t n_pages = sysconf(_SC_PHYS_PAGES);
    const int64_t page_bytes = sysconf(_SC_PAGESIZE);

    (void)hone__properties_of_arch("sm_90", out, NULL);
    out->value[HONE_PROPERTY_sm_count] = n_cores > 0 ? n_cores : 1;
    if (n_pages > 0 && page_bytes > 0)
        out->value[HONE_PROPERTY_memory] = n_pages * page_bytes;
    /* The last one that the system knows. */
    for (size_t i = 0; i < sizeof caches / sizeof caches[0]; ++i) {
        const long cache_bytes = sysconf(caches[i]);

        if (cache_bytes > 0)
            out->value[HONE_PROPERTY_l2] = cache_bytes;
    }
}

/* The value of "model name : VALUE" without the spaces around it; 0 if this
 * is another line. */
static int read_model(const char *line, char out[64])
{
    static const char title[] = "model name";
    const char *value = strchr(line, ':');
    size_t length;

    if (strncmp(line, title, sizeof title - 1) != 0 || !value)
        return 0;
    do
        ++value;
    while (isspace((unsigned char)*value));
    (void)snprintf(out, 64, "%s", value);
    for (length = strlen(out);
         length && isspace((unsigned char)out[length - 1]);)
        out[--length] = '\0';
    return length > 0;
}

hone_status hone__host_name(char *out, size_t size, hone_error *err)
{
    FILE *file = fopen("/proc/cpuinfo", "re");
    struct utsname host;
    char model[64] = "";
    char line[256];
    int found = 0;
    int failed = !file && errno != ENOENT && errno != EACCES;

    if (uname(&host)) {
        (void)snprintf(host.nodename, sizeof host.nodename, "localhost");
        (void)snprintf(host.machine, sizeof host.machine, "unknown");
    }
    while (file && !found && fgets(line, sizeof line, file))
        found = read_model(line, model);
    if (file) {
        failed = !found && ferror(file);
        (void)fclose(file);
    }
    if (failed)
        return hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, errno,
                                 "cannot read /proc/cpuinfo: %s",
                                 strerror(errno));
    if (size > HONE_HOST_NAME_BYTES)
        size = HONE_HOST_NAME_BYTES;
    /* Not every kernel tells the model (64-bit ARM does not). */
    (void)snprintf(out, size, "%.63s, %.62s", host.nodename,
                   found ? model : host.machine);
    return HONE_OK;
}
