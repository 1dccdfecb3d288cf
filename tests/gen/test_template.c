/* SPDX-License-Identifier: Apache-2.0 */
/* The template parser: what every statement means, names and comments,
 * dimensions, files and their hashes. */
#include "tests/gen/gen_test.h"

#include "runtime/expr/expr.h"

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
    "#pragma hone arg a: in T[M], b: inout f64[2*M], c: out i8[1], s: f64\n"
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
    assert_false(t->lets[1].value.reads_properties);
    assert_true(t->lets[2].value.reads_dims &&
                t->lets[2].value.reads_properties);
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
    assert_null(t->checks[1].bounds[0].number[HONE_BOUND_EXACT].expr.expr);
    assert_string_equal(t->checks[0].reference, "cublas.gemm");
    assert_int_equal(t->n_baselines, 2);
    assert_string_equal(t->baselines[1].name, "cub.sum");
    assert_int_equal(t->baselines[1].line, t->baselines[0].line);
    assert_string_equal(t->search_path, "");
    assert_int_equal(t->n_options, 2);
    assert_int_equal(strlen(t->sha256), 64);
    assert_int_equal(t->slots.total, HONE_N_PROPERTIES + 2 + 7 + 3);
    hone__template_free(t);
}

/* The example of the design page. */
static void gemm(void **state)
{
    hone_template *t = parse_good(
        "#pragma hone op gemm(M, N, K)                 \"C = A*B\"\n"
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

static void features_of_a_model(void **state)
{
    hone_template *t =
        parse_good(OP "#pragma hone param B in {1, 2}\n"
                      "#pragma hone feature DEPTH = 3*B per n\n"
                      "#pragma hone feature COST = ceildiv(n, B)\n"
                      "#pragma hone let DEPTH = B\n" /* names of their own */
                      "#pragma hone launch k args(i64(DEPTH))\n" KERNEL);

    (void)state;
    assert_int_equal(t->n_features, 2);
    assert_string_equal(t->features[0].name, "DEPTH");
    assert_string_equal(hone__expr_text(t->features[0].value.expr), "3*B");
    assert_string_equal(hone__expr_text(t->features[0].per.expr), "n");
    assert_null(t->features[1].per.expr);
    assert_int_equal(t->cost, 2);
    hone__template_free(t);
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

/* Some editors begin files of UTF-8 by three bytes. */
static void mark_in_front(void **state)
{
    hone_template *t = parse_good("\xEF\xBB\xBF" OP LAUNCH KERNEL);

    (void)state;
    assert_string_equal(t->op, "o");
    assert_int_equal(t->source[0], ' ');
    hone__template_free(t);
}

static void dims(void **state)
{
    hone_template *t = parse_good(
        "#pragma hone op o(M, N, T in {f32, f64} default f32)\n" LAUNCH KERNEL);
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
    assert_int_equal(hone__template_parse_dims(
                         t, "1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8", out, &err),
                     HONE_ERR_DIMS);
    /* A type's name is no size; its code is that type. */
    assert_int_equal(hone__template_parse_dims(t, "1,f32", out, &err),
                     HONE_ERR_DIMS);
    assert_string_equal(err.text, "o(M, N, T): the dimension N is an integer, "
                                  "not 'f32'");
    assert_int_equal(hone__template_parse_dims(t, "1,2*f64,f32", out, &err),
                     HONE_ERR_DIMS);
    assert_int_equal(hone__template_parse_dims(t, "1,2,4", out, &err), HONE_OK);
    assert_int_equal(out[2], HONE_TYPE_F32);
    assert_int_equal(hone__template_parse_dims(t, "1,2,1", out, &err),
                     HONE_ERR_DIMS);
    assert_int_equal(hone__template_parse_dims(t, "1,2,f32+1", out, &err),
                     HONE_ERR_DIMS);
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
    assert_int_equal(
        hone__template_load("unroll", "nowhere:golden", &t, &d, &err), HONE_OK);
    assert_string_equal(t->path, "golden/unroll.cu");
    assert_int_equal(hone__template_load("golden/unroll.cu", "", &u, &d, &err),
                     HONE_OK);
    assert_string_equal(t->sha256, u->sha256);
    hone__template_free(t);
    hone__template_free(u);
    assert_int_equal(
        hone__template_load("unrol", "golden:nowhere", &t, &d, &err),
        HONE_ERR_NOT_FOUND);
    assert_non_null(strstr(err.text, "golden ("));
    assert_non_null(strstr(err.text, " templates), nowhere"));
    assert_non_null(strstr(err.text, "nowhere (is not there)"));
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
    assert_int_equal(
        hone__template_read(path, "", source, strlen(source), &t, &d, NULL),
        HONE_OK);
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
        cmocka_unit_test(features_of_a_model),
        cmocka_unit_test(names_are_shared_with_care),
        cmocka_unit_test(comments_hide),
        cmocka_unit_test(mark_in_front),
        cmocka_unit_test(dims),
        cmocka_unit_test(loading),
        cmocka_unit_test(hash_covers_headers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
