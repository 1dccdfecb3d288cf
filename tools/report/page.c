/* SPDX-License-Identifier: Apache-2.0 */
/* The page of a report: see page.h. Nothing in it but what the database says:
 * the same database gives the same bytes. */
#include "tools/report/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* report.css and report.js, which the build embeds. */
extern const char hone__report_css[];
extern const char hone__report_js[];

/* ---- provenance -------------------------------------------------------------
 */

/* CUDA's number of a driver, 13000, as people write it. */
static void driver_text(const hone_report_group *group, char out[64])
{
    const long number = strtol(group->driver, NULL, 10);

    if (strcmp(group->device_kind, "cuda") == 0 && number >= 1000)
        (void)snprintf(out, 64, "%.32s (CUDA %ld.%ld)", group->driver,
                       number / 1000, number % 1000 / 10);
    else
        (void)snprintf(out, 64, "%.32s", group->driver);
}

static void names_text(const hone_report_names *names, char out[240])
{
    size_t n = 0;

    out[0] = '\0';
    for (size_t i = 0; i < names->n && n < 200; ++i)
        n += (size_t)snprintf(out + n, 240 - n, "%s%.80s", i ? ", " : "",
                              names->items[i]);
}

/* "" where no trial says it. */
static void range_text(const hone_report_range *range, double unit,
                       const char *name, char out[80])
{
    char least[32], most[32];

    hone__markup_number(range->least * unit, least);
    hone__markup_number(range->most * unit, most);
    if (!range->n)
        out[0] = '\0';
    else if (strcmp(least, most) == 0)
        (void)snprintf(out, 80, "%s %s", most, name);
    else
        (void)snprintf(out, 80, "%s to %s %s", least, most, name);
}

typedef struct provenance {
    char driver[64], compilers[240], timings[240], clocks[80], power[80],
        heat[80], sessions[120], versions[240], memory[40];
} provenance;

static void read_provenance(const hone_report_group *group, provenance *out)
{
    hone_report_names *versions = calloc(1, sizeof *versions);
    const char *first = "", *last = "";

    driver_text(group, out->driver);
    names_text(&group->toolchains, out->compilers);
    names_text(&group->timings, out->timings);
    range_text(&group->clock_mhz, 1, "MHz", out->clocks);
    range_text(&group->power_mw, 1e-3, "W", out->power);
    range_text(&group->temperature_c, 1, "\302\260C", out->heat);
    for (size_t i = 0; i < group->n_sessions; ++i) {
        const hone_report_session *s = &group->sessions[i];

        if (!*first || strcmp(s->started, first) < 0)
            first = s->started;
        if (strcmp(s->started, last) > 0)
            last = s->started;
        if (versions)
            (void)hone__report_name(versions, s->version);
    }
    (void)snprintf(out->sessions, sizeof out->sessions, "%s%s%s", first,
                   strcmp(first, last) != 0 ? " to " : "",
                   strcmp(first, last) != 0 ? last : "");
    out->versions[0] = '\0';
    if (versions)
        names_text(versions, out->versions);
    (void)snprintf(out->memory, sizeof out->memory, "%.0f GiB",
                   (double)group->memory_bytes / 1073741824.);
    free(versions);
}

static void add_provenance(const hone_report_group *group, const provenance *p,
                           hone_text *out)
{
    hone__table_row(out);
    hone__table_text(out, group->key.op);
    hone__table_text(out, group->device);
    hone__table_text(out, group->arch);
    hone__table_count(out, group->properties.value[HONE_PROPERTY_sm_count]);
    hone__table_text(out, p->memory);
    hone__table_text(out, p->driver);
    hone__table_text(out, p->compilers);
    hone__table_text(out, p->clocks);
    hone__table_text(out, p->power);
    hone__table_text(out, p->heat);
    hone__table_count(out, (int64_t)group->n_throttled);
    hone__table_text(out, group->key.mode);
    hone__table_text(out, p->timings);
    hone__table_text(out, p->versions);
    hone__table_text(out, p->sessions);
    hone__text_puts(out, "\n");
}

static void put_fact(hone_text *out, const char *name, const char *value)
{
    hone__markup(out, "<div><dt>%s</dt><dd>%s</dd></div>\n", name,
                 *value ? value : "not recorded");
}

static void put_facts(const hone_report_group *group, const provenance *p,
                      hone_text *out)
{
    const int is_gpu = strcmp(group->device_kind, "cuda") == 0;

    hone__text_puts(out, "<dl class=\"facts\">\n");
    put_fact(out, is_gpu ? "GPU" : "device", group->device);
    put_fact(out, "driver", p->driver);
    put_fact(out, is_gpu ? "NVRTC" : "compiler", p->compilers);
    put_fact(out, "clocks", p->clocks);
    put_fact(out, "mode", group->key.mode);
    put_fact(out, "sessions (UTC)", p->sessions);
    hone__text_puts(out, "</dl>\n");
}

