/* SPDX-License-Identifier: Apache-2.0 */
/* NVRTC in a worker process: see compiler.h. */
#include "tuner/compile/compiler.h"

#include "runtime/base/alloc.h"
#include "tuner/compile/compile_log.h"
#include "tuner/process/worker.h"

#include <stdio.h>
#include <string.h>

enum { MAX_OPTIONS = 40 };

void hone__folder_of(const char *path, hone_text *out)
{
    const char *slash = strrchr(path, '/');

    if (slash)
        hone__text_append(out, path, slash > path ? (size_t)(slash - path) : 1);
    else
        hone__text_puts(out, ".");
}

void hone__compile_output_copy(const hone_compile_output *from,
                               hone_compile_output *out)
{
    *out = *from;
    out->cubin = (hone_text){0};
    out->log = (hone_text){0};
    hone__text_append(&out->cubin, hone__text_str(&from->cubin),
                      from->cubin.length);
    hone__text_append(&out->log, hone__text_str(&from->log), from->log.length);
    out->cached = 1;
}

void hone__compile_output_free(hone_compile_output *output)
{
    hone__text_free(&output->cubin);
    hone__text_free(&output->log);
}

void hone__compile_read_log(const char *log, hone_compile_output *out)
{
    hone_kernel_use most;

    hone__compile_log_most(log, &most);
    out->registers = most.registers;
    out->spill_bytes = most.spill_bytes;
    out->static_shared_bytes = most.static_shared_bytes;
    hone__compile_log_warnings(log, out->warnings);
}

/* ptxas' own lines are of use to us, not to a person who looks for an error;
 * they are what remains when a compile succeeds. */
static hone_status read_program_log(const hone_nvrtc *nvrtc,
                                    hone_nvrtc_program program, hone_text *log,
                                    hone_error *err)
{
    size_t size = 0;
    char *buffer;

    if (nvrtc->log_size(program, &size) || size <= 1)
        return HONE_OK;
    buffer = hone__alloc(size + 1);
    if (!buffer)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    if (nvrtc->log(program, buffer) == 0)
        hone__text_puts(log, buffer);
    hone__free(buffer);
    return hone__text_check(log, err);
}

static hone_status read_cubin(const hone_nvrtc *nvrtc,
                              hone_nvrtc_program program, hone_text *cubin,
                              hone_error *err)
{
    size_t size = 0;
    char *buffer = NULL;
    hone_nvrtc_result result = nvrtc->cubin_size(program, &size);

    if (!result) {
        buffer = hone__alloc(size);
        if (!buffer)
            return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
        result = nvrtc->cubin(program, buffer);
    }
    if (!result)
        hone__text_append(cubin, buffer, size);
    hone__free(buffer);
    if (result)
        return hone__fail_native(err, HONE_ERR_NVRTC, HONE_DOMAIN_NVRTC, result,
                                 "NVRTC gave no cubin: %s",
                                 nvrtc->error_string(result));
    return hone__text_check(cubin, err);
}

/* The options of one compile, in `storage` and pointed at by `list`. */
typedef struct option_list {
    hone_text storage;
    size_t offsets[MAX_OPTIONS];
    const char *list[MAX_OPTIONS];
    int n;
} option_list;

static void add_option(option_list *options, const char *name,
                       const char *value)
{
    if (options->n == MAX_OPTIONS)
        return;
    options->offsets[options->n++] = options->storage.length;
    hone__text_puts(&options->storage, name);
    hone__text_append(&options->storage, value, strlen(value) + 1);
}

/* Whatever is added here must become part of the cache's key. */
static hone_status build_options(const hone_nvrtc *nvrtc,
                                 const hone_compile_input *input,
                                 const char *pch_folder, option_list *options,
                                 hone_error *err)
{
    const char *line = input->options;

    add_option(options, "--gpu-architecture=", input->arch);
    add_option(options, "--std=c++17", "");
    add_option(options, "-default-device", "");
    add_option(options, "--ptxas-options=-v", "");
    add_option(options, "-DNDEBUG", "");
    if (nvrtc->includes[0]) {
        add_option(options, "--include-path=", nvrtc->includes);
    }
    if (input->folder[0])
        add_option(options, "--include-path=", input->folder);
    /* NVRTC 13 keeps compiles in a cache of its own; ours knows more. */
    if (nvrtc->version_major >= 13)
        add_option(options, "--no-cache", "");
    if (pch_folder) {
        add_option(options, "--pch", "");
        add_option(options, "--pch-dir=", pch_folder);
        add_option(options, "--pch-messages=false", "");
    }
    while (*line) {
        const size_t length = strcspn(line, "\n");
        char one[512];

        (void)snprintf(one, sizeof one, "%.*s", (int)length, line);
        if (length)
            add_option(options, one, "");
        line += length + (line[length] == '\n');
    }
    HONE_TRY(hone__text_check(&options->storage, err));
    for (int i = 0; i < options->n; ++i)
        options->list[i] = options->storage.data + options->offsets[i];
    return HONE_OK;
}

