/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HONE_TESTS_FAIL_EVERY_H
#define HONE_TESTS_FAIL_EVERY_H

#include <stdlib.h>

/* Tests in which each allocation fails in turn go on by so many: by one, unless
 * HONE_TEST_EVERY says more. tools/check does by day for what is sanitized,
 * which takes minutes: the release build has had each of them. */
static inline long fail_every(void)
{
    const char *const every = getenv("HONE_TEST_EVERY");
    const long n = every ? strtol(every, NULL, 10) : 1;

    return n > 1 ? n : 1;
}

#endif
