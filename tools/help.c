/* SPDX-License-Identifier: Apache-2.0 */
/* The text of --help and of `hone help TOPIC`, made from the tables. */
#include "tools/help.h"

#include "gen/parse/template.h"
#include "gen/parse/suggest.h"
#include "runtime/base/device_properties.h"
#include "runtime/hone.h"
#include "tools/base/exit_code.h"
#include "tools/inputs/references.h"
#include "tuner/baselines/baseline.h"
#include "tuner/judge/objective.h"
#include "tuner/judge/outcome.h"
#include "tuner/search/search.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- topics ---------------------------------------------------------------
 */

static void references(hone_topic_entry *put, void *user)
{
    const char *name, *summary;
    char full[64];

    for (size_t i = 0; hone__reference_about(i, &name, &summary); ++i) {
        (void)snprintf(full, sizeof full, "cpu.%s", name);
        put(user, full, summary);
    }
    for (size_t i = 0; hone__baseline_about(i, &name, &summary); ++i)
        if (strchr(name, '.') &&
            (strncmp(name, "cufft.", 6) != 0 || !strcmp(name, "cufft.c2c")))
            put(user, name, summary);
    put(user, "template.NAME",
        "the default configuration of another template with the same "
        "arguments");
    put(user, "none", "nothing is checked");
}

static void baselines(hone_topic_entry *put, void *user)
{
    const char *name, *summary;

    for (size_t i = 0; hone__baseline_about(i, &name, &summary); ++i)
        put(user, name, summary);
    put(user,
        "cub.sum, cub.min_index, cub.max_index, cub.row_sums, cub.scan, "
        "cub.histogram",
        "CUB, from the library of plug-ins that comes with hone where nvcc "
        "built it");
    put(user, "cufft.image_pipeline",
        "a threshold, cuFFT, a filter, cuFFT and a normalisation, kernels of "
        "their own between; from the same library");
    put(user, "NAME", "any other name: of a plug-in in $HONE_BASELINES");
    put(user, "template.NAME",
        "another template, compiled for the same device, cuda or cpu");
}

static void options(hone_topic_entry *put, void *user)
{
    for (size_t i = 0; i < HONE_N_COMPILER_OPTIONS; ++i)
        put(user, hone__compiler_options[i].name,
            hone__compiler_options[i].meaning);
}

static void strategies(hone_topic_entry *put, void *user)
{
    const char *name, *summary;

    for (size_t i = 0; hone__search_strategy(i, &name, &summary); ++i) {
        char option[160], text[160];

        put(user, name, summary);
        for (size_t k = 0;
             hone__search_strategy_option(i, k, option, text, sizeof option);
             ++k)
            put(user, option, text);
    }
    hone__search_program(&name, &summary);
    put(user, name, summary);
}

static void objectives(hone_topic_entry *put, void *user)
{
    const char *name, *summary;

    for (size_t i = 0; hone__objective_about(i, &name, &summary); ++i)
        put(user, name, summary);
}

static void types(hone_topic_entry *put, void *user)
{
    char text[80];

#define TYPE_ENTRY(name, code, spelling, size, cpp)                            \
    (void)snprintf(text, sizeof text, "%s in the code, %d bytes; code %d",     \
                   cpp, size, code);                                           \
    put(user, spelling, text);
    HONE_TYPE_MAP(TYPE_ENTRY)
#undef TYPE_ENTRY
}

static void properties(hone_topic_entry *put, void *user)
{
#define PROPERTY_ENTRY(name, meaning) put(user, "device." #name, meaning);
    HONE_PROPERTY_MAP(PROPERTY_ENTRY)
#undef PROPERTY_ENTRY
}

static void outcomes(hone_topic_entry *put, void *user)
{
#define OUTCOME_ENTRY(name, value, spelling, meaning)                          \
    put(user, spelling, meaning);
    HONE_OUTCOME_MAP(OUTCOME_ENTRY)
#undef OUTCOME_ENTRY
}

static void exit_codes(hone_topic_entry *put, void *user)
{
#define EXIT_ENTRY(name, value, meaning) put(user, #value, meaning);
    HONE_EXIT_MAP(EXIT_ENTRY)
#undef EXIT_ENTRY
}

static void statuses(hone_topic_entry *put, void *user)
{
#define STATUS_ENTRY(name, value, text) put(user, #name, text);
    HONE_STATUS_MAP(STATUS_ENTRY)
#undef STATUS_ENTRY
}

static void environment(hone_topic_entry *put, void *user)
{
#define VARIABLE(name, meaning) put(user, name, meaning);
#include "tools/environment.def"
#undef VARIABLE
}

const hone_topic hone__topics[] = {
    {"references", "what the check line of a template compares with",
     references},
    {"baselines", "what the baseline line times beside the winner", baselines},
    {"options", "compiler options that the option line sets", options},
    {"types", "element types", types},
    {"device", "properties of the device in expressions", properties},
    {"strategies",
     "which configuration is tried next: --strategy NAME[:option=value,..]",
     strategies},
    {"objectives", "what --objective looks for, and facts in its expressions",
     objectives},
    {"outcomes", "what becomes of a variant", outcomes},
    {"environment", "variables that hone reads", environment},
    {"exit", "exit codes of hone", exit_codes},
    {"statuses", "what the functions of the library return", statuses},
};
const size_t hone__n_topics = sizeof hone__topics / sizeof hone__topics[0];

