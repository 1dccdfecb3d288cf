/* SPDX-License-Identifier: Apache-2.0 */
/* The statements of a launch plan about a function of a vendor's library: see
 * launch_spec.h. Which functions there are is runtime/vendor's business: a
 * plan with one that this hone does not have is a good plan. */
#include "runtime/launch/launch_reader.h"

#include <string.h>

/* "cublaslt.gemm": lower-case letters, digits and points. */
static int is_function(hone_piece name)
{
    for (size_t i = 0; i < name.length; ++i) {
        const char c = name.text[i];

        if (!((c >= 'a' && c <= 'z') || c == '.' || c == '_' ||
              (i && c >= '0' && c <= '9')))
            return 0;
    }
    return name.length > 0;
}

hone_status hone__reader_vendor(hone_reader *r)
{
    hone_launch_spec *spec = r->spec;
    const hone_piece name = hone__reader_word(r);

    if (!is_function(name))
        return hone__reader_fail(r, "expected a function's name, found", name);
    if (spec->vendor.line)
        return hone__reader_fail(r, "a second vendor:", name);
    if (spec->n_launches || spec->n_workspaces || spec->n_constants ||
        spec->n_maps)
        return hone__reader_fail(
            r,
            "a plan with launches, workspaces, constants or tensor maps has "
            "no vendor:",
            name);
    HONE_TRY(hone__reader_copy(r, name, &spec->vendor.algorithm.function));
    spec->vendor.line = r->line;
    return hone__reader_at_end(r);
}

hone_status hone__reader_vendor_number(hone_reader *r)
{
    spec_vendor *vendor = &r->spec->vendor;
    const hone_piece text = r->rest;
    const int is_version = hone__piece_is(r->keyword, "vendor-version");
    const int is_rank = hone__piece_is(r->keyword, "vendor-rank") ||
                        hone__piece_is(r->keyword, "vendor-choice");
    int64_t *to = is_version ? &vendor->algorithm.version
                  : is_rank  ? &vendor->algorithm.rank
                             : &vendor->algorithm.workspace_bytes;
    int *has = is_rank ? &vendor->has_rank : &vendor->has_workspace;

    if (is_version ? *to != 0 : *has)
        return hone__reader_fail(r, "stated twice:", r->keyword);
    HONE_TRY(hone__reader_constant(r, to));
    if (*to < is_version)
        return hone__reader_fail(r, "out of range:", text);
    if (!is_version)
        *has = 1;
    return HONE_OK;
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

hone_status hone__reader_vendor_algorithm(hone_reader *r)
{
    hone_vendor_algorithm *algorithm = &r->spec->vendor.algorithm;
    const hone_piece hex = hone__reader_word(r);

    if (algorithm->n_algorithm_bytes)
        return hone__reader_fail(r, "stated twice:", r->keyword);
    if (!hex.length || hex.length % 2 ||
        hex.length > 2 * sizeof algorithm->algorithm)
        return hone__reader_fail(
            r, "an algorithm is 1 to 64 bytes of two hex digits, not", hex);
    for (size_t i = 0; i < hex.length; i += 2) {
        const int high = digit_of(hex.text[i]);
        const int low = digit_of(hex.text[i + 1]);

        if (high < 0 || low < 0)
            return hone__reader_fail(
                r, "an algorithm is bytes of two hex digits, found",
                (hone_piece){hex.text + i, 2});
        algorithm->algorithm[i / 2] = (unsigned char)(high << 4 | low);
    }
    algorithm->n_algorithm_bytes = hex.length / 2;
    return hone__reader_at_end(r);
}

/* The bytes mean something to one version of the library alone. */
hone_status hone__launch_vendor_complete(const spec_vendor *vendor,
                                         hone_error *err)
{
    if (!vendor->algorithm.n_algorithm_bytes || vendor->algorithm.version)
        return HONE_OK;
    return hone__fail(err, HONE_ERR_INPUT,
                      "launch plan, line %d: '%s' has a vendor-algorithm and "
                      "no vendor-version",
                      vendor->line, vendor->algorithm.function);
}
