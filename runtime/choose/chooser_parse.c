/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a chooser. Nothing in it is believed: every number is looked at,
 * and no locale is asked how it is written. See chooser.h. */
#include "runtime/choose/chooser.h"

#include <math.h>
#include <string.h>

/* A line and what is read of it so far. */
typedef struct chooser_reader {
    hone_chooser *chooser; /* NULL: not before its first members are counted */
    hone_error *err;
    size_t line;
    const char *at;  /* in the text, behind what was read */
    const char *end; /* of the line */
    size_t n_members, n_problems;
    size_t n_dims;
    int64_t version;
} chooser_reader;

/* Which line says enough of a text that machines write and read. */
static hone_status fail(const chooser_reader *r)
{
    return hone__fail(r->err, HONE_ERR_INPUT,
                      "this hone cannot read it from line %zu on; `hone tune "
                      "OP --portfolio` makes it anew",
                      r->line);
}

/* ---- words ---------------------------------------------------------------
 */

typedef struct word {
    const char *text;
    size_t length;
} word;

/* The next one; empty at the end of the line. */
static word next_word(chooser_reader *r)
{
    word w = {r->at, 0};

    while (w.text + w.length < r->end && w.text[w.length] != ' ')
        ++w.length;
    r->at = w.text + w.length;
    r->at += r->at < r->end; /* the one blank */
    return w;
}

static int is_word(word w, const char *text)
{
    return strlen(text) == w.length && memcmp(w.text, text, w.length) == 0;
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* All of it as a number that is not negative. */
static int read_integer(word w, int64_t *out)
{
    int64_t value = 0;

    for (size_t i = 0; i < w.length; ++i)
        if (!is_digit(w.text[i]) || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, w.text[i] - '0', &value))
            return 0;
    *out = value;
    return w.length > 0;
}

/* "12345.6", "1e-05": a decimal that is not negative, below 1e18; 0: it is
 * none. */
static int read_number(word w, double *out)
{
    int64_t exponent = 0;
    int scale = 0;
    int n_points = 0;
    size_t n = 0, i = 0;

    *out = 0;
    for (; i < w.length &&
           (is_digit(w.text[i]) || (w.text[i] == '.' && !n_points));
         ++i) {
        if (w.text[i] == '.') {
            n_points = 1;
            continue;
        }
        *out = *out * 10 + (w.text[i] - '0');
        scale -= n_points;
        ++n;
    }
    if (i < w.length && w.text[i] == 'e') {
        const int is_negative = w.text[i + 1] == '-';

        i += is_negative || w.text[i + 1] == '+' ? 2 : 1;
        if (!read_integer((word){w.text + i, w.length - i}, &exponent) ||
            exponent > 99)
            return 0;
        scale += (int)(is_negative ? -exponent : exponent);
        i = w.length;
    }
    for (double ten = 10; scale; scale /= 2, ten *= ten)
        if (scale % 2)
            *out = scale < 0 ? *out / ten : *out * ten;
    return n && i == w.length && *out < 1e18;
}

/* The next word, as a number from `low` to `high`. */
static hone_status read_ranged(chooser_reader *r, double low, double high,
                               double *out)
{
    if (read_number(next_word(r), out) && *out >= low && *out <= high)
        return HONE_OK;
    return fail(r);
}

static hone_status read_dims(chooser_reader *r, int64_t *out)
{
    word all = next_word(r);

    for (size_t i = 0; i < r->n_dims; ++i) {
        word w = {all.text, 0};

        while (w.length < all.length && w.text[w.length] != ',')
            ++w.length;
        if (!read_integer(w, &out[i]) ||
            (w.length < all.length) != (i + 1 < r->n_dims))
            return fail(r);
        all.text += w.length + (w.length < all.length);
        all.length -= w.length + (w.length < all.length);
    }
    return HONE_OK;
}

/* The number of a member. */
static hone_status read_member(chooser_reader *r, size_t *out)
{
    int64_t number;

    if (!read_integer(next_word(r), &number) ||
        (uint64_t)number >= r->chooser->n_members)
        return fail(r);
    *out = (size_t)number;
    return HONE_OK;
}

