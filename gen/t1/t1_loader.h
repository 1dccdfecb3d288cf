/* SPDX-License-Identifier: Apache-2.0 */
/* What t1.c, which reads a definition, and t1_values.c, which reads the
 * values of a parameter, stand on. Private to them. */
#ifndef HONE_GEN_T1_LOADER_H
#define HONE_GEN_T1_LOADER_H

#include "gen/json/json_reader.h"
#include "gen/t1/python.h"
#include "gen/t1/t1.h"

typedef struct hone_t1_loader {
    hone_t1 *t1;
    hone_diagnostics *diagnostics;
    hone_texts texts;
    hone_python python;
    hone_error *err;
    int no_memory;
} hone_t1_loader;

/* Report a mistake at a value; the next parameter or condition is read. */
void hone__t1_complain(hone_t1_loader *l, const hone_json_tree *value,
                       const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Inside a string; where it has escapes, at its beginning. */
void hone__t1_complain_in(hone_t1_loader *l, const hone_json_tree *string,
                          hone_span where, const hone_error *err);
/* Room for n in the definition's arena. */
void *hone__t1_take(hone_t1_loader *l, size_t n, size_t size);

/* --- t1_values.c --- */
/* Fill in the values of a parameter from "Values". */
void hone__t1_read_values(hone_t1_loader *l, const hone_json_tree *values,
                          hone_t1_param *param);
/* Which of them "Default" is. */
void hone__t1_read_default(const hone_json_tree *value, hone_t1_param *param);

#endif
