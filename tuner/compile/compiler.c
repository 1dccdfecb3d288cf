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

/* What NVRTC has to give of one kind: its size, then its bytes. */
static hone_nvrtc_result
fetch(hone_nvrtc_program program,
      hone_nvrtc_result (*size_of)(hone_nvrtc_program, size_t *),
      hone_nvrtc_result (*get)(hone_nvrtc_program, char *), hone_text *out)
{
    size_t size = 0;
    hone_nvrtc_result result = size_of(program, &size);
    char *bytes = result ? NULL : hone__alloc(size + 1);

    if (!result && bytes)
        result = get(program, bytes);
    if (!result && bytes)
        hone__text_append(out, bytes, size);
    out->failed |= !result && !bytes;
    hone__free(bytes);
    return result;
}

/* PTX, where that is what was compiled to. */
static int is_ptx(const hone_nvrtc *nvrtc, const hone_compile_input *input)
{
    return nvrtc->ptx && nvrtc->ptx_size &&
           strncmp(input->arch, "compute_", 8) == 0;
}

static hone_status read_cubin(const hone_nvrtc *nvrtc,
                              const hone_compile_input *input,
                              hone_nvrtc_program program, hone_text *cubin,
                              hone_error *err)
{
    const hone_nvrtc_result result =
        is_ptx(nvrtc, input)
            ? fetch(program, nvrtc->ptx_size, nvrtc->ptx, cubin)
            : fetch(program, nvrtc->cubin_size, nvrtc->cubin, cubin);

    if (result)
        return hone__fail_native(err, HONE_ERR_NVRTC, HONE_DOMAIN_NVRTC, result,
                                 "NVRTC gave no cubin: %s",
                                 nvrtc->error_string(result));
    return hone__text_check(cubin, err);
}

/* The options that every compile gets, one per line. They are in the
 * toolchain's digest, all of them, the folders by what they hold. */
static void add_common_options(hone_text *lines, const hone_nvrtc *nvrtc,
                               const char *pch_folder)
{
    hone__text_puts(lines, "--std=c++17\n-default-device\n"
                           "--ptxas-options=-v\n-DNDEBUG\n");
    if (nvrtc->includes[0])
        hone__text_printf(lines, "--include-path=%s\n", nvrtc->includes);
    if (nvrtc->crt[0])
        hone__text_printf(lines, "--include-path=%s\n", nvrtc->crt);
    /* CUB and cuda/std; older toolkits have them in the folder itself. */
    if (nvrtc->cccl[0])
        hone__text_printf(lines, "--include-path=%s\n", nvrtc->cccl);
    /* NVRTC 13 keeps compiles in a cache of its own; ours knows more. */
    if (nvrtc->version_major >= 13)
        hone__text_puts(lines, "--no-cache\n");
    if (pch_folder)
        hone__text_printf(lines, "--pch\n--pch-messages=false\n--pch-dir=%s\n",
                          pch_folder);
}

/* A list of the lines, which get a NUL each in place of their end. Freed by the
 * caller. */
static hone_status split_lines(hone_text *lines, const char ***list, int *n,
                               hone_error *err)
{
    char *next = lines->data;
    size_t most = 1;

    HONE_TRY(hone__text_check(lines, err));
    for (size_t i = 0; i < lines->length; ++i)
        most += lines->data[i] == '\n';
    *list = hone__alloc(most * sizeof **list);
    if (!*list)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    for (*n = 0; *next;) {
        char *end = next + strcspn(next, "\n");

        if (end > next)
            (*list)[(*n)++] = next;
        next = end + (*end == '\n');
        *end = '\0';
    }
    return HONE_OK;
}

hone_status hone__nvrtc_toolchain(const hone_nvrtc *nvrtc, hone_toolchain *out,
                                  hone_error *err)
{
    /* The version of NVRTC need not be that of the headers. */
    const struct {
        const char *folder, *name;
    } headers[] = {{nvrtc->includes, "cuda_fp16.h"},
                   {nvrtc->includes, "mma.h"},
                   {nvrtc->crt, "crt/mma.h"},
                   {nvrtc->cccl, "cuda/std/__cccl/version.h"}};
    hone_nvrtc anywhere = *nvrtc;
    hone_text all = {0};
    hone_status status = HONE_OK;
    char path[1200];

    (void)snprintf(out->name, sizeof out->name, "nvrtc");
    (void)snprintf(out->version, sizeof out->version, "%d.%d",
                   nvrtc->version_major, nvrtc->version_minor);
    if (nvrtc->includes[0])
        (void)snprintf(anywhere.includes, sizeof anywhere.includes, "CUDA");
    if (nvrtc->crt[0])
        (void)snprintf(anywhere.crt, sizeof anywhere.crt, "CRT");
    if (nvrtc->cccl[0])
        (void)snprintf(anywhere.cccl, sizeof anywhere.cccl, "CCCL");
    add_common_options(&all, &anywhere, "PCH");
    for (size_t i = 0; i < all.length; ++i) /* as the keys of old caches do */
        all.data[i] = (char)(all.data[i] == '\n' ? '\0' : all.data[i]);
    for (size_t i = 0; i < sizeof headers / sizeof headers[0] && !status; ++i) {
        if (!headers[i].folder[0])
            continue;
        (void)snprintf(path, sizeof path, "%s/%s", headers[i].folder,
                       headers[i].name);
        status = hone__text_read_file(&all, path, err);
    }
    if (status == HONE_OK)
        status = hone__text_check(&all, err);
    if (status == HONE_OK)
        hone__sha256_hex(all.data, all.length, out->digest);
    hone__text_free(&all);
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
                           const char *const *options, int n_options,
                           hone_compile_output *out, hone_error *err)
{
    hone_nvrtc_program program = NULL;
    hone_status status;
    hone_nvrtc_result result;

    HONE_TRY(create(nvrtc, input, &program, err));
    result = nvrtc->compile(program, n_options, options);
    /* ptxas' own lines are of use to us, not to a person who looks for an
     * error; they are what remains when a compile succeeds. A NUL ends it. */
    if (fetch(program, nvrtc->log_size, nvrtc->log, &out->log) == 0)
        out->log.length = strlen(hone__text_str(&out->log));
    status = hone__text_check(&out->log, err);
    /* Where memory runs out in its optimiser, NVRTC 13.0 fails without a
     * word; for every fault of a source it has one. */
    out->out_of_memory =
        result == HONE_NVRTC_OUT_OF_MEMORY ||
        (result == HONE_NVRTC_COMPILATION_FAILED && !out->log.length);
    out->crashed = result == HONE_NVRTC_INTERNAL_ERROR;
    if (status == HONE_OK && result == 0)
        status = read_cubin(nvrtc, input, program, &out->cubin, err);
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
    hone_text lines = {0};
    const char **options = NULL;
    int n_options = 0;
    const double start_s = hone__now_s();
    hone_status status;

    *out = (hone_compile_output){.registers = -1};
    hone__text_printf(&lines, "--gpu-architecture=%s\n", input->arch);
    add_common_options(&lines, nvrtc, pch_folder);
    hone__text_puts(&lines, input->options);
    status = split_lines(&lines, &options, &n_options, err);
    if (status == HONE_OK)
        status = compile(nvrtc, input, options, n_options, out, err);
    out->compile_ms = 1e3 * (hone__now_s() - start_s);
    if (out->ok)
        hone__compile_read_log(hone__text_str(&out->log), out);
    hone__text_free(&lines);
    hone__free(options);
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
