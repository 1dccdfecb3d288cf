/* SPDX-License-Identifier: Apache-2.0 */
/* One failed allocation, each in its turn, in what leads from a template to a
 * compiled variant: the same result or HONE_ERR_NO_MEMORY, never another. */
#include "runtime/base/alloc.h"
#include "tuner/compile/cubin_cache.h"
#include "tuner/compile/farm_state.h"
#include "gen/space.h"
#include "tuner/compile/compiler_kind.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef hone_status step_function(hone_text *out, hone_error *err);

/* What `step` answers does not depend on which allocation fails. */
static void sweep(step_function *step)
{
    hone_text whole = {0};
    hone_error err = {.status = HONE_OK};
    long n = 0;

    if (step(&whole, &err) != HONE_OK)
        fail_msg("%s", err.text);
    for (int failed = 1; failed; ++n) {
        hone_text out = {0};
        hone_status status;

        hone__alloc_fail_once(n);
        status = step(&out, &err);
        failed = hone__alloc_fail_end();
        if (out.failed)
            status = HONE_ERR_NO_MEMORY;
        if (status == HONE_OK) {
            assert_int_equal(out.length, whole.length);
            assert_memory_equal(out.data, whole.data, whole.length);
        } else {
            assert_true(failed);
            assert_int_equal(status, HONE_ERR_NO_MEMORY);
        }
        hone__text_free(&out);
    }
    assert_true(n > 1);
    hone__text_free(&whole);
}

/* ---- sources ------------------------------------------------------------
 */

static hone_status source_for(hone_backend backend, hone_text *out,
                              hone_error *err)
{
    const int64_t dims[] = {1000, HONE_TYPE_F32};
    int64_t config[64];
    hone_template *t = NULL;
    hone_text options = {0};
    hone_diagnostics d = {0};
    hone_status status = hone__template_load(
        "../../templates/reduction/sum_stream.cu", "", &t, &d, err);

    if (status == HONE_OK)
        status = hone__config_parse(t, "", config, err);
    if (status == HONE_OK)
        status =
            hone__variant_source(t, config, dims, backend, out, &options, err);
    hone__text_puts(out, hone__text_str(&options));
    hone__text_free(&options);
    hone__diagnostics_free(&d);
    hone__template_free(t);
    return status;
}

static hone_status source_cuda(hone_text *out, hone_error *err)
{
    return source_for(HONE_BACKEND_CUDA, out, err);
}

static hone_status source_cpu(hone_text *out, hone_error *err)
{
    return source_for(HONE_BACKEND_CPU, out, err);
}

static void test_sources(void **state)
{
    (void)state;
    sweep(source_cuda);
    sweep(source_cpu);
}

/* ---- outputs ------------------------------------------------------------
 */

static const char cubin[] = "\x7f"
                            "ELF and a lot more";
static char big_log[5000];

static hone_status make_output(hone_compile_output *out, hone_error *err)
{
    *out = (hone_compile_output){.ok = 1, .registers = 40};
    memset(big_log, 'x', sizeof big_log - 1);
    hone__text_append(&out->cubin, cubin, sizeof cubin);
    hone__text_puts(&out->log, big_log);
    return hone__compile_output_check(out, err);
}

static void show(const hone_compile_output *output, hone_text *out)
{
    hone__text_printf(out, "%d %d %zu %zu", output->ok, output->registers,
                      output->cubin.length, output->log.length);
}

/* To a worker's parent, and to another job that waits for the same. */
static hone_status travel(hone_text *out, hone_error *err)
{
    hone_compile_output output, there, copy;
    hone_text payload = {0};
    hone_unpack in;
    hone_status status = make_output(&output, err);

    hone__compile_output_pack(&payload, &output);
    if (status == HONE_OK)
        status = hone__text_check(&payload, err);
    in = (hone_unpack){payload.data, payload.data + payload.length, 0};
    hone__compile_output_unpack(&in, &there);
    hone__compile_output_copy(&there, &copy);
    if (status == HONE_OK)
        status = hone__compile_output_check(&there, err);
    if (status == HONE_OK)
        status = hone__compile_output_check(&copy, err);
    show(&copy, out);
    hone__compile_output_free(&output);
    hone__compile_output_free(&there);
    hone__compile_output_free(&copy);
    hone__text_free(&payload);
    return status;
}

static char folder[64];

/* What the cache has, it has whole; what it cannot keep or read is compiled
 * again. */
static hone_status cache(hone_text *out, hone_error *err)
{
    static const char key[] = "0123456789abcdef0123456789abcdef"
                              "0123456789abcdef0123456789abcdef";
    hone_compile_output output, found;
    hone_status status = make_output(&output, err);

    if (status == HONE_OK &&
        hone__cache_store(folder, key, &output, NULL) == HONE_OK &&
        hone__cache_load(folder, key, &found, NULL) == HONE_OK) {
        show(&found, out);
        hone__compile_output_free(&found);
    } else {
        show(&output, out);
    }
    hone__compile_output_free(&output);
    return status;
}

static void test_outputs(void **state)
{
    char command[96];

    (void)state;
    sweep(travel);
    (void)snprintf(folder, sizeof folder, "/tmp/hone-memory-XXXXXX");
    assert_non_null(mkdtemp(folder));
    assert_int_equal(hone__cache_prepare(folder, NULL), HONE_OK);
    sweep(cache);
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

/* ---- the farm -----------------------------------------------------------
 */

static void on_done(void *user, int64_t job, hone_compile_output *output)
{
    hone__text_printf(user, "job %d: ", (int)job);
    show(output, user);
}

/* A lost compile, one who waited for it, and one who comes later. */
static hone_status deliver(hone_text *out, hone_error *err)
{
    hone_farm farm = {.on_done = on_done, .user = out};
    hone_farm_slot slot = {.busy = 1, .job = 1};
    hone_compile_output output;
    hone_status status = make_output(&output, err);

    output.timed_out = 1;
    if (status == HONE_OK)
        status = hone__farm_follow(&slot.followers, 2, err);
    if (status == HONE_OK)
        status = hone__farm_deliver(&farm, &slot, &output, err);
    else
        hone__compile_output_free(&output);
    if (status == HONE_OK)
        status = hone__farm_follow(&farm.lost[0].waiting, 3, err);
    if (status == HONE_OK)
        status = hone__farm_answer_lost(&farm, err);
    hone__text_free(&slot.followers);
    hone__farm_free_lost(&farm);
    return status;
}

static void test_farm(void **state)
{
    (void)state;
    sweep(deliver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sources),
        cmocka_unit_test(test_outputs),
        cmocka_unit_test(test_farm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
