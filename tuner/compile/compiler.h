/* SPDX-License-Identifier: Apache-2.0 */
/* One variant through NVRTC: source text to cubin, with what ptxas says. */
#ifndef HONE_TUNER_COMPILER_H
#define HONE_TUNER_COMPILER_H

#include "gen/parse/template.h"
#include "runtime/base/error.h"
#include "runtime/driver/nvrtc_api.h"
#include "runtime/base/text.h"
#include "tuner/process/wire.h"

/* The compiler, as the database and the cache know it. For the C++ compiler
 * the version covers our host headers and the kind of build. */
typedef struct hone_toolchain {
    char name[16];
    char version[96];
    /* SHA-256 of whatever else decides about its output: every option that
     * is the same for all compiles, and headers that come with hone or lie
     * beside the compiler. */
    char digest[HONE_SHA256_HEX];
} hone_toolchain;

typedef struct hone_compile_input {
    const char *source;
    const char *name;     /* what messages call the source */
    const char *arch;     /* "sm_90a"; "compute_90": to PTX */
    const char *options;  /* one per line */
    hone_headers headers; /* of the template; the source names these */
    const char *text;     /* of the template, for messages; NULL: none */
} hone_compile_input;

typedef struct hone_compile_output {
    int ok;
    hone_text cubin;
    hone_text log;
    int registers;   /* most of all kernels; -1 unknown */
    int spill_bytes; /* stores + loads, most of all kernels */
    int static_shared_bytes;
    char warnings[64]; /* "C7510,C7515" (compile_log.h), "" for none */
    /* Failures that say nothing about the source; the log says how the
     * machine could do better. Never kept in the cache. */
    int timed_out;     /* the farm ended the compile */
    int crashed;       /* the compiler did not come back */
    int out_of_memory; /* of its process's cap, or of the system */
    int interrupted;   /* somebody ended it, or memory ran out: another run
                          is to try it again */
    double compile_ms;
    int cached;
} hone_compile_output;

/* Fill in what NVRTC is: HONE_ERR_IO if its headers cannot be read. */
hone_status hone__nvrtc_toolchain(const hone_nvrtc *nvrtc, hone_toolchain *out,
                                  hone_error *err);
void hone__toolchain_pack(hone_text *out, const hone_toolchain *toolchain);
void hone__toolchain_unpack(hone_unpack *in, hone_toolchain *out);

/* Walk through `headers`, starting with *at NULL: the next one's name and
 * text; 0 after the last. */
int hone__headers_next(const hone_headers *headers, const char **at,
                       const char **out_name, const char **out_text);

/* HONE_ERR_NO_MEMORY if the code or the log is not whole. */
hone_status hone__compile_output_check(const hone_compile_output *output,
                                       hone_error *err);
/* Copy, marked as cached; to be checked. */
void hone__compile_output_copy(const hone_compile_output *from,
                               hone_compile_output *out);
void hone__compile_output_free(hone_compile_output *output);

/* Compile. A source that does not compile is HONE_OK with ok 0 and the log;
 * errors are NVRTC's own failures. `pch_folder` is this process's folder for
 * precompiled headers, NULL for none. */
hone_status hone__compile_source(const hone_nvrtc *nvrtc,
                                 const hone_compile_input *input,
                                 const char *pch_folder,
                                 hone_compile_output *out, hone_error *err);

/* Read registers, spills, shared memory and warnings out of ptxas' report. */
void hone__compile_read_log(const char *log, hone_compile_output *out);

void hone__compile_input_pack(hone_text *out, const hone_compile_input *in);
void hone__compile_input_unpack(hone_unpack *in, hone_compile_input *out);
void hone__compile_output_pack(hone_text *out, const hone_compile_output *in);
/* Copies; check and free `out` afterwards. */
void hone__compile_output_unpack(hone_unpack *in, hone_compile_output *out);

#endif
