/* SPDX-License-Identifier: Apache-2.0 */
/* The curves of hone simulate as a figure: a large panel with the mean over
 * the spaces and its legend, below it a small one for each space.
 *
 *      +---------------------------+  legend, the
 *      |  all spaces               |  best first
 *      +---------------------------+
 *      +------+ +------+ +------+ +------+
 *      +------+ +------+ +------+ +------+ */
#include "tools/base/svg.h"
#include "tools/base/output_file.h"
#include "tools/simulate/simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 980,
    MAIN_X = 56,
    MAIN_Y = 56,
    MAIN_WIDTH = 690,
    MAIN_HEIGHT = 380,
    LEGEND_X = 770,
    LINE_HEIGHT = 20,
    GRID_Y = 520,
    GRID_COLUMNS = 4,
    CELL_WIDTH = 240,
    CELL_HEIGHT = 190,
    SMALL_WIDTH = 178,
    SMALL_HEIGHT = 118,
    DOT = 3, /* radius */
    MOST_PANELS = 40
};

/* When there are more strategies than colours. */
static const char *const dashes[] = {"", "7 4", "2 3"};
enum { N_DASHES = sizeof dashes / sizeof dashes[0] };

typedef struct figure {
    const hone_simulation *s;
    size_t order[HONE_MOST_STRATEGIES]; /* strategies, the best first */
    hone_svg svg;
} figure;

typedef struct panel {
    double x, y, width, height;
    size_t space; /* n_spaces: the mean over them */
    double floor; /* the value at the bottom; 1 is at the top */
    double step;  /* between the lines of the grid */
    int is_small;
} panel;

/* ---- where things are --------------------------------------------------- */

/* Evaluations on a logarithmic axis. */
static double x_of(const figure *f, const panel *p, size_t mark)
{
    const int64_t *marks = f->s->marks;
    const double first = log((double)marks[0]);
    const double last = log((double)marks[f->s->n_marks - 1]);

    return last > first ? p->x + p->width * (log((double)marks[mark]) - first) /
                                     (last - first)
                        : p->x + p->width / 2;
}

static double y_of(const panel *p, double fraction)
{
    return p->y + p->height * (1 - fraction) / (1 - p->floor);
}

/* The least value of a curve, 1 if there is no curve. */
static double least_value(const figure *f, size_t space, size_t strategy)
{
    hone_replay_fraction at;
    double least = 1;

    for (size_t i = 0; i < f->s->n_marks; ++i)
        if (hone__simulation_fraction(f->s, space, strategy, i, &at) &&
            at.mean < least)
            least = at.mean;
    return least;
}

/* The bottom is the tenth below the least value. One curve far below would
 * press all others together: of three and more the lowest may leave the
 * panel. */
static void set_scale(const figure *f, panel *p)
{
    double least = 1, second = 1;

    for (size_t i = 0; i < f->s->strategies.n; ++i) {
        const double value = least_value(f, p->space, i);

        if (value < least) {
            second = least;
            least = value;
        } else if (value < second) {
            second = value;
        }
    }
    if (f->s->strategies.n >= 3)
        least = second;
    p->floor = floor(fmin(least, 0.95) * 10) / 10;
    p->step = p->floor < 0.45 ? 0.2 : p->floor < 0.85 ? 0.1 : 0.05;
}

/* ---- one panel ---------------------------------------------------------- */

static void put_axes(figure *f, const panel *p)
{
    char text[32];

    for (int i = 0; 1 - i * p->step > p->floor - 0.01; ++i) {
        const double value = 1 - i * p->step;

        hone__svg_line(&f->svg.body, p->x, y_of(p, value), p->x + p->width,
                       y_of(p, value));
        hone__markup_number(value, text);
        hone__svg_label(&f->svg.body, p->x - 6, y_of(p, value) + 4, "end",
                        text);
    }
    for (size_t i = 0; i < f->s->n_marks; ++i) {
        const int is_end = i == 0 || i + 1 == f->s->n_marks;

        hone__svg_line(&f->svg.body, x_of(f, p, i), p->y + p->height,
                       x_of(f, p, i), p->y + p->height + 4);
        if (p->is_small && !is_end)
            continue;
        (void)snprintf(text, sizeof text, "%lld", (long long)f->s->marks[i]);
        hone__svg_label(&f->svg.body, x_of(f, p, i), p->y + p->height + 18,
                        "middle", text);
    }
}

/* Colour and dashes of a strategy are the same in all panels. */
static void put_stroke(figure *f, size_t strategy)
{
    const char *dash = dashes[strategy / HONE_SVG_COLORS % N_DASHES];

    hone__markup(&f->svg.body, " stroke=\"%s\"",
                 hone__svg_colors[strategy % HONE_SVG_COLORS]);
    if (dash[0])
        hone__markup(&f->svg.body, " stroke-dasharray=\"%s\"", dash);
}

static void put_curve(figure *f, const panel *p, size_t strategy)
{
    const size_t n = f->s->n_marks;
    hone_replay_fraction at;

    if (!hone__simulation_fraction(f->s, p->space, strategy, 0, &at))
        return;
    hone__markup(&f->svg.body, "<path stroke-width=\"%s\"",
                 p->is_small ? "1.5" : "2");
    put_stroke(f, strategy);
    hone__text_puts(&f->svg.body, " d=\"");
    for (size_t i = 0; i < n; ++i) {
        (void)hone__simulation_fraction(f->s, p->space, strategy, i, &at);
        hone__markup(&f->svg.body, "%s%f %f", i ? "L" : "M", x_of(f, p, i),
                     y_of(p, at.mean));
    }
    hone__text_puts(&f->svg.body, "\"/>\n");
    for (size_t i = 0; !p->is_small && i < n; ++i) {
        (void)hone__simulation_fraction(f->s, p->space, strategy, i, &at);
        hone__markup(&f->svg.body,
                     "<circle cx=\"%f\" cy=\"%f\" r=\"%d\" fill=\"%s\"/>\n",
                     x_of(f, p, i), y_of(p, at.mean), DOT,
                     hone__svg_colors[strategy % HONE_SVG_COLORS]);
    }
}

