/* SPDX-License-Identifier: Apache-2.0 */
/* From a template and a configuration to what the compiler and the launcher
 * take: source text, compiler options and launch plan. All three depend on
 * the configuration and on type dimensions, never on integer dimensions, so
 * one cubin serves every shape. All are deterministic. */
#ifndef HONE_GEN_EXPAND_H
#define HONE_GEN_EXPAND_H

#include "gen/parse/template.h"

/* The source of a variant: the leading #include lines first and unchanged (so
 * that a precompiled header serves all variants), then the parameters as
 * constexpr values and HONE_-prefixed macros, then the expanded body with
 * #line directives. `dims` completed; integer dims are not read. */
hone_status hone__expand_source(const hone_template *tmpl,
                                const int64_t *config, const int64_t *dims,
                                hone_text *out, hone_error *err);
/* The same for a compiler that is given tmpl->headers: includes name these. */
hone_status hone__expand_unit(const hone_template *tmpl, const int64_t *config,
                              const int64_t *dims, hone_text *out,
                              hone_error *err);

/* "#line LINE "NAME"", as it stands in them. */
void hone__expand_line(const hone_template *tmpl, int line, hone_text *out);

/* NVRTC options that follow from the configuration, one per line, sorted:
 * "--maxrregcount=64". Architecture and include paths are the compiler's
 * business. */
hone_status hone__expand_options(const hone_template *tmpl,
                                 const int64_t *config, const int64_t *dims,
                                 hone_text *out, hone_error *err);

/* The launch plan text (runtime/launch/launch_spec.h). */
hone_status hone__expand_launch_spec(const hone_template *tmpl,
                                     const int64_t *config, hone_text *out,
                                     hone_error *err);

#endif
