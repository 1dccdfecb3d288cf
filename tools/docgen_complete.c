/* SPDX-License-Identifier: Apache-2.0 */
/* Completion: commands, their options, the values of options that are one of
 * a few, and topics. Where anything else is to be written the shell offers
 * files. */
#include "tools/docgen_complete.h"

#include "tools/base/arguments.h"
#include "tools/help.h"

#include <stdio.h>
#include <string.h>

static int takes(size_t command, const hone_option *option)
{
    return (option->commands >> command & 1u) != 0;
}

static void put_commands(const char *separator)
{
    for (size_t i = 0; i < HONE_N_COMMANDS; ++i)
        (void)printf("%s%s", hone__commands[i].name, separator);
}

static void put_topics(const char *separator)
{
    for (size_t i = 0; i < hone__n_topics; ++i)
        (void)printf("%s%s", hone__topics[i].name, separator);
}

/* "a|b" as "a b". */
static void put_choices(const hone_option *option)
{
    for (const char *at = option->value; *at; ++at)
        (void)putchar(*at == '|' ? ' ' : *at);
}

/* The first words of a help, for text in single quotes; what `special` lists
 * gets a backslash. */
static void put_short(const char *help, const char *special)
{
    const size_t parenthesis = strcspn(help, "(;");
    size_t length = parenthesis;

    while (length > 1 && help[length - 1] == ' ')
        --length;
    for (size_t i = 0; i < length; ++i) {
        if (help[i] == '\'')
            (void)printf("\xe2\x80\x99"); /* an apostrophe that ends nothing */
        else
            (void)printf("%s%c", strchr(special, help[i]) ? "\\" : "", help[i]);
    }
}

/* ---- bash ---------------------------------------------------------------- */

/* Has another row of the table the same name or letter, for other commands? */
static int is_shared(const hone_option *option)
{
    for (size_t i = 0; i < HONE_N_OPTIONS; ++i) {
        const hone_option *o = &hone__option_table[i];

        if (o != option && (strcmp(o->name, option->name) == 0 ||
                            (o->letter && o->letter == option->letter)))
            return 1;
    }
    return 0;
}

/* Patterns of an option behind a command: any where all mean the same. */
static void put_bash_pattern(const hone_option *o)
{
    int n = 0;

    for (size_t i = 0; i < HONE_N_COMMANDS; ++i) {
        const char *command = is_shared(o) ? hone__commands[i].name : "*";

        if (!takes(i, o) || (n && *command == '*'))
            continue;
        (void)printf("%s%s\\ --%s", n++ ? " | " : "    ", command, o->name);
        if (o->letter)
            (void)printf(" | %s\\ -%c", command, o->letter);
    }
}

static void put_bash_values(void)
{
    (void)printf("    case \"${COMP_WORDS[1]} $before\" in\n");
    for (size_t i = 0; i < HONE_N_OPTIONS; ++i) {
        const hone_option *o = &hone__option_table[i];

        if (o->kind == HONE_OPTION_FLAG)
            continue;
        put_bash_pattern(o);
        (void)printf(") words=\"");
        if (o->kind == HONE_OPTION_CHOICE)
            put_choices(o);
        (void)printf("\" ;;\n");
    }
    (void)printf("    *) _hone_options ;;\n    esac\n");
}

static void put_bash(void)
{
    (void)printf("# Completion of hone for bash; made by docgen.\n"
                 "_hone_options()\n{\n    case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; i < HONE_N_COMMANDS; ++i) {
        (void)printf("    %s) words=\"", hone__commands[i].name);
        for (size_t j = 0; j < HONE_N_OPTIONS; ++j)
            if (takes(i, &hone__option_table[j]))
                (void)printf("--%s ", hone__option_table[j].name);
        (void)printf("\" ;;\n");
    }
    (void)printf("    help) words=\"");
    put_commands(" ");
    put_topics(" ");
    (void)printf("\" ;;\n    esac\n}\n"
                 "_hone()\n{\n"
                 "    local word=${COMP_WORDS[COMP_CWORD]} words=\n"
                 "    local before=${COMP_WORDS[COMP_CWORD - 1]}\n"
                 "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        words=\"");
    put_commands(" ");
    (void)printf("help --help --version\"\n        before=\n    else\n");
    put_bash_values();
    (void)printf("    fi\n"
                 "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- "
                 "\"$word\")\n}\n"
                 "complete -o default -F _hone hone\n");
}

