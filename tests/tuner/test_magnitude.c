/* SPDX-License-Identifier: Apache-2.0 */
/* The magnitude of an element is a bound, and not a loose one: on random
 * expressions that read every input once, so that all their roundings are
 * those of slightly other inputs. Truth is computed in double, with the exact
 * derivatives. */
#include "tuner/judge/check_data.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_INPUTS = 8, MOST_NODES = 64, SEEDS = 20000 };

typedef struct node {
    char op; /* x + - * / r: the root of |left| */
    int left;
    int right;
} node;

/* The last node is the result. */
typedef struct tree {
    int n_inputs;
    int n_nodes;
    int n_roundings; /* in a row, at most */
    node nodes[MOST_NODES];
} tree;

static uint64_t random_state;

static int random_below(int n)
{
    random_state = hone__inputs_mix(random_state);
    return (int)(random_state % (uint64_t)n);
}

static int push(tree *t, char op, int left, int right)
{
    t->nodes[t->n_nodes] = (node){op, left, right};
    return t->n_nodes++;
}

/* Join two open ends after the other until one is left. */
static void make_tree(tree *t, const char *ops)
{
    int open[MOST_INPUTS];
    int n;

    memset(t, 0, sizeof *t);
    t->n_inputs = n = 2 + random_below(MOST_INPUTS - 1);
    for (int i = 0; i < n; ++i)
        open[i] = push(t, 'x', i, i);
    while (n > 1) {
        const int a = random_below(n);
        const int left = open[a];
        int b;

        open[a] = open[--n];
        b = random_below(n);
        open[b] = push(t, ops[random_below((int)strlen(ops))], left, open[b]);
        ++t->n_roundings;
        if (strchr(ops, '/') && random_below(4) == 0) {
            open[b] = push(t, 'r', open[b], open[b]);
            t->n_roundings += 2; /* what it is taken of counts half */
        }
    }
}

static float in_float(const tree *t, const float *x)
{
    volatile float v[MOST_NODES] = {0};

    for (int i = 0; i < t->n_nodes; ++i) {
        const node *n = &t->nodes[i];
        const float a = n->op == 'x' ? x[n->left] : v[n->left];
        const float b = n->op == 'x' ? 0 : v[n->right];

        v[i] = n->op == 'x'   ? a
               : n->op == '+' ? a + b
               : n->op == '-' ? a - b
               : n->op == '*' ? a * b
               : n->op == '/' ? a / b
                              : (float)sqrt((double)fabsf(a));
    }
    return v[t->n_nodes - 1];
}

/* In double: the value, the 1-norm and the 2-norm of x df/dx, and how
 * ill-conditioned the worst divisor or radicand is. */
typedef struct truth {
    double value, norm1, norm2, worst;
} truth;

static double norm1_of(const double *g, int n)
{
    double sum = 0;

    for (int i = 0; i < n; ++i)
        sum += fabs(g[i]);
    return sum;
}

static truth in_double(const tree *t, const float *x)
{
    static double g[MOST_NODES][MOST_INPUTS];
    double v[MOST_NODES] = {0};
    truth out = {0, 0, 0, 0};
    const int last = t->n_nodes - 1;

    memset(g, 0, sizeof g);
    for (int i = 0; i <= last; ++i) {
        const node *n = &t->nodes[i];
        const double a = n->op == 'x' ? (double)x[n->left] : v[n->left];
        const double b = n->op == 'x' ? 0 : v[n->right];
        const int at_risk = n->op == '/' ? n->right : n->left;

        v[i] = n->op == 'x'   ? a
               : n->op == '+' ? a + b
               : n->op == '-' ? a - b
               : n->op == '*' ? a * b
               : n->op == '/' ? a / b
                              : sqrt(fabs(a));
        if (n->op == 'x')
            g[i][n->left] = a;
        for (int k = 0; n->op != 'x' && k < t->n_inputs; ++k) {
            const double da = g[n->left][k], db = g[n->right][k];

            g[i][k] = n->op == '+'   ? da + db
                      : n->op == '-' ? da - db
                      : n->op == '*' ? da * b + db * a
                      : n->op == '/' ? da / b - db * a / (b * b)
                                     : copysign(da, a * da) / (2 * v[i]);
        }
        if (n->op == '/' || n->op == 'r')
            out.worst = fmax(out.worst, norm1_of(g[at_risk], t->n_inputs) /
                                            fabs(v[at_risk]));
    }
    out.value = v[last];
    out.norm1 = norm1_of(g[last], t->n_inputs);
    for (int k = 0; k < t->n_inputs; ++k)
        out.norm2 += g[last][k] * g[last][k];
    out.norm2 = sqrt(out.norm2);
    return out;
}

