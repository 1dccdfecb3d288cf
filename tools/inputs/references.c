/* SPDX-License-Identifier: Apache-2.0 */
/* The table of CPU references. A new one is a function with its cost in
 * templates/reference.c, and a row here. */
#include "tools/inputs/references.h"

#include "templates/reference.h"

#define F8_TYPES(out)                                                          \
    "e4m3 e4m3 " out " f32 f32 f32 f32|e4m3 e5m2 " out " f32 f32 f32 f32|"     \
    "e5m2 e4m3 " out " f32 f32 f32 f32|e5m2 e5m2 " out " f32 f32 f32 f32"

/* X(name in the template, whether its elements are computed apart from each
 * other, types of the arguments, what it computes) */
#define REFERENCE_MAP(X)                                                       \
    X(saxpy, 1, "f32 f32 f32|f64 f64 f64",                                     \
      "y = alpha*x + y; arguments alpha, x, y")                                \
    X(sum, 0, "f32 f32", "out[0] = sum of x; arguments x, out")                \
    X(gemm, 1,                                                                 \
      "f16 f16 f32 f32 f32 f32|bf16 bf16 f32 f32 f32 f32|"                     \
      "f16 f16 f16 f32 f32 f16|bf16 bf16 bf16 f32 f32 bf16|"                   \
      "f32 f32 f32 f32 f32 f32|tf32 tf32 f32 f32 f32 f32|f64 f64 f64 f32 f32 " \
      "f64",                                                                   \
      "C = f(alpha*op(A)*op(B) + beta*C), row-major; dimensions M, N, K, "     \
      "type, type of C, TRANS_A, TRANS_B, LDA, LDB, LDC, BATCH, STRIDE_A, "    \
      "STRIDE_B, STRIDE_C, ADD, EPILOGUE, EMULATED; arguments A, B, C, "       \
      "alpha, beta, bias")                                                     \
    X(gemm_f8, 1, F8_TYPES("f32") "|" F8_TYPES("f16") "|" F8_TYPES("bf16"),    \
      "as gemm, of 8-bit floats; dimensions M, N, K, types of A, B and C, "    \
      "TRANS_A, TRANS_B, LDA, LDB, LDC, BATCH, SCALES, FAST, ADD; arguments "  \
      "A, B, C, alpha, beta, scale_a, scale_b")                                \
    X(scan, 0, "f16 f16 i32|f32 f32 i32|i32 i32 i32",                          \
      "y[i] = sum of x up to x[i], or in front of it; arguments x, y, "        \
      "exclusive")                                                             \
    X(conv1d, 1, "f32 f32 f32",                                                \
      "y[i] = sum over k of h[k]*x[i-k]; dimensions n, taps; arguments x, "    \
      "h, y")                                                                  \
    X(fft, 0, "c32 c32",                                                       \
      "batch transforms of n, unscaled; dimensions n, batch, direction (1 "    \
      "forward, 2 inverse), STRIDE, DISTANCE; arguments x, y")                 \
    X(fft_filter, 0, "c32 c32 c32",                                            \
      "inverse transforms of h times the forward transforms of x, unscaled; "  \
      "dimensions n, batch; arguments x, h, y")

#define TABLE_ROW(name, is_apart, types, summary)                              \
    {#name,                                                                    \
     {hone_reference_##name},                                                  \
     hone_reference_##name##_cost,                                             \
     types,                                                                    \
     is_apart},
static const hone_reference table[] = {REFERENCE_MAP(TABLE_ROW)};
#undef TABLE_ROW

#define SUMMARY(name, is_apart, types, summary) summary ", of the types " types,
static const char *const summaries[] = {REFERENCE_MAP(SUMMARY)};
#undef SUMMARY

enum { N_REFERENCES = sizeof table / sizeof table[0] };

const hone_reference *hone__references(size_t *out_n)
{
    *out_n = N_REFERENCES;
    return table;
}

int hone__reference_about(size_t i, const char **out_name,
                          const char **out_summary)
{
    if (i >= N_REFERENCES)
        return 0;
    *out_name = table[i].name;
    *out_summary = summaries[i];
    return 1;
}