/* ---- zsh ----------------------------------------------------------------- */

/* One spec of _arguments: '(-f --format)'{-f,--format}'[help]:NAME:(a b)' */
static void put_zsh_option(const hone_option *o)
{
    const int may_repeat =
        o->kind == HONE_OPTION_LIST || o->kind == HONE_OPTION_DIMS;

    if (o->letter && may_repeat)
        (void)printf("'*'{-%c,--%s}", o->letter, o->name);
    else if (o->letter)
        (void)printf("'(-%c --%s)'{-%c,--%s}", o->letter, o->name, o->letter,
                     o->name);
    else
        (void)printf("'%s--%s'", may_repeat ? "*" : "", o->name);
    (void)printf("'[");
    put_short(o->help, "[]:\\");
    (void)printf("]");
    if (o->kind == HONE_OPTION_CHOICE) {
        (void)printf(":value:(");
        put_choices(o);
        (void)printf(")");
    } else if (o->kind != HONE_OPTION_FLAG) {
        (void)printf(":");
        put_short(o->value, "[]:\\");
        (void)printf(":_files");
    }
    (void)printf("' ");
}

static void put_zsh(void)
{
    (void)printf("#compdef hone\n"
                 "# Completion of hone for zsh; made by docgen.\n"
                 "_hone()\n{\n    local -a commands\n"
                 "    if (( CURRENT == 2 )); then\n        commands=(\n");
    for (size_t i = 0; i < HONE_N_COMMANDS; ++i) {
        (void)printf("            '%s:", hone__commands[i].name);
        put_short(hone__commands[i].summary, "\\");
        (void)printf("'\n");
    }
    (void)printf("            'help:about a command or a topic'\n        )\n"
                 "        _describe command commands\n        return\n    fi\n"
                 "    shift words\n    (( CURRENT-- ))\n"
                 "    case $words[1] in\n");
    for (size_t i = 0; i < HONE_N_COMMANDS; ++i) {
        (void)printf("    %s)\n        _arguments ", hone__commands[i].name);
        for (size_t j = 0; j < HONE_N_OPTIONS; ++j)
            if (takes(i, &hone__option_table[j]))
                put_zsh_option(&hone__option_table[j]);
        (void)printf("'*:file:_files' ;;\n");
    }
    (void)printf("    help)\n        _values topic ");
    put_commands(" ");
    put_topics(" ");
    (void)printf(";;\n    esac\n}\n_hone \"$@\"\n");
}

/* ---- fish ---------------------------------------------------------------- */

static void put_fish_option(const hone_option *o)
{
    (void)printf("complete -c hone -n '__fish_seen_subcommand_from");
    for (size_t i = 0; i < HONE_N_COMMANDS; ++i)
        if (takes(i, o))
            (void)printf(" %s", hone__commands[i].name);
    (void)printf("' -l %s", o->name);
    if (o->letter)
        (void)printf(" -s %c", o->letter);
    if (o->kind == HONE_OPTION_CHOICE) {
        (void)printf(" -x -a '");
        put_choices(o);
        (void)printf("'");
    } else if (o->kind != HONE_OPTION_FLAG) {
        (void)printf(" -r");
    }
    (void)printf(" -d '");
    put_short(o->help, "\\");
    (void)printf("'\n");
}

static void put_fish(void)
{
    (void)printf("# Completion of hone for fish; made by docgen.\n");
    for (size_t i = 0; i < HONE_N_COMMANDS; ++i) {
        (void)printf("complete -c hone -n __fish_use_subcommand -f -a %s -d '",
                     hone__commands[i].name);
        put_short(hone__commands[i].summary, "\\");
        (void)printf("'\n");
    }
    (void)printf("complete -c hone -n __fish_use_subcommand -f -a help -d "
                 "'about a command or a topic'\n"
                 "complete -c hone -n '__fish_seen_subcommand_from help' -f -a "
                 "'");
    put_commands(" ");
    put_topics(" ");
    (void)printf("'\n");
    for (size_t i = 0; i < HONE_N_OPTIONS; ++i)
        put_fish_option(&hone__option_table[i]);
}

int hone__complete(const char *shell)
{
    if (strcmp(shell, "bash") == 0)
        put_bash();
    else if (strcmp(shell, "zsh") == 0)
        put_zsh();
    else if (strcmp(shell, "fish") == 0)
        put_fish();
    else
        return 0;
    return 1;
}
