/* SPDX-License-Identifier: Apache-2.0 */
/* The text of --help, made from the tables. */
#include "tools/arguments.h"

#include "tools/exit_code.h"
#include "tuner/search/search.h"

#include <string.h>

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
static void entry(const char *name, const char *help, hone_text *out)
{
    hone__text_printf(out, "  %-*s", HELP_COLUMN - 2, name);
    if (strlen(name) > HELP_COLUMN - 4)
        hone__text_printf(out, "\n%*s", HELP_COLUMN, "");
    wrap(help, HELP_COLUMN, HELP_COLUMN, out);
}

static void program_help(hone_text *out)
{
    hone_text name = {0};

    hone__text_puts(
        out, "Example: hone space saxpy --dims 1M --explain\n\n"
             "Usage: hone COMMAND [ARGUMENTS] [OPTIONS]\n"
             "       hone COMMAND --help\n\n"
             "Turns a CUDA kernel template into the fastest kernel for each "
             "GPU and shape.\n\nCommands:\n");
    for (size_t i = 0; i < HONE_N_COMMANDS; ++i) {
        hone__text_clear(&name);
        hone__text_printf(&name, "%s %s", hone__commands[i].name,
                          hone__commands[i].arguments);
        entry(hone__text_str(&name), hone__commands[i].summary, out);
    }
    hone__text_puts(out, "\nExit codes:\n");
#define EXIT_LINE(id, value, meaning) entry(#value, meaning, out);
    HONE_EXIT_MAP(EXIT_LINE)
#undef EXIT_LINE
    hone__text_free(&name);
}

static void strategies(hone_text *out)
{
    const char *name, *summary;

    hone__text_puts(out, "\nStrategies:\n");
    for (size_t i = 0; hone__search_strategy(i, &name, &summary); ++i)
        entry(name, summary, out);
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
        entry(hone__text_str(&name), option->help, out);
    }
    if ((hone__option_table[HONE_OPT_STRATEGY].commands >> id) & 1u)
        strategies(out);
    hone__text_free(&name);
}
