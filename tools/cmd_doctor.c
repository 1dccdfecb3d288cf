/* SPDX-License-Identifier: Apache-2.0 */
/* hone doctor: what this machine has, what is missing, what to do. */
#include "tools/commands.h"
#include "tools/locate.h"
#include "tools/message.h"
#include "tools/output.h"
#include "tools/packages.h"

#include "db/db.h"
#include "runtime/driver/nvrtc_api.h"
#include "tuner/tuner.h"

#include <dlfcn.h>
#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>
#include <zstd.h>

/* What --require can name. */
typedef struct doctor {
    const hone_options *options;
    hone_output *output;
    int has_gpu;
    int has_nvrtc;
    hone_error unusable; /* the database; HONE_OK: it is not */
} doctor;

/* state: "ok", "missing", "none" for what nobody needs, or "unusable". */
static void line(const doctor *d, const char *what, const char *state,
                 const char *detail)
{
    hone__output_row(
        d->output, hone__json("name:s state:s detail:s", what, state, detail));
}

static void text_line(const doctor *d, const char *what, const char *state,
                      const hone_text *detail)
{
    hone__output_row(d->output, hone__json("name:s state:s detail:o", what,
                                           state, hone__json_text(detail)));
}

/* What could not be found out for lack of memory is not missing. */
static void missing(const doctor *d, const char *what, const hone_error *err)
{
    if (err->status == HONE_ERR_NO_MEMORY)
        hone__output_row(d->output, NULL);
    else
        line(d, what, "missing", err->text);
}

static void versions(const doctor *d)
{
    hone_text text = {0};

    line(d, "hone", "ok", HONE_VERSION);
    hone__text_printf(&text, "SQLite %s, zstd %s, jansson %s",
                      sqlite3_libversion(), ZSTD_versionString(),
                      jansson_version_str());
    text_line(d, "libraries", "ok", &text);
    hone__text_free(&text);
}

typedef hone_status locate_fn(const hone_options *options, hone_text *out,
                              hone_error *err);

static void place(const doctor *d, const char *what, locate_fn *locate,
                  const char *when_absent)
{
    hone_text path = {0};
    hone_error err = {0};

    if (locate(d->options, &path, &err) != HONE_OK) {
        missing(d, what, &err);
    } else if (when_absent[0] && access(hone__text_str(&path), F_OK) != 0) {
        hone__text_printf(&path, " %s", when_absent);
        text_line(d, what, "none", &path);
    } else {
        text_line(d, what, "ok", &path);
    }
    hone__text_free(&path);
}

/* Is it one of ours, whole, and of a format that this hone reads? */
static void database(doctor *d)
{
    hone_text path = {0};
    hone_db_facts facts;
    hone_error err = {0};

    if (hone__locate_db(d->options, &path, &err) != HONE_OK) {
        missing(d, "database", &err);
    } else if (access(hone__text_str(&path), F_OK) != 0) {
        hone__text_puts(&path, " is not there yet; 'hone tune' makes it");
        text_line(d, "database", "none", &path);
    } else if (hone__db_inspect(hone__text_str(&path), &facts, &err) !=
               HONE_OK) {
        line(d, "database", "unusable", err.text);
        d->unusable = err;
    } else {
        hone__text_printf(&path, ", format %lld%s, %lld winners, %lld trials",
                          (long long)facts.version,
                          facts.version < HONE_DB_VERSION
                              ? " (the next 'hone tune' makes it current)"
                              : "",
                          (long long)facts.n_winners,
                          (long long)facts.n_trials);
        text_line(d, "database", "ok", &path);
    }
    hone__text_free(&path);
}

