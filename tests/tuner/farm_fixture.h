/* SPDX-License-Identifier: Apache-2.0 */
/* A compile farm whose C++ compiler is a shell script that does what the source
 * tells it: to be slow, to crash, to be killed, to run out of memory. */
#ifndef HONE_TESTS_FARM_FIXTURE_H
#define HONE_TESTS_FARM_FIXTURE_H

#include "tuner/compile/farm_state.h"

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define IS_SANITIZED 1
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED 0
#endif

/* Where the script, what it leaves and the cache are. */
extern char farm_folder[64];
int farm_folder_make(void **state);
int farm_folder_remove(void **state);

#define IN_FOLDER(test)                                                        \
    cmocka_unit_test_setup_teardown(test, farm_folder_make, farm_folder_remove)

enum { MOST_JOBS = 8 };

typedef struct answers {
    int n;
    hone_compile_output of[MOST_JOBS]; /* by job; logs, no cubins */
    char log[MOST_JOBS][600];
} answers;

hone_farm *farm_open(int n_workers, double timeout_s, answers *got);
void farm_submit(hone_farm *farm, int64_t job, const char *source);
/* Until there are so many answers. */
void farm_wait_for(hone_farm *farm, const answers *got, int n);
/* The answer to one source from a farm of its own. */
void farm_ask(const char *source, answers *got);
/* Fails the test unless the log of this answer has these words. */
void farm_log_has(const answers *got, int job, const char *part);
/* Compiles that the script was asked for. */
int farm_n_runs(void);

#endif
