/* SPDX-License-Identifier: Apache-2.0 */
/* Python expressions: what they mean and what is wrong with them. The
 * expected values are CPython's. */
#include "tests/gen/gen_test.h"

#include "gen/t1/python.h"

#include <math.h>

/* a = 7, b = -2, x = 2.5, s = 'row' */
static hone_node lookup(void *user, const char *name, size_t length,
                        char note[256])
{
    hone_graph *graph = user;
    const char *found = length == 1 ? strchr("abxs", *name) : NULL;

    (void)snprintf(note, 256, "no parameter is called '%.*s'", (int)length,
                   name);
    return found ? hone__graph_var(graph, (uint32_t)(found - "abxs")) : 0;
}

static hone_status compile(hone_arena *arena, hone_graph *graph,
                           const char *text, hone_node *out, hone_span *where,
                           hone_datum *values, hone_error *err)
{
    hone_texts texts = {0};
    const hone_python python = {arena, &texts, lookup, graph};

    values[0] = hone__datum_int(7);
    values[1] = hone__datum_int(-2);
    values[2] = hone__datum_float(2.5);
    values[3] = hone__datum_text(hone__text_number(&texts, arena, "row", 3));
    return hone__python_condition(&python, graph, text, strlen(text), out,
                                  where, err);
}

static hone_datum value_of(const char *text)
{
    hone_arena arena = {0};
    hone_graph graph = {0};
    hone_datum values[4];
    hone_datum scratch[256];
    hone_datum result;
    hone_node node;
    hone_span where;
    hone_error err = {0};

    if (compile(&arena, &graph, text, &node, &where, values, &err))
        fail_msg("%s: %s", text, err.text);
    assert_true(graph.n <= 256);
    result = hone__graph_eval(&graph, node, values, scratch);
    hone__graph_free(&graph);
    hone__arena_free(&arena);
    return result;
}

static const struct {
    const char *text;
    int64_t value;
} integer_cases[] = {
    {"1 + 2*3", 7},
    {"(1 + 2)*3", 9},
    {"-7 // 2", -4},
    {"7 // -2", -4},
    {"-7 % 3", 2},
    {"7 % -3", -2},
    {"-2**2", -4},
    {"2**3**2", 512},
    {"2**-0", 1},
    {"1_000", 1000},
    {"0x1f", 31},
    {"0b101", 5},
    {"0o17", 15},
    {"1 < 2 < 3", 1},
    {"3 > 2 > 2", 0},
    {"1 < 3 > 2", 1},
    {"1 == 1 == 1", 1},
    {"2 < 3 == 1", 0},
    {"a % 4 == 3", 1},
    {"not a == 7", 0},
    {"not 1 + 1", 0},
    {"a or 1//0", 7},
    {"0 and 1//0", 0},
    {"3 and 4", 4},
    {"0 or b", -2},
    {"1 if a > 3 else 1//0", 1},
    {"1//0 if a < 3 else 2", 2},
    {"a in [1, 7]", 1},
    {"a not in (1, 7)", 0},
    {"a in range(0, 8)", 1},
    {"a in range(0, 8, 2)", 0},
    {"a in [i*i - 2 for i in range(5)]", 1},
    {"b in {1, -2}", 1},
    {"a in []", 0},
    {"7 & 12 | 1", 5},
    {"6 ^ 3 & 1", 7},
    {"1 << 3 + 1", 16},
    {"-5 >> 1", -3},
    {"1 >> 100", 0},
    {"-1 >> 100", -1},
    {"~a", -8},
    {"abs(b)", 2},
    {"min(a, b, 3)", -2},
    {"max(a, b, 3)", 7},
    {"pow(a, 2)", 49},
    {"int(x)", 2},
    {"int(-2.9)", -2},
    {"bool(x)", 1},
    {"True + True", 2},
    {"s == 'row'", 1},
    {"s != \"row\"", 0},
    {"s == 1", 0},
    {"1 == 1.0", 1},
    {"9007199254740993 == 9007199254740992.0", 0},
    {"9007199254740993 > 9007199254740992.0", 1},
    {"+a", 7},
    {" ( a ) ", 7},
    {"a - - - b", 9},
    {"1 <= a <= 9 and b < 0", 1},
    {"16 % ((8*16)/8) == 0", 1},
    {"16 % ((8*8)/16) == 0", 1},
    {"48 % ((3*7)/4) == 0", 0},
};

static void integers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof integer_cases / sizeof integer_cases[0];
         ++i) {
        const hone_datum value = value_of(integer_cases[i].text);

        if (value.kind != HONE_DATUM_INT || value.i != integer_cases[i].value)
            fail_msg("%s: kind %d, %lld", integer_cases[i].text,
                     (int)value.kind, (long long)value.i);
    }
}

