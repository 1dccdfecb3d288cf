/* SPDX-License-Identifier: Apache-2.0 */
/* The command line as data: which command, which options, which arguments.
 * Tables: commands.def and options.def. */
#ifndef HONE_TOOLS_ARGUMENTS_H
#define HONE_TOOLS_ARGUMENTS_H

#include "runtime/base/error.h"
#include "runtime/base/text.h"

#include <stddef.h>
#include <stdint.h>

typedef enum hone_command_id {
#define COMMAND(id, arguments, least, most, summary, example, details)         \
    HONE_CMD_##id,
#include "tools/base/commands.def"
#undef COMMAND
    HONE_N_COMMANDS
} hone_command_id;

typedef enum hone_option_id {
#define OPTION(id, name, letter, kind, value, commands, help) HONE_OPT_##id,
#include "tools/base/options.def"
#undef OPTION
    HONE_N_OPTIONS
} hone_option_id;

typedef enum hone_option_kind {
    HONE_OPTION_FLAG,
    HONE_OPTION_TEXT,
    HONE_OPTION_NUMBER,
    HONE_OPTION_SEED,
    HONE_OPTION_CHOICE,
    HONE_OPTION_DIMS,
    HONE_OPTION_LIST
} hone_option_kind;

typedef struct hone_command {
    const char *name;
    const char *arguments; /* "TEMPLATE", as shown in the usage */
    int least;
    int most; /* -1: any number */
    const char *summary;
    const char *example;
    const char *details;
} hone_command;

typedef struct hone_option {
    const char *name;
    int letter; /* 0: none */
    hone_option_kind kind;
    const char *value; /* placeholder, or the choices */
    unsigned commands; /* bit per command */
    const char *help;
} hone_option;

extern const hone_command hone__commands[HONE_N_COMMANDS];
extern const hone_option hone__option_table[HONE_N_OPTIONS];

/* A positional argument or a --dims, in the order they stand: `hone tune a
 * --dims 1 b --dims 2` gives each template its own. */
typedef struct hone_item {
    int is_dims;
    const char *text;
} hone_item;

/* One value of a LIST option, in the order they stand. */
typedef struct hone_listed {
    hone_option_id option;
    const char *text;
} hone_listed;

typedef struct hone_options {
    hone_command_id command;
    const char *text[HONE_N_OPTIONS]; /* NULL: not given; "" for a flag;
                                         the last of several */
    int64_t number[HONE_N_OPTIONS];   /* of NUMBER and SEED options */
    hone_item *items;
    size_t n_items;
    size_t n_args; /* items that are not --dims */
    hone_listed *listed;
    size_t n_listed;
} hone_options;

/* Parse argv[1..]. HONE_ERR_ARGUMENT with one sentence (the caller adds the
 * line that points to --help). `--help` and `--version` skip the check of
 * the arguments. Strings are borrowed from argv; free with
 * hone__options_free(). */
hone_status hone__options_parse(int argc, char **argv, hone_options *out,
                                hone_error *err);
void hone__options_free(hone_options *options);

/* Positional argument `index`, "" if there is none. */
const char *hone__options_arg(const hone_options *options, size_t index);
/* Value `index` of a LIST option; NULL behind the last. */
const char *hone__options_listed(const hone_options *options,
                                 hone_option_id option, size_t index);
/* Is the option's value this choice? */
int hone__options_is(const hone_options *options, hone_option_id option,
                     const char *choice);

/* Command of that name, HONE_N_COMMANDS if there is none. */
hone_command_id hone__command_find(const char *name);

#endif
