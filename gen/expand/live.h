/* SPDX-License-Identifier: Apache-2.0 */
/* The tokens of a variant that its compiler sees: see meaning.h. */
#ifndef HONE_GEN_LIVE_H
#define HONE_GEN_LIVE_H

#include "gen/parse/template.h"

/* A header, as far as it is the same for all variants. */
typedef struct hone_live_header {
    const char *name; /* "./tile.h" */
    char *tokens;
    char sha256[HONE_SHA256_HEX]; /* of these */
    char *words;     /* that may name something of the parameters */
    size_t n_sites;  /* includes of it in headers */
    int has_choices; /* a condition here, or in what it includes, reads a
                        parameter's macro */
    size_t n_includes;
    size_t *includes; /* indices */
} hone_live_header;

typedef struct hone_live_headers {
    const hone_template *tmpl;
    size_t n;
    hone_live_header *items;
    /* Macros HONE_.. that headers define or undefine; such a one is not to be
     * relied upon. */
    hone_text redefined;
    /* What stood before and after the parameters of the last variant, since
     * most have the same, and its tokens. */
    struct {
        hone_text text;
        hone_text tokens;
    } last[2];
} hone_live_headers;

hone_status hone__live_headers_create(const hone_template *tmpl,
                                      hone_live_headers *out, hone_error *err);
void hone__live_headers_free(hone_live_headers *headers);
/* Index of the header that the quote at `at` names; n: none. */
size_t hone__live_header_at(const hone_live_headers *headers, const char *at);

/* One directive of tokens, or the code up to the next. */
typedef struct hone_live_line {
    const char *text;
    size_t length;
    int is_directive;
    const char *word; /* "define", "if", ..; with its length */
    size_t word_length;
    const char *rest; /* what stands behind it */
    size_t rest_length;
} hone_live_line;

/* The line that begins at `*at`, which moves behind it; 0 at the end. */
int hone__live_next(const char **at, hone_live_line *out);
int hone__live_is(const hone_live_line *line, const char *word);
/* Append the names of macros HONE_.. that `tokens` define or undefine. */
void hone__live_redefined(const char *tokens, hone_text *out);

/* Append the tokens of a variant's source that are live. `before` and `after`
 * are what stands before and after `block`, the parameters: only behind these
 * their macros have values. */
hone_status hone__live_write(hone_live_headers *headers, const char *before,
                             const char *block, const char *after,
                             hone_text *out, hone_error *err);

#endif
