/* SPDX-License-Identifier: Apache-2.0 */
/* AddressSanitizer in this process, for variants that are built with it. */
#ifndef HONE_TOOLS_SANITIZER_H
#define HONE_TOOLS_SANITIZER_H

#include "runtime/base/error.h"

/* Returns HONE_OK if ASan's library is loaded. Otherwise starts this program
 * anew with the same arguments and the library preloaded, and returns only if
 * that fails: HONE_ERR_NO_COMPILER. */
hone_status hone__sanitizer_enter(hone_error *err);

#endif