static hone_status compile(const hone_nvrtc *nvrtc,
                           const hone_compile_input *input,
                           const option_list *options, hone_compile_output *out,
                           hone_error *err)
{
    hone_nvrtc_program program = NULL;
    hone_status status = HONE_OK;
    hone_nvrtc_result result =
        nvrtc->create(&program, input->source, input->name, 0, NULL, NULL);

    if (result)
        return hone__fail_native(err, HONE_ERR_NVRTC, HONE_DOMAIN_NVRTC, result,
                                 "NVRTC cannot start a program: %s",
                                 nvrtc->error_string(result));
    result = nvrtc->compile(program, options->n, options->list);
    status = read_program_log(nvrtc, program, &out->log, err);
    /* Where memory runs out in its optimiser, NVRTC 13.0 fails without a
     * word; for every fault of a source it has one. */
    out->out_of_memory =
        result == HONE_NVRTC_OUT_OF_MEMORY ||
        (result == HONE_NVRTC_COMPILATION_FAILED && !out->log.length);
    out->crashed = result == HONE_NVRTC_INTERNAL_ERROR;
    if (status == HONE_OK && result == 0)
        status = read_cubin(nvrtc, program, &out->cubin, err);
    else if (status == HONE_OK && out->crashed && !out->log.length)
        hone__text_puts(&out->log, nvrtc->error_string(result));
    else if (status == HONE_OK && result != HONE_NVRTC_COMPILATION_FAILED &&
             !out->out_of_memory && !out->crashed)
        status = hone__fail_native(err, HONE_ERR_NVRTC, HONE_DOMAIN_NVRTC,
                                   result, "NVRTC failed on '%s': %s. %.400s",
                                   input->name, nvrtc->error_string(result),
                                   hone__text_str(&out->log));
    out->ok = result == 0 && status == HONE_OK;
    (void)nvrtc->destroy(&program);
    return status;
}

hone_status hone__compile_source(const hone_nvrtc *nvrtc,
                                 const hone_compile_input *input,
                                 const char *pch_folder,
                                 hone_compile_output *out, hone_error *err)
{
    option_list options = {.n = 0};
    const double start_s = hone__now_s();
    hone_status status = build_options(nvrtc, input, pch_folder, &options, err);

    *out = (hone_compile_output){.registers = -1};
    if (status == HONE_OK)
        status = compile(nvrtc, input, &options, out, err);
    out->compile_ms = 1e3 * (hone__now_s() - start_s);
    if (out->ok)
        hone__compile_read_log(hone__text_str(&out->log), out);
    hone__text_free(&options.storage);
    if (status != HONE_OK)
        hone__compile_output_free(out);
    return status;
}

void hone__compile_input_pack(hone_text *out, const hone_compile_input *in)
{
    hone__pack_string(out, in->source);
    hone__pack_string(out, in->name);
    hone__pack_string(out, in->arch);
    hone__pack_string(out, in->options);
    hone__pack_string(out, in->folder);
    hone__pack_string(out, in->origin);
}

void hone__compile_input_unpack(hone_unpack *in, hone_compile_input *out)
{
    out->source = hone__unpack_string(in);
    out->name = hone__unpack_string(in);
    out->arch = hone__unpack_string(in);
    out->options = hone__unpack_string(in);
    out->folder = hone__unpack_string(in);
    out->origin = hone__unpack_string(in);
}

void hone__compile_output_pack(hone_text *out, const hone_compile_output *in)
{
    hone__pack_i64(out, in->ok);
    hone__pack_i64(out, in->registers);
    hone__pack_i64(out, in->spill_bytes);
    hone__pack_i64(out, in->static_shared_bytes);
    hone__pack_i64(out, in->cached);
    hone__pack_f64(out, in->compile_ms);
    hone__pack_bytes(out, in->cubin.data, in->cubin.length);
    hone__pack_bytes(out, in->log.data, in->log.length);
}

void hone__compile_output_unpack(hone_unpack *in, hone_compile_output *out)
{
    size_t size_bytes = 0;
    const char *bytes;

    *out = (hone_compile_output){.ok = 0};
    out->ok = (int)hone__unpack_i64(in);
    out->registers = (int)hone__unpack_i64(in);
    out->spill_bytes = (int)hone__unpack_i64(in);
    out->static_shared_bytes = (int)hone__unpack_i64(in);
    out->cached = (int)hone__unpack_i64(in);
    out->compile_ms = hone__unpack_f64(in);
    bytes = hone__unpack_bytes(in, &size_bytes);
    hone__text_append(&out->cubin, bytes, size_bytes);
    bytes = hone__unpack_bytes(in, &size_bytes);
    hone__text_append(&out->log, bytes, size_bytes);
    /* Not packed: they follow from the log, also in a cache entry that was
     * written before they were looked for. */
    if (out->ok)
        hone__compile_log_warnings(hone__text_str(&out->log), out->warnings);
}
