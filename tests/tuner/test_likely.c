/* SPDX-License-Identifier: Apache-2.0 */
/* The cheapest configuration of a problem is found without looking at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gen/parse/parse.h"
#include "tuner/portfolio/likely.h"

#include <math.h>

static const char templates[] = "../../templates";

static hone_template *load(const char *path)
{
    hone_template *tmpl = NULL;
    hone_diagnostics diagnostics;
    hone_error err = {0};

    if (hone__template_load(path, templates, &tmpl, &diagnostics, &err))
        fail_msg("%s", err.text);
    return tmpl;
}

static double lowest(const hone_likely *likely)
{
    int64_t config[HONE_MAX_PARAMS];
    double best = INFINITY, beside;

    for (int64_t i = 0; i < likely->space->count; ++i) {
        hone__space_get(likely->space, i, config);
        best = fmin(best, hone__likely_cost(likely, config, &beside));
    }
    return best;
}

/* Two valleys, and a parameter that exists beside one value of another alone:
 * whoever changes one value at a time has to let go of it. */
static const char text[] =
    "#pragma hone op k(n) \"x\"\n"
    "#pragma hone arg x: in f32[n]\n"
    "#pragma hone arg y: out f32[n]\n"
    "#pragma hone param A in {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}\n"
    "#pragma hone param B in {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}\n"
    "#pragma hone param HOW in {plain, parts}\n"
    "#pragma hone param C in {1, 2, 3, 4, 5, 6, 7, 8} when HOW == parts\n"
    "#pragma hone param D in {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}\n"
    "#pragma hone require A*B <= 90\n"
    "#pragma hone launch k grid(1) block(1) args(x, y)\n"
    "#pragma hone feature COST = n > 100 ? 10 + abs(A - 11) + abs(B - 3) +"
    " (HOW == plain ? 0 : 3 + C) + abs(D - 7) :"
    " 10 + abs(A - 2) + abs(B - 9) + (HOW == plain ? 9 : C - 1) + abs(D - 2)\n"
    "extern \"C\" __global__ void k(const float *x, float *y)\n{\n}\n";

static void finds_what_is_cheap(void **state)
{
    hone_template *tmpl = NULL;
    hone_diagnostics diagnostics;
    hone_properties properties;
    hone_error err = {0};

    (void)state;
    if (hone__template_read("k.cu", "", text, sizeof text - 1, &tmpl,
                            &diagnostics, &err) ||
        hone__properties_of_arch("sm_90", &properties, &err))
        fail_msg("%s", err.text);
    for (int64_t n = 50; n < 300; n += 200) {
        const int64_t dims[HONE_MAX_DIMS] = {n};
        int64_t config[HONE_MAX_PARAMS];
        hone_likely likely;
        double cost = 0, beside = 1;
        hone_text spelt = {0};

        if (hone__likely_open(tmpl, dims, &properties, NULL, &likely, &err) ||
            hone__likely_cheapest(&likely, config, &cost, &err))
            fail_msg("%s", err.text);
        assert_true(likely.space->count > 10000);
        assert_true(fabs(cost - lowest(&likely)) < 1e-9);
        assert_true(fabs(cost - hone__likely_cost(&likely, config, &beside)) <
                    1e-9);
        assert_true(beside == 0);
        {
            int64_t other[HONE_MAX_PARAMS];
            hone_likely known;

            memcpy(other, config, sizeof other);
            other[0] = other[1] = 14; /* more than 90 */
            assert_int_equal(hone__likely_open_unsolved(tmpl, dims, &properties,
                                                        NULL, &known, &err),
                             HONE_OK);
            assert_true(hone__likely_cost(&known, config, &beside) == cost);
            assert_true(isnan(hone__likely_cost(&known, other, &beside)));
            hone__likely_close(&known);
        }
        hone__space_format(likely.space, config, &spelt);
        assert_string_equal(hone__text_str(&spelt),
                            n > 100 ? "A=11,B=3,HOW=plain,D=7"
                                    : "A=2,B=9,HOW=parts,C=1,D=2");
        hone__text_free(&spelt);
        config[0] = -7;
        assert_true(isnan(hone__likely_cost(&likely, config, &beside)));
        hone__likely_close(&likely);
    }
    hone__template_free(tmpl);
}

static void refuses_where_nothing_is_valid(void **state)
{
    hone_template *tmpl = load("../../templates/gemm/gemm_sm90.cu");
    int64_t dims[HONE_MAX_DIMS];
    hone_properties properties;
    hone_likely likely;

    (void)state;
    assert_int_equal(hone__properties_of_arch("sm_80", &properties, NULL),
                     HONE_OK);
    assert_int_equal(
        hone__template_parse_dims(tmpl, "64,64,64,f16,f16", dims, NULL),
        HONE_OK);
    assert_int_equal(
        hone__likely_open(tmpl, dims, &properties, NULL, &likely, NULL),
        HONE_ERR_CONSTRAINT);
    hone__likely_close(&likely);
    hone__template_free(tmpl);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_is_cheap),
        cmocka_unit_test(refuses_where_nothing_is_valid),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
