/* SPDX-License-Identifier: Apache-2.0 */
/* What operations there are and how each is called, of databases and packs. */
#include "tests/runtime/pack_fixture.h"

#include "runtime/base/alloc.h"

#include <string.h>

/* All that an argument can be. */
static const char image_plan[] = "hone-launch 7\n"
                                 "op image\n"
                                 "dim h int\n"
                                 "dim w int\n"
                                 "dim T type 4\n"
                                 "dim BIAS choice 0\n"
                                 "dim pitch int w + 1\n"
                                 "param BLOCK 256\n"
                                 "let SMS device.sm_count\n"
                                 "let PER 100 / h\n"
                                 "arg gain scalar 5\n"
                                 "arg in_ in T h*w\n"
                                 "shape in_ h ; w\n"
                                 "arg bias in 4 w\n"
                                 "optional bias BIAS\n"
                                 "arg counts inout 10 SMS\n"
                                 "arg out_ out T h*pitch\n"
                                 "host in_ 0\n"
                                 "launch image\n"
                                 "grid PER\n"
                                 "block BLOCK\n"
                                 "pass in_\n"
                                 "pass out_\n";

static void put_image(runtime_fixture *fixture)
{
    const int64_t dims[] = {4, 6, HONE_TYPE_F32, 0, 7};
    const tuned_row row = {.op = "image",
                           .dims = dims,
                           .n_dims = 5,
                           .types = "4,0",
                           .launch_plan = image_plan,
                           .cubin = "image 0 8,8"};

    runtime_put(fixture, &row);
}

static hone_operation *describe(hone_ctx *ctx, const char *op,
                                const int64_t *dims, size_t n_dims)
{
    hone_operation *operation = NULL;

    assert_hone(ctx, hone_operation_describe(ctx, op, dims, n_dims, &operation),
                HONE_OK);
    assert_string_equal(operation->name, op);
    return operation;
}

static void refuse(hone_ctx *ctx, const char *op, const int64_t *dims,
                   size_t n_dims, hone_status status, const char *part)
{
    hone_operation *operation = (hone_operation *)(void *)&operation;

    assert_hone(ctx, hone_operation_describe(ctx, op, dims, n_dims, &operation),
                status);
    assert_null(operation);
    assert_contains(hone_error_text(ctx), part);
}

static void check_list(hone_ctx *ctx, size_t n, const char *const *names)
{
    hone_names *list = NULL;

    assert_hone(ctx, hone_operation_list(ctx, &list), HONE_OK);
    assert_int_equal(list->n_names, n);
    for (size_t i = 0; i < n; ++i)
        assert_string_equal(list->names[i], names[i]);
    hone_names_free(list);
}

static void check_arg(const hone_operation *operation, size_t i,
                      const hone_arg_info *expected)
{
    const hone_arg_info *arg = &operation->args[i];

    assert_string_equal(arg->name, expected->name);
    assert_int_equal(arg->mode, expected->mode);
    assert_int_equal(arg->type, expected->type);
    assert_true(arg->n_elements == expected->n_elements);
    assert_int_equal(arg->rank, expected->rank);
    for (size_t k = 0; k < arg->rank; ++k)
        assert_true(arg->extents[k] == expected->extents[k]);
    assert_int_equal(arg->is_optional, expected->is_optional);
    assert_int_equal(arg->is_host, expected->is_host);
}