/* ---- a group ----------------------------------------------------------------
 */

/* Charts that cannot be drawn are named, with what is missing, below the
 * others.
 */
typedef struct figures {
    const hone_report_group *group;
    const char *id; /* of the group */
    hone_text *out;
    hone_text missing;
} figures;

static void put_missing(figures *f, const hone_report_params *params,
                        const hone_chart *chart, const char *why)
{
    const hone_report_group *group = f->group;

    hone__markup(&f->missing, "<p class=\"none\">%s%s%s: %s</p>\n",
                 chart->title, params ? " of " : "",
                 params ? group->implementations.items[params->implementation]
                        : "",
                 why);
}

static void put_figure(figures *f, const hone_report_params *params,
                       const hone_chart *chart)
{
    const hone_report_group *group = f->group;
    hone_svg svg = {.width = 0};
    char id[80], why[240], caption[sizeof svg.description];

    if (!hone__chart_draw(chart, group, params, &svg, why)) {
        hone__text_free(&svg.body);
        put_missing(f, params, chart, why);
        return;
    }
    (void)snprintf(id, sizeof id, "%.30s-%s%s%zu", f->id, chart->name,
                   params ? "-" : "", params ? params->implementation : 0);
    (void)snprintf(caption, sizeof caption, "%s", svg.description);
    svg.id = id;
    hone__markup(f->out, "<figure class=\"%s\"><h3>%s%s%s</h3>\n", chart->name,
                 chart->title, params ? ": " : "",
                 params ? group->implementations.items[params->implementation]
                        : "");
    hone__svg_write(&svg, f->out);
    hone__markup(f->out, "<figcaption>%s</figcaption>\n", caption);
    hone__table_of_chart(group, params, chart->name, id, f->out);
    hone__text_puts(f->out, "</figure>\n");
}

static void put_charts(const hone_report_group *group, const char *id,
                       hone_text *out)
{
    figures f = {.group = group, .id = id, .out = out};

    hone__text_puts(out, "<div class=\"charts\">\n");
    for (size_t i = 0; i < HONE_N_CHARTS; ++i)
        if (!hone__charts[i].is_of_params)
            put_figure(&f, NULL, &hone__charts[i]);
    for (size_t k = 0; k < group->n_params; ++k)
        for (size_t i = 0; i < HONE_N_CHARTS; ++i)
            if (hone__charts[i].is_of_params)
                put_figure(&f, group->params[k], &hone__charts[i]);
    hone__text_puts(out, "</div>\n");
    hone__text_append(out, hone__text_str(&f.missing), f.missing.length);
    out->failed |= f.missing.failed;
    hone__text_free(&f.missing);
}

static void put_summary(const hone_report_group *group, hone_text *out)
{
    const hone_report_summary vendor = hone__report_vendor_summary(group);
    const hone_report_summary plain = hone__report_default_summary(group);

    hone__markup(out, "<p>%zu shape%s, %zu session%s, %zu trials.",
                 group->n_problems, group->n_problems == 1 ? "" : "s",
                 group->n_sessions, group->n_sessions == 1 ? "" : "s",
                 group->n_trials);
    if (vendor.n)
        hone__markup(out,
                     " The fastest baseline takes %g times as long as ours in "
                     "the geometric mean over %zu (%g to %g).",
                     vendor.mean, vendor.n, vendor.least, vendor.most);
    if (plain.n)
        hone__markup(out,
                     " The default configuration takes %g times as long (%zu "
                     "shapes, %g to %g).",
                     plain.mean, plain.n, plain.least, plain.most);
    if (strcmp(group->device_kind, "replay") == 0)
        hone__text_puts(out, " A replayed recording: nothing was measured "
                             "here.");
    hone__text_puts(out, "</p>\n");
}

static void add_overview(const hone_report_group *group, const char *id,
                         hone_text *out)
{
    const hone_report_summary vendor = hone__report_vendor_summary(group);
    const hone_report_summary plain = hone__report_default_summary(group);
    size_t n_winners = 0;

    for (size_t i = 0; i < group->n_problems; ++i)
        n_winners += group->problems[i].time_ns > 0;
    hone__table_row(out);
    hone__markup(out, "<td><a href=\"#%s\">%s</a>", id, group->key.op);
    hone__table_text(out, group->device);
    hone__table_text(out, group->key.mode);
    hone__table_count(out, (int64_t)group->n_problems);
    hone__table_count(out, (int64_t)n_winners);
    hone__table_count(out, (int64_t)group->n_trials);
    hone__table_number(out, vendor.mean);
    hone__table_number(out, vendor.least);
    hone__table_number(out, plain.mean);
    hone__text_puts(out, "\n");
}