/* The best is drawn last, on top. */
static void put_panel(figure *f, panel *p)
{
    char name[64];

    if (p->space < f->s->n_spaces)
        (void)snprintf(name, sizeof name, "%s", f->s->names[p->space]);
    else
        (void)snprintf(name, sizeof name, "mean over %zu spaces",
                       f->s->n_spaces);
    set_scale(f, p);
    put_axes(f, p);
    hone__svg_label(&f->svg.body, p->x, p->y - 8, "start", name);
    hone__markup(&f->svg.body,
                 "<clipPath id=\"panel%zu\"><rect x=\"%f\" "
                 "y=\"%f\" width=\"%f\" height=\"%f\"/>"
                 "</clipPath>\n<g clip-path=\"url(#panel%zu)\">\n",
                 p->space, p->x - DOT, p->y - DOT, p->width + 2 * DOT,
                 p->height + DOT, p->space);
    for (size_t i = f->s->strategies.n; i-- > 0;)
        put_curve(f, p, f->order[i]);
    hone__text_puts(&f->svg.body, "</g>\n");
}

/* ---- the figure --------------------------------------------------------- */

static double last_value(const figure *f, size_t strategy)
{
    hone_replay_fraction at;

    (void)hone__simulation_fraction(f->s, f->s->n_spaces, strategy,
                                    f->s->n_marks - 1, &at);
    return at.mean;
}

static void sort_strategies(figure *f)
{
    for (size_t i = 0; i < f->s->strategies.n; ++i) {
        size_t k = i;

        for (; k && last_value(f, f->order[k - 1]) < last_value(f, i); --k)
            f->order[k] = f->order[k - 1];
        f->order[k] = i;
    }
}

static void put_legend(figure *f)
{
    const size_t n_marks = f->s->n_marks;
    double y = MAIN_Y + 4;
    char text[64];

    (void)snprintf(text, sizeof text, "after %lld",
                   (long long)f->s->marks[n_marks - 1]);
    hone__svg_label(&f->svg.body, WIDTH - 12, y, "end", text);
    for (size_t i = 0; i < f->s->strategies.n; ++i) {
        const size_t strategy = f->order[i];

        y += LINE_HEIGHT;
        hone__markup(&f->svg.body, "<path d=\"M%d %fh28\" stroke-width=\"3\"",
                     LEGEND_X, y - 4);
        put_stroke(f, strategy);
        hone__text_puts(&f->svg.body, "/>\n");
        hone__svg_label(&f->svg.body, LEGEND_X + 36, y, "start",
                        f->s->strategies.names[strategy]);
        hone__markup_number(last_value(f, strategy), text);
        hone__svg_label(&f->svg.body, WIDTH - 12, y, "end", text);
    }
}

static size_t n_small_panels(const hone_simulation *s)
{
    return s->n_spaces > 1 && s->n_spaces <= MOST_PANELS ? s->n_spaces : 0;
}

static double height_of(const hone_simulation *s)
{
    const size_t rows = (n_small_panels(s) + GRID_COLUMNS - 1) / GRID_COLUMNS;
    const double legend = MAIN_Y + (double)(s->strategies.n + 2) * LINE_HEIGHT;
    const double panels =
        rows ? GRID_Y + (double)rows * CELL_HEIGHT : GRID_Y - 24;

    return fmax(legend, panels);
}

static void put_head(figure *f)
{
    (void)snprintf(f->svg.title, sizeof f->svg.title,
                   "Fraction of the optimum by evaluations, mean of %lld "
                   "runs",
                   (long long)f->s->repeats);
    f->svg.width = WIDTH;
    f->svg.height = height_of(f->s);
    hone__markup(&f->svg.body,
                 "<g fill=\"none\"><text x=\"%d\" y=\"24\" "
                 "class=\"b\">%s</text>\n",
                 MAIN_X, f->svg.title);
}

static void put_panels(figure *f)
{
    panel p = {.x = MAIN_X,
               .y = MAIN_Y,
               .width = MAIN_WIDTH,
               .height = MAIN_HEIGHT,
               .space = f->s->n_spaces == 1 ? 0 : f->s->n_spaces};

    put_panel(f, &p);
    hone__svg_label(&f->svg.body, MAIN_X + MAIN_WIDTH / 2.,
                    MAIN_Y + MAIN_HEIGHT + 38, "middle", "evaluations");
    for (size_t i = 0; i < n_small_panels(f->s); ++i) {
        p = (panel){.x = MAIN_X + (double)(i % GRID_COLUMNS) * CELL_WIDTH,
                    .y = GRID_Y + (double)(i / GRID_COLUMNS) * CELL_HEIGHT,
                    .width = SMALL_WIDTH,
                    .height = SMALL_HEIGHT,
                    .space = i,
                    .is_small = 1};
        put_panel(f, &p);
    }
}

hone_status hone__simulation_svg(const hone_simulation *s, const char *path,
                                 hone_error *err)
{
    figure f = {.s = s};
    hone_text out = {0};
    hone_status status;

    sort_strategies(&f);
    put_head(&f);
    put_panels(&f);
    put_legend(&f);
    hone__text_puts(&f.svg.body, "</g>\n");
    hone__svg_write(&f.svg, &out);
    status = hone__text_check(&out, err);
    if (status == HONE_OK)
        status = hone__output_replace(path, out.data, out.length, err);
    hone__text_free(&out);
    return status;
}
