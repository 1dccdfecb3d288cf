/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix fragments of every type, shape and layout against plain loops, with
 * small integers, for which every sum is exact. */
#include "tests/host/host_build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static build kernels;

static int open_kernels(void **state)
{
    (void)state;
    build_open(&kernels, "kernels_wmma.cu", BUILD_PLAIN);
    return 0;
}

static int close_kernels(void **state)
{
    (void)state;
    build_close(&kernels);
    return 0;
}

typedef enum type { F16, BF16, F32, F64, I8, U8, I32 } type;
static const unsigned sizes[] = {2, 2, 4, 8, 1, 1, 4};

/* Small integers as bits of the type. */
static void put(void *array, type t, int at, int v)
{
    const float f = (float)v;
    const double d = v;
    uint32_t bits;
    uint16_t small;

    memcpy(&bits, &f, sizeof bits);
    small = (uint16_t)(bits >> 16); /* bfloat16 */
    if (t == F16 && v != 0)
        small = (uint16_t)((bits >> 16 & 0x8000u) |
                           ((bits & 0x7fffffffu) - 0x38000000u) >> 13);
    if (t == F16 || t == BF16)
        memcpy((uint16_t *)array + at, &small, 2);
    else if (t == F32)
        ((float *)array)[at] = f;
    else if (t == F64)
        ((double *)array)[at] = d;
    else if (t == I32)
        ((int *)array)[at] = v;
    else
        ((unsigned char *)array)[at] = (unsigned char)v;
}

typedef struct matrix {
    double data[2048]; /* as bytes of any type */
    int values[32 * 32];
    int rows, cols, pitch, by_columns;
    type of;
} matrix;

static int place(const matrix *m, int r, int c)
{
    return m->by_columns ? c * m->pitch + r : r * m->pitch + c;
}

static void fill(matrix *m, int rows, int cols, int by_columns, type of,
                 int first)
{
    memset(m, 0x7f, sizeof *m);
    m->rows = rows;
    m->cols = cols;
    m->by_columns = by_columns;
    m->pitch = (by_columns ? rows : cols) + 8;
    m->of = of;
    for (int i = 0; i < rows * cols; ++i) {
        m->values[i] = (i * 7 + first + i / 5) % 9 - (of == U8 ? 0 : 4);
        put(m->data, of, place(m, i / cols, i % cols), m->values[i]);
    }
}

static void check(const char *name, type in, type out, int m, int n, int k,
                  int layout)
{
    static matrix a, b, c, d;
    void *p[] = {a.data, b.data, c.data, d.data};
    void *params[] = {&p[0],    &p[1],    &p[2],    &p[3],  &a.pitch,
                      &b.pitch, &c.pitch, &d.pitch, &layout};

    fill(&a, m, k, layout & 1, in, 1);
    fill(&b, k, n, layout >> 1 & 1, in, 2);
    fill(&c, m, n, layout >> 2, out, 3);
    fill(&d, m, n, layout >> 2, out, 0);
    build_run_ok(&kernels, name, 1, 32, 0, params);
    for (int i = 0; i < m * n; ++i) {
        int sum = 0;
        double want;
        const unsigned char *got =
            (unsigned char *)d.data +
            sizes[out] * (unsigned)place(&d, i / n, i % n);
        for (int at = 0; at < k; ++at)
            sum += a.values[i / n * k + at] * b.values[at * n + i % n];
        put(&want, out, 0, 2 * sum);
        if (memcmp(got, &want, sizes[out]) != 0)
            fail_msg("%s, layout %d, element %d", name, layout, i);
    }
}

static void test_every_product(void **state)
{
    static const struct {
        const char *name;
        type in, out;
    } types[] = {
        {"f16_f32", F16, F32}, {"f16_f16", F16, F16}, {"bf16_f32", BF16, F32},
        {"i8_i32", I8, I32},   {"u8_i32", U8, I32},
    };
    static const int shapes[3][2] = {{16, 16}, {32, 8}, {8, 32}};
    char name[64];

    (void)state;
    for (int layout = 0; layout < 8; ++layout) {
        for (size_t t = 0; t < sizeof types / sizeof types[0]; ++t) {
            for (int s = 0; s < 3; ++s) {
                const int m = shapes[s][0], n = shapes[s][1];
                (void)snprintf(name, sizeof name, "%s_%d_%d_16", types[t].name,
                               m, n);
                check(name, types[t].in, types[t].out, m, n, 16, layout);
            }
        }
        check("tf32_f32_16_16_8", F32, F32, 16, 16, 8, layout);
        check("f64_f64_8_8_4", F64, F64, 8, 8, 4, layout);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_product),
    };

    return cmocka_run_group_tests(tests, open_kernels, close_kernels);
}
