/* SPDX-License-Identifier: Apache-2.0 */
/* Files that appear when they are whole. */
#include "tools/exchange/exchange.h"
#include "tools/base/output_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static hone_status fail(const hone_out *out, int code, hone_error *err)
{
    return hone__fail_native(
        err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, code, "cannot write '%s': %s",
        strcmp(out->path, "-") == 0 ? "standard output" : out->path,
        strerror(code));
}

hone_status hone__out_open(const char *path, hone_out *out, hone_error *err)
{
    int fd;

    *out = (hone_out){.path = path, .file = stdout};
    if (strcmp(path, "-") == 0)
        return HONE_OK;
    out->file = NULL;
    HONE_TRY(hone__output_may_replace(path, err));
    hone__text_printf(&out->temporary, "%s.XXXXXX", path);
    HONE_TRY(hone__text_check(&out->temporary, err));
    fd = mkstemp(out->temporary.data);
    if (fd >= 0)
        out->file = fdopen(fd, "w");
    if (!out->file) {
        const int code = errno;

        if (fd >= 0) {
            (void)close(fd);
            (void)unlink(out->temporary.data);
        }
        hone__text_free(&out->temporary);
        return fail(out, code, err);
    }
    return HONE_OK;
}

hone_status hone__out_close(hone_out *out, hone_status status, hone_error *err)
{
    int code = 0;

    if (!out->file)
        return status;
    errno = 0;
    if (fflush(out->file) || ferror(out->file))
        code = errno ? errno : EIO;
    if (out->file != stdout) {
        if (!code && status == HONE_OK &&
            (fsync(fileno(out->file)) || fchmod(fileno(out->file), 0644)))
            code = errno;
        if (fclose(out->file) && !code)
            code = errno;
        if (!code && status == HONE_OK &&
            rename(out->temporary.data, out->path))
            code = errno;
        if (code || status != HONE_OK)
            (void)unlink(out->temporary.data);
    }
    hone__text_free(&out->temporary);
    out->file = NULL;
    return code && status == HONE_OK ? fail(out, code, err) : status;
}

hone_status hone__export_line(hone_export *export, hone_text *text,
                              hone_error *err)
{
    hone_status status = hone__text_check(text, err);

    if (status == HONE_OK && text->length &&
        fwrite(text->data, 1, text->length, export->out->file) != text->length)
        status = fail(export->out, errno, err);
    hone__text_clear(text);
    return status;
}
