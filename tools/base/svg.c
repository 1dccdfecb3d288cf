/* SPDX-License-Identifier: Apache-2.0 */
/* Figures as SVG: see svg.h. */
#include "tools/base/svg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const hone__svg_colors[HONE_SVG_COLORS] = {
    "#d1495b", "#2f7fd6", "#3a9a3a", "#c87400", "#8b5cf6", "#0f94a6",
    "#c04ec0", "#8f8000", "#e0559b", "#9a6b55", "#5f82a8", "#6f9400",
};

/* Of heat maps, the first the best. */
static const char *const shades[HONE_SVG_SHADES] = {
    "#1f6fb8", "#3a86c4", "#5b9ecb", "#7fb2cf", "#a3bfc9", "#b9bfc2", "#8d8d8d",
};

/* ---- the frame ------------------------------------------------------------
 */

static void put_style(hone_text *out)
{
    hone__text_puts(out,
                    "<style>text{font:13px sans-serif;fill:" HONE_SVG_GREY "}"
                    ".s{font-size:11px}.b{font-weight:bold}"
                    ".g{stroke:" HONE_SVG_GREY ";stroke-opacity:.35;fill:none}"
                    ".one{stroke:" HONE_SVG_GREY ";fill:none}"
                    ".line{stroke:currentColor;fill:none;stroke-width:2}"
                    ".thin{stroke-width:1;stroke-opacity:.45}"
                    ".dash{stroke-dasharray:6 4}"
                    ".dot,.bar{fill:currentColor}"
                    ".open{fill:none;stroke:currentColor;stroke-width:1.6}");
    for (int i = 0; i < HONE_SVG_COLORS; ++i)
        hone__text_printf(out, ".c%d{color:%s}", i, hone__svg_colors[i]);
    for (int i = 0; i < HONE_SVG_SHADES; ++i)
        hone__text_printf(out, ".h%d{fill:%s}", i, shades[i]);
    hone__text_puts(out, ".on{fill:#fff}.off{fill:#000}</style>\n");
}

void hone__svg_write(hone_svg *svg, hone_text *out)
{
    hone__text_puts(out, "<svg");
    if (!svg->id)
        hone__markup(out,
                     " xmlns=\"http://www.w3.org/2000/svg\" width=\"%f\""
                     " height=\"%f\"",
                     svg->width, svg->height);
    hone__markup(out, " viewBox=\"0 0 %f %f\" role=\"img\"", svg->width,
                 svg->height);
    if (svg->id)
        hone__markup(out, " aria-labelledby=\"%s-t%s%s%s\"", svg->id,
                     svg->description[0] ? " " : "",
                     svg->description[0] ? svg->id : "",
                     svg->description[0] ? "-d" : "");
    hone__text_puts(out, "><title");
    if (svg->id)
        hone__markup(out, " id=\"%s-t\"", svg->id);
    hone__markup(out, ">%s</title>\n", svg->title);
    if (svg->description[0]) {
        hone__text_puts(out, "<desc");
        if (svg->id)
            hone__markup(out, " id=\"%s-d\"", svg->id);
        hone__markup(out, ">%s</desc>\n", svg->description);
    }
    if (!svg->id)
        put_style(out);
    hone__text_append(out, hone__text_str(&svg->body), svg->body.length);
    out->failed |= svg->body.failed;
    hone__text_puts(out, "</svg>\n");
    hone__text_free(&svg->body);
}

void hone__svg_label(hone_text *out, double x, double y, const char *anchor,
                     const char *text)
{
    hone__markup(out, "<text x=\"%f\" y=\"%f\" text-anchor=\"%s\">%s</text>\n",
                 x, y, anchor, text);
}

void hone__svg_line(hone_text *out, double x1, double y1, double x2, double y2)
{
    hone__markup(out, "<path class=\"g\" d=\"M%f %fL%f %f\"/>\n", x1, y1, x2,
                 y2);
}

void hone__svg_fit(const char *text, size_t most_characters, char *out,
                   size_t size)
{
    size_t n = 0, end = 0, cut = 0;

    for (; text[end]; ++end) {
        if (((unsigned char)text[end] & 0xc0) == 0x80)
            continue;
        if (n + 1 == most_characters)
            cut = end;
        ++n;
    }
    if (n <= most_characters && end < size)
        (void)snprintf(out, size, "%s", text);
    else
        (void)snprintf(out, size, "%.*s\xe2\x80\xa6",
                       (int)(cut + 4 < size ? cut : size - 4), text);
}

enum { MOST_TICKS = 12 };

/* ---- axes -----------------------------------------------------------------
 */

static double place(const hone_svg_scale *scale, double value)
{
    return scale->is_log ? log(value) : value;
}

double hone__svg_at(const hone_svg_scale *scale, double value)
{
    const double low = place(scale, scale->low);
    const double high = place(scale, scale->high);
    double share;

    if (!(value > scale->low))
        value = scale->low;
    if (value > scale->high)
        value = scale->high;
    share = high > low ? (place(scale, value) - low) / (high - low) : 0.5;
    return scale->from + share * (scale->to - scale->from);
}

/* 1, 2, 5 of each power of ten, or fewer of them; where the scale has less
 * than two of those, as on a linear one. */
