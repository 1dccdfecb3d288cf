/* SPDX-License-Identifier: Apache-2.0 */
/* xml_check: stdin is well-formed XML of the plain kind that we write: one
 * root, nested elements, quoted attributes that come once, the predefined
 * entities, printable characters in UTF-8; no scripts, comments or
 * declarations. For machines without an XML parser. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 22, MOST_DEPTH = 64, MOST_ATTRIBUTES = 32 };

typedef struct span {
    const char *begin;
    size_t length;
} span;

static const char *start;

static int same(span a, span b)
{
    return a.length == b.length && memcmp(a.begin, b.begin, a.length) == 0;
}

static void need(int good, const char *at, const char *what)
{
    if (good)
        return;
    printf("byte %ld: %s: %.40s\n", (long)(at - start), what, at);
    exit(1);
}

static span name(const char **at)
{
    span out = {*at, 0};

    need(isalpha((unsigned char)**at), *at, "a name should begin");
    while (isalnum((unsigned char)**at) || strchr("-_:.", **at)) {
        if (!**at)
            break;
        ++*at;
    }
    out.length = (size_t)(*at - out.begin);
    return out;
}

/* Of a printable character; 0: it is none. */
static size_t character_bytes(const char *at)
{
    const unsigned char first = (unsigned char)*at;
    const size_t n = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;

    if (first == '\n' || (first >= ' ' && first < 127))
        return 1;
    if (first < 0xc2 || first > 0xf4)
        return 0;
    for (size_t i = 1; i < n; ++i)
        if (((unsigned char)at[i] & 0xc0) != 0x80)
            return 0;
    return n;
}

/* Text up to one of `ends`. */
static void text(const char **at, const char *ends)
{
    static const char *const entities[] = {"&lt;", "&gt;", "&amp;", "&quot;",
                                           "&#39;"};
    enum { N_ENTITIES = sizeof entities / sizeof entities[0] };

    while (**at && !strchr(ends, **at)) {
        size_t i = 0;

        need(character_bytes(*at) > 0, *at, "a byte that is not printable");
        need(**at != '<' && **at != '>', *at, "a bare bracket");
        if (**at == '&') {
            while (i < N_ENTITIES &&
                   strncmp(*at, entities[i], strlen(entities[i])))
                ++i;
            need(i < N_ENTITIES, *at, "an unknown entity");
            *at += strlen(entities[i]);
        } else {
            *at += character_bytes(*at);
        }
    }
    need(**at != '\0', *at, "the text ends too early");
}

/* Behind the name; returns whether the element is empty. */
static int attributes(const char **at)
{
    span seen[MOST_ATTRIBUTES];
    size_t n = 0;

    for (;;) {
        const size_t space = strspn(*at, " \n");

        *at += space;
        if (**at == '>' || strncmp(*at, "/>", 2) == 0)
            break;
        need(space > 0, *at, "a space should precede an attribute");
        need(n < MOST_ATTRIBUTES, *at, "too many attributes");
        seen[n] = name(at);
        for (size_t i = 0; i < n; ++i)
            need(!same(seen[i], seen[n]), seen[n].begin, "it comes twice");
        need(seen[n].length < 2 || strncmp(seen[n].begin, "on", 2) != 0,
             seen[n].begin, "a script");
        ++n;
        need(strncmp(*at, "=\"", 2) == 0, *at, "a quoted value is missing");
        *at += 2;
        text(at, "\"");
        ++*at;
    }
    *at += **at == '/' ? 2 : 1;
    return (*at)[-2] == '/';
}

int main(void)
{
    static char bytes[MOST_BYTES];
    const span script = {"script", 6};
    span open[MOST_DEPTH];
    size_t depth = 0;
    size_t n_roots = 0;
    const char *at = bytes;

    bytes[fread(bytes, 1, sizeof bytes - 1, stdin)] = '\0';
    start = bytes;
    while (*(at += strspn(at, depth ? "" : " \n"))) {
        if (depth && *at != '<') {
            text(&at, "<");
        } else if (strncmp(at, "</", 2) == 0) {
            at += 2;
            need(depth > 0 && same(name(&at), open[depth - 1]), at,
                 "this closes nothing");
            --depth;
            need(*at == '>', at, "a bracket is missing");
            ++at;
        } else {
            need(*at == '<', at, "an element should begin");
            ++at;
            need(depth < MOST_DEPTH, at, "too deep");
            n_roots += depth == 0;
            open[depth] = name(&at);
            need(!same(open[depth], script), at, "a script");
            depth += !attributes(&at);
        }
    }
    need(depth == 0 && n_roots == 1, at, "one root element");
    return 0;
}
