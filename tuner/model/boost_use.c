/* SPDX-License-Identifier: Apache-2.0 */
/* Grown trees: asked, written as text and read back. */
#include "tuner/model/boost_parts.h"

#include "runtime/base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TREES = 100000 };

hone_status hone__boost_create(size_t n_features, int n_trees, int depth,
                               hone_boost **out, hone_error *err)
{
    hone_boost *b = hone__alloc(sizeof *b);

    *out = b;
    if (b) {
        b->n_features = n_features;
        b->n_trees = n_trees;
        b->nodes_of_tree = (1 << (depth + 1)) - 1;
        b->nodes = hone__alloc((size_t)n_trees * (size_t)b->nodes_of_tree *
                               sizeof *b->nodes);
        if (b->nodes)
            return HONE_OK;
    }
    hone__boost_free(b);
    *out = NULL;
    return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
}

void hone__boost_free(hone_boost *boost)
{
    if (boost)
        hone__free(boost->nodes);
    hone__free(boost);
}

float hone__boost_value_of(const hone_boost_node *tree, const float *row)
{
    const hone_boost_node *node = tree;

    while (node->feature >= 0)
        node = tree + node->child + (row[node->feature] >= node->below);
    return node->value;
}

double hone__boost_predict(const hone_boost *b, const float *row)
{
    double sum = b->mean;

    for (int t = 0; t < b->n_trees; ++t)
        sum += (double)hone__boost_value_of(
            b->nodes + (size_t)t * (size_t)b->nodes_of_tree, row);
    return sum;
}

/* ---- text ---------------------------------------------------------------- */

/* How many nodes a tree has: children lie behind their parents. */
static int nodes_in(const hone_boost_node *tree)
{
    int last = 0;

    for (int i = 0; i <= last; ++i) {
        if (tree[i].feature >= 0 && tree[i].child + 1 > last)
            last = tree[i].child + 1;
    }
    return last + 1;
}

/* trees N DEPTH MEAN, then of each tree its nodes: a cut as FEATURE CHILD
 * BELOW, a leaf as - VALUE. */
void hone__boost_write(const hone_boost *b, hone_text *out)
{
    int depth = 0;

    while ((1 << (depth + 1)) - 1 < b->nodes_of_tree)
        ++depth;
    hone__text_printf(out, "trees %d %d %.17g\n", b->n_trees, depth, b->mean);
    for (int t = 0; t < b->n_trees; ++t) {
        const hone_boost_node *const tree =
            b->nodes + (size_t)t * (size_t)b->nodes_of_tree;
        const int n = nodes_in(tree);

        hone__text_printf(out, "tree %d", n);
        for (int i = 0; i < n; ++i) {
            if (tree[i].feature < 0)
                hone__text_printf(out, " - %.9g", (double)tree[i].value);
            else
                hone__text_printf(out, " %d %d %.9g", tree[i].feature,
                                  tree[i].child, (double)tree[i].below);
        }
        hone__text_puts(out, "\n");
    }
}

typedef struct reader {
    const char *at;
    int failed;
} reader;

static void take_word(reader *r, const char *word)
{
    const size_t length = strlen(word);

    r->failed |= strncmp(r->at, word, length) != 0;
    r->at += r->failed ? 0 : length;
}

/* A number in low .. high; strtod() takes any locale's own point alone, so
 * numbers are read where LC_NUMERIC is C, which is where hone runs. */
static double take_number(reader *r, double low, double high)
{
    char *end = NULL;
    const double x = strtod(r->at, &end);

    r->failed |= end == r->at || !(x >= low && x <= high);
    r->at = end && !r->failed ? end : r->at;
    return r->failed ? 0 : x;
}

static int take_int(reader *r, int low, int high)
{
    const double x = take_number(r, low, high);

    r->failed |= x != floor(x);
    return r->failed ? 0 : (int)x;
}

static void read_node(reader *r, const hone_boost *b, hone_boost_node *node,
                      int place, int n)
{
    take_word(r, " ");
    if (!r->failed && strncmp(r->at, "- ", 2) == 0) {
        r->at += 2;
        node->feature = -1;
        node->value = (float)take_number(r, -1e6, 1e6);
        return;
    }
    node->feature = take_int(r, 0, (int)b->n_features - 1);
    /* Behind its parent: there is no way round. */
    node->child = take_int(r, place + 1, n - 2);
    node->below = (float)take_number(r, -1e30, 1e30);
}

hone_status hone__boost_read(const char **cursor, size_t n_features,
                             hone_boost **out, hone_error *err)
{
    reader r = {.at = *cursor};
    int n_trees, depth;
    double mean;

    *out = NULL;
    take_word(&r, "trees");
    n_trees = take_int(&r, 1, MOST_TREES);
    depth = take_int(&r, 1, HONE_BOOST_MOST_DEPTH);
    mean = take_number(&r, -1e6, 1e6);
    take_word(&r, "\n");
    if (!r.failed && n_features > 0)
        HONE_TRY(hone__boost_create(n_features, n_trees, depth, out, err));
    for (int t = 0; *out && !r.failed && t < n_trees; ++t) {
        hone_boost_node *const tree =
            (*out)->nodes + (size_t)t * (size_t)(*out)->nodes_of_tree;
        int n;

        take_word(&r, "tree");
        n = take_int(&r, 1, (*out)->nodes_of_tree);
        for (int i = 0; !r.failed && i < n; ++i)
            read_node(&r, *out, &tree[i], i, n);
        take_word(&r, "\n");
    }
    if (*out && !r.failed) {
        (*out)->mean = mean;
        *cursor = r.at;
        return HONE_OK;
    }
    hone__boost_free(*out);
    *out = NULL;
    return hone__fail(err, HONE_ERR_INPUT,
                      "this is no text of trees that hone wrote");
}
