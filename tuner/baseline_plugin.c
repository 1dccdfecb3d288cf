/* SPDX-License-Identifier: Apache-2.0 */
/* Rivals from libhone_rivals.so: see rival_plugin.h. */
#include "tuner/baseline_kind.h"

#include "runtime/alloc.h"
#include "tuner/library.h"
#include "tuner/rival_plugin.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

typedef struct plugin_state {
    const hone_rival_v1 *rival;
    void *state;
    int opened;
} plugin_state;

typedef struct plugin_table {
    hone_rivals_v1_function rivals;
} plugin_table;

/* Names that hone's own plug-in has, to tell a rival that is not here from
 * one that nobody knows. */
static const char *const shipped[] = {"cub.sum", "cub.scan"};

static const hone_library_symbol symbols[] = {
    {"hone_rivals_v1", offsetof(plugin_table, rivals), 0}};

/* Loaded at the first success and kept: the CUDA runtime inside it registers
 * its kernels for the life of the process. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const hone_rival_v1 *loaded_rivals;
static size_t n_loaded_rivals;

/* ../lib/libhone_rivals.so seen from the program's folder. */
static void beside_program(char *path, size_t size_bytes)
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
    if (snprintf(path, size_bytes, "%s/../lib/libhone_rivals.so", program) >=
        (int)size_bytes)
        path[0] = '\0';
}

static hone_status load(hone_error *err)
{
    char path[PATH_SIZE];
    const char *names[] = {path, NULL};
    const hone_library_search search = {
        "the library of rivals libhone_rivals.so", "HONE_RIVALS", names, 0,
        "It is built where nvcc is found: install the CUDA toolkit and build "
        "hone again."};
    plugin_table table;
    void *library = NULL;
    hone_status status;

    beside_program(path, sizeof path);
    HONE_TRY(hone__library_open(&search, &library, err));
    status =
        hone__library_bind(library, search.what, symbols, 1, &table, err);
    if (status != HONE_OK) {
        (void)dlclose(library);
        return status;
    }
    loaded_rivals = table.rivals(&n_loaded_rivals);
    return HONE_OK;
}

static hone_status get_rivals(const hone_rival_v1 **out, size_t *n,
                              hone_error *err)
{
    hone_status status = HONE_OK;

    (void)pthread_mutex_lock(&lock);
    if (!loaded_rivals)
        status = load(err);
    *out = loaded_rivals;
    *n = n_loaded_rivals;
    (void)pthread_mutex_unlock(&lock);
    return status;
}

static int is_shipped(const char *name)
{
    for (size_t i = 0; i < sizeof shipped / sizeof shipped[0]; i++)
        if (!strcmp(shipped[i], name))
            return 1;
    return 0;
}

static hone_status unknown(const char *name, const char *why, hone_error *err)
{
    return hone__fail(err, HONE_ERR_NOT_FOUND,
                      "there is no rival '%s'; known are cublas, "
                      "cublas.axpy, cublaslt, cufft, cufft.filter, memcpy, "
                      "and cub.sum and cub.scan with those of the library "
                      "that $HONE_RIVALS names%s%s",
                      name, *why ? ". " : "", why);
}

static hone_status find(const char *name, const hone_rival_v1 **out,
                        hone_error *err)
{
    const hone_rival_v1 *rivals = NULL;
    hone_error cause = {0};
    size_t n = 0;
    const hone_status status = get_rivals(&rivals, &n, &cause);

    if (status != HONE_OK && is_shipped(name))
        return hone__fail(err, status, "rival '%s' is missing: %s", name,
                          cause.text);
    for (size_t i = 0; i < n; i++)
        if (!strcmp(rivals[i].name, name)) {
            *out = &rivals[i];
            return HONE_OK;
        }
    return unknown(name, cause.text, err);
}

static hone_status check(const hone_rival_v1 *rival, int result,
                         const char *text, hone_error *err)
{
    if (result == HONE_RIVAL_OK)
        return HONE_OK;
    return hone__fail(
        err,
        result == HONE_RIVAL_UNFIT ? HONE_ERR_UNSUPPORTED : HONE_ERR_CUDA,
        "rival '%s' %s: %s", rival->name,
        result == HONE_RIVAL_UNFIT ? "cannot do this problem" : "failed",
        *text ? text : "it does not say why");
}

static hone_status plugin_open(hone_baseline *self,
                               const hone_resolved *problem, hone_error *err)
{
    hone_rival_arg_v1 args[HONE_MAX_ARGS];
    char text[512] = "";
    hone_rival_message_v1 message = {text, sizeof text};
    const hone_rival_problem_v1 description = {
        self->op, problem->n_dims, problem->dims, problem->n_args, args};
    const hone_rival_v1 *rival = NULL;
    plugin_state *state;

    HONE_TRY(find(self->name, &rival, err));
    for (size_t i = 0; i < problem->n_args; i++)
        args[i] = (hone_rival_arg_v1){
            problem->args[i].name, (int32_t)problem->args[i].mode,
            (int32_t)problem->args[i].type, problem->args[i].count};
    state = hone__alloc(sizeof *state);
    if (!state)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    self->state = state;
    state->rival = rival;
    HONE_TRY(check(
        rival,
        rival->open(&description, &state->state, &self->n_choices, &message),
        text, err));
    state->opened = 1;
    (void)snprintf(self->label, sizeof self->label, "%s", rival->label);
    return HONE_OK;
}

static void plugin_close(hone_baseline *self)
{
    plugin_state *const state = self->state;

    if (!state)
        return;
    if (state->opened)
        state->rival->close(state->state);
    hone__free(state);
    self->state = NULL;
}

static hone_status plugin_enqueue(hone_baseline *self, size_t choice,
                                  void *const *args, hone_stream stream,
                                  hone_error *err)
{
    plugin_state *const state = self->state;
    char text[512] = "";
    hone_rival_message_v1 message = {text, sizeof text};

    return check(
        state->rival,
        state->rival->enqueue(state->state, choice, args, stream, &message),
        text, err);
}

const hone_baseline_kind hone__baseline_plugin = {
    1, plugin_open, plugin_close, plugin_enqueue};
