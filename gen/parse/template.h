/* SPDX-License-Identifier: Apache-2.0 */
/* A parsed template. The language is specified in TEMPLATE.md; this is its
 * meaning as data. Everything in it lives in the template's arena. */
#ifndef HONE_GEN_TEMPLATE_H
#define HONE_GEN_TEMPLATE_H

#include "gen/parse/statements.h"
#include "runtime/base/alloc.h"
#include "runtime/base/error.h"
#include "runtime/expr/expr.h"
#include "runtime/base/hash.h"
#include "runtime/launch/launch_spec.h"
#include "runtime/base/text.h"

#include <stddef.h>
#include <stdint.h>

/* Every file that a template includes, directly or through each other, but
 * what belongs to the compiler: a name and the text in turns, each with a NUL
 * behind it. Includes in these texts say which of the names they mean. */
typedef struct hone_headers {
    size_t n;
    const char *bytes;
    size_t size_bytes;
} hone_headers;

/* A header with statements. */
typedef struct hone_template_part {
    const char *path;
    int lines_before; /* of the file and the parts in front of this one */
} hone_template_part;

typedef struct hone_template {
    hone_arena arena;
    const char *path; /* as given; used in messages and #line */
    /* As it was given to hone__template_load(), where templates and headers
     * that this one names are looked for; "" if it was parsed from text. */
    const char *search_path;
    const char *source; /* the file, NUL-terminated */
    size_t source_bytes;
    hone_headers headers;
    char
        sha256[HONE_SHA256_HEX]; /* of the tokens of the file and its headers */
    /* The tokens of what says which results are right, and on what inputs. */
    const char *contract;
    const char *op;
    const char *description;
    /* NAME and the sentence of `implements OP/NAME`; of a template that
     * declares the operation itself the name of the file, and "". */
    const char *implementation;
    const char *implementation_description;
    /* Functions of vendors' libraries that implement the operation, as its
     * contract has them: "cublaslt.gemm". */
    size_t n_vendors;
    const char **vendors;
    const char *vendor_part; /* header with what is said of them; NULL: none */
    const char *call; /* the one that this template stands for, which has no
                         code; NULL: it has launches */
    int call_rank; /* parameter with the place in the library's list, or -1 */
    int is_reference;          /* plain, and valid where nothing else is */
    const char *contract_path; /* that of the operation; NULL: the file's */
    /* Headers whose statements count: the contract and shared parts. Lines
     * above n_lines are lines of theirs, see hone__template_where(). */
    size_t n_parts;
    hone_template_part *parts;
    int n_lines;
    size_t n_dims;
    hone_template_dim *dims;
    hone_template_expr arch; /* .expr NULL: any; reads device.sm only */
    int needs_arch_features; /* arch suffix `a`: compile for sm_XXa */
    const char *cuda_only;   /* why it has no host form; NULL: it has one */
    size_t n_args;
    hone_template_arg *args;
    size_t n_params;
    hone_param *params;
    size_t n_lets;
    hone_template_let *lets;
    size_t n_features;
    hone_template_feature *features;
    size_t cost; /* the feature COST, from 1; 0: there is none */
    size_t n_requires;
    hone_template_require *requires_;
    size_t n_workspaces;
    hone_template_workspace *workspaces;
    size_t n_constants;
    hone_template_constant *constants;
    size_t n_maps;
    hone_template_map *maps;
    size_t n_launches;
    hone_template_launch *launches;
    size_t n_repeats;
    hone_template_repeat *repeats;
    hone_template_pipeline pipeline;
    size_t n_options;
    hone_template_option *options;
    size_t n_checks;
    hone_template_check *checks;
    size_t n_baselines;
    hone_template_baseline *baselines;
    size_t n_problems;
    hone_template_problem *problems;
    /* Another template that writes inputs, "template.NAME"; "": none. */
    const char *inputs;
    int inputs_line;
    hone_template_expr work_flops; /* .expr NULL: not declared */
    hone_template_expr work_bytes;
    hone_slots slots;
    size_t n_symbols; /* names of enumerations; id = 1000 + index */
    const char **symbols;
    /* Per parameter, then per let: 1 if the code names it. What it does not
     * name is not in the expanded source. */
    const unsigned char *mentioned;
    struct hone_template_body *body; /* for expand.c: text and directives */
} hone_template;

