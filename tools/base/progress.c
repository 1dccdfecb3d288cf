/* SPDX-License-Identifier: Apache-2.0 */
/* The progress line, or one for each device: label, bar, count, rate, time
 * left, best so far; the middle gives way first when the terminal is narrow. */
#include "tools/base/progress.h"

#include "tools/base/visible.h"

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

typedef struct progress_row {
    char label[96];
    double start_s;
    double work_s;      /* when the first of it was done: set-up is no rate */
    double last_s;      /* when it was last made */
    int64_t first_done; /* resumed work is not part of the rate */
    char text[2 * LINE_BYTES]; /* as it is on the terminal */
} progress_row;

static struct {
    int is_active;
    int in_place; /* a terminal that can rewrite its lines */
    size_t n_drawn;
    size_t n; /* rows */
    progress_row rows[HONE_PROGRESS_MOST_ROWS];
    double last_s; /* when they were last drawn */
} bar;

static size_t columns(size_t *out_lines)
{
    struct winsize size;
    const int is_known =
        ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 10;

    *out_lines = is_known && size.ws_row > 2 ? size.ws_row - 1u : bar.n;
    return is_known ? size.ws_col : DEFAULT_COLUMNS;
}

static void begin_row(progress_row *row, const char *label)
{
    row->text[0] = '\0';
    row->first_done = -1;
    row->start_s = hone__now_s();
    row->work_s = row->start_s;
    row->last_s = row->start_s;
    (void)snprintf(row->label, sizeof row->label, "%s", label);
    hone__string_visible(row->label);
}

void hone__progress_begin_rows(size_t n)
{
    const char *term = getenv("TERM");

    memset(&bar, 0, sizeof bar);
    if (hone__message_quiet())
        return;
    bar.is_active = 1;
    bar.in_place =
        isatty(STDERR_FILENO) && !(term && strcmp(term, "dumb") == 0);
    bar.n = n < HONE_PROGRESS_MOST_ROWS ? n : HONE_PROGRESS_MOST_ROWS;
    for (size_t i = 0; i < bar.n; ++i)
        begin_row(&bar.rows[i], "");
}

void hone__progress_begin(const char *label)
{
    hone__progress_begin_rows(1);
    begin_row(&bar.rows[0], label);
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

static void format_line(const progress_row *row, const hone_progress_step *step,
                        double elapsed_s, char *out)
{
    const double work = (double)(step->n_done - row->first_done);
    const double worked_s = row->start_s + elapsed_s - row->work_s;
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

/* All rows, as far as the terminal is high. */
static void draw(size_t n_lines)
{
    const size_t n = bar.n < n_lines ? bar.n : n_lines;

    hone__progress_wipe();
    for (size_t i = 0; i < n; ++i)
        (void)fprintf(stderr, "%s\r\033[K%s", i ? "\n" : "", bar.rows[i].text);
    (void)fflush(stderr);
    bar.n_drawn = n;
    bar.last_s = hone__now_s();
}

static void make_text(progress_row *row, const hone_progress_step *step,
                      double elapsed_s, size_t width)
{
    const int filled = (int)(fraction(step, elapsed_s) * BAR_CELLS);
    const int color = hone__message_color();
    const size_t used = strlen(row->label) + BAR_CELLS + 5;
    char line[LINE_BYTES], cells[BAR_CELLS + 1];

    format_line(row, step, elapsed_s, line);
    memset(cells, '.', BAR_CELLS);
    memset(cells, '#', (size_t)filled);
    cells[BAR_CELLS] = '\0';
    elide(line, width > used + 10 ? width - used : 10);
    (void)snprintf(row->text, sizeof row->text, "%s [%s%s%s] %s", row->label,
                   color ? "\033[32m" : "", cells, color ? "\033[0m" : "",
                   line);
}

static void show(progress_row *row, const hone_progress_step *step)
{
    const double t = hone__now_s();
    const double since_s = t - (bar.in_place ? bar.last_s : row->last_s);
    char line[LINE_BYTES];

    if (row->first_done < 0)
        row->first_done = step->n_done;
    if (step->n_done == row->first_done)
        row->work_s = t;
    if (since_s < (bar.in_place ? DRAW_EVERY_S : LINE_EVERY_S) &&
        ((bar.n_drawn && row->text[0]) || !bar.in_place))
        return;
    row->last_s = t;
    if (bar.in_place) {
        size_t n_lines;
        const size_t width = columns(&n_lines) - 1;

        make_text(row, step, t - row->start_s, width);
        draw(n_lines);
        return;
    }
    format_line(row, step, t - row->start_s, line);
    (void)fprintf(stderr, "hone: %s: %s\n", row->label, line);
}

void hone__progress_show(const hone_progress_step *step)
{
    if (bar.is_active)
        show(&bar.rows[0], step);
}

void hone__progress_show_row(size_t i, const char *label,
                             const hone_progress_step *step)
{
    if (!bar.is_active || i >= bar.n)
        return;
    if (strncmp(bar.rows[i].label, label, sizeof bar.rows[i].label - 1) != 0)
        begin_row(&bar.rows[i], label);
    if (step)
        show(&bar.rows[i], step);
    else
        (void)snprintf(bar.rows[i].text, sizeof bar.rows[i].text, "%s", label);
}

void hone__progress_wipe(void)
{
    if (bar.n_drawn)
        (void)fputs("\r\033[K", stderr);
    while (bar.n_drawn > 1) {
        (void)fputs("\033[A\033[K", stderr);
        --bar.n_drawn;
    }
    bar.n_drawn = 0;
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
