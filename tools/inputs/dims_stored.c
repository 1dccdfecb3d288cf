/* SPDX-License-Identifier: Apache-2.0 */
/* --dims as the database has them: see dims_stored.h. */
#include "tools/inputs/dims_stored.h"

#include "runtime/expr/expr.h"
#include "tools/inputs/inputs.h"

#include <string.h>

/* As the database spells it: numbers, of types their codes. What is left out
 * at the end may be anything. */
hone_status hone__dims_spell(const char *text, hone_text *out, hone_error *err)
{
    for (const char *word = text;;) {
        const size_t length = strcspn(word, ",");
        hone_expr *expr = NULL;
        int64_t value = -1;

        if (hone__expr_compile(word, length, NULL, NULL, &expr, NULL, NULL) ==
            HONE_OK)
            (void)hone__expr_eval(expr, NULL, &value, NULL);
        hone__expr_free(expr);
        if (value < 0)
            return hone__fail(err, HONE_ERR_DIMS,
                              "--dims '%s': '%.*s' is neither a size nor an "
                              "element type",
                              text, (int)length, word);
        hone__text_printf(out, "%s%lld", out->length ? "," : "",
                          (long long)value);
        if (!word[length])
            return hone__text_check(out, err);
        word += length + 1;
    }
}

/* As `hone tune` would take them, by the operation's templates: defaults
 * filled in, names. 0: there are no such templates here. */
static int complete_dims(const hone_options *options, const char *op,
                         hone_text *out, hone_status *status, hone_error *err)
{
    hone_implementations impls = {0};
    hone_error ignored = {0};
    int64_t dims[HONE_MAX_DIMS];
    int given = 0, known;

    if (!op)
        return 0;
    known =
        hone__load_implementations(options, op, &impls, &ignored) == HONE_OK &&
        impls.n > 0;
    if (known) {
        *status = hone__load_dims(options, impls.items[0], dims, &given, err);
        for (size_t i = 0; *status == HONE_OK && i < impls.items[0]->n_dims;
             ++i)
            hone__text_printf(out, "%s%lld", i ? "," : "", (long long)dims[i]);
        if (*status == HONE_OK)
            *status = hone__text_check(out, err);
    }
    hone__implementations_free(&impls);
    return known;
}

hone_status hone__dims_stored(const hone_options *options, const char *op,
                              hone_text *out, hone_error *err)
{
    hone_status status = HONE_OK;

    if (!options->text[HONE_OPT_DIMS] ||
        complete_dims(options, op, out, &status, err))
        return status;
    return hone__dims_spell(options->text[HONE_OPT_DIMS], out, err);
}
