/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the tests of gen/: parse a text and see what comes of it. */
#ifndef HONE_TESTS_GEN_TEST_H
#define HONE_TESTS_GEN_TEST_H

#include "gen/expand/expand.h"
#include "gen/space.h"
#include "gen/parse/template.h"
#include "runtime/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define KERNEL "extern \"C\" __global__ void k() {}\n"

/* A template that must be good. */
static inline hone_template *parse_good(const char *text)
{
    hone_template *tmpl = NULL;
    hone_diagnostics diagnostics;
    hone_error err = {0};

    if (hone__template_parse("t.cu", text, strlen(text), &tmpl, &diagnostics,
                             &err))
        fail_msg("%s\n%s", err.text, text);
    assert_int_equal(diagnostics.n, 0);
    return tmpl;
}

static inline hone_properties properties_of(const char *arch)
{
    hone_properties properties;

    assert_int_equal(hone__properties_of_arch(arch, &properties, NULL),
                     HONE_OK);
    return properties;
}

#endif
