/* SPDX-License-Identifier: Apache-2.0 */
/* What the targets here have in common. Each reads bytes from anywhere with one
 * reader of hone's; whatever the answer is, the process must live, end soon and
 * take little. Under libFuzzer (run.sh), or replayed from a corpus by
 * replay_main.c, which any compiler builds. */
#ifndef HONE_TESTS_FUZZ_H
#define HONE_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes);

/* What must hold for every input, in release builds too. */
#define FUZZ_HOLDS(condition)                                                  \
    do {                                                                       \
        if (!(condition)) {                                                    \
            (void)fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__,      \
                          __LINE__, #condition);                               \
            abort();                                                           \
        }                                                                      \
    } while (0)

#endif
