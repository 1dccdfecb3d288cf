/* SPDX-License-Identifier: Apache-2.0 */
/* The words, names and expressions of a launch plan's text, below its
 * statements (launch_spec.c). A failure names the line. */
#ifndef HONE_RUNTIME_LAUNCH_READER_H
#define HONE_RUNTIME_LAUNCH_READER_H

#include "runtime/launch/launch_body.h"

/* A piece of the text; not NUL-terminated. */
typedef struct hone_piece {
    const char *text;
    size_t length;
} hone_piece;

typedef struct hone_reader_name {
    hone_piece name;
    hone_symbol symbol;
} hone_reader_name;

typedef struct hone_reader {
    hone_launch_spec *spec;
    hone_error *err;
    int line;
    int version;        /* of the text; 0: not read yet */
    hone_piece keyword; /* of the current line */
    hone_piece rest;    /* of it, not read yet */
    int reads_repeat;   /* the repeat, plus 1, whose number expressions may
                           read; 0: none */
    size_t n_names;
    hone_reader_name *names;
} hone_reader;

/* HONE_ERR_INPUT: "launch plan, line N: WHAT 'ABOUT'". */
hone_status hone__reader_fail(hone_reader *r, const char *what,
                              hone_piece about);
hone_status hone__reader_no_memory(hone_reader *r);

/* Append a copy of `item` to the `n` of a list, to which `list` points. */
hone_status hone__reader_push(hone_reader *r, void *list, size_t *n,
                              const void *item, size_t item_bytes);

hone_piece hone__piece_trim(hone_piece s);
int hone__piece_is(hone_piece s, const char *word);

/* The first line: hone-launch N. */
hone_status hone__reader_version(hone_reader *r);
/* The next word of the line; empty at its end. */
hone_piece hone__reader_word(hone_reader *r);
/* The next word, which must be a name. */
hone_status hone__reader_name(hone_reader *r, hone_piece *out);
hone_status hone__reader_at_end(hone_reader *r);
/* As a string that lives as long as the spec. */
hone_status hone__reader_copy(hone_reader *r, hone_piece s, const char **out);

/* Make a name known to the expressions that follow. */
hone_status hone__reader_declare(hone_reader *r, hone_piece name,
                                 hone_symbol symbol);
/* Compile; the spec owns the result. */
hone_status hone__reader_expr(hone_reader *r, hone_piece text,
                              const hone_expr **out);
/* The rest of the line as up to `most` expressions with ';' between. */
hone_status hone__reader_exprs(hone_reader *r, size_t most,
                               const hone_expr **out);
/* The rest of the line as a constant expression. */
hone_status hone__reader_constant(hone_reader *r, int64_t *out);

/* The expressions of a launch or a tensor map, by the word before them. */
typedef struct hone_reader_part {
    const char *word;
    size_t offset; /* of the first one in the structure */
    size_t most;   /* how many, with ';' between; 0: one, all that is left */
} hone_reader_part;

/* Read the rest of the line into the part of `of` that is called `word`;
 * `twice` is said if it was stated before. HONE_ERR_NOT_FOUND without a
 * sentence: there is no such part. */
hone_status hone__reader_part(hone_reader *r, hone_piece word,
                              const hone_reader_part *parts, size_t n_parts,
                              void *of, const char *twice);

/* launch_arrays.c: what `pass NAME` means (0: nothing), the statements that
 * declare arrays and tensor maps, and whether a map is complete. */
int hone__reader_find_passed(const hone_launch_spec *spec, hone_piece name,
                             spec_pass *out);
hone_status hone__reader_arg(hone_reader *r);
hone_status hone__reader_shape(hone_reader *r);
hone_status hone__reader_optional(hone_reader *r);
/* The array that a line is about. */
hone_status hone__reader_array(hone_reader *r, spec_arg **out);
hone_status hone__reader_workspace(hone_reader *r);
hone_status hone__reader_constant_memory(hone_reader *r);
hone_status hone__reader_tensormap(hone_reader *r);
hone_status hone__reader_map(hone_reader *r);
/* launch_launches.c: a launch, and the statements about it. */
hone_status hone__reader_launch(hone_reader *r);
hone_status hone__reader_repeat(hone_reader *r);
hone_status hone__reader_clause(hone_reader *r);
hone_status hone__reader_cooperative(hone_reader *r);
hone_status hone__reader_early(hone_reader *r);
hone_status hone__reader_pass(hone_reader *r);
hone_status hone__reader_number(hone_reader *r);
hone_status hone__reader_pick(hone_reader *r);
/* launch_host.c: the statements `host` and `pipeline`, and whether the plan
 * may have them. */
hone_status hone__reader_host(hone_reader *r);
hone_status hone__reader_pipeline(hone_reader *r);
hone_status hone__launch_host_complete(const hone_launch_spec *spec,
                                       hone_error *err);
/* launch_vendor.c: the statement `vendor`, those about it, and whether they
 * belong together. */
hone_status hone__reader_vendor(hone_reader *r);
hone_status hone__reader_vendor_number(hone_reader *r);
hone_status hone__reader_vendor_algorithm(hone_reader *r);
hone_status hone__launch_vendor_complete(const spec_vendor *vendor,
                                         hone_error *err);
hone_status hone__launch_map_complete(const spec_map *map, hone_error *err);

#endif
