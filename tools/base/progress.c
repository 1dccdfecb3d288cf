/* SPDX-License-Identifier: Apache-2.0 */
/* The progress line: label, bar, count, rate, time left, best so far; the
 * middle gives way first when the terminal is narrow. */
#include "tools/base/progress.h"

#include "tools/base/message.h"
#include "tuner/process/worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { BAR_CELLS = 20, LINE_BYTES = 512, DEFAULT_COLUMNS = 80 };
#define DRAW_EVERY_S 0.1 /* fast enough for the eye, nothing for the CPU */
#define LINE_EVERY_S 5.0 /* in a log */

static struct {
    int is_active;
    int in_place; /* a terminal that can rewrite its line */
    int is_drawn;
    char label[96];
    double start_s;
    double work_s; /* when the first of it was done: set-up is no rate */
    double last_s;
    int64_t first_done; /* resumed work is not part of the rate */
} bar;

static size_t columns(void)
{
    struct winsize size;

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 10)
        return size.ws_col;
    return DEFAULT_COLUMNS;
}

void hone__progress_begin(const char *label)
{
    const char *term = getenv("TERM");

    memset(&bar, 0, sizeof bar);
    if (hone__message_quiet())
        return;
    bar.is_active = 1;
    bar.in_place =
        isatty(STDERR_FILENO) && !(term && strcmp(term, "dumb") == 0);
    (void)snprintf(bar.label, sizeof bar.label, "%s", label);
    bar.start_s = hone__now_s();
    bar.last_s = bar.start_s;
    bar.first_done = -1;
}

static void time_left_text(double left_s, char *out, size_t size)
{
    if (left_s < 0)
        (void)snprintf(out, size, "?");
    else if (left_s < 90)
        (void)snprintf(out, size, "%.0fs", left_s);
    else if (left_s < 5400)
        (void)snprintf(out, size, "%.0fm", left_s / 60);
    else
        (void)snprintf(out, size, "%.1fh", left_s / 3600);
}

/* Seconds to go: whichever of count and time budget ends first. */
static double time_left(const hone_progress_step *step, double rate,
                        double elapsed_s)
{
    double left = -1;

    if (step->n_total > 0 && rate > 0)
        left = (double)(step->n_total - step->n_done) / rate;
    if (step->budget_s > 0) {
        const double rest = step->budget_s - elapsed_s;

        if (left < 0 || rest < left)
            left = rest > 0 ? rest : 0;
    }
    return left;
}

static double fraction(const hone_progress_step *step, double elapsed_s)
{
    double f = 0;

    if (step->n_total > 0)
        f = (double)step->n_done / (double)step->n_total;
    if (step->budget_s > 0 && elapsed_s / step->budget_s > f)
        f = elapsed_s / step->budget_s;
    return f > 1 ? 1 : f;
}

static void format_line(const hone_progress_step *step, double elapsed_s,
                        char *out)
{
    const double work = (double)(step->n_done - bar.first_done);
    const double worked_s = bar.start_s + elapsed_s - bar.work_s;
    const double rate = worked_s > 0 ? work / worked_s : 0;
    char left[32], total[32] = "";

    time_left_text(time_left(step, rate, elapsed_s), left, sizeof left);
    if (step->n_total > 0)
        (void)snprintf(total, sizeof total, "/%lld", (long long)step->n_total);
    (void)snprintf(out, LINE_BYTES, "%lld%s %s  %.1f/s  left %s%s%s%s%s",
                   (long long)step->n_done, total, step->unit, rate, left,
                   step->failures[0] ? "  " : "", step->failures,
                   step->best[0] ? "  best " : "", step->best);
}

/* Cut to `width` columns, giving up the middle. ASCII. */
static void elide(char *line, size_t width)
{
    const size_t length = strlen(line);
    const size_t head = width / 2 > 2 ? width / 2 - 2 : 0;
    const size_t tail = width > head + 3 ? width - head - 3 : 0;

    if (length <= width)
        return;
    memcpy(line + head, "...", 3);
    memmove(line + head + 3, line + length - tail, tail + 1);
}

