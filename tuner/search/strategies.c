/* SPDX-License-Identifier: Apache-2.0 */
/* The strategies there are, and their order in help and tables. */
#include "tuner/search/strategy.h"

#include <string.h>

/* One row each; the file that defines it has its name. */
#define STRATEGIES(row)                                                        \
    row(auto) row(exhaustive) row(random) row(latin) row(local) row(annealing) \
        row(dual_annealing) row(genetic) row(differential) row(swarm)          \
            row(variable) row(forest)

#define DECLARE(name) extern const hone_strategy hone__strategy_##name;
STRATEGIES(DECLARE)

#define POINTER(name) &hone__strategy_##name,
static const hone_strategy *const strategies[] = {STRATEGIES(POINTER)};
enum { N_STRATEGIES = sizeof strategies / sizeof strategies[0] };

const hone_strategy *hone__strategy_find(const char *name)
{
    for (size_t i = 0; i < N_STRATEGIES; ++i)
        if (strcmp(strategies[i]->name, name) == 0)
            return strategies[i];
    return NULL;
}

int hone__search_strategy(size_t i, const char **out_name,
                          const char **out_summary)
{
    if (i >= N_STRATEGIES)
        return 0;
    *out_name = strategies[i]->name;
    *out_summary = strategies[i]->summary;
    return 1;
}

#define NAME(name) ", " #name
const char *hone__search_names(void)
{
    static const char names[] = STRATEGIES(NAME);

    return names + 2;
}
