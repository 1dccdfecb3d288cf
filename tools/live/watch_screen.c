/* SPDX-License-Identifier: Apache-2.0 */
/* The terminal of `hone top`: see watch.h. Sequences that every terminal of
 * the last thirty years has; a library for terminals would be a dependency of
 * hone for one page. */
#include "tools/live/watch.h"

#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define OTHER_SCREEN "\033[?1049h\033[?25l" /* and no cursor */
#define OWN_SCREEN "\033[?25h\033[?1049l"
#define HOME "\033[H"
#define REST_OF_LINE "\033[K"
#define REST_OF_SCREEN "\033[J"

static struct {
    int is_begun;
    int has_keys; /* stdin is a terminal, and `before` how it was */
    struct termios before;
} screen;

int hone__screen_is_there(void)
{
    const char *term = getenv("TERM");

    return isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb") != 0;
}

int hone__screen_is_unicode(void)
{
    /* The program speaks the C locale everywhere else. */
    int is_unicode;

    (void)setlocale(LC_CTYPE, "");
    is_unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    (void)setlocale(LC_CTYPE, "C");
    return is_unicode;
}

static void write_text(const char *text, size_t length)
{
    (void)hone__write_all(STDOUT_FILENO, text, length);
}

void hone__screen_begin(void)
{
    struct termios keys;

    screen.is_begun = 1;
    screen.has_keys = tcgetattr(STDIN_FILENO, &screen.before) == 0;
    if (screen.has_keys) {
        keys = screen.before;
        keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        /* Stopped in the background it would leave the other screen there. */
        keys.c_cc[VSUSP] = _POSIX_VDISABLE;
        keys.c_cc[VMIN] = 0;
        keys.c_cc[VTIME] = 0;
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &keys);
    }
    write_text(OTHER_SCREEN, strlen(OTHER_SCREEN));
}

void hone__screen_end(void)
{
    if (!screen.is_begun)
        return;
    write_text(OWN_SCREEN, strlen(OWN_SCREEN));
    if (screen.has_keys)
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &screen.before);
    screen.is_begun = 0;
}

void hone__screen_size(hone_watch_page *page)
{
    struct winsize size;

    page->n_columns = 80;
    page->n_lines = 24;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
        return;
    if (size.ws_col > 10)
        page->n_columns = size.ws_col;
    if (size.ws_row > 2)
        page->n_lines = size.ws_row;
}

void hone__screen_show(const hone_text *page)
{
    hone_text all = {0};
    const char *text = hone__text_str(page);

    hone__text_puts(&all, HOME);
    while (*text) {
        const size_t length = strcspn(text, "\n");

        hone__text_append(&all, text, length);
        hone__text_puts(&all, REST_OF_LINE);
        text += length;
        if (*text == '\n')
            ++text;
        /* The last line has no newline, which would scroll. */
        if (*text)
            hone__text_puts(&all, "\r\n");
    }
    hone__text_puts(&all, REST_OF_SCREEN);
    write_text(hone__text_str(&all), all.failed ? 0 : all.length);
    hone__text_free(&all);
}

int hone__screen_wait(double seconds)
{
    struct pollfd keys = {.fd = screen.has_keys ? STDIN_FILENO : -1,
                          .events = POLLIN};
    char key = 0;

    if (poll(&keys, 1, (int)(seconds * 1000)) <= 0 || !screen.has_keys)
        return 0;
    return read(STDIN_FILENO, &key, 1) == 1 && (key == 'q' || key == 'Q');
}