static void check_gemm(hone_ctx *ctx)
{
    const int64_t dims[] = {100, 200, 300, HONE_TYPE_F16};
    hone_operation *gemm = describe(ctx, "gemm", dims, 4);

    assert_int_equal(gemm->n_dims, 4);
    assert_string_equal(gemm->dims[2].name, "K");
    assert_int_equal(gemm->dims[2].kind, HONE_DIM_SIZE);
    assert_int_equal(gemm->dims[2].has_default, 0);
    assert_int_equal(gemm->dims[2].value, 300);
    assert_int_equal(gemm->dims[3].kind, HONE_DIM_TYPE);
    assert_int_equal(gemm->dims[3].has_default, 1);
    assert_int_equal(gemm->dims[3].value, HONE_TYPE_F16);
    assert_int_equal(gemm->n_args, 3);
    check_arg(gemm, 0,
              &(hone_arg_info){.name = "A",
                               .mode = HONE_ARG_IN,
                               .type = HONE_TYPE_F16,
                               .n_elements = 30000,
                               .rank = 1,
                               .extents = {30000}});
    check_arg(gemm, 2,
              &(hone_arg_info){.name = "C",
                               .mode = HONE_ARG_OUT,
                               .type = HONE_TYPE_F16,
                               .n_elements = 20000,
                               .rank = 1,
                               .extents = {20000}});
    assert_int_equal(gemm->n_implementations, 1);
    assert_string_equal(gemm->implementations[0], "axpy.cu");
    hone_operation_free(gemm);
    gemm = describe(ctx, "gemm", dims, 3);
    assert_int_equal(gemm->dims[3].value, HONE_TYPE_F32);
    assert_int_equal(gemm->args[1].type, HONE_TYPE_F32);
    hone_operation_free(gemm);
}

static void database_and_pack_say_the_same(void **state)
{
    static const char *const names[] = {"axpy", "gemm", "image"};
    runtime_fixture *fixture = *state;
    hone_ctx *ctx = runtime_open(fixture);
    pack_file pack;

    check_list(ctx, 0, NULL);
    pack_put_all(fixture);
    put_image(fixture);
    check_list(ctx, 3, names);
    check_gemm(ctx);
    hone_close(ctx);
    pack = pack_make(fixture, "a.pack");
    assert_hone(ctx, hone_open(pack.path, &ctx), HONE_OK);
    check_list(ctx, 3, names);
    check_gemm(ctx);
    refuse(ctx, "fft", NULL, 0, HONE_ERR_NOT_FOUND, "is not in '");
    /* What is there for GPUs is not there for the cpu device. */
    assert_hone(ctx, hone_device_select(ctx, "cpu"), HONE_OK);
    check_list(ctx, 0, NULL);
    refuse(ctx, "gemm", NULL, 0, HONE_ERR_NOT_FOUND, "is not in '");
    hone_close(ctx);
    hone__text_free(&pack.bytes);
}

static void all_kinds_of_arguments(void **state)
{
    const int64_t dims[] = {4, 6, HONE_TYPE_F64, 1};
    hone_ctx *ctx = runtime_open(*state);
    hone_operation *image;

    put_image(*state);
    image = describe(ctx, "image", dims, 4);
    assert_int_equal(image->dims[3].kind, HONE_DIM_CHOICE);
    assert_int_equal(image->dims[4].value, 7);
    check_arg(image, 0,
              &(hone_arg_info){
                  .name = "gain", .type = HONE_TYPE_F64, .n_elements = 1});
    check_arg(image, 1,
              &(hone_arg_info){.name = "in_",
                               .mode = HONE_ARG_IN,
                               .type = HONE_TYPE_F64,
                               .n_elements = 24,
                               .rank = 2,
                               .extents = {4, 6},
                               .is_host = 1});
    check_arg(image, 2,
              &(hone_arg_info){.name = "bias",
                               .mode = HONE_ARG_IN,
                               .type = HONE_TYPE_F32,
                               .n_elements = 6,
                               .rank = 1,
                               .extents = {6},
                               .is_optional = 1});
    /* As many as the device has multiprocessors. */
    check_arg(image, 3,
              &(hone_arg_info){.name = "counts",
                               .mode = HONE_ARG_INOUT,
                               .type = HONE_TYPE_U32,
                               .n_elements = -1,
                               .rank = 1,
                               .extents = {-1}});
    assert_true(image->args[4].n_elements == 28);
    hone_operation_free(image);
    image = describe(ctx, "image", dims, 3);
    assert_int_equal(image->args[2].n_elements, 0);
    hone_operation_free(image);
    hone_close(ctx);
}

