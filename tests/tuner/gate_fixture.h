/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about launch plans that are given as text. */
#ifndef HONE_TESTS_GATE_FIXTURE_H
#define HONE_TESTS_GATE_FIXTURE_H

#include "tuner/compile/gate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The answer of a rule about a plan that is given as text. */
#define GATE(rule, text, dims, n_dims, properties, ...)                        \
    (parse_plan(text),                                                         \
     rule(&(hone_launch_case){parsed_plan, dims, n_dims, properties},          \
          __VA_ARGS__))

static hone_launch_spec *parsed_plan;

static inline void parse_plan(const char *text)
{
    hone__launch_spec_free(parsed_plan);
    assert_int_equal(hone__launch_spec_parse(text, &parsed_plan, NULL),
                     HONE_OK);
}

#endif
