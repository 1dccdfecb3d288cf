/* SPDX-License-Identifier: Apache-2.0 */
/* Figures as SVG: frame, labels, axes, legends. What stands between is the
 * chart's own, written by hone__markup().
 *
 * A figure may stand alone in a file or in a page. Alone it has no background,
 * so that it can stand on any: all colours, that of the text too, have a
 * luminance in the middle, with a contrast of 3 or more to white and to near
 * black. A style sheet that asks for the reader's colour scheme was rejected: a
 * page that shows the file need not follow it. In a page the page's own style
 * sheet has the classes:
 *   t text   g lines of the grid   c0 .. c11 colours ("color")
 *   line, dot, open, bar: drawn in the colour   h0 .. h6: shades, dark to light
 */
#ifndef HONE_TOOLS_SVG_H
#define HONE_TOOLS_SVG_H

#include "tools/base/markup.h"

enum { HONE_SVG_COLORS = 12, HONE_SVG_SHADES = 7 };
#define HONE_SVG_GREY "#808080"
extern const char *const hone__svg_colors[HONE_SVG_COLORS];

typedef struct hone_svg {
    double width, height;
    char title[320];
    char description[600]; /* "": none */
    const char *id;        /* unique in its page; NULL: it stands alone */
    hone_text body;
} hone_svg;

/* Append the whole figure and free its body. */
void hone__svg_write(hone_svg *svg, hone_text *out);

/* `anchor` is start, middle or end. */
void hone__svg_label(hone_text *out, double x, double y, const char *anchor,
                     const char *text);
void hone__svg_line(hone_text *out, double x1, double y1, double x2, double y2);
/* Append the beginning of a text that fits, with an ellipsis where it is cut.
 */
void hone__svg_fit(const char *text, size_t most_characters, char *out,
                   size_t size);

/* ---- axes -----------------------------------------------------------------
 */

typedef struct hone_svg_scale {
    double low, high; /* values; of a logarithmic one above 0 */
    double from, to;  /* where these are; `to` may be less */
    int is_log;
} hone_svg_scale;

/* Where a value is, not outside of the scale. */
double hone__svg_at(const hone_svg_scale *scale, double value);

/* Grid lines and labels ("1.5", "20k") at round values: below from `top` to
 * `bottom`, or left of `left`. */
void hone__svg_axis_x(hone_text *out, const hone_svg_scale *scale, double top,
                      double bottom);
void hone__svg_axis_y(hone_text *out, const hone_svg_scale *scale, double left,
                      double right);

/* ---- legends ---------------------------------------------------------------
 */

typedef struct hone_svg_legend {
    double x, y; /* where the next entry begins */
    double left, width;
} hone_svg_legend;

/* A mark (dot, open, line or bar) in a colour with its name; entries that do
 * not fit go to the next line. The last line is at `y`. */
void hone__svg_legend_add(hone_text *out, hone_svg_legend *legend,
                          const char *mark, size_t color, const char *name);

#endif
