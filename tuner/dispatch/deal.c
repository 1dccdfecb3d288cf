/* SPDX-License-Identifier: Apache-2.0 */
/* See deal.h. */
#include "tuner/dispatch/deal.h"

/* Where the device was lost with the problem, another one shall try it. */
static int is_preferred(const hone_deal *deal, const hone_deal_problem *problem,
                        int device)
{
    return problem->device < 0 ||
           (problem->device != device &&
            problem->device != deal->devices[device].beside - 1);
}

static int costliest(const hone_deal *deal, int device)
{
    int best = -1;

    for (size_t i = 0; i < deal->n_problems; ++i) {
        const hone_deal_problem *p = &deal->problems[i];
        const hone_deal_problem *b = best < 0 ? NULL : &deal->problems[best];

        if (p->state != HONE_DEAL_LEFT ||
            p->model != deal->devices[device].model)
            continue;
        if (!b ||
            (is_preferred(deal, p, device) == is_preferred(deal, b, device)
                 ? p->cost_s > b->cost_s
                 : is_preferred(deal, p, device)))
            best = (int)i;
    }
    return best;
}

/* Seconds of the search for each of the devices that are at it. */
static double share_of(const hone_deal_problem *p)
{
    return p->left_s / (1 + p->n_helpers);
}

static int most_to_help(const hone_deal *deal, int device)
{
    int best = -1;

    for (size_t i = 0; i < deal->n_problems; ++i) {
        const hone_deal_problem *p = &deal->problems[i];

        if (p->state == HONE_DEAL_UNDERWAY &&
            p->model == deal->devices[device].model &&
            share_of(p) >= HONE_DEAL_LEAST_LEFT_S &&
            (best < 0 || share_of(p) > share_of(&deal->problems[best])))
            best = (int)i;
    }
    return best;
}

/* What the device's other lane is at; free: there is none, or none any more. */
static hone_deal_device_state state_beside(const hone_deal *deal, int device)
{
    const int other = deal->devices[device].beside - 1;

    return other < 0 || deal->devices[other].state == HONE_DEAL_OUT
               ? HONE_DEAL_FREE
               : deal->devices[other].state;
}

/* Each of the model's other devices will soon want a problem, too: what the
 * last of them could have at once does not wait here. */
static int is_enough_for_others(const hone_deal *deal, int device)
{
    const int model = deal->devices[device].model;
    size_t n_left = 0, n_others = 0;

    for (size_t i = 0; i < deal->n_problems; ++i)
        n_left += deal->problems[i].state == HONE_DEAL_LEFT &&
                  deal->problems[i].model == model;
    for (size_t i = 0; i < deal->n_devices; ++i) {
        const hone_deal_device *d = &deal->devices[i];
        const hone_deal_device *other =
            d->beside ? &deal->devices[d->beside - 1] : d;

        n_others +=
            d->model == model && other >= d && (int)i != device &&
            d->beside - 1 != device &&
            (d->state != HONE_DEAL_OUT || other->state != HONE_DEAL_OUT);
    }
    return n_left > n_others;
}

static int may_begin(const hone_deal *deal, int device)
{
    const int other = deal->devices[device].beside - 1;

    switch (state_beside(deal, device)) {
    case HONE_DEAL_FREE:
        return 1;
    case HONE_DEAL_BUSY:
        return deal->problems[deal->devices[other].problem].is_ending &&
               is_enough_for_others(deal, device);
    default:
        return 0;
    }
}

hone_deal_move hone__deal_next(const hone_deal *deal, int device)
{
    hone_deal_move move = {-1, 0};

    if (deal->devices[device].state != HONE_DEAL_FREE ||
        !may_begin(deal, device))
        return move;
    move.problem = costliest(deal, device);
    if (move.problem >= 0 || state_beside(deal, device) != HONE_DEAL_FREE)
        return move;
    move.problem = most_to_help(deal, device);
    move.is_loan = move.problem >= 0;
    return move;
}

void hone__deal_make(hone_deal *deal, int device, hone_deal_move move)
{
    hone_deal_problem *p = &deal->problems[move.problem];

    deal->devices[device].state =
        move.is_loan ? HONE_DEAL_LENT : HONE_DEAL_BUSY;
    deal->devices[device].problem = move.problem;
    if (move.is_loan) {
        ++p->n_helpers;
        return;
    }
    p->state = HONE_DEAL_UNDERWAY;
    p->device = device;
    p->left_s = 0;
    p->is_ending = 0;
}

static void let_helpers_go(hone_deal *deal, int problem)
{
    for (size_t i = 0; i < deal->n_devices; ++i)
        if (deal->devices[i].state == HONE_DEAL_LENT &&
            deal->devices[i].problem == problem)
            hone__deal_return(deal, (int)i, 0);
    deal->problems[problem].left_s = 0;
}

static void leave(hone_deal *deal, int device, int is_out)
{
    deal->devices[device].state = is_out ? HONE_DEAL_OUT : HONE_DEAL_FREE;
    deal->devices[device].problem = -1;
}

void hone__deal_finish(hone_deal *deal, int device)
{
    const int problem = deal->devices[device].problem;

    deal->problems[problem].state = HONE_DEAL_DONE;
    leave(deal, device, 0);
    let_helpers_go(deal, problem);
}

int hone__deal_lose(hone_deal *deal, int device, int is_out)
{
    const int problem = deal->devices[device].problem;
    hone_deal_problem *p;

    leave(deal, device, is_out);
    if (problem < 0)
        return -1;
    p = &deal->problems[problem];
    p->state =
        ++p->n_lost < HONE_DEAL_MOST_LOST ? HONE_DEAL_LEFT : HONE_DEAL_GIVEN_UP;
    let_helpers_go(deal, problem);
    return p->state == HONE_DEAL_GIVEN_UP ? problem : -1;
}

void hone__deal_take_back(hone_deal *deal, int device)
{
    const int problem = deal->devices[device].problem;

    if (deal->devices[device].state == HONE_DEAL_LENT) {
        hone__deal_return(deal, device, 1);
        return;
    }
    leave(deal, device, 1);
    if (problem < 0)
        return;
    deal->problems[problem].state = HONE_DEAL_LEFT;
    if (!deal->problems[problem].n_lost)
        deal->problems[problem].device = -1;
    let_helpers_go(deal, problem);
}

void hone__deal_return(hone_deal *deal, int device, int is_out)
{
    hone_deal_device *d = &deal->devices[device];

    if (d->problem >= 0)
        --deal->problems[d->problem].n_helpers;
    d->state = is_out ? HONE_DEAL_OUT : HONE_DEAL_FREE;
    d->problem = -1;
}

int hone__deal_can_finish(const hone_deal *deal, int problem)
{
    for (size_t i = 0; i < deal->n_devices; ++i)
        if (deal->devices[i].model == deal->problems[problem].model &&
            deal->devices[i].state != HONE_DEAL_OUT)
            return 1;
    return 0;
}

int hone__deal_is_over(const hone_deal *deal)
{
    for (size_t i = 0; i < deal->n_problems; ++i)
        if (deal->problems[i].state == HONE_DEAL_UNDERWAY ||
            (deal->problems[i].state == HONE_DEAL_LEFT &&
             hone__deal_can_finish(deal, (int)i)))
            return 0;
    return 1;
}
