/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions: values and precedence, overflow of every operation, errors
 * with their position, limits. */
#include "runtime/base/alloc.h"
#include "runtime/expr/expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* a..h are slots 0..7, Q is a constant, the type f64 is hidden by 77. */
static hone_symbol lookup(void *user, const char *name, size_t length)
{
    (void)user;
    if (length == 1 && *name >= 'a' && *name <= 'h')
        return (hone_symbol){HONE_SYMBOL_SLOT, *name - 'a'};
    if (length == 8 && memcmp(name, "device.x", 8) == 0)
        return (hone_symbol){HONE_SYMBOL_SLOT, 7};
    if (length == 1 && *name == 'Q')
        return (hone_symbol){HONE_SYMBOL_CONSTANT, 1000};
    if (length == 3 && memcmp(name, "f64", 3) == 0)
        return (hone_symbol){HONE_SYMBOL_CONSTANT, 77};
    return (hone_symbol){HONE_SYMBOL_UNKNOWN, 0};
}

/* a=INT64_MAX b=INT64_MIN c=-1 d=0 e=3 f=-7 g=48 h=9 */
static const int64_t slots[] = {INT64_MAX, INT64_MIN, -1, 0, 3, -7, 48, 9};

static hone_status evaluate(const char *text, int64_t *out, hone_error *err)
{
    hone_expr *expr = NULL;
    hone_status status =
        hone__expr_compile(text, strlen(text), lookup, NULL, &expr, NULL, err);

    if (status)
        return status;
    status = hone__expr_eval(expr, slots, out, err);
    hone__expr_free(expr);
    return status;
}

static const struct {
    const char *text;
    int64_t value;
} good[] = {
    {"1+2*3", 7},
    {"(1+2)*3", 9},
    {"20-5-3", 12},
    {"100/10/5", 2},
    {"-7/2", -3},
    {"f%3", -1},
    {"-2*-3", 6},
    {"1<<4+1", 32},
    {"1<2==1", 1},
    {"6&3==3", 0},
    {"1|2^3&1", 3},
    {"7&5^1|8", 12},
    {"0||1&&0", 0},
    {"1||1/0", 1},
    {"0&&1/0", 0},
    {"5||0", 1},
    {"5&&7", 1},
    {"d ? 1/0 : 4", 4},
    {"e ? 4 : 1/0", 4},
    {"0 ? 1 : 0 ? 2 : 3", 3},
    {"1 ? 0 ? 1 : 2 : 3", 2},
    {"!5", 0},
    {"!!5", 1},
    {"~0", -1},
    {"- - +4", 4},
    {"0x10", 16},
    {"0 + 0K + 0x0K", 0},
    {"(1 == 2) == 0", 1},
    {"1 < 2 == 2 < 3 && 3 == 3 && 4 == 4", 1},
    {"0xfF", 255},
    {"4K", 4096},
    {"1M+1", 1048577},
    {"2G", INT64_C(2) << 30},
    {"true+true+false", 2},
    {"min(3,1,2)", 1},
    {"max(3)", 3},
    {"max(1,2,3)*2", 6},
    {"abs(f)", 7},
    {"ceildiv(10,3)", 4},
    {"ceildiv(9,3)", 3},
    {"ceildiv(-7,2)", -3},
    {"ceildiv(a,2)", INT64_C(1) << 62},
    {"align(10,8)", 16},
    {"align(16,8)", 16},
    {"log2(1)", 0},
    {"log2(1023)", 9},
    {"log2(a)", 62},
    {"ispow2(64)", 1},
    {"ispow2(0)", 0},
    {"ispow2(b)", 0},
    {"ispow2(48)", 0},
    {"gcd(48,36)", 12},
    {"gcd(0,0)", 0},
    {"gcd(f,21)", 7},
    {"sizeof(f16)", 2},
    {"sizeof(e+1)", 4},
    {"f32", 4},
    {"f64", 77},
    {"Q+device.x", 1009},
    {"b >> 62", -2},
    {"-1>>1", -1},
    {"b % c", 0},
    {"a == 0x7fffffffffffffff", 1},
    {"1<2&&2<3", 1},
    {"(1<2)<1", 0},
};

static void values(void **state)
{

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; ++i) {
        int64_t value = -12345;
        hone_error err = {0};
        const hone_status status = evaluate(good[i].text, &value, &err);

        if (status != HONE_OK || value != good[i].value)
            fail_msg("%s = %lld (%s), not %lld", good[i].text, (long long)value,
                     err.text, (long long)good[i].value);
    }
}

