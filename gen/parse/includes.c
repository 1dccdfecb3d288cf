/* SPDX-License-Identifier: Apache-2.0 */
/* The headers that a text names: see code.h. */
#include "gen/parse/code.h"

#include <string.h>

enum { MAX_WORD = 32 };

/* Past blanks and past backslashes that join two lines. */
static size_t skip_blanks(const hone_include_scan *s, size_t at)
{
    for (;;) {
        size_t end = at + strspn(s->text + at, " \t\v\f");

        if (s->text[end] == '\\') {
            const size_t line = end + 1 + strspn(s->text + end + 1, " \t\r");

            if (s->text[line] == '\n')
                end = line + 1;
        }
        if (end == at)
            return at;
        at = end;
    }
}

/* The identifier at `at`, "" if none; joined where its line is split. Returns
 * where it ends. */
static size_t read_word(const hone_include_scan *s, size_t at,
                        char out[MAX_WORD])
{
    size_t n = 0;

    while (hone__code_is_name(s->text[at])) {
        if (n < MAX_WORD - 1)
            out[n++] = s->text[at];
        ++at;
        if (s->text[at] == '\\')
            at = skip_blanks(s, at);
    }
    out[n] = '\0';
    return at;
}

/* The name in quotes or brackets at `at`; moves the walk behind it. */
static void read_name(hone_include_scan *s, size_t at, hone_include *out)
{
    const char close = s->text[at] == '<' ? '>' : '"';
    const char *name = s->text + at + 1;
    const size_t length = strcspn(name, close == '>' ? ">\n" : "\"\n");

    out->begin = at;
    out->end = at + 1;
    out->is_quoted = close == '"';
    out->is_compilers = 1;
    if (s->text[at] != '"' && s->text[at] != '<')
        out->mistake = "the name of this header is not written out, and hone "
                       "finds headers without running the preprocessor; write "
                       "it here in quotes or brackets";
    else if (name[length] != close)
        out->mistake = "the name of this header does not end on its line";
    else if (length == 0 || length >= HONE_MAX_INCLUDE ||
             strcspn(name, "\\>\"@") < length)
        out->mistake = "hone cannot follow a header of this name; rename it "
                       "with letters, digits, '.', '_' and '/'";
    else
        out->end = at + length + 2;
    s->at = out->end;
    if (out->mistake)
        return;
    memcpy(out->name, name, length);
    out->name[length] = '\0';
}

/* What names a header in a way that cannot be followed. */
static const char *const strange[] = {"include_next", "import",
                                      "embed",        "__has_include_next",
                                      "__has_embed",  NULL};

static int is_one_of(const char *word, const char *const words[])
{
    while (*words && strcmp(word, *words) != 0)
        ++words;
    return *words != NULL;
}

/* Does `defined` or the like stand before what comes next? */
static int is_definition(const char *word, int is_directive)
{
    static const char *const directives[] = {"ifdef", "ifndef", "elifdef",
                                             "elifndef", NULL};

    return is_directive ? is_one_of(word, directives)
                        : strcmp(word, "defined") == 0;
}

/* The question is not asked here, but where this name is given away to. */
static int is_given_away(hone_include_scan *s, hone_include *out)
{
    if (s->is_defined)
        return 0;
    out->mistake = "this macro hides which header is asked for, and hone finds "
                   "headers without running the preprocessor; write "
                   "__has_include(..) where it is asked";
    out->is_compilers = 1;
    return 1;
}

/* The walk stands on a word, or on '#' or "%:" and is at the start of a line.
 * 1: it names a header. */
static int read_one(hone_include_scan *s, hone_include *out)
{
    const size_t begin = s->at;
    const int is_question = hone__code_is_name(s->text[begin]);
    char word[MAX_WORD];
    size_t at = begin;

    if (!is_question)
        at = skip_blanks(s, at + (s->text[at] == '#' ? 1 : 2));
    s->at = at = read_word(s, at, word);
    out->begin = begin;
    out->end = at;
    if (!is_question && strncmp(s->text + at, "@{", 2) == 0)
        out->mistake = "an insert cannot be part of a directive";
    else if (is_one_of(word, strange) && is_question == (word[0] == '_'))
        out->mistake = "hone cannot follow this; use #include";
    out->is_compilers = strstr(word, "include_next") != NULL;
    if (out->mistake)
        return 1;
    at = skip_blanks(s, at);
    if (is_question && strcmp(word, "__has_include") == 0) {
        if (s->text[at] != '(')
            return is_given_away(s, out);
        at = skip_blanks(s, at + 1);
    } else if (is_question || strcmp(word, "include") != 0) {
        s->is_defined = is_definition(word, !is_question);
        return 0;
    }
    read_name(s, at, out);
    return 1;
}

/* Assembly that has the assembler read a file: perhaps in several literals,
 * between which there may be directives. */
static int names_file(hone_include_scan *s, size_t end, hone_include *out)
{
    if (s->text[s->at] != '"' ||
        !hone__assembly_opens(s->text, s->at, end, s->joined[s->in_directive]))
        return 0;
    *out = (hone_include){
        .begin = s->at,
        .end = end,
        .mistake =
            "hone cannot follow a file that assembly names: use #include"};
    s->at = end;
    return 1;
}

static void part_literals(hone_include_scan *s)
{
    memset(s->joined[s->in_directive], 0, sizeof s->joined[0]);
}

/* Is the word at `at` the prefix of a literal, as in u8"x"? */
static int is_prefix(const hone_include_scan *s, size_t at)
{
    return s->text[at + strspn(s->text + at, "uU8LR")] == '"';
}

/* What `at` stands on that is neither a literal nor a directive. */
static int pass(hone_include_scan *s, hone_include *out)
{
    const char c = s->text[s->at];

    if (hone__code_is_name(c)) {
        if (!is_prefix(s, s->at))
            part_literals(s);
        return read_one(s, out);
    }
    if (c == '\n') {
        s->in_line = s->in_directive = s->is_defined = 0;
    } else if (c != '\r') {
        s->is_defined &= c == '(';
        part_literals(s);
    }
    ++s->at;
    return 0;
}

int hone__include_next(hone_include_scan *s, hone_include *out)
{
    out->mistake = NULL;
    while ((s->at = skip_blanks(s, s->at)) < s->length) {
        const char c = s->text[s->at];
        const size_t end = hone__code_literal_end(s->text, s->at, s->length);
        const int is_first = !s->in_line;

        s->in_line = c != '\n' && c != '\r';
        if (is_first && (c == '#' || strncmp(s->text + s->at, "%:", 2) == 0)) {
            s->in_directive = 1;
            part_literals(s);
            if (read_one(s, out))
                return 1;
        } else if (end > s->at) {
            if (names_file(s, end, out))
                return 1;
            s->at = end;
        } else if (pass(s, out)) {
            return 1;
        }
    }
    return 0;
}