hone_status hone__report_page_add(hone_db *db, const hone_report_group *group,
                                  hone_report_page *page, hone_error *err)
{
    provenance from;
    char id[32];

    (void)snprintf(id, sizeof id, "g%zu", ++page->n_groups);
    page->n_problems += group->n_problems;
    page->n_trials += group->n_trials;
    read_provenance(group, &from);
    add_overview(group, id, &page->overview);
    add_provenance(group, &from, &page->provenance);
    hone__markup(&page->contents,
                 "<li><a href=\"#%s\">%s <small>%s, %s</small></a></li>\n", id,
                 group->key.op, group->device, group->key.mode);
    hone__markup(&page->sections,
                 "<section class=\"group\" id=\"%s\" aria-labelledby=\"%s-h\">"
                 "\n<h2 id=\"%s-h\">%s <small>%s, %s</small></h2>\n",
                 id, id, id, group->key.op, group->device, group->key.mode);
    put_summary(group, &page->sections);
    put_facts(group, &from, &page->sections);
    put_charts(group, id, &page->sections);
    hone__table_problems(group, id, &page->limits, &page->sections);
    HONE_TRY(
        hone__table_trials(db, group, id, &page->limits, &page->sections, err));
    hone__table_sessions(group, id, &page->limits, &page->sections);
    hone__table_outcomes(group, id, &page->sections);
    hone__text_puts(&page->sections, "</section>\n");
    return hone__text_check(&page->sections, err);
}

/* ---- the whole --------------------------------------------------------------
 */

static void put_head(hone_text *out)
{
    hone__text_puts(out,
                    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
                    "<meta charset=\"utf-8\">\n"
                    "<meta http-equiv=\"Content-Security-Policy\" "
                    "content=\"default-src 'none'; style-src 'unsafe-inline'; "
                    "script-src 'unsafe-inline'; img-src data:\">\n"
                    "<meta name=\"viewport\" content=\"width=device-width, "
                    "initial-scale=1\">\n"
                    "<meta name=\"color-scheme\" content=\"light dark\">\n"
                    "<title>hone report</title>\n"
                    "<link rel=\"icon\" href=\"data:,\">\n<style>\n");
    hone__text_puts(out, hone__report_css);
    hone__text_puts(out, "</style>\n</head>\n<body>\n"
                         "<a class=\"skip\" href=\"#main\">Skip to the "
                         "results</a>\n<header>\n<h1>hone report</h1>\n");
}

static void put_part(hone_text *out, const hone_text *part)
{
    hone__text_append(out, hone__text_str(part), part->length);
    out->failed |= part->failed;
}

void hone__report_page_write(hone_report_page *page, hone_text *out)
{
    put_head(out);
    hone__markup(out,
                 "<p>%zu operation%s on devices and in modes, %zu shape%s, "
                 "%zu trial%s.</p>\n</header>\n",
                 page->n_groups, page->n_groups == 1 ? "" : "s",
                 page->n_problems, page->n_problems == 1 ? "" : "s",
                 page->n_trials, page->n_trials == 1 ? "" : "s");
    hone__text_puts(out, "<nav aria-label=\"Operations\">\n<details open>"
                         "<summary>Contents</summary>\n<ul id=\"contents\">\n"
                         "<li><a href=\"#overview\">Overview</a></li>\n");
    put_part(out, &page->contents);
    hone__text_puts(out, "<li><a href=\"#provenance\">Provenance</a></li>\n"
                         "</ul></details>\n</nav>\n<main id=\"main\">\n"
                         "<section id=\"overview\" aria-label=\"Overview\">\n");
    hone__table_begin(out, "overview-table", "Overview",
                      "operation, device, mode, shapes:n, winners:n, trials:n, "
                      "fastest baseline / ours (mean):n, the same at the "
                      "least:n, default / ours (mean):n");
    put_part(out, &page->overview);
    hone__table_end(out);
    hone__text_puts(out, "</section>\n");
    put_part(out, &page->sections);
    hone__text_puts(out, "<section id=\"provenance\" "
                         "aria-label=\"Provenance\">\n");
    hone__table_begin(out, "provenance-table", "Provenance",
                      "operation, device, architecture, multiprocessors:n, "
                      "memory, driver, NVRTC or compiler, clocks, power, "
                      "temperature, trials slowed by heat or power brake:n, "
                      "mode, timing, hone, sessions (UTC)");
    put_part(out, &page->provenance);
    hone__table_end(out);
    hone__text_puts(out, "</section>\n</main>\n<script>\n");
    hone__text_puts(out, hone__report_js);
    hone__text_puts(out, "</script>\n</body>\n</html>\n");
}

void hone__report_page_free(hone_report_page *page)
{
    hone__text_free(&page->overview);
    hone__text_free(&page->contents);
    hone__text_free(&page->sections);
    hone__text_free(&page->provenance);
}
