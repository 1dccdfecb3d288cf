/* SPDX-License-Identifier: Apache-2.0 */
/* The system's C++ compiler as a producer of variants: see host_compiler.h.
 */
#include "tuner/compile/host_compiler.h"

#include "runtime/base/hash.h"
#include "tuner/compile/compile_log.h"
#include "tuner/process/worker.h"

#include <stdio.h>
#include <string.h>

enum { MAX_PATH = 4200 };

/* In the folder of a unit, where the compiler runs: so no message and no
 * debugging information depends on where that folder is. Our own headers are
 * in the folder above. */
#define UNIT "hone-unit"

/* Thread-local variables of an object that is loaded later are found by a call
 * of a few instructions. Without it each is a call of __tls_get_addr(), which
 * AddressSanitizer intercepts: half the time of a sanitized run. Loaders up to
 * glibc 2.39 may lose vector registers in a thread's first such call; ours is
 * in host_launch.h, before a kernel begins. */
#define TLS_DESCRIPTORS "-mtls-dialect=gnu2"

/* The assembler lists the files that it opens, .incbin and .include among
 * them. */
#define LIST_ASSEMBLED "-Wa,--MD,"

/* ---- which compiler ----------------------------------------------------- */

static const char *const build_names[] = {"plain", "sanitized", "races"};

/* What every unit is compiled with. */
static void add_flags(const hone_host_compiler *compiler, hone_command_line *c)
{
    hone__command_start(c, compiler->path);
    /* Hidden: inline variables of two objects in one process must not be
     * taken for the same one (GNU unique symbols are). */
    hone__command_add(c, "-std=c++17", "-O1", "-g1", "-fPIC", "-w",
                      "-fno-strict-aliasing", "-ffp-contract=off", "-pthread",
                      "-fvisibility=hidden", "-DHONE_HOST=1", "-I..", NULL);
    if (compiler->tls_descriptors)
        hone__command_add(c, TLS_DESCRIPTORS, NULL);
    if (compiler->build == HONE_HOST_SANITIZED)
        hone__command_add(
            c, "-fsanitize=address,undefined", "-fno-sanitize=vptr",
            "-fno-sanitize-recover=undefined", "-fno-omit-frame-pointer", NULL);
    if (compiler->build == HONE_HOST_RACES)
        hone__command_add(c, "-fsanitize=thread", "-DHONE_HOST_RACE=1", NULL);
}

/* The command for a unit, and the one that links it if that is another. */
static void make_commands(const hone_host_compiler *compiler,
                          hone_command_line *unit, hone_command_line *link)
{
    *link = (hone_command_line){.n = 0};
    add_flags(compiler, unit);
    hone__command_add(unit, "-MD", "-MF", UNIT ".d", NULL);
    if (compiler->lists_assembled)
        hone__command_add(unit, LIST_ASSEMBLED UNIT ".as.d", NULL);
    if (compiler->build != HONE_HOST_RACES) {
        hone__command_add(unit, "-shared", UNIT ".cpp", "-o", UNIT ".so", NULL);
        return;
    }
    hone__command_add(unit, "-c", UNIT ".cpp", "-o", UNIT ".o", NULL);
    /* The hooks of the race build are ours: no libtsan. */
    hone__command_start(link, compiler->path);
    hone__command_add(link, "-shared", "-pthread", UNIT ".o", "-o", UNIT ".so",
                      NULL);
}

static void add_words(hone_text *all, const hone_command_line *c)
{
    for (int i = 1; i < c->n; ++i) /* without the path */
        hone__text_append(all, c->words[i], strlen(c->words[i]) + 1);
}

/* Everything but the sources that decides about an object. */
static hone_status make_digest(const hone_host_compiler *compiler,
                               const char *version, hone_toolchain *out,
                               hone_error *err)
{
    hone_command_line unit, link;
    hone_text all = {0};
    hone_status status;

    make_commands(compiler, &unit, &link);
    hone__text_append(&all, version, strlen(version) + 1);
    add_words(&all, &unit);
    add_words(&all, &link);
    for (const hone_host_file *f = hone__host_files; f->name; ++f) {
        hone__text_append(&all, f->name, strlen(f->name) + 1);
        hone__text_append(&all, f->text, strlen(f->text) + 1);
    }
    status = hone__text_check(&all, err);
    if (status == HONE_OK)
        hone__sha256_hex(all.data, all.length, out->digest);
    hone__text_free(&all);
    return status;
}

