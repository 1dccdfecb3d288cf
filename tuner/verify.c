/* SPDX-License-Identifier: Apache-2.0 */
/* Verification: see verify.h. */
#include "tuner/verify.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* As in device_code.cu. */
typedef struct comparison {
    uint64_t n_bad;
    uint64_t first_bad;
    uint64_t n_nan;
    uint32_t worst_ratio;
    uint32_t unused;
} comparison;

static const char *const pass_name[HONE_N_PASSES] = {"integers", "reals"};

static void set_wrong(hone_verdict *verdict, const char *text)
{
    verdict->outcome = HONE_OUTCOME_WRONG;
    (void)snprintf(verdict->message, sizeof verdict->message, "%.310s", text);
}

static void explain(hone_verdict *verdict, const hone_check *check, int pass,
                    const comparison *result, int64_t count)
{
    char text[320];
    float ratio;

    memcpy(&ratio, &result->worst_ratio, sizeof ratio);

    if (result->n_nan == result->n_bad)
        (void)snprintf(text, sizeof text,
                       "%llu of %lld elements are NaN or were never written "
                       "(first: element %llu; %s, %s)",
                       (unsigned long long)result->n_bad, (long long)count,
                       (unsigned long long)result->first_bad, check->name,
                       pass_name[pass]);
    else if (pass == HONE_PASS_EXACT)
        (void)snprintf(text, sizeof text,
                       "%llu of %lld elements differ from the exact result "
                       "(first: element %llu; %s, %s)",
                       (unsigned long long)result->n_bad, (long long)count,
                       (unsigned long long)result->first_bad, check->name,
                       pass_name[pass]);
    else
        (void)snprintf(text, sizeof text,
                       "%llu of %lld elements are out of tolerance, the worst "
                       "%.3g times the bound (first: element %llu; %s, %s)",
                       (unsigned long long)result->n_bad, (long long)count,
                       (double)ratio, (unsigned long long)result->first_bad,
                       check->name, pass_name[pass]);
    set_wrong(verdict, text);
}

static hone_status compare(hone_problem *problem, const hone_check *check,
                           int pass, hone_verdict *verdict, hone_error *err)
{
    hone_gpu *device = problem->device;
    const hone_expectation *e = &check->expected[pass];
    const hone_resolved_arg *arg = &problem->resolved.args[problem->output];
    int type = hone__lane_type(arg->type);
    hone_cu_ptr out = problem->work[problem->output].data;
    hone_cu_ptr index = e->index.data;
    hone_cu_ptr value = e->value.data;
    hone_cu_ptr magnitude = e->magnitude.data;
    int64_t n = e->count;
    int exact = pass == HONE_PASS_EXACT;
    comparison result = {0, ~(uint64_t)0, 0, 0, 0};
    double u, ulp;
    float ratio;

    hone__check_round_off(arg->type, &u, &ulp);
    {
        double tolerance = check->tolerance * u;
        void *params[] = {&type,      &out, &index,     &value, &magnitude,
                          &n,         &tolerance, &ulp, &exact,
                          &device->scratch};

        HONE_TRY(hone__cuda_check(
            device->cuda,
            device->cuda->copy_to_device(device->scratch, &result,
                                         sizeof result),
            "preparing a comparison", err));
        HONE_TRY(hone__device_run(device, device->kernel.compare, n, params,
                                  "comparing results", err));
    }
    HONE_TRY(hone__device_synchronize(device, "comparing results", err));
    HONE_TRY(hone__cuda_check(device->cuda,
                              device->cuda->copy_to_host(
                                  &result, device->scratch, sizeof result),
                              "reading a comparison", err));
    ++verdict->n_compared;
    memcpy(&ratio, &result.worst_ratio, sizeof ratio);
    if (!exact && (double)ratio > verdict->error_ratio)
        verdict->error_ratio = (double)ratio;
    if (result.n_bad) {
        if (exact)
            verdict->error_ratio = INFINITY;
        explain(verdict, check, pass, &result, n);
    }
    return HONE_OK;
}

