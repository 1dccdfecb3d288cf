/* SPDX-License-Identifier: Apache-2.0 */
/* hone doctor: the NVRTC that is taken, and those that are not. In JSON the
 * rows have more members than text shows: version, path, origin, ...
 *
 * This process loads none of them. Each is looked at in a process of its own,
 * in the order in which hone tries them, so that one that hangs or crashes is a
 * row like any other. Only then is one process asked what hone itself takes. */
#define _GNU_SOURCE /* realpath */
#include "tools/doctor_parts.h"

#include "runtime/driver/nvrtc_api.h"
#include "runtime/driver/nvrtc_places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static json_t *version_text(int major, int minor)
{
    hone_text text = {0};

    if (!major)
        return json_null();
    hone__text_printf(&text, "%d.%d", major, minor);
    return hone__json_text(&text);
}

/* ---- the one that is taken ----------------------------------------------- */

/* What a process says of it. */
typedef struct nvrtc_answers {
    int version_major;
    int version_minor;
    int n_archs;
    int archs[HONE_NVRTC_MAX_ARCHS];
    char origin[128];
    char library[1024];
    char includes[1024];
    char crt[1024];
} nvrtc_answers;

static int take_one(void *user, int from_parent, int to_parent)
{
    const hone_nvrtc *nvrtc = NULL;
    nvrtc_answers f = {0};
    hone_error err = {0};
    const hone_status status = hone__nvrtc_get(&nvrtc, &err);

    (void)user, (void)from_parent;
    if (status == HONE_OK) {
        f.version_major = nvrtc->version_major;
        f.version_minor = nvrtc->version_minor;
        f.n_archs = hone__nvrtc_archs(nvrtc, f.archs);
        (void)snprintf(f.origin, sizeof f.origin, "%s", nvrtc->origin);
        (void)snprintf(f.library, sizeof f.library, "%s", nvrtc->library);
        (void)snprintf(f.includes, sizeof f.includes, "%s", nvrtc->includes);
        (void)snprintf(f.crt, sizeof f.crt, "%s", nvrtc->crt);
    }
    return hone__ask_answer(to_parent, &f, sizeof f, status, &err);
}

static void taken(hone_output *output, const nvrtc_answers *f)
{
    hone_text detail = {0};

    hone__text_printf(&detail, "%d.%d, %s, %s", f->version_major,
                      f->version_minor, f->library, f->origin);
    hone__output_row(
        output, hone__json("name:s state:s detail:o version:o path:s origin:s",
                           "NVRTC", "ok", hone__json_text(&detail),
                           version_text(f->version_major, f->version_minor),
                           f->library, f->origin));
}

static void architectures(hone_output *output, const nvrtc_answers *f)
{
    hone_text detail = {0};
    json_t *list = json_array();

    for (int i = 0; i < f->n_archs; ++i) {
        char name[32];

        (void)snprintf(name, sizeof name, "sm_%d", f->archs[i]);
        hone__text_printf(&detail, "%s%s", i ? " " : "", name);
        list = hone__json_append(list, json_string(name));
    }
    if (f->n_archs == 0)
        hone__text_puts(&detail, "this NVRTC does not say");
    hone__output_row(
        output, hone__json("name:s state:s detail:o architectures:o",
                           "NVRTC compiles for", f->n_archs ? "ok" : "none",
                           hone__json_text(&detail), list));
}

static void headers(hone_output *output, const nvrtc_answers *f)
{
    static const char name[] = "CUDA headers";
    char path[sizeof f->includes + 16];

    (void)snprintf(path, sizeof path, "%s/crt/mma.h", f->includes);
    if (!f->includes[0])
        hone__doctor_line(
            output, name, "missing",
            "cuda_fp16.h and mma.h were not found: install CUDA's headers "
            "(cuda-cudart-dev-%d-0, or 'pip install nvidia-cuda-runtime%s') or "
            "set HONE_CUDA_INCLUDE to their folder",
            f->version_major,
            f->version_major == 12 ? "-cu12" : " nvidia-cuda-crt");
    else if (!f->crt[0] && access(path, R_OK) != 0)
        hone__doctor_line(
            output, name, "missing",
            "%s has no crt/mma.h, without which no template that uses WMMA "
            "compiles: 'pip install %s' in the same place",
            f->includes,
            f->version_major == 12 ? "nvidia-cuda-nvcc-cu12"
                                   : "nvidia-cuda-crt");
    else
        hone__doctor_line(output, name, "ok", "%s", f->includes);
}

/* ---- all of them --------------------------------------------------------- */

typedef struct survey {
    hone_doctor *doctor;
    const char *named;  /* the only one that hone tries, or NULL */
    int is_settled;     /* one is taken, or would be if it answered */
    hone_error silence; /* of that one; HONE_OK: it answers */
    hone_text seen;     /* real paths, each between two line ends */
    json_t *others;     /* rows */
} survey;

