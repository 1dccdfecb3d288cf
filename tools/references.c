/* SPDX-License-Identifier: Apache-2.0 */
/* The table of CPU references: see references.h. */
#include "tools/references.h"

const hone_reference *hone__references(size_t *out_n)
{
    *out_n = 0;
    return NULL;
}
