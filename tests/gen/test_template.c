/* SPDX-License-Identifier: Apache-2.0 */
/* The template parser: what every statement means, what is said about bad
 * ones, and that no broken file hurts it. */
#include "tests/gen/gen_test.h"

#include "runtime/expr.h"

#include <stdlib.h>

#define OP "#pragma hone op o(n)\n"
#define LAUNCH "#pragma hone launch k\n"

/* Every statement once. */
static const char everything[] =
    "#pragma hone op gemm(M, T in {f16, f32} default f32) \"a \\\"b\\\"\"\n"
    "#pragma hone arch sm >= 80 && sm != 86 features\n"
    "#pragma hone param BM in {64, 128} default 128\n"
    "  #  pragma hone param P in pow2 3..17 // comment\n"
    "#pragma hone param R in 1..7 step 3\n"
    "#pragma hone param B: bool default true\n"
    "#pragma hone param E in {row, col}\n"
    "#pragma hone param F in {col, none}\n"
    "#pragma hone param A in {f32, f64}\n"
    "#pragma hone let X = BM*\\\n  2\n"
    "#pragma hone let Y = M + X\n"
    "#pragma hone let Z = Y*device.sm_count\n"
    "#pragma hone arg a: in T[M], b: inout A[2*M], c: out i8[1], s: f64\n"
    "#pragma hone workspace w: A[B ? M : 0] zero\n"
    "#pragma hone require E == row || F == col \"m\"\n"
    "#pragma hone require Z > 0\n"
    "#pragma hone launch k if(B) grid(M, 2) block(X) shared(4K)"
    " args(w, a, i32(M), i64(Y))\n"
    "#pragma hone launch k\n"
    "#pragma hone work flops(M) bytes(2*M)\n"
    "#pragma hone check cublas.gemm tolerance(M) exact(4)\n"
    "#pragma hone check cpu.x\n"
    "#pragma hone baseline cublas, cub.sum\n"
    "#pragma hone option fmad(B) maxrregcount(32)\n" KERNEL;

static void declared(void **state)
{
    hone_template *t = parse_good(everything);

    (void)state;
    assert_string_equal(t->op, "gemm");
    assert_string_equal(t->description, "a \"b\"");
    assert_int_equal(t->n_dims, 2);
    assert_int_equal(t->dims[0].n_types, 0);
    assert_int_equal(t->dims[1].n_types, 2);
    assert_int_equal(t->dims[1].default_value, HONE_TYPE_F32);
    assert_true(t->needs_arch_features);
    assert_int_equal(t->arch.line, 2);
    assert_int_equal(t->arch.column, 19);
    assert_int_equal(t->n_params, 7);
    assert_int_equal(t->params[0].default_index, 1);
    assert_int_equal(t->params[1].n_values, 3); /* 4 8 16 */
    assert_int_equal(t->params[1].values[2], 16);
    assert_int_equal(t->params[1].line, 4);
    assert_int_equal(t->params[2].n_values, 3); /* 1 4 7 */
    assert_int_equal(t->params[2].values[2], 7);
    assert_int_equal(t->params[3].kind, HONE_PARAM_BOOL);
    assert_int_equal(t->params[3].default_index, 1);
    assert_int_equal(t->params[4].kind, HONE_PARAM_ENUM);
    assert_int_equal(t->params[4].values[1], t->params[5].values[0]);
    assert_int_equal(t->params[6].kind, HONE_PARAM_TYPE);
    assert_int_equal(t->n_symbols, 3);
    assert_string_equal(t->symbols[2], "none");
    hone__template_free(t);
}

