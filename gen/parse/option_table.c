/* SPDX-License-Identifier: Apache-2.0 */
/* The table of compiler options: see option_table.h. */
#include "gen/parse/option_table.h"

#include <string.h>

const hone_option_row hone__options[HONE_N_OPTIONS] = {
#define OPTION_ROW(name, spelling, kind, meaning)                              \
    {#name, spelling, kind, meaning},
    HONE_OPTION_MAP(OPTION_ROW)
#undef OPTION_ROW
};

const hone_option_row *hone__option_find(const char *name, size_t length)
{
    for (size_t i = 0; i < HONE_N_OPTIONS; ++i) {
        if (strlen(hone__options[i].name) == length &&
            !memcmp(hone__options[i].name, name, length))
            return &hone__options[i];
    }
    return NULL;
}