/* As a device does it: all by running the reference in float. */
static double magnitude_of(const tree *t, const float *x, uint64_t seed)
{
    const double step = hone__magnitude_step(HONE_TYPE_F32);
    const double value = (double)in_float(t, x);
    double squares = 0;

    for (uint64_t run = 0; run < HONE_MAGNITUDE_RUNS; ++run) {
        float moved[MOST_INPUTS];

        for (int i = 0; i < t->n_inputs; ++i)
            moved[i] = (float)hone__magnitude_perturbed(
                (double)x[i],
                hone__inputs_mix(
                    hone__inputs_seed(seed, (size_t)i, HONE_PASS_REALS) + run +
                    1),
                0, step);
        squares +=
            hone__magnitude_square(value, (double)in_float(t, moved), step);
    }
    return hone__magnitude(value, squares);
}

static void make_inputs(const tree *t, uint64_t seed, float *x)
{
    const hone_draw draw = {.kind = HONE_DRAW_UNIFORM, .low = -1, .high = 1};

    for (int i = 0; i < t->n_inputs; ++i)
        x[i] = (float)hone__inputs_value(
            &draw, hone__inputs_seed(seed, (size_t)i, HONE_PASS_REALS), 0);
}

/* `n_used`: seeds where the result is smooth at the scale of a step. */
static void try_expressions(const char *ops, double loosest, int *n_used)
{
    *n_used = 0;
    for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
        float x[MOST_INPUTS];
        tree t;
        truth is;
        double m, error;

        random_state = seed;
        make_tree(&t, ops);
        make_inputs(&t, seed, x);
        is = in_double(&t, x);
        m = magnitude_of(&t, x, seed);
        error = fabs((double)in_float(&t, x) - is.value);
        if (is.worst > 100)
            continue;
        ++*n_used;
        if (error > t.n_roundings * 0x1p-24 * m)
            fail_msg("seed %d: the error %g is %g of the magnitude", (int)seed,
                     error, error / m);
        if (m < is.norm2)
            fail_msg("seed %d: %g is below the norm %g", (int)seed, m,
                     is.norm2);
        if (m > loosest * fmax(is.norm1, fabs(is.value)))
            fail_msg("seed %d: %g is far above %g", (int)seed, m, is.norm1);
    }
}

static void bounds_every_expression(void **state)
{
    int n_used;

    (void)state;
    try_expressions("+-*/", 25, &n_used);
    assert_true(n_used > SEEDS * 3 / 4);
}

/* Where terms only add up, most results cancel at least partly. */
static void bounds_sums_that_cancel(void **state)
{
    int n_used;

    (void)state;
    try_expressions("+-", 25, &n_used);
    assert_int_equal(n_used, SEEDS);
}

/* A long sum of one sign: its terms act together, and no 2-norm of theirs
 * would say so where as much is subtracted in the end. */
static void sees_terms_that_act_together(void **state)
{
    enum { N = 4096 };
    const double step = hone__magnitude_step(HONE_TYPE_F64);
    double squares = 0;

    (void)state;
    for (uint64_t run = 0; run < HONE_MAGNITUDE_RUNS; ++run) {
        double moved = 0;

        for (uint64_t i = 0; i < N; ++i)
            moved +=
                hone__magnitude_perturbed(i < N / 2 ? 1 : -1, run, i, step);
        squares += hone__magnitude_square(0, moved, step);
    }
    /* The 1-norm is N, the 2-norm 64. */
    assert_true(hone__magnitude(0, squares) > N);
    assert_true(hone__magnitude(0, squares) < 25 * N);
}

static void what_is_no_number_does_not_count(void **state)
{
    (void)state;
    assert_true(hone__magnitude_square(1, NAN, 0.5) == 0);
    assert_true(hone__magnitude_square(1, INFINITY, 0.5) == 0);
    assert_true(hone__magnitude_square(1, 2, 0.5) == 4);
    assert_true(hone__magnitude(-3, 0) == 3);
    assert_true(hone__magnitude_step(HONE_TYPE_I32) == 0);
    assert_true(hone__magnitude_step(HONE_TYPE_F16) >
                hone__magnitude_step(HONE_TYPE_F32));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_every_expression),
        cmocka_unit_test(bounds_sums_that_cancel),
        cmocka_unit_test(sees_terms_that_act_together),
        cmocka_unit_test(what_is_no_number_does_not_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
