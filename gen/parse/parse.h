/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the template parser share. One parser reads one file:
 * lines.c finds the statements, the statement functions read them through a
 * cursor, names.c knows what a name means, and every mistake goes to
 * hone__complain(), after which the next statement is read. Private to
 * gen/. */
#ifndef HONE_GEN_PARSE_H
#define HONE_GEN_PARSE_H

#include "gen/parse/body.h"
#include "gen/parse/suggest.h"
#include "gen/parse/template.h"
#include "runtime/base/device_properties.h"

#include <sys/types.h>

enum {
    HONE_MAX_PARAMS = 64,
    HONE_MAX_CHOICES = 64,   /* of one dimension that is a range */
    HONE_MAX_VALUES = 65536, /* of one parameter */
    /* So that lines of a launch plan fit, and its lets do. */
    HONE_MAX_EXPR_BYTES = 1000,
    HONE_MAX_LIST_BYTES = 4000,
    HONE_MAX_LETS = 512
};

/* Bytes [begin, end) of the text. */
typedef struct hone_slice {
    size_t begin;
    size_t end;
} hone_slice;

/* A `#pragma hone` line, without these two words. */
typedef struct hone_statement {
    hone_slice text;
    size_t pragma; /* offset of '#' */
    int first_line;
    int last_line; /* differs if the line is continued */
} hone_statement;

typedef enum hone_name_kind {
    HONE_NAME_DIM,
    HONE_NAME_DIM_TYPE,
    HONE_NAME_DIM_CHOICE,
    HONE_NAME_PARAM,
    HONE_NAME_LET,
    HONE_NAME_ARG,
    HONE_NAME_WORKSPACE,
    HONE_NAME_CONSTANT, /* constant memory */
    HONE_NAME_MAP,      /* tensor map */
    HONE_NAME_LOOP,
    HONE_NAME_REPEAT, /* the number of a repetition */
    HONE_NAME_VALUE   /* of an enumeration */
} hone_name_kind;

typedef struct hone_name {
    const char *name;
    hone_name_kind kind;
    size_t index;  /* in the template's array; of a loop: its slot */
    int64_t value; /* HONE_NAME_VALUE */
    int line;
    hone_slice where;
    int reads_dims; /* of a let, see hone_template_expr */
    int reads_properties;
} hone_name;

/* Which names an expression may read. */
typedef enum hone_scope {
    HONE_SCOPE_ANY,
    HONE_SCOPE_VARIANT, /* known once parameters and types are fixed */
    HONE_SCOPE_EXISTS,  /* known once the device is, too */
    HONE_SCOPE_DIM,     /* the default of a dimension: those before it */
    HONE_SCOPE_ARCH,    /* sm alone */
    HONE_SCOPE_DEVICE,  /* device properties, with or without `device.` */
    HONE_SCOPE_CONSTANT
} hone_scope;

/* An include of the template, and what compilers get instead. */
typedef struct hone_template_include {
    hone_slice where; /* the name with its quotes or brackets */
    const char *spelled;
} hone_template_include;

/* A file that the template includes. */
typedef struct hone_header {
    const char *path;
    const char *name; /* for compilers; no two have the same */
    const char *code; /* without comments, once it is read */
    const char *text; /* of a standard header; NULL: it is a file */
    dev_t device;     /* these two say whether it is the same file */
    ino_t file;
    /* It came with a folder of headers, not from who wrote the template:
     * includes that cannot be followed are no mistakes there. */
    int is_foreign;
} hone_header;

/* A header with statements, behind the file and the parts before it. */
typedef struct hone_part {
    const char *name; /* as compilers know it */
    size_t begin;     /* of its text */
    size_t first;     /* of its statements */
    size_t end;       /* behind the last of them */
    size_t included;  /* where the file includes it */
    int is_contract;
} hone_part;

enum { HONE_MAX_PARTS = 8 };

