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
    double best = INFINITY;

    for (int64_t i = 0; i < likely->space->count; ++i) {
        hone__space_get(likely->space, i, config);
        best = fmin(best, hone__likely_cost(likely, config));
    }
    return best;
}

/* Within 5 % at worst, and 1 % in the mean. */
static void finds_what_is_cheap(void **state)
{
    static const char *const texts[] = {
        "1000,1000,1000,f16,f16", "4096,4096,512,f16,f16",
        "64,4096,4096,f16,f16",   "64,64,60000,f16,f16",
        "777,333,1234,f16,f16",   "3000,40,96,f16,f16"};
    enum { N = sizeof texts / sizeof texts[0] };
    hone_template *tmpl = load("../../templates/gemm/gemm_sm90.cu");
    hone_properties properties;
    double sum = 0;

    (void)state;
    assert_int_equal(hone__properties_of_arch("sm_90", &properties, NULL),
                     HONE_OK);
    for (size_t i = 0; i < N; ++i) {
        int64_t dims[HONE_MAX_DIMS], config[HONE_MAX_PARAMS];
        hone_likely likely;
        hone_error err = {0};
        double behind;

        if (hone__template_parse_dims(tmpl, texts[i], dims, &err) ||
            hone__likely_open(tmpl, dims, &properties, &likely, &err))
            fail_msg("%s: %s", texts[i], err.text);
        behind = hone__likely_cheapest(&likely, config) - lowest(&likely);
        assert_true(hone__likely_cost(&likely, config) <
                    lowest(&likely) + 0.05);
        config[0] = -7;
        assert_true(isnan(hone__likely_cost(&likely, config)));
        hone__likely_close(&likely);
        if (!(behind > -1e-6 && behind < 0.05))
            fail_msg("%s: %.1f %% above the lowest", texts[i], 100 * behind);
        sum += behind;
    }
    assert_true(sum / N < 0.01);
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
    assert_int_equal(hone__likely_open(tmpl, dims, &properties, &likely, NULL),
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
