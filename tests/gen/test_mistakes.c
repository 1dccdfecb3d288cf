/* SPDX-License-Identifier: Apache-2.0 */
/* Bad templates: what is said about each mistake and where, and that no
 * broken file hurts the parser. */
#include "tests/gen/gen_test.h"

#define OP "#pragma hone op o(n)\n"
#define LAUNCH "#pragma hone launch k\n"

/* Message and position of the only mistake in OP, then `line` (line 2), then
 * a launch. */
typedef struct mistake {
    const char *line;
    int column;
    const char *part;
} mistake;

static void check_mistake(const char *text, int line, const mistake *m)
{
    hone_template *t = NULL;
    hone_diagnostics d;
    hone_error err = {0};
    const hone_status status =
        hone__template_read("t.cu", "", text, strlen(text), &t, &d, &err);

    if (status != HONE_ERR_INPUT || d.n != 1 || d.items[0].line != line ||
        d.items[0].column != m->column || !strstr(d.items[0].text, m->part)) {
        hone_text shown = {0};

        hone__diagnostics_format(&d, "t.cu", text, &shown);
        fail_msg("status %d, wanted %d:%d '%s', got:\n%s", (int)status, line,
                 m->column, m->part, hone__text_str(&shown));
    }
    assert_null(t);
    assert_non_null(strstr(err.text, m->part));
    hone__diagnostics_free(&d);
}

