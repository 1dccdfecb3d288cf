/* SPDX-License-Identifier: Apache-2.0 */
/* The choice among predicted times: see chooser.h. */
#include "runtime/choose/chooser.h"

#include <math.h>

/* The first of equal ones stays. */
static int is_shorter(const hone_chooser_guesses *guesses, size_t i, int than)
{
    return than < 0 || guesses->of[i].log_ns < guesses->of[than].log_ns;
}

void hone__chooser_decide(const hone_chooser_guesses *guesses,
                          const unsigned char *may, const unsigned char *safe,
                          hone_chooser_decision *out)
{
    const hone_chooser_guess *of = guesses->of;
    int best = HONE_CHOOSER_NOBODY;
    int instead = HONE_CHOOSER_NOBODY; /* the best of the safe ones */

    *out = (hone_chooser_decision){.gain_doubt = guesses->gain_doubt,
                                   .safe = HONE_CHOOSER_NOBODY};
    for (size_t p = 0; p < guesses->n_predicted; ++p) {
        const size_t i = guesses->predicted[p];

        if (may && !may[i])
            continue;
        if (is_shorter(guesses, i, best))
            best = (int)i;
        if (safe && safe[i] && is_shorter(guesses, i, instead))
            instead = (int)i;
    }
    out->member = out->best = best;
    if (best < 0)
        return;
    if (instead >= 0 && instead != best) {
        const double gain = of[instead].log_ns - of[best].log_ns;

        out->safe = instead;
        out->gain = 1 - exp(-gain);
        if (!(gain > guesses->gain_doubt))
            out->member = instead;
    }
    out->time_ns = exp(of[out->member].log_ns);
    out->doubt = of[out->member].doubt;
}
