/* SPDX-License-Identifier: Apache-2.0 */
/* Hands each file of the named folders to a fuzz target, and each of its halves
 * and some of its mutations: what a compiler without libFuzzer can run in a
 * second. An input that takes five minutes ends the process. */
#define _DEFAULT_SOURCE /* alphasort */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 20, MUTATIONS = 40, LIMIT_S = 300 };

static uint64_t state = 1; /* the same mutations each time */

static size_t draw(size_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return n ? (size_t)(state >> 33) % n : 0;
}

static void run(const uint8_t *bytes, size_t size_bytes)
{
    /* Its own memory, so that a sanitizer sees where it ends. */
    uint8_t *copy = malloc(size_bytes ? size_bytes : 1);

    if (!copy)
        abort();
    if (size_bytes)
        memcpy(copy, bytes, size_bytes);
    (void)alarm(LIMIT_S);
    (void)LLVMFuzzerTestOneInput(copy, size_bytes);
    (void)alarm(0);
    free(copy);
}

static size_t run_file(const char *path)
{
    static uint8_t bytes[MOST_BYTES], changed[MOST_BYTES];
    FILE *file = fopen(path, "rb");
    clock_t begun;
    size_t n;

    if (!file)
        return 0;
    n = fread(bytes, 1, sizeof bytes, file);
    (void)fclose(file);
    (void)fprintf(stderr, "%s\n", path); /* the last line names the culprit */
    begun = clock();
    run(bytes, n);
    /* What is slow as it is would be slow forty times. */
    if (clock() - begun > CLOCKS_PER_SEC / 4)
        n = 0;
    run(bytes, n / 2);
    for (int i = 0; i < MUTATIONS && n; ++i) {
        const size_t at = draw(n), other = draw(n);
        const size_t length = draw(n - (at > other ? at : other)) % 64;

        memcpy(changed, bytes, n);
        if (i % 3 == 0)
            changed[at] = (uint8_t)draw(256);
        else if (i % 3 == 1)
            memmove(changed + at, changed + other, length);
        else
            changed[at] ^= (uint8_t)(1u << draw(8));
        run(changed, n);
    }
    return 1;
}

int main(int argc, char **argv)
{
    size_t n = 0;

    for (int i = 1; i < argc; ++i) {
        struct dirent **names = NULL;
        const int n_names = scandir(argv[i], &names, NULL, alphasort);

        for (int j = 0; j < n_names; ++j) {
            char path[4096];

            if (names[j]->d_name[0] != '.' &&
                snprintf(path, sizeof path, "%s/%s", argv[i],
                         names[j]->d_name) < (int)sizeof path)
                n += run_file(path);
            free(names[j]);
        }
        free(names);
        if (n_names < 0)
            n += run_file(argv[i]);
    }
    (void)printf("%zu files\n", n);
    return n == 0;
}