static const mistake bad_lines[] = {
    {"pram X in 1..2", 14,
     "unknown statement 'pram'; did you mean "
     "'param'?"},
    {"", 13, "expected a statement"},
    {"tensormap A", 25, "expected ':' after the tensor map's name"},
    {"constant c: f32[n]", 32, "say which argument fills it: from ARG"},
    {"constant c: f32[n] from", 37, "expected the name of an argument"},
    {"constant c f32[n] from a", 25, "expected ':' after the constant's"},
    {"constant c: g32[n] from a", 26, "'g32' is not an element type"},
    {"constant c: f32 from a", 30, "expected '['"},
    {"constant c: f32[n] from b", 38, "no argument is called 'b'"},
    {"constant n: f32[n] from b", 23, "already declared on line 1"},
    {"op p(n)", 17, "'o' was declared before"},
    {"arch device.l2 > 1", 19, "'device.l2' cannot be asked here"},
    {"arch sm >= n", 25, "'arch' reads sm only"},
    {"arch sm >= 80 90", 28, "expected an operator"},
    {"param X in {}", 25, "empty"},
    {"param X in 4..1", 25, "empty: 4 is more than 1"},
    {"param X in pow2 0..4", 30, "start at 1"},
    {"param X in pow2 5..7", 30, "no power of two"},
    {"param X in {1, 2} default 3", 40, "not one of the values (1, 2)"},
    {"param X in {a, b} default c", 40, "(a, b)"},
    {"param X in {1, true}", 29, "true or false, the first is an int"},
    {"param X in {1, 2, 1}", 32, "'1' is listed twice"},
    {"param X in {a, a}", 29, "'a' is listed twice"},
    {"param X in 1..100000", 25, "at most 65536 values"},
    {"param X in 1..9 step 0", 35, "at least 1"},
    {"param X in {n}", 26, "'n' is declared on line 1"},
    {"param X in {n + 1}", 26, "values of a parameter are constants"},
    {"param X in {1, 1.5}", 29,
     "this is a floating-point number, the first is an integer (write 1.0"},
    {"param X in {0.5, 2}", 31, "this is an integer, the first is a floating"},
    {"param X in {1.5, 15e-1}", 31, "'15e-1' is listed twice"},
    {"param X in {1.5f}", 26, "'1.5f' is not"},
    {"param X in {1.5.1}", 26, "'1.5.1' is not"},
    {"param X in {1e999}", 26, "more than a double can hold"},
    {"param X in 0.5..2.5", 25, "a range is of integers"},
    {"param X in {0.5} default 0.25", 39, "not one of the values (0.5)"},
    {"require n > 0.5", 26, "expressions are of integers"},
    {"let X = n*1e-3", 24, "expressions are of integers"},
    {"param X in {1/0}", 26, "division by zero"},
    {"param X in 5", 26, "expected '..'"},
    {"param X in {1, 2", 30,
     "expected '}' after the values, but the "
     "statement ends here"},
    {"param X", 21, "expected 'in'"},
    {"param X: int", 23, "only 'bool'"},
    {"arg a: in f32[n][n][n][n]", 27, "an array has at most 3 extents"},
    {"arg a: in f32[n][]", 31, "expected a value"},
    {"arg a: in f32[n][m]", 31, "unknown name 'm'"},
    {"arg a: in f32[n][n", 32, "expected ']'"},
    {"param X in {1} when", 33, "expected a value"},
    {"param X in {1} when n > 1", 34,
     "'n' depends on a problem dimension that is known only at run time"},
    {"param X in {1, 2} when X == 1", 37, "cannot depend on its own value"},
    {"param X in {1} when sm >= 90", 34, "did you mean 'device.sm'?"},
    {"param X in {1} when Y", 34, "unknown name 'Y'"},
    {"param X in {1} when 1 default 1", 36, "expected an operator"},
    {"param X in {1} for sm >= 90 {2}", 33, "expected 'device'"},
    {"param X in {1} for device sm >= 90", 48, "expected 'in'"},
    {"param X in {1} for device n > 1 {2}", 40,
     "'n' cannot be read here; 'for device' reads"},
    {"param X in {1} for device sm >= 90 {1}", 50, "'1' is listed twice"},
    {"param X in {1} for device sm >= 90 in 0..2", 52, "1 is listed twice"},
    {"param X in {1} default 2 for device sm >= 90 {2}", 37, "not one of"},
    {"param X in {1} for device sm >= 90 in {0.5}", 53, "all of one kind"},
    {"param X in {1} for device sm >= 90 in 2..999", 40, "is longer than"},
    {"param X in {1} defualt 1", 29, "'defualt' is not expected"},
    {"param int in {1}", 20, "a word of C++"},
    {"param f32 in {1}", 20, "element type"},
    {"param HONE_X in {1}", 20, "starts with HONE"},
    {"param a__b in {1}", 20, "two underscores"},
    {"param _X in {1}", 20, "kept for the compiler"},
    {"param min in {1}", 20, "already means something"},
    {"param static_assert in {1}", 20, "is a word of C++"},
    {"param X in {not_eq}", 26, "cannot be a value, it is a word of C++"},
    {"let NULL = 1", 18, "already means something"},
    {"let float4 = 1", 18, "'float4' is a type of CUDA; choose another name"},
    {"let dim3 = 1", 18, "is a type of CUDA"},
    {"param n in {1}", 20, "already declared on line 1"},
    {"param HOST : bool", 20, "'HOST' would define HONE_HOST, which hone"},
    {"let OP_o = 1", 18, "'OP_o' would define HONE_OP_o, which hone"},
    {"param X_values in {1}\n#pragma hone param X in {a}", 20,
     "'X_values' as the type of the enumeration 'X'"},
    {"param X in {int}", 26, "cannot be a value, it is a word of C++"},
    {"param 3 in {1}", 20, "expected the name of a parameter, found '3'"},
    {"let X = ", 21, "expected a value, but the expression ends"},
    {"let X 3", 20, "expected '=' after the name, found '3'"},
    {"let X = X", 22, "'X' cannot read itself"},
    {"feature X 3", 24, "expected '=' after the name, found '3'"},
    {"feature X = Z", 26, "'Z'"},
    {"feature X = n per", 31, "expected a value"},
    {"feature X = n per 2 3", 34, "expected an operator"},
    {"let X = Y\n#pragma hone let Y = X + 1", 22,
     "'Y' is declared below, on line 3"},
    {"require Y > 1\n#pragma hone param Y in {1, 2}", 22,
     "'Y' is declared below, on line 3"},
    {"let X = sm", 22, "did you mean 'device.sm'?"},
    {"let X = device.smem_optim", 22, "did you mean 'smem_optin'?"},
    {"require n > 1 \"a", 28, "no closing"},
    {"require n > 1 \"a\" b", 32, "'b' is not expected"},
    {"require 1 < n < 3", 28, "do not chain"},
    {"require lenght", 22, "unknown name 'lenght'"},
    {"arg x: in f33[n]", 24, "'f33' is not an element type"},
    {"arg x: f32[n]", 24, "needs a mode: write 'x: in f32[..]'"},
    {"arg x: in f32", 27, "expected '['"},
    {"arg x: in f32[n", 29, "expected ']'"},
    {"arg x: in f32[m]", 28, "unknown name 'm'"},
    {"arg x in f32[n]", 20, "expected ':'"},
    {"arg x: f32,", 25, "expected the name of an argument"},
    {"arg x: f32, x: f32", 26, "already declared on line 2"},
    {"arg x: in i32[n] from 0", 37, "expected '..' and the last value"},
    {"arg x: in i32[n] from 0..m - 1", 39, "unknown name 'm'"},
    {"arg x: in i32[n] from 0..9 from 1..2", 41, "'from' is given twice"},
    {"arg x: in i32[n] from 0..9 positive", 41,
     "'from' and 'positive' contradict each other"},
    {"arg x: in i32[n] sorted permutation", 38, "contradict each other"},
    {"arg x: in f32[n] uniform(0, 1.5) from 0..1", 47, "contradict"},
    {"arg x: in f32[n] uniform(0)", 40, "expected ',' before the second"},
    {"arg x: in f32[n] normal(0, 1, 2)", 42, "normal takes 2 numbers"},
    {"arg x: in f32[n] normal 0", 38, "expected '(' before the numbers"},
    {"arg x: in f32[n] from 1e999..2", 36, "more than a double can hold"},
    {"arg x: in i32[n] zipf(1.2)", 31, "zipf needs the values that it draws"},
    {"arg x: in f32[n] permutation", 31,
     "'permutation' is for integers, and 'x' holds f32"},
    {"arg x: in i32[n] offsets n", 39, "expected 'of' and the last offset"},
    {"arg x: in i32[n] file(x)", 36, "to start a text"},
    {"arg x: out i32[n] from 0..1", 32, "'x' is written without being read"},
    {"arg x: i32 sorted", 25, "'sorted' is for arrays, and 'x' is a scalar"},
    {"arg x: in i32[n] sorrted", 31, "'sorrted' is not expected"},
    {"workspace w: f32[n] zreo", 34, "'zreo' is not expected"},
    {"workspace w: n[4]", 27, "not an element type"},
};

