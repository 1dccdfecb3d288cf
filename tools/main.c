/* SPDX-License-Identifier: Apache-2.0 */
/* The `hone` program: parse, dispatch, exit code. */
#include "gen/solve/solve.h"
#include "runtime/base/alloc.h"
#include "tools/base/commands.h"
#include "tools/help.h"
#include "tools/base/message.h"
#include "tools/base/output.h"
#include "tools/base/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static hone_exit (*const functions[HONE_N_COMMANDS])(const hone_options *) = {
#define COMMAND(id, arguments, least, most, summary, example, details)         \
    hone__cmd_##id,
#include "tools/base/commands.def"
#undef COMMAND
};

/* A large space says how far it is. */
static void on_space(const char *name, size_t n_bound, size_t n_vars,
                     size_t n_states, int64_t size_bytes)
{
    hone__message_detail("%s: its search space is being built: %zu of %zu "
                         "parameters, %zu partial configurations, %lld MiB",
                         name, n_bound, n_vars, n_states,
                         (long long)(size_bytes >> 20));
}

static void limit_spaces(const hone_options *options)
{
    hone_solve_limits limits = {
        .most_bytes = (int64_t)HONE_SPACE_MEMORY_MIB << 20,
        .most_ns = HONE_SPACE_SECONDS * INT64_C(1000000000),
        .progress = on_space};
    const int64_t mib = options->number[HONE_OPT_SPACE_MEMORY];
    const int64_t seconds = options->number[HONE_OPT_SPACE_TIME];

    if (options->text[HONE_OPT_SPACE_MEMORY] && mib < INT64_MAX >> 20)
        limits.most_bytes = mib << 20;
    if (options->text[HONE_OPT_SPACE_TIME] && seconds < INT64_MAX / 1000000000)
        limits.most_ns = seconds * 1000000000;
    hone__solve_limits_set(&limits);
}

static hone_exit print_help(hone_command_id command)
{
    hone_text text = {0};

    hone__help_text(command, &text);
    return hone__output_text(&text);
}

static hone_exit print_version(void)
{
    hone_text text = {0};

    hone__text_puts(&text, "hone " HONE_VERSION "\n");
    return hone__output_text(&text);
}

/* `hone help COMMAND` is `hone COMMAND --help`; a topic is a table. */
static hone_exit help_command(const char *name)
{
    hone_error err = {0};
    hone_text text = {0};

    if (!name || hone__command_find(name) != HONE_N_COMMANDS)
        return print_help(name ? hone__command_find(name) : HONE_N_COMMANDS);
    return hone__help_topic(name, &text, &err) == HONE_OK
               ? hone__output_text(&text)
               : hone__message_error(&err);
}

/* What the libraries would pass over: with a word that is meant and not
 * understood, a limit or a sandbox would silently be another. */
static hone_status check_environment(hone_error *err)
{
    const char *seconds = getenv("HONE_DB_SECONDS");
    const struct {
        const char *name, *value, *without;
    } switches[] = {
        {"HONE_SANDBOX", getenv("HONE_SANDBOX"), "there is a sandbox"},
        {"HONE_AHEAD", getenv("HONE_AHEAD"),
         "the next problem of a list is prepared"}};

    if (seconds && (strspn(seconds, "0123456789") > 9 ||
                    seconds[strspn(seconds, "0123456789")]))
        return hone__fail(err, HONE_ERR_INPUT,
                          "HONE_DB_SECONDS='%s' is no whole number of seconds "
                          "below 1000000000 (0: no limit)",
                          seconds);
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; ++i) {
        const char *value = switches[i].value;

        if (value && *value && strcmp(value, "off") != 0)
            return hone__fail(err, HONE_ERR_INPUT,
                              "%s='%s' is not 'off', the only value that it "
                              "takes; without it %s",
                              switches[i].name, value, switches[i].without);
    }
    return HONE_OK;
}

int main(int argc, char **argv)
{
    const char *first = argc > 1 ? argv[1] : "";
    hone_error err = {0};
    hone_options options;
    hone_exit code;
    hone_status status;

    hone__process_begin(argv);
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0)
        return (int)print_help(HONE_N_COMMANDS);
    if (strcmp(first, "--version") == 0 || strcmp(first, "-V") == 0)
        return (int)print_version();
    if (strcmp(first, "help") == 0)
        return (int)help_command(argc > 2 ? argv[2] : NULL);
    json_set_alloc_funcs(hone__alloc, hone__free);
    status = hone__options_parse(argc, argv, &options, &err);
    hone__message_setup(&options);
    limit_spaces(&options);
    if (status == HONE_OK && !options.text[HONE_OPT_HELP])
        status = check_environment(&err);
    if (status != HONE_OK)
        code = hone__message_error(&err);
    else if (options.text[HONE_OPT_HELP])
        code = print_help(options.command);
    else if (options.text[HONE_OPT_VERSION])
        code = print_version();
    else
        code = functions[options.command](&options);
    hone__options_free(&options);
    return (int)code;
}
