/* SPDX-License-Identifier: Apache-2.0 */
/* NAME:option=value[,option=value]: options of strategies, from their tables.
 * Beside its own each strategy that learns has `spread`. */
#include "tuner/search/strategy.h"

#include "runtime/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const hone_strategy hone__strategy_exec;
static const char exec_prefix[] = "exec:";

static const char spread_summary[] =
    "configurations that are spread over the space before it proposes any";
enum { MOST_SPREAD = 1000000 };

/* Option `k` of all: its own, then `spread`; 0: there is none. */
static int option_of(const hone_strategy *strategy, size_t k,
                     hone_strategy_option *out)
{
    if (k < strategy->n_options)
        *out = strategy->options[k];
    else if (k == strategy->n_options && !strategy->is_blind)
        *out = (hone_strategy_option){.name = "spread",
                                      .initial = (double)strategy->n_spread,
                                      .least = 0,
                                      .most = MOST_SPREAD,
                                      .is_whole = 1,
                                      .summary = spread_summary};
    else
        return 0;
    return 1;
}

static void put_range(const hone_strategy_option *option, hone_text *out)
{
    hone__text_printf(out, "%s%g to %.10g, default %g",
                      option->is_whole ? "" : "a number from ", option->least,
                      option->most, option->initial);
}

static hone_status no_option(const hone_strategy *strategy, const char *text,
                             size_t length, hone_error *err)
{
    hone_text list = {0};
    hone_strategy_option option;

    for (size_t k = 0; option_of(strategy, k, &option); ++k) {
        hone__text_printf(&list, "%s%s (", k ? ", " : "", option.name);
        put_range(&option, &list);
        hone__text_puts(&list, ")");
    }
    (void)hone__fail(err, HONE_ERR_ARGUMENT,
                     "the strategy '%s' has no option '%.*s'; it has %s",
                     strategy->name, (int)length, text,
                     list.length ? list.data : "none");
    hone__text_free(&list);
    return HONE_ERR_ARGUMENT;
}

static hone_status read_option(const char *text, size_t length,
                               hone_strategy_spec *out, hone_error *err)
{
    const hone_strategy *strategy = out->strategy;
    const char *equals = memchr(text, '=', length);
    const size_t name = equals ? (size_t)(equals - text) : length;
    hone_strategy_option option;
    hone_text range = {0};
    size_t k = 0;
    char *end;
    double value;

    while (
        option_of(strategy, k, &option) &&
        (strlen(option.name) != name || memcmp(option.name, text, name) != 0))
        ++k;
    if (!option_of(strategy, k, &option))
        return no_option(strategy, text, name, err);
    value = equals ? strtod(equals + 1, &end) : NAN;
    if (equals && end == text + length && end != equals + 1 &&
        value >= option.least && value <= option.most &&
        (!option.is_whole || value == floor(value))) {
        if (k < strategy->n_options)
            out->options[k] = value;
        else
            out->n_spread = (int64_t)value;
        return HONE_OK;
    }
    put_range(&option, &range);
    (void)hone__fail(
        err, HONE_ERR_ARGUMENT,
        "%s of the strategy '%s' is %s%s, not '%.*s': %s", option.name,
        strategy->name, option.is_whole ? "a whole number from " : "",
        hone__text_str(&range), equals ? (int)(length - name - 1) : 0,
        equals ? equals + 1 : "", option.summary);
    hone__text_free(&range);
    return HONE_ERR_ARGUMENT;
}

hone_status hone__strategy_read(const char *text, hone_strategy_spec *out,
                                hone_error *err)
{
    char name[64];
    size_t length = strcspn(text, ":");

    if (strncmp(text, exec_prefix, strlen(exec_prefix)) == 0) {
        *out = (hone_strategy_spec){.strategy = &hone__strategy_exec,
                                    .command = text + strlen(exec_prefix)};
        return out->command[strspn(out->command, " \t")]
                   ? HONE_OK
                   : hone__fail(err, HONE_ERR_ARGUMENT,
                                "the strategy 'exec:' needs a program: "
                                "exec:./mine");
    }
    (void)snprintf(name, sizeof name, "%.*s", (int)length, text);
    *out = (hone_strategy_spec){.strategy = hone__strategy_find(name)};
    if (!out->strategy)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "there is no search strategy '%.*s'; there are: "
                          "%s, and exec:COMMAND",
                          (int)length, text, hone__search_names());
    out->n_spread = out->strategy->n_spread;
    for (size_t k = 0; k < out->strategy->n_options; ++k)
        out->options[k] = out->strategy->options[k].initial;
    text += length;
    while (*text) {
        ++text; /* the colon, then commas */
        length = strcspn(text, ",");
        HONE_TRY(read_option(text, length, out, err));
        text += length;
    }
    return HONE_OK;
}

void hone__search_program(const char **out_name, const char **out_summary)
{
    *out_name = "exec:COMMAND";
    *out_summary = hone__strategy_exec.summary;
}

hone_status hone__search_check(const char *name, hone_error *err)
{
    hone_strategy_spec spec;

    return hone__strategy_read(name, &spec, err);
}

/* A comma goes on with the options where what follows it is one. */
size_t hone__search_list_first(const char *list)
{
    size_t length = strcspn(list, ",");

    if (strncmp(list, exec_prefix, strlen(exec_prefix)) == 0)
        return strlen(list); /* a command may have commas */
    if (!memchr(list, ':', length))
        return length;
    while (list[length]) {
        const size_t next = strcspn(list + length + 1, ",:");

        if (!memchr(list + length + 1, '=', next))
            break;
        length += 1 + strcspn(list + length + 1, ",");
    }
    return length;
}

int hone__search_strategy_option(size_t i, size_t k, char *out_name,
                                 char *out_summary, size_t size)
{
    const char *name, *summary;
    hone_strategy_option option;
    hone_text range = {0};

    if (!hone__search_strategy(i, &name, &summary) ||
        !option_of(hone__strategy_find(name), k, &option))
        return 0;
    put_range(&option, &range);
    (void)snprintf(out_name, size, "%s:%s=N", name, option.name);
    (void)snprintf(out_summary, size, "%s (%s)", option.summary,
                   hone__text_str(&range));
    hone__text_free(&range);
    return 1;
}