static void devices(doctor *d)
{
    hone_text text = {0};
    hone_error err = {0};

    for (int i = 0;; ++i) {
        hone_device_report report;
        char name[32];

        if (hone__device_describe(HONE_BACKEND_CUDA, i, NULL, &report, &err) !=
            HONE_OK)
            break;
        if (i == 0) {
            hone__text_printf(&text, "CUDA %d.%d", report.driver_version / 1000,
                              report.driver_version % 1000 / 10);
            text_line(d, "CUDA driver", "ok", &text);
        }
        hone__text_clear(&text);
        hone__text_printf(
            &text, "%s, %s, %lld multiprocessors, %.0f GiB", report.name,
            report.arch,
            (long long)report.properties.value[HONE_PROPERTY_sm_count],
            (double)report.properties.value[HONE_PROPERTY_memory] / (1 << 30));
        (void)snprintf(name, sizeof name, "device cuda:%d", i);
        text_line(d, name, "ok", &text);
        d->has_gpu = 1;
    }
    if (!d->has_gpu)
        missing(d, "CUDA driver", &err);
    hone__text_free(&text);
}

static void nvrtc(doctor *d)
{
    const hone_nvrtc *table = NULL;
    hone_text text = {0};
    hone_error err = {0};

    if (hone__nvrtc_get(&table, &err) != HONE_OK) {
        missing(d, "NVRTC", &err);
        return;
    }
    d->has_nvrtc = 1;
    hone__text_printf(&text, "%d.%d, %s", table->version_major,
                      table->version_minor, table->library);
    text_line(d, "NVRTC", "ok", &text);
    if (table->includes[0])
        line(d, "CUDA headers", "ok", table->includes);
    else
        line(d, "CUDA headers", "missing",
             "cuda_fp16.h was not found: install the CUDA toolkit's headers "
             "(cuda-cudart-dev) or set HONE_CUDA_INCLUDE to their folder");
    hone__text_free(&text);
}

/* Clocks, power and temperature are recorded through it. */
static void nvml(const doctor *d)
{
    static const char library[] = "libnvidia-ml.so.1";
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);

    if (!handle) {
        line(d, "NVML", "missing",
             "libnvidia-ml.so.1 comes with the NVIDIA driver; without it "
             "trials are recorded without clock, power and temperature");
        return;
    }
    (void)dlclose(handle);
    line(d, "NVML", "ok", library);
}

/* A program of the machine; `without` says what is not done without it. */
static void program(const doctor *d, const char *name, const char *proof,
                    const char *without)
{
    hone_text text = {0};

    if (hone__package_find(proof, &text) || text.failed)
        text_line(d, name, "ok", &text);
    else
        line(d, name, "none", without);
    hone__text_free(&text);
}

static void compilers(const doctor *d)
{
    program(d, "cc", "cc", "not on PATH; only needed to build hone");
    program(d, "c++", "c++",
            "not on PATH: without it there is no device cpu, so that 'hone "
            "verify' needs a GPU; apt-get install g++");
    program(d, "nvcc", "nvcc", "not on PATH; hone does not need it");
}

/* What nothing here needs but the tests and the documents. */
static void packages(const doctor *d)
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

static hone_exit verdict(const doctor *d)
{
    const hone_options *options = d->options;
    const int all = hone__options_is(options, HONE_OPT_REQUIRE, "all");
    const int gpu = all || hone__options_is(options, HONE_OPT_REQUIRE, "gpu");
    const int compiler =
        all || hone__options_is(options, HONE_OPT_REQUIRE, "nvrtc");
    hone_error err = {0};

    if (gpu && !d->has_gpu)
        (void)hone__fail(&err, HONE_ERR_NO_GPU,
                         "a GPU is required and there is none; the list "
                         "above says why");
    else if (compiler && !d->has_nvrtc)
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
    static const hone_column columns[] = {
        {"name", "what", HONE_CELL_TEXT},
        {"state", "state", HONE_CELL_TEXT},
        {"detail", "detail", HONE_CELL_TEXT},
    };
    doctor d = {.options = options};
    hone_exit code;

    d.output =
        hone__output_begin(options, "checks", columns,
                           sizeof columns / sizeof columns[0], hone__json(""));
    versions(&d);
    place(&d, "templates", hone__locate_templates, "");
    database(&d);
    place(&d, "cubin cache", hone__locate_cache,
          "is not there yet; 'hone compile' makes it");
    devices(&d);
    nvrtc(&d);
    nvml(&d);
    compilers(&d);
    packages(&d);
    code = hone__output_end(
        d.output, hone__json("gpu:b nvrtc:b", d.has_gpu, d.has_nvrtc));
    return code == HONE_EXIT_DONE ? verdict(&d) : code;
}
