/* SPDX-License-Identifier: Apache-2.0 */
/* json_check PATH[=VALUE]..: stdin is one JSON object, has a value at every
 * PATH (members and list positions joined by dots) and, where a VALUE is
 * given, that value. For machines without jq. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const json_t *step(const json_t *at, const char *key)
{
    char *end = NULL;
    unsigned long index;

    if (!json_is_array(at))
        return json_object_get(at, key);
    index = strtoul(key, &end, 10);
    return *end ? NULL : json_array_get(at, index);
}

/* "text" without its quotes, everything else as JSON. */
static int equals(const json_t *value, const char *wanted)
{
    char *dump;
    int same;

    if (json_is_string(value))
        return strcmp(json_string_value(value), wanted) == 0;
    dump = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    same = dump && strcmp(dump, wanted) == 0;
    free(dump);
    return same;
}

static int check(const json_t *root, const char *argument)
{
    char path[256], *rest = path, *key;
    const char *wanted = strchr(argument, '=');
    const size_t length =
        wanted ? (size_t)(wanted - argument) : strlen(argument);
    const json_t *at = root;

    if (length >= sizeof path)
        return 0;
    memcpy(path, argument, length);
    path[length] = '\0';
    while (at && (key = strtok_r(rest, ".", &rest)))
        at = step(at, key);
    if (!at) {
        printf("no value at %s\n", argument);
        return 0;
    }
    if (wanted && !equals(at, wanted + 1)) {
        char *dump = json_dumps(at, JSON_ENCODE_ANY | JSON_COMPACT);

        printf("expected %s, found %s\n", argument, dump ? dump : "?");
        free(dump);
        return 0;
    }
    return 1;
}

int main(int argc, char **argv)
{
    json_error_t error;
    json_t *root = json_loadf(stdin, JSON_REJECT_DUPLICATES, &error);
    int good = 1;

    if (!json_is_object(root)) {
        printf("not a JSON object: line %d: %s\n", error.line, error.text);
        return 1;
    }
    for (int i = 1; i < argc; ++i)
        good &= check(root, argv[i]);
    json_decref(root);
    return !good;
}
