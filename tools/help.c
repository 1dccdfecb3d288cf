/* SPDX-License-Identifier: Apache-2.0 */
/* The text of --help, made from the tables. */
#include "tools/arguments.h"

#include "gen/parse/suggest.h"
#include "tools/topics.h"

#include <ctype.h>

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

static void put_entry(void *user, const char *name, const char *text)
{
    entry(name, text, user);
}

/* A topic as a section of something else. */
static void topic(const char *name, const char *title, hone_text *out)
{
    hone__text_printf(out, "\n%s:\n", title);
    hone__topic_find(name, strlen(name))->list(put_entry, out);
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
        entry(hone__text_str(&name), hone__commands[i].summary, out);
    }
    hone__text_puts(out, "\nTopics, for `hone help TOPIC`:\n");
    for (size_t i = 0; i < hone__n_topics; ++i)
        entry(hone__topics[i].name, hone__topics[i].summary, out);
    topic("exit", "Exit codes", out);
    hone__text_free(&name);
}

hone_status hone__help_topic(const char *name, hone_text *out, hone_error *err)
{
    const hone_topic *found = hone__topic_find(name, strlen(name));
    hone_suggestion near;
    char text[96];

    if (!found) {
        hone__suggest_start(&near, name, strlen(name));
        for (size_t i = 0; i < HONE_N_COMMANDS; ++i)
            hone__suggest_offer(&near, hone__commands[i].name);
        for (size_t i = 0; i < hone__n_topics; ++i)
            hone__suggest_offer(&near, hone__topics[i].name);
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "there is no command or topic '%s'%s", name,
                          hone__suggest_text(&near, text));
    }
    hone__text_printf(out, "Example: hone help %s\n\n%c%s:\n", found->name,
                      toupper((unsigned char)found->summary[0]),
                      found->summary + 1);
    found->list(put_entry, out);
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
        entry(hone__text_str(&name), option->help, out);
    }
    if ((hone__option_table[HONE_OPT_STRATEGY].commands >> id) & 1u)
        topic("strategies", "Strategies", out);
    hone__text_free(&name);
}
