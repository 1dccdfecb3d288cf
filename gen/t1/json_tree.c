/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of json_tree.h: recursive descent over a text in memory. */
#include "gen/t1/json_tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_DEPTH = 64 };

typedef struct reader {
    const char *text;
    size_t end;
    size_t at;
    int depth;
    hone_arena *arena;
    hone_span *where;
    hone_error *err;
} reader;

static hone_status read_value(reader *r, hone_json_tree *out);

static hone_status fail(reader *r, size_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static hone_status fail(reader *r, size_t offset, const char *format, ...)
{
    char sentence[256];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    *r->where = (hone_span){offset, 1};
    return hone__fail(r->err, HONE_ERR_INPUT, "this is not JSON: %s", sentence);
}

static hone_status no_memory(reader *r)
{
    return hone__fail(r->err, HONE_ERR_NO_MEMORY, "out of memory");
}

static char peek(reader *r)
{
    while (r->at < r->end && (r->text[r->at] == ' ' || r->text[r->at] == '\n' ||
                              r->text[r->at] == '\t' || r->text[r->at] == '\r'))
        ++r->at;
    return r->at < r->end ? r->text[r->at] : '\0';
}

static hone_status expect(reader *r, char c, const char *where)
{
    const char found = peek(r);

    if (r->at >= r->end)
        return fail(r, r->at, "expected '%c' %s, but the text ends here", c,
                    where);
    if (found != c)
        return fail(r, r->at, "expected '%c' %s", c, where);
    ++r->at;
    return HONE_OK;
}

/* ---- strings ----------------------------------------------------------- */

static void put_utf8(char *out, size_t *n, unsigned c)
{
    if (c < 0x80) {
        out[(*n)++] = (char)c;
    } else if (c < 0x800) {
        out[(*n)++] = (char)(0xc0 | c >> 6);
        out[(*n)++] = (char)(0x80 | (c & 0x3f));
    } else {
        out[(*n)++] = (char)(0xe0 | c >> 12);
        out[(*n)++] = (char)(0x80 | (c >> 6 & 0x3f));
        out[(*n)++] = (char)(0x80 | (c & 0x3f));
    }
}

/* Four hex digits behind \u. Halves of a pair stay as they are: no name or
 * expression holds such characters. */
static hone_status read_unicode(reader *r, char *out, size_t *n)
{
    unsigned value = 0;

    for (int i = 0; i < 4; ++i, ++r->at) {
        const char c = r->at < r->end ? r->text[r->at] : '\0';
        const char *digit = strchr("0123456789abcdef", c | 0x20);

        if (c >= '0' && c <= '9')
            value = value << 4 | (unsigned)(c - '0');
        else if (c && digit && (c | 0x20) >= 'a')
            value = value << 4 | ((unsigned)(c | 0x20) - 'a' + 10);
        else
            return fail(r, r->at, "expected a hex digit");
    }
    if (value == 0)
        return fail(r, r->at - 6, "a string cannot hold a zero byte");
    put_utf8(out, n, value);
    return HONE_OK;
}

static hone_status read_escape(reader *r, char *out, size_t *n)
{
    static const char from[] = "\"\\/bfnrt";
    static const char to[] = "\"\\/\b\f\n\r\t";
    const char c = ++r->at < r->end ? r->text[r->at] : '\0';
    const char *known = c ? strchr(from, c) : NULL;

    ++r->at;
    if (c == 'u')
        return read_unicode(r, out, n);
    if (!known)
        return fail(r, r->at - 1, "unknown escape");
    out[(*n)++] = to[known - from];
    return HONE_OK;
}

/* The quote comes next. */
static hone_status read_string(reader *r, hone_json_tree *out)
{
    const size_t start = ++r->at;
    size_t closing = start;
    char *text;

    while (closing < r->end && r->text[closing] != '"')
        closing += r->text[closing] == '\\' ? 2 : 1;
    if (closing >= r->end)
        return fail(r, start - 1, "this string is never closed");
    text = hone__arena_alloc(r->arena, closing - start + 1);
    if (!text)
        return no_memory(r);
    *out = (hone_json_tree){.type = HONE_JSON_TREE_STRING,
                            .text = text,
                            .key = out->key,
                            .offset = start,
                            .end = closing,
                            .is_plain = 1};
    while (r->at < closing) {
        if (r->text[r->at] == '\\') {
            out->is_plain = 0;
            HONE_TRY(read_escape(r, text, &out->length));
        } else if ((unsigned char)r->text[r->at] < ' ') {
            return fail(r, r->at, "a control character in a string");
        } else {
            text[out->length++] = r->text[r->at++];
        }
    }
    r->at = closing + 1;
    return HONE_OK;
}

/* ---- values ------------------------------------------------------------ */

static int is_word_char(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z') || c == '+' || c == '-' || c == '.';
}

static hone_status read_word(reader *r, hone_json_tree *out)
{
    const size_t start = r->at;

    while (r->at < r->end && is_word_char(r->text[r->at]))
        ++r->at;
    if (r->at == start)
        return r->at >= r->end
                   ? fail(r, start, "the text ends where a value should be")
                   : fail(r, start, "expected a value");
    out->offset = start;
    out->end = r->at;
    out->length = r->at - start;
    out->text = hone__arena_strndup(r->arena, r->text + start, out->length);
    if (!out->text)
        return no_memory(r);
    out->type = HONE_JSON_TREE_WORD;
    if (strcmp(out->text, "true") == 0 || strcmp(out->text, "false") == 0 ||
        strcmp(out->text, "null") == 0)
        return HONE_OK;
    out->type = HONE_JSON_TREE_NUMBER;
    if (strspn(out->text, "+-.0123456789eE") == out->length &&
        strpbrk(out->text, "0123456789"))
        return HONE_OK;
    return fail(r, start, "'%.40s' is not a value", out->text);
}

static hone_status read_member(reader *r, hone_json_tree *item)
{
    hone_json_tree key = {0};

    if (peek(r) != '"')
        return fail(r, r->at, "expected a name in quotes");
    HONE_TRY(read_string(r, &key));
    item->key = key.text;
    HONE_TRY(expect(r, ':', "behind the name"));
    return read_value(r, item);
}

static hone_status read_all(reader *r, hone_json_tree *out, char closer)
{
    hone_json_tree **link = &out->first;

    out->offset = r->at++;
    while (peek(r) != closer) {
        hone_json_tree *item = hone__arena_alloc(r->arena, sizeof *item);

        if (!item)
            return no_memory(r);
        HONE_TRY(closer == '}' ? read_member(r, item) : read_value(r, item));
        *link = item;
        link = &item->next;
        if (peek(r) != ',')
            break;
        ++r->at;
        if (peek(r) == closer)
            return fail(r, r->at, "a comma with nothing behind it");
    }
    HONE_TRY(expect(r, closer,
                    closer == '}' ? "or ',' behind a member"
                                  : "or ',' behind a value"));
    out->end = r->at;
    return HONE_OK;
}

static hone_status read_value(reader *r, hone_json_tree *out)
{
    const char c = peek(r);
    hone_status status;

    if (c == '"')
        return read_string(r, out);
    if (c != '{' && c != '[')
        return read_word(r, out);
    if (r->depth == MAX_DEPTH)
        return fail(r, r->at, "values are nested more than %d deep", MAX_DEPTH);
    ++r->depth;
    out->type = c == '{' ? HONE_JSON_TREE_OBJECT : HONE_JSON_TREE_ARRAY;
    status = read_all(r, out, c == '{' ? '}' : ']');
    --r->depth;
    return status;
}

hone_status hone__json_tree_read(const char *source, size_t length,
                                 hone_arena *arena, hone_json_tree **out,
                                 hone_span *out_where, hone_error *err)
{
    reader r = {.text = source,
                .end = length,
                .arena = arena,
                .where = out_where,
                .err = err};

    *out = hone__arena_alloc(arena, sizeof **out);
    if (!*out)
        return no_memory(&r);
    HONE_TRY(read_value(&r, *out));
    if (peek(&r) != '\0' || r.at < r.end)
        return fail(&r, r.at, "nothing can follow the value");
    return HONE_OK;
}

const hone_json_tree *hone__json_tree_find(const hone_json_tree *object,
                                           const char *key)
{
    const hone_json_tree *item;

    if (!object || object->type != HONE_JSON_TREE_OBJECT)
        return NULL;
    item = object->first;
    while (item && strcmp(item->key, key) != 0)
        item = item->next;
    return item;
}