/* HONE_ERR_CONSTRAINT from a guard check is the variant's fault. */
static hone_status guard(hone_gpu *device, const hone_block *block,
                         const char *name, hone_verdict *verdict,
                         hone_error *err)
{
    hone_error found = {.status = HONE_OK};
    const hone_status status = hone__block_check(device, block, name, &found);

    if (status == HONE_ERR_CONSTRAINT) {
        set_wrong(verdict, found.text);
        return HONE_OK;
    }
    if (status != HONE_OK && err)
        *err = found;
    return status;
}

/* Nothing but the outputs may have changed. */
static hone_status check_memory(hone_problem *problem, int pass,
                                const hone_block *blocks, size_t n_blocks,
                                hone_verdict *verdict, hone_error *err)
{
    hone_gpu *device = problem->device;

    for (size_t i = 0; i < problem->resolved.n_args; ++i) {
        const hone_resolved_arg *arg = &problem->resolved.args[i];
        const hone_block *block = arg->mode == HONE_ARG_IN
                                      ? &problem->pristine[pass][i]
                                      : &problem->work[i];
        uint64_t hash = 0;

        if (arg->mode == HONE_ARG_SCALAR)
            continue;
        HONE_TRY(guard(device, block, arg->name, verdict, err));
        if (arg->mode != HONE_ARG_IN || verdict->outcome != HONE_OUTCOME_OK)
            continue;
        HONE_TRY(hone__array_hash(device, block, &hash, err));
        if (hash != problem->hash[pass][i]) {
            char text[160];

            (void)snprintf(text, sizeof text,
                           "the input array '%s' was changed", arg->name);
            set_wrong(verdict, text);
        }
    }
    for (size_t i = 0; i < n_blocks; ++i) {
        if (blocks[i].base)
            HONE_TRY(guard(device, &blocks[i], "a workspace", verdict, err));
    }
    return HONE_OK;
}

/* One run of the subject. Its failures are the verdict; what stands in `err`
 * afterwards is theirs too. */
static hone_status run_once(hone_problem *problem, int pass,
                            hone_subject subject, hone_verdict *verdict,
                            hone_error *err)
{
    hone_cu_ptr pointers[HONE_MAX_ARGS];
    void *args[HONE_MAX_ARGS];
    hone_error found = {.status = HONE_OK};
    hone_status status;

    HONE_TRY(hone__problem_prepare(problem, (hone_pass_data)pass, pointers,
                                   args, err));
    status = subject.enqueue(subject.user, args, problem->device->stream,
                             &found);
    if (status == HONE_OK)
        status = hone__device_synchronize(problem->device,
                                          "running the kernel", &found);
    if (status != HONE_OK) {
        verdict->outcome = hone__outcome_of(&found);
        (void)snprintf(verdict->message, sizeof verdict->message, "%.300s",
                       found.text);
    }
    return HONE_OK;
}

static int pass_is_wanted(const hone_problem *problem, int pass)
{
    for (size_t i = 0; i < problem->n_checks; ++i) {
        if (problem->checks[i].expected[pass].count)
            return 1;
    }
    return pass == HONE_PASS_REALS; /* at least the memory is checked */
}

hone_status hone__verify(hone_problem *problem, hone_subject subject,
                         const hone_block *blocks, size_t n_blocks,
                         hone_verdict *out, hone_error *err)
{
    memset(out, 0, sizeof *out);
    for (int pass = 0; pass < HONE_N_PASSES; ++pass) {
        if (!pass_is_wanted(problem, pass))
            continue;
        HONE_TRY(run_once(problem, pass, subject, out, err));
        if (out->outcome != HONE_OUTCOME_OK)
            return HONE_OK;
        HONE_TRY(check_memory(problem, pass, blocks, n_blocks, out, err));
        for (size_t i = 0;
             out->outcome == HONE_OUTCOME_OK && i < problem->n_checks; ++i) {
            if (problem->checks[i].expected[pass].count)
                HONE_TRY(compare(problem, &problem->checks[i], pass, out,
                                 err));
        }
        if (out->outcome != HONE_OUTCOME_OK)
            return HONE_OK;
    }
    return HONE_OK;
}
