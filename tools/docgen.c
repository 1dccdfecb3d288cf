/* SPDX-License-Identifier: Apache-2.0 */
/* Made at build time, not installed: writes what documents the tables.
 *   docgen man FILE.scd   the file with its @..@ lines replaced by tables
 *   docgen bash           completion for bash */
#include "tools/exit_code.h"
#include "tools/arguments.h"
#include "tuner/search/search.h"

#include <stdio.h>
#include <string.h>

/* scdoc takes '_' and '*' for markup. */
static void put_escaped(const char *text)
{
    for (; *text; ++text) {
        if (strchr("_*\\<>#", *text))
            (void)putchar('\\');
        (void)putchar(*text);
    }
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

static void put_options(void)
{
    for (size_t i = 0; i < HONE_N_OPTIONS; ++i) {
        const hone_option *o = &hone__option_table[i];

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
}

static void put_entry(const char *name, const char *meaning)
{
    (void)printf("*");
    put_escaped(name);
    (void)printf("*\n\t");
    put_escaped(meaning);
    (void)printf("\n\n");
}

static void put_strategies(void)
{
    const char *name, *summary;

    for (size_t i = 0; hone__search_strategy(i, &name, &summary); ++i)
        put_entry(name, summary);
}

static void put_exit_codes(void)
{
#define EXIT_ENTRY(name, value, meaning) put_entry(#value, meaning);
    HONE_EXIT_MAP(EXIT_ENTRY)
#undef EXIT_ENTRY
}

static void put_statuses(void)
{
#define STATUS_ENTRY(name, value, text) put_entry(#name, text);
    HONE_STATUS_MAP(STATUS_ENTRY)
#undef STATUS_ENTRY
}

static void put_environment(void)
{
#define VARIABLE(name, meaning) put_entry(name, meaning);
#include "tools/environment.def"
#undef VARIABLE
}

static const struct {
    const char *mark;
    void (*put)(void);
} marks[] = {
    {"@COMMANDS@\n", put_commands},       {"@OPTIONS@\n", put_options},
    {"@EXIT_CODES@\n", put_exit_codes},   {"@STATUSES@\n", put_statuses},
    {"@ENVIRONMENT@\n", put_environment}, {"@STRATEGIES@\n", put_strategies},
};
enum { N_MARKS = sizeof marks / sizeof marks[0] };

static int man(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[1024];

    if (!file) {
        perror(path);
        return 1;
    }
    while (fgets(line, sizeof line, file)) {
        size_t i = 0;

        while (i < N_MARKS && strcmp(line, marks[i].mark) != 0)
            ++i;
        if (i < N_MARKS)
            marks[i].put();
        else
            (void)fputs(line, stdout);
    }
    (void)fclose(file);
    return 0;
}

static int bash(void)
{
    (void)printf("# Completion of hone for bash; made by docgen.\n"
                 "_hone()\n{\n"
                 "    local word=${COMP_WORDS[COMP_CWORD]} words\n"
                 "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        words=\"");
    for (size_t i = 0; i < HONE_N_COMMANDS; ++i)
        (void)printf("%s ", hone__commands[i].name);
    (void)printf("help --help --version\"\n    else\n"
                 "        case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; i < HONE_N_COMMANDS; ++i) {
        (void)printf("        %s) words=\"", hone__commands[i].name);
        for (size_t j = 0; j < HONE_N_OPTIONS; ++j)
            if ((hone__option_table[j].commands >> i) & 1u)
                (void)printf("--%s ", hone__option_table[j].name);
        (void)printf("\" ;;\n");
    }
    (void)printf("        esac\n    fi\n"
                 "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- "
                 "\"$word\")\n}\n"
                 "complete -o default -F _hone hone\n");
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "man") == 0)
        return man(argv[2]);
    if (argc == 2 && strcmp(argv[1], "bash") == 0)
        return bash();
    (void)fprintf(stderr, "usage: docgen man FILE.scd | docgen bash\n");
    return 2;
}
