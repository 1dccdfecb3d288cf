/* SPDX-License-Identifier: Apache-2.0 */
/* hone top: a running tune, looked at again and again. */
#include "tools/base/commands.h"
#include "tools/base/message.h"
#include "tools/base/option_value.h"
#include "tools/base/output.h"
#include "tools/base/process.h"
#include "tools/base/progress.h"
#include "tools/inputs/open_to_read.h"
#include "tools/live/watch.h"
#include "tuner/process/worker.h"

#include <time.h>
#include <unistd.h>

#define DRAW_EVERY_S 0.5
#define LINE_EVERY_S 5.0
#define QUIET_FOR_S                                                            \
    10.0 /* nothing runs: between two shapes there is a pause                  \
          */

typedef struct watching {
    const hone_options *options;
    const char *path;
    const volatile sig_atomic_t *stop;
    hone_db *db;
    hone_watch tune;
    int is_any; /* the tune is one */
    int is_on_screen;
    int is_unicode;
    double last_ran_s; /* when something ran; of hone__now_s() */
    double last_line_s;
} watching;

static int64_t now_unix_s(void)
{
    return (int64_t)time(NULL);
}

/* ---- one look ------------------------------------------------------------ */

/* A file that is busy, or is not there yet and is waited for, is none. */
static hone_status look(watching *w, hone_error *err)
{
    hone_status status = HONE_OK;

    if (!w->db)
        status = hone__open_to_read(w->path, &w->db, err);
    if (status == HONE_OK)
        status = hone__watch_read(w->db, &w->tune, &w->is_any, err);
    if (status == HONE_ERR_BUSY ||
        (status == HONE_ERR_NOT_FOUND && w->options->text[HONE_OPT_FOLLOW]))
        return HONE_OK;
    return status;
}

static hone_exit print_once(const watching *w)
{
    hone_output *output = hone__output_begin(
        w->options, "implementations",
        "name=implementation, trials:n, ok:n, device_time_ns:t=device time, "
        "best_ns:t=best, default_ns:t=default",
        hone__watch_json(&w->tune, now_unix_s()));

    for (size_t i = 0; i < w->tune.n_implementations; ++i)
        hone__output_row(output, hone__watch_implementation_json(&w->tune, i));
    return hone__output_end(output, hone__json(""));
}

/* The page as text, of any height; what a terminal keeps, too. */
static hone_exit print_page(const watching *w, int n_columns)
{
    const hone_watch_page page = {.n_columns = n_columns,
                                  .is_unicode = w->is_unicode};
    hone_text text = {0};

    hone__watch_draw(&w->tune, &page, now_unix_s(), &text);
    return hone__output_text(&text);
}

static hone_exit once(watching *w)
{
    hone_watch_page page;
    hone_error err = {0};
    const hone_status status = look(w, &err);

    if (status != HONE_OK)
        return hone__message_error(&err);
    if (!w->is_any) {
        (void)hone__fail(&err, HONE_ERR_NOT_FOUND,
                         "%s has no session; run: hone tune TEMPLATE --db %s",
                         w->path, w->path);
        return hone__message_error(&err);
    }
    if (!hone__output_is_text(w->options))
        return print_once(w);
    hone__screen_size(&page);
    return print_page(w, isatty(STDOUT_FILENO) ? page.n_columns : 1000);
}

/* ---- again and again ----------------------------------------------------- */

static void show_page(const watching *w)
{
    hone_watch_page page = {.is_unicode = w->is_unicode,
                            .is_bold = hone__message_color()};
    hone_text text = {0};

    hone__screen_size(&page);
    if (w->is_any)
        hone__watch_draw(&w->tune, &page, now_unix_s(), &text);
    else
        hone__text_printf(&text, "waiting for a tune in %s\n", w->path);
    hone__screen_show(&text);
    hone__text_free(&text);
}

static hone_status show_line(watching *w, hone_error *err)
{
    const double every_s = w->options->text[HONE_OPT_INTERVAL]
                               ? (double)w->options->number[HONE_OPT_INTERVAL]
                               : LINE_EVERY_S;
    const double t = hone__now_s();
    hone_text text = {0};
    hone_status status;
    int is_written;

    if (!w->is_any || (w->last_line_s > 0 && t - w->last_line_s < every_s))
        return HONE_OK;
    w->last_line_s = t;
    hone__watch_line(&w->tune, now_unix_s(), &text);
    status = hone__text_check(&text, err);
    is_written = status != HONE_OK ||
                 hone__write_all(STDOUT_FILENO, text.data, text.length) == 0;
    hone__text_free(&text);
    return is_written ? status
                      : hone__fail(err, HONE_ERR_IO, "cannot write to stdout");
}

/* Until nothing runs, or somebody wants it to end. */
static hone_status watch(watching *w, int *out_quit, hone_error *err)
{
    w->last_ran_s = hone__now_s();
    while (!*w->stop && !*out_quit) {
        HONE_TRY(look(w, err));
        if (w->tune.is_running)
            w->last_ran_s = hone__now_s();
        if (w->is_on_screen)
            show_page(w);
        else
            HONE_TRY(show_line(w, err));
        if (!w->options->text[HONE_OPT_FOLLOW] &&
            hone__now_s() - w->last_ran_s > QUIET_FOR_S)
            break;
        *out_quit = hone__screen_wait(DRAW_EVERY_S);
    }
    return HONE_OK;
}

static hone_exit watch_until_end(watching *w)
{
    hone_error err = {0};
    hone_watch_page page = {.n_columns = 80};
    hone_status status;
    int quit = 0;

    w->stop = hone__interrupt_flag();
    w->is_on_screen = hone__screen_is_there();
    if (w->is_on_screen)
        hone__screen_begin();
    status = watch(w, &quit, &err);
    hone__screen_end();
    if (status != HONE_OK)
        return hone__message_error(&err);
    if (w->is_on_screen && w->is_any) {
        hone__screen_size(&page);
        (void)print_page(w, page.n_columns);
    }
    return *w->stop ? HONE_EXIT_INTERRUPTED : HONE_EXIT_DONE;
}

hone_exit hone__cmd_top(const hone_options *options)
{
    hone_text path = {0};
    hone_error err = {0};
    hone_exit code;
    watching w = {.options = options, .is_unicode = hone__screen_is_unicode()};

    if (hone__locate_db(options, &path, &err) != HONE_OK) {
        code = hone__message_error(&err);
    } else {
        w.path = hone__text_str(&path);
        code = options->text[HONE_OPT_ONCE] || !hone__output_is_text(options)
                   ? once(&w)
                   : watch_until_end(&w);
    }
    hone__watch_free(&w.tune);
    hone__db_close(w.db);
    hone__text_free(&path);
    return code;
}