hone_status hone__host_compiler_open(hone_host_compiler *compiler,
                                     hone_host_build build,
                                     hone_toolchain *out_toolchain,
                                     hone_error *err)
{
    /* clang 14 knows neither, since its assembler is a part of it; and the
     * first is x86-64's. */
    static const hone_host_question tls = {TLS_DESCRIPTORS, "-S",
                                           "-mtls-dialect"};
    static const hone_host_question lists = {LIST_ASSEMBLED "/dev/null", "-c",
                                             "--MD"};
    hone_text version = {0};
    hone_status status;

    hone__host_compiler_path(compiler->path, sizeof compiler->path);
    compiler->build = build;
    compiler->headers_ready = 0;
    if (!hone__host_ask_option(compiler->path, "--version", &version)) {
        hone__text_free(&version);
        return hone__fail(err, HONE_ERR_NO_COMPILER,
                          "the C++ compiler '%s' does not run: the cpu device "
                          "needs one; install g++ (apt-get install g++), or "
                          "set CXX to yours. A temporary folder (TMPDIR) that "
                          "cannot be written or has no space left shows the "
                          "same way",
                          compiler->path);
    }
    status = hone__host_ask_knows(compiler->path, &tls,
                                  &compiler->tls_descriptors, err);
    if (status == HONE_OK)
        status = hone__host_ask_knows(compiler->path, &lists,
                                      &compiler->lists_assembled, err);
    if (status == HONE_OK)
        status = make_digest(compiler, version.data, out_toolchain, err);
    (void)snprintf(out_toolchain->name, sizeof out_toolchain->name, "c++");
    (void)snprintf(out_toolchain->version, sizeof out_toolchain->version,
                   "%.56s, %s, headers %.8s", version.data, build_names[build],
                   out_toolchain->digest);
    hone__text_free(&version);
    return status;
}

/* ---- compiling ---------------------------------------------------------- */

/* The file error in `err` as what it means here. */
static hone_status no_room(const char *folder, hone_error *err)
{
    char why[200] = "";

    if (err)
        (void)snprintf(why, sizeof why, "%.190s", err->text);
    return hone__fail(err, HONE_ERR_NO_COMPILER,
                      "the compiler's temporary folder '%s' cannot be "
                      "written (%s); free space there, or set TMPDIR",
                      folder, why);
}

static hone_status join(hone_text *path, const char *folder, const char *name,
                        hone_error *err)
{
    hone__text_printf(path, "%s/%s", folder, name);
    return hone__text_check(path, err);
}

static hone_status write_file(const char *folder, const char *name,
                              const char *text, hone_error *err)
{
    hone_text path = {0};
    hone_status status = join(&path, folder, name, err);

    if (!status && hone__file_replace(path.data, text, strlen(text), err))
        status = no_room(folder, err);
    hone__text_free(&path);
    return status;
}

static hone_status read_file(const char *folder, const char *name,
                             hone_text *out, hone_error *err)
{
    hone_text path = {0};
    hone_status status = join(&path, folder, name, err);

    if (!status)
        status = hone__text_read_file(out, path.data, err);
    hone__text_free(&path);
    return status;
}

/* Write our headers, precompile the one that includes the others, and make
 * the folder of the units. */
static hone_status prepare_headers(hone_host_compiler *compiler,
                                   const char *folder, const char *unit_folder,
                                   hone_error *err)
{
    hone_command_line c;

    for (const hone_host_file *f = hone__host_files; f->name; ++f)
        HONE_TRY(write_file(folder, f->name, f->text, err));
    if (hone__folder_create(unit_folder, err))
        return no_room(folder, err);
    add_flags(compiler, &c);
    hone__command_add(&c, "-x", "c++-header", "../hone_cuda_host.h", "-o",
                      "../hone_cuda_host.h.gch", NULL);
    /* without it compiles are only slower */
    (void)hone__command_run(&c, unit_folder, "gch.log", compiler->at_most_s);
    compiler->headers_ready = 1;
    return HONE_OK;
}

/* What the compiler calls the template: see write_line_directive(). */
static const char *name_of(const hone_compile_input *input)
{
    const char *slash = strrchr(input->name, '/');

    return slash ? slash + 1 : input->name;
}

/* The template's headers, and its own text, which the unit says that its lines
 * are from: so messages quote it. Unless they are there already. */
