/* SPDX-License-Identifier: Apache-2.0 */
/* Text in the lines of a terminal: see wrap.h. */
#include "tools/base/wrap.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LEAST_LIMIT = 36 }; /* less is taken for no terminal at all */

size_t hone__wrap_limit(void)
{
    const char *columns = getenv("COLUMNS");
    const long named = columns ? strtol(columns, NULL, 10) : 0;
    struct winsize size;

    if (named >= LEAST_LIMIT)
        return (size_t)named;
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
        size.ws_col >= LEAST_LIMIT)
        return size.ws_col;
    return 0;
}

static int begins_character(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

size_t hone__wrap_line(const char *text, size_t length)
{
    size_t n = 0;

    for (size_t i = 0; i < length; ++i)
        n += (size_t)begins_character(text[i]);
    return n;
}

size_t hone__wrap_width(const char *text)
{
    size_t most = 0;

    for (;;) {
        const size_t length = strcspn(text, "\n");
        const size_t width = hone__wrap_line(text, length);

        most = width > most ? width : most;
        if (!text[length])
            return most;
        text += length + 1;
    }
}

size_t hone__wrap_word(const char *text)
{
    size_t most = 0;

    while (*text) {
        size_t length = strcspn(text, " ,\n"), width;

        length += text[length] == ',';
        width = hone__wrap_line(text, length);
        most = width > most ? width : most;
        text += length + (text[length] == ' ' || text[length] == '\n');
    }
    return most;
}

size_t hone__wrap_fitting(const char *text, size_t length, size_t width,
                          size_t *out_skip)
{
    size_t n = 0, columns = 0, word = 0, part = 0;

    *out_skip = 0;
    while (n < length) {
        columns += (size_t)begins_character(text[n]);
        if (columns > width)
            break;
        ++n;
        if (n == length || text[n] == ' ' || text[n - 1] == ',')
            word = n;
        else if (strchr("=/:_", text[n - 1]))
            part = n;
    }
    if (n == length)
        return n;
    if (word) {
        *out_skip = text[word] == ' ';
        return word;
    }
    return part ? part : n;
}

void hone__wrap(const char *text, size_t used, size_t indent, size_t limit,
                hone_text *out)
{
    for (int is_first = 1; *text || is_first; is_first = 0) {
        const size_t begin = is_first ? used : indent;
        const size_t length = strcspn(text, "\n");
        const size_t room = !limit          ? SIZE_MAX
                            : limit > begin ? limit - begin
                                            : 1;
        size_t skip = 0;
        const size_t n = hone__wrap_fitting(text, length, room, &skip);

        if (!is_first)
            hone__text_printf(out, "%*s", (int)indent, "");
        hone__text_append(out, text, n);
        hone__text_puts(out, "\n");
        text += n + skip;
        text += n + skip == length && *text == '\n';
    }
}