typedef struct hone_parser {
    hone_template *tmpl;
    hone_template_body *body;
    char *bare; /* the source, comments and continuations blanked */
    /* Of the file, behind which its contract and its parts follow in all of
     * these: their lines and statements are counted on. */
    size_t length;
    size_t end; /* of the last part */
    size_t n_own_lines;
    size_t n_own_statements;
    size_t n_lines;
    size_t n_line_starts; /* n_lines + 1, the last where the text ends */
    size_t *line_starts;
    size_t n_statements;
    hone_statement *statements;
    const char *contract; /* as compilers know it; NULL: there is none */
    hone_part parts[HONE_MAX_PARTS]; /* tmpl->n_parts of them */
    size_t n_names;
    hone_name *names;
    hone_diagnostics *diagnostics;
    int no_memory;
    int has_op;
    size_t n_includes;
    hone_template_include *includes;
    size_t n_headers;
    hone_header *headers;
    const char *own_folders; /* that the template names, as a search path */
    int has_local_includes;  /* of something that is not the compiler's */
    hone_status status;      /* a failure that is no mistake of the template */
    hone_error *err;
    hone_slice map_names[HONE_MAX_MAPS];
    hone_slice pipeline; /* the statement */
    /* of the expression being compiled */
    hone_scope scope;
    int takes_reals; /* it may read parameters that are no integers */
    int repeat;      /* it may read the number of this repetition, plus 1 */
    int reads_dims;
    int reads_properties;
    char note[256]; /* says more than expr.c can about a name */
} hone_parser;