static void faults(void **state)
{
    static const struct {
        const char *text;
        hone_status status;
        const char *part;
    } cases[] = {
        {"a+1", HONE_ERR_OVERFLOW, "64 bits in 'a+1'"},
        {"b-1", HONE_ERR_OVERFLOW, "64 bits"},
        {"a*2", HONE_ERR_OVERFLOW, "64 bits"},
        {"-b", HONE_ERR_OVERFLOW, "64 bits"},
        {"abs(b)", HONE_ERR_OVERFLOW, "64 bits"},
        {"b/c", HONE_ERR_OVERFLOW, "64 bits"},
        {"b/-1", HONE_ERR_OVERFLOW, "64 bits"},
        {"e<<62", HONE_ERR_OVERFLOW, "64 bits"},
        {"1<<63", HONE_ERR_OVERFLOW, "0..62"},
        {"1<<c", HONE_ERR_OVERFLOW, "0..62"},
        {"1>>63", HONE_ERR_OVERFLOW, "0..62"},
        {"align(a,2)", HONE_ERR_OVERFLOW, "64 bits"},
        {"gcd(b,b)", HONE_ERR_OVERFLOW, "64 bits"},
        {"gcd(b,0)", HONE_ERR_OVERFLOW, "64 bits"},
        {"1/d", HONE_ERR_INPUT, "division by zero in '1/d'"},
        {"1%d", HONE_ERR_INPUT, "division by zero"},
        {"ceildiv(1,d)", HONE_ERR_INPUT, "positive"},
        {"align(1,-8)", HONE_ERR_INPUT, "positive"},
        {"log2(d)", HONE_ERR_INPUT, "log2"},
        {"log2(-4)", HONE_ERR_INPUT, "log2"},
        {"sizeof(99)", HONE_ERR_INPUT, "element type"},
        {"sizeof(b)", HONE_ERR_INPUT, "element type"},
        {"sizeof(a)", HONE_ERR_INPUT, "element type"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        int64_t value = 0;
        hone_error err = {0};
        const hone_status status = evaluate(cases[i].text, &value, &err);

        if (status != cases[i].status || !strstr(err.text, cases[i].part))
            fail_msg("%s: %d '%s'", cases[i].text, (int)status, err.text);
    }
}

static void errors(void **state)
{
    static const struct {
        const char *text;
        size_t offset;
        size_t length;
        const char *part;
    } cases[] = {
        {"", 0, 1, "ends here"},
        {"1 +", 3, 1, "ends here"},
        {"1 + zebra * 2", 4, 5, "unknown name 'zebra'"},
        {"a b", 2, 1, "expected an operator, found 'b'"},
        {"a = 2", 2, 1, "'=='"},
        {"(a", 2, 1, "expected ')'"},
        {"(a]", 2, 1, "found ']'"},
        {"min()", 4, 1, "expected a value, found ')'"},
        {"foo(1)", 0, 3, "unknown function 'foo'"},
        {"abs(1,2)", 0, 3, "takes 1 value, not 2"},
        {"1 + log2(1,2)", 4, 4, "takes 1 value"},
        {"ceildiv(1)", 0, 7, "takes 2 values, not 1"},
        {"1 ? 2", 5, 1, "expected ':'"},
        {"1.5", 0, 3, "not a number"},
        {"12abc", 0, 5, "not a number"},
        {"1Kb", 0, 3, "not a number"},
        {"0xK", 0, 3, "not a number"},
        {"a + 010", 4, 3, "not a number"},
        {"9223372036854775808", 0, 19, "64 bits"},
        {"2 * 9999999999G", 4, 11, "64 bits"},
        {"1 < a < 3", 6, 1, "do not chain"},
        {"a <= b >= 3", 7, 2, "do not chain"},
        {"a == b == 4", 7, 2, "do not chain"},
        {"a == 1 != b", 7, 2, "do not chain"},
        {"\"x\"", 0, 1, "found '\"'"},
        {"\001", 0, 1, "byte 0x01"},
        {"a $", 2, 1, "found '$'"},
        {"a &&", 4, 1, "ends here"},
        {"1 + @", 4, 1, "found '@'"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        hone_expr *expr = NULL;
        hone_span where = {999, 999};
        hone_error err = {0};
        const hone_status status =
            hone__expr_compile(cases[i].text, strlen(cases[i].text), lookup,
                               NULL, &expr, &where, &err);

        assert_null(expr);
        if (status != HONE_ERR_INPUT || !strstr(err.text, cases[i].part) ||
            where.offset != cases[i].offset || where.length != cases[i].length)
            fail_msg("'%s': %d at %zu+%zu '%s'", cases[i].text, (int)status,
                     where.offset, where.length, err.text);
    }
}

static void repeat(char *out, const char *open, int n, const char *middle,
                   const char *close)
{
    *out = '\0';
    for (int i = 0; i < n; ++i)
        strcat(out, open);
    strcat(out, middle);
    for (int i = 0; i < n; ++i)
        strcat(out, close);
}

static void nesting(void **state)
{
    static const struct {
        const char *open;
        const char *close;
    } forms[] = {{"(", ")"},
                 {"-", ""},
                 {"abs(", ")"},
                 {"1?", ":2"},
                 {"1?2:", ""},
                 {"1+(", ")"},
                 {"0||1&&1|1^1&1==1+1*(", ")"}};
    char text[8192];
    int64_t value;

    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; ++i) {
        hone_error err = {0};

        repeat(text, forms[i].open, 20, "1", forms[i].close);
        assert_int_equal(evaluate(text, &value, &err), HONE_OK);
        repeat(text, forms[i].open, 300, "1", forms[i].close);
        assert_int_equal(evaluate(text, &value, &err), HONE_ERR_INPUT);
        assert_non_null(strstr(err.text, "'let'"));
    }
    repeat(text, "1+", 2000, "1", ""); /* long is not deep */
    assert_int_equal(evaluate(text, &value, NULL), HONE_OK);
    assert_int_equal(value, 2001);
}

static void accessors(void **state)
{
    const char *text = "  a + g*2 \t trailing";
    hone_expr *expr = NULL;

    (void)state;
    assert_int_equal(
        hone__expr_compile(text, 11, lookup, NULL, &expr, NULL, NULL), HONE_OK);
    assert_string_equal(hone__expr_text(expr), "a + g*2");
    assert_int_equal(hone__expr_slot_count(expr), 7);
    assert_true(hone__expr_reads(expr, 0));
    assert_true(hone__expr_reads(expr, 6));
    assert_false(hone__expr_reads(expr, 1));
    hone__expr_free(expr);
    hone__expr_free(NULL);
    assert_int_equal(hone__expr_compile("4", 1, NULL, NULL, &expr, NULL, NULL),
                     HONE_OK);
    assert_int_equal(hone__expr_slot_count(expr), 0);
    hone__expr_free(expr);
}

static void types(void **state)
{
    (void)state;
    assert_int_equal(hone__type_find("bf16x", 4), HONE_TYPE_BF16);
    assert_int_equal(hone__type_find("f3", 2), 0);
    assert_int_equal(hone__type_find("", 0), 0);
    assert_string_equal(hone__type_name(HONE_TYPE_C32), "c32");
    assert_string_equal(hone__type_name((hone_type)99), "?");
    assert_string_equal(hone__type_cpp(HONE_TYPE_F16), "__half");
    assert_string_equal(hone__type_cpp((hone_type)0), "?");
    assert_int_equal(hone__type_size_bytes(HONE_TYPE_F64), 8);
    assert_int_equal(hone__type_size_bytes((hone_type)99), 0);
}

static void no_memory(void **state)
{
    const char *text = "min(a,1,2,3)+a*2+3+4+5+6+7+8";
    hone_status status = HONE_ERR_NO_MEMORY;
    long n;

    (void)state;
    for (n = 0; status != HONE_OK; ++n) {
        hone_expr *expr = NULL;

        assert_true(n < 50);
        hone__alloc_fail_after(n);
        status = hone__expr_compile(text, strlen(text), lookup, NULL, &expr,
                                    NULL, NULL);
        hone__alloc_fail_after(-1);
        assert_true(status == HONE_OK || status == HONE_ERR_NO_MEMORY);
        assert_int_equal(expr != NULL, status == HONE_OK);
        hone__expr_free(expr);
    }
    assert_true(n > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),    cmocka_unit_test(faults),
        cmocka_unit_test(errors),    cmocka_unit_test(nesting),
        cmocka_unit_test(accessors), cmocka_unit_test(types),
        cmocka_unit_test(no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
