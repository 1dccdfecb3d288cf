/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/runtime/choose_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char choose_plan[] = "hone-launch 6\n"
                           "op rows\n"
                           "dim M int\n"
                           "dim N int\n"
                           "dim LD int N\n"
                           "param BLOCK 64\n"
                           "let ROWS M*BLOCK/BLOCK\n"
                           "arg x in 4 M*LD\n"
                           "arg y out 4 M*LD\n"
                           "launch rows\n"
                           "grid ceildiv(N,BLOCK) ; M\n"
                           "block BLOCK\n"
                           "pass x\n"
                           "pass y\n"
                           "work flops 100*ROWS*N\n"
                           "work bytes 8*M*N\n";

double choose_time(size_t member, const int64_t *dims)
{
    const double size = (double)dims[0] * (double)dims[1];
    const double small = 2000 + size * 0.004;
    const double large = 6000 + size * (dims[1] % 8 ? 0.006 : 0.002);

    if (member == 0)
        return small;
    if (member == 1)
        return large;
    return 1.1 * (small < large ? small : large);
}

hone_chooser *choose_make(size_t n_problems, hone_error *err)
{
    const int64_t reach[CHOOSE_DIMS] = {8192, 8192, 8192};
    hone_chooser *c = NULL;
    uint64_t state = 7;

    if (hone__chooser_create("rows", CHOOSE_DIMS, CHOOSE_MEMBERS, n_problems,
                             &c, err) != HONE_OK)
        return NULL;
    for (size_t i = 0; i < n_problems; ++i) {
        int64_t *dims = &c->dims[i * CHOOSE_DIMS];

        for (size_t d = 0; d < 2; ++d) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            dims[d] = (int64_t)(32u << (state >> 60) % 8);
            dims[d] += (int64_t)(state >> 40) % dims[d];
            dims[d] &= state >> 20 & 1 ? -16 : -1;
        }
        dims[2] = dims[1];
        for (size_t j = 0; j < CHOOSE_MEMBERS; ++j)
            c->time_ns[i * CHOOSE_MEMBERS + j] = choose_time(j, dims);
    }
    for (size_t j = 0; j < CHOOSE_MEMBERS; ++j) {
        char sha256[HONE_CHOOSER_SHA256 + 1];

        memset(sha256, 'a' + (int)j, HONE_CHOOSER_SHA256);
        sha256[HONE_CHOOSER_SHA256] = '\0';
        if (hone__chooser_set_member(c, j, sha256, j == 2 ? "vendor" : "rows",
                                     err) != HONE_OK ||
            hone__chooser_set_reach(c, j, reach, err) != HONE_OK) {
            hone__chooser_free(c);
            return NULL;
        }
    }
    return c;
}

void choose_begin(choose_fixture *fixture, size_t n_problems)
{
    hone_error err = {0};

    memset(fixture, 0, sizeof *fixture);
    fixture->chooser = choose_make(n_problems, &err);
    if (hone__launch_spec_parse(choose_plan, &fixture->spec, &err) != HONE_OK ||
        hone__properties_of_arch("sm_90", &fixture->properties, &err) !=
            HONE_OK ||
        !fixture->chooser) {
        (void)fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
}

hone_launch_case choose_at(const choose_fixture *fixture, const int64_t *dims)
{
    return (hone_launch_case){fixture->spec, dims, CHOOSE_DIMS,
                              &fixture->properties};
}

void choose_end(choose_fixture *fixture)
{
    hone__chooser_free(fixture->chooser);
    hone__launch_spec_free(fixture->spec);
}

void choose_add_costs(hone_chooser *chooser)
{
    static const char *const texts[] = {"d0*d1", "((e0/64)+1)", "max(e1,d2)"};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i)
        if (hone__chooser_add_estimate(chooser, texts[i], strlen(texts[i]),
                                       NULL) != HONE_OK)
            abort();
    chooser->members[0].cost = 2;
    chooser->members[2].cost = 3;
}

void choose_add_places(hone_chooser *chooser)
{
    for (int64_t i = 0; i < 48; ++i) {
        const int64_t size = (i < 24 ? 64 : 4096) + i;
        const int64_t dims[CHOOSE_DIMS] = {size, size, size};
        const size_t member = i >= 24;
        const float beside = 0;

        if (hone__chooser_add_place(chooser, dims, &member, &beside, 1, NULL) !=
            HONE_OK)
            exit(1);
    }
}
