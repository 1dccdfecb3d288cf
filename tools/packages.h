/* SPDX-License-Identifier: Apache-2.0 */
/* What else is installed on this machine: programs, headers, libraries. */
#ifndef HONE_TOOLS_PACKAGES_H
#define HONE_TOOLS_PACKAGES_H

#include "runtime/base/text.h"

/* Is `proof` of packages.def there? Puts where into `out`, whose `failed` says
 * that memory ran out; then the answer is no. */
int hone__package_find(const char *proof, hone_text *out);

#endif
