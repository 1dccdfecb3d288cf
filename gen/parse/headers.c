/* SPDX-License-Identifier: Apache-2.0 */
/* The headers of a template: every file that it includes, and that those
 * include, is found here and nowhere else. Compilers get the texts, in which
 * each of these includes names one of them, so that nothing else can be
 * opened but what belongs to the compiler itself. */
#define _DEFAULT_SOURCE /* realpath */
#include "gen/parse/code.h"
#include "gen/parse/parse.h"
#include "runtime/base/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Folder part of a path with its slash; 0 if there is none. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* What was found for an include. */
typedef struct found_header {
    hone_text path;
    struct stat file;
    int is_foreign;
} found_header;

/* Is there such a file that can be read? */
static int try_file(found_header *out, const char *folder, size_t length,
                    const char *name)
{
    hone__text_clear(&out->path);
    hone__text_append(&out->path, folder, length);
    if (length && folder[length - 1] != '/')
        hone__text_puts(&out->path, "/");
    hone__text_puts(&out->path, name);
    return !out->path.failed && stat(out->path.data, &out->file) == 0 &&
           S_ISREG(out->file.st_mode) && access(out->path.data, R_OK) == 0;
}

/* In the folders of a search path; sets out->is_foreign. */
static int find_on_path(const char *at, const char *name, found_header *out)
{
    while (*at && !out->path.failed) {
        const size_t length = strcspn(at, ":");
        const int is_foreign = *at == HONE_INCLUDE_FOLDER;

        out->is_foreign = is_foreign;
        if (length &&
            try_file(out, at + is_foreign, length - (size_t)is_foreign, name))
            return 1;
        at += length + (at[length] == ':');
    }
    return 0;
}

/* Beside the file that includes it (in quotes only), beside the template, in
 * the folders that it names, in those of the search path. */
static int find(const hone_parser *p, const hone_header *by,
                const hone_include *include, found_header *out)
{
    const char *own = p->tmpl->path;
    const char *name = include->name;

    out->is_foreign = by->is_foreign;
    if (include->is_quoted &&
        try_file(out, by->path, folder_length(by->path), name))
        return 1;
    out->is_foreign = 0;
    return try_file(out, own, folder_length(own), name) ||
           find_on_path(p->own_folders, name, out) ||
           find_on_path(p->tmpl->search_path, name, out);
}

/* ---- headers have their folders ------------------------------------------ */

/* Does a name lead out of the folder that it begins in? */
static int climbs(const char *name)
{
    for (; *name; name += strcspn(name, "/"), name += *name == '/')
        if (name[0] == '.' && name[1] == '.' && (name[2] == '/' || !name[2]))
            return 1;
    return 0;
}

/* Is `path` below the first `length` bytes of `folder`? */
static int is_below(const char *path, const char *folder, size_t length)
{
    char *name = hone__strndup(length ? folder : ".", length ? length : 1);
    char *whole = name ? realpath(name, NULL) : NULL;
    const size_t n = whole ? strlen(whole) : 0;
    const int is = n && strncmp(path, whole, n) == 0 &&
                   (path[n] == '/' || whole[n - 1] == '/');

    free(whole);
    hone__free(name);
    return is;
}

static int is_below_any(const char *path, const char *at)
{
    int is = 0;

    while (*at && !is) {
        const size_t length = strcspn(at, ":");
        const size_t mark = *at == HONE_INCLUDE_FOLDER;

        is = length > mark && is_below(path, at + mark, length - mark);
        at += length + (at[length] == ':');
    }
    return is;
}

/* The first line of what a compiler does not understand is in its message, and
 * messages are stored: a template gets at no file but those that it was given.
 * NULL: it is one of these. */
static const char *refuse(const hone_parser *p, const hone_header *by,
                          const hone_include *include)
{
    const char *own = p->tmpl->path;
    found_header found = {.is_foreign = 0};
    char *whole = NULL;
    int is_within;

    if (include->name[0] == '/')
        return "a header is named from a folder, not from the root: write its "
               "name alone, and its folder in HONE_INCLUDE_PATH, --include or "
               "'#pragma hone include'";
    if (!climbs(include->name))
        return NULL;
    if (find(p, by, include, &found))
        whole = realpath(found.path.data, NULL);
    is_within = whole && (is_below(whole, own, folder_length(own)) ||
                          is_below_any(whole, p->own_folders) ||
                          is_below_any(whole, p->tmpl->search_path));
    free(whole);
    hone__text_free(&found.path);
    return is_within ? NULL
                     : "this header lies outside of the template's folder and "
                       "of the folders in which headers are looked for; name "
                       "its folder in HONE_INCLUDE_PATH, --include or "
                       "'#pragma hone include'";
}