static void used(void **state)
{
    hone_template *t = parse_good(everything);

    (void)state;
    assert_false(t->lets[0].value.reads_dims);
    assert_true(t->lets[1].value.reads_dims);
    assert_false(t->lets[1].value.reads_facts);
    assert_true(t->lets[2].value.reads_dims && t->lets[2].value.reads_facts);
    assert_int_equal(t->n_args, 4);
    assert_int_equal(t->args[1].mode, HONE_ARG_INOUT);
    assert_int_equal(t->args[3].mode, HONE_ARG_SCALAR);
    assert_string_equal(hone__expr_text(t->args[1].count.expr), "2*M");
    assert_true(t->workspaces[0].zero);
    assert_string_equal(t->requires_[0].message, "m");
    assert_string_equal(t->requires_[1].message, "");
    assert_int_equal(t->n_launches, 2);
    assert_int_equal(t->launches[0].n_passed, 4);
    assert_int_equal(t->launches[0].passed[0].kind, HONE_PASS_WORKSPACE);
    assert_int_equal(t->launches[0].passed[1].kind, HONE_PASS_ARG);
    assert_int_equal(t->launches[0].passed[2].kind, HONE_PASS_I32);
    assert_non_null(t->launches[0].grid[1].expr);
    assert_null(t->launches[0].grid[2].expr);
    /* the standard parameters: arguments, integer dims, workspaces */
    assert_int_equal(t->launches[1].n_passed, 6);
    assert_int_equal(t->launches[1].passed[4].kind, HONE_PASS_I64);
    assert_int_equal(t->launches[1].passed[5].kind, HONE_PASS_WORKSPACE);
    assert_int_equal(t->n_checks, 2);
    assert_null(t->checks[1].exact.expr);
    assert_string_equal(t->checks[0].reference, "cublas.gemm");
    assert_int_equal(t->n_baselines, 2);
    assert_int_equal(t->n_options, 2);
    assert_int_equal(strlen(t->sha256), 64);
    assert_int_equal(t->slots.total, HONE_N_FACTS + 2 + 7 + 3);
    hone__template_free(t);
}

/* The example of the design page. */
static void gemm(void **state)
{
    hone_template *t = parse_good(
        "#pragma hone op gemm_f16(M, N, K)                 \"C = A*B\"\n"
        "#pragma hone arch sm >= 80\n"
        "#pragma hone arg  A: in f16[M*K], B: in f16[K*N], C: inout f32[M*N],"
        " alpha: f32, beta: f32\n"
        "#pragma hone param BM in {64, 128, 256} default 128\n"
        "#pragma hone param BN in {64, 128}\n#pragma hone param BK in {32}\n"
        "#pragma hone param WM in {32, 64}\n#pragma hone param WN in {32}\n"
        "#pragma hone param PAD in {0, 8}\n"
        "#pragma hone param WMMA in {m16n16k16, m32n8k16, m8n32k16}\n"
        "#pragma hone param STAGES in 1..4\n"
        "#pragma hone param SPLIT_K in {1, 2, 4, 8}\n"
        "#pragma hone let   WARPS = (BM/WM)*(BN/WN)\n"
        "#pragma hone let   SMEM = STAGES*(BM*(BK+PAD)+BK*(BN+PAD))*2\n"
        "#pragma hone require WARPS*32 <= 1024     \"block too large\"\n"
        "#pragma hone require STAGES*(BM*(BK+PAD)+BK*(BN+PAD))*2 <= "
        "device.smem_optin\n"
        "#pragma hone workspace partial: f32[SPLIT_K > 1 ? SPLIT_K*M*N : 0]\n"
        "#pragma hone launch gemm_main   grid(ceildiv(N,BN), ceildiv(M,BM), "
        "SPLIT_K) block(WARPS*32) shared(SMEM)\n"
        "#pragma hone launch gemm_reduce if(SPLIT_K > 1) "
        "grid(ceildiv(M*N,1024)) block(256)\n"
        "#pragma hone work  flops(2*M*N*K) bytes(2*(M*K+K*N)+4*M*N)\n"
        "#pragma hone check cublas.gemm tolerance(K)\n"
        "#pragma hone baseline cublaslt\n"
        "extern \"C\" { void gemm_main(); void gemm_reduce(); }\n");

    (void)state;
    assert_int_equal(t->n_launches, 2);
    assert_int_equal(t->launches[0].n_passed, 5 + 3 + 1);
    hone__template_free(t);
}

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
        hone__template_parse("t.cu", text, strlen(text), &t, &d, &err);

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
    {"pram X in 1..2", 14, "unknown statement 'pram'; did you mean "
                           "'param'?"},
    {"", 13, "expected a statement"},
    {"tensormap A", 14, "not supported yet"},
    {"constant c: f32[n]", 14, "not supported yet"},
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
    {"param X in {1.5}", 26, "not a number"},
    {"param X in {1/0}", 26, "division by zero"},
    {"param X in 5", 26, "expected '..'"},
    {"param X in {1, 2", 30, "expected '}' after the values, but the "
                             "statement ends here"},
    {"param X", 21, "expected 'in'"},
    {"param X: int", 23, "only 'bool'"},
    {"param X in {1} when sm >= 90 {2}", 29, "not supported yet"},
    {"param X in {1} defualt 1", 29, "'defualt' is not expected"},
    {"param int in {1}", 20, "a word of C++"},
    {"param f32 in {1}", 20, "element type"},
    {"param HONE_X in {1}", 20, "starts with HONE"},
    {"param a__b in {1}", 20, "two underscores"},
    {"param _X in {1}", 20, "kept for the compiler"},
    {"param min in {1}", 20, "already means something"},
    {"param n in {1}", 20, "already declared on line 1"},
    {"param X in {int}", 26, "cannot be a value, it is a word of C++"},
    {"param 3 in {1}", 20, "expected the name of a parameter, found '3'"},
    {"let X = ", 21, "expected a value, but the expression ends"},
    {"let X 3", 20, "expected '=' after the name, found '3'"},
    {"let X = X", 22, "unknown name 'X'"},
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
    {"workspace w: f32[n] zreo", 34, "'zreo' is not expected"},
    {"workspace w: n[4]", 27, "not an element type"},
};

