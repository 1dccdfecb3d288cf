/* SPDX-License-Identifier: Apache-2.0 */
/* A search strategy: each value by chance. hone-strategy(5).
 * cc -o mine strategy.c; hone tune OP --strategy exec:./mine */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    static char line[1 << 20], word[16];
    int sizes[256], n = 0;

    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "%15s", word) == 1 && !strcmp(word, "param"))
            for (sizes[n++] = -1, strtok(line, " "); strtok(NULL, " ");)
                ++sizes[n - 1];
        else if (!strcmp(word, "seed"))
            srand((unsigned)atoi(line + 5));
        else if (!strcmp(word, "go"))
            printf("hone-strategy 1\n");
        else if (!strcmp(word, "ask") || !strcmp(word, "invalid") || !strcmp(word, "known")) {
            printf("try");
            for (int i = 0; i < n; ++i)
                printf(" %d", rand() % sizes[i]);
            printf("\n");
        }
        fflush(stdout);
    }
    return 0;
}