static void without_dims(void **state)
{
    hone_ctx *ctx = runtime_open(*state);
    hone_operation *image;

    put_image(*state);
    image = describe(ctx, "image", NULL, 0);
    assert_true(image->dims[0].value == HONE_DIM_DEFAULT);
    assert_int_equal(image->dims[2].value, HONE_TYPE_F32);
    assert_int_equal(image->dims[4].has_default, 1);
    assert_true(image->dims[4].value == HONE_DIM_DEFAULT);
    check_arg(image, 0,
              &(hone_arg_info){
                  .name = "gain", .type = HONE_TYPE_F64, .n_elements = 1});
    check_arg(image, 1,
              &(hone_arg_info){.name = "in_",
                               .mode = HONE_ARG_IN,
                               .n_elements = -1,
                               .rank = 2,
                               .extents = {-1, -1},
                               .is_host = 1});
    assert_int_equal(image->args[2].type, HONE_TYPE_F32);
    hone_operation_free(image);
    /* None of the dims is not the same as not asking with dims. */
    refuse(ctx, "image", (const int64_t[]){1}, 0, HONE_ERR_DIMS,
           "takes 2 to 5 dims, not 0");
    hone_close(ctx);
}

static void sizes_of_zero(void **state)
{
    hone_ctx *ctx = runtime_open(*state);
    hone_operation *operation;

    pack_put_all(*state);
    operation = describe(ctx, "gemm", (const int64_t[]){0, 64, 64}, 3);
    assert_true(operation->args[0].n_elements == 0);
    assert_true(operation->args[1].n_elements == 0);
    assert_int_equal(operation->args[1].type, HONE_TYPE_F32);
    hone_operation_free(operation);
    refuse(ctx, "gemm", (const int64_t[]){64, 64, 0}, 3, HONE_ERR_DIMS,
           "dim K of ");
    hone_close(ctx);
}

static void mistakes(void **state)
{
    static const int64_t huge[] = {INT64_C(1) << 31, INT64_C(1) << 31, 1};
    hone_ctx *ctx = runtime_open(*state);
    hone_names *names;
    hone_operation *operation;

    pack_put_all(*state);
    refuse(ctx, "gemm", (const int64_t[]){1, 2}, 2, HONE_ERR_DIMS,
           "takes 3 to 4 dims, not 2");
    refuse(ctx, "gemm", (const int64_t[]){1, -2, 3}, 3, HONE_ERR_DIMS,
           "dim N of ");
    refuse(ctx, "gemm", huge, 3, HONE_ERR_OVERFLOW,
           "does not fit into 2^63 bytes");
    refuse(ctx, "fft", NULL, 0, HONE_ERR_NOT_FOUND, "'fft' is not in '");
    refuse(ctx, NULL, NULL, 0, HONE_ERR_ARGUMENT, "op is NULL");
    refuse(ctx, "gemm", NULL, 3, HONE_ERR_ARGUMENT, "dims is NULL");
    refuse(NULL, "gemm", NULL, 0, HONE_ERR_ARGUMENT, "ctx is NULL");
    assert_int_equal(hone_operation_describe(ctx, "gemm", NULL, 0, NULL),
                     HONE_ERR_ARGUMENT);
    assert_int_equal(hone_operation_list(ctx, NULL), HONE_ERR_ARGUMENT);
    assert_int_equal(hone_operation_list(NULL, &names), HONE_ERR_ARGUMENT);
    hone_names_free(NULL);
    hone_operation_free(NULL);
    hone_close(ctx);
    assert_int_equal(hone_open("/nowhere/hone.db", &ctx), HONE_ERR_NOT_FOUND);
    assert_int_equal(hone_operation_list(ctx, &names), HONE_ERR_DATABASE);
    assert_int_equal(hone_operation_describe(ctx, "gemm", NULL, 0, &operation),
                     HONE_ERR_DATABASE);
    hone_close(ctx);
}

