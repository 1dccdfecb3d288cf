/* SPDX-License-Identifier: Apache-2.0 */
/* The winner's code, by the tools that are installed: see explain.h. */
#include "tools/database/explain.h"

#include "runtime/base/alloc.h"
#include "tools/inputs/pack_ptx.h"
#include "tuner/compile/host_compiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double AT_MOST_S = 120; /* of processor time */

/* ---- the winner ------------------------------------------------------------
 */

typedef struct code_winner {
    int64_t variant_id; /* 0: there is none */
    hone_text implementation, sha256, config, types, arch;
} code_winner;

static hone_status on_winner(void *user, const hone_db_row *row,
                             hone_error *err)
{
    code_winner *out = user;
    hone_text *const to[] = {&out->implementation, &out->sha256, &out->config,
                             &out->types, &out->arch};

    out->variant_id = row->values[0].integer;
    for (size_t i = 0; i < sizeof to / sizeof to[0]; ++i) {
        hone__text_puts(to[i], row->values[i + 1].text);
        HONE_TRY(hone__text_check(to[i], err));
    }
    return HONE_OK;
}

static void free_winner(code_winner *winner)
{
    hone__text_free(&winner->implementation);
    hone__text_free(&winner->sha256);
    hone__text_free(&winner->config);
    hone__text_free(&winner->types);
    hone__text_free(&winner->arch);
}

static hone_status find_winner(const hone_explained *about, code_winner *out,
                               hone_error *err)
{
    const hone_db_value values[] = {hone__db_integer(about->problem_id),
                                    hone__db_integer(about->device_id),
                                    hone__db_text(about->mode)};

    HONE_TRY(hone__db_query(
        about->db,
        "SELECT variant_id, template_name, template_sha256, config, types,"
        " compile_arch FROM ranked_v1 WHERE problem_id = ?1"
        " AND device_id = ?2 AND mode = ?3 AND rank = 1",
        values, 3, on_winner, out, err));
    if (out->variant_id)
        return HONE_OK;
    return hone__fail(err, HONE_ERR_NOT_FOUND,
                      "there is no winner of %s here whose code could be shown",
                      about->op);
}

/* ---- SASS
 * -------------------------------------------------------------------- */

/* Run the first of the programs that is there on the file "code" of `folder`;
 * what it prints goes to "text". */
static hone_status disassemble(const char *folder, int is_host, hone_error *err)
{
    static const char *const cuda[] = {"cuobjdump",
                                       "/usr/local/cuda/bin/cuobjdump", NULL};
    static const char *const host[] = {"objdump", NULL};
    const char *const *names = is_host ? host : cuda;
    char home[512];
    int code = -1;

    (void)snprintf(home, sizeof home, "%s/bin/cuobjdump",
                   getenv("CUDA_HOME") ? getenv("CUDA_HOME") : "");
    for (size_t i = 0; code != 0 && (names[i] || (!is_host && i == 2)); ++i) {
        hone_command_line command;

        hone__command_start(&command, names[i] ? names[i] : home);
        hone__command_add(&command, is_host ? "-d" : "-sass", "code", NULL);
        code = hone__command_run(&command, folder, "text", AT_MOST_S);
    }
    if (code == 0)
        return HONE_OK;
    return hone__fail(err, HONE_ERR_NOT_FOUND,
                      "%s cannot show the kernel's instructions here; %s",
                      is_host ? "objdump" : "cuobjdump",
                      is_host
                          ? "install binutils"
                          : "it comes with the CUDA toolkit: put its folder "
                            "on PATH or set CUDA_HOME");
}

static hone_status write_file(const char *folder, const hone_text *bytes,
                              hone_error *err)
{
    char path[600];
    FILE *file;
    int failed;

    (void)snprintf(path, sizeof path, "%s/code", folder);
    file = fopen(path, "wb");
    failed =
        !file || fwrite(bytes->data, 1, bytes->length, file) != bytes->length;
    failed |= file && fclose(file);
    return failed ? hone__fail(err, HONE_ERR_IO,
                               "'%s' cannot be written; TMPDIR names another "
                               "folder",
                               path)
                  : HONE_OK;
}