static hone_status write_files(hone_host_compiler *compiler,
                               const hone_compile_input *input,
                               const char *folder, hone_error *err)
{
    const hone_headers *headers = &input->headers;
    const uint64_t sum = hone__hash64(headers->bytes, headers->size_bytes) ^
                         hone__hash64(input->text, strlen(input->text)) ^
                         hone__hash64(input->name, strlen(input->name));
    const char *at = NULL;
    const char *name, *text;

    if (compiler->headers_ready == 2 && compiler->files_sum == sum)
        return HONE_OK;
    if (name_of(input)[0])
        HONE_TRY(write_file(folder, name_of(input), input->text, err));
    while (hone__headers_next(headers, &at, &name, &text))
        HONE_TRY(write_file(folder, name, text, err));
    compiler->files_sum = sum;
    compiler->headers_ready = 2;
    return HONE_OK;
}

/* Whether the compiler's own fault stopped it, as its log says. */
static int has_broken(const char *folder)
{
    hone_text log = {0};
    const int broken =
        read_file(folder, UNIT ".log", &log, NULL) == HONE_OK &&
        strstr(hone__text_str(&log), "internal compiler error") != NULL;

    hone__text_free(&log);
    return broken;
}

/* The template's own compiler options are NVRTC's and are left out. */
static int compile_unit(const hone_host_compiler *compiler, const char *folder)
{
    hone_command_line unit, link;
    int code;

    make_commands(compiler, &unit, &link);
    code = hone__command_run(&unit, folder, UNIT ".log", compiler->at_most_s);
    /* GCC 12 and 13 fail at gsi_insert_seq_nodes_after() where they instrument
     * some optimised code. Such a build is not timed: it may be slow. */
    if (code > 0 && compiler->build != HONE_HOST_PLAIN && has_broken(folder)) {
        hone__command_add(&unit, "-O0", NULL);
        code =
            hone__command_run(&unit, folder, UNIT ".log", compiler->at_most_s);
    }
    if (code || !link.n)
        return code;
    return hone__command_run(&link, folder, UNIT ".log", compiler->at_most_s);
}

/* Not the variant's fault, so not its outcome. Want of memory is told apart by
 * whoever asked (compile_worker.c). */
static int is_of_machine(int code, const char *log)
{
    return code && !hone__compile_log_no_memory(log) &&
           (code < 0 || hone__compile_log_blame(log) == HONE_BLAME_MACHINE);
}

static hone_status read_results(const hone_host_compiler *compiler, int code,
                                const char *folder, hone_compile_output *out,
                                hone_error *err)
{
    hone_status status = read_file(folder, UNIT ".log", &out->log, NULL);

    if (out->log.failed)
        return hone__text_check(&out->log, err);
    if (status || is_of_machine(code, hone__text_str(&out->log)))
        return hone__fail(err, HONE_ERR_NO_COMPILER,
                          "the C++ compiler '%s' could not be started, was "
                          "killed, or failed in '%s' for no reason of the "
                          "source; free space, memory or processes, or set "
                          "TMPDIR. %.300s",
                          compiler->path, folder, hone__text_str(&out->log));
    out->ok = code == 0;
    out->crashed = code && hone__compile_log_blame(hone__text_str(&out->log)) ==
                               HONE_BLAME_COMPILER;
    if (!out->ok)
        return HONE_OK;
    HONE_TRY(hone__host_opened_check(
        folder, UNIT ".d", compiler->lists_assembled ? UNIT ".as.d" : NULL,
        err));
    return read_file(folder, UNIT ".so", &out->cubin, err);
}

hone_status hone__host_compile(hone_host_compiler *compiler,
                               const hone_compile_input *input,
                               const char *folder, hone_compile_output *out,
                               hone_error *err)
{
    const double start_s = hone__now_s();
    char units[MAX_PATH];
    int code;
    hone_status status;

    *out = (hone_compile_output){.registers = -1};
    if (!folder)
        return hone__fail(err, HONE_ERR_NO_COMPILER,
                          "no temporary folder can be made for the compiler; "
                          "set TMPDIR to one that can be written");
    (void)snprintf(units, sizeof units, "%s/units", folder);
    if (!compiler->headers_ready)
        HONE_TRY(prepare_headers(compiler, folder, units, err));
    HONE_TRY(write_files(compiler, input, units, err));
    HONE_TRY(write_file(units, UNIT ".cpp", input->source, err));
    code = compile_unit(compiler, units);
    out->compile_ms = 1e3 * (hone__now_s() - start_s);
    status = read_results(compiler, code, units, out, err);
    if (status != HONE_OK)
        hone__compile_output_free(out);
    return status;
}
