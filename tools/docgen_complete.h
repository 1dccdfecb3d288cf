/* SPDX-License-Identifier: Apache-2.0 */
/* Completion of hone for a shell, made at build time from the tables. */
#ifndef HONE_TOOLS_DOCGEN_COMPLETE_H
#define HONE_TOOLS_DOCGEN_COMPLETE_H

/* Print that of "bash", "zsh" or "fish"; 0 for another shell. */
int hone__complete(const char *shell);

#endif
