/* SPDX-License-Identifier: Apache-2.0 */
/* Wrong elements in words: see wrong.h. */
#include "tuner/judge/wrong.h"

#include "runtime/base/type.h"
#include "tuner/judge/check_data.h"

#include <math.h>

void hone__wrong_place(const hone_wrong *wrong, int64_t index, hone_text *out)
{
    int64_t rest = index / wrong->n_parts;
    int64_t at[HONE_MAX_RANK] = {0};

    for (int i = wrong->n_dims - 1; i > 0; --i) {
        at[i] = rest % wrong->dims[i];
        rest /= wrong->dims[i];
    }
    at[0] = rest;
    for (int i = 0; i < wrong->n_dims; ++i)
        hone__text_printf(out, "[%lld]", (long long)at[i]);
    if (wrong->n_parts == 2)
        hone__text_puts(out, index % 2 ? ".imag" : ".real");
}

void hone__wrong_value(const hone_wrong *wrong, double value,
                       int64_t value_long, hone_text *out)
{
    if (wrong->type == HONE_TYPE_I64)
        hone__text_printf(out, "%lld", (long long)value_long);
    else if (wrong->type == HONE_TYPE_U64)
        hone__text_printf(out, "%llu", (unsigned long long)value_long);
    else if (isnan(value))
        hone__text_puts(out, "nan");
    else
        hone__text_printf(out, "%.*g", wrong->type == HONE_TYPE_F64 ? 17 : 9,
                          value);
}

void hone__wrong_sentence(const hone_wrong *wrong,
                          const hone_wrong_element *element, hone_text *out)
{
    const double off = fabs(element->got - element->expected);

    hone__text_puts(out, wrong->array);
    hone__wrong_place(wrong, element->index, out);
    hone__text_puts(out, " = ");
    hone__wrong_value(wrong, element->got, element->got_long, out);
    hone__text_puts(out, ", expected ");
    hone__wrong_value(wrong, element->expected, element->expected_long, out);
    if (off > 0 || element->bound > 0)
        hone__text_printf(out, ", off by %.3g (allowed %.3g)", off,
                          element->bound);
    else if (isnan(element->got))
        hone__text_puts(out, ": NaN, or it was never written");
}
