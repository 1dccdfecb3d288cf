/* SPDX-License-Identifier: Apache-2.0 */
/* hone doctor: the NVRTC that is taken, and those that are not. In JSON the
 * rows have more members than text shows: version, path, origin, ... */
#include "tools/doctor_parts.h"

#include "runtime/driver/nvrtc_api.h"

#include <stdio.h>
#include <unistd.h>

static json_t *version_text(int major, int minor)
{
    hone_text text = {0};

    if (!major)
        return json_null();
    hone__text_printf(&text, "%d.%d", major, minor);
    return hone__json_text(&text);
}

static void taken(hone_output *output, const hone_nvrtc *nvrtc)
{
    hone_text detail = {0};

    hone__text_printf(&detail, "%d.%d, %s, %s", nvrtc->version_major,
                      nvrtc->version_minor, nvrtc->library, nvrtc->origin);
    hone__output_row(
        output,
        hone__json("name:s state:s detail:o version:o path:s origin:s", "NVRTC",
                   "ok", hone__json_text(&detail),
                   version_text(nvrtc->version_major, nvrtc->version_minor),
                   nvrtc->library, nvrtc->origin));
}

static void architectures(hone_output *output, const hone_nvrtc *nvrtc)
{
    int archs[HONE_NVRTC_MAX_ARCHS];
    const int n = hone__nvrtc_archs(nvrtc, archs);
    hone_text detail = {0};
    json_t *list = json_array();

    for (int i = 0; i < n; ++i) {
        char name[32];

        (void)snprintf(name, sizeof name, "sm_%d", archs[i]);
        hone__text_printf(&detail, "%s%s", i ? " " : "", name);
        list = hone__json_append(list, json_string(name));
    }
    if (n == 0)
        hone__text_puts(&detail, "this NVRTC does not say");
    hone__output_row(output,
                     hone__json("name:s state:s detail:o architectures:o",
                                "NVRTC compiles for", n ? "ok" : "none",
                                hone__json_text(&detail), list));
}

static void passed_over(void *user, const hone_nvrtc_other *other)
{
    hone_output *output = user;
    hone_text detail = {0};

    if (other->version_major)
        hone__text_printf(&detail, "%d.%d, ", other->version_major,
                          other->version_minor);
    hone__text_printf(&detail, "%s, %s: %s", other->path, other->origin,
                      other->reason);
    hone__output_row(
        output,
        hone__json("name:s state:s detail:o version:o path:s origin:s "
                   "reason:s",
                   "NVRTC passed over", "none", hone__json_text(&detail),
                   version_text(other->version_major, other->version_minor),
                   other->path, other->origin, other->reason));
}

static void headers(hone_output *output, const hone_nvrtc *nvrtc)
{
    static const char name[] = "CUDA headers";
    char path[sizeof nvrtc->includes + 16];

    (void)snprintf(path, sizeof path, "%s/crt/mma.h", nvrtc->includes);
    if (!nvrtc->includes[0])
        hone__doctor_line(
            output, name, "missing",
            "cuda_fp16.h and mma.h were not found: install CUDA's headers "
            "(cuda-cudart-dev-%d-0, or 'pip install nvidia-cuda-runtime%s') or "
            "set HONE_CUDA_INCLUDE to their folder",
            nvrtc->version_major,
            nvrtc->version_major == 12 ? "-cu12" : " nvidia-cuda-crt");
    else if (!nvrtc->crt[0] && access(path, R_OK) != 0)
        hone__doctor_line(
            output, name, "missing",
            "%s has no crt/mma.h, without which no template that uses WMMA "
            "compiles: 'pip install %s' in the same place",
            nvrtc->includes,
            nvrtc->version_major == 12 ? "nvidia-cuda-nvcc-cu12"
                                       : "nvidia-cuda-crt");
    else
        hone__doctor_line(output, name, "ok", "%s", nvrtc->includes);
}

int hone__doctor_nvrtc(hone_output *output)
{
    const hone_nvrtc *nvrtc = NULL;
    hone_error err = {0};

    if (hone__nvrtc_get(&nvrtc, &err) != HONE_OK) {
        hone__doctor_missing(output, "NVRTC", &err);
    } else {
        taken(output, nvrtc);
        architectures(output, nvrtc);
    }
    if (hone__nvrtc_survey(passed_over, output, &err) != HONE_OK)
        hone__output_row(output, NULL);
    if (nvrtc)
        headers(output, nvrtc);
    return nvrtc != NULL;
}
