/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the reports of ASan and UBSan: see sanitizer_log.h. */
#include "tuner/compile/sanitizer_log.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

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

/* ", element 9 of 'y', which has 9" if the report ends with that. */
static void find_argument(const char *report, char *out, size_t size)
{
    const char *at = strstr(report, HONE_FAULT_PLACE);

    if (!at)
        return;
    at += sizeof HONE_FAULT_PLACE - 1;
    (void)snprintf(out, size, ", %.*s", (int)strcspn(at, "\n"), at);
}

int hone__sanitizer_read(const char *text, const char *template_path, char *out,
                         size_t size)
{
    static const char asan[] = "ERROR: AddressSanitizer: ";
    static const char ubsan[] = "runtime error: ";
    const char *report = strstr(text, asan);
    const char *access;
    char place[256] = "unknown place";
    char argument[200] = "";

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
    find_argument(report, argument, sizeof argument);
    access = strstr(report, "\nREAD of size ");
    if (!access)
        access = strstr(report, "\nWRITE of size ");
    report += sizeof asan - 1;
    (void)snprintf(out, size, "AddressSanitizer: %.*s%s%.*s%s (%.200s)",
                   (int)strcspn(report, " \n"), report, access ? ", " : "",
                   access ? (int)(strstr(access, " at ")
                                      ? strstr(access, " at ") - access - 1
                                      : 0)
                          : 0,
                   access ? access + 1 : "", argument, place);
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
    found = hone__sanitizer_read(text, template_path, out, size);
    (void)ftruncate(fileno(log), 0);
    (void)lseek(fileno(log), 0, SEEK_SET);
    return found;
}
