/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/runtime/gpu_program.h"

#include "runtime/driver/nvrtc_api.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const hone_driver *driver;
hone_properties properties;
hone_ctx *ctx;
hone_error error;

static char db_path[] = "/tmp/hone-gpu-XXXXXX";

void gpu_check(int good, const char *file, int line, const char *what)
{
    if (good)
        return;
    (void)fprintf(stderr, "%s:%d: %s; %s; %s\n", file, line, what,
                  hone_error_text(ctx), error.text);
    (void)unlink(db_path);
    exit(1);
}

void gpu_skip(const char *why)
{
    (void)printf("skipped: %s\n", why);
    exit(77);
}

void gpu_begin(void)
{
    hone_cu_context context = NULL;

    if (hone__cuda_get(&driver, &error))
        gpu_skip(error.text);
    CHECK(!driver->primary_retain(&context, 0));
    CHECK(!driver->context_set(context));
    CHECK(!hone__driver_properties(driver, 0, &properties, &error));
}

const char *gpu_arch(void)
{
    static char arch[16];

    (void)snprintf(arch, sizeof arch, "sm_%d",
                   (int)properties.value[HONE_PROPERTY_sm]);
    return arch;
}

void gpu_compile(const char *source, hone_text *out)
{
    const hone_nvrtc *nvrtc = NULL;
    hone_nvrtc_program program = NULL;
    char option[32];
    const char *options[] = {option};
    size_t size_bytes = 0;
    char *cubin;

    if (hone__nvrtc_get(&nvrtc, &error))
        gpu_skip(error.text);
    (void)snprintf(option, sizeof option, "-arch=%s", gpu_arch());
    CHECK(!nvrtc->create(&program, source, "gpu.cu", 0, NULL, NULL));
    CHECK(!nvrtc->compile(program, 1, options));
    CHECK(!nvrtc->cubin_size(program, &size_bytes));
    cubin = malloc(size_bytes);
    CHECK(cubin && !nvrtc->cubin(program, cubin));
    hone__text_append(out, cubin, size_bytes);
    free(cubin);
    (void)nvrtc->destroy(&program);
}

hone_db *gpu_create_database(void)
{
    hone_db *db = NULL;

    CHECK(close(mkstemp(db_path)) == 0 && unlink(db_path) == 0);
    CHECK(!hone__db_open(db_path, HONE_DB_CREATE, &db, &error));
    return db;
}

void gpu_open(void)
{
    CHECK(!hone_open(db_path, &ctx));
}

int gpu_passed(void)
{
    hone_close(ctx);
    (void)driver->context_set(NULL);
    (void)unlink(db_path);
    (void)printf("passed\n");
    return 0;
}
