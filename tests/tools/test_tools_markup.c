/* SPDX-License-Identifier: Apache-2.0 */
/* What is filled into XML and HTML stays text, and numbers are those of no
 * locale; labels, scales and frames of figures. */
#include "tools/base/svg.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void is(hone_text *text, const char *wanted)
{
    assert_string_equal(hone__text_str(text), wanted);
    hone__text_free(text);
}

static void test_escapes(void **state)
{
    static const struct {
        const char *text, *wanted;
    } rows[] = {
        {"<b a=\"1\" c='2'>&amp;</b>",
         "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;&lt;/b&gt;"},
        {"\303\251 \342\202\254 \360\237\230\200",
         "\303\251 \342\202\254 \360\237\230\200"},
        {"a\nb\tc", "a\nb\tc"},
        {"\001\033[0m", "\357\277\275\357\277\275[0m"},
        /* Not UTF-8: alone, cut, too long, half of a pair, above Unicode. */
        {"\377x", "\357\277\275x"},
        {"\303", "\357\277\275"},
        {"\300\274", "\357\277\275\357\277\275"},
        {"\355\240\200", "\357\277\275\357\277\275\357\277\275"},
        {"\364\220\200\200",
         "\357\277\275\357\277\275\357\277\275\357\277\275"},
        {"\303<", "\357\277\275&lt;"},
        {"\302\205", "\357\277\275\357\277\275"}, /* a control character */
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        hone_text out = {0};

        hone__markup(&out, "%s", rows[i].text);
        is(&out, rows[i].wanted);
    }
}

static void check_numbers(void)
{
    hone_text out = {0};

    hone__markup(&out, "%f %f %f %f %f %f", 1.5, -0.126, 100.0, NAN, INFINITY,
                 -0.001);
    is(&out, "1.5 -0.13 100 0 0 0");
    hone__markup(&out, "%g %g %g %g %g", 12.344, 1234567.4, 0.00012346,
                 1.23456e12, 0.5);
    is(&out, "12.34 1234567 0.0001235 1.235e+12 0.5");
    hone__markup(&out, "%d %zu %lld 100%%", -3, (size_t)7, 1LL << 40);
    is(&out, "-3 7 1099511627776 100%");
}

static void test_numbers(void **state)
{
    static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8",
                                          "fr_FR.UTF-8", "ps_AF.UTF-8"};

    (void)state;
    check_numbers();
    /* Those that this machine has. */
    for (size_t i = 0; i < sizeof locales / sizeof locales[0]; ++i)
        if (setlocale(LC_NUMERIC, locales[i]))
            check_numbers();
    (void)setlocale(LC_NUMERIC, "C");
}

static void test_fit(void **state)
{
    char out[40];

    (void)state;
    hone__svg_fit("short", 5, out, sizeof out);
    assert_string_equal(out, "short");
    hone__svg_fit("longer", 5, out, sizeof out);
    assert_string_equal(out, "long\342\200\246");
    /* Never within a character. */
    hone__svg_fit("\303\251\303\251\303\251\303\251", 3, out, sizeof out);
    assert_string_equal(out, "\303\251\303\251\342\200\246");
    hone__svg_fit("0123456789", 10, out, 8);
    assert_true(strlen(out) < 8);
}

static void test_scale(void **state)
{
    const hone_svg_scale scale = {1, 100, 50, 250, 1};
    const hone_svg_scale down = {0, 4, 200, 0, 0};
    hone_text out = {0};

    (void)state;
    assert_float_equal(hone__svg_at(&scale, 10), 150, 1e-9);
    assert_float_equal(hone__svg_at(&scale, 0.5), 50, 1e-9);
    assert_float_equal(hone__svg_at(&scale, 1e9), 250, 1e-9);
    assert_float_equal(hone__svg_at(&scale, NAN), 50, 1e-9);
    assert_float_equal(hone__svg_at(&down, 1), 150, 1e-9);
    hone__svg_axis_x(&out, &scale, 0, 10);
    for (const char *label = "1"; strlen(label) <= 3;
         label = strlen(label) == 1   ? "10"
                 : strlen(label) == 2 ? "100"
                                      : "1000") {
        char wanted[40];

        (void)snprintf(wanted, sizeof wanted, "\"middle\">%s</text>", label);
        assert_non_null(strstr(hone__text_str(&out), wanted));
    }
    hone__text_free(&out);
}

/* Alone a figure has its own style and the namespace; in a page it has neither,
 * but ids for its name. */
static void test_frame(void **state)
{
    hone_svg alone = {.width = 440, .height = 100, .title = "a < b"};
    hone_svg within = {.width = 440, .height = 100, .title = "t", .id = "g1"};
    hone_text out = {0};

    (void)state;
    hone__svg_label(&alone.body, 1, 2, "end", "<x>");
    hone__svg_write(&alone, &out);
    assert_non_null(strstr(hone__text_str(&out), "xmlns="));
    assert_non_null(strstr(hone__text_str(&out), "<style>"));
    assert_non_null(strstr(hone__text_str(&out), "<title>a &lt; b</title>"));
    assert_non_null(strstr(hone__text_str(&out), ">&lt;x&gt;</text>"));
    hone__text_clear(&out);
    hone__svg_write(&within, &out);
    assert_null(strstr(hone__text_str(&out), "xmlns="));
    assert_null(strstr(hone__text_str(&out), "<style>"));
    assert_non_null(strstr(hone__text_str(&out), "aria-labelledby=\"g1-t\""));
    assert_non_null(strstr(hone__text_str(&out), "<title id=\"g1-t\">t<"));
    hone__text_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_escapes), cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_fit), cmocka_unit_test(test_scale),
        cmocka_unit_test(test_frame)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