static void declarations(void **state)
{
    char text[512];

    (void)state;
    for (size_t i = 0; i < sizeof bad_lines / sizeof bad_lines[0]; ++i) {
        (void)snprintf(text, sizeof text, OP "#pragma hone %s\n" LAUNCH
                       KERNEL, bad_lines[i].line);
        check_mistake(text, 2, &bad_lines[i]);
    }
}

static const mistake bad_uses[] = {
    {"launch j", 21, "no kernel 'j'"},
    {"launch k grdi(1)", 23, "did you mean 'grid'?"},
    {"launch k grid(1) grid(2)", 31, "given twice"},
    {"launch k grid(1,2,3,4)", 34, "at most 3"},
    {"launch k grid()", 28, "expected a value"},
    {"launch k grid(1", 27, "never closed"},
    {"launch k cluster(2)", 23, "not supported yet"},
    {"launch k cooperative", 23, "not supported yet"},
    {"launch k args(a, b)", 31, "no argument or workspace is called 'b'"},
    {"launch k args(n)", 28, "pass it as i32(n)"},
    {"launch k args(f32(n))", 28, "i32(..) or i64(..), not 'f32(..)'"},
    {"launch k grid(a)", 28, "'a' is an argument or workspace"},
    {"work flops(1) flops(2)", 28, "given twice"},
    {"work speed(1)", 19, "not 'speed'"},
    {"check", 19, "the name of a reference"},
    {"check cpu.x tolerance(zz)", 36, "unknown name 'zz'"},
    {"check cpu.x exact(1) exact(2)", 35, "given twice"},
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
    {"if 1\n#pragma hone else\n#pragma hone elif 2\n#pragma hone endif",
     0, ""},
    {"if 1\n#pragma hone for I in 1..2\n#pragma hone endif", 0, ""},
};

