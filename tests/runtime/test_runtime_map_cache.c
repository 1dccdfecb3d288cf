/* SPDX-License-Identifier: Apache-2.0 */
/* Encoded tensor maps: what the driver is asked, how often, and what is said
 * when it cannot; many threads on few entries. */
#include "tests/runtime/runtime_fixture.h"

#include "runtime/base/alloc.h"
#include "runtime/driver/map_cache.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static atomic_int n_encoded;
static hone_cu_result refusal;

/* What an encoded map holds in these tests: all that was asked. */
enum {
    AT_ADDRESS,
    AT_TYPE,
    AT_RANK,
    AT_DIMS,
    AT_STRIDES = 5,
    AT_BOX,
    AT_STEPS
};

static hone_cu_result encode(hone_cu_tensor_map *out, int type, uint32_t rank,
                             hone_cu_ptr address, const uint64_t *dims,
                             const uint64_t *strides, const uint32_t *box,
                             const uint32_t *steps, int interleave, int swizzle,
                             int l2, int fill)
{
    atomic_fetch_add(&n_encoded, 1);
    if (refusal)
        return refusal;
    for (size_t i = 0; i < 16; ++i)
        out->words[i] = address + i;
    out->words[AT_TYPE] = (uint64_t)type;
    out->words[AT_RANK] = rank;
    out->words[AT_DIMS] = dims[0];
    out->words[AT_DIMS + 1] = dims[1];
    out->words[AT_STRIDES] = strides[0];
    out->words[AT_BOX] = (uint64_t)box[0] << 32 | box[1];
    out->words[AT_STEPS] = (uint64_t)steps[0] << 32 | steps[1];
    out->words[8] = (uint64_t)interleave;
    out->words[9] = (uint64_t)swizzle;
    out->words[10] = (uint64_t)l2;
    out->words[11] = (uint64_t)fill;
    return 0;
}

static hone_cu_result say(hone_cu_result r, const char **out)
{
    *out = r == 1 ? "CUDA_ERROR_INVALID_VALUE" : "?";
    return 0;
}

static const hone_driver driver = {
    .tensor_map = encode, .error_name = say, .error_string = say};

/* Map 0 of argument 1, map 1 of workspace 0, map 2 not wanted. */
static hone_resolved three_maps(void)
{
    hone_resolved r = {.n_maps = 3};

    r.maps[0] = (hone_resolved_map){.wanted = 1,
                                    .array_kind = HONE_PASS_ARG,
                                    .array = 1,
                                    .shape = {.name = "A_MAP",
                                              .array = "A",
                                              .type = HONE_TYPE_BF16,
                                              .rank = 2,
                                              .dims = {512, 1000},
                                              .strides = {0, 1024},
                                              .box = {64, 128},
                                              .steps = {1, 2},
                                              .swizzle = 128,
                                              .l2 = 256,
                                              .fill = 1}};
    r.maps[1] = r.maps[0];
    r.maps[1].array_kind = HONE_PASS_WORKSPACE;
    r.maps[1].array = 0;
    r.maps[1].shape.swizzle = 32;
    r.maps[2].array_kind = HONE_PASS_ARG;
    return r;
}

static hone_map_cache *make(const hone_resolved *r)
{
    hone_map_cache *cache = NULL;

    atomic_store(&n_encoded, 0);
    refusal = 0;
    assert_int_equal(hone__map_cache_create(r, &driver, &cache, NULL), HONE_OK);
    return cache;
}

static void asks_and_keeps(void **state)
{
    hone_resolved r = three_maps();
    hone_map_cache *cache = make(&r);
    hone_cu_ptr a = 0x10000;
    hone_cu_ptr parts[] = {0x20000};
    void *args[] = {NULL, &a};
    hone_cu_tensor_map maps[HONE_MAX_MAPS];

    (void)state;
    memset(&r, 0, sizeof r); /* nothing of it is borrowed */
    memset(maps, 0xee, sizeof maps);
    for (int i = 0; i < 3; ++i)
        assert_int_equal(hone__map_cache_get(cache, args, parts, maps, NULL),
                         HONE_OK);
    assert_int_equal(atomic_load(&n_encoded), 2);
    assert_int_equal((uintptr_t)maps % 128, 0);
    assert_int_equal(maps[0].words[AT_ADDRESS], 0x10000);
    assert_int_equal(maps[0].words[AT_TYPE], 9);
    assert_int_equal(maps[0].words[AT_RANK], 2);
    assert_int_equal(maps[0].words[AT_DIMS], 512);
    assert_int_equal(maps[0].words[AT_DIMS + 1], 1000);
    assert_int_equal(maps[0].words[AT_STRIDES], 1024);
    assert_int_equal(maps[0].words[AT_BOX], (uint64_t)64 << 32 | 128);
    assert_int_equal(maps[0].words[AT_STEPS], (uint64_t)1 << 32 | 2);
    assert_int_equal(maps[0].words[8], 0);
    assert_int_equal(maps[0].words[9], 3);
    assert_int_equal(maps[0].words[10], 3);
    assert_int_equal(maps[0].words[11], 1);
    assert_int_equal(maps[0].words[15], 0x1000f);
    assert_int_equal(maps[1].words[AT_ADDRESS], 0x20000);
    assert_int_equal(maps[1].words[9], 1);
    for (size_t i = 0; i < 16; ++i)
        assert_int_equal(maps[2].words[i], 0);
    hone__map_cache_free(cache);
}

