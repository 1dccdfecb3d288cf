/* SPDX-License-Identifier: Apache-2.0 */
/* A small matrix product whose winner is a function of a vendor's library, and
 * the fakes of the libraries. */
#ifndef HONE_TESTS_RUNTIME_VENDOR_FIXTURE_H
#define HONE_TESTS_RUNTIME_VENDOR_FIXTURE_H

#include "tests/runtime/runtime_fixture.h"

#include "runtime/vendor/vendor.h"

/* Rows of 16 bytes and more: their addresses are those of the arrays. */
enum { VENDOR_M = 3, VENDOR_N = 8, VENDOR_K = 8 };

extern const int64_t vendor_dims[3];
/* Everything but the vendor's lines. */
extern const char vendor_head[];
/* A kernel of ours for the same. */
extern const char vendor_kernel_plan[];
extern const char vendor_kernel_cubin[];

extern int (*vendor_live)(void); /* objects of the library that are left */
extern long (*vendor_n_heuristics)(void);
extern void (*vendor_capture)(void *stream);
extern void (*vendor_unload)(void);

/* Which files the libraries are; FAKE_BLAS_* and FAKE_FFT_* are unset. */
void vendor_fakes(void);
/* Find the fake's functions above. */
void vendor_load(void);

/* Write the winner: head and `lines`; and a kernel behind it that takes twice
 * the time. */
void vendor_put(runtime_fixture *fixture, const char *lines);
/* The lines of the algorithm at `rank`, as the library gives it. */
void vendor_choose(const char *function, size_t rank, hone_text *out);

/* Both: the winner is the algorithm at `rank`. */
void vendor_put_chosen(void **state, const char *function, size_t rank);

/* A setup that has the fakes be the libraries. */
int vendor_setup(void **state);
#define VENDOR_TEST(name)                                                      \
    cmocka_unit_test_setup_teardown(name, vendor_setup, runtime_teardown)

/* A problem with numbers that f16 has; C is aligned to 256 bytes, and lies
 * `shift` bytes further, as A and B do. */
typedef struct vendor_case {
    void *blocks[3];
    hone_cu_ptr at[3];
    float alpha, beta;
    void *args[5];
    float expected[VENDOR_M * VENDOR_N];
} vendor_case;

void vendor_make(vendor_case *c, size_t shift);
/* C is what it must be; free all. */
void vendor_check(vendor_case *c);
void vendor_free(vendor_case *c);

#define VENDOR_STREAM ((hone_stream)(uintptr_t)0x5000)

/* The database with such a winner, a plan of it, and their end. */
hone_ctx *vendor_open(void **state, const char *function, size_t rank);
hone_plan *vendor_plan(hone_ctx *ctx, hone_match *match);
void vendor_close(hone_ctx *ctx, hone_plan *plan);
/* The library runs it, and no kernel of ours. */
void vendor_run(hone_ctx *ctx, hone_plan *plan, size_t shift);

#endif
