/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of the preprocessor: which can be decided. */
#include "gen/expand/condition.h"
#include "tests/gen/gen_test.h"

/* A_.. stand for what their names say. */
static const char *macro(const void *user, const char *name, size_t length,
                         size_t *out_length)
{
    static const struct {
        const char *name, *body;
    } known[] = {{"A_16", "16"},
                 {"A_0", "0"},
                 {"A_LESS", "(-5)"},
                 {"A_LONG", "5000000000LL"},
                 {"A_REAL", "0.5"}};

    (void)user;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
        if (strlen(known[i].name) == length &&
            memcmp(known[i].name, name, length) == 0) {
            *out_length = strlen(known[i].body);
            return known[i].body;
        }
    }
    return NULL;
}

static const struct {
    const char *text;
    hone_decision is;
} cases[] = {
    {"A_16==16", HONE_DECIDED_TRUE},
    {"A_16 != 16", HONE_DECIDED_FALSE},
    {"A_16>=16&&A_0<1", HONE_DECIDED_TRUE},
    {"A_16 == 8 || A_LESS == -5", HONE_DECIDED_TRUE},
    {"!A_0&&!!A_16", HONE_DECIDED_TRUE},
    {"2+A_16*2==34", HONE_DECIDED_TRUE},
    {"(2+A_16)*2==36", HONE_DECIDED_TRUE},
    {"A_16/3%4<<2==4", HONE_DECIDED_TRUE},
    {"(A_16&24)==16&&(A_16|1)==17&&(A_16^A_16)==0", HONE_DECIDED_TRUE},
    {"20-A_16-3==1", HONE_DECIDED_TRUE},
    {"A_0?1:A_16==16", HONE_DECIDED_TRUE},
    {"A_16>8?A_0:1", HONE_DECIDED_FALSE},
    {"A_LONG>4294967296", HONE_DECIDED_TRUE},
    {"0x10==A_16&&020==A_16", HONE_DECIDED_TRUE},
    {"~A_0==-1", HONE_DECIDED_TRUE},
    {"defined A_16&&defined(A_0)", HONE_DECIDED_TRUE},
    {"true&&!false", HONE_DECIDED_TRUE},
    /* one side is enough */
    {"A_0&&OTHER>1", HONE_DECIDED_FALSE},
    {"OTHER(1,(2))>3&&A_0", HONE_DECIDED_FALSE},
    {"OTHER||A_16", HONE_DECIDED_TRUE},
    /* not known */
    {"OTHER", HONE_UNDECIDED},
    {"!OTHER", HONE_UNDECIDED},
    {"defined(OTHER)", HONE_UNDECIDED},
    {"!defined OTHER", HONE_UNDECIDED},
    {"A_16&&OTHER", HONE_UNDECIDED},
    {"OTHER*A_0", HONE_UNDECIDED},
    {"A_16?OTHER:1", HONE_UNDECIDED},
    {"__has_include(<a.h>)||A_0", HONE_UNDECIDED},
    /* numbers of another kind, or none */
    {"A_16==16u", HONE_UNDECIDED},
    {"A_16>-1u", HONE_UNDECIDED},
    {"A_16==1'6", HONE_UNDECIDED},
    {"A_REAL<1", HONE_UNDECIDED},
    {"A_16=='a'", HONE_UNDECIDED},
    {"A_16/A_0", HONE_UNDECIDED},
    {"9223372036854775807+A_16", HONE_UNDECIDED},
    {"18446744073709551615==A_16", HONE_UNDECIDED},
    {"A_16<<63", HONE_UNDECIDED},
    {"A_LESS>>1", HONE_UNDECIDED},
    /* no condition */
    {"", HONE_UNDECIDED},
    {"A_16 ==", HONE_UNDECIDED},
    {"A_16 16", HONE_UNDECIDED},
    {"A_16 and A_0", HONE_UNDECIDED},
    {"not A_0", HONE_UNDECIDED},
    {"(A_16", HONE_UNDECIDED},
    {"A_16)", HONE_UNDECIDED},
    {"1||(", HONE_UNDECIDED},
    {"A_16=1", HONE_UNDECIDED},
    {"defined", HONE_UNDECIDED},
};

static void conditions(void **state)
{
    char deep[4096];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        if (hone__condition_decide(cases[i].text, strlen(cases[i].text), macro,
                                   NULL) != cases[i].is)
            fail_msg("%s", cases[i].text);
    }
    memset(deep, '(', sizeof deep);
    assert_int_equal(hone__condition_decide(deep, sizeof deep, macro, NULL),
                     HONE_UNDECIDED);
    memset(deep, '!', sizeof deep);
    assert_int_equal(hone__condition_decide(deep, sizeof deep, macro, NULL),
                     HONE_UNDECIDED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(conditions)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
