/* SPDX-License-Identifier: Apache-2.0 */
/* Whose fault it is that a unit did not compile, by what the compiler, the
 * assembler and the linker say where LC_ALL is C: see compile_log.h. A source
 * is blamed only where they name a line of it, or a symbol or an address that
 * cannot be linked: what nobody knows is the machine's, since what is taken for
 * a source's fault is kept. */
#include "tuner/compile/compile_log.h"

#include <ctype.h>
#include <string.h>

/* What the system says where a file cannot be written or read, or a process not
 * be started. "No such file or directory" may be a source's. */
static const char *const system_words[] = {"No space left on device",
                                           "Disk quota exceeded",
                                           "Read-only file system",
                                           "Input/output error",
                                           "Remote I/O error",
                                           "Stale file handle",
                                           "File too large",
                                           "Too many open files",
                                           "Too many open files in system",
                                           "Resource temporarily unavailable",
                                           "Cannot allocate memory"};

/* The linker has no line, or says it in its own way. */
static const char *const linker_words[] = {
    "undefined reference to ",
    "undefined symbol: ",
    "multiple definition of ",
    "duplicate symbol: ",
    ": relocation ",
    "relocation truncated to fit",
    "' isn't defined",
    "section type conflict",
    "can not be used when making a shared object"};

/* The compiler broke over this source, and may break elsewhere: no line. */
static const char *const broken_words[] = {
    "internal compiler error: in ",
    "internal compiler error: Segmentation fault",
    "internal compiler error: Aborted",
    "internal compiler error: Illegal instruction",
    "fatal error: error in backend: ",
    "clang frontend command failed"};

#define SIZE(words) (sizeof(words) / sizeof *(words))

/* Where `what` stands in `line`, which has `length` bytes; NULL: nowhere. */
static const char *find(const char *line, size_t length, const char *what)
{
    const size_t size = strlen(what);

    for (size_t i = 0; i + size <= length; ++i)
        if (memcmp(line + i, what, size) == 0)
            return line + i;
    return NULL;
}

static int has_one(const char *line, size_t length, const char *const *words,
                   size_t n)
{
    for (size_t i = 0; i < n; ++i)
        if (find(line, length, words[i]))
            return 1;
    return 0;
}

/* Does the line end with the system's words for an error, maybe in quotes? */
static int ends_with_system(const char *line, size_t length)
{
    while (length && strchr("'\". \r", line[length - 1]))
        --length;
    for (size_t i = 0; i < SIZE(system_words); ++i) {
        const size_t size = strlen(system_words[i]);

        if (length > size &&
            memcmp(line + length - size, system_words[i], size) == 0)
            return 1;
    }
    return 0;
}

/* What stands behind "FILE:LINE: ", "FILE:LINE:COLUMN: " or, of others than g++
 * and clang++, "FILE(LINE): " or "\"FILE\", line LINE: "; NULL: no such place.
 */
static const char *behind_place(const char *line, size_t length)
{
    const char *end = line + length;

    for (const char *at = line + 1; at < end; ++at) {
        if (!strchr(":( ", at[-1]) || !isdigit((unsigned char)*at))
            continue;
        while (at < end && isdigit((unsigned char)*at))
            ++at;
        if (at < end && *at == ')')
            ++at;
        if (end - at > 2 && at[0] == ':' && at[1] == ' ')
            return at + 2;
    }
    return NULL;
}

/* Is it an error at a place of the source? A fatal one may be that of a file
 * that the compiler writes, at the place that it had come to. */
static int is_of_source(const char *line, size_t length)
{
    static const char *const kinds[] = {
        "error: ",       "Error: ",      "sorry, ", "internal compiler error: ",
        "fatal error: ", "Fatal error: "};
    const char *what = behind_place(line, length);
    const size_t rest = what ? (size_t)(line + length - what) : 0;

    for (size_t i = 0; i < SIZE(kinds); ++i)
        if (rest > strlen(kinds[i]) &&
            memcmp(what, kinds[i], strlen(kinds[i])) == 0)
            return i < 4 || !ends_with_system(what, rest);
    /* GNU as names no line for what is only seen at the end of the file. */
    return !what &&
           (find(line, length, ": Error: ") ||
            find(line, length, ": Fatal error: ")) &&
           !ends_with_system(line, length);
}

hone_compile_blame hone__compile_log_blame(const char *log)
{
    hone_compile_blame blame = HONE_BLAME_MACHINE;

    while (*log) {
        const size_t length = strcspn(log, "\n");

        if (isspace((unsigned char)*log) || !length) {
            /* a line of the source, quoted, or what goes with an error */
        } else if (is_of_source(log, length)) {
            if (blame == HONE_BLAME_MACHINE)
                blame = HONE_BLAME_SOURCE;
        } else if (ends_with_system(log, length)) {
            return HONE_BLAME_MACHINE;
        } else if (blame == HONE_BLAME_MACHINE &&
                   has_one(log, length, linker_words, SIZE(linker_words))) {
            blame = HONE_BLAME_SOURCE;
        }
        if (!isspace((unsigned char)*log) &&
            has_one(log, length, broken_words, SIZE(broken_words)))
            blame = HONE_BLAME_COMPILER;
        log += length + (log[length] == '\n');
    }
    return blame;
}