/* ---- statements ----------------------------------------------------------
 */

static hone_status read_a_member(chooser_reader *r)
{
    hone_chooser_member *m = &r->chooser->members[r->n_members];
    int64_t number;
    word w;

    if (!read_integer(next_word(r), &number) ||
        (uint64_t)number != r->n_members++)
        return fail(r);
    w = next_word(r);
    if (w.length != HONE_CHOOSER_SHA256)
        return fail(r);
    memcpy(m->launch_sha256, w.text, w.length);
    w = next_word(r);
    if (!w.length)
        return fail(r);
    m->implementation =
        hone__arena_strndup(&r->chooser->arena, w.text, w.length);
    return m->implementation ? HONE_OK : hone__out_of_memory(r->err, "");
}

static hone_status read_problem(chooser_reader *r)
{
    hone_chooser *c = r->chooser;
    double *times = &c->time_ns[r->n_problems * c->n_members];

    HONE_TRY(read_dims(r, &c->dims[r->n_problems * r->n_dims]));
    for (size_t j = 0; j < c->n_members; ++j) {
        const word w = next_word(r);

        if (!is_word(w, "-") && (!read_number(w, &times[j]) || times[j] <= 0))
            return fail(r);
    }
    ++r->n_problems;
    return HONE_OK;
}

static hone_status read_weight(chooser_reader *r)
{
#define CHOOSER_NAME(name, usual) #name ".",
    static const char *const names[] = {HONE_CHOOSER_FEATURES(CHOOSER_NAME)};
#undef CHOOSER_NAME
    const word w = next_word(r);

    for (size_t kind = 0; kind < HONE_N_CHOOSER_FEATURES; ++kind) {
        const size_t length = strlen(names[kind]);
        int64_t dim;
        double *weight;

        if (w.length <= length || memcmp(w.text, names[kind], length) != 0)
            continue;
        if (!read_integer((word){w.text + length, w.length - length}, &dim) ||
            (uint64_t)dim >= r->n_dims)
            return fail(r);
        weight = &r->chooser->weights[kind][dim];
        return read_ranged(r, 0, 1e3, weight);
    }
    return fail(r);
}

static hone_status read_error(chooser_reader *r)
{
    const char *const before = r->at;
    const word w = next_word(r);
    double *to = NULL;
    size_t member = 0;

    if (is_word(w, "all")) {
        to = &r->chooser->error;
    } else if (is_word(w, "gain")) {
        to = &r->chooser->gain_error;
    } else {
        r->at = before;
        HONE_TRY(read_member(r, &member));
        to = &r->chooser->members[member].error;
    }
    return read_ranged(r, 1e-18, 100, to);
}

static hone_status read_reach(chooser_reader *r)
{
    int64_t *reach =
        hone__arena_alloc(&r->chooser->arena, (r->n_dims + 1) * sizeof *reach);
    size_t member = 0;

    if (!reach)
        return hone__out_of_memory(r->err, "");
    HONE_TRY(read_member(r, &member));
    r->chooser->members[member].reach = reach;
    return read_dims(r, reach);
}

/* The rest of the line. */
static hone_status read_estimate(chooser_reader *r)
{
    const char *const text = r->at;

    r->at = r->end;
    return hone__chooser_add_estimate(r->chooser, text, (size_t)(r->end - text),
                                      r->err);
}

static hone_status read_cost(chooser_reader *r)
{
    size_t member = 0;
    int64_t number;

    HONE_TRY(read_member(r, &member));
    if (!read_integer(next_word(r), &number) ||
        (uint64_t)number >= r->chooser->n_estimates)
        return fail(r);
    r->chooser->members[member].cost = (size_t)number + 1;
    return HONE_OK;
}