/* What compilers know the file as: its name without a folder, with a number
 * in front if another one is called that. */
static const char *choose_name(hone_parser *p, const char *path)
{
    const char *base = path + folder_length(path);
    const char *own = p->tmpl->path;
    hone_text name = {0};

    hone__text_printf(&name, "./%s", base);
    if (strcmp(base, own + folder_length(own)) == 0) {
        /* messages call the template so */
        hone__text_clear(&name);
        hone__text_printf(&name, "./%zu-%s", p->n_headers + 1, base);
    }
    for (size_t i = 0; i < p->n_headers; ++i) {
        if (strcmp(p->headers[i].name, hone__text_str(&name)) != 0)
            continue;
        hone__text_clear(&name);
        hone__text_printf(&name, "./%zu-%s", p->n_headers + 1, base);
        i = (size_t)-1; /* a file may be called that, too */
    }
    return hone__text_keep(p, &name);
}

/* Index of the header in p->headers; -1 without memory. */
static int push_header(hone_parser *p, hone_header header)
{
    hone_header *slot;

    header.name = choose_name(p, header.path);
    slot = header.name ? HONE_PUSH(p, p->headers, p->n_headers) : NULL;
    if (!slot)
        return -1;
    *slot = header;
    return (int)p->n_headers - 1;
}

/* Index of the file, which is put there if it is new; -1 without memory. */
static int add_header(hone_parser *p, found_header *found)
{
    hone_header header = {.device = found->file.st_dev,
                          .file = found->file.st_ino,
                          .is_foreign = found->is_foreign};

    for (size_t i = 0; i < p->n_headers; ++i) {
        if (p->headers[i].device == header.device &&
            p->headers[i].file == header.file)
            return (int)i;
    }
    header.path = hone__text_keep(p, &found->path);
    return header.path ? push_header(p, header) : -1;
}

/* The same for a standard header, whose text is ours; -1 if it is none. */
static int add_standard(hone_parser *p, const hone_header *by, const char *name)
{
    hone_header header = {.is_foreign = 1};
    hone_text text = {0};

    for (size_t i = 0; i < p->n_headers; ++i) {
        if (p->headers[i].text && strcmp(p->headers[i].path, name) == 0)
            return (int)i;
    }
    if (!hone__standard_header(name, by->is_foreign, &text))
        return -1;
    header.text = hone__text_keep(p, &text);
    header.path = hone__arena_strndup(&p->tmpl->arena, name, strlen(name));
    if (header.text && header.path)
        return push_header(p, header);
    (void)hone__no_memory(p);
    return -1;
}

/* What to write for the include that file `by` has: the name of one of our
 * headers, or brackets, which make every compiler look among its own. NULL
 * without memory. */
static const char *follow(hone_parser *p, const hone_header *by,
                          const hone_include *include)
{
    found_header found = {.is_foreign = 0};
    hone_text text = {0};
    int index = -1;

    if (find(p, by, include, &found))
        index = add_header(p, &found);
    else if (found.path.failed)
        (void)hone__no_memory(p);
    else
        index = add_standard(p, by, include->name);
    hone__text_free(&found.path);
    if (p->no_memory)
        return NULL;
    if (index < 0)
        hone__text_printf(&text, "<%s>", include->name);
    else
        hone__text_printf(&text, "\"%s\"", p->headers[index].name);
    return hone__text_keep(p, &text);
}

int hone__includes_of_template(hone_parser *p)
{
    const hone_header by = {.path = p->tmpl->path};
    hone_include_scan scan = {.text = p->bare, .length = p->length};
    hone_include include;

    while (hone__include_next(&scan, &include)) {
        const hone_slice where = {include.begin, include.end};
        hone_template_include *slot;

        if (!include.mistake)
            include.mistake = refuse(p, &by, &include);
        if (include.mistake) {
            (void)hone__complain(p, where, "%s", include.mistake);
            continue;
        }
        slot = HONE_PUSH(p, p->includes, p->n_includes);
        if (!slot)
            return 0;
        slot->where = where;
        slot->spelled = follow(p, &by, &include);
        if (!slot->spelled)
            return 0;
        p->has_local_includes |= include.is_quoted || p->n_headers;
    }
    return 1;
}

