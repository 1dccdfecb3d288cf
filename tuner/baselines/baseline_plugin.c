/* SPDX-License-Identifier: Apache-2.0 */
/* Baselines from libhone_baselines.so: see baseline_plugin.h. */
#include "tuner/baselines/baseline.h"

#include "tuner/baselines/baseline_plugin.h"
#include "runtime/vendor/vendor_api.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

typedef struct plugin_state {
    const hone_baseline_v1 *baseline;
    void *state;
    int opened;
} plugin_state;

/* FOLDER/libhone_baselines.so seen from the program's folder. */
static void beside_program(char *path, size_t size_bytes, const char *folder)
{
    char program[PATH_SIZE];
    const ssize_t length =
        readlink("/proc/self/exe", program, sizeof program - 1);
    char *slash;

    path[0] = '\0';
    if (length <= 0)
        return;
    program[length] = '\0';
    slash = strrchr(program, '/');
    if (!slash)
        return;
    *slash = '\0';
    if (snprintf(path, size_bytes, "%s/%s/libhone_baselines.so", program,
                 folder) >= (int)size_bytes)
        path[0] = '\0';
}

static hone_status get_baselines(const hone_baseline_v1 **out, size_t *n,
                                 hone_error *err)
{
    static hone_baselines_v1_function baselines;
    static int loaded;
    char built[PATH_SIZE], installed[PATH_SIZE];
    const char *names[] = {built, installed, NULL};
    const hone_library_search search = {
        "the library of baselines libhone_baselines.so", "HONE_BASELINES",
        names, 0,
        "It is built where nvcc is found: install the CUDA toolkit and build "
        "hone again."};

    beside_program(built, sizeof built, "../lib");
    beside_program(installed, sizeof installed, "../lib/hone");
    HONE_TRY(hone__vendor_load(&search, HONE_LIBRARY_NAME(hone_baselines_v1),
                               &baselines, &loaded, err));
    *out = baselines(n);
    return HONE_OK;
}

/* Hone's own plug-in has these: they may not be here, but are known. */
static int is_of_hone(const char *name)
{
    static const char *const names[] = {
        "cub.sum",  "cub.min_index", "cub.max_index", "cub.row_sums",
        "cub.scan", "cub.scan_rows", "cub.histogram", "cufft.image_pipeline"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(name, names[i]))
            return 1;
    return 0;
}

static hone_status find(const char *name, const hone_baseline_v1 **out,
                        hone_error *err)
{
    const hone_baseline_v1 *baselines = NULL;
    hone_error cause = {0};
    size_t n = 0;
    const hone_status status = get_baselines(&baselines, &n, &cause);

    if (status != HONE_OK && is_of_hone(name))
        return hone__fail(err, status, "baseline '%s' is missing: %s", name,
                          cause.text);
    for (size_t i = 0; i < n; i++)
        if (!strcmp(baselines[i].name, name)) {
            *out = &baselines[i];
            return HONE_OK;
        }
    return hone__fail(err, HONE_ERR_NOT_FOUND,
                      "there is no baseline '%s'; known are cublas, "
                      "cublas.axpy, cublas.dot, cublas.nrm2, cublas.gemv, "
                      "cublaslt, cufft, cufft.c2c_2d, cufft.r2c, cufft.c2r, "
                      "cufft.filter, memcpy, and cub.sum, cub.min_index, "
                      "cub.max_index, cub.row_sums, cub.scan, "
                      "cub.scan_rows, cub.histogram and cufft.image_pipeline "
                      "with those of the library that "
                      "$HONE_BASELINES names%s%s",
                      name, *cause.text ? ". " : "", cause.text);
}

static hone_status check(const hone_baseline_v1 *baseline, int result,
                         const char *text, hone_error *err)
{
    if (result == HONE_BASELINE_OK)
        return HONE_OK;
    return hone__fail(
        err,
        result == HONE_BASELINE_UNFIT ? HONE_ERR_UNSUPPORTED : HONE_ERR_CUDA,
        "baseline '%s' %s: %s", baseline->name,
        result == HONE_BASELINE_UNFIT ? "cannot do this problem" : "failed",
        *text ? text : "it does not say why");
}

static hone_status plugin_open(hone_baseline *self,
                               const hone_resolved *problem, hone_error *err)
{
    hone_baseline_arg_v1 args[HONE_MAX_ARGS];
    char text[512] = "";
    hone_baseline_message_v1 message = {text, sizeof text};
    const hone_baseline_problem_v1 description = {
        self->op, problem->n_dims, problem->dims, problem->n_args, args};
    const hone_baseline_v1 *baseline = NULL;
    plugin_state *const state = self->state;

    HONE_TRY(find(self->name, &baseline, err));
    for (size_t i = 0; i < problem->n_args; i++)
        args[i] = (hone_baseline_arg_v1){
            problem->args[i].name, (int32_t)problem->args[i].mode,
            (int32_t)problem->args[i].type, problem->args[i].count};
    state->baseline = baseline;
    HONE_TRY(check(baseline,
                   baseline->open(&description, &state->state,
                                  &self->n_algorithms, &message),
                   text, err));
    state->opened = 1;
    (void)snprintf(self->label, sizeof self->label, "%s", baseline->label);
    return HONE_OK;
}

static void plugin_close(hone_baseline *self)
{
    const plugin_state *const state = self->state;

    if (state->opened)
        state->baseline->close(state->state);
}

static hone_status plugin_enqueue(hone_baseline *self, void *const *args,
                                  hone_stream stream, hone_error *err)
{
    plugin_state *const state = self->state;
    char text[512] = "";
    hone_baseline_message_v1 message = {text, sizeof text};

    return check(state->baseline,
                 state->baseline->enqueue(state->state, self->algorithm, args,
                                          stream, &message),
                 text, err);
}

const hone_baseline_kind hone__baseline_plugin = {
    1, sizeof(plugin_state), plugin_open, plugin_close, plugin_enqueue};
