/* SPDX-License-Identifier: Apache-2.0 */
/* Made at build time, not installed: writes what documents the tables.
 *   docgen man FILE.scd [SOURCE [TEMPORARY]]
 *                         the file with its @..@ lines replaced by tables:
 *                         @COMMANDS@, @OPTIONS@, @TOPICS@, or a topic's name;
 *                         @INTRODUCTION@, @FUNCTIONS@, @TYPES@ of the header
 *                         SOURCE; @FORMAT@, the Markdown SOURCE, and @TABLES@
 *                         of a database that is made at TEMPORARY for it
 *   docgen page COMMAND   the man page of one command
 *   docgen bash|zsh|fish  completion for that shell (docgen_complete.c) */
#include "tools/base/arguments.h"
#include "tools/docgen_complete.h"
#include "tools/docgen_page.h"
#include "tools/help.h"

#include <stdio.h>
#include <string.h>

static void put_escaped(const char *text)
{
    hone__page_escape(text, strlen(text));
}

static void put_commands(void)
{
    for (size_t i = 0; i < HONE_N_COMMANDS; ++i) {
        const hone_command *c = &hone__commands[i];
        const char *separator = "";

        (void)printf("## hone %s ", c->name);
        put_escaped(c->arguments);
        (void)printf("\n\n");
        put_escaped(c->details);
        (void)printf("\n\nOptions: ");
        for (size_t j = 0; j < HONE_N_OPTIONS; ++j) {
            const hone_option *o = &hone__option_table[j];

            if (!((o->commands >> i) & 1u))
                continue;
            (void)printf("%s*--%s*", separator, o->name);
            separator = ", ";
        }
        (void)printf(".\n\nExample: *");
        put_escaped(c->example);
        (void)printf("*\n\n");
    }
}

static void put_option(const hone_option *o)
{
    if (o->letter)
        (void)printf("*-%c*, ", o->letter);
    (void)printf("*--%s*", o->name);
    if (o->value[0]) {
        (void)printf(" ");
        put_escaped(o->value);
    }
    (void)printf("\n\t");
    put_escaped(o->help);
    (void)printf("\n\n");
}

static void put_options(void)
{
    for (size_t i = 0; i < HONE_N_OPTIONS; ++i)
        put_option(&hone__option_table[i]);
}

/* hone-COMMAND(1). */
static void put_page(size_t i)
{
    const hone_command *c = &hone__commands[i];

    (void)printf("hone-%s(1)\n\n# NAME\n\nhone-%s - ", c->name, c->name);
    put_escaped(c->summary);
    (void)printf("\n\n# SYNOPSIS\n\n*hone %s* ", c->name);
    put_escaped(c->arguments);
    (void)printf("%s[_OPTIONS_]\n\n# DESCRIPTION\n\n",
                 c->arguments[0] ? " " : "");
    put_escaped(c->details);
    (void)printf("\n\n# OPTIONS\n\n");
    for (size_t j = 0; j < HONE_N_OPTIONS; ++j)
        if ((hone__option_table[j].commands >> i) & 1u)
            put_option(&hone__option_table[j]);
    (void)printf("# EXAMPLE\n\n*");
    put_escaped(c->example);
    (void)printf("*\n\n# SEE ALSO\n\n*hone*(1), which has exit status and "
                 "environment; *hone-template*(5)\n");
}

static int page(const char *command)
{
    for (size_t i = 0; i < HONE_N_COMMANDS; ++i) {
        if (strcmp(hone__commands[i].name, command) == 0) {
            put_page(i);
            return 0;
        }
    }
    (void)fprintf(stderr, "docgen: there is no command '%s'\n", command);
    return 1;
}

static void put_entry(void *user, const char *name, const char *meaning)
{
    (void)user;
    (void)printf("*");
    put_escaped(name);
    (void)printf("*\n\t");
    put_escaped(meaning);
    (void)printf("\n\n");
}

/* Name and summary of every topic. */
static void put_topics(void)
{
    for (size_t i = 0; i < hone__n_topics; ++i)
        put_entry(NULL, hone__topics[i].name, hone__topics[i].summary);
}

/* What follows from a document, `source`. 0: it cannot be read; -1: the line
 * is none of these. */
static int put_document(const char *line, const char *source,
                        const char *temporary)
{
    static const char *const parts[] = {"@INTRODUCTION@\n", "@FUNCTIONS@\n",
                                        "@TYPES@\n"};

    for (size_t i = 0; source && i < sizeof parts / sizeof *parts; ++i)
        if (strcmp(line, parts[i]) == 0)
            return hone__page_header(source, (hone_page_part)i);
    if (source && strcmp(line, "@FORMAT@\n") == 0)
        return hone__page_markdown(source);
    if (temporary && strcmp(line, "@TABLES@\n") == 0)
        return hone__page_tables(temporary);
    return -1;
}

/* The line "@NAME@" becomes a table; every topic is one. */
static int put_table(const char *line)
{
    const size_t length = strcspn(line + 1, "@\n");

    if (line[0] != '@' || strcmp(line + 1 + length, "@\n") != 0)
        return 0;
    if (strcmp(line, "@COMMANDS@\n") == 0)
        put_commands();
    else if (strcmp(line, "@OPTIONS@\n") == 0)
        put_options();
    else if (strcmp(line, "@TOPICS@\n") == 0)
        put_topics();
    else if (hone__topic_find(line + 1, length))
        hone__topic_find(line + 1, length)->list(put_entry, NULL);
    else
        return 0;
    return 1;
}

static int man(const char *path, const char *source, const char *temporary)
{
    FILE *file = fopen(path, "r");
    char line[1024];
    int is_done = 1;

    if (!file) {
        perror(path);
        return 1;
    }
    while (is_done && fgets(line, sizeof line, file)) {
        const int is_put = put_document(line, source, temporary);

        is_done = is_put != 0;
        if (is_put < 0 && !put_table(line))
            (void)fputs(line, stdout);
    }
    (void)fclose(file);
    return !is_done;
}

int main(int argc, char **argv)
{
    if (argc >= 3 && argc <= 5 && strcmp(argv[1], "man") == 0)
        return man(argv[2], argc > 3 ? argv[3] : NULL,
                   argc > 4 ? argv[4] : NULL);
    if (argc == 3 && strcmp(argv[1], "page") == 0)
        return page(argv[2]);
    if (argc == 2 && hone__complete(argv[1]))
        return 0;
    (void)fprintf(stderr, "usage: docgen man FILE.scd [SOURCE [TEMPORARY]] | "
                          "docgen page COMMAND | docgen bash|zsh|fish\n");
    return 2;
}