static size_t log_ticks(const hone_svg_scale *scale, double out[MOST_TICKS])
{
    const double decades = log10(scale->high / scale->low);
    const int step = decades > 6 ? (int)ceil(decades / 6) : 1;
    size_t n = 0;

    for (int e = (int)floor(log10(scale->low)) / step * step - step;
         pow(10, e) <= scale->high * 1.0001; e += step)
        for (int m = 0; m < 3; ++m) {
            static const double factors[] = {1, 2, 5};
            const double value = factors[m] * pow(10, e);

            if ((m && decades > 2.5) || n == MOST_TICKS ||
                value < scale->low * 0.9999 || value > scale->high * 1.0001)
                continue;
            out[n++] = value;
        }
    return n;
}

static size_t linear_ticks(const hone_svg_scale *scale, double out[MOST_TICKS])
{
    const double range = scale->high - scale->low;
    const double unit = range > 0 ? pow(10, floor(log10(range / 4))) : 1;
    const double rough = range / 4 / unit * 1.0001;
    const double step = unit * (rough >= 5 ? 5 : rough >= 2 ? 2 : 1);
    size_t n = 0;

    for (double value = ceil(scale->low / step - 1e-9) * step;
         value <= scale->high + step * 1e-9 && n < MOST_TICKS; value += step)
        out[n++] = fabs(value) < step * 1e-9 ? 0 : value;
    return n;
}

static size_t ticks_of(const hone_svg_scale *scale, double out[MOST_TICKS])
{
    const size_t n = scale->is_log ? log_ticks(scale, out) : 0;

    return n >= 3 ? n : linear_ticks(scale, out);
}

/* "20k", "3M". */
static void tick_text(double value, char out[32])
{
    static const struct {
        double size;
        const char *suffix;
    } units[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
    const char *suffix = "";

    for (size_t i = 0; i < sizeof units / sizeof units[0]; ++i)
        if (fabs(value) >= units[i].size) {
            value /= units[i].size;
            suffix = units[i].suffix;
            break;
        }
    hone__markup_number(value, out);
    (void)snprintf(out + strlen(out), 32 - strlen(out), "%s", suffix);
}

/* Which ticks get a label: powers of ten first, then what has room beside
 * those that have one. */
static void choose_labels(const hone_svg_scale *scale, const double *ticks,
                          size_t n, double room, int out[MOST_TICKS])
{
    memset(out, 0, MOST_TICKS * sizeof *out);
    for (int pass = 0; pass < 2; ++pass)
        for (size_t i = 0; i < n; ++i) {
            const double power = log10(fabs(ticks[i]));
            int has_room =
                pass || !scale->is_log || fabs(power - round(power)) < 1e-6;

            for (size_t k = 0; k < n; ++k)
                has_room &=
                    !out[k] || fabs(hone__svg_at(scale, ticks[k]) -
                                    hone__svg_at(scale, ticks[i])) >= room;
            out[i] |= has_room;
        }
}

void hone__svg_axis_x(hone_text *out, const hone_svg_scale *scale, double top,
                      double bottom)
{
    double ticks[MOST_TICKS];
    int is_labelled[MOST_TICKS];
    const size_t n = ticks_of(scale, ticks);
    char text[32];

    choose_labels(scale, ticks, n, 34, is_labelled);
    for (size_t i = 0; i < n; ++i) {
        const double x = hone__svg_at(scale, ticks[i]);

        hone__svg_line(out, x, top, x, bottom);
        tick_text(ticks[i], text);
        if (is_labelled[i])
            hone__svg_label(out, x, bottom + 16, "middle", text);
    }
}

void hone__svg_axis_y(hone_text *out, const hone_svg_scale *scale, double left,
                      double right)
{
    double ticks[MOST_TICKS];
    int is_labelled[MOST_TICKS];
    const size_t n = ticks_of(scale, ticks);
    char text[32];

    choose_labels(scale, ticks, n, 15, is_labelled);
    for (size_t i = 0; i < n; ++i) {
        const double y = hone__svg_at(scale, ticks[i]);

        hone__svg_line(out, left, y, right, y);
        tick_text(ticks[i], text);
        if (is_labelled[i])
            hone__svg_label(out, left - 5, y + 4, "end", text);
    }
}

/* ---- legends ---------------------------------------------------------------
 */

/* Of 13 pixels high sans serif. */
static const double CHARACTER_WIDTH = 7.2;

void hone__svg_legend_add(hone_text *out, hone_svg_legend *legend,
                          const char *mark, size_t color, const char *name)
{
    char text[80];
    double width;

    hone__svg_fit(name, 48, text, sizeof text);
    width = 34 + CHARACTER_WIDTH * (double)strlen(text);
    if (legend->x > legend->left &&
        legend->x + width > legend->left + legend->width) {
        legend->x = legend->left;
        legend->y += 18;
    }
    if (strcmp(mark, "dot") == 0 || strcmp(mark, "open") == 0)
        hone__markup(out,
                     "<circle class=\"%s c%zu\" cx=\"%f\" cy=\"%f\" "
                     "r=\"4.5\"/>",
                     mark, color % HONE_SVG_COLORS, legend->x + 9,
                     legend->y - 4);
    else if (strcmp(mark, "bar") == 0)
        hone__markup(out,
                     "<rect class=\"bar c%zu\" x=\"%f\" y=\"%f\" width=\"14\" "
                     "height=\"10\"/>",
                     color % HONE_SVG_COLORS, legend->x + 2, legend->y - 9);
    else
        hone__markup(out, "<path class=\"%s c%zu\" d=\"M%f %fh18\"/>", mark,
                     color % HONE_SVG_COLORS, legend->x, legend->y - 4);
    hone__svg_label(out, legend->x + 24, legend->y, "start", text);
    legend->x += width;
}
