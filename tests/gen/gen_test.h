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
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define KERNEL "extern \"C\" __global__ void k() {}\n"

/* A template that must be good. */
static inline hone_template *parse_good(const char *text)
{
    hone_template *tmpl = NULL;
    hone_diagnostics diagnostics;
    hone_error err = {0};

    if (hone__template_read("t.cu", "", text, strlen(text), &tmpl, &diagnostics,
                            &err))
        fail_msg("%s\n%s", err.text, text);
    assert_int_equal(diagnostics.n, 0);
    return tmpl;
}

/* What is wrong with a text that must be refused. */
static inline hone_diagnostics read_bad(const char *text)
{
    hone_template *tmpl = NULL;
    hone_diagnostics found;
    hone_error err = {0};

    if (hone__template_read("t.cu", "", text, strlen(text), &tmpl, &found,
                            &err) != HONE_ERR_INPUT)
        fail_msg("accepted: %s", text);
    return found;
}

/* The launch plan of a configuration as text, and read back. */
static inline hone_launch_spec *
read_plan(const hone_template *tmpl, const int64_t *config, hone_text *plan)
{
    hone_launch_spec *spec = NULL;
    hone_error err = {0};

    if (hone__expand_launch_spec(tmpl, config, plan, &err) ||
        hone__launch_spec_parse(hone__text_str(plan), &spec, &err))
        fail_msg("%s\n%s", err.text, hone__text_str(plan));
    return spec;
}

static inline hone_properties properties_of(const char *arch)
{
    hone_properties properties;

    assert_int_equal(hone__properties_of_arch(arch, &properties, NULL),
                     HONE_OK);
    return properties;
}

/* Each configuration as one number: its value indexes as digits, the first
 * parameter the most significant. To be freed. */
static inline uint64_t *ranks_of(const hone_space *space)
{
    const size_t n = (size_t)space->count;
    const size_t n_params = space->n_params;
    const int *n_values = space->n_values;
    uint16_t *rows = malloc((n * n_params + 1) * sizeof *rows);
    uint64_t *ranks = calloc(n + 1, sizeof *ranks);

    assert_non_null(rows);
    assert_non_null(ranks);
    hone__space_rows(space, 0, (int64_t)n, rows);
    for (size_t i = 0; i < n; ++i)
        for (size_t k = 0; k < n_params; ++k)
            ranks[i] =
                ranks[i] * (uint64_t)n_values[k] + rows[i * n_params + k];
    free(rows);
    return ranks;
}

#endif
