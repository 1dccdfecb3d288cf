/* SPDX-License-Identifier: Apache-2.0 */
/* C++ text as its compiler reads it: what is comment, what is a literal, and
 * which headers it names. */
#ifndef HONE_GEN_CODE_H
#define HONE_GEN_CODE_H

#include "runtime/base/text.h"

#include <stddef.h>

/* Some editors begin a file of UTF-8 by a mark of three bytes. */
enum { HONE_CODE_MARK = 3 };
int hone__code_has_mark(const char *text, size_t length);

/* Blank the comments of a text that ends in a NUL, and the mark that it begins
 * with, in place, so that every offset stays what it was. Also blanked are the
 * ends of lines inside comments and raw strings: what is a line end afterwards
 * ends a line of code, unless a backslash stands before it. */
void hone__code_blank(char *text, size_t length);

/* End of the string or character constant that starts at `at`; `at` itself if
 * none does. */
size_t hone__code_literal_end(const char *text, size_t at, size_t length);

/* Is it a raw string whose quote stands at `quote`? */
int hone__code_is_raw(const char *text, size_t quote);

/* Append what decides about a text: no comments, no blanks but where two
 * tokens would run together or a directive ends, literals as they are. A text
 * that asks for its line numbers is taken as it is. 0 without memory. */
int hone__code_tokens(const char *text, size_t length, hone_text *out);

/* Is the line end at `at` spliced away by a backslash before it? */
int hone__code_is_spliced(const char *text, size_t at);

int hone__code_is_name(char c); /* may stand in an identifier */
/* Is `name` in the text as a word of its own? */
int hone__code_names(const char *text, const char *name, size_t length);

enum { HONE_MAX_INCLUDE = 512 };

/* The name of a header in an `#include` or a `__has_include`. */
typedef struct hone_include {
    size_t begin; /* of the name, with its quotes or brackets */
    size_t end;
    char name[HONE_MAX_INCLUDE]; /* without them */
    int is_quoted;
    const char *mistake; /* why it cannot be followed; NULL: it can */
    /* With a mistake: may be left as it is where a compiler is sure to look
     * among its own headers alone. */
    int is_compilers;
} hone_include;

/* A walk through blanked text; starts as {.text = .., .length = ..}. */
typedef struct hone_include_scan {
    const char *text;
    size_t length;
    size_t at;
    int in_line;      /* something stood in this line before `at` */
    int in_directive; /* this line is one */
    int is_defined;   /* `defined` or `ifdef` stands before `at` */
    /* The last characters of the adjacent literals before `at`, as the
     * compiler joins them; [1]: in this directive. */
    char joined[2][8];
} hone_include_scan;

/* The next header that is named; 0 at the end of the text. Conditions are not
 * evaluated: what stands in an `#if 0` counts. */
int hone__include_next(hone_include_scan *scan, hone_include *out);

/* Join what the string constant at `at` says to `joined`, and tell whether the
 * name of a directive of assembly that opens a file comes to be. */
int hone__assembly_opens(const char *text, size_t at, size_t end,
                         char joined[8]);

#endif