const hone_topic *hone__topic_find(const char *name, size_t length)
{
    for (size_t i = 0; i < hone__n_topics; ++i)
        if (strlen(hone__topics[i].name) == length &&
            memcmp(hone__topics[i].name, name, length) == 0)
            return &hone__topics[i];
    return NULL;
}

/* ---- text -----------------------------------------------------------------
 */

enum { LINE_WIDTH = 78, HELP_COLUMN = 26 };

/* Append words of `text`, wrapped; the cursor stands at `column`, later
 * lines start at `indent`. */
static void wrap(const char *text, size_t column, size_t indent, hone_text *out)
{
    int first = 1;

    while (*text) {
        const size_t n = strcspn(text, " ");

        if (!first && column + 1 + n > LINE_WIDTH) {
            hone__text_printf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!first) {
            hone__text_puts(out, " ");
            ++column;
        }
        hone__text_append(out, text, n);
        column += n;
        first = 0;
        text += n + strspn(text + n, " ");
    }
    hone__text_puts(out, "\n");
}

/* "  NAME      help", the name padded to the help column. */
static void entry(void *out, const char *name, const char *help)
{
    hone__text_printf(out, "  %-*s", HELP_COLUMN - 2, name);
    if (strlen(name) > HELP_COLUMN - 4)
        hone__text_printf(out, "\n%*s", HELP_COLUMN, "");
    wrap(help, HELP_COLUMN, HELP_COLUMN, out);
}

/* A topic as a section of something else. */
static void topic(const char *name, const char *title, hone_text *out)
{
    hone__text_printf(out, "\n%s:\n", title);
    hone__topic_find(name, strlen(name))->list(entry, out);
}

/* Their options are the topic's. */
static void strategy_names(hone_text *out)
{
    const char *name, *summary;

    hone__text_puts(out, "\nStrategies (`hone help strategies` has their "
                         "options):\n");
    for (size_t i = 0; hone__search_strategy(i, &name, &summary); ++i)
        entry(out, name, summary);
    hone__search_program(&name, &summary);
    entry(out, name, summary);
}

static void program_help(hone_text *out)
{
    hone_text name = {0};

    hone__text_puts(
        out, "Example: hone space saxpy --dims 1M --explain\n\n"
             "Usage: hone COMMAND [ARGUMENTS] [OPTIONS]\n"
             "       hone COMMAND --help\n"
             "       hone help [COMMAND or TOPIC]\n\n"
             "Turns a CUDA kernel template into the fastest kernel for each "
             "GPU and shape.\n\nCommands:\n");
    for (size_t i = 0; i < HONE_N_COMMANDS; ++i) {
        hone__text_clear(&name);
        hone__text_printf(&name, "%s %s", hone__commands[i].name,
                          hone__commands[i].arguments);
        entry(out, hone__text_str(&name), hone__commands[i].summary);
    }
    hone__text_puts(out, "\nTopics, for `hone help TOPIC`:\n");
    for (size_t i = 0; i < hone__n_topics; ++i)
        entry(out, hone__topics[i].name, hone__topics[i].summary);
    topic("exit", "Exit codes", out);
    hone__text_free(&name);
}

hone_status hone__help_topic(const char *name, hone_text *out, hone_error *err)
{
    const hone_topic *found = hone__topic_find(name, strlen(name));
    hone_suggestion near = hone__suggest(name, strlen(name));

    if (!found) {
        for (size_t i = 0; i < HONE_N_COMMANDS; ++i)
            hone__suggest_offer(&near, hone__commands[i].name);
        for (size_t i = 0; i < hone__n_topics; ++i)
            hone__suggest_offer(&near, hone__topics[i].name);
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "there is no command or topic '%s'%s", name,
                          hone__suggest_text(&near));
    }
    hone__text_printf(out, "Example: hone help %s\n\n%c%s:\n", found->name,
                      toupper((unsigned char)found->summary[0]),
                      found->summary + 1);
    found->list(entry, out);
    return HONE_OK;
}

void hone__help_text(hone_command_id id, hone_text *out)
{
    const hone_command *command = &hone__commands[id];
    hone_text name = {0};

    if (id == HONE_N_COMMANDS) {
        program_help(out);
        return;
    }
    hone__text_printf(out, "Example: %s\n\nUsage: hone %s %s%s[OPTIONS]\n\n",
                      command->example, command->name, command->arguments,
                      command->arguments[0] ? " " : "");
    wrap(command->details, 0, 0, out);
    hone__text_puts(out, "\nOptions:\n");
    for (size_t i = 0; i < HONE_N_OPTIONS; ++i) {
        const hone_option *option = &hone__option_table[i];

        if (!((option->commands >> id) & 1u))
            continue;
        hone__text_clear(&name);
        if (option->letter)
            hone__text_printf(&name, "-%c, ", option->letter);
        else
            hone__text_puts(&name, "    ");
        hone__text_printf(&name, "--%s%s%s", option->name,
                          option->value[0] ? " " : "", option->value);
        entry(out, hone__text_str(&name), option->help);
    }
    if ((hone__option_table[HONE_OPT_STRATEGY].commands >> id) & 1u)
        strategy_names(out);
    hone__text_free(&name);
}
