/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of vendors' libraries as implementations: the line `vendor` of a
 * contract, the statement `call` of a template that has no code, and the
 * template that such a line stands for. */
#include "gen/parse/parse.h"
#include "runtime/vendor/vendor.h"

#include <string.h>

static const char about[] = "it is a function of NVIDIA's library";

/* "cublaslt.gemm", which there is. */
static int function_name(hone_cursor *c, const char **out)
{
    hone_parser *p = c->p;
    const hone_slice here = hone__cursor_here(c);
    hone_text known = {0};
    const char *name, *summary;

    if (!hone__dotted_name(c, "a function of a library, e.g. cublaslt.gemm",
                           out))
        return 0;
    if (hone__vendor_n_algorithms(*out))
        return 1;
    for (size_t i = 0; hone__vendor_about(i, &name, &summary); ++i)
        hone__text_printf(&known, "%s%s", i ? ", " : "", name);
    (void)hone__complain(p, here, "'%s' is none of the functions known: %s",
                         *out, hone__text_str(&known));
    hone__text_free(&known);
    return 0;
}

/* `vendor cublaslt.gemm, cublas.gemm part "gemm_library.cuh"` */
int hone__statement_vendor(hone_parser *p, hone_cursor *c)
{
    do {
        const char **slot = HONE_PUSH(p, p->tmpl->vendors, p->tmpl->n_vendors);

        if (!slot)
            return 0;
        *slot = "";
        if (!function_name(c, slot))
            return 0;
    } while (hone__cursor_accept(c, ','));
    if (hone__cursor_accept_word(c, "part")) {
        if (p->tmpl->vendor_part)
            return hone__complain(p, hone__cursor_here(c),
                                  "the vendors' functions have a part: '%s'",
                                  p->tmpl->vendor_part);
        if (!hone__cursor_string(c, &p->tmpl->vendor_part))
            return 0;
    }
    return hone__cursor_finish(c);
}

/* `call cublaslt.gemm algorithm(ALGORITHM)` */
int hone__statement_call(hone_parser *p, hone_cursor *c)
{
    hone_template *tmpl = p->tmpl;
    const hone_slice here = hone__cursor_here(c);
    const hone_name *name;
    hone_slice word;

    if (tmpl->call)
        return hone__complain(p, here, "a template calls one function");
    tmpl->call_rank = -1;
    tmpl->cuda_only = about;
    if (!function_name(c, &tmpl->call))
        return 0;
    if (!hone__cursor_accept_word(c, "algorithm"))
        return hone__cursor_finish(c);
    if (!hone__cursor_expect(c, '(', "before the parameter") ||
        !hone__cursor_need_word(c,
                                "the parameter that is the place in the "
                                "library's list",
                                &word))
        return 0;
    name = hone__name_of(p, word);
    if (!name || name->kind != HONE_NAME_PARAM ||
        tmpl->params[name->index].kind != HONE_PARAM_INT)
        return hone__complain(p, word,
                              "'%.*s' is no parameter of integers declared "
                              "above",
                              HONE_SLICE(p, word));
    tmpl->call_rank = (int)name->index;
    return hone__cursor_expect(c, ')', "after the parameter") &&
           hone__cursor_finish(c);
}

int hone__call_complete(hone_parser *p)
{
    const hone_template *tmpl = p->tmpl;

    if (!tmpl->call || !(tmpl->n_launches + tmpl->n_workspaces +
                         tmpl->n_constants + tmpl->n_maps))
        return 1;
    return hone__complain(p, (hone_slice){0, 1},
                          "a template that calls '%s' has no code: no launch, "
                          "workspace, constant or tensormap",
                          tmpl->call);
}

hone_status hone__template_of_vendor(const hone_template *of,
                                     const char *function, hone_template **out,
                                     hone_error *err)
{
    const int n_algorithms = hone__vendor_n_algorithms(function);
    const char *slash = strrchr(of->contract_path, '/');
    const char *header = slash ? slash + 1 : of->contract_path;
    const int library = (int)strcspn(function, ".");
    hone_diagnostics mistakes = {0};
    hone_text path = {0}, text = {0};
    hone_status status;

    hone__text_printf(&path, "%.*s%.*s.%.*s", (int)(header - of->contract_path),
                      of->contract_path, (int)strcspn(header, "."), header,
                      library, function);
    hone__text_printf(&text,
                      "#include \"%s\"\n"
                      "#pragma hone implements %s/%.*s \"%s of NVIDIA's "
                      "library\"\n"
                      "#pragma hone param ALGORITHM in 0..%d\n"
                      "#pragma hone call %s algorithm(ALGORITHM)\n",
                      header, of->op, library, function, function,
                      n_algorithms - 1, function);
    if (of->vendor_part)
        hone__text_printf(&text, "#include \"%s\"\n", of->vendor_part);
    *out = NULL;
    status = hone__text_check(&path, err);
    if (status == HONE_OK)
        status = hone__text_check(&text, err);
    if (status == HONE_OK)
        status = hone__template_read(path.data, of->search_path, text.data,
                                     text.length, out, &mistakes, err);
    if (status == HONE_OK && of->vendor_part && !(*out)->cost) {
        status = hone__fail(err, HONE_ERR_INPUT,
                            "%s: the part \"%s\" of its vendors' functions is "
                            "not there, or has no 'feature COST'",
                            of->contract_path, of->vendor_part);
        hone__template_free(*out);
        *out = NULL;
    }
    hone__diagnostics_free(&mistakes);
    hone__text_free(&path);
    hone__text_free(&text);
    return status;
}