/* --- parser.c: the first two return 0, so that it can be returned --- */
int hone__complain(hone_parser *p, hone_slice where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int hone__no_memory(hone_parser *p);
int hone__line_of(const hone_parser *p, size_t offset);
/* An expression without anything but its line and column. */
hone_template_expr hone__place(const hone_parser *p, hone_slice where);
/* Move a text into the arena; NULL without memory. */
const char *hone__text_keep(hone_parser *p, hone_text *text);
/* A vector in the arena, its new item zeroed; NULL without memory, and the
 * vector is as it was. `items` is the address of the pointer. */
int hone__push(hone_parser *p, void *items, size_t n, size_t size_bytes);
#define HONE_PUSH(p, items, n)                                                 \
    (hone__push((p), &(items), (n), sizeof *(items)) ? &(items)[(n)++] : NULL)

/* Length and bytes of a slice, for "%.*s". */
#define HONE_SLICE(p, slice)                                                   \
    (int)((slice).end - (slice).begin), (p)->bare + (slice).begin
/* Find the lines and the statements of [from, to); blanks the comments. */
int hone__lines_split(hone_parser *p, size_t from, size_t to);
/* Offset behind `#pragma hone` if the line [at, end) begins with it, and where
 * it begins; else 0. */
size_t hone__pragma_end(const char *text, size_t at, size_t end,
                        size_t *out_begin);

/* --- cursor.c --- */
typedef struct hone_cursor {
    hone_parser *p;
    size_t at;
    size_t end;
} hone_cursor;

hone_cursor hone__cursor_at(hone_parser *p, size_t statement);
/* Next character after blanks, '\0' at the end. */
char hone__cursor_peek(hone_cursor *c);
/* Where a complaint about what comes next belongs. */
hone_slice hone__cursor_here(hone_cursor *c);
int hone__cursor_accept(hone_cursor *c, char wanted);
int hone__cursor_expect(hone_cursor *c, char wanted, const char *where);
/* An identifier; an empty slice if there is none. */
hone_slice hone__cursor_word(hone_cursor *c);
/* The same, complaining that `what` is missing. */
int hone__cursor_need_word(hone_cursor *c, const char *what, hone_slice *out);
/* Take the word if it comes next. */
int hone__cursor_accept_word(hone_cursor *c, const char *word);
/* One of `words` that is not in `seen`, a bit each; -1 after a complaint, for
 * which `one_of` and `all_of` list them. `owner`: "a launch". */
int hone__cursor_choose(hone_cursor *c, const char *owner,
                        const char *const *words, size_t n, unsigned *seen,
                        const char *one_of, const char *all_of);
/* A "string" into the arena. */
int hone__cursor_string(hone_cursor *c, const char **out);
/* Everything up to a character of `stops` outside parentheses, one of `words`
 * (NULL, or NULL behind the last), or the end; trimmed. '.' stands for "..". */
hone_slice hone__cursor_until(hone_cursor *c, const char *stops,
                              const char *const *words);
int hone__cursor_is_done(hone_cursor *c);
int hone__cursor_finish(hone_cursor *c);
/* "..", or a complaint; `otherwise` is what else could stand there. */
int hone__cursor_dots(hone_cursor *c, const char *otherwise);
int hone__slice_is(const hone_parser *p, hone_slice slice, const char *text);
const char *hone__slice_copy(hone_parser *p, hone_slice slice);

/* --- names.c --- */
/* Two spaces: what expressions may read; and `buffers`, that is arguments,
 * workspaces, constants and maps. A buffer may share its name with a value of
 * an enumeration, with nothing else. */
const hone_name *hone__name_find(const hone_parser *p, const char *name,
                                 size_t length, int buffers);
const hone_name *hone__name_of(const hone_parser *p, hone_slice word);
const hone_name *hone__buffer_of(const hone_parser *p, hone_slice word);
/* A buffer of these kinds (bits 1 << hone_name_kind), which are `what`; NULL
 * after a complaint. */
const hone_name *hone__buffer_need(hone_parser *p, hone_slice word,
                                   unsigned kinds, const char *what);
/* The name of a dimension, parameter or buffer that is declared next, of
 * which there are `n` already. */
int hone__name_new(hone_cursor *c, hone_name_kind kind, size_t n,
                   hone_slice *out);
/* Declare; complains about reserved and repeated names. */
int hone__name_declare(hone_parser *p, hone_slice where, hone_name_kind kind,
                       size_t index, const char **out_name);
/* Both, of an item that is new in a vector; NULL after a complaint. */
#define HONE_DECLARE(c, kind, items, n, word)                                  \
    (hone__name_new((c), (kind), (n), (word)) &&                               \
             HONE_PUSH((c)->p, (items), (n)) &&                                \
             hone__name_declare((c)->p, *(word), (kind), (n)-1,                \
                                &(items)[(n)-1].name)                          \
         ? &(items)[(n)-1]                                                     \
         : NULL)
/* Fill in tmpl->mentioned, from the template and its headers. The parameters
 * that the code does not name reach it through launches only, so they are left
 * out of the source that is compiled: configurations that differ in nothing
 * else share one cubin. */
hone_status hone__mentions_find(const hone_parser *p, hone_error *err);
/* What is wrong with this name in C++ or here, NULL if nothing. */
const char *hone__name_reserved(const char *name, size_t length);
/* Id of an enumeration's value, interned; 0 without memory. */
int64_t hone__symbol_intern(hone_parser *p, const char *name, size_t length);

/* --- symbols.c --- */
/* For hone__expr_compile(): `user` is the parser. */
hone_symbol hone__symbol(void *user, const char *name, size_t length);
/* Is it a floating-point parameter? */
int hone__name_is_real(const hone_parser *p, const hone_name *name);

/* --- kernel_args.c --- */
int hone__args_clause(hone_cursor *c, hone_template_launch *launch);
/* Without args(..): all arguments, then integer dimensions as i64, then
 * workspaces. */
void hone__args_standard(hone_parser *p, hone_template_launch *launch);

/* --- compile.c --- */
int hone__compile(hone_parser *p, hone_slice where, hone_scope scope,
                  hone_template_expr *out);
int hone__compile_constant(hone_parser *p, hone_slice where, int64_t *out);
/* An expression that was put together from others, at the place of `at`. */
int hone__compile_text(hone_parser *p, const char *text,
                       const hone_template_expr *at, hone_template_expr *out);
/* The value of one that reads nothing; 0: it reads something, or faults. */
int hone__compile_known(const hone_template_expr *expr, int64_t *out);
/* An element type, or a dimension or parameter that is one. */
int hone__compile_type(hone_parser *p, hone_slice where,
                       hone_template_expr *out);
/* A floating-point literal, or the name of a parameter that is such a number:
 * an expression for the bits of a double. out->is_real is 0, and nothing is
 * complained about, if it is neither. */
int hone__compile_real(hone_parser *p, hone_slice where,
                       hone_template_number *out);
/* "(E)", or "(0.5)" and the like as hone__compile_real(). */
int hone__compile_number(hone_cursor *c, const char *what,
                         hone_template_number *out);
/* "(E)" */
int hone__compile_value(hone_cursor *c, const char *what, hone_scope scope,
                        hone_template_expr *out);
/* "(E, E, ..)", between 1 and `most`. */
int hone__compile_list(hone_cursor *c, const char *what, size_t most,
                       hone_scope scope, hone_template_expr *out,
                       size_t *out_n);

/* --- numbers.c --- */
/* Is the text a floating-point literal (0.5, -1.0, 1e-3), or does it begin
 * with one? Integers are none. */
int hone__real_is(const hone_parser *p, hone_slice where);
int hone__real_starts(const hone_parser *p, hone_slice where);
/* A floating-point literal or an integer; complains about everything else. */
int hone__real_read(hone_parser *p, hone_slice where, double *out);

/* Integers from `low` up to `high`. */
typedef struct hone_range {
    hone_slice where;
    int64_t low;
    int64_t high;
    int64_t step;
    int is_pow2;
} hone_range;

/* `[pow2] C..C [step C]`, which holds `low` at least. Its numbers end at a
 * word of the statement, or at a character of `stops`, "." among them. */
int hone__range_read(hone_cursor *c, const char *stops, hone_range *out);
/* Moves `low` to the next number; 0: that was the last. */
int hone__range_next(hone_range *range);
/* An expression that ends where a number of a range does. */
hone_slice hone__range_bound(hone_cursor *c, const char *stops);

/* --- statements --- */
typedef int hone_statement_function(hone_parser *p, hone_cursor *c);
/* All of them, by the word that they begin with; and where they may stand. */
enum {
    HONE_OWN = 1,    /* in a template that declares its operation */
    HONE_OF_ALL = 2, /* in a contract */
    HONE_OF_ONE = 4, /* in a template that implements one */
    HONE_SHARED = 8, /* in a part, which templates share */
    HONE_ANYWHERE = 15,
    HONE_OF_TEMPLATE = HONE_OWN | HONE_OF_ONE | HONE_SHARED
};
#define HONE_STATEMENTS(X)                                                     \
    X(op, HONE_OWN | HONE_OF_ALL)                                              \
    X(implements, HONE_OF_ONE)                                                 \
    X(arch, HONE_OF_TEMPLATE)                                                  \
    X(device, HONE_OF_TEMPLATE)                                                \
    X(arg, HONE_OWN | HONE_OF_ALL)                                             \
    X(param, HONE_OF_TEMPLATE)                                                 \
    X(let, HONE_ANYWHERE)                                                      \
    X(feature, HONE_OF_TEMPLATE)                                               \
    X(require, HONE_ANYWHERE)                                                  \
    X(prefer, HONE_OF_TEMPLATE)                                                \
    X(workspace, HONE_OF_TEMPLATE)                                             \
    X(launch, HONE_OF_TEMPLATE)                                                \
    X(work, HONE_OWN | HONE_OF_ALL)                                            \
    X(check, HONE_OWN | HONE_OF_ALL)                                           \
    X(baseline, HONE_OWN | HONE_OF_ALL)                                        \
    X(shapes, HONE_OWN | HONE_OF_ALL)                                          \
    X(vendor, HONE_OF_ALL)                                                     \
    X(call, HONE_OF_ONE)                                                       \
    X(inputs, HONE_OWN | HONE_OF_ALL)                                          \
    X(pipeline, HONE_OF_TEMPLATE)                                              \
    X(option, HONE_OF_TEMPLATE)                                                \
    X(constant, HONE_OF_TEMPLATE)                                              \
    X(tensormap, HONE_OF_TEMPLATE)                                             \
    X(include, HONE_OWN | HONE_OF_ONE)
#define HONE_STATEMENT(word, places)                                           \
    hone_statement_function hone__statement_##word;
HONE_STATEMENTS(HONE_STATEMENT)
#undef HONE_STATEMENT

/* Is there such a word outside the `#pragma hone` lines? */
int hone__code_has(const hone_parser *p, const char *word, size_t length);
/* What tensor maps ask of the rest of the file. */
int hone__maps_complete(hone_parser *p);
/* A require that nobody wrote, at the place of `at`; frees `condition`. `shown`
 * may be NULL. NULL after a complaint. */
hone_template_require *
hone__require_add(hone_parser *p, const hone_template_expr *at,
                  hone_text *condition, const char *shown, const char *message);
/* What all constants take fits constant memory: a require. */
int hone__constants_complete(hone_parser *p);
/* `[E]`, `[E][E]` or `[E][E][E]` behind an element type: the number of
 * elements, and the extents if `out_shape` is not NULL. */
int hone__compile_count(hone_cursor *c, hone_template_expr *out,
                        hone_template_shape *out_shape);
/* What the values of an argument are drawn from: words behind its type. */
int hone__draw_words(hone_cursor *c, hone_template_arg *arg);
/* Launches without args(..) get the standard ones. */
int hone__launches_complete(hone_parser *p);

/* --- implementations.c --- */
/* Which operation a template is of, by the first statement that says so. */
typedef struct hone_heading {
    int is_op; /* `op`; 0: `implements` */
    hone_slice op;
    hone_slice name; /* of the implementation; empty: the file's */
    int is_reference;
} hone_heading;
/* Of a text without comments; 0: it has none. */
int hone__heading_read(const char *code, size_t length, hone_heading *out);

/* --- load.c --- */
/* Read all `include` statements, into p->own_folders. */
int hone__folders_read(hone_parser *p);

/* --- rate.c --- */
/* "cpu.sum", "cublaslt": `what` is for the complaint. */
int hone__dotted_name(hone_cursor *c, const char *what, const char **out);

/* --- call.c --- */
/* A template that calls a function has nothing else. */
int hone__call_complete(hone_parser *p);

/* --- host.c --- */
/* `host` or `host(PINNED)` of an argument, behind the word. */
int hone__host_word(hone_cursor *c, hone_template_arg *arg);
/* What arrays in host memory ask of the rest of the file. */
int hone__host_complete(hone_parser *p);
/* `(E)`, where E reads nothing but dimensions that list values: what callers
 * know. `otherwise` is complained about what reads more. */
int hone__compile_of_callers(hone_cursor *c, const char *what,
                             const char *otherwise, hone_template_expr *out);

/* --- contract.c --- */
/* Fill in tmpl->contract: statements that say what is right, and the lets that
 * these read. */
hone_status hone__contract_write(hone_parser *p, hone_error *err);

/* --- macros.c --- */
/* No two names give the code the same macro. */
int hone__macros_complete(hone_parser *p);

/* --- template_parts.c --- */
/* Look for headers with statements among those that the template includes, and
 * read them behind it: from here on p has all of them. */
int hone__parts_read(hone_parser *p);
/* Blank the statements of a contract or a part in its texts; 0 after a
 * complaint about those of another header. `code` is `text` without comments.
 */
int hone__part_blank(hone_parser *p, const hone_header *header, char *code,
                     char *text, size_t length);

/* --- headers.c, standard.c --- */
/* Find what the template itself includes. */
int hone__includes_of_template(hone_parser *p);
/* Read these and what they include, into tmpl->headers. */
int hone__headers_read(hone_parser *p);
/* Append what an include of <name> stands for on both devices; 0 if it is the
 * compiler's own affair. Includes in it are the compilers'. What others wrote
 * for more than kernels is given what there is and refused nothing. */
int hone__standard_header(const char *name, int is_foreign, hone_text *out);
/* Fill in the SHA-256 of the file and its headers. */
hone_status hone__template_hash(const hone_parser *p, hone_error *err);

/* --- folders.c --- */
int hone__ends_with_cu(const char *name);
typedef struct hone_template_folder {
    const char *path;
    int is_missing;  /* there is no such folder */
    int is_refused;  /* this user may not read it */
    size_t n;        /* files of which the name ends in ".cu" */
    hone_text names; /* theirs, each with its NUL */
} hone_template_folder;
/* Freed by the caller. Missing or refused, it has no file, and that is no
 * error: HONE_ERR_IO or HONE_ERR_NO_MEMORY if it is not known what is in it. */
hone_status hone__template_folder_read(const char *path,
                                       hone_template_folder *out,
                                       hone_error *err);
void hone__template_folder_free(hone_template_folder *folder);
/* The name behind `name`, the first one behind NULL; NULL behind the last. */
const char *hone__template_folder_next(const hone_template_folder *folder,
                                       const char *name);
/* Path and text of a file in it; *out_found 0 without an error if there is
 * none that this user may read. */
hone_status hone__template_folder_file(const hone_template_folder *folder,
                                       const char *name, hone_text *path,
                                       hone_text *text, int *out_found,
                                       hone_error *err);

/* --- body_text.c, directives.c --- */
/* Take in the lines before statement `index`; n_statements: before the end
 * of the file. */
int hone__body_text(hone_parser *p, size_t index);
hone_body_item *hone__body_push(hone_parser *p, hone_body_kind kind, int line);
/* HONE_BODY_TEXT if the word is no directive. */
hone_body_kind hone__body_kind(const hone_parser *p, hone_slice word);
int hone__body_directive(hone_cursor *c, hone_body_kind kind);
/* Note that a declaration stands here; complained about at the end of the
 * for or if that it stands in. */
int hone__body_stray(hone_parser *p, hone_slice word);
void hone__body_offer(hone_suggestion *s);
void hone__body_find_block(hone_parser *p);
void hone__body_finish(hone_parser *p);

#endif
