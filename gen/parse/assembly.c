/* SPDX-License-Identifier: Apache-2.0 */
/* What string constants say to an assembler: see code.h. */
#include "gen/parse/code.h"

#include <ctype.h>
#include <string.h>

/* The assemblers of GCC and clang read them in any case of letters. */
static int is_directive(const char joined[8])
{
    return memcmp(joined, ".include", 8) == 0 ||
           memcmp(joined + 1, ".incbin", 7) == 0;
}

static int join(char joined[8], unsigned c)
{
    memmove(joined, joined + 1, 7);
    joined[7] = (char)(c < 128 ? tolower((int)c) : '?');
    return is_directive(joined);
}

static unsigned digit(char c)
{
    return (unsigned)(isdigit((unsigned char)c)
                          ? c - '0'
                          : tolower((unsigned char)c) - 'a' + 10);
}

/* The number of up to `n` digits at `at`, which moves behind them. */
static unsigned read_number(const char *text, size_t *at, unsigned base, int n)
{
    unsigned value = 0;

    for (;
         n > 0 && isxdigit((unsigned char)text[*at]) && digit(text[*at]) < base;
         --n)
        value = (value * base + digit(text[(*at)++])) & 0xffffffu;
    return value;
}

/* What the backslash at `at` stands for, which moves behind it; none for a
 * line that goes on behind its end. */
static int read_escape(const char *text, size_t *at, unsigned *out)
{
    const char c = text[*at + 1];

    if (c == '\n' || (c == '\r' && text[*at + 2] == '\n')) {
        *at += c == '\n' ? 2 : 3;
        return 0;
    }
    ++*at;
    if (c >= '0' && c <= '7') {
        *out = read_number(text, at, 8, 3);
        return 1;
    }
    ++*at;
    if (c == 'x')
        *out = read_number(text, at, 16, 1000);
    else if (c == 'u' || c == 'U')
        *out = read_number(text, at, 16, c == 'u' ? 4 : 8);
    else /* \n and the like are no part of a name */
        *out = strchr("'\"?\\", c) ? (unsigned char)c : ' ';
    return 1;
}

int hone__assembly_opens(const char *text, size_t at, size_t end,
                         char joined[8])
{
    const int is_raw = hone__code_is_raw(text, at);
    int opens = 0;

    if (is_raw) {
        const size_t name = strcspn(text + at + 1, "(\n");

        at += name + 1;
        end = end > at + name + 2 ? end - name - 1 : at;
    }
    for (++at; at + 1 < end;) {
        unsigned c = (unsigned char)text[at];

        if (is_raw || c != '\\')
            ++at;
        else if (!read_escape(text, &at, &c))
            continue;
        opens |= join(joined, c);
    }
    return opens;
}
