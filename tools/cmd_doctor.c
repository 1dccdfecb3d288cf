/* SPDX-License-Identifier: Apache-2.0 */
/* hone doctor: what this machine has, what is missing, what to do. */
#include "tools/base/commands.h"
#include "tools/doctor_parts.h"
#include "tools/base/option_value.h"
#include "tools/base/message.h"
#include "tools/base/output.h"
#include "tools/base/process.h"

#include "db/db.h"
#include "tuner/cuda/cuda_device.h"
#include "tuner/process/sandbox.h"
#include "tuner/trial/devices.h"

#include <glob.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

void hone__doctor_line(hone_output *output, const char *what, const char *state,
                       const char *format, ...)
{
    char detail[8192];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    hone__output_row(
        output, hone__json("name:s state:s detail:s", what, state, detail));
}

void hone__doctor_missing(hone_doctor *doctor, const char *what,
                          const hone_error *err)
{
    if (err->status == HONE_ERR_NO_MEMORY)
        hone__output_row(doctor->output, NULL);
    else if (err->status == HONE_ERR_INTERRUPTED)
        doctor->ended = *err;
    else
        hone__doctor_line(doctor->output, what, "missing", "%s", err->text);
}

int hone__doctor_is_over(const hone_doctor *doctor)
{
    return doctor->ended.status != HONE_OK;
}

hone_status hone__doctor_ask(const hone_doctor *doctor, hone_worker_main *run,
                             void *user, const char *what, hone_status blame,
                             void *out, size_t out_bytes, hone_error *err)
{
    const hone_question question = {
        .run = run,
        .user = user,
        .first =
            {what,
             "Nothing of hone can use it; is it whole, and the disk that it "
             "lies on reachable?",
             doctor->answer_s, blame},
        .stop = doctor->stop};

    return hone__ask(&question, out, out_bytes, err);
}

typedef hone_status locate_fn(const hone_options *options, hone_text *out,
                              hone_error *err);

static void place(hone_doctor *d, const char *what, locate_fn *locate,
                  const char *when_absent)
{
    hone_text path = {0};
    hone_error err = {0};

    if (locate(d->options, &path, &err) != HONE_OK)
        hone__doctor_missing(d, what, &err);
    else if (when_absent[0] && access(hone__text_str(&path), F_OK) != 0)
        hone__doctor_line(d->output, what, "none", "%s %s", path.data,
                          when_absent);
    else
        hone__doctor_line(d->output, what, "ok", "%s", hone__text_str(&path));
    hone__text_free(&path);
}

/* Is it one of ours, whole, and of a format that this hone reads? Half a
 * gigabyte takes some seconds. */
static void database(hone_doctor *d)
{
    static const int64_t MOST_BYTES = (int64_t)512 << 20;
    hone_text path = {0};
    hone_db_summary summary;
    hone_error err = {0};

    if (hone__locate_db(d->options, &path, &err) != HONE_OK) {
        hone__doctor_missing(d, "database", &err);
    } else if (access(path.data, F_OK) != 0) {
        hone__doctor_line(d->output, "database", "none",
                          "%s is not there yet; 'hone tune' makes it",
                          path.data);
    } else if (hone__db_inspect(path.data, MOST_BYTES, &summary, &err) !=
               HONE_OK) {
        hone__doctor_line(d->output, "database", "unusable", "%s", err.text);
        d->unusable = err;
    } else {
        hone__doctor_line(
            d->output, "database", "ok",
            "%s, format %lld%s, %lld winners, %lld trials%s", path.data,
            (long long)summary.version,
            summary.version < HONE_DB_VERSION
                ? " (the next 'hone tune' makes it current)"
                : "",
            (long long)summary.n_winners, (long long)summary.n_trials,
            summary.is_read ? ""
                            : "; too large to be read to its end here, as "
                              "sqlite3 FILE 'PRAGMA quick_check' does");
    }
    hone__text_free(&path);
}

/* Of processes that run a template's code, or compile it. */
static void sandbox(hone_doctor *d)
{
    char text[512];
    const int is_on = hone__sandbox_describe(text, sizeof text);

    hone__doctor_line(d->output, "sandbox", is_on ? "ok" : "none", "%s", text);
}