static void floats(void **state)
{
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"7/2", 3.5},
        {"6/3", 2.0},
        {"x*2", 5.0},
        {"-7.5 % 2", 0.5},
        {"7.5 % -2", -0.5},
        {"-7.5 // 2", -4.0},
        {"1 % 0.1", 0.09999999999999995},
        {"1 // 0.1", 9.0},
        {"2**-1", 0.5},
        {"2**0.5", 1.4142135623730951},
        {"1e3", 1000},
        {".5 + 1.", 1.5},
        {"1.5e-2", 0.015},
        {"float(a)", 7},
        {"a + x", 9.5},
        {"min(x, a)", 2.5},
        {"abs(-x)", 2.5},
        {"-x", -2.5},
        {"int(x) + x", 4.5},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const hone_datum value = value_of(cases[i].text);

        if (value.kind != HONE_DATUM_FLOAT || value.d != cases[i].value)
            fail_msg("%s: kind %d, %.17g", cases[i].text, (int)value.kind,
                     value.d);
    }
}

static void faults(void **state)
{
    static const struct {
        const char *text;
        int fault;
    } cases[] = {
        {"1//0", HONE_FAULT_DIVISION},
        {"a % 0", HONE_FAULT_DIVISION},
        {"1/0", HONE_FAULT_DIVISION},
        {"1 % 0.0", HONE_FAULT_DIVISION},
        {"0**-1", HONE_FAULT_DIVISION},
        {"4611686018427387904*2", HONE_FAULT_OVERFLOW},
        {"3**40", HONE_FAULT_OVERFLOW},
        {"a << 62", HONE_FAULT_OVERFLOW},
        {"1 << 100", HONE_FAULT_OVERFLOW},
        {"1 << b", HONE_FAULT_NEGATIVE_SHIFT},
        {"b**0.5", HONE_FAULT_COMPLEX},
        {"9007199254740993/2", HONE_FAULT_LARGE_QUOTIENT},
        {"int(1e30)", HONE_FAULT_NO_INT},
        {"x & 1", HONE_FAULT_TYPE},
        {"s*2", HONE_FAULT_TYPE},
        {"+s", HONE_FAULT_TYPE},
        {"s < 'z'", HONE_FAULT_ORDER},
        {"1//0 and 0", HONE_FAULT_DIVISION},
        {"a in [7, 1//0]", HONE_FAULT_DIVISION},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const hone_datum value = value_of(cases[i].text);

        if (value.kind != HONE_DATUM_FAULT || value.i != cases[i].fault)
            fail_msg("%s: kind %d, %lld", cases[i].text, (int)value.kind,
                     (long long)value.i);
        assert_true(strlen(hone__datum_fault_text(value)) > 5);
    }
}

