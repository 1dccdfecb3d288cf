/* SPDX-License-Identifier: Apache-2.0 */
/* Objectives: see objective.h. Expressions are read anew for every value: they
 * are short, and a trial takes a million times as long. */
#include "tuner/judge/objective.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *text, *summary;
} named[] = {
    {"time", "time_ns",
     "time of one execution: what is looked for without "
     "--objective"},
    {"energy", "energy_uj",
     "energy of one execution, from the counter of NVML over a second"},
    {"edp", "energy_uj*time_ns", "energy-delay product"},
};
enum { N_NAMED = sizeof named / sizeof named[0] };

static const char *const fact_names[] = {
#define FACT_NAME(name, meaning) #name,
    HONE_FACT_MAP(FACT_NAME)
#undef FACT_NAME
};
static const char *const fact_meanings[] = {
#define FACT_MEANING(name, meaning) meaning,
    HONE_FACT_MAP(FACT_MEANING)
#undef FACT_MEANING
};

hone_facts hone__facts(void)
{
    hone_facts facts;

    for (int i = 0; i < HONE_N_FACTS; ++i)
        facts.value[i] = NAN;
    return facts;
}

/* ---- expressions --------------------------------------------------------- */

enum { MOST_DEPTH = 64 };

typedef struct reader {
    const char *at;
    const hone_facts *facts;
    unsigned uses;
    const char *wrong; /* what was expected; NULL: nothing is wrong */
    int depth;
} reader;

static double read_sum(reader *r);

static void skip(reader *r)
{
    while (isspace((unsigned char)*r->at))
        ++r->at;
}

static double complain(reader *r, const char *wrong)
{
    if (!r->wrong)
        r->wrong = wrong;
    return NAN;
}

static int take(reader *r, char c)
{
    skip(r);
    if (*r->at != c)
        return 0;
    ++r->at;
    return 1;
}

static double call(reader *r, const char *name, size_t length)
{
    static const struct {
        const char *name;
        int n;
    } functions[] = {
        {"min", 2}, {"max", 2}, {"pow", 2}, {"sqrt", 1}, {"log", 1}};
    enum { N_FUNCTIONS = sizeof functions / sizeof functions[0] };
    double v[2] = {0, 0};
    int f = 0;

    while (f < N_FUNCTIONS && (strlen(functions[f].name) != length ||
                               memcmp(functions[f].name, name, length) != 0))
        ++f;
    if (f == N_FUNCTIONS)
        return complain(r, "min, max, pow, sqrt or log");
    for (int i = 0; i < functions[f].n; ++i) {
        if (i && !take(r, ','))
            return complain(r, "a comma");
        v[i] = read_sum(r);
    }
    if (!take(r, ')'))
        return complain(r, "a closing parenthesis");
    if (isnan(v[0]) || isnan(v[1]))
        return NAN; /* fmin would hide it */
    switch (f) {
    case 0:
        return fmin(v[0], v[1]);
    case 1:
        return fmax(v[0], v[1]);
    case 2:
        return pow(v[0], v[1]);
    case 3:
        return sqrt(v[0]);
    default:
        return log(v[0]);
    }
}

static double read_name(reader *r)
{
    const char *name = r->at;
    size_t length = 0;

    while (isalnum((unsigned char)name[length]) || name[length] == '_')
        ++length;
    r->at += length;
    if (take(r, '('))
        return call(r, name, length);
    for (int i = 0; i < HONE_N_FACTS; ++i) {
        if (strlen(fact_names[i]) != length ||
            memcmp(fact_names[i], name, length) != 0)
            continue;
        r->uses |= 1u << i;
        return r->facts->value[i];
    }
    r->at = name;
    return complain(r, "");
}

static double read_primary(reader *r)
{
    double value;
    char *end = NULL;

    skip(r);
    if (++r->depth > MOST_DEPTH)
        return complain(r, "fewer parentheses");
    if (take(r, '-')) {
        value = -read_primary(r);
    } else if (take(r, '(')) {
        value = read_sum(r);
        if (!take(r, ')'))
            value = complain(r, "a closing parenthesis");
    } else if (isalpha((unsigned char)*r->at) || *r->at == '_') {
        value = read_name(r);
    } else if (isdigit((unsigned char)*r->at) || *r->at == '.') {
        value = strtod(r->at, &end);
        if (end == r->at)
            value = complain(r, "a number");
        r->at = end;
    } else {
        value = complain(r, "a number, a fact or a parenthesis");
    }
    --r->depth;
    return value;
}

static double read_product(reader *r)
{
    double value = read_primary(r);

    for (;;) {
        if (take(r, '*'))
            value *= read_primary(r);
        else if (take(r, '/'))
            value /= read_primary(r);
        else
            return value;
    }
}

static double read_sum(reader *r)
{
    double value = read_product(r);

    for (;;) {
        if (take(r, '+'))
            value += read_product(r);
        else if (take(r, '-'))
            value -= read_product(r);
        else
            return value;
    }
}