/* The devices of one kind, and the driver that shows them. */
static void devices(hone_doctor *d, hone_backend backend)
{
    const hone_device_kind *kind = hone__device_kind(backend);
    hone_error err = {0};
    int n = 0;

    for (;; ++n) {
        hone_device_report r;
        char name[32];

        if (hone__device_describe(backend, n, d->answer_s, d->stop, &r, &err) !=
            HONE_OK)
            break;
        if (n == 0)
            hone__doctor_line(d->output, kind->driver, "ok", "%.*s %d.%d",
                              (int)strcspn(kind->driver, " "), kind->driver,
                              r.driver_version / 1000,
                              r.driver_version % 1000 / 10);
        (void)snprintf(name, sizeof name, "device %s:%d", kind->name, n);
        hone__doctor_line(
            d->output, name, "ok", "%s, %s, %lld multiprocessors, %.0f GiB",
            r.name, r.arch,
            (long long)r.properties.value[HONE_PROPERTY_sm_count],
            (double)r.properties.value[HONE_PROPERTY_memory] / (1 << 30));
        d->has_gpu = 1;
    }
    if (n == 0 || err.status == HONE_ERR_INTERRUPTED)
        hone__doctor_missing(d, kind->driver, &err);
}

static int look_at_nvml(void *user, int from_parent, int to_parent)
{
    char path[1024] = "";
    hone_error err = {0};
    const hone_status status = hone__nvml_look(path, &err);

    (void)user, (void)from_parent;
    return hone__ask_answer(to_parent, path, sizeof path, status, &err);
}

/* Clocks, power and temperature are recorded through it. */
static void nvml(hone_doctor *d)
{
    char path[1024];
    hone_error err = {0};

    if (hone__doctor_ask(d, look_at_nvml, NULL, "loading and starting NVML",
                         HONE_ERR_UNSUPPORTED, path, sizeof path,
                         &err) == HONE_OK)
        hone__doctor_line(d->output, "NVML", "ok", "%s", path);
    else if (err.status == HONE_ERR_UNSUPPORTED)
        hone__doctor_line(d->output, "NVML", "missing",
                          "without it trials are recorded without clock, power "
                          "and temperature: %s",
                          err.text);
    else
        hone__doctor_missing(d, "NVML", &err);
}

/* ---- packages -------------------------------------------------------------
 * tools/setup.sh looks in the same places. */

static int is_there(const char *path, int mode, hone_text *out)
{
    hone__text_clear(out);
    hone__text_puts(out, path);
    return !out->failed && access(path, mode) == 0;
}

static int find_on_path(const char *name, hone_text *out)
{
    const char *path = getenv("PATH");

    while (path && *path) {
        const size_t n = strcspn(path, ":");

        hone__text_clear(out);
        hone__text_printf(out, "%.*s/%s", (int)n, path, name);
        if (n && !out->failed && access(out->data, X_OK) == 0)
            return 1;
        path += n + (path[n] == ':');
    }
    return 0;
}

/* A header or library in one of the folders where the system has them. */
static int find_in_system(const char *name, hone_text *out)
{
    static const char *const folders[] = {"/usr/include", "/usr/include/*",
                                          "/usr/lib/*", "/usr/lib/gcc/*/*"};

    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; ++i) {
        glob_t found;
        int is_found;

        hone__text_clear(out);
        hone__text_printf(out, "%s/%s", folders[i], name);
        if (out->failed || glob(out->data, GLOB_NOSORT, NULL, &found) != 0)
            continue;
        is_found = is_there(found.gl_pathv[0], F_OK, out);
        globfree(&found);
        if (is_found)
            return 1;
    }
    return 0;
}

/* Is `proof` of packages.def there? Puts where into `out`, whose `failed` says
 * that memory ran out; then the answer is no. */
static int find_package(const char *proof, hone_text *out)
{
    const size_t length = strlen(proof);

    if (proof[0] == '/')
        return is_there(proof, F_OK, out);
    if (strstr(proof, ".so.") ||
        (length > 2 && strcmp(proof + length - 2, ".h") == 0))
        return find_in_system(proof, out);
    return find_on_path(proof, out);
}