static void remove_folder(const char *folder)
{
    static const char *const names[] = {"code", "text"};

    for (size_t i = 0; i < 2; ++i) {
        char path[600];

        (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        (void)unlink(path);
    }
    (void)rmdir(folder);
}

static hone_status sass_in(const hone_explained *about, const char *folder,
                           const hone_text *cubin, hone_text *out,
                           hone_error *err)
{
    char path[600];

    (void)snprintf(path, sizeof path, "%s/text", folder);
    HONE_TRY(write_file(folder, cubin, err));
    HONE_TRY(disassemble(folder, strcmp(about->device_kind, "cpu") == 0, err));
    return hone__text_read_file(out, path, err);
}

static hone_status sass_of(const hone_explained *about,
                           const code_winner *winner, hone_text *out,
                           hone_error *err)
{
    const char *tmp = getenv("TMPDIR");
    char folder[512];
    hone_db_launch launch;
    hone_status status;

    HONE_TRY(hone__db_launch_get(about->db, winner->variant_id, &launch, err));
    (void)snprintf(folder, sizeof folder, "%s/hone-code-XXXXXX",
                   tmp && *tmp ? tmp : "/tmp");
    if (!launch.cubin.length)
        status =
            hone__fail(err, HONE_ERR_UNSUPPORTED,
                       "the winner is %s of a vendor's library, whose code "
                       "is not in the database",
                       hone__text_str(&winner->implementation));
    else if (!mkdtemp(folder))
        status = hone__fail(err, HONE_ERR_IO,
                            "there can be no folder '%s'; TMPDIR names another",
                            folder);
    else {
        status = sass_in(about, folder, &launch.cubin, out, err);
        remove_folder(folder);
    }
    hone__db_launch_free(&launch);
    return status;
}

/* ---- PTX
 * ----------------------------------------------------------------------- */

static hone_status ptx_of(const hone_explained *about,
                          const hone_options *options,
                          const code_winner *winner, hone_text *out,
                          hone_error *err)
{
    hone_pack_ptx ptx = {.options = options};
    const char *arch = hone__text_str(&winner->arch);
    char wanted[32];
    hone_status status;

    (void)snprintf(wanted, sizeof wanted, "compute_%s",
                   strncmp(arch, "sm_", 3) == 0 ? arch + 3 : arch);
    {
        const hone_db_pack_source source = {
            .op = about->op,
            .implementation = hone__text_str(&winner->implementation),
            .template_sha256 = hone__text_str(&winner->sha256),
            .config = hone__text_str(&winner->config),
            .types = hone__text_str(&winner->types),
            .ptx_arch = wanted};

        status =
            strcmp(about->device_kind, "cuda") == 0
                ? hone__pack_ptx_make(&ptx, &source, out, err)
                : hone__fail(err, HONE_ERR_UNSUPPORTED,
                             "only kernels for GPUs have PTX; --sass shows "
                             "the instructions of this one");
    }
    if (status == HONE_OK && !out->length)
        status = hone__fail(err, HONE_ERR_UNSUPPORTED,
                            "there is no PTX of the winner: %.400s",
                            hone__text_str(&ptx.why));
    ptx.n_left_out = 0; /* that was said */
    hone__pack_ptx_end(&ptx);
    return status;
}

hone_status hone__explain_code(const hone_explained *about,
                               const hone_options *options, int is_ptx,
                               hone_text *out, hone_error *err)
{
    code_winner winner = {0};
    hone_status status = find_winner(about, &winner, err);

    if (status == HONE_OK)
        status = is_ptx ? ptx_of(about, options, &winner, out, err)
                        : sass_of(about, &winner, out, err);
    free_winner(&winner);
    return status;
}