static void mistakes(void **state)
{
    static const struct {
        const char *text;
        size_t offset;
        const char *part;
    } cases[] = {
        {"", 0, "expected a value, but the expression ends here"},
        {"a +", 3, "ends here"},
        {"a b", 2, "expected an operator, found 'b'"},
        {"a = 7", 2, "equality is '=='"},
        {"(a", 2, "expected ')' to close the parenthesis"},
        {"a)", 1, "expected an operator, found ')'"},
        {"c + 1", 0, "no parameter is called 'c'"},
        {"a && b", 2, "'&&' is not Python; write 'and'"},
        {"(a || b)", 3, "'||' is not Python; write 'or'"},
        {"sin(a)", 0, "unknown function 'sin'"},
        {"abs(a, b)", 0, "abs takes one value"},
        {"min(a)", 0, "min takes two values or more"},
        {"12x", 0, "'12x' is not a number"},
        {"007", 0, "'007' is not a number"},
        {"99999999999999999999", 0, "does not fit 64 bits"},
        {"'abc", 0, "this text is never closed"},
        {"'a\\n'", 2, "of the escapes"},
        {"a if b", 6, "expected 'else'"},
        {"a in 3", 5, "expected a list"},
        {"a in [1, 2", 10, "expected ']'"},
        {"a in range(1, 2, 0)", 5, "the step of a range cannot be 0"},
        {"a ? b : 1", 2, "expected an operator, found '?'"},
        {"a <\x01 b", 3, "found the byte 0x01"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        hone_arena arena = {0};
        hone_graph graph = {0};
        hone_datum values[4];
        hone_node node;
        hone_span where = {999, 0};
        hone_error err = {0};

        assert_int_equal(
            compile(&arena, &graph, cases[i].text, &node, &where, values, &err),
            HONE_ERR_INPUT);
        if (!strstr(err.text, cases[i].part) || where.offset != cases[i].offset)
            fail_msg("%s: at %zu: %s", cases[i].text, where.offset, err.text);
        hone__graph_free(&graph);
        hone__arena_free(&arena);
    }
}

/* Parentheses beyond the limit are refused, not followed. */
static void nesting(void **state)
{
    static const char *const openers[] = {"(", "-",   "not ",
                                          "[", "2**", "a if "};

    (void)state;
    for (size_t k = 0; k < sizeof openers / sizeof openers[0]; ++k) {
        hone_arena arena = {0};
        hone_graph graph = {0};
        hone_datum values[4];
        hone_text text = {0};
        hone_node node;
        hone_span where;
        hone_error err = {0};

        for (int i = 0; i < 100000; ++i)
            hone__text_puts(&text, openers[k]);
        assert_int_equal(compile(&arena, &graph, hone__text_str(&text), &node,
                                 &where, values, &err),
                         HONE_ERR_INPUT);
        hone__text_free(&text);
        hone__graph_free(&graph);
        hone__arena_free(&arena);
    }
}

static void write_values(const hone_datum *values, size_t n, hone_text *out)
{
    for (size_t i = 0; i < n; ++i) {
        hone__text_puts(out, i ? " " : "");
        if (values[i].kind == HONE_DATUM_FLOAT)
            hone__text_printf(out, "%.17g", values[i].d);
        else
            hone__text_printf(out, "%s%lld",
                              values[i].kind == HONE_DATUM_TEXT ? "#" : "",
                              (long long)values[i].i);
    }
}

static const struct {
    const char *text;
    const char *values; /* or what is wrong */
} list_cases[] = {
    {"[1, 2, 4]", "1 2 4"},
    {"(1, 2, 4,)", "1 2 4"},
    {"[]", ""},
    {"[2**i for i in range(0, 6)]", "1 2 4 8 16 32"},
    {"list(range(32, 97, 32))", "32 64 96"},
    {"[1, 2] + list(range(8, 3, -2))", "1 2 8 6 4"},
    {"range(3)", "0 1 2"},
    {"list(range(0))", ""},
    {"[i for i in range(10) if i % 2 == 0 if i > 2]", "4 6 8"},
    {"[i*j for i in range(1, 3) for j in [1, 10]]", "1 10 2 20"},
    {"[i + j for i in range(3) for j in range(i)]", "1 2 3"},
    {"list(i for i in (3, 1))", "3 1"},
    {"sorted([3, 1, 2.5])", "1 2.5 3"},
    {"tuple([1])", "1"},
    {"[0]*3", "0 0 0"},
    {"[1, 2]*0", ""},
    {"[0.5, 1e2, -1]", "0.5 100 -1"},
    {"['a', 'b', 'a', '']", "#1 #2 #1 #0"},
    {"[True, False]", "1 0"},
    {"[x if x > 1 else 0 for x in [1, 2]]", "0 2"},
    {"[x for x in range(4) if x in range(x + 1)]", "0 1 2 3"},
    {"[[y for y in range(x)] for x in []]", "expected a value, found '['"},
    {"[y for x in []]", "unknown name 'y'"},
    {"[1//x for x in [2, 1]]", "0 1"},
    {"[1//x for x in [2, 0]]", "division by zero"},
    {"[x for x in range(40) for y in range(100) if x*100 + y in [7, 109]]",
     "0 1"},
    {"[[1, 2]]", "expected a value, found '['"},
    {"[n for n in range(m)]", "unknown name 'm'"},
    {"[1 2]", "expected ']' behind the values, found '2'"},
    {"[1, 2] 3", "expected the end of the list, found '3'"},
    {"[1//0]", "division by zero"},
    {"range(1.5)", "integers only"},
    {"range(1, 2, 3, 4)", "one to three values"},
    {"[0]*100000", "more than 65536 values"},
    {"[a for a in range(9999) for b in range(9999) if False]",
     "turn too often"},
    {"[1 for a in range(65536) if a in range(1, 65536) and False]",
     "turn too often"},
    {"range(10000000000)", "more than 65536 values"},
    {"[i for i in range(9) for i]", "expected 'in'"},
    {"3", "expected a list"},
    {"", "expected a list"},
};

static void lists(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof list_cases / sizeof list_cases[0]; ++i) {
        hone_arena arena = {0};
        hone_texts texts = {0};
        const hone_python python = {&arena, &texts, NULL, NULL};
        hone_text written = {0};
        hone_datum *values;
        size_t n;
        hone_span where;
        hone_error err = {0};
        const hone_status status = hone__python_list(
            &python, list_cases[i].text, strlen(list_cases[i].text), &values,
            &n, &where, &err);

        write_values(values, n, &written);
        if (status
                ? !strstr(err.text, list_cases[i].values)
                : strcmp(hone__text_str(&written), list_cases[i].values) != 0)
            fail_msg("%s: %s%s", list_cases[i].text, hone__text_str(&written),
                     err.text);
        assert_true(where.offset <= strlen(list_cases[i].text));
        hone__text_free(&written);
        hone__free(values);
        hone__arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers), cmocka_unit_test(floats),
        cmocka_unit_test(faults),   cmocka_unit_test(mistakes),
        cmocka_unit_test(nesting),  cmocka_unit_test(lists),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
