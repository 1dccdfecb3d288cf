/* SPDX-License-Identifier: Apache-2.0 */
/* Starting anew under AddressSanitizer: see sanitizer.h. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "tools/sanitizer.h"

#include "runtime/base/text.h"
#include "tuner/compile/host_compiler.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_WORDS = 1024 };

/* This process's arguments, as the system keeps them. */
static hone_status own_arguments(hone_text *storage, char **words,
                                 hone_error *err)
{
    int n = 0;
    size_t at = 0;

    HONE_TRY(hone__text_read_file(storage, "/proc/self/cmdline", err));
    while (at < storage->length && n < MAX_WORDS) {
        words[n++] = storage->data + at;
        at += strlen(storage->data + at) + 1;
    }
    words[n] = NULL;
    return HONE_OK;
}

hone_status hone__sanitizer_enter(hone_error *err)
{
    static char *words[MAX_WORDS + 1];
    hone_text library = {0};
    hone_text storage = {0};
    hone_status status = HONE_OK;

    if (dlsym(RTLD_DEFAULT, "__asan_init"))
        return HONE_OK;
    if (getenv("HONE_SANITIZED"))
        return hone__fail(err, HONE_ERR_NO_COMPILER,
                          "AddressSanitizer's library was preloaded but is "
                          "not there; install libasan for your C++ compiler");
    status = hone__host_sanitizer_library(&library, err);
    if (status == HONE_OK)
        status = own_arguments(&storage, words, err);
    if (status == HONE_OK) {
        (void)setenv("LD_PRELOAD", library.data, 1);
        (void)setenv("HONE_SANITIZED", "1", 1);
        /* Leaks are not the variants'; the link order is deliberate. */
        (void)setenv("ASAN_OPTIONS",
                     "detect_leaks=0:verify_asan_link_order=0:"
                     "detect_stack_use_after_return=0",
                     0);
        (void)setenv("UBSAN_OPTIONS", "print_stacktrace=1", 0);
        (void)execv("/proc/self/exe", words);
        status = hone__fail_native(err, HONE_ERR_NO_COMPILER, HONE_DOMAIN_ERRNO,
                                   errno,
                                   "cannot start anew under "
                                   "AddressSanitizer: %s",
                                   strerror(errno));
    }
    hone__text_free(&library);
    hone__text_free(&storage);
    return status;
}
