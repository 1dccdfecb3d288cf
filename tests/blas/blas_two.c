/* SPDX-License-Identifier: Apache-2.0 */
/* blas_two PLUGIN..: a program that was linked against version 13 and loads
 * plug-ins, which may be linked against version 12, or against none, each with
 * handles of its own. A line for each says what its product is. Built with
 * BLAS_PLUGIN it is a plug-in. */
#include "tests/blas/fake_parts.h"

#include <dlfcn.h>
#include <stdio.h>

HONE_API int cublasCreate_v2(hone_blas_handle *out);
HONE_API int cublasDestroy_v2(hone_blas_handle handle);
HONE_API double product_of_version(void);

double product_of_version(void)
{
    const float alpha = 1, beta = 0, a = 2, b = 3;
    hone_blas_handle h = NULL;
    float c = -1;

    if (cublasCreate_v2(&h) ||
        cublasSgemm_v2(h, 0, 0, 1, 1, 1, &alpha, &a, 1, &b, 1, &beta, &c, 1))
        c = -1;
    (void)cublasDestroy_v2(h);
    return (double)c;
}

#ifndef BLAS_PLUGIN
int main(int argc, char **argv)
{
    printf("before: %g\n", product_of_version());
    for (int i = 1; i < argc; ++i) {
        void *plugin = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
        double (*of_plugin)(void) = NULL;

        if (!plugin) {
            fprintf(stderr, "%s\n", dlerror());
            return 2;
        }
        *(void **)&of_plugin = dlsym(plugin, "product_of_version");
        printf("plug-in: %g\n", of_plugin());
    }
    printf("after: %g\n", product_of_version());
    return 0;
}
#endif
