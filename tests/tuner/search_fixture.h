/* SPDX-License-Identifier: Apache-2.0 */
/* A template's space to search in, from the template's text. */
#ifndef HONE_TESTS_TUNER_SEARCH_FIXTURE_H
#define HONE_TESTS_TUNER_SEARCH_FIXTURE_H

#include "gen/space.h"
#include "gen/parse/template.h"
#include "tuner/search/search.h"

typedef struct hone_search_fixture {
    hone_template *tmpl;
    hone_space *space;
    hone_search_space view;
} hone_search_fixture;

/* Prints why and returns 0 if it cannot. `lines`: parameters and
 * constraints, each line with its pragma. */
int hone__search_fixture_open(const char *lines, hone_search_fixture *out);
void hone__search_fixture_close(hone_search_fixture *fixture);

#endif
