/* SPDX-License-Identifier: Apache-2.0 */
/* Launch plans read and resolved; what is not as expected fails the test. */
#ifndef HONE_TESTS_RUNTIME_LAUNCH_FIXTURE_H
#define HONE_TESTS_RUNTIME_LAUNCH_FIXTURE_H

#include "tests/runtime/runtime_fixture.h"

#include "runtime/launch/launch_body.h"

hone_launch_spec *launch_parse(const char *text);
/* The text is refused with these words. */
void launch_mistake(const char *text, const char *part);
/* Reading it with less and less memory: refused in order, then read. */
void launch_parse_short_of_memory(const char *text);

/* On a device of this architecture. */
hone_status launch_resolve(const hone_launch_spec *spec, const int64_t *dims,
                           size_t n_dims, const char *arch, hone_resolved *out,
                           hone_error *error);
/* On an H100, where it must be possible. */
void launch_resolved(const hone_launch_spec *spec, const int64_t *dims,
                     size_t n_dims, hone_resolved *out);

#endif