/* One damaged row does not matter; where all are, that is said. */
static void damage(void **state)
{
    runtime_fixture *fixture = *state;
    hone_ctx *ctx;

    pack_put_all(fixture);
    runtime_sql(fixture->path,
                "UPDATE variant SET launch_lines = launch_lines || 'x' "
                "WHERE config = 'BM=64,SPLIT=4'");
    ctx = runtime_open(fixture);
    hone_operation_free(describe(ctx, "gemm", NULL, 0));
    runtime_sql(fixture->path,
                "UPDATE variant SET launch_lines = launch_lines || 'x'");
    refuse(ctx, "gemm", NULL, 0, HONE_ERR_DATABASE, "is damaged");
    hone_close(ctx);
}

static void several_places_as_one(void **state)
{
    static const char *const names[] = {"axpy", "gemm"};
    runtime_fixture *fixture = *state;
    hone_source sources[2];
    hone_ctx *ctx = NULL;
    pack_file pack;

    pack_put_axpy(fixture, 1024, "BLOCK=256", axpy_cubin);
    pack = pack_make(fixture, "a.pack");
    runtime_sql(fixture->path, "DELETE FROM ranking");
    pack_put_gemm(fixture, 64, "BM=64,SPLIT=4", 1);
    sources[0] = (hone_source){.path = fixture->path};
    sources[1] = (hone_source){.path = pack.path};
    assert_hone(ctx, hone_sources_open(sources, 2, &ctx), HONE_OK);
    check_list(ctx, 2, names);
    hone_operation_free(describe(ctx, "axpy", NULL, 0));
    check_gemm(ctx);
    refuse(ctx, "fft", NULL, 0, HONE_ERR_NOT_FOUND, "in none of the 2");
    hone_close(ctx);
    hone__text_free(&pack.bytes);
}

static hone_status ask_both(const char *path)
{
    const int64_t dims[] = {64, 64, 64};
    hone_operation *operation = NULL;
    hone_names *names = NULL;
    hone_ctx *ctx = NULL;
    hone_status status = hone_open(path, &ctx);

    if (status == HONE_OK)
        status = hone_operation_list(ctx, &names);
    if (status == HONE_OK)
        status = hone_operation_describe(ctx, "gemm", dims, 3, &operation);
    hone_operation_free(operation);
    hone_names_free(names);
    hone_close(ctx);
    return status;
}

static void any_allocation_may_fail(void **state)
{
    runtime_fixture *fixture = *state;
    const char *paths[2] = {fixture->path, NULL};
    pack_file pack;

    pack_put_all(fixture);
    pack = pack_make(fixture, "a.pack");
    paths[1] = pack.path;
    for (size_t i = 0; i < 2; ++i) {
        hone_status status = HONE_ERR_NO_MEMORY;
        long n = 0;

        for (; status != HONE_OK && n < 2000; ++n) {
            hone__alloc_fail_after(n);
            status = ask_both(paths[i]);
            hone__alloc_fail_after(-1);
            if (status != HONE_OK)
                assert_int_equal(status, HONE_ERR_NO_MEMORY);
        }
        assert_in_range(n, 10, 1999);
    }
    hone__text_free(&pack.bytes);
}

#define WITH_DATABASE(test)                                                    \
    cmocka_unit_test_setup_teardown(test, runtime_setup, runtime_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_DATABASE(database_and_pack_say_the_same),
        WITH_DATABASE(all_kinds_of_arguments),
        WITH_DATABASE(without_dims),
        WITH_DATABASE(sizes_of_zero),
        WITH_DATABASE(mistakes),
        WITH_DATABASE(damage),
        WITH_DATABASE(several_places_as_one),
        WITH_DATABASE(any_allocation_may_fail),
    };

    return cmocka_run_group_tests_name("operation", tests, NULL, NULL);
}
