/* SPDX-License-Identifier: Apache-2.0 */
/* The table of CPU references. A new one is a function with its cost in
 * templates/reference.c, and a row here. */
#include "tools/references.h"

#include "templates/reference.h"

/* X(name in the template, what it computes) */
#define REFERENCE_MAP(X)                                                       \
    X(saxpy, "y = alpha*x + y; arguments alpha, x, y")                         \
    X(sum, "out[0] = sum of x; arguments x, out, both f32")                    \
    X(gemm_f16,                                                                \
      "C = alpha*A*B + beta*C, row-major, C in f32; arguments A, B, "          \
      "C, alpha, beta")                                                        \
    X(gemm_sm90, "C = op(A)*op(B), row-major, f16 or bf16; dimensions M, N, "  \
                 "K, type, TRANS_A, TRANS_B; arguments A, B, C")               \
    X(scan, "y[i] = sum of x up to x[i], or in front of it; f16, f32 or i32; " \
            "arguments x, y, exclusive")                                       \
    X(conv1d, "y[i] = sum over k of h[k]*x[i-k], f32; dimensions n, taps; "    \
              "arguments x, h, y")                                             \
    X(fft, "batch transforms of n c32, unscaled; dimensions n, batch, "        \
           "direction (1 forward, 2 inverse); arguments x, y")                 \
    X(fft_filter,                                                              \
      "inverse transforms of h times the forward transforms of x, "            \
      "c32, unscaled; dimensions n, batch; arguments x, h, y")

#define TABLE_ROW(name, summary)                                               \
    {#name, {hone_reference_##name}, hone_reference_##name##_cost},
static const hone_reference table[] = {REFERENCE_MAP(TABLE_ROW)};
#undef TABLE_ROW

#define SUMMARY(name, summary) summary,
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