static int is_new(survey *s, const char *path)
{
    char entry[HONE_PLACE_BYTES + 4];

    (void)snprintf(entry, sizeof entry, "\n%s\n", path);
    if (strstr(hone__text_str(&s->seen), entry))
        return 0;
    hone__text_puts(&s->seen, entry);
    return !s->seen.failed;
}

static void pass_over(survey *s, const hone_nvrtc_look *look,
                      const char *origin, const char *reason)
{
    hone_text detail = {0};

    if (look->version_major)
        hone__text_printf(&detail, "%d.%d, ", look->version_major,
                          look->version_minor);
    hone__text_printf(&detail, "%s, %s: %s", look->path, origin, reason);
    s->others = hone__json_append(
        s->others,
        hone__json("name:s state:s detail:o version:o path:s origin:s "
                   "reason:s",
                   "NVRTC passed over", "none", hone__json_text(&detail),
                   version_text(look->version_major, look->version_minor),
                   look->path, origin, reason));
}

static int load(void *user, int from_parent, int to_parent)
{
    hone_nvrtc_look look;

    (void)from_parent;
    hone__nvrtc_look(user, &look);
    return hone__ask_answer(to_parent, &look, sizeof look, HONE_OK, NULL);
}

/* What loading it shows, in a process that may not survive it. */
static hone_status look_at(const survey *s, const char *path,
                           hone_nvrtc_look *out, hone_error *err)
{
    char file[HONE_PLACE_BYTES];
    char what[HONE_PLACE_BYTES + 32];

    (void)snprintf(file, sizeof file, "%s", path);
    (void)snprintf(what, sizeof what, "loading NVRTC, %.300s,", path);
    return hone__doctor_ask(s->doctor, load, file, what, HONE_ERR_NO_NVRTC, out,
                            sizeof *out, err);
}

static const char *why_not(const survey *s)
{
    if (s->named)
        return "HONE_NVRTC_LIBRARY names another";
    return s->silence.status ? "one that does not answer comes before it"
                             : "the one that was taken comes before it";
}

static int visit(void *user, const char *path, const char *origin)
{
    survey *s = user;
    const int decides = !s->is_settled && (!s->named || path == s->named);
    hone_nvrtc_look look = {.version_major = 0};
    char *real = strchr(path, '/') ? realpath(path, NULL) : NULL;
    const int is_old = real && !is_new(s, real);
    hone_error err = {0};

    free(real);
    if (is_old)
        return 0;
    (void)snprintf(look.path, sizeof look.path, "%s", path);
    if (look_at(s, path, &look, &err) != HONE_OK) {
        if (err.status != HONE_ERR_NO_NVRTC) {
            hone__doctor_missing(s->doctor, "NVRTC", &err);
            return 1;
        }
        if (decides) {
            s->silence = err;
            s->is_settled = 1;
        } else {
            pass_over(s, &look, origin, err.text);
        }
        return 0;
    }
    /* A name that the loader does not know is no file; one that it does may be
     * a file that was visited. */
    if (!strchr(look.path, '/') || (!real && !is_new(s, look.path)))
        return 0;
    if (decides && !look.reason[0])
        s->is_settled = 1;
    else if (path != s->named)
        pass_over(s, &look, origin, look.reason[0] ? look.reason : why_not(s));
    return 0;
}

static void print_others(survey *s)
{
    json_t *row;
    size_t i;

    if (!s->others || s->seen.failed)
        hone__output_row(s->doctor->output, NULL);
    else
        json_array_foreach (s->others, i, row)
            hone__output_row(s->doctor->output, json_incref(row));
    json_decref(s->others);
    hone__text_free(&s->seen);
}

void hone__doctor_nvrtc(hone_doctor *doctor)
{
    const char *named = getenv("HONE_NVRTC_LIBRARY");
    survey s = {.doctor = doctor,
                .named = named && *named ? named : NULL,
                .others = json_array()};
    nvrtc_answers f = {0};
    hone_error err = {0};
    hone_status status;

    if (!s.named || !visit(&s, s.named, "named by $HONE_NVRTC_LIBRARY"))
        status = hone__nvrtc_each_library("", visit, &s, &err);
    else
        status = HONE_OK;
    if (status == HONE_OK && s.silence.status)
        err = s.silence, status = err.status;
    if (status == HONE_OK && !hone__doctor_is_over(doctor))
        status = hone__doctor_ask(doctor, take_one, NULL, "taking an NVRTC",
                                  HONE_ERR_NO_NVRTC, &f, sizeof f, &err);
    if (status != HONE_OK) {
        hone__doctor_missing(doctor, "NVRTC", &err);
    } else if (!hone__doctor_is_over(doctor)) {
        doctor->has_nvrtc = 1;
        taken(doctor->output, &f);
        architectures(doctor->output, &f);
    }
    print_others(&s);
    if (doctor->has_nvrtc)
        headers(doctor->output, &f);
}