/* Few buffers in turns are encoded once each, many are right all the same. */
static void many_addresses(void **state)
{
    const hone_resolved r = three_maps();
    hone_map_cache *cache = make(&r);
    hone_cu_ptr parts[] = {0x20000};
    hone_cu_tensor_map maps[HONE_MAX_MAPS];

    (void)state;
    for (uint64_t i = 0; i < 64; ++i) {
        hone_cu_ptr a = 0x100000 + i % 16 * 4096;
        void *args[] = {NULL, &a};

        assert_int_equal(hone__map_cache_get(cache, args, parts, maps, NULL),
                         HONE_OK);
        assert_int_equal(maps[0].words[AT_ADDRESS], a);
    }
    assert_int_equal(atomic_load(&n_encoded), 16 + 1);
    for (uint64_t i = 0; i < 1000; ++i) {
        hone_cu_ptr a = 0x100000 + i * 7 % 100 * 256;
        void *args[] = {NULL, &a};

        assert_int_equal(hone__map_cache_get(cache, args, parts, maps, NULL),
                         HONE_OK);
        assert_int_equal(maps[0].words[AT_ADDRESS], a);
        assert_int_equal(maps[0].words[15], a + 15);
    }
    hone__map_cache_free(cache);
}

static void refusals(void **state)
{
    const hone_resolved r = three_maps();
    const hone_driver old = {.error_name = say, .error_string = say};
    hone_map_cache *cache = make(&r);
    hone_map_cache *none = NULL;
    hone_cu_ptr a = 0x10008;
    hone_cu_ptr parts[] = {0x20000};
    void *args[] = {NULL, &a};
    hone_cu_tensor_map maps[HONE_MAX_MAPS];
    hone_error error = {0};

    (void)state;
    assert_int_equal(hone__map_cache_get(cache, args, parts, maps, &error),
                     HONE_ERR_ARGUMENT);
    assert_contains(error.text, "'A' lies at 0x10008, which is no multiple");
    a = 0;
    assert_int_equal(hone__map_cache_get(cache, args, parts, maps, &error),
                     HONE_ERR_ARGUMENT);
    assert_contains(error.text, "'A' is a null pointer");
    args[1] = NULL;
    assert_int_equal(hone__map_cache_get(cache, args, parts, maps, &error),
                     HONE_ERR_ARGUMENT);
    assert_contains(error.text, "args[1] is NULL");
    assert_int_equal(atomic_load(&n_encoded), 0);
    a = 0x10000;
    args[1] = &a;
    refusal = 1;
    for (int i = 0; i < 2; ++i) { /* and nothing is kept */
        assert_int_equal(hone__map_cache_get(cache, args, parts, maps, &error),
                         HONE_ERR_CUDA);
        assert_contains(error.text, "encoding tensor map 'A_MAP' of 'A' "
                                    "(cuTensorMapEncodeTiled) failed: "
                                    "CUDA_ERROR_INVALID_VALUE");
    }
    assert_int_equal(atomic_load(&n_encoded), 2);
    hone__map_cache_free(cache);
    assert_int_equal(hone__map_cache_create(&r, &old, &none, &error),
                     HONE_ERR_NO_GPU);
    assert_null(none);
    assert_contains(error.text, "'A_MAP': the NVIDIA driver has no "
                                "cuTensorMapEncodeTiled");
    hone__alloc_fail_after(0);
    assert_int_equal(hone__map_cache_create(&r, &driver, &none, &error),
                     HONE_ERR_NO_MEMORY);
    hone__alloc_fail_after(-1);
}

static void none_for_none(void **state)
{
    const hone_resolved r = {.n_maps = 0};
    const hone_driver old = {.error_name = say};
    hone_map_cache *cache = NULL;

    (void)state;
    assert_int_equal(hone__map_cache_create(&r, &old, &cache, NULL), HONE_OK);
    assert_null(cache);
    hone__map_cache_free(NULL);
}

static void *hammer(void *user)
{
    uint64_t seed = (uintptr_t)&seed;
    hone_cu_ptr parts[] = {0x20000};
    hone_cu_tensor_map maps[HONE_MAX_MAPS];

    for (int n = 0; n < 300000; ++n) {
        hone_cu_ptr a;
        void *args[] = {NULL, &a};

        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        a = 0x100000 + (seed >> 59) * 256;
        if (hone__map_cache_get(user, args, parts, maps, NULL) != HONE_OK ||
            maps[0].words[AT_ADDRESS] != a || maps[0].words[12] != a + 12 ||
            maps[0].words[15] != a + 15)
            return user;
    }
    return NULL;
}

/* 32 addresses on 16 entries: they are replaced all the time. */
static void threads(void **state)
{
    const hone_resolved r = three_maps();
    hone_map_cache *cache = make(&r);
    pthread_t ids[4];

    (void)state;
    for (size_t i = 0; i < 4; ++i)
        assert_int_equal(pthread_create(&ids[i], NULL, hammer, cache), 0);
    for (size_t i = 0; i < 4; ++i) {
        void *wrong = cache;

        assert_int_equal(pthread_join(ids[i], &wrong), 0);
        assert_null(wrong);
    }
    hone__map_cache_free(cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(asks_and_keeps), cmocka_unit_test(many_addresses),
        cmocka_unit_test(refusals),       cmocka_unit_test(none_for_none),
        cmocka_unit_test(threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