static void declarations(void **state)
{
    char text[512];

    (void)state;
    for (size_t i = 0; i < sizeof bad_lines / sizeof bad_lines[0]; ++i) {
        (void)snprintf(text, sizeof text, OP "#pragma hone %s\n" LAUNCH KERNEL,
                       bad_lines[i].line);
        check_mistake(text, 2, &bad_lines[i]);
    }
}

static const mistake bad_uses[] = {
    {"launch j", 21, "no kernel 'j'"},
    {"launch k grdi(1)", 23, "did you mean 'grid'?"},
    {"launch k grid(1) grid(2)", 31, "given twice"},
    {"launch k grid(1,2,3,4)", 34, "at most 3"},
    {"launch k grid()", 28, "expected a value"},
    {"launch k block(0)", 28, "a block has at least 1"},
    {"launch k grid(1, 2 - 3)", 27, "not -1"},
    {"launch k cluster(2, 0)", 30, "a cluster has at least 1"},
    {"launch k grid(1", 27, "never closed"},
    {"launch k cluster(2,1,1,1)", 37, "cluster takes at most 3"},
    {"launch k cluster", 30, "expected '('"},
    {"launch k cooperative cooperative", 35, "given twice"},
    {"launch k corporative", 23, "did you mean 'cooperative'?"},
    {"constant c: f32[n] from a", 38, "'a' must be an 'in' array"},
    {"constant c: f64[n] from in_f32", 38,
     "'in_f32' holds elements of f32, and the constant 'c' of f64"},
    {"constant c: f32[n] from in_f3", 38, "did you mean 'in_f32'?"},
    {"constant c: f32[n] from in_f32", 23, "no '__constant__ .. c[..]'"},
    {"constant c: f32[n] from in_f32 when(1)", 45, "'when' is not expected"},
    {"constant c: f32[n] from in_f32 if(m)", 48, "unknown name 'm'"},
    {"launch k args(a, b)", 31, "no argument, workspace or tensor map is "},
    {"launch k args(n)", 28, "pass it as i32(n)"},
    {"launch k args(f16(n))", 28, "f32(..) or f64(..), not 'f16(..)'"},
    {"launch k args(i32(0.5))", 32, "expressions are of integers"},
    {"launch k args(f32(n*0.5))", 34, "expressions are of integers"},
    {"launch k args(f32(0.5, 1))", 35, "expected ')'"},
    {"launch k grid(a)", 28, "'a' is an argument or workspace"},
    {"work flops(1) flops(2)", 28, "given twice"},
    {"work speed(1)", 19, "not 'speed'"},
    {"check", 19, "the name of a reference"},
    {"check template", 20, "template.NAME"},
    {"check template.a.b tolerance(1)", 20, "template.NAME"},
    {"baseline cublas, template", 31, "template.NAME"},
    {"shapes 64", 21, "expected '('"},
    {"shapes (64", 24, "')'"},
    {"shapes (x)", 22, "'x' is not a dimension"},
    {"shapes (0)", 22, "n must be at least 1"},
    {"shapes (64, 1, 2, 3, 4, 5)", 22, "dimension"},
    {"shapes (64) (2) (64)", 31, "given twice, first on line"},
    {"inputs rows", 21, "template.NAME, where NAME.cu is its file"},
    {"inputs template.a\n#pragma hone inputs template.b", 0, ""},
    {"check cpu.x tolerance(zz)", 36, "unknown name 'zz'"},
    {"check cpu.x exact(1) exact(2)", 35, "given twice"},
    {"check cpu.x tolerance(1.5) tolerance(2)", 41, "given twice"},
    {"check cpu.x abs(1e999)", 30, "more than a double can hold"},
    {"check cpu.x rel(1.5*2)", 30, "stands alone"},
    {"check cpu.x norm(1, 2)", 34, "at most 1 value"},
    {"check cpu.x exact(1.5)", 32, "expressions are of integers"},
    {"check cpu.x close(1)", 26, "tolerance(..), abs(..), rel(..), norm(..)"},
    {"check template.x magnitude cpu.y", 41, "template.NAME"},
    {"check template.x magnitude", 40, "template.NAME"},
    {"check template.x magnitude template.y magnitude template.y", 52,
     "given twice"},
    {"check cpu.x magnitude template.y", 26, "brings magnitudes of its own"},
    {"option maxregcount(3)", 21, "did you mean 'maxrregcount'?"},
    {"option opt(3)", 21, "known are extra_device_vectorization"},
    {"option fmad(n)", 26, "known only at run time"},
    {"option fmad(L)", 26, "reads a problem dimension"},
    {"option fmad(device.sm > 1)", 26, "'device.sm' is a device"},
    {"option fmad(1) fmad(0)", 29, "given twice"},
    {"for I in 0..n\n#pragma hone endfor", 26, "known only at run time"},
    {"for I in 0\n#pragma hone endfor", 24, "expected '..'"},
    {"for n in 0..1\n#pragma hone endfor", 18, "already declared"},
    {"for I in 0..1", 1, "this 'for' has no 'endfor'"},
    {"if 1", 1, "this 'if' has no 'endif'"},
    {"endfor", 14, "'endfor' without a 'for'"},
    {"elif 1", 14, "'elif' without a 'if'"},
    {"if n\n#pragma hone endif", 17, "known only at run time"},
    {"if 1\n#pragma hone let X = 1\n#pragma hone endif", 0, ""},
    {"check none\nint a = @{1;", 0, ""},
    {"check none\nint a = @{1 +};", 0, ""},
    {"check none\nint a = @{I};", 0, ""},
    {"if 1\n#pragma hone else\n#pragma hone elif 2\n#pragma hone endif", 0, ""},
    {"if 1\n#pragma hone for I in 1..2\n#pragma hone endif", 0, ""},
};

