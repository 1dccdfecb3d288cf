/* SPDX-License-Identifier: Apache-2.0 */
/* The names a template declares: one flat space for dimensions, parameters,
 * lets, arguments, workspaces, loop variables and enumeration values. */
#include "gen/parse/parse.h"

#include <ctype.h>
#include <string.h>

static const char *const reserved[] = {
    "alignas",   "alignof",  "and",      "asm",      "auto",      "bitand",
    "bitor",     "bool",     "break",    "case",     "catch",     "char",
    "class",     "compl",    "concept",  "const",    "consteval", "constexpr",
    "constinit", "continue", "decltype", "default",  "delete",    "do",
    "double",    "else",     "enum",     "explicit", "export",    "extern",
    "false",     "float",    "for",      "friend",   "goto",      "if",
    "inline",    "int",      "long",     "mutable",  "namespace", "new",
    "noexcept",  "not",      "nullptr",  "operator", "or",        "private",
    "protected", "public",   "register", "requires", "return",    "short",
    "signed",    "sizeof",   "static",   "struct",   "switch",    "template",
    "this",      "throw",    "true",     "try",      "typedef",   "typeid",
    "typename",  "union",    "unsigned", "using",    "virtual",   "void",
    "volatile",  "while",    "xor",
};

static const char *const builtin[] = {
    "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "half",
    "min",       "max",      "abs",      "ceildiv", "align",    "log2",
    "ispow2",    "gcd",      "device",   "sm",      "main",     "nv",
};

static int is_in(const char *const *list, size_t n, const char *name,
                 size_t length)
{
    for (size_t i = 0; i < n; ++i) {
        if (strlen(list[i]) == length && !memcmp(list[i], name, length))
            return 1;
    }
    return 0;
}

const char *hone__name_reserved(const char *name, size_t length)
{
    if (is_in(reserved, sizeof reserved / sizeof reserved[0], name, length))
        return "is a word of C++";
    if (is_in(builtin, sizeof builtin / sizeof builtin[0], name, length))
        return "already means something in CUDA or in expressions";
    if (hone__type_find(name, length))
        return "is an element type";
    if (length >= 4 && (!memcmp(name, "HONE", 4) || !memcmp(name, "hone", 4)))
        return "starts with HONE, which is kept for hone's own names";
    if (length > 1 && name[0] == '_' &&
        (name[1] == '_' || isupper((unsigned char)name[1])))
        return "is kept for the compiler";
    for (size_t i = 1; i < length; ++i) {
        if (name[i - 1] == '_' && name[i] == '_')
            return "has two underscores in a row, which C++ keeps for "
                   "the compiler";
    }
    return length > 63 ? "is longer than 63 letters" : NULL;
}

static int is_buffer(hone_name_kind kind)
{
    return kind == HONE_NAME_ARG || kind == HONE_NAME_WORKSPACE ||
           kind == HONE_NAME_CONSTANT || kind == HONE_NAME_MAP;
}

static const hone_name *find(const hone_parser *p, const char *name,
                             size_t length, int buffers)
{
    for (size_t i = p->n_names; i-- > 0;) {
        if (is_buffer(p->names[i].kind) == buffers &&
            strlen(p->names[i].name) == length &&
            !memcmp(p->names[i].name, name, length))
            return &p->names[i];
    }
    return NULL;
}

const hone_name *hone__name_find(const hone_parser *p, const char *name,
                                 size_t length)
{
    return find(p, name, length, 0);
}

const hone_name *hone__name_find_buffer(const hone_parser *p, const char *name,
                                        size_t length)
{
    return find(p, name, length, 1);
}

int hone__name_declare(hone_parser *p, hone_slice where, hone_name_kind kind,
                       size_t index, const char **out_name)
{
    const char *text = p->bare + where.begin;
    const size_t length = where.end - where.begin;
    const char *reason = hone__name_reserved(text, length);
    const hone_name *known = find(p, text, length, 0);
    hone_name *name;

    if (reason)
        return hone__complain(p, where, "'%.*s' %s; choose another name",
                              (int)length, text, reason);
    if (!known || (known->kind == HONE_NAME_VALUE && is_buffer(kind)))
        known = find(p, text, length, 1);
    if (known)
        return hone__complain(p, where, "'%s' is already declared on line %d",
                              known->name, known->line);
    name = HONE_PUSH(p, p->names, p->n_names);
    if (!name)
        return 0;
    *name = (hone_name){.name = "",
                        .kind = kind,
                        .index = index,
                        .line = hone__line_of(p, where.begin)};
    *out_name = hone__slice_copy(p, where);
    if (!*out_name)
        return 0;
    name->name = *out_name;
    return 1;
}

int64_t hone__symbol_intern(hone_parser *p, const char *name, size_t length)
{
    hone_template *tmpl = p->tmpl;
    const char **symbol;

    for (size_t i = 0; i < tmpl->n_symbols; ++i) {
        if (strlen(p->parts.symbols[i]) == length &&
            !memcmp(p->parts.symbols[i], name, length))
            return 1000 + (int64_t)i;
    }
    symbol = HONE_PUSH(p, p->parts.symbols, tmpl->n_symbols);
    if (!symbol)
        return 0;
    *symbol = "";
    *symbol = hone__arena_strndup(&tmpl->arena, name, length);
    if (!*symbol) {
        --tmpl->n_symbols;
        return hone__no_memory(p);
    }
    return 999 + (int64_t)tmpl->n_symbols;
}
