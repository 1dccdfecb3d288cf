/* SPDX-License-Identifier: Apache-2.0 */
/* The choice among predicted times: see chooser.h. */
#include "runtime/choose/chooser.h"

#include <math.h>

/* The shortest of those with both flags; the first of equal ones. */
static int find_best(const hone_chooser_guesses *guesses,
                     const unsigned char *may, const unsigned char *also)
{
    int best = HONE_CHOOSER_NOBODY;

    for (size_t i = 0; i < guesses->n; ++i) {
        const hone_chooser_guess *guess = &guesses->of[i];

        if (!(guess->doubt >= 0) || !isfinite(guess->log_ns) ||
            (may && !may[i]) || (also && !also[i]))
            continue;
        if (best < 0 || guess->log_ns < guesses->of[best].log_ns)
            best = (int)i;
    }
    return best;
}

void hone__chooser_decide(const hone_chooser_guesses *guesses,
                          const unsigned char *may, const unsigned char *safe,
                          hone_chooser_decision *out)
{
    const hone_chooser_guess *of = guesses->of;
    int instead;

    *out = (hone_chooser_decision){.gain_doubt = guesses->gain_doubt};
    out->member = out->best = find_best(guesses, may, NULL);
    out->safe = HONE_CHOOSER_NOBODY;
    if (out->best < 0)
        return;
    instead = safe ? find_best(guesses, may, safe) : HONE_CHOOSER_NOBODY;
    if (instead >= 0 && instead != out->best) {
        const double gain = of[instead].log_ns - of[out->best].log_ns;

        out->safe = instead;
        out->gain = 1 - exp(-gain);
        if (!(gain > guesses->gain_doubt))
            out->member = instead;
    }
    out->time_ns = exp(of[out->member].log_ns);
    out->doubt = of[out->member].doubt;
}
