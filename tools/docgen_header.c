/* SPDX-License-Identifier: Apache-2.0 */
/* hone(3), of hone.h: a comment that begins with two asterisks and the
 * declaration behind it are an entry. */
#include "tools/docgen_page.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { LINE_BYTES = 256, MOST_LINES = 200 };

typedef struct block {
    char lines[MOST_LINES][LINE_BYTES];
    size_t n;
} block;

/* ---- reading ------------------------------------------------------------- */

static void keep(block *b, const char *line)
{
    if (b->n < MOST_LINES)
        (void)snprintf(b->lines[b->n++], LINE_BYTES, "%s", line);
}

static int ends_with(const char *line, const char *end)
{
    const size_t n = strlen(line), m = strlen(end);

    return n >= m && strcmp(line + n - m, end) == 0;
}

static int next_line(FILE *file, char *line)
{
    if (!fgets(line, LINE_BYTES, file))
        return 0;
    line[strcspn(line, "\n")] = '\0';
    return 1;
}

/* One line of a comment, without what makes it one. */
static void keep_comment(block *b, const char *line)
{
    char text[LINE_BYTES];
    const char *end = strstr(line, "*/");

    line += strspn(line, " ");
    line += strncmp(line, "/**", 3) == 0 ? 3 : *line == '*' && line != end;
    line += *line == ' ';
    (void)snprintf(text, sizeof text, "%.*s",
                   end >= line ? (int)(end - line) : LINE_BYTES, line);
    while (*text && isspace((unsigned char)text[strlen(text) - 1]))
        text[strlen(text) - 1] = '\0';
    if (b->n || *text)
        keep(b, text);
}

/* The declaration that begins with `line`: to its semicolon, or of a macro as
 * far as lines are continued. */
static void read_declaration(FILE *file, char *line, block *b)
{
    const int is_macro = line[0] == '#';
    int depth = 0;

    for (;;) {
        keep(b, line);
        for (const char *c = line; *c; ++c)
            depth += (*c == '{') - (*c == '}');
        if (is_macro ? !ends_with(line, "\\")
                     : depth == 0 && ends_with(line, ";"))
            return;
        if (!next_line(file, line))
            return;
    }
}

/* The next comment and its declaration, which is empty where a blank line is
 * between them. 0: there is none. */
static int read_entry(FILE *file, block *comment, block *declaration)
{
    char line[LINE_BYTES];

    comment->n = declaration->n = 0;
    do {
        if (!next_line(file, line))
            return 0;
    } while (strncmp(line, "/**", 3) != 0);
    for (;;) {
        keep_comment(comment, line);
        if (strstr(line, "*/"))
            break;
        if (!next_line(file, line))
            return 0;
    }
    if (!next_line(file, line))
        return 0;
    if (strncmp(line, "#ifdef __cplusplus", 18) == 0) {
        /* The form that C has is the one behind. */
        while (next_line(file, line) && strcmp(line, "#else") != 0) {
        }
        (void)next_line(file, line);
    }
    if (*line && strncmp(line, "#ifndef", 7) != 0)
        read_declaration(file, line, declaration);
    return 1;
}

/* ---- writing ------------------------------------------------------------- */

/* As it is, without the first `cut` bytes of the first line, and of those that
 * are indented by as many. */
static void put_literal(const block *b, size_t first, size_t end, size_t cut)
{
    (void)printf("```\n");
    for (size_t i = first; i < end; ++i) {
        const char *line = b->lines[i];

        if (i == first || strspn(line, " ") >= cut)
            line += strlen(line) >= cut ? cut : 0;
        for (; *line; ++line)
            (void)printf(*line == '\\' ? "\\\\" : "%c", *line);
        (void)printf("\n");
    }
    (void)printf("```\n\n");
}

/* "@param name  text", "@return text" and "\"value\": text" are terms with a
 * description, which ends with the comment or a blank line. */
static int is_tag(const char *line)
{
    return line[0] == '@' || (line[0] == '"' && strstr(line, "\": "));
}

/* Put the term; the description's beginning comes back. */
static const char *put_tag(const char *line)
{
    size_t length;

    if (strncmp(line, "@return", 7) == 0) {
        (void)printf("Returns\n\t");
        return line + 7;
    }
    if (line[0] == '@') {
        line += strcspn(line, " ");
        line += strspn(line, " ");
    }
    length = strcspn(line, " ");
    (void)printf("_");
    hone__page_escape(line, length - (line[length - 1] == ':'));
    (void)printf("_\n\t");
    return line + length;
}

/* The end of the code that begins at line i: indented by four, as is all up to
 * the next text. */
static size_t code_end(const block *b, size_t i)
{
    while (i < b->n &&
           (!b->lines[i][0] || strncmp(b->lines[i], "    ", 4) == 0))
        ++i;
    while (!b->lines[i - 1][0])
        --i;
    return i;
}

static void put_comment(const block *b)
{
    int in_tag = 0;

    for (size_t i = 0; i < b->n; ++i) {
        const char *line = b->lines[i];

        if (!in_tag && strncmp(line, "    ", 4) == 0) {
            const size_t end = code_end(b, i);

            put_literal(b, i, end, 4);
            i = end - 1;
            continue;
        }
        if (is_tag(line)) {
            (void)printf("%s", in_tag ? "\n" : "");
            in_tag = 1;
            line = put_tag(line);
        } else if (!line[0]) {
            in_tag = 0;
        } else if (in_tag) {
            (void)printf("\t");
        }
        line += strspn(line, " ");
        hone__page_escape(line, strlen(line));
        (void)printf("\n");
    }
    (void)printf("\n");
}

/* The name that a declaration is for, without what stands around it. */
static void put_name(const block *declaration)
{
    const char *first = declaration->lines[0];
    const char *last = declaration->lines[declaration->n - 1];
    const char *at;

    if (strncmp(first, "#define ", 8) == 0) {
        at = first + 8;
    } else if (strchr(first, '(') && strncmp(first, "typedef", 7) != 0) {
        at = strchr(first, '(');
        while (at > first && (isalnum((unsigned char)at[-1]) || at[-1] == '_'))
            --at;
    } else {
        at = strstr(first, "hone_");
        at = at ? at : last;
    }
    hone__page_escape(at, strspn(at, "abcdefghijklmnopqrstuvwxyz"
                                     "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"));
}

static void put_entry(const block *comment, const block *declaration)
{
    (void)printf("## ");
    put_name(declaration);
    (void)printf("\n\n");
    put_literal(declaration, 0, declaration->n,
                strncmp(declaration->lines[0], "HONE_API ", 9) == 0 ? 9 : 0);
    put_comment(comment);
}

int hone__page_header(const char *header, hone_page_part part)
{
    static block comment, declaration;
    FILE *file = fopen(header, "r");
    int is_first = 1;

    if (!file) {
        perror(header);
        return 0;
    }
    for (; read_entry(file, &comment, &declaration); is_first = 0) {
        const int is_function =
            declaration.n && strncmp(declaration.lines[0], "HONE_API ", 9) == 0;

        if (!declaration.n && is_first && part == HONE_PAGE_INTRODUCTION)
            put_comment(&comment);
        else if (declaration.n &&
                 part == (is_function ? HONE_PAGE_FUNCTIONS : HONE_PAGE_TYPES))
            put_entry(&comment, &declaration);
    }
    (void)fclose(file);
    return 1;
}
