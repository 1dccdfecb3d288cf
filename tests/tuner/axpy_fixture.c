/* SPDX-License-Identifier: Apache-2.0 */
/* See axpy_fixture.h. */
#include "tests/tuner/axpy_fixture.h"

#include "gen/expand/expand.h"
#include "gen/space.h"
#include "tuner/compile/host_unit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

defect axpy_defect;
long axpy_defect_from;
char *axpy_victim;
char axpy_damage;
uint32_t axpy_shared;

static const char head[] =
    "#pragma hone op axpy(n) \"y = alpha*x + y\"\n"
    "#pragma hone arg alpha: f32, x: in f32[n], y: inout f32[n]\n"
    "#pragma hone param A in {1}\n"
    "#pragma hone workspace ticket: i64[%s] zero\n"
    "#pragma hone launch axpy grid(ceildiv(n,256)) block(256)"
    " args(alpha, x, y, ticket, i64(n))\n"
    "#pragma hone work flops(2*n) bytes(12*n)\n"
    "%s%s\n"
    "extern \"C\" __global__ void axpy() {}\n";

/* The highest bit of the exponent. */
static void flip(float *at)
{
    uint32_t bits;

    memcpy(&bits, at, sizeof bits);
    bits ^= 1u << 30;
    memcpy(at, &bits, sizeof bits);
}

static void misbehave(float *x, float *y, int64_t *ticket, int64_t n, long run)
{
    const int later = run >= axpy_defect_from;
    float found;

    switch (axpy_defect) {
    case WRONG:
        y[n / 2] += 1;
        break;
    case WRONG_LATER:
        y[n / 2] += (float)later;
        break;
    case CHANGES_INPUT:
        x[7] += 1;
        break;
    case WRITES_BEHIND:
        ((char *)(y + n))[5] = 1;
        break;
    case WRITES_ELSEWHERE:
        if (later)
            *axpy_victim = axpy_damage;
        break;
    case DIRTY_WORKSPACE:
        y[0] += (float)(++*ticket > axpy_defect_from);
        break;
    case FLIPPED:
        if (run == axpy_defect_from)
            flip(&y[n / 2]);
        break;
    case FLIPPED_INPUT:
        if (run == axpy_defect_from)
            flip(&x[7]);
        break;
    case FLIPPED_GUARD:
        if (run == axpy_defect_from)
            *((char *)ticket - 1) ^= 1;
        break;
    case RACES:
        y[n / 2] += (float)(run % 2);
        break;
    case READS_SHARED:
        memcpy(&found, &axpy_shared, sizeof found);
        y[n / 2] += found;
        break;
    default:
        break;
    }
}

void axpy_run(float alpha, float *x, float *y, int64_t *ticket, int64_t n,
              long run)
{
    for (int64_t i = 0; i < n; ++i)
        y[i] = alpha * x[i] + y[i];
    misbehave(x, y, ticket, n, run);
}

char axpy_aim(void *victim, long from)
{
    axpy_victim = victim;
    axpy_damage = (char)~*axpy_victim;
    axpy_defect_from = from;
    return *axpy_victim;
}

static void reference(const int64_t *dims, const void *const *args,
                      int64_t first, int64_t count, double *value,
                      double *magnitude)
{
    float alpha;

    (void)dims;
    memcpy(&alpha, args[0], sizeof alpha);
    for (int64_t i = 0; i < count; ++i) {
        const double x = ((const float *)args[1])[first + i];
        const double y = ((const float *)args[2])[first + i];

        value[i] = (double)alpha * x + y;
        magnitude[i] = fabs((double)alpha * x) + fabs(y);
    }
}

static double cost(const int64_t *dims)
{
    (void)dims;
    return 2;
}

const hone_reference axpy_references[1] = {
    {"axpy", {reference}, cost, NULL, 0}};

void axpy_parse(const char *check, const char *ticket, const int64_t *dims,
                const hone_properties *properties, hone_template **out_tmpl,
                hone_text *out_text, hone_launch_spec **out_spec)
{
    hone_diagnostics diagnostics = {0};
    hone_error err = {.status = HONE_OK};
    hone_space *space = NULL;
    int64_t config[8] = {0};
    char text[2048];

    (void)snprintf(text, sizeof text, head, ticket,
                   check[0] ? "#pragma hone " : "", check);
    assert_int_equal(hone__template_read("axpy.cu", "", text, strlen(text),
                                         out_tmpl, &diagnostics, &err),
                     HONE_OK);
    assert_int_equal(
        hone__space_create(*out_tmpl, dims, properties, &space, &err), HONE_OK);
    assert_int_equal(hone__space_default(space, config, &err), HONE_OK);
    assert_int_equal(
        hone__expand_launch_spec(*out_tmpl, config, out_text, &err), HONE_OK);
    assert_int_equal(
        hone__launch_spec_parse(hone__text_str(out_text), out_spec, &err),
        HONE_OK);
    hone__space_free(space);
}
