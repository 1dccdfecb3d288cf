/* SPDX-License-Identifier: Apache-2.0 */
/* NVRTC in a worker process: see compiler.h. */
#include "tuner/compile/compiler.h"

#include "runtime/base/alloc.h"
#include "tuner/compile/compile_log.h"
#include "tuner/process/worker.h"

#include <stdio.h>
#include <string.h>

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

hone_status hone__compile_output_check(const hone_compile_output *output,
                                       hone_error *err)
{
    return hone__text_check(
        output->cubin.failed ? &output->cubin : &output->log, err);
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

/* The options of one compile, each with a NUL behind it. */
typedef struct option_list {
    hone_text storage;
    int n;
    const char **list; /* into the storage, once it is complete */
} option_list;

static void add_option(option_list *options, const char *name,
                       const char *value, size_t length)
{
    hone__text_puts(&options->storage, name);
    hone__text_append(&options->storage, value, length);
    hone__text_append(&options->storage, "", 1);
    ++options->n;
}

/* One per line. */
static void add_options(option_list *options, const char *lines)
{
    while (*lines) {
        const size_t length = strcspn(lines, "\n");

        if (length)
            add_option(options, "", lines, length);
        lines += length + (lines[length] == '\n');
    }
}

/* Those that every compile gets. They are in the toolchain's digest, all of
 * them, the folders by what they hold. */
static void add_common_options(option_list *options, const hone_nvrtc *nvrtc,
                               const char *pch_folder)
{
    add_options(options, "--std=c++17\n-default-device\n"
                         "--ptxas-options=-v\n-DNDEBUG\n");
    if (nvrtc->includes[0])
        add_option(options, "--include-path=", nvrtc->includes,
                   strlen(nvrtc->includes));
    /* CUB and cuda/std; older toolkits have them in the folder itself. */
    if (nvrtc->cccl[0])
        add_option(options, "--include-path=", nvrtc->cccl,
                   strlen(nvrtc->cccl));
    /* NVRTC 13 keeps compiles in a cache of its own; ours knows more. */
    if (nvrtc->version_major >= 13)
        add_options(options, "--no-cache");
    if (pch_folder) {
        add_options(options, "--pch\n--pch-messages=false");
        add_option(options, "--pch-dir=", pch_folder, strlen(pch_folder));
    }
}

static hone_status finish_options(option_list *options, hone_error *err)
{
    const char *at = options->storage.data;

    HONE_TRY(hone__text_check(&options->storage, err));
    options->list = hone__alloc((size_t)options->n * sizeof *options->list);
    if (!options->list)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    for (int i = 0; i < options->n; ++i) {
        options->list[i] = at;
        at += strlen(at) + 1;
    }
    return HONE_OK;
}

hone_status hone__nvrtc_toolchain(const hone_nvrtc *nvrtc, hone_toolchain *out,
                                  hone_error *err)
{
    /* The version of NVRTC need not be that of the headers. */
    static const char *const headers[] = {"cuda_fp16.h", "mma.h"};
    static const char version_of_cccl[] = "cuda/std/__cccl/version.h";
    hone_nvrtc anywhere = *nvrtc;
    option_list options = {.n = 0};
    hone_text *all = &options.storage;
    hone_status status = HONE_OK;
    char path[1200];

    (void)snprintf(out->name, sizeof out->name, "nvrtc");
    (void)snprintf(out->version, sizeof out->version, "%d.%d",
                   nvrtc->version_major, nvrtc->version_minor);
    if (nvrtc->includes[0])
        (void)snprintf(anywhere.includes, sizeof anywhere.includes, "CUDA");
    if (nvrtc->cccl[0])
        (void)snprintf(anywhere.cccl, sizeof anywhere.cccl, "CCCL");
    add_common_options(&options, &anywhere, "PCH");
    for (size_t i = 0; i < sizeof headers / sizeof headers[0] && !status &&
                       nvrtc->includes[0];
         ++i) {
        (void)snprintf(path, sizeof path, "%s/%s", nvrtc->includes, headers[i]);
        status = hone__text_read_file(all, path, err);
    }
    if (status == HONE_OK && nvrtc->cccl[0]) {
        (void)snprintf(path, sizeof path, "%s/%s", nvrtc->cccl,
                       version_of_cccl);
        status = hone__text_read_file(all, path, err);
    }
    if (status == HONE_OK)
        status = hone__text_check(all, err);
    if (status == HONE_OK)
        hone__sha256_hex(all->data, all->length, out->digest);
    hone__text_free(all);
    return status;
}

void hone__toolchain_pack(hone_text *out, const hone_toolchain *toolchain)
{
    hone__pack_string(out, toolchain->name);
    hone__pack_string(out, toolchain->version);
    hone__pack_string(out, toolchain->digest);
}

void hone__toolchain_unpack(hone_unpack *in, hone_toolchain *out)
{
    (void)snprintf(out->name, sizeof out->name, "%s", hone__unpack_string(in));
    (void)snprintf(out->version, sizeof out->version, "%s",
                   hone__unpack_string(in));
    (void)snprintf(out->digest, sizeof out->digest, "%s",
                   hone__unpack_string(in));
}

int hone__headers_next(const hone_headers *headers, const char **at,
                       const char **out_name, const char **out_text)
{
    if (!*at)
        *at = headers->bytes;
    if (!*at || *at == headers->bytes + headers->size_bytes)
        return 0;
    *out_name = *at;
    *out_text = *out_name + strlen(*out_name) + 1;
    *at = *out_text + strlen(*out_text) + 1;
    return 1;
}

/* A program of the source and its headers. */
static hone_status create(const hone_nvrtc *nvrtc,
                          const hone_compile_input *input,
                          hone_nvrtc_program *out, hone_error *err)
{
    const size_t n = input->headers.n;
    const char **names = hone__alloc(2 * n * sizeof *names);
    const char *at = NULL;
    hone_nvrtc_result result = 0;

    if (!names)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < n; ++i)
        (void)hone__headers_next(&input->headers, &at, &names[i],
                                 &names[n + i]);
    result = nvrtc->create(out, input->source, input->name, (int)n, names + n,
                           names);
    hone__free(names);
    if (result)
        return hone__fail_native(err, HONE_ERR_NVRTC, HONE_DOMAIN_NVRTC, result,
                                 "NVRTC cannot start a program: %s",
                                 nvrtc->error_string(result));
    return HONE_OK;
}

