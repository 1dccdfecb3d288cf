/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor maps: every rule of CUDA at both of its ends, with its sentence. */
#include "tests/runtime/runtime_fixture.h"

#include "runtime/launch/tensor_map.h"

#include <stddef.h>
#include <string.h>

/* Tiles of 64 by 128 of a matrix of f16, 1000 rows of 512. */
static hone_tensor_map good_map(void)
{
    return (hone_tensor_map){.name = "A_MAP",
                             .array = "A",
                             .type = HONE_TYPE_F16,
                             .array_bytes = 1000 * 1024,
                             .rank = 2,
                             .dims = {512, 1000},
                             .strides = {0, 1024},
                             .box = {64, 128},
                             .steps = {1, 1},
                             .swizzle = 128,
                             .l2 = 256,
                             .fill = 0};
}

/* One number of a good map, changed. */
typedef struct change {
    size_t offset;
    int64_t value;
    const char *part; /* of the sentence; NULL: allowed */
} change;

#define AT(member) offsetof(hone_tensor_map, member)

static const change changes[] = {
    {AT(dims[1]), 1, NULL},
    {AT(dims[1]), 0,
     "'A_MAP': dimension 1 is 0; a tensor map allows 1 to "
     "4294967296"},
    {AT(dims[0]), -4, "dimension 0 is -4"},
    {AT(dims[0]), (INT64_C(1) << 32) + 1, "dimension 0 is 4294967297"},
    {AT(strides[1]), 1016,
     "the stride of dimension 1 is 1016 bytes, which "
     "is no multiple of 16; pad the rows of 'A'"},
    {AT(strides[1]), 1008, NULL},
    {AT(strides[1]), 0, NULL},
    {AT(strides[1]), -16,
     "stride of dimension 1 is -16 bytes; a tensor map "
     "allows 0 to 2^40 - 16"},
    {AT(strides[1]), INT64_C(1) << 40, "is 1099511627776 bytes"},
    {AT(strides[0]), 7, NULL}, /* is not used */
    {AT(box[1]), 256, NULL},
    {AT(box[1]), 257, "box side 1 is 257; a tensor map allows 1 to 256"},
    {AT(box[0]), 0, "box side 0 is 0"},
    {AT(box[0]), 8, NULL},
    {AT(box[0]), 12,
     "box side 0 is 12 elements of f16, 24 bytes, which is "
     "no multiple of 16"},
    {AT(box[0]), 72,
     "box side 0 is 72 elements of f16, 144 bytes, more than "
     "the 128 of the swizzle"},
    {AT(steps[1]), 8, NULL},
    {AT(steps[1]), 9, "element stride 1 is 9; a tensor map allows 1 to 8"},
    {AT(steps[1]), 0, "element stride 1 is 0"},
    {AT(steps[0]), 2, "element stride 0 is 2; that of the innermost"},
    {AT(swizzle), 32, "128 bytes, more than the 32 of the swizzle"},
    {AT(swizzle), 0, NULL},
    {AT(swizzle), 16,
     "the swizzle is 16 bytes; a tensor map allows 0, 32, "
     "64 and 128"},
    {AT(swizzle), -1, "the swizzle is -1 bytes"},
    {AT(l2), 0, NULL},
    {AT(l2), 512,
     "the L2 promotion is 512 bytes; a tensor map allows 0, 64, "
     "128 and 256"},
    {AT(fill), 1, NULL},
    {AT(fill), 2, "the fill is 2; it is 0 for zeros or 1 for NaNs"},
    {AT(type), HONE_TYPE_BF16, NULL},
    {AT(type), HONE_TYPE_F32, "box side 0 is 64 elements of f32, 256 bytes"},
    {AT(type), 999, "'A' has elements of ?, which a tensor map does not"},
    {AT(array_bytes), 1000 * 1024 - 1,
     "'A_MAP' reaches over the end of 'A': its dimensions and strides take "
     "1024000 bytes, the array has 1023999"},
    {AT(array_bytes), HONE_MAP_UNKNOWN, NULL},
    {AT(dims[1]), HONE_MAP_UNKNOWN, NULL},
    {AT(dims[0]), HONE_MAP_UNKNOWN, NULL},
    {AT(strides[1]), HONE_MAP_UNKNOWN, NULL},
    {AT(box[0]), HONE_MAP_UNKNOWN, NULL},
    {AT(swizzle), HONE_MAP_UNKNOWN, NULL},
    {AT(l2), HONE_MAP_UNKNOWN, NULL},
    {AT(fill), HONE_MAP_UNKNOWN, NULL},
    {AT(steps[0]), HONE_MAP_UNKNOWN, NULL},
    {AT(type), HONE_MAP_UNKNOWN, NULL},
};