/* What is wrong with a template, all of it at once. */
typedef struct hone_diagnostic {
    size_t part;    /* 0: the file itself, else a part of it, from 1 up */
    int line;       /* 1-based */
    int column;     /* 1-based */
    int length;     /* characters to underline, at least 1 */
    char text[256]; /* a plain sentence that says how to mend it */
} hone_diagnostic;

/* A header with statements, which outlives the template here. */
typedef struct hone_diagnostics_part {
    char *path;
    char *text;
} hone_diagnostics_part;

enum { HONE_MOST_MISTAKES = 100 }; /* nobody reads more */

typedef struct hone_diagnostics {
    size_t n;
    hone_diagnostic *items; /* sorted by part, line and column */
    size_t n_parts;
    hone_diagnostics_part *parts;
} hone_diagnostics;

/* Parse, and read the headers that the text includes. On HONE_ERR_INPUT
 * `diagnostics` holds every mistake and `err` their count; for a mistake in a
 * header, `err` says where it is. Other errors: HONE_ERR_NO_MEMORY,
 * HONE_ERR_IO. `path` is copied; `search_path` is as of
 * hone__template_load(). */
hone_status hone__template_read(const char *path, const char *search_path,
                                const char *text, size_t length,
                                hone_template **out,
                                hone_diagnostics *diagnostics, hone_error *err);
/* In front of a folder of a search path in which headers are looked for, and
 * templates are not. */
#define HONE_INCLUDE_FOLDER '<'

/* Append folders, separated by colons, to a search path as such. HONE_ERR_INPUT
 * if one is not there or belongs to a compiler. */
hone_status hone__search_path_include(hone_text *search_path,
                                      const char *folders, hone_error *err);
/* The template that a line `vendor FUNCTION` in the contract of `of` stands
 * for. */
hone_status hone__template_of_vendor(const hone_template *of,
                                     const char *function, hone_template **out,
                                     hone_error *err);
/* "template", "reference" or "vendor". */
const char *hone__template_kind(const hone_template *tmpl);
/* What the database calls it: the implementation of a contract by its name,
 * another template by its file. */
const char *hone__template_name(const hone_template *tmpl);
/* What is on a search path, by the headings of the files: `op NAME`, or
 * `implements OP/NAME` with the contract of that operation. */
typedef struct hone_listed_template {
    const char *op;
    const char *name; /* of the implementation; else that of the file */
    const char *path;
    int has_contract; /* it says `implements` */
    int is_reference;
    int folder; /* its place on the path */
} hone_listed_template;

typedef struct hone_template_list {
    size_t n;
    hone_listed_template *items; /* by operation and name */
    hone_text refused; /* folders that this user may not read; "" if none */
    hone_arena arena;
} hone_template_list;

/* All templates, or those that `asked` names: "OP" or "OP/NAME". Of the same
 * implementation in several folders the first is meant; in one folder it is
 * there twice. Files that this user may not read and that have no heading are
 * left out; HONE_ERR_IO if it is not known what a folder or a file holds. */
hone_status hone__templates_list(const char *asked, const char *search_path,
                                 hone_template_list *out, hone_error *err);
void hone__templates_list_free(hone_template_list *list);

/* Append the file that `name` stands for: that of an implementation OP/NAME,
 * or the only one of OP that is no reference; itself if it ends in ".cu", or
 * has a '/' and is a file or cannot be OP/NAME; else NAME.cu, or the template
 * whose operation is NAME, in the first folder of `search_path`
 * (colon-separated) that has one.
 * HONE_ERR_NOT_FOUND lists the folders searched, with those that may not be
 * read; HONE_ERR_INPUT if several in one folder may be meant; HONE_ERR_IO as
 * for lists. */
hone_status hone__template_find(const char *name, const char *search_path,
                                hone_text *out, hone_error *err);
/* Does `name` stand for another file, too, with other contents, in a folder
 * behind that of `path`, which was found? The first is in `out` then. */
hone_status hone__template_shadowed(const char *name, const char *path,
                                    const char *search_path, int *out_found,
                                    hone_text *out, hone_error *err);
/* The same; read and parse it. */
hone_status hone__template_load(const char *name, const char *search_path,
                                hone_template **out,
                                hone_diagnostics *diagnostics, hone_error *err);
void hone__template_free(hone_template *tmpl);

/* The file and the line in it that a `line` of the template's data means. */
typedef struct hone_where {
    const char *path;
    int line;
} hone_where;

