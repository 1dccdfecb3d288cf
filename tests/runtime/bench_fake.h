/* SPDX-License-Identifier: Apache-2.0 */
/* The fake driver for benchmarks, with a context that is current. */
#ifndef HONE_TESTS_BENCH_FAKE_H
#define HONE_TESTS_BENCH_FAKE_H

/* Ends the program where it cannot be loaded. */
void bench_fake_start(void);

#endif
