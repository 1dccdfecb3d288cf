/* SPDX-License-Identifier: Apache-2.0 */
/* The default: a portfolio of the two strategies that score best, which take
 * turns and learn from each other's trials. Where one of them is misled the
 * other is not; README.md has the evidence. Every sixth trial explores: far
 * from all that is known, whatever the two believe. A space that fits the
 * budget is left to 'exhaustive', whose order lets neighbours share compiles
 * and which may be asked any number of trials ahead. */
#include "tuner/search/strategy.h"

static const char *const names[] = {"variable", "forest"};
enum {
    N_SPREAD = 6, /* 4 to 12 score the same; small budgets like fewer */
    N_MEMBERS = sizeof names / sizeof names[0],
    EXPLORES = 6,  /* every so many-th trial; the rarer, the worse the worst */
    TAGS = 1 << 20 /* of each member; they use few */
};

typedef struct member {
    const hone_strategy *strategy;
    void *state;
} member;

typedef struct portfolio {
    member members[N_MEMBERS];
    size_t turn;
    int64_t n_asked;
} portfolio;

static hone_status start(hone_search *search, hone_error *err)
{
    portfolio *p = search->state;

    if (search->budget_trials >= search->space.count) {
        search->strategy = hone__strategy_find("exhaustive");
        search->n_spread = 0;
        return HONE_OK;
    }
    for (size_t i = 0; i < N_MEMBERS; ++i) {
        const hone_strategy *strategy = hone__strategy_find(names[i]);

        search->state = hone__search_alloc(search, strategy->state_bytes, err);
        p->members[i] = (member){strategy, search->state};
        HONE_TRY(search->state ? strategy->start(search, err)
                               : HONE_ERR_NO_MEMORY);
    }
    search->state = p;
    return HONE_OK;
}

static int64_t propose(hone_search *search)
{
    portfolio *p = search->state;
    size_t turn;
    int64_t index;

    if (++p->n_asked % EXPLORES == 0)
        return hone__search_far(search);
    turn = p->turn++ % N_MEMBERS;
    search->state = p->members[turn].state;
    index = p->members[turn].strategy->propose(search);
    search->state = p;
    if (search->tag)
        search->tag += (int)turn * TAGS;
    return index;
}

/* Each member sees the tags of its own proposals alone. */
static void learn(hone_search *search, int64_t slot)
{
    portfolio *p = search->state;
    hone_search_trial *trial = &search->trials[slot];
    const int tag = trial->tag;

    for (size_t i = 0; i < N_MEMBERS; ++i) {
        search->state = p->members[i].state;
        trial->tag = tag / TAGS == (int)i ? tag % TAGS : 0;
        p->members[i].strategy->learn(search, slot);
    }
    trial->tag = tag;
    search->state = p;
}

const hone_strategy hone__strategy_auto = {
    .name = "auto",
    .summary = "in turns 'variable' and 'forest', one in six far from all that "
               "is known; in order if the space fits the budget",
    .n_spread = N_SPREAD,
    .state_bytes = sizeof(portfolio),
    .start = start,
    .propose = propose,
    .learn = learn,
};
