/* SPDX-License-Identifier: Apache-2.0 */
/* Reading reports: see compile_log.h. Per kernel ptxas prints
 *
 *     ptxas info    : Compiling entry function 'NAME' for 'sm_90'
 *     ptxas info    : Function properties for NAME
 *         N bytes stack frame, N bytes spill stores, N bytes spill loads
 *     ptxas info    : Used N registers, used N barriers, N bytes smem, ..
 *
 * and warnings, as "(C7510) ...", before the first kernel. */
#define _GNU_SOURCE /* memmem */
#include "tuner/compile/compile_log.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How what ptxas gave up on begins, behind its code: setmaxnreg is ignored
 * (C7508); wgmma instructions wait for one another, at a call (C7510), as
 * something else writes what they read (C7513), reads their sums too early
 * (C7514), .. Such kernels are right, and slow. */
static const char slow[] = " Potential Performance Loss";

typedef struct line {
    const char *at;
    const char *end;
} line;

static int next_line(const char **log, line *out)
{
    const char *end;

    if (!**log)
        return 0;
    end = strchr(*log, '\n');
    out->at = *log;
    out->end = end ? end : *log + strlen(*log);
    *log = *out->end ? out->end + 1 : out->end;
    return 1;
}

static const char *find(const line *l, const char *what)
{
    return memmem(l->at, (size_t)(l->end - l->at), what, strlen(what));
}

/* The number that stands before `what`, 0 if the line has none. */
static int number_before(const line *l, const char *what)
{
    const char *at = find(l, what);

    if (!at)
        return 0;
    while (at > l->at && at[-1] == ' ')
        --at;
    while (at > l->at && at[-1] >= '0' && at[-1] <= '9')
        --at;
    return atoi(at);
}

static void keep_larger(int *largest, int value)
{
    if (value > *largest)
        *largest = value;
}

static void read_line(const line *l, hone_kernel_use *out)
{
    const char *used = find(l, "Used ");

    keep_larger(&out->spill_bytes, number_before(l, " bytes spill stores") +
                                       number_before(l, " bytes spill loads"));
    if (used)
        keep_larger(&out->registers, atoi(used + 5));
    keep_larger(&out->static_shared_bytes, number_before(l, " bytes smem"));
}

void hone__compile_log_most(const char *log, hone_kernel_use *out)
{
    line l;

    *out = (hone_kernel_use){.registers = -1};
    while (next_line(&log, &l))
        read_line(&l, out);
}

int hone__compile_log_kernel(const char *log, const char *kernel,
                             hone_kernel_use *out)
{
    static const char entry[] = "Compiling entry function '";
    const size_t length = strlen(kernel);
    line l;

    *out = (hone_kernel_use){.registers = -1};
    while ((log = strstr(log, entry))) {
        log += sizeof entry - 1;
        if (strncmp(log, kernel, length) == 0 && log[length] == '\'')
            break;
    }
    if (!log)
        return 0;
    while (next_line(&log, &l) && !find(&l, entry))
        read_line(&l, out);
    return 1;
}

/* "(Cnnnn)" is there. */
static int is_code(const char *at)
{
    size_t n = 2;

    while (n < 6 && at[n] >= '0' && at[n] <= '9')
        ++n;
    return at[0] == '(' && at[1] == 'C' && n == 6 && at[6] == ')';
}

void hone__compile_log_warnings(const char *log, char out[64])
{
    size_t length = 0;

    out[0] = '\0';
    for (const char *at = strstr(log, "(C"); at; at = strstr(at + 1, "(C")) {
        char code[6];

        if (!is_code(at) || strncmp(at + 7, slow, sizeof slow - 1) != 0)
            continue;
        (void)snprintf(code, sizeof code, "%s", at + 1);
        if (strstr(out, code) || length + 1 + sizeof code > 64)
            continue;
        length += (size_t)snprintf(out + length, 64 - length, "%s%s",
                                   length ? "," : "", code);
    }
}

