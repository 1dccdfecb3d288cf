/* SPDX-License-Identifier: Apache-2.0 */
/* Messages on stderr: errors, notes, details. A progress line in place is
 * wiped first, so that nothing is written over it. */
#include "tools/base/message.h"

#include "tools/base/progress.h"
#include "tools/base/visible.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    int color;
    int quiet;
    int verbose;
    int is_set;
    hone_command_id command;
} state = {.command = HONE_N_COMMANDS};

static int color_by_default(void)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");

    return isatty(STDERR_FILENO) && !(no_color && no_color[0]) &&
           !(term && strcmp(term, "dumb") == 0);
}

void hone__message_setup(const hone_options *options)
{
    state.quiet = options->text[HONE_OPT_QUIET] != NULL;
    state.verbose = options->text[HONE_OPT_VERBOSE] != NULL;
    state.color = hone__options_is(options, HONE_OPT_COLOR, "always") ||
                  (!hone__options_is(options, HONE_OPT_COLOR, "never") &&
                   color_by_default());
    state.is_set = 1;
    state.command = options->command;
}

int hone__message_color(void)
{
    return state.is_set ? state.color : color_by_default();
}

int hone__message_quiet(void)
{
    return state.quiet;
}

/* Sentences quote what was read. */
static void put_visible(const char *text)
{
    hone_text visible = {0};

    hone__text_visible(text, strlen(text), "\n\t", &visible);
    (void)fputs(hone__text_str(&visible), stderr);
    hone__text_free(&visible);
}

static void say(const char *prefix, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

static void say(const char *prefix, const char *format, va_list args)
{
    char line[4096]; /* what is longer is cut: sentences are not */
    const int length = vsnprintf(line, sizeof line, format, args);

    hone__progress_wipe();
    (void)fputs(prefix, stderr);
    if (length > 0)
        put_visible(line);
    (void)fputc('\n', stderr);
}

void hone__message_negative(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say(hone__message_color() ? "hone: \033[1;31merror:\033[0m "
                              : "hone: error: ",
        format, args);
    va_end(args);
}

/* The disk is the environment's fault, not the input's. 13: SQLITE_FULL. */
static int is_full_disk(const hone_error *err)
{
    return (err->domain == HONE_DOMAIN_SQLITE && (err->native & 0xff) == 13) ||
           (err->domain == HONE_DOMAIN_ERRNO &&
            (err->native == ENOSPC || err->native == EDQUOT));
}

hone_exit hone__message_error(const hone_error *err)
{
    hone__message_negative("%s", err->text[0] ? err->text
                                              : hone_status_text(err->status));
    if (err->status == HONE_ERR_INTERNAL)
        (void)fputs("hone: this is a bug of hone; please report it with the "
                    "command line and the output of 'hone doctor'.\n",
                    stderr);
    if (err->status == HONE_ERR_ARGUMENT)
        (void)fprintf(stderr, "Try 'hone %s%s--help'.\n",
                      state.command == HONE_N_COMMANDS
                          ? ""
                          : hone__commands[state.command].name,
                      state.command == HONE_N_COMMANDS ? "" : " ");
    return is_full_disk(err) ? HONE_EXIT_ENVIRONMENT
                             : hone__exit_of_status(err->status);
}

void hone__message_note(const char *format, ...)
{
    va_list args;

    if (state.quiet)
        return;
    va_start(args, format);
    say("hone: ", format, args);
    va_end(args);
}

void hone__message_detail(const char *format, ...)
{
    va_list args;

    if (!state.verbose)
        return;
    va_start(args, format);
    say("hone: ", format, args);
    va_end(args);
}

void hone__message_raw(const char *text)
{
    hone__progress_wipe();
    put_visible(text);
}

hone_exit hone__exit_of_status(hone_status status)
{
    switch (status) {
#define EXIT_OF_STATUS(name, code)                                             \
    case name:                                                                 \
        return HONE_EXIT_##code;
        HONE_STATUS_EXIT_MAP(EXIT_OF_STATUS)
#undef EXIT_OF_STATUS
    }
    return HONE_EXIT_BUG;
}