static void uses(void **state)
{
    static const struct {
        int line;
        int column;
        const char *part;
    } later[] = {{5, 21, "one inputs line; the first is line 4"},
                 {5, 14, "'let' cannot stand inside"},
                 {5, 9, "no '}' on its line"},
                 {5, 14, "the expression ends here"},
                 {5, 11, "unknown name 'I'"},
                 {6, 14, "'elif' after the 'else' on line 5"},
                 {5, 1, "this 'for' has no 'endfor'"}};
    char text[512];
    size_t next = 0;

    (void)state;
    for (size_t i = 0; i < sizeof bad_uses / sizeof bad_uses[0]; ++i) {
        mistake m = bad_uses[i];
        int line = 4;

        (void)snprintf(text, sizeof text,
                       OP "#pragma hone arg a: f32, "
                          "in_f32: in f32[n]\n#pragma hone let L = "
                          "n\n#pragma hone %s\n" LAUNCH KERNEL,
                       m.line);
        if (!m.column) { /* the mistake is on a later line */
            line = later[next].line;
            m.column = later[next].column;
            m.part = later[next++].part;
        }
        check_mistake(text, line, &m);
    }
}

static void whole_file(void **state)
{
    static const struct {
        const char *text;
        int line;
        mistake m;
    } cases[] = {
        {"", 1, {"", 1, "no '#pragma hone op"}},
        {KERNEL LAUNCH, 1, {"", 1, "no '#pragma hone op"}},
        {OP KERNEL, 1, {"", 13, "the op 'o' has no 'launch'"}},
        {"#pragma hone arch sm > 1\n" OP LAUNCH KERNEL,
         2,
         {"", 14, "'op' must be the first"}},
        {"#pragma hone op o()\n" LAUNCH KERNEL,
         1,
         {"", 19, "expected the name of a dimension"}},
        {"#pragma hone op o(a default 2, b)\n" LAUNCH KERNEL,
         1,
         {"", 32, "'b' needs a default"}},
        {"#pragma hone op o(a, T in {f32} default f64)\n" LAUNCH KERNEL,
         1,
         {"", 41, "not one of the types"}},
        {"#pragma hone op o(a,b,c,d,e,f,g,h,i,j,l,m,n,o,p,q,r,s,t,u,v)\n" LAUNCH
             KERNEL,
         1,
         {"", 59, "at most 20 dimensions"}},
        {OP "#pragma hone param X in {a, b}\n#pragma hone param X_a in "
            "{1}\n" LAUNCH KERNEL,
         3,
         {"", 20,
          "'X_a' and 'X', declared on line 2, would both define "
          "HONE_X_a"}},
        {"#pragma hone op o(n, T in {f32, f64}, X in {1, 2})\n"
         "#pragma hone let T_f64 = 1\n" LAUNCH KERNEL,
         2,
         {"", 18, "define HONE_T_f64"}},
        {OP "#pragma hone param A in {f32, f64}\n#pragma hone arg x: A\n" LAUNCH
             KERNEL,
         3,
         {"", 21, "callers do not know the value of the parameter 'A'"}},
        {OP "#pragma hone param A in {f32, f64}\n"
            "#pragma hone arg x: in A[n]\n" LAUNCH KERNEL,
         3,
         {"", 24, "make it a dimension of the op, or convert"}},
        {OP LAUNCH "__global__ void k() {}\n",
         2,
         {"", 21, "declare it extern \"C\""}},
        {OP LAUNCH "// k extern \"C\"\n", 2, {"", 21, "no kernel 'k'"}},
        {OP "#pragma hone let A = 1 /* one\n of two */\n" LAUNCH KERNEL,
         2,
         {"", 1,
          "a comment or raw string on the line of a statement has to begin"}},
        {OP "/* one\n of two */ #pragma hone let A = 1\n" LAUNCH KERNEL,
         3,
         {"", 12,
          "a comment or raw string on the line of a statement has to begin"}},
        {OP "const char *s = R\"(one\n#pragma hone let A = 1\n)\";\n" LAUNCH
             KERNEL,
         3,
         {"", 1, "a comment or raw string on the line of a statement"}},
        {OP "#pragma hone param A: bool\n"
            "#pragma hone param B in {-9223372036854775807-1, 0} when 1/A\n"
            "#pragma hone param C in {0, 1} when "
            "(((((((((((((((((((((((((((((((((((((((((((((((((("
            "(((((((((((((A))))))))))))))))))))))))))))))))))))))))"
            ")))))))))))))))))))))))\n" LAUNCH KERNEL,
         4,
         {"", 37, "nested deeper than 64"}},
        {OP LAUNCH "extern \"C\" kk k_;\n", 2, {"", 21, "no kernel"}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
        check_mistake(cases[i].text, cases[i].line, &cases[i].m);
}

static void five_mistakes(void **state)
{
    static const char text[] =
        "#pragma hone op five(M, N)\n"
        "#pragma hone param BM in {64, 128} default 96\n"
        "#pragma hone param BM in {1}\n"
        "\t#pragma hone let WARPS = BM/WM\n"
        "#pragma hone require WARPS*32 <= device.thread_block \"x\"\n"
        "#pragma hone arg A: in f16[M*N\n"
        "#pragma hone launch k grid(ceildiv(M,BM)) block(WARPS*32)\n" KERNEL;
    static const char expected[] =
        "five.cu:2:44: error: the default is not one of the values (64, "
        "128)\n"
        "    2 | #pragma hone param BM in {64, 128} default 96\n"
        "      |                                            ^~\n"
        "five.cu:3:20: error: 'BM' is already declared on line 2\n"
        "    3 | #pragma hone param BM in {1}\n"
        "      |                    ^~\n"
        "five.cu:4:30: error: unknown name 'WM'; did you mean 'BM'?\n"
        "    4 | \t#pragma hone let WARPS = BM/WM\n"
        "      | \t                            ^~\n"
        "five.cu:5:34: error: unknown device property 'thread_block'; did "
        "you mean 'threads_block'?\n"
        "    5 | #pragma hone require WARPS*32 <= device.thread_block \"x\"\n"
        "      |                                  ^~~~~~~~~~~~~~~~~~~\n"
        "five.cu:6:31: error: expected ']' after the number of elements, but "
        "the statement ends here\n"
        "    6 | #pragma hone arg A: in f16[M*N\n"
        "      |                               ^\n";
    hone_template *t = NULL;
    hone_diagnostics d;
    hone_error err = {0};
    hone_text shown = {0};

    (void)state;
    assert_int_equal(
        hone__template_read("five.cu", "", text, strlen(text), &t, &d, &err),
        HONE_ERR_INPUT);
    hone__diagnostics_format(&d, "five.cu", text, &shown);
    assert_string_equal(hone__text_str(&shown), expected);
    assert_int_equal(d.n, 5);
    assert_non_null(strstr(err.text, "(5 mistakes in this template)"));
    hone__text_free(&shown);
    hone__diagnostics_free(&d);
}

static hone_text read_golden(void)
{
    hone_text source = {0};

    assert_int_equal(hone__text_read_file(&source, "golden/unroll.cu", NULL),
                     HONE_OK);
    return source;
}

/* Every beginning of a good file parses or fails cleanly, as does the file
 * with one byte changed. */
static void truncated_and_changed(void **state)
{
    static const char bytes[] = "\"({}[.@\\\n#/*0n~";
    hone_text source = read_golden();
    hone_template *t;
    hone_diagnostics d;

    (void)state;
    for (size_t n = 0; n <= source.length; ++n) {
        /* An exact copy, so that reading past it is seen. */
        char *copy = hone__strndup(source.data, n);
        const hone_status status =
            hone__template_read("t.cu", "", copy, n, &t, &d, NULL);

        assert_true(status == HONE_OK || status == HONE_ERR_INPUT);
        assert_int_equal(status == HONE_OK, d.n == 0);
        hone__template_free(t);
        hone__diagnostics_free(&d);
        hone__free(copy);
    }
    for (size_t n = 0; n < source.length; ++n) {
        const char saved = source.data[n];

        source.data[n] = bytes[n * 7 % (sizeof bytes - 1)];
        (void)hone__template_read("t.cu", "", source.data, source.length, &t,
                                  &d, NULL);
        hone__template_free(t);
        hone__diagnostics_free(&d);
        source.data[n] = saved;
    }
    hone__text_free(&source);
}

static void nul_byte(void **state)
{
    hone_template *t;
    hone_diagnostics d;
    hone_error err = {0};

    (void)state;
    assert_int_equal(hone__template_read("t.cu", "", "a\0b", 3, &t, &d, &err),
                     HONE_ERR_INPUT);
    assert_non_null(strstr(err.text, "NUL"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(declarations),
        cmocka_unit_test(uses),
        cmocka_unit_test(whole_file),
        cmocka_unit_test(five_mistakes),
        cmocka_unit_test(truncated_and_changed),
        cmocka_unit_test(nul_byte),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