hone_where hone__template_where(const hone_template *tmpl, int line);
/* For "line %d%s%s": of the file itself, or of what is named. */
#define HONE_LINE_OF(tmpl, at)                                                 \
    hone__template_where((tmpl), (at)).line,                                   \
        (at) > (tmpl)->n_lines ? " of " : "",                                  \
        (at) > (tmpl)->n_lines ? hone__template_where((tmpl), (at)).path : ""
/* Both of them, for "%s:%d". */
#define HONE_PLACE(tmpl, at)                                                   \
    hone__template_where((tmpl), (at)).path,                                   \
        hone__template_where((tmpl), (at)).line

/* "PATH:LINE:COL: error: SENTENCE", the line and a caret, for each. `source`
 * is the text that was parsed; needs no template. */
void hone__diagnostics_format(const hone_diagnostics *diagnostics,
                              const char *path, const char *source,
                              hone_text *out);
void hone__diagnostics_free(hone_diagnostics *diagnostics);

/* Check and complete problem dimensions, those that are HONE_DIM_DEFAULT and
 * those behind n_dims. The sentence names the op's signature:
 * "gemm(M, N, K)". HONE_ERR_DIMS. */
hone_status hone__template_complete_dims(const hone_template *tmpl,
                                         const int64_t *dims, size_t n_dims,
                                         int64_t out_dims[HONE_MAX_DIMS],
                                         hone_error *err);
/* The default of dimension `i`, which is not mandatory, where those before it
 * are `dims`. HONE_ERR_DIMS: it is an expression that has no value there, or
 * one below 1. */
hone_status hone__template_default_dim(const hone_template *tmpl, size_t i,
                                       const int64_t *dims, int64_t *out,
                                       hone_error *err);
/* Is its default an expression, and has it that value in `dims`? It says
 * nothing about the problem then that the others do not. */
int hone__template_dim_follows(const hone_template *tmpl, size_t i,
                               const int64_t *dims);
/* Is it a size of which few values are compiled, such as the length of a
 * transform? A choice of more than three numbers from 1; others are ways to do
 * something, and nothing lies between two of these. */
int hone__template_dim_is_scale(const hone_template_dim *dim);
/* A problem for questions that need none: sizes of 1, the first of those that
 * a dimension lists, where there is no default. With `sizes_by_default` sizes
 * have their default, too, if they have one. */
void hone__template_usual_dims(const hone_template *tmpl, int sizes_by_default,
                               int64_t *out);
/* Read dims as they are written on a command line: "4096,4096,f32", "1M" (with
 * the suffixes K M G, 1024-based); an empty field is HONE_DIM_DEFAULT; and
 * "M=4K,K=64", by name, behind those without. `*out_n`: all behind have their
 * default. HONE_ERR_DIMS. */
hone_status hone__template_read_dims(const hone_template *tmpl,
                                     const char *text,
                                     int64_t out_dims[HONE_MAX_DIMS],
                                     size_t *out_n, hone_error *err);
/* The same, then complete them. */
hone_status hone__template_parse_dims(const hone_template *tmpl,
                                      const char *text,
                                      int64_t out_dims[HONE_MAX_DIMS],
                                      hone_error *err);
/* How callers see the operation: "axpy(n, T in {f32, f64} default f32)", and
 * "alpha: T, x: in T[n], y: inout T[n]". */
void hone__template_signature(const hone_template *tmpl, hone_text *out);
void hone__template_arguments(const hone_template *tmpl, hone_text *out);
/* The dimensions with HONE_DIM_DEFAULT for those that are sizes, unless
 * `with_sizes`: what a search space for every size takes (gen/space.h). */
void hone__template_known_dims(const hone_template *tmpl, const int64_t *dims,
                               int with_sizes, int64_t *out);
/* One dimension as it is written on a command line: "4096", "f32". */
void hone__template_dim_text(const hone_template_dim *dim, int64_t value,
                             hone_text *out);
/* "M=4096 N=4096 K=4096" for people: without those that follow. */
void hone__template_label_dims(const hone_template *tmpl, const int64_t *dims,
                               hone_text *out);

/* A floating-point number in as few digits as give it back: "0.5", "1.0",
 * "1e-5". C++ and hone__real_parse() read it. */
void hone__real_text(double value, hone_text *out);
/* A floating-point number or an integer, with a sign or without; 0: it is
 * neither, or too large. */
int hone__real_parse(const char *text, size_t length, double *out);

/* Spelling of a parameter's value: "128", "true", "f32", "m16n16k16",
 * "0.5". */
void hone__template_value_text(const hone_template *tmpl,
                               const hone_param *param, int64_t value,
                               hone_text *out);

#endif