/* A program of the machine; `without` says what is not done without it. */
static void program(const hone_doctor *d, const char *name, const char *proof,
                    const char *without)
{
    hone_text text = {0};

    if (find_package(proof, &text))
        hone__doctor_line(d->output, name, "ok", "%s", text.data);
    else if (text.failed)
        hone__output_row(d->output, NULL);
    else
        hone__doctor_line(d->output, name, "none", "%s", without);
    hone__text_free(&text);
}

static void compilers(const hone_doctor *d)
{
    program(d, "cc", "cc", "not on PATH; only needed to build hone");
    program(d, "c++", "c++",
            "not on PATH: without it there is no device cpu, so that 'hone "
            "verify' needs a GPU; apt-get install g++");
    program(d, "nvcc", "nvcc", "not on PATH; hone does not need it");
}

/* What nothing here needs but the tests and the documents. */
static void packages(const hone_doctor *d)
{
    enum { build, test, optional };
    static const struct {
        int kind;
        const char *proof;
        const char *package;
        const char *without;
    } table[] = {
#define PACKAGE(kind, proof, package, without)                                 \
    {kind, proof, package, "not there: " without "; apt-get install " package},
#include "tools/packages.def"
#undef PACKAGE
    };

    for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i)
        if (table[i].kind != build)
            program(d, table[i].package, table[i].proof, table[i].without);
}

static hone_exit verdict(const hone_doctor *d)
{
    const char *required = d->options->text[HONE_OPT_REQUIRE];
    hone_error err = {0};

    if (hone__doctor_is_over(d))
        err = d->ended;
    else if (required && strcmp(required, "nvrtc") != 0 && !d->has_gpu)
        (void)hone__fail(&err, HONE_ERR_NO_GPU,
                         "a GPU is required and there is none; the list "
                         "above says why");
    else if (required && strcmp(required, "gpu") != 0 && !d->has_nvrtc)
        (void)hone__fail(&err, HONE_ERR_NO_NVRTC,
                         "NVRTC is required and missing; the list above "
                         "says what was tried");
    else if (d->unusable.status != HONE_OK)
        err = d->unusable;
    else
        return HONE_EXIT_DONE;
    return hone__message_error(&err);
}

hone_exit hone__cmd_doctor(const hone_options *options)
{
    static const char columns[] = "name=what, state, detail";
    hone_doctor d = {.options = options, .stop = hone__interrupt_flag()};
    hone_exit code;

    d.answer_s = options->text[HONE_OPT_ANSWER_TIMEOUT]
                     ? (double)options->number[HONE_OPT_ANSWER_TIMEOUT]
                     : HONE_ANSWER_S;
    d.output = hone__output_begin(options, "checks", columns, hone__json(""));
    hone__doctor_line(d.output, "hone", "ok", HONE_VERSION);
    hone__doctor_line(d.output, "libraries", "ok",
                      "SQLite %s, zstd %s, jansson %s", sqlite3_libversion(),
                      ZSTD_versionString(), jansson_version_str());
    place(&d, "templates", hone__locate_templates, "");
    database(&d);
    place(&d, "cubin cache", hone__locate_cache,
          "is not there yet; 'hone compile' makes it");
    for (int i = 0; i < HONE_N_BACKENDS && !hone__doctor_is_over(&d); ++i)
        if (hone__device_kind((hone_backend)i)->driver)
            devices(&d, (hone_backend)i);
    if (!hone__doctor_is_over(&d))
        hone__doctor_nvrtc(&d);
    if (!hone__doctor_is_over(&d))
        nvml(&d);
    sandbox(&d);
    compilers(&d);
    packages(&d);
    code = hone__output_end(d.output,
                            hone__json("gpu:b nvrtc:b interrupted:b", d.has_gpu,
                                       d.has_nvrtc, hone__doctor_is_over(&d)));
    return code == HONE_EXIT_DONE ? verdict(&d) : code;
}
