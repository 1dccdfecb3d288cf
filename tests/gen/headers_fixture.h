/* SPDX-License-Identifier: Apache-2.0 */
/* Templates with headers, in a folder that each test has for itself. */
#ifndef HONE_TESTS_HEADERS_FIXTURE_H
#define HONE_TESTS_HEADERS_FIXTURE_H

#include "tests/gen/gen_test.h"

/* $TMPDIR/hone-headers-XXXXXX is where each test runs. */
extern char headers_folder[1100];
int headers_enter(void **state);
int headers_leave(void **state);
#define IN_FOLDER(test)                                                        \
    cmocka_unit_test_setup_teardown(test, headers_enter, headers_leave)

/* With the folder that it is in. */
void headers_write(const char *name, const char *text);

/* t/t.cu: `lines`, and the rest of a template. */
hone_status headers_load(const char *lines, hone_template **out,
                         hone_diagnostics *d, hone_error *err);
hone_template *headers_load_good(const char *lines);

#endif
