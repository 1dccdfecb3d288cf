/* SPDX-License-Identifier: Apache-2.0 */
/* Which of cuBLASLt's proposals comes first where a product is added to C. */
#include "runtime/vendor/vendor_lt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { TILED_BY_WGMMA = 66, OTHER = 24 };
/* What the fake keeps of an algorithm, and which one it is. */
enum { ALGORITHM, TILE, SPLITS, CUSTOM, NUMBER };
/* Of cublasLtMatmulTile_t. */
enum { TILE_128X128 = 20, TILE_128X160 = 29, TILE_192X128 = 31 };

static int get_attribute(const hone_lt_algorithm *algorithm, int attribute,
                         void *value, size_t size_bytes, size_t *n_bytes)
{
    static const int place[] = {ALGORITHM, TILE, SPLITS, -1, -1, CUSTOM};
    const uint32_t has = (uint32_t)algorithm->data[place[attribute]];

    assert_int_equal(size_bytes, sizeof has);
    memcpy(value, &has, sizeof has);
    *n_bytes = sizeof has;
    return 0;
}

static const hone_lt library = {.attribute = get_attribute};

static hone_lt_proposal proposal(int id, int tile, int splits, int custom)
{
    return (hone_lt_proposal){
        {{(uint64_t)id, (uint64_t)tile, (uint64_t)splits, (uint64_t)custom}},
        0};
}

static hone_lt_proposal slow(int custom)
{
    return proposal(TILED_BY_WGMMA, TILE_128X160, 1, custom);
}

static hone_lt_proposal fast(void)
{
    return proposal(TILED_BY_WGMMA, TILE_128X128, 1, 3);
}

static hone_lt_state product(int out_bytes)
{
    return (hone_lt_state){
        .lt = &library,
        .gemm = {.adds = 1, .in_bytes = 2, .out_bytes = out_bytes}};
}

/* The numbers, in their new order, of four proposals. */
static void check(const hone_lt_state *state, const hone_lt_proposal *list,
                  const int expected[4])
{
    hone_lt_proposal ordered[4];

    for (int i = 0; i < 4; i++) {
        ordered[i] = list[i];
        ordered[i].algorithm.data[NUMBER] = (uint64_t)i;
    }
    hone__lt_order(state, ordered, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(ordered[i].algorithm.data[NUMBER], expected[i]);
        assert_int_equal(ordered[i].algorithm.data[TILE],
                         list[expected[i]].algorithm.data[TILE]);
    }
}

/* The first that is known to be fast goes ahead, the others keep their order.
 */
static void test_first(void **state)
{
    const hone_lt_state p = product(4);
    const hone_lt_proposal list[] = {
        slow(3), slow(7), fast(), proposal(TILED_BY_WGMMA, TILE_192X128, 1, 3)};
    const hone_lt_proposal ready[] = {list[3], list[0], list[2], list[1]};
    const hone_lt_proposal beyond[] = {
        list[0], proposal(OTHER, TILE_128X128, 1, 3), list[1], list[2]};

    (void)state;
    check(&p, list, (int[]){2, 0, 1, 3});
    check(&p, ready, (int[]){0, 1, 2, 3});
    check(&p, beyond, (int[]){3, 0, 1, 2});
}

static void test_left_alone(void **state)
{
    const hone_lt_proposal list[] = {slow(3), slow(1), fast(), slow(5)};
    const hone_lt_proposal all_slow[] = {list[0], list[1], list[3], list[1]};
    const hone_lt_proposal other[] = {proposal(OTHER, TILE_128X160, 1, 3),
                                      list[0], list[2], list[1]};
    const hone_lt_proposal no_other[] = {list[0], other[0], list[1], list[3]};
    const hone_lt_proposal split[] = {
        proposal(TILED_BY_WGMMA, TILE_128X160, 4, 3), list[0], list[2],
        list[1]};
    hone_lt_state p = product(4);

    (void)state;
    check(&p, all_slow, (int[]){0, 1, 2, 3});
    check(&p, other, (int[]){0, 1, 2, 3});
    check(&p, no_other, (int[]){0, 1, 2, 3});
    check(&p, split, (int[]){0, 1, 2, 3});
    p.gemm.adds = 0;
    check(&p, list, (int[]){0, 1, 2, 3});
    p = product(4);
    p.gemm.in_bytes = 4;
    check(&p, list, (int[]){0, 1, 2, 3});
}

/* Tiles by number, with their sides, and what is known of them: whether they
 * are slow with C of 32 and of 16 bits, and an even and an odd custom option.
 */
static void test_tiles(void **state)
{
    static const struct {
        int tile, sides[2], is_slow[2][2];
    } tiles[] = {
        {15, {64, 64}, {{0, 0}, {0, 0}}},
        {17, {64, 128}, {{0, 1}, {0, 0}}},
        {20, {128, 128}, {{0, 0}, {0, 0}}},
        {23, {128, 256}, {{1, 1}, {0, 1}}},
        {24, {256, 128}, {{1, 1}, {1, 0}}},
        {27, {96, 64}, {{0, 0}, {0, 0}}},
        {29, {128, 160}, {{0, 1}, {0, 0}}},
        {31, {192, 128}, {{1, 0}, {1, 0}}},
        {193, {160, 64}, {{1, 0}, {0, 0}}},
        {209, {192, 192}, {{0, 0}, {0, 0}}},
        {221, {224, 128}, {{1, 0}, {1, 0}}},
        {317, {64, 72}, {{0, 1}, {0, 0}}},
        {410, {128, 184}, {{0, 1}, {0, 1}}},
        {409, {128, 176}, {{0, 1}, {0, 0}}},
        {470, {192, 208}, {{0, 1}, {0, 0}}},
        {502, {256, 160}, {{0, 1}, {0, 0}}},
        {494, {256, 88}, {{0, 0}, {0, 0}}},
        {581, {512, 80}, {{0, 0}, {0, 0}}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof tiles / sizeof tiles[0]; i++)
        for (int narrow = 0; narrow < 2; narrow++)
            for (int odd = 0; odd < 2; odd++) {
                const hone_lt_state p = product(narrow ? 2 : 4);
                hone_lt_proposal list[2] = {
                    proposal(TILED_BY_WGMMA, tiles[i].tile, 1, 2 + odd),
                    fast()};

                list[1].algorithm.data[NUMBER] = 1;
                hone__lt_order(&p, list, 2);
                if ((int)list[0].algorithm.data[NUMBER] !=
                    tiles[i].is_slow[narrow][odd])
                    fail_msg("%d x %d, C of %d bits, option %d",
                             tiles[i].sides[0], tiles[i].sides[1],
                             narrow ? 16 : 32, 2 + odd);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first),
        cmocka_unit_test(test_left_alone),
        cmocka_unit_test(test_tiles),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
