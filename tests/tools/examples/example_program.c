/* SPDX-License-Identifier: Apache-2.0 */
#include "hone.h"

#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    const size_t bytes = sizeof(float) << 20;
    float alpha = 2, *x_device = malloc(bytes), *y_device = malloc(bytes);
    hone_stream stream = NULL;

    for (int i = 0; i < 1 << 20; ++i)
        x_device[i] = y_device[i] = (float)(i % 100);
    /* EXAMPLE */
    for (int i = 0; i < 1 << 20; ++i)
        if (y_device[i] != 3 * x_device[i])
            return printf("element %d is %g\n", i, y_device[i]);
    free(x_device);
    free(y_device);
    return 0;
}