static void uses(void **state)
{
    static const struct {
        int line;
        int column;
        const char *part;
    } later[] = {{5, 14, "'let' cannot stand inside"},
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

        (void)snprintf(text, sizeof text, OP "#pragma hone arg a: f32\n"
                       "#pragma hone let L = n\n#pragma hone %s\n" LAUNCH
                       KERNEL, m.line);
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
        {"#pragma hone arch sm > 1\n" OP LAUNCH KERNEL, 2,
         {"", 14, "'op' must be the first"}},
        {"#pragma hone op o()\n" LAUNCH KERNEL, 1,
         {"", 19, "expected the name of a dimension"}},
        {"#pragma hone op o(a default 2, b)\n" LAUNCH KERNEL, 1,
         {"", 32, "'b' needs a default"}},
        {"#pragma hone op o(a, T in {f32} default f64)\n" LAUNCH KERNEL, 1,
         {"", 41, "not one of the types"}},
        {"#pragma hone op o(a,b,c,d,e,f,g,h,i)\n" LAUNCH KERNEL, 1,
         {"", 35, "at most 8 dimensions"}},
        {OP LAUNCH "__global__ void k() {}\n", 2,
         {"", 21, "declare it extern \"C\""}},
        {OP LAUNCH "// k extern \"C\"\n", 2, {"", 21, "no kernel 'k'"}},
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
    assert_int_equal(hone__template_parse("five.cu", text, strlen(text), &t,
                                          &d, &err), HONE_ERR_INPUT);
    hone__diagnostics_format(&d, "five.cu", text, &shown);
    assert_string_equal(hone__text_str(&shown), expected);
    assert_int_equal(d.n, 5);
    assert_non_null(strstr(err.text, "(5 mistakes in this template)"));
    hone__text_free(&shown);
    hone__diagnostics_free(&d);
}

static void names_are_shared_with_care(void **state)
{
    /* A value of an enumeration and a workspace may share their name. */
    hone_template *t = parse_good(
        OP "#pragma hone param F in {ticket, two}\n"
           "#pragma hone workspace ticket: u32[F == ticket ? 1 : 0]\n"
           "#pragma hone require F == ticket || n > 1\n"
           "#pragma hone launch k args(ticket, i64(F == ticket))\n" KERNEL);

    (void)state;
    assert_int_equal(t->launches[0].passed[0].kind, HONE_PASS_WORKSPACE);
    hone__template_free(t);
}

static void comments_hide(void **state)
{
    hone_template *t = parse_good(
        "/* #pragma hone op wrong(a)\n#pragma hone op wrong(b)\n*/\n" OP
        "// #pragma hone param\n"
        "#pragma honey bee\n#pragma once\n"
        "#pragma hone param X in {1, /* 2, */ 3}\n"
        "const char *s = \"/*\";\n" LAUNCH KERNEL);

    (void)state;
    assert_int_equal(t->n_params, 1);
    assert_int_equal(t->params[0].n_values, 2);
    hone__template_free(t);
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
            hone__template_parse("t.cu", copy, n, &t, &d, NULL);

        assert_true(status == HONE_OK || status == HONE_ERR_INPUT);
        assert_int_equal(status == HONE_OK, d.n == 0);
        hone__template_free(t);
        hone__diagnostics_free(&d);
        hone__free(copy);
    }
    for (size_t n = 0; n < source.length; ++n) {
        const char saved = source.data[n];

        source.data[n] = bytes[n * 7 % (sizeof bytes - 1)];
        (void)hone__template_parse("t.cu", source.data, source.length, &t, &d,
                                   NULL);
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
    assert_int_equal(hone__template_parse("t.cu", "a\0b", 3, &t, &d, &err),
                     HONE_ERR_INPUT);
    assert_non_null(strstr(err.text, "NUL"));
}

static void dims(void **state)
{
    hone_template *t = parse_good(
        "#pragma hone op o(M, N, T in {f32, f64} default f32)\n" LAUNCH
        KERNEL);
    int64_t out[HONE_MAX_DIMS];
    hone_text label = {0};
    hone_error err = {0};

    (void)state;
    assert_int_equal(hone__template_parse_dims(t, "4K, 1M", out, &err),
                     HONE_OK);
    assert_int_equal(out[0], 4096);
    assert_int_equal(out[1], 1048576);
    assert_int_equal(out[2], HONE_TYPE_F32);
    hone__template_label_dims(t, out, &label);
    assert_string_equal(hone__text_str(&label), "M=4096 N=1048576 T=f32");
    assert_int_equal(hone__template_parse_dims(t, "1,2,f64", out, &err),
                     HONE_OK);
    assert_int_equal(out[2], HONE_TYPE_F64);
    assert_int_equal(hone__template_parse_dims(t, "1", out, &err),
                     HONE_ERR_DIMS);
    assert_string_equal(err.text, "o(M, N, T): takes 2 to 3 dimensions, but "
                                  "1 was given");
    assert_int_equal(hone__template_parse_dims(t, "1,2,f32,4", out, &err),
                     HONE_ERR_DIMS);
    assert_int_equal(hone__template_parse_dims(t, "1,-2", out, &err),
                     HONE_ERR_DIMS);
    assert_non_null(strstr(err.text, "N must be at least 1, not -2"));
    assert_int_equal(hone__template_parse_dims(t, "1,2,f16", out, &err),
                     HONE_ERR_DIMS);
    assert_non_null(strstr(err.text, "T is an element type, f32 or f64"));
    assert_int_equal(hone__template_parse_dims(t, "1,zebra", out, &err),
                     HONE_ERR_DIMS);
    assert_non_null(strstr(err.text, "'zebra' is not a dimension"));
    assert_int_equal(hone__template_parse_dims(t, "", out, &err),
                     HONE_ERR_DIMS);
    assert_int_equal(hone__template_parse_dims(t, "1,,2", out, &err),
                     HONE_ERR_DIMS);
    assert_int_equal(hone__template_parse_dims(t, "1,2,3,4,5,6,7,8,9,1", out,
                                               &err), HONE_ERR_DIMS);
    hone__text_free(&label);
    hone__template_free(t);
}

static void loading(void **state)
{
    hone_template *t = NULL;
    hone_template *u = NULL;
    hone_diagnostics d;
    hone_error err = {0};

    (void)state;
    assert_int_equal(hone__template_load("unroll", "nowhere:golden", &t, &d,
                                         &err), HONE_OK);
    assert_string_equal(t->path, "golden/unroll.cu");
    assert_int_equal(hone__template_load("golden/unroll.cu", "", &u, &d,
                                         &err), HONE_OK);
    assert_string_equal(t->sha256, u->sha256);
    hone__template_free(t);
    hone__template_free(u);
    assert_int_equal(hone__template_load("unrol", "golden:nowhere", &t, &d,
                                         &err), HONE_ERR_NOT_FOUND);
    assert_non_null(strstr(err.text, "golden (has "));
    assert_non_null(strstr(err.text, "unroll"));
    assert_non_null(strstr(err.text, "nowhere (cannot be read)"));
    assert_null(t);
    assert_int_equal(hone__template_load("x/none.cu", "golden", &t, &d, &err),
                     HONE_ERR_IO);
}

/* Parse folder/t.cu, which includes two headers, one through the other. */
static void hash_of(const char *folder, const char *inner,
                    char out[HONE_SHA256_HEX])
{
    static const char source[] = OP "#include \"outer.cuh\"\n"
        "#include \"missing.cuh\"\n" LAUNCH KERNEL;
    static const char outer[] = "#pragma once\n  # include \"inner.cuh\"\n"
                                "#include \"outer.cuh\"\n";
    hone_template *t = NULL;
    hone_diagnostics d;
    char path[256];

    (void)snprintf(path, sizeof path, "%s/outer.cuh", folder);
    assert_int_equal(hone__file_replace(path, outer, strlen(outer), NULL),
                     HONE_OK);
    (void)snprintf(path, sizeof path, "%s/inner.cuh", folder);
    assert_int_equal(hone__file_replace(path, inner, strlen(inner), NULL),
                     HONE_OK);
    (void)snprintf(path, sizeof path, "%s/t.cu", folder);
    assert_int_equal(hone__template_parse(path, source, strlen(source), &t,
                                          &d, NULL), HONE_OK);
    memcpy(out, t->sha256, HONE_SHA256_HEX);
    hone__template_free(t);
}

static void hash_covers_headers(void **state)
{
    static const char *const names[] = {"outer.cuh", "inner.cuh", ""};
    const char *tmp = getenv("TMPDIR");
    char folder[200];
    char path[256];
    char first[HONE_SHA256_HEX];
    char second[HONE_SHA256_HEX];
    char third[HONE_SHA256_HEX];

    (void)state;
    (void)snprintf(folder, sizeof folder, "%s/hone-gen-XXXXXX",
                   tmp ? tmp : "/tmp");
    assert_non_null(mkdtemp(folder));
    hash_of(folder, "int a;", first);
    hash_of(folder, "int b;", second);
    hash_of(folder, "int a;", third);
    assert_string_not_equal(first, second);
    assert_string_equal(first, third);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        assert_int_equal(remove(path), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(declared),
        cmocka_unit_test(used),
        cmocka_unit_test(gemm),
        cmocka_unit_test(declarations),
        cmocka_unit_test(uses),
        cmocka_unit_test(whole_file),
        cmocka_unit_test(five_mistakes),
        cmocka_unit_test(names_are_shared_with_care),
        cmocka_unit_test(comments_hide),
        cmocka_unit_test(truncated_and_changed),
        cmocka_unit_test(nul_byte),
        cmocka_unit_test(dims),
        cmocka_unit_test(loading),
        cmocka_unit_test(hash_covers_headers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
