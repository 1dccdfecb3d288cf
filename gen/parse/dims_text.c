/* SPDX-License-Identifier: Apache-2.0 */
/* Problem dimensions as people write them. */
#include "gen/parse/dims.h"
#include "gen/parse/suggest.h"
#include "runtime/base/type.h"

#include <ctype.h>
#include <string.h>

/* A type has its name, or its code as the library and the database have it;
 * where the dimension is a number, a type's name is a mistake. */
static int is_of_kind(const hone_template_dim *dim, const char *word,
                      size_t length)
{
    const int wants_type = dim->n_types && !dim->is_choice;
    size_t n_types = 0, n_names = 0;

    for (size_t i = 0; i < length;) {
        size_t n = 0;

        while (i + n < length &&
               (isalnum((unsigned char)word[i + n]) || word[i + n] == '_'))
            ++n;
        n_names += n > 0;
        n_types += n > 0 && hone__type_find(word + i, n) != 0;
        i += n ? n : 1;
    }
    return wants_type ? n_types <= 1 && n_names == 1 : n_types == 0;
}

static hone_status parse_one(const hone_template *tmpl,
                             const hone_template_dim *dim, const char *word,
                             size_t length, int64_t *out, hone_error *err)
{
    hone_expr *expr = NULL;
    hone_text sentence;
    hone_status status =
        hone__expr_compile(word, length, NULL, NULL, &expr, NULL, NULL);

    if (!status)
        status = hone__expr_eval(expr, NULL, out, NULL);
    hone__expr_free(expr);
    if (!status && *out == HONE_DIM_DEFAULT) /* nobody writes that */
        status = HONE_ERR_DIMS;
    if (!status && dim && !is_of_kind(dim, word, length))
        return hone__dims_refuse_kind(tmpl, dim, word, length, err);
    if (!status)
        return HONE_OK;
    if (status == HONE_ERR_NO_MEMORY)
        return hone__fail(err, status, "out of memory");
    sentence = hone__dims_sentence(tmpl);
    hone__text_printf(&sentence,
                      "'%.*s' is not a dimension; give integers (4096, 4K, 1M) "
                      "or element types (f32), separated by commas",
                      (int)length, word);
    return hone__text_fail(&sentence, HONE_ERR_DIMS, err);
}

/* A text as it is read. */
typedef struct reader {
    const hone_template *tmpl;
    const char *field; /* between two commas, without blanks around it */
    size_t length;
    size_t n;     /* fields without a name */
    int is_named; /* one with a name was read */
    int64_t *dims;
    hone_error *err;
} reader;

static hone_status refuse_field(const reader *r, size_t length,
                                const char *what, const char *more)
{
    hone_text sentence = hone__dims_sentence(r->tmpl);

    hone__text_printf(&sentence, "'%.*s' %s%s", (int)length, r->field, what,
                      more);
    return hone__text_fail(&sentence, HONE_ERR_DIMS, r->err);
}

/* Bytes of the name in `NAME = ..`; 0: there is none. */
static size_t name_length(const reader *r)
{
    size_t n = 0, at;

    while (n < r->length &&
           (isalnum((unsigned char)r->field[n]) || r->field[n] == '_'))
        ++n;
    at = n + strspn(r->field + n, " ");
    return at < r->length && r->field[at] == '=' && r->field[at + 1] != '=' ? n
                                                                            : 0;
}

static hone_status read_named(reader *r, size_t length)
{
    const size_t skipped = strcspn(r->field, "=") + 1;
    hone_suggestion s = hone__suggest(r->field, length);
    size_t i = 0;

    for (; i < r->tmpl->n_dims; ++i) {
        const char *name = r->tmpl->dims[i].name;

        if (strlen(name) == length && !memcmp(name, r->field, length))
            break;
        hone__suggest_offer(&s, name);
    }
    r->is_named = 1;
    if (i == r->tmpl->n_dims)
        return refuse_field(r, length, "is none of its dimensions",
                            hone__suggest_text(&s));
    if (r->dims[i] != HONE_DIM_DEFAULT)
        return refuse_field(r, length, "is given twice", "");
    if (skipped + strspn(r->field + skipped, " ") >= r->length)
        return refuse_field(r, length, "is given no value", "");
    return parse_one(r->tmpl, &r->tmpl->dims[i], r->field + skipped,
                     r->length - skipped, &r->dims[i], r->err);
}

static hone_status read_field(reader *r)
{
    const size_t length = name_length(r);

    if (length)
        return read_named(r, length);
    if (r->is_named)
        return refuse_field(
            r, r->length, "stands behind a dimension with a name, and has none",
            "; write NAME=VALUE");
    if (r->n == HONE_MAX_DIMS)
        return hone__dims_refuse_count(r->tmpl, r->n + 1, r->err);
    ++r->n;
    if (!r->length)
        return HONE_OK;
    return parse_one(r->tmpl,
                     r->n <= r->tmpl->n_dims ? &r->tmpl->dims[r->n - 1] : NULL,
                     r->field, r->length, &r->dims[r->n - 1], r->err);
}

hone_status hone__template_read_dims(const hone_template *tmpl,
                                     const char *text,
                                     int64_t out_dims[HONE_MAX_DIMS],
                                     size_t *out_n, hone_error *err)
{
    reader r = {.tmpl = tmpl, .dims = out_dims, .err = err};

    for (size_t i = 0; i < HONE_MAX_DIMS; ++i)
        out_dims[i] = HONE_DIM_DEFAULT;
    *out_n = 0;
    if (!text[strspn(text, " ")])
        return HONE_OK;
    for (;;) {
        text += strspn(text, " ");
        r.field = text;
        r.length = strcspn(text, ",");
        text += r.length;
        while (r.length && r.field[r.length - 1] == ' ')
            --r.length;
        HONE_TRY(read_field(&r));
        if (!*text)
            break;
        ++text;
    }
    *out_n = r.is_named && r.n < tmpl->n_dims ? tmpl->n_dims : r.n;
    return HONE_OK;
}

hone_status hone__template_parse_dims(const hone_template *tmpl,
                                      const char *text,
                                      int64_t out_dims[HONE_MAX_DIMS],
                                      hone_error *err)
{
    int64_t dims[HONE_MAX_DIMS];
    size_t n = 0;

    HONE_TRY(hone__template_read_dims(tmpl, text, dims, &n, err));
    return hone__template_complete_dims(tmpl, dims, n, out_dims, err);
}
