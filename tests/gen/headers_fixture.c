/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/gen/headers_fixture.h"

#include <unistd.h>

#define REST                                                                   \
    "#pragma hone op k(n) \"x\"\n"                                             \
    "#pragma hone arg x: inout f32[n]\n"                                       \
    "#pragma hone param A in 1..4\n"                                           \
    "#pragma hone param B in {4, 8}\n"                                         \
    "#pragma hone launch k grid(A) block(B)\n"                                 \
    "extern \"C\" __global__ void k(float *x) { x[0] = 1; }\n"

void headers_write(const char *name, const char *text)
{
    char *slash = strrchr(name, '/');

    if (slash) {
        char folder[64];

        (void)snprintf(folder, sizeof folder, "%.*s", (int)(slash - name),
                       name);
        assert_int_equal(hone__folder_create(folder, NULL), HONE_OK);
    }
    assert_int_equal(hone__file_replace(name, text, strlen(text), NULL),
                     HONE_OK);
}

static char start[1024];
char headers_folder[1100];

int headers_enter(void **state)
{
    const char *tmp = getenv("TMPDIR");

    (void)state;
    (void)snprintf(headers_folder, sizeof headers_folder,
                   "%s/hone-headers-XXXXXX", tmp ? tmp : "/tmp");
    return !getcwd(start, sizeof start) || !mkdtemp(headers_folder) ||
           chdir(headers_folder);
}

int headers_leave(void **state)
{
    char command[1200];

    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf '%s'", headers_folder);
    return chdir(start) || system(command);
}

hone_status headers_load(const char *lines, hone_template **out,
                         hone_diagnostics *d, hone_error *err)
{
    char text[2048];

    (void)snprintf(text, sizeof text, "%s\n" REST, lines);
    headers_write("t/t.cu", text);
    return hone__template_load("t/t.cu", "<lib/one:path/one:path/two:<lib/two",
                               out, d, err);
}

hone_template *headers_load_good(const char *lines)
{
    hone_template *t = NULL;
    hone_diagnostics d;
    hone_error err = {0};

    if (headers_load(lines, &t, &d, &err) != HONE_OK)
        fail_msg("%s\n%s", err.text, lines);
    return t;
}