double hone__objective_value(const hone_objective *objective,
                             const hone_facts *facts)
{
    reader r = {.at = objective->text, .facts = facts};
    const double value = read_sum(&r);

    return isfinite(value) ? value : NAN;
}

/* ---- reading ------------------------------------------------------------- */

static void list_facts(char *out, size_t size)
{
    size_t at = 0;

    out[0] = '\0';
    for (int i = 0; i < HONE_N_FACTS && at < size; ++i)
        at += (size_t)snprintf(out + at, size - at, "%s%s", i ? ", " : "",
                               fact_names[i]);
}

static hone_status read_one(const char *text, size_t length,
                            hone_objective *out, hone_error *err)
{
    const hone_facts facts = hone__facts();
    char list[400];
    reader r = {.facts = &facts};

    *out = (hone_objective){.uses = 0};
    if (length >= sizeof out->name)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "an objective has at most %zu letters",
                          sizeof out->name - 1);
    memcpy(out->name, text, length);
    memcpy(out->text, text, length);
    for (size_t i = 0; i < N_NAMED; ++i)
        if (strcmp(out->name, named[i].name) == 0)
            (void)snprintf(out->text, sizeof out->text, "%s", named[i].text);
    r.at = out->text;
    (void)read_sum(&r);
    skip(&r);
    out->uses = r.uses;
    list_facts(list, sizeof list);
    if (r.wrong && !*r.wrong)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "nothing is known as '%s' in the objective '%s'; "
                          "there are time, energy, edp, and expressions of %s",
                          r.at, out->name, list);
    if (r.wrong || *r.at)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "the objective '%s' has '%s' where %s is expected",
                          out->name, r.at, r.wrong ? r.wrong : "an operator");
    if (!out->uses)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "the objective '%s' is the same for every trial; "
                          "expressions are of %s",
                          out->name, list);
    return HONE_OK;
}

/* Up to the comma that is in no parenthesis. */
static size_t first_length(const char *text)
{
    size_t n = 0;
    int depth = 0;

    for (; text[n] && (depth > 0 || text[n] != ','); ++n)
        depth += (text[n] == '(') - (text[n] == ')');
    return n;
}

hone_status hone__objectives_read(const char *text, hone_objectives *out,
                                  hone_error *err)
{
    *out = (hone_objectives){.n = 0};
    for (;;) {
        const size_t length = first_length(text);
        hone_objective *item = &out->items[out->n];

        if (out->n == HONE_MOST_OBJECTIVES)
            return hone__fail(err, HONE_ERR_ARGUMENT,
                              "there are more than %d objectives",
                              HONE_MOST_OBJECTIVES);
        HONE_TRY(read_one(text, length, item, err));
        for (size_t i = 0; i < out->n; ++i)
            if (strcmp(out->items[i].text, item->text) == 0)
                return hone__fail(err, HONE_ERR_ARGUMENT,
                                  "the objective '%s' is there twice",
                                  item->name);
        ++out->n;
        if (!text[length])
            return HONE_OK;
        text += length + 1;
    }
}

int hone__objective_uses(const hone_objective *objective, hone_fact fact)
{
    return (int)(objective->uses >> fact & 1u);
}

int hone__objectives_use(const hone_objectives *objectives, hone_fact fact)
{
    for (size_t i = 0; objectives && i < objectives->n; ++i)
        if (hone__objective_uses(&objectives->items[i], fact))
            return 1;
    return 0;
}

const hone_objective *
hone__objectives_searched(const hone_objectives *objectives)
{
    for (size_t i = 0; objectives && i < objectives->n; ++i)
        if (!hone__objective_uses(&objectives->items[i], HONE_FACT_energy_uj))
            return strcmp(objectives->items[i].text, "time_ns") == 0
                       ? NULL
                       : &objectives->items[i];
    return NULL;
}

int hone__objective_about(size_t i, const char **out_name,
                          const char **out_summary)
{
    if (i < N_NAMED) {
        *out_name = named[i].name;
        *out_summary = named[i].summary;
        return 1;
    }
    i -= N_NAMED;
    if (i >= HONE_N_FACTS)
        return 0;
    *out_name = fact_names[i];
    *out_summary = fact_meanings[i];
    return 1;
}

/* ---- the front ----------------------------------------------------------- */

/* Nowhere worse, and better somewhere. */
static int beats(const double *a, const double *b, size_t m)
{
    int is_better = 0;

    for (size_t i = 0; i < m; ++i) {
        if (isnan(a[i]) || a[i] > b[i])
            return 0;
        is_better |= a[i] < b[i];
    }
    return is_better;
}

void hone__pareto_front(const double *rows, size_t n, size_t m,
                        int *out_is_on_front)
{
    for (size_t i = 0; i < n; ++i) {
        out_is_on_front[i] = 1;
        for (size_t k = 0; k < m; ++k)
            out_is_on_front[i] &= !isnan(rows[i * m + k]);
        for (size_t k = 0; k < n && out_is_on_front[i]; ++k)
            out_is_on_front[i] = !beats(rows + k * m, rows + i * m, m);
    }
}