static void draw(const hone_progress_step *step, double elapsed_s)
{
    const int filled = (int)(fraction(step, elapsed_s) * BAR_CELLS);
    const int color = hone__message_color();
    const size_t width = columns() - 1;
    const size_t used = strlen(bar.label) + BAR_CELLS + 5;
    char line[LINE_BYTES], cells[BAR_CELLS + 1];

    format_line(step, elapsed_s, line);
    memset(cells, '.', BAR_CELLS);
    memset(cells, '#', (size_t)filled);
    cells[BAR_CELLS] = '\0';
    elide(line, width > used + 10 ? width - used : 10);
    (void)fprintf(stderr, "\r\033[K%s [%s%s%s] %s", bar.label,
                  color ? "\033[32m" : "", cells, color ? "\033[0m" : "", line);
    (void)fflush(stderr);
    bar.is_drawn = 1;
}

void hone__progress_show(const hone_progress_step *step)
{
    const double t = hone__now_s();
    char line[LINE_BYTES];

    if (!bar.is_active)
        return;
    if (bar.first_done < 0)
        bar.first_done = step->n_done;
    if (step->n_done == bar.first_done)
        bar.work_s = t;
    if (t - bar.last_s < (bar.in_place ? DRAW_EVERY_S : LINE_EVERY_S) &&
        (bar.is_drawn || !bar.in_place))
        return;
    bar.last_s = t;
    if (bar.in_place) {
        draw(step, t - bar.start_s);
        return;
    }
    format_line(step, t - bar.start_s, line);
    (void)fprintf(stderr, "hone: %s: %s\n", bar.label, line);
}

void hone__progress_wipe(void)
{
    if (bar.is_drawn) {
        (void)fputs("\r\033[K", stderr);
        bar.is_drawn = 0;
    }
}

void hone__progress_end(void)
{
    hone__progress_wipe();
    bar.is_active = 0;
}

void hone__time_text(double time_ns, char *out)
{
    static const struct {
        double scale;
        const char *unit;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
    size_t i = 0;

    while (i < 3 && time_ns < units[i].scale * 0.99995)
        ++i;
    (void)snprintf(out, 32, "%.*f %s",
                   time_ns >= 99.995 * units[i].scale   ? 1
                   : time_ns >= 9.9995 * units[i].scale ? 2
                                                        : 3,
                   time_ns / units[i].scale, units[i].unit);
}

/* ---- without a count ---------------------------------------------------- */

/* A thread beside the work. Without one nothing is said. */
static void *watch(void *user)
{
    hone_waiting *w = user;
    struct timespec until;
    long seconds = 1, said = 0;

    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    (void)pthread_mutex_lock(&w->mutex);
    while (!w->is_over) {
        until.tv_sec += seconds - said;
        while (!w->is_over &&
               pthread_cond_timedwait(&w->changed, &w->mutex, &until) == 0)
            ;
        if (!w->is_over)
            hone__message_note("%s: %ld s so far", w->what, seconds);
        said = seconds;
        seconds *= 2;
    }
    (void)pthread_mutex_unlock(&w->mutex);
    return NULL;
}

void hone__waiting_begin(hone_waiting *waiting, const char *what,
                         const char *of)
{
    pthread_condattr_t attributes;

    *waiting = (hone_waiting){.is_over = 0};
    (void)snprintf(waiting->what, sizeof waiting->what, "%s %.100s", what, of);
    if (pthread_condattr_init(&attributes) != 0)
        return;
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_mutex_init(&waiting->mutex, NULL);
    (void)pthread_cond_init(&waiting->changed, &attributes);
    (void)pthread_condattr_destroy(&attributes);
    waiting->is_started =
        pthread_create(&waiting->thread, NULL, watch, waiting) == 0;
}

void hone__waiting_end(hone_waiting *waiting)
{
    if (!waiting->is_started)
        return;
    (void)pthread_mutex_lock(&waiting->mutex);
    waiting->is_over = 1;
    (void)pthread_cond_signal(&waiting->changed);
    (void)pthread_mutex_unlock(&waiting->mutex);
    (void)pthread_join(waiting->thread, NULL);
    (void)pthread_cond_destroy(&waiting->changed);
    (void)pthread_mutex_destroy(&waiting->mutex);
}