static hone_status read_place(chooser_reader *r)
{
    int64_t dims[HONE_MAX_DIMS];
    size_t members[HONE_CHOOSER_AT_PLACE];
    float beside[HONE_CHOOSER_AT_PLACE];
    size_t n = 0;

    HONE_TRY(read_dims(r, dims));
    for (; n < HONE_CHOOSER_AT_PLACE && r->at < r->end; ++n) {
        double value = HONE_CHOOSER_BESIDE_UNIT;

        HONE_TRY(read_member(r, &members[n]));
        if (r->version > 3)
            HONE_TRY(read_ranged(r, 1, 1e6, &value));
        beside[n] = (float)log(value / HONE_CHOOSER_BESIDE_UNIT);
    }
    return hone__chooser_add_place(r->chooser, dims, members, beside, n,
                                   r->err);
}

static hone_status read_parameter(chooser_reader *r, word name)
{
    for (size_t i = 0; i < HONE_N_CHOOSER_PARAMETERS; ++i) {
        const hone_chooser_range *range = &hone__chooser_ranges[i];
        double *value = &r->chooser->parameters[i];

        if (!is_word(name, range->name))
            continue;
        return read_ranged(r, range->low, range->high, value);
    }
    return fail(r);
}

static hone_status read_statement(chooser_reader *r)
{
    static const struct {
        const char *word;
        hone_status (*read)(chooser_reader *r);
    } statements[] = {{"member", read_a_member},   {"problem", read_problem},
                      {"weight", read_weight},     {"error", read_error},
                      {"estimate", read_estimate}, {"cost", read_cost},
                      {"reach", read_reach},       {"place", read_place}};
    const word name = next_word(r);

    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; ++i)
        if (is_word(name, statements[i].word))
            return statements[i].read(r);
    return read_parameter(r, name);
}

/* ---- the text -------------------------------------------------------------
 */

/* Go to the next line; 0: there is none. */
static int next_line(chooser_reader *r)
{
    if (r->line)
        r->at = *r->end ? r->end + 1 : r->end;
    if (!*r->at)
        return 0;
    ++r->line;
    r->end = r->at + strcspn(r->at, "\n");
    return 1;
}

static hone_status check_end(chooser_reader *r)
{
    if (!*r->end)
        return fail(r);
    return r->at == r->end && r->end[-1] != ' ' ? HONE_OK : fail(r);
}

/* "op gemm": a line with a name and a word. */
static hone_status read_head(chooser_reader *r, const char *name, word *out)
{
    if (!next_line(r) || !is_word(next_word(r), name))
        return fail(r);
    *out = next_word(r);
    return check_end(r);
}

static size_t count_lines(const char *text, const char *beginning)
{
    const size_t length = strlen(beginning);
    size_t n = 0;

    for (const char *at = text; (at = strchr(at, '\n')); ++at)
        n += strncmp(at + 1, beginning, length) == 0;
    return n;
}

static hone_status read_beginning(chooser_reader *r, const char *text)
{
    char op[128] = "";
    int64_t number;
    word w;

    HONE_TRY(read_head(r, "hone-chooser", &w));
    if (!read_integer(w, &r->version) || r->version < 1 ||
        r->version > HONE_CHOOSER_VERSION)
        return fail(r);
    HONE_TRY(read_head(r, "op", &w));
    if (!w.length || w.length >= sizeof op)
        return fail(r);
    memcpy(op, w.text, w.length);
    HONE_TRY(read_head(r, "dims", &w));
    if (!read_integer(w, &number) || number > HONE_MAX_DIMS)
        return fail(r);
    r->n_dims = (size_t)number;
    return hone__chooser_create(op, r->n_dims, count_lines(text, "member "),
                                count_lines(text, "problem "), &r->chooser,
                                r->err);
}

static hone_status read_all(chooser_reader *r, const char *text)
{
    HONE_TRY(read_beginning(r, text));
    while (next_line(r)) {
        HONE_TRY(read_statement(r));
        HONE_TRY(check_end(r));
    }
    return HONE_OK;
}

hone_status hone__chooser_parse(const char *text, hone_chooser **out,
                                hone_error *err)
{
    chooser_reader r = {.err = err, .at = text};
    hone_status status = read_all(&r, text);

    *out = NULL;
    if (status == HONE_OK)
        *out = r.chooser;
    else
        hone__chooser_free(r.chooser);
    if (status == HONE_ERR_ARGUMENT || status == HONE_ERR_INPUT)
        status = fail(&r);
    return status;
}