/* A mistake in a header has no line of the template to point at. */
static int complain(hone_parser *p, const hone_header *header, const char *text,
                    const hone_include *include)
{
    int line = 1;
    size_t begin = 0;

    for (size_t i = 0; i < include->begin; ++i) {
        if (text[i] == '\n') {
            ++line;
            begin = i + 1;
        }
    }
    p->status =
        hone__fail(p->err, HONE_ERR_INPUT, "%s:%d:%zu: %s", header->path, line,
                   include->begin - begin + 1, include->mistake);
    return 0;
}

/* Append the header's name and its text, in which every include says what it
 * was followed to. */
static int write_header(hone_parser *p, size_t index, const hone_text *text,
                        hone_text *out)
{
    const hone_header header = p->headers[index]; /* the list may move */
    hone_include_scan scan = {.text = header.code, .length = text->length};
    hone_include include;
    size_t done = 0;

    hone__text_append(out, header.name, strlen(header.name) + 1);
    while (hone__include_next(&scan, &include)) {
        const char *spelled;

        if (include.mistake && header.is_foreign && include.is_compilers)
            continue;
        if (include.mistake)
            return complain(p, &header, text->data, &include);
        include.mistake = refuse(p, &header, &include);
        if (include.mistake && !header.is_foreign)
            return complain(p, &header, text->data, &include);
        /* Others' headers may name it where no compiler comes to; the one that
         * does finds nothing. */
        spelled = include.mistake ? "<hone: outside of its folders>"
                                  : follow(p, &header, &include);
        if (!spelled)
            return 0;
        hone__text_append(out, text->data + done, include.begin - done);
        hone__text_puts(out, spelled);
        done = include.end;
    }
    hone__text_append(out, hone__text_str(text) + done,
                      text->length + 1 - done);
    return 1;
}

static int read_header(hone_parser *p, size_t index, hone_text *out)
{
    hone_header *header = &p->headers[index];
    const char *path = header->path;
    hone_text text = {0};
    int ok = 0;

    if (header->text) {
        hone__text_append(out, header->name, strlen(header->name) + 1);
        hone__text_append(out, header->text, strlen(header->text) + 1);
        header->code = ""; /* names no parameter */
        return 1;
    }
    p->status = hone__text_read_file(&text, path, p->err);
    if (!p->status && memchr(hone__text_str(&text), '\0', text.length))
        p->status =
            hone__fail(p->err, HONE_ERR_INPUT,
                       "'%s' is not a text file: it has a NUL byte", path);
    if (!p->status) {
        char *code = hone__arena_strndup(&p->tmpl->arena, hone__text_str(&text),
                                         text.length);

        p->headers[index].code = code;
        if (code) {
            const hone_header copy = p->headers[index]; /* the list may move */

            hone__code_blank(code, text.length);
            ok = (copy.is_foreign ||
                  hone__part_blank(p, &copy, code, text.data, text.length)) &&
                 write_header(p, index, &text, out);
        } else {
            (void)hone__no_memory(p);
        }
    }
    hone__text_free(&text);
    return ok;
}

int hone__headers_read(hone_parser *p)
{
    hone_text all = {0};
    size_t n = 0;

    while (n < p->n_headers && read_header(p, n, &all))
        ++n;
    p->tmpl->headers.n = n;
    p->tmpl->headers.size_bytes = all.length;
    p->tmpl->headers.bytes = hone__text_keep(p, &all);
    return n == p->n_headers && !p->no_memory;
}

hone_status hone__template_hash(const hone_parser *p, hone_error *err)
{
    hone_template *tmpl = p->tmpl;
    const char *at = tmpl->headers.bytes;
    hone_text all = {0};
    hone_status status;

    if (!hone__code_tokens(tmpl->source, tmpl->source_bytes, &all))
        all.failed = 1;
    for (size_t i = 0; i < p->n_includes; ++i)
        hone__text_printf(&all, "%s\n", p->includes[i].spelled);
    for (size_t i = p->n_own_statements; i < p->n_statements; ++i) {
        const hone_slice said = p->statements[i].text;

        if (!hone__code_tokens(p->bare + said.begin, said.end - said.begin,
                               &all))
            all.failed = 1;
        hone__text_puts(&all, "\n");
    }
    for (size_t i = 0; i < 2 * tmpl->headers.n; ++i) {
        const size_t length = strlen(at);

        if (!hone__code_tokens(at, length, &all))
            all.failed = 1;
        at += length + 1;
    }
    status = hone__text_check(&all, err);
    if (status == HONE_OK)
        hone__sha256_hex(all.data, all.length, tmpl->sha256);
    hone__text_free(&all);
    return status;
}
