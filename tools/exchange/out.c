/* SPDX-License-Identifier: Apache-2.0 */
/* Where an export goes: a file, which appears when it is whole, or stdout. */
#include "tools/exchange/exchange.h"

#include <errno.h>
#include <string.h>

static hone_status fail(const char *path, int code, hone_error *err)
{
    return hone__fail_native(
        err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, code, "cannot write '%s': %s",
        strcmp(path, "-") == 0 ? "standard output" : path, strerror(code));
}

hone_status hone__out_open(const char *path, hone_output_file *out,
                           hone_error *err)
{
    *out = (hone_output_file){.path = path, .file = stdout};
    return strcmp(path, "-") == 0 ? HONE_OK
                                  : hone__output_file_open(path, out, err);
}

hone_status hone__out_close(hone_output_file *out, hone_status status,
                            hone_error *err)
{
    if (out->file != stdout)
        return hone__output_file_close(out, status, err);
    errno = 0;
    if ((fflush(stdout) || ferror(stdout)) && status == HONE_OK)
        status = fail(out->path, errno ? errno : EIO, err);
    return status;
}

hone_status hone__export_line(hone_export *export, hone_text *text,
                              hone_error *err)
{
    hone_status status = hone__text_check(text, err);

    if (status == HONE_OK && text->length &&
        fwrite(text->data, 1, text->length, export->out->file) != text->length)
        status = fail(export->out->path, errno, err);
    hone__text_clear(text);
    return status;
}
