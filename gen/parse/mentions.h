/* SPDX-License-Identifier: Apache-2.0 */
/* Which parameters the code of a template names. The others reach it through
 * launches only, so they are left out of the source that is compiled:
 * configurations that differ in nothing else share one cubin. Private to
 * gen/. */
#ifndef HONE_GEN_MENTIONS_H
#define HONE_GEN_MENTIONS_H

#include "gen/parse/parse.h"

/* Fill in tmpl->mentioned, from the template and its headers. */
hone_status hone__mentions_find(const hone_parser *p, hone_error *err);

#endif
