/* SPDX-License-Identifier: Apache-2.0 */
/* Man pages made at build time of documents that are written for their own
 * readers: hone.h and the format of the database. */
#ifndef HONE_TOOLS_DOCGEN_PAGE_H
#define HONE_TOOLS_DOCGEN_PAGE_H

#include <stddef.h>

/* scdoc takes '_', '*' and others for markup. */
void hone__page_escape(const char *text, size_t length);

typedef enum hone_page_part {
    HONE_PAGE_INTRODUCTION, /* the comment at its top */
    HONE_PAGE_FUNCTIONS,
    HONE_PAGE_TYPES /* and macros */
} hone_page_part;

/* What hone.h says. 0: it cannot be read. */
int hone__page_header(const char *header, hone_page_part part);

/* A Markdown file: headings, tables, code and paragraphs. 0 as above. */
int hone__page_markdown(const char *file);

/* The tables of a new database with their columns; `file` is made and removed.
 * 0: it could not be. */
int hone__page_tables(const char *file);

#endif
