/* SPDX-License-Identifier: Apache-2.0 */
/* The topics of `hone help`: see topics.h. */
#include "tools/topics.h"

#include "gen/parse/option_table.h"
#include "runtime/base/device_properties.h"
#include "runtime/hone.h"
#include "tools/exit_code.h"
#include "tools/references.h"
#include "tuner/baselines/baseline.h"
#include "tuner/judge/outcome.h"
#include "tuner/search/search.h"

#include <stdio.h>
#include <string.h>

static void references(hone_topic_entry *put, void *user)
{
    const char *name, *summary;
    char full[64];

    for (size_t i = 0; hone__reference_about(i, &name, &summary); ++i) {
        (void)snprintf(full, sizeof full, "cpu.%s", name);
        put(user, full, summary);
    }
    for (size_t i = 0; hone__baseline_about(i, &name, &summary); ++i)
        if (strchr(name, '.') && strcmp(name, "cufft.filter") != 0)
            put(user, name, summary);
    put(user, "template.NAME",
        "the default configuration of another template with the same "
        "arguments");
    put(user, "none", "nothing is checked");
}

static void baselines(hone_topic_entry *put, void *user)
{
    const char *name, *summary;

    for (size_t i = 0; hone__baseline_about(i, &name, &summary); ++i)
        put(user, name, summary);
    put(user, "cub.sum, cub.scan",
        "CUB, from the library of plug-ins that comes with hone where nvcc "
        "built it");
    put(user, "NAME", "any other name: of a plug-in in $HONE_BASELINES");
    put(user, "template.NAME",
        "another template, compiled for the same device, cuda or cpu");
}

static void options(hone_topic_entry *put, void *user)
{
    for (size_t i = 0; i < HONE_N_OPTIONS; ++i)
        put(user, hone__options[i].name, hone__options[i].meaning);
}

static void strategies(hone_topic_entry *put, void *user)
{
    const char *name, *summary;

    for (size_t i = 0; hone__search_strategy(i, &name, &summary); ++i)
        put(user, name, summary);
}

static void types(hone_topic_entry *put, void *user)
{
    char text[80];

#define TYPE_ENTRY(name, code, spelling, size, cpp)                            \
    (void)snprintf(text, sizeof text, "%s in the code, %d bytes; code %d",     \
                   cpp, size, code);                                           \
    put(user, spelling, text);
    HONE_TYPE_MAP(TYPE_ENTRY)
#undef TYPE_ENTRY
}

static void properties(hone_topic_entry *put, void *user)
{
#define PROPERTY_ENTRY(name, meaning) put(user, "device." #name, meaning);
    HONE_PROPERTY_MAP(PROPERTY_ENTRY)
#undef PROPERTY_ENTRY
}

static void outcomes(hone_topic_entry *put, void *user)
{
#define OUTCOME_ENTRY(name, value, spelling, meaning)                          \
    put(user, spelling, meaning);
    HONE_OUTCOME_MAP(OUTCOME_ENTRY)
#undef OUTCOME_ENTRY
}

static void exit_codes(hone_topic_entry *put, void *user)
{
#define EXIT_ENTRY(name, value, meaning) put(user, #value, meaning);
    HONE_EXIT_MAP(EXIT_ENTRY)
#undef EXIT_ENTRY
}

static void statuses(hone_topic_entry *put, void *user)
{
#define STATUS_ENTRY(name, value, text) put(user, #name, text);
    HONE_STATUS_MAP(STATUS_ENTRY)
#undef STATUS_ENTRY
}

static void environment(hone_topic_entry *put, void *user)
{
#define VARIABLE(name, meaning) put(user, name, meaning);
#include "tools/environment.def"
#undef VARIABLE
}

const hone_topic hone__topics[] = {
    {"references", "what the check line of a template compares with",
     references},
    {"baselines", "what the baseline line times beside the winner", baselines},
    {"options", "compiler options that the option line sets", options},
    {"types", "element types", types},
    {"device", "properties of the device in expressions", properties},
    {"strategies", "which configuration is tried next: --strategy", strategies},
    {"outcomes", "what becomes of a variant", outcomes},
    {"environment", "variables that hone reads", environment},
    {"exit", "exit codes of hone", exit_codes},
    {"statuses", "what the functions of the library return", statuses},
};
const size_t hone__n_topics = sizeof hone__topics / sizeof hone__topics[0];

const hone_topic *hone__topic_find(const char *name, size_t length)
{
    for (size_t i = 0; i < hone__n_topics; ++i)
        if (strlen(hone__topics[i].name) == length &&
            memcmp(hone__topics[i].name, name, length) == 0)
            return &hone__topics[i];
    return NULL;
}
