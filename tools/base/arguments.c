/* SPDX-License-Identifier: Apache-2.0 */
/* The command line parser: getopt_long fed from options.def, every value
 * checked against its row before a command sees it. */
#include "tools/base/arguments.h"

#include "gen/parse/suggest.h"
#include "runtime/base/alloc.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const hone_command hone__commands[HONE_N_COMMANDS] = {
#define COMMAND(id, arguments, least, most, summary, example, details)         \
    {#id, arguments, least, most, summary, example, details},
#include "tools/base/commands.def"
#undef COMMAND
};

#define IN(id) (1u << HONE_CMD_##id)
#define ALL ((1u << HONE_N_COMMANDS) - 1u)
const hone_option hone__option_table[HONE_N_OPTIONS] = {
#define OPTION(id, name, letter, kind, value, commands, help)                  \
    {name, letter, HONE_OPTION_##kind, value, commands, help},
#include "tools/base/options.def"
#undef OPTION
};
#undef IN
#undef ALL

/* getopt_long's code of option i is FIRST_CODE + i, above every letter. */
enum { FIRST_CODE = 256 };

static int takes(hone_command_id command, size_t option)
{
    return (hone__option_table[option].commands >> command) & 1u;
}

hone_command_id hone__command_find(const char *name)
{
    for (size_t i = 0; i < HONE_N_COMMANDS; ++i)
        if (strcmp(hone__commands[i].name, name) == 0)
            return (hone_command_id)i;
    return HONE_N_COMMANDS;
}

static hone_status command_unknown(const char *word, hone_error *err)
{
    hone_suggestion near = hone__suggest(word, strlen(word));

    for (size_t i = 0; i < HONE_N_COMMANDS; ++i)
        hone__suggest_offer(&near, hone__commands[i].name);
    return hone__fail(err, HONE_ERR_ARGUMENT, "unknown command '%s'%s", word,
                      hone__suggest_text(&near));
}

/* `word` as it stands on the command line, "--dimz=3" or "-z". */
static hone_status unknown_option(hone_command_id command, const char *word,
                                  hone_error *err)
{
    const char *name = word + strspn(word, "-");
    hone_suggestion near = hone__suggest(name, strcspn(name, "="));

    for (size_t i = 0; i < HONE_N_OPTIONS; ++i)
        if (takes(command, i))
            hone__suggest_offer(&near, hone__option_table[i].name);
    return hone__fail(err, HONE_ERR_ARGUMENT,
                      "'hone %s' has no option '%.*s'%s%s%s",
                      hone__commands[command].name, (int)strcspn(word, "="),
                      word, near.best ? "; did you mean '--" : "",
                      near.best ? near.best : "", near.best ? "'?" : "");
}

static hone_status check_choice(const hone_option *option, const char *value,
                                hone_error *err)
{
    const size_t length = strlen(value);
    const char *choice = option->value;

    while (*choice) {
        const size_t n = strcspn(choice, "|");

        if (n == length && memcmp(choice, value, n) == 0)
            return HONE_OK;
        choice += n + (choice[n] == '|');
    }
    return hone__fail(err, HONE_ERR_ARGUMENT, "--%s takes one of %s, not '%s'",
                      option->name, option->value, value);
}

static hone_status read_number(const hone_option *option, const char *value,
                               int64_t *out, hone_error *err)
{
    const int64_t least = option->kind == HONE_OPTION_NUMBER;
    char *end = NULL;

    errno = 0;
    *out = strtoll(value, &end, 10);
    if (errno || end == value || *end || *out < least)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "--%s takes a whole number from %d up, not '%s'",
                          option->name, (int)least, value);
    return HONE_OK;
}

static hone_status set_option(hone_options *out, size_t i, const char *value,
                              hone_error *err)
{
    const hone_option *option = &hone__option_table[i];

    switch (option->kind) {
    case HONE_OPTION_CHOICE:
        HONE_TRY(check_choice(option, value, err));
        break;
    case HONE_OPTION_NUMBER:
    case HONE_OPTION_SEED:
        HONE_TRY(read_number(option, value, &out->number[i], err));
        break;
    case HONE_OPTION_DIMS:
        out->items[out->n_items++] = (hone_item){1, value};
        break;
    case HONE_OPTION_LIST:
        out->listed[out->n_listed++] = (hone_listed){(hone_option_id)i, value};
        break;
    case HONE_OPTION_FLAG:
    case HONE_OPTION_TEXT:
        break;
    }
    /* Of others the last one counts; a list would be lost. */
    if (i == HONE_OPT_SHAPES && out->text[i])
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "--%s is given twice: put both lists into one file",
                          option->name);
    out->text[i] = value ? value : "";
    return HONE_OK;
}

static void add_argument(hone_options *out, const char *text)
{
    out->items[out->n_items++] = (hone_item){0, text};
    ++out->n_args;
}

/* What a command prints in place of what it prints without any of them. */
static const struct {
    hone_command_id command;
    hone_option_id options[3];
    size_t n;
} alternatives[] = {
    {HONE_CMD_space, {HONE_OPT_LIST, HONE_OPT_EXPLAIN, HONE_OPT_COUNT}, 3},
    {HONE_CMD_expand, {HONE_OPT_LAUNCH_PLAN, HONE_OPT_OPTIONS}, 2},
};

