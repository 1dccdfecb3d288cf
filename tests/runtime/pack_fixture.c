/* SPDX-License-Identifier: Apache-2.0 */
/* Making packs and asking them: see pack_fixture.h. */
#include "tests/runtime/pack_fixture.h"

#include <stdio.h>
#include <string.h>

void pack_write(pack_file *pack)
{
    assert_int_equal(hone__file_replace(pack->path, pack->bytes.data,
                                        pack->bytes.length, NULL),
                     HONE_OK);
}

pack_file pack_make(const runtime_fixture *fixture, const char *name)
{
    hone_db_pack_summary summary;
    pack_file pack = {.bytes = {0}};
    hone_error err = {0};

    (void)snprintf(pack.path, sizeof pack.path, "%s/%s", fixture->folder, name);
    if (hone__db_pack(fixture->db, &(hone_db_pack_request){.n_ops = 0},
                      &pack.bytes, &summary, &err) != HONE_OK)
        print_error("%s\n", err.text);
    assert_int_equal(err.status, HONE_OK);
    assert_int_equal(summary.n_damaged, 0);
    memcpy(pack.sha256, summary.sha256, sizeof pack.sha256);
    hone__db_pack_summary_free(&summary);
    pack_write(&pack);
    return pack;
}

void pack_put_gemm(runtime_fixture *fixture, int64_t m, const char *config,
                   int is_default)
{
    const int64_t dims[] = {m, 64, 64, HONE_TYPE_F32};
    const tuned_row row = {.op = "gemm",
                           .dims = dims,
                           .n_dims = 4,
                           .types = "4",
                           .config = config,
                           .is_default = is_default,
                           .launch_plan = gemm_plan,
                           .cubin = gemm_cubin};

    runtime_put(fixture, &row);
}

void pack_put_axpy(runtime_fixture *fixture, int64_t n, const char *config,
                   const char *cubin)
{
    const tuned_row row = {.dims = &n,
                           .n_dims = 1,
                           .config = config,
                           .launch_plan = axpy_plan,
                           .cubin = cubin};

    runtime_put(fixture, &row);
}

void pack_put_all(runtime_fixture *fixture)
{
    pack_put_gemm(fixture, 64, "BM=64,SPLIT=4", 1);
    pack_put_gemm(fixture, 128, "BM=64,SPLIT=4,V=32", 0);
    pack_put_gemm(fixture, 4096, "BM=64,SPLIT=4,V=128", 0);
    pack_put_axpy(fixture, 1024, "BLOCK=256,V=128", axpy_cubin);
}

hone_match pack_ask(hone_ctx *ctx, const char *op, const int64_t *dims,
                    size_t n_dims)
{
    hone_match match = {.config = ""};
    hone_plan *plan = NULL;

    assert_hone(ctx, hone_plan_create(ctx, op, dims, n_dims, &plan, &match),
                HONE_OK);
    hone_plan_destroy(plan);
    return match;
}

hone_match pack_ask_file(const char *path, const char *op, const int64_t *dims,
                         size_t n_dims)
{
    hone_ctx *ctx = NULL;
    hone_match match;

    assert_hone(ctx, hone_open(path, &ctx), HONE_OK);
    match = pack_ask(ctx, op, dims, n_dims);
    hone_close(ctx);
    return match;
}
