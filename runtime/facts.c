/* SPDX-License-Identifier: Apache-2.0 */
/* Device facts: names, and typical values per architecture. The limits are
 * those of the CUDA programming guide's table of technical specifications
 * per compute capability; multiprocessors, cache and memory are those of one
 * common card of each (T4, A100 80GB, A10, L4, H100 SXM, B200, RTX 5090). */
#include "runtime/facts.h"

#include <stdlib.h>
#include <string.h>

const char *const hone__fact_names[HONE_N_FACTS] = {
#define FACT_NAME(name, meaning) #name,
    HONE_FACT_MAP(FACT_NAME)
#undef FACT_NAME
};

#define KIB(n) ((int64_t)(n) << 10)
#define MIB(n) ((int64_t)(n) << 20)
#define GIB(n) ((int64_t)(n) << 30)

static const hone_facts known[] = {
    {{75, 40, 32, 1024, 1024, 16, 65536, KIB(64), KIB(48), KIB(64), MIB(4),
      GIB(16)}},
    {{80, 108, 32, 1024, 2048, 32, 65536, KIB(164), KIB(48), KIB(163),
      MIB(40), GIB(80)}},
    {{86, 72, 32, 1024, 1536, 16, 65536, KIB(100), KIB(48), KIB(99), MIB(6),
      GIB(24)}},
    {{89, 58, 32, 1024, 1536, 24, 65536, KIB(100), KIB(48), KIB(99), MIB(48),
      GIB(24)}},
    {{90, 132, 32, 1024, 2048, 32, 65536, KIB(228), KIB(48), KIB(227),
      MIB(50), GIB(80)}},
    {{100, 148, 32, 1024, 2048, 32, 65536, KIB(228), KIB(48), KIB(227),
      MIB(126), GIB(180)}},
    {{120, 170, 32, 1024, 1536, 24, 65536, KIB(100), KIB(48), KIB(99),
      MIB(96), GIB(32)}},
};

hone_status hone__facts_of_arch(const char *arch, hone_facts *out,
                                hone_error *err)
{
    const char *digits = strncmp(arch, "sm_", 3) == 0 ? arch + 3 : arch;
    char *end = NULL;
    const long sm = strtol(digits, &end, 10);

    if (end != digits && (strcmp(end, "") == 0 || strcmp(end, "a") == 0)) {
        for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
            if (known[i].value[HONE_FACT_sm] == sm) {
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