static hone_status check_alternatives(const hone_options *options,
                                      hone_error *err)
{
    for (size_t k = 0; k < sizeof alternatives / sizeof *alternatives; ++k) {
        const hone_option *given = NULL;

        if (alternatives[k].command != options->command)
            continue;
        for (size_t i = 0; i < alternatives[k].n; ++i) {
            const hone_option_id id = alternatives[k].options[i];

            if (!options->text[id])
                continue;
            if (given)
                return hone__fail(err, HONE_ERR_ARGUMENT,
                                  "--%s and --%s are one or the other",
                                  given->name, hone__option_table[id].name);
            given = &hone__option_table[id];
        }
    }
    return HONE_OK;
}

static hone_status check_arguments(const hone_options *options, hone_error *err)
{
    const hone_command *command = &hone__commands[options->command];

    if (options->text[HONE_OPT_HELP] || options->text[HONE_OPT_VERSION])
        return HONE_OK;
    if (options->n_args < (size_t)command->least)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "'hone %s' needs %s. Example: %s", command->name,
                          command->arguments, command->example);
    if (command->most >= 0 && options->n_args > (size_t)command->most)
        return hone__fail(
            err, HONE_ERR_ARGUMENT, "'hone %s' does not take the argument '%s'",
            command->name, hone__options_arg(options, (size_t)command->most));
    return check_alternatives(options, err);
}

/* getopt's tables from ours. The leading '-' keeps arguments in their place
 * among the options, ':' tells a missing value from an unknown option. */
static void build_tables(hone_command_id command, struct option *longs,
                         char *shorts)
{
    size_t n = 0;

    *shorts++ = '-';
    *shorts++ = ':';
    for (size_t i = 0; i < HONE_N_OPTIONS; ++i) {
        const hone_option *option = &hone__option_table[i];
        const int has_value = option->kind != HONE_OPTION_FLAG;

        if (!takes(command, i))
            continue;
        longs[n++] = (struct option){
            option->name, has_value ? required_argument : no_argument, NULL,
            FIRST_CODE + (int)i};
        if (option->letter) {
            *shorts++ = (char)option->letter;
            if (has_value)
                *shorts++ = ':';
        }
    }
    longs[n] = (struct option){0};
    *shorts = '\0';
}

static size_t option_of_code(hone_command_id command, int code)
{
    if (code >= FIRST_CODE)
        return (size_t)(code - FIRST_CODE);
    for (size_t i = 0; i < HONE_N_OPTIONS; ++i)
        if (hone__option_table[i].letter == code && takes(command, i))
            return i;
    return HONE_N_OPTIONS;
}

/* argv[0] is the command's name. */
static hone_status parse_command(int argc, char **argv, hone_options *out,
                                 hone_error *err)
{
    struct option longs[HONE_N_OPTIONS + 1];
    char shorts[2 * HONE_N_OPTIONS + 3];
    int code;

    build_tables(out->command, longs, shorts);
    opterr = 0;
    optind = 0; /* start over, also for glibc's own state */
    while ((code = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        if (code == 1) {
            add_argument(out, optarg);
        } else if (code == ':') {
            return hone__fail(err, HONE_ERR_ARGUMENT,
                              "option '%s' needs a value", argv[optind - 1]);
        } else if (code == '?') {
            const char letter[] = {'-', (char)optopt, '\0'};

            if (optopt >= FIRST_CODE)
                return hone__fail(err, HONE_ERR_ARGUMENT,
                                  "option '--%s' takes no value",
                                  hone__option_table[optopt - FIRST_CODE].name);
            return unknown_option(out->command,
                                  optopt ? letter : argv[optind - 1], err);
        } else {
            HONE_TRY(set_option(out, option_of_code(out->command, code), optarg,
                                err));
        }
    }
    while (optind < argc)
        add_argument(out, argv[optind++]);
    return check_arguments(out, err);
}

hone_status hone__options_parse(int argc, char **argv, hone_options *out,
                                hone_error *err)
{
    *out = (hone_options){.command = HONE_N_COMMANDS};
    if (argc < 2)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "a command is missing. Example: hone doctor");
    if (argv[1][0] == '-')
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "the command comes first, then its options: "
                          "hone COMMAND %s",
                          argv[1]);
    out->command = hone__command_find(argv[1]);
    if (out->command == HONE_N_COMMANDS)
        return command_unknown(argv[1], err);
    out->items = hone__alloc((size_t)argc * sizeof *out->items);
    out->listed = hone__alloc((size_t)argc * sizeof *out->listed);
    if (!out->items || !out->listed)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    return parse_command(argc - 1, argv + 1, out, err);
}

void hone__options_free(hone_options *options)
{
    hone__free(options->items);
    hone__free(options->listed);
    *options = (hone_options){.command = HONE_N_COMMANDS};
}

const char *hone__options_arg(const hone_options *options, size_t index)
{
    for (size_t i = 0; i < options->n_items; ++i)
        if (!options->items[i].is_dims && index-- == 0)
            return options->items[i].text;
    return "";
}

const char *hone__options_listed(const hone_options *options,
                                 hone_option_id option, size_t index)
{
    for (size_t i = 0; i < options->n_listed; ++i)
        if (options->listed[i].option == option && index-- == 0)
            return options->listed[i].text;
    return NULL;
}

int hone__options_is(const hone_options *options, hone_option_id option,
                     const char *choice)
{
    return options->text[option] && strcmp(options->text[option], choice) == 0;
}
