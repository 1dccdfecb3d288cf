/* SPDX-License-Identifier: Apache-2.0 */
/* The table of compiler options: see option_table.h. */
#include "gen/parse/option_table.h"

#include <string.h>

const hone_option_row hone__nvrtc_options[HONE_N_NVRTC_OPTIONS] = {
#define OPTION_ROW(name, spelling, kind, meaning)                              \
    {#name, spelling, kind, meaning},
    HONE_OPTION_MAP(OPTION_ROW)
#undef OPTION_ROW
};

const hone_option_row *hone__option_find(const char *name, size_t length)
{
    for (size_t i = 0; i < HONE_N_NVRTC_OPTIONS; ++i) {
        if (strlen(hone__nvrtc_options[i].name) == length &&
            !memcmp(hone__nvrtc_options[i].name, name, length))
            return &hone__nvrtc_options[i];
    }
    return NULL;
}