static hone_status compile(const hone_nvrtc *nvrtc,
                           const hone_compile_input *input,
                           const option_list *options, hone_compile_output *out,
                           hone_error *err)
{
    hone_nvrtc_program program = NULL;
    hone_status status;
    hone_nvrtc_result result;

    HONE_TRY(create(nvrtc, input, &program, err));
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
    if (status == HONE_OK)
        status = hone__compile_output_check(out, err);
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
    hone_status status;

    *out = (hone_compile_output){.registers = -1};
    add_option(&options, "--gpu-architecture=", input->arch,
               strlen(input->arch));
    add_common_options(&options, nvrtc, pch_folder);
    add_options(&options, input->options);
    status = finish_options(&options, err);
    if (status == HONE_OK)
        status = compile(nvrtc, input, &options, out, err);
    out->compile_ms = 1e3 * (hone__now_s() - start_s);
    if (out->ok)
        hone__compile_read_log(hone__text_str(&out->log), out);
    hone__text_free(&options.storage);
    hone__free(options.list);
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
    hone__pack_i64(out, (int64_t)in->headers.n);
    hone__pack_bytes(out, in->headers.bytes, in->headers.size_bytes);
    hone__pack_string(out, in->text ? in->text : "");
}

void hone__compile_input_unpack(hone_unpack *in, hone_compile_input *out)
{
    out->source = hone__unpack_string(in);
    out->name = hone__unpack_string(in);
    out->arch = hone__unpack_string(in);
    out->options = hone__unpack_string(in);
    out->headers.n = (size_t)hone__unpack_i64(in);
    out->headers.bytes = hone__unpack_bytes(in, &out->headers.size_bytes);
    out->text = hone__unpack_string(in);
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
    out->failed |= in->cubin.failed || in->log.failed;
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
