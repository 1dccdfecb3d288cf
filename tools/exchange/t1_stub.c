/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/exchange/exchange.h"
hone_status hone__write_t1(hone_export *export, hone_error *err)
{
    (void)export;
    return hone__fail(err, HONE_ERR_INTERNAL, "x");
}
hone_status hone__read_t1(hone_import *import, hone_error *err)
{
    (void)import;
    return hone__fail(err, HONE_ERR_INTERNAL, "x");
}