void hone__compile_log_sentence(const char *log, const char *found, char *out,
                                size_t size)
{
    char mark[9];
    const char *at;

    out[0] = '\0';
    (void)snprintf(mark, sizeof mark, "(%.5s)", found);
    at = strstr(log, mark);
    if (!at || strlen(mark) != 7)
        return;
    at += 7;
    at += strspn(at, " ");
    (void)snprintf(out, size, "%.*s", (int)strcspn(at, "\n"), at);
}

int hone__compile_log_no_memory(const char *log)
{
    static const char *const phrases[] = {
        "unable to obtain mapped memory", /* NVRTC's front end */
        "LLVM ERROR: out of memory",      /* its optimiser, to stderr */
        "Memory allocation failure",      /* ptxas */
        "out of memory allocating",       /* g++ */
        "virtual memory exhausted",       /* g++ */
        "memory exhausted",               /* as, ld */
        ": Cannot allocate memory",       /* a process that needs one */
        "std::bad_alloc",
        "Killed signal terminated program", /* the kernel ended cc1plus */
    };

    for (size_t i = 0; i < sizeof phrases / sizeof phrases[0]; ++i) {
        if (strstr(log, phrases[i]))
            return 1;
    }
    return 0;
}

/* ---- sanitizers --------------------------------------------------------- */

/* "NAME.cu:LINE" where it first stands in the text; 0 if nowhere. */
static int find_place(const char *text, const char *path, char *out,
                      size_t size)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    const size_t length = strlen(base);

    for (const char *at = text; (at = strstr(at, base)); at += length) {
        size_t digits = 0;

        if (at[length] != ':')
            continue;
        while (isdigit((unsigned char)at[length + 1 + digits]))
            ++digits;
        if (digits) {
            (void)snprintf(out, size, "%.*s", (int)(length + 1 + digits), at);
            return 1;
        }
    }
    return 0;
}

static int summarise(const char *text, const char *template_path, char *out,
                     size_t size)
{
    static const char asan[] = "ERROR: AddressSanitizer: ";
    static const char ubsan[] = "runtime error: ";
    const char *report = strstr(text, asan);
    const char *argument, *access;
    char place[256] = "unknown place";

    if (!report) {
        report = strstr(text, ubsan);
        if (!report)
            return 0;
        (void)find_place(text, template_path, place, sizeof place);
        report += sizeof ubsan - 1;
        (void)snprintf(out, size, "UndefinedBehaviorSanitizer: %.*s (%.200s)",
                       (int)strcspn(report, "\n"), report, place);
        return 1;
    }
    (void)find_place(report, template_path, place, sizeof place);
    /* "element 9 of 'y', which has 9" if the report ends with that */
    argument = strstr(report, HONE_FAULT_PLACE);
    argument = argument ? argument + sizeof HONE_FAULT_PLACE - 1 : "";
    access = strstr(report, "\nREAD of size ");
    if (!access)
        access = strstr(report, "\nWRITE of size ");
    report += sizeof asan - 1;
    (void)snprintf(out, size, "AddressSanitizer: %.*s%s%.*s%s%.*s (%.200s)",
                   (int)strcspn(report, " \n"), report, access ? ", " : "",
                   access ? (int)(strstr(access, " at ")
                                      ? strstr(access, " at ") - access - 1
                                      : 0)
                          : 0,
                   access ? access + 1 : "", *argument ? ", " : "",
                   (int)strcspn(argument, "\n"), argument, place);
    return 1;
}

int hone__sanitizer_summary(FILE *log, const char *template_path, char *out,
                            size_t size)
{
    char text[1 << 16]; /* a report has some thousand bytes */
    size_t length = 0;
    ssize_t n;
    int found;

    while (length < sizeof text - 1 &&
           (n = pread(fileno(log), text + length, sizeof text - 1 - length,
                      (off_t)length)) > 0)
        length += (size_t)n;
    text[length] = '\0';
    found = summarise(text, template_path, out, size);
    (void)ftruncate(fileno(log), 0);
    (void)lseek(fileno(log), 0, SEEK_SET);
    return found;
}
