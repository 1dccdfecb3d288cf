/* SPDX-License-Identifier: Apache-2.0 */
/* Members and specialists at problems that nobody tunes: see portfolio_parts.h.
 */
#include "tuner/portfolio/portfolio_parts.h"

#include "runtime/base/alloc.h"

#include <string.h>

typedef struct further_lists {
    hone_portfolio_list *lists;
    hone_tune_entry *entries;
    hone_text *labels;
    size_t n;
} further_lists;

static hone_status make_room(further_lists *out, size_t n_problems,
                             size_t n_variants, hone_error *err)
{
    *out = (further_lists){
        .lists = hone__alloc((n_problems + 1) * sizeof *out->lists),
        .entries =
            hone__alloc((n_problems * n_variants + 1) * sizeof *out->entries),
        .labels = hone__alloc((n_problems + 1) * sizeof *out->labels)};
    return out->lists && out->entries && out->labels
               ? HONE_OK
               : hone__out_of_memory(err, " for a portfolio");
}

static void free_lists(further_lists *lists, size_t n_problems)
{
    for (size_t i = 0; lists->labels && i < n_problems; ++i)
        hone__text_free(&lists->labels[i]);
    hone__free(lists->labels);
    hone__free(lists->entries);
    hone__free(lists->lists);
}

static size_t list_wanted(const hone_portfolio_run *run,
                          const unsigned char *is_wanted, hone_tune_entry *out)
{
    const hone_matrix *m = &run->matrix;
    size_t n = 0;

    for (size_t i = 0; i < run->n_members + run->n_specialists; ++i) {
        const hone_matrix_candidate *c = &m->candidates[run->members[i]];

        if (is_wanted[i])
            out[n++] = (hone_tune_entry){m->impls[c->impl], c->config};
    }
    return n;
}

/* What is tuned has a winner, who may be another then. */
static int is_tuned(const hone_matrix *m, const int64_t *dims)
{
    const size_t bytes = m->tune->tmpl->n_dims * sizeof *dims;

    for (size_t p = 0; p < m->n_problems; ++p)
        if (memcmp(m->problems[p].dims, dims, bytes) == 0)
            return 1;
    return 0;
}

hone_status hone__portfolio_measure_further(
    hone_portfolio_run *run, const int64_t (*dims)[HONE_MAX_DIMS],
    size_t n_problems, const unsigned char *is_wanted,
    hone_portfolio_list_kind kind, hone_error *err)
{
    const size_t n_variants = run->n_members + run->n_specialists;
    further_lists lists;
    hone_tune_entry *entries;
    hone_status status = make_room(&lists, n_problems, n_variants, err);

    entries = lists.entries;
    for (size_t p = 0; p < n_problems && status == HONE_OK; ++p) {
        const size_t n = list_wanted(run, &is_wanted[p * n_variants], entries);

        hone__template_label_dims(run->matrix.tune->tmpl, dims[p],
                                  &lists.labels[p]);
        status = hone__text_check(&lists.labels[p], err);
        if (n) {
            const int further = !is_tuned(&run->matrix, dims[p]);

            lists.lists[lists.n++] = (hone_portfolio_list){
                .dims = dims[p],
                .label = hone__text_str(&lists.labels[p]),
                .entries = entries,
                .n = n,
                .kind =
                    further || kind == HONE_LIST_EDGES ? kind : HONE_LIST_TIMES,
                .is_further = further};
        }
        entries += n;
    }
    if (status == HONE_OK)
        status = hone__portfolio_measure_lists(run, lists.lists, lists.n, err);
    free_lists(&lists, n_problems);
    return status;
}