static void check(const hone_tensor_map *map, const char *part)
{
    hone_error error = {0};
    const hone_status status = hone__tensor_map_check(map, &error);

    if (!part && status != HONE_OK)
        fail_msg("refused: %s", error.text);
    if (!part)
        return;
    if (status != HONE_ERR_CONSTRAINT)
        fail_msg("status %d instead of '%s'", (int)status, part);
    assert_contains(error.text, part);
    assert_contains(error.text, "tensor map 'A_MAP'");
}

static void one_number_at_a_time(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; ++i) {
        hone_tensor_map map = good_map();

        memcpy((char *)&map + changes[i].offset, &changes[i].value,
               sizeof changes[i].value);
        check(&map, changes[i].part);
    }
}

static void every_swizzle_has_its_span(void **state)
{
    static const int64_t spans[] = {32, 64, 128};

    (void)state;
    for (size_t i = 0; i < 3; ++i) {
        hone_tensor_map map = good_map();

        map.swizzle = spans[i];
        map.box[0] = spans[i] / 2;
        check(&map, NULL);
        map.box[0] = spans[i] / 2 + 8;
        check(&map, "of the swizzle; make the box narrower");
        map.swizzle = 0;
        check(&map, NULL);
    }
}

static void integers_have_no_nan(void **state)
{
    hone_tensor_map map = good_map();

    (void)state;
    map.type = HONE_TYPE_I32;
    map.dims[0] = 256;
    map.box[0] = 32;
    check(&map, NULL);
    map.fill = 1;
    check(&map, "there is no NaN to fill with in i32 elements");
}

static void largest_and_smallest(void **state)
{
    hone_tensor_map map = good_map();

    (void)state;
    map.rank = 5;
    for (int i = 0; i < 5; ++i) {
        map.dims[i] = INT64_C(1) << 32;
        map.strides[i] = (INT64_C(1) << 40) - 16;
        map.box[i] = i ? 256 : 64;
        map.steps[i] = 1;
    }
    map.array_bytes = HONE_MAP_UNKNOWN;
    check(&map, NULL);
    map.array_bytes = INT64_MAX - 1; /* 2^74 bytes are none of these */
    check(&map, "take more than 9223372036854775807 bytes");
    map = good_map();
    map.rank = 1;
    map.dims[0] = 8;
    map.box[0] = 8;
    map.array_bytes = 16;
    check(&map, NULL);
    map.array_bytes = 15;
    check(&map, "take 16 bytes, the array has 15");
}

static void addresses(void **state)
{
    const hone_tensor_map map = good_map();
    hone_error error = {0};

    (void)state;
    assert_int_equal(hone__tensor_map_check_address(&map, 0x7010, &error),
                     HONE_OK);
    assert_int_equal(hone__tensor_map_check_address(&map, 0x7018, &error),
                     HONE_ERR_ARGUMENT);
    assert_contains(error.text, "'A_MAP' cannot be made: 'A' lies at 0x7018, "
                                "which is no multiple of 16 bytes");
    assert_int_equal(hone__tensor_map_check_address(&map, 0, &error),
                     HONE_ERR_ARGUMENT);
    assert_contains(error.text, "'A' is a null pointer");
}

/* The numbers of cuda.h. */
static void codes(void **state)
{
    static const struct {
        hone_type type;
        int code;
    } types[] = {
        {HONE_TYPE_U8, 0},  {HONE_TYPE_I8, 0},   {HONE_TYPE_U32, 2},
        {HONE_TYPE_I32, 3}, {HONE_TYPE_U64, 4},  {HONE_TYPE_C32, 4},
        {HONE_TYPE_I64, 5}, {HONE_TYPE_F16, 6},  {HONE_TYPE_F32, 7},
        {HONE_TYPE_F64, 8}, {HONE_TYPE_BF16, 9}, {HONE_TYPE_TF32, 11},
    };
    static const int64_t bytes[] = {0, 32, 64, 128, 256};

    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i) {
        hone_tensor_map map = good_map();

        map.type = types[i].type;
        assert_int_equal(hone__tensor_map_codes(&map).type, types[i].code);
    }
    for (int i = 0; i < 4; ++i) {
        hone_tensor_map map = good_map();

        map.swizzle = bytes[i];
        map.l2 = i ? bytes[i + 1] : 0;
        map.fill = i % 2;
        assert_int_equal(hone__tensor_map_codes(&map).swizzle, i);
        assert_int_equal(hone__tensor_map_codes(&map).l2, i);
        assert_int_equal(hone__tensor_map_codes(&map).fill, i % 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_number_at_a_time),
        cmocka_unit_test(every_swizzle_has_its_span),
        cmocka_unit_test(integers_have_no_nan),
        cmocka_unit_test(largest_and_smallest),
        cmocka_unit_test(addresses),
        cmocka_unit_test(codes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
