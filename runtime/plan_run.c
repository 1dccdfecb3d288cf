/* SPDX-License-Identifier: Apache-2.0 */
/* Running a plan, the hot path: see plan.h. What is rare is in plan_memory.c,
 * so that this file alone is compiled for speed and all else for size. */
#include "runtime/plan.h"

#include "runtime/base/count.h"

/* Without constant memory. The error record is looked for where it is needed:
 * this is the hot path. */
static inline hone_status run_alone(const hone_plan *plan, void *const *args,
                                    hone_cu_ptr *parts, hone_stream stream)
{
    const hone_program *program = &plan->program;
    hone_program_fault fault;

    if (program->is_special)
        return hone__program_run(program, args, parts, NULL, NULL, stream,
                                 hone__plan_error(plan));
    if (hone__program_enqueue(program, args, parts, stream, &fault))
        return HONE_OK;
    return hone__program_explain(program, &fault, hone__plan_error(plan));
}

hone_status hone_plan_run(hone_plan *plan, void *const *args, size_t n_args,
                          hone_stream stream)
{
    static hone_cu_ptr no_parts[HONE_MAX_WORKSPACES]; /* all empty */

    if (!plan)
        return hone__plan_run_other(plan, args, n_args, stream);
    hone__plan_prefetch(plan);
    if (plan->program.n_args != n_args || (n_args && !args))
        return hone__plan_run_other(plan, args, n_args, stream);
    hone__plan_prefetch_rest(plan);
    if (plan->program.counter)
        hone__count_add(plan->program.counter);
    if (plan->has_memory)
        return hone__plan_run_in_turn(plan, args, stream);
    return run_alone(plan, args, no_parts, stream);
}
