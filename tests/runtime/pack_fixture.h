/* SPDX-License-Identifier: Apache-2.0 */
/* Packs for the tests of the runtime, made of a fixture's database. */
#ifndef HONE_TESTS_RUNTIME_PACK_FIXTURE_H
#define HONE_TESTS_RUNTIME_PACK_FIXTURE_H

#include "tests/runtime/runtime_fixture.h"

#include "db/db_pack.h"

typedef struct pack_file {
    char path[400];
    hone_text bytes;
    char sha256[HONE_SHA256_HEX];
} pack_file;

/* Pack all of the database into a file of its folder; asserts success, as the
 * others. */
pack_file pack_make(const runtime_fixture *fixture, const char *name);
void pack_write(pack_file *pack); /* its bytes, which were changed */

void pack_put_gemm(runtime_fixture *fixture, int64_t m, const char *config,
                   int is_default);
void pack_put_axpy(runtime_fixture *fixture, int64_t n, const char *config,
                   const char *cubin);
/* Three shapes of gemm, one the default variant, and one of axpy. */
void pack_put_all(runtime_fixture *fixture);

/* Make a plan; what the match says. */
hone_match pack_ask(hone_ctx *ctx, const char *op, const int64_t *dims,
                    size_t n_dims);
hone_match pack_ask_file(const char *path, const char *op, const int64_t *dims,
                         size_t n_dims);

#endif
