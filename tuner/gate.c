/* SPDX-License-Identifier: Apache-2.0 */
/* Gates before and after compiling: see gate.h. Both look at the same few
 * numbers of each launch, which come from the resolved plan or, where sizes
 * are not known yet, from those expressions that do not read them. */
#include "tuner/gate.h"

#include "runtime/alloc.h"
#include "runtime/launch_body.h"
#include "tuner/compile_log.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNKNOWN = -1 };

typedef struct launch_need {
    const char *kernel; /* borrowed from the spec */
    int64_t threads;
    int64_t shared_bytes; /* dynamic */
    int64_t cluster;      /* blocks; 1: none */
    int64_t together;     /* blocks of a cooperative launch; else 0 */
} launch_need;

typedef struct plan_need {
    size_t n_launches;
    launch_need launches[HONE_MAX_LAUNCHES];
    int64_t memory_bytes; /* arguments and workspaces */
} plan_need;

/* Where the sentence goes. */
typedef struct sentence {
    char *text;
    size_t size;
} sentence;

static hone_gate decide(const sentence *to, hone_gate gate,
                        const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static hone_gate decide(const sentence *to, hone_gate gate,
                        const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (to->size)
        (void)vsnprintf(to->text, to->size, format, args);
    va_end(args);
    return gate;
}

const char *hone__gate_name(hone_gate gate)
{
    static const char *const names[] = {"pass", "limits", "defer"};

    return names[gate];
}

int64_t hone__gate_block_registers(int64_t threads, int64_t registers)
{
    const int64_t warps = (threads + 31) / 32;
    const int64_t warps_of_partition = (warps + 3) / 4;
    const int64_t of_warp = (registers * 32 + 255) / 256 * 256;

    return registers > 0 ? 4 * warps_of_partition * of_warp : 0;
}

/* ---- all sizes known ------------------------------------------------- */

static int64_t add_saturated(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

static void read_resolved(const hone_resolved *resolved, plan_need *out)
{
    for (size_t i = 0; i < resolved->n_launches; ++i) {
        const hone_resolved_launch *launch = &resolved->launches[i];

        out->launches[i] = (launch_need){
            launch->kernel,
            (int64_t)launch->block[0] * launch->block[1] * launch->block[2],
            launch->shared_bytes, 1,
            launch->cooperative ? (int64_t)launch->grid[0] *
                                      launch->grid[1] * launch->grid[2]
                                : 0};
    }
    out->n_launches = resolved->n_launches;
    for (size_t i = 0; i < resolved->n_args; ++i) {
        if (resolved->args[i].mode != HONE_ARG_SCALAR)
            out->memory_bytes = add_saturated(out->memory_bytes,
                                              resolved->args[i].size_bytes);
    }
    for (size_t i = 0; i < resolved->n_workspaces; ++i)
        out->memory_bytes = add_saturated(out->memory_bytes,
                                          resolved->workspaces[i].size_bytes);
}

static hone_gate read_whole(const hone_launch_spec *spec, const int64_t *dims,
                            size_t n_dims, const hone_facts *facts,
                            plan_need *out, const sentence *to)
{
    hone_resolved *resolved = hone__alloc(sizeof *resolved);
    hone_error err = {.status = HONE_OK};
    hone_gate gate = HONE_GATE_PASS;

    if (!resolved)
        return gate; /* whoever comes next says so */
    switch (hone__launch_spec_resolve(spec, dims, n_dims, facts, resolved,
                                      &err)) {
    case HONE_OK:
        read_resolved(resolved, out);
        break;
    case HONE_ERR_CONSTRAINT:
    case HONE_ERR_OVERFLOW:
    case HONE_ERR_INPUT:
        gate = decide(to, HONE_GATE_LIMITS, "%s", err.text);
        break;
    default: /* wrong dims: the caller's error, not the variant's */
        break;
    }
    hone__free(resolved);
    return gate;
}

/* ---- some sizes unknown ---------------------------------------------- */

typedef struct partial {
    int64_t slots[MAX_SLOTS];
    char unknown[MAX_SLOTS];
} partial;

/* UNKNOWN too for what cannot be evaluated or is negative. */
static int64_t value_of(const partial *p, const hone_expr *expr,
                        int64_t default_value)
{
    int64_t value = default_value;

    if (!expr)
        return default_value;
    for (size_t i = 0; i < hone__expr_slot_count(expr); ++i) {
        if (p->unknown[i] && hone__expr_reads(expr, i))
            return UNKNOWN;
    }
    if (hone__expr_eval(expr, p->slots, &value, NULL) != HONE_OK || value < 0)
        return UNKNOWN;
    return value;
}

/* Cut short before the product overflows: far too many is too many. */
static int64_t volume_of(const partial *p, const hone_expr *const extents[3])
{
    int64_t volume = 1;

    for (size_t i = 0; i < 3; ++i) {
        const int64_t extent = value_of(p, extents[i], 1);

        if (extent == UNKNOWN || extent > INT32_MAX)
            return extent;
        volume = volume > INT32_MAX ? volume : volume * extent;
    }
    return volume;
}

/* For hone__launch_map_eval(). */
static hone_status eval_part(void *user, const hone_expr *expr, int64_t *out)
{
    const int64_t value = value_of(user, expr, 0);

    *out = value == UNKNOWN ? HONE_MAP_UNKNOWN : value;
    return HONE_OK;
}

/* Rules of tensor maps for the numbers that are known. */
static hone_gate check_map_part(const hone_launch_spec *spec,
                                const spec_map *map, partial *p,
                                const hone_facts *facts, const sentence *to)
{
    const int of_arg = map->array_kind == HONE_PASS_ARG;
    hone_tensor_map shape = {
        .array = of_arg ? spec->args[map->array].name
                        : spec->workspaces[map->array].name,
        .array_bytes = HONE_MAP_UNKNOWN};
    hone_error err = {.status = HONE_OK};
    int64_t wanted = 1;

    (void)eval_part(p,
                    of_arg ? spec->args[map->array].type
                           : spec->workspaces[map->array].type,
                    &shape.type);
    (void)hone__launch_map_eval(map, eval_part, p, &wanted, &shape);
    if (!wanted || wanted == HONE_MAP_UNKNOWN)
        return HONE_GATE_PASS;
    if (hone__tensor_map_check_device(
            map->name, facts->value[HONE_FACT_sm], &err) == HONE_OK &&
        hone__tensor_map_check(&shape, &err) == HONE_OK)
        return HONE_GATE_PASS;
    return decide(to, HONE_GATE_LIMITS, "%s", err.text);
}

static hone_gate read_part(const hone_launch_spec *spec, const int64_t *dims,
                           const hone_facts *facts, plan_need *out,
                           const sentence *to)
{
    partial *p = hone__alloc(sizeof *p);
    hone_gate gate = HONE_GATE_PASS;

    if (!p)
        return gate; /* whoever comes next says so */
    memcpy(p->slots, facts->value, sizeof facts->value);
    for (size_t i = 0; i < spec->n_dims; ++i) {
        p->slots[SLOT_DIMS + i] = dims ? dims[i] : 0;
        p->unknown[SLOT_DIMS + i] =
            !dims || (dims[i] == 0 && !spec->dims[i].is_choice);
    }
    for (size_t i = 0; i < spec->n_lets; ++i) {
        int64_t *slot = &p->slots[SLOT_LETS + i];

        *slot = value_of(p, spec->lets[i], 0);
        p->unknown[SLOT_LETS + i] = *slot == UNKNOWN;
    }
    for (size_t i = 0; i < spec->n_launches; ++i) {
        const spec_launch *launch = &spec->launches[i];

        if (value_of(p, launch->condition, 1) <= 0)
            continue;
        out->launches[out->n_launches++] =
            (launch_need){launch->kernel, volume_of(p, launch->block),
                          value_of(p, launch->shared, 0),
                          volume_of(p, launch->cluster),
                          launch->cooperative ? volume_of(p, launch->grid)
                                              : 0};
    }
    for (size_t i = 0; gate == HONE_GATE_PASS && i < spec->n_maps; ++i)
        gate = check_map_part(spec, &spec->maps[i], p, facts, to);
    hone__free(p);
    return gate;
}

/* ---- the plan -------------------------------------------------------- */

static int all_known(const int64_t *dims, size_t n_dims)
{
    for (size_t i = 0; dims && i < n_dims; ++i) {
        if (dims[i] == 0)
            return 0;
    }
    return dims != NULL;
}

/* What a plan needs; LIMITS if it can already be seen not to run. */
static hone_gate read_plan(const hone_launch_spec *spec, const int64_t *dims,
                           size_t n_dims, const hone_facts *facts,
                           plan_need *out, const sentence *to)
{
    *out = (plan_need){.n_launches = 0};
    if (all_known(dims, n_dims))
        return read_whole(spec, dims, n_dims, facts, out, to);
    if (!dims || n_dims == spec->n_dims)
        return read_part(spec, dims, facts, out, to);
    return HONE_GATE_PASS;
}

/* Known before the sizes are; the rest is launch_resolve.c's. */
static hone_gate check_cluster(const launch_need *launch,
                               const hone_facts *facts, const sentence *to)
{
    if (launch->cluster > HONE_MAX_CLUSTER)
        return decide(to, HONE_GATE_LIMITS,
                      "a cluster of kernel '%s' has %" PRId64
                      " blocks; CUDA allows %d",
                      launch->kernel, launch->cluster, HONE_MAX_CLUSTER);
    if (launch->cluster > 1 && facts->value[HONE_FACT_sm] < 90)
        return decide(to, HONE_GATE_LIMITS,
                      "kernel '%s' is launched in clusters of %" PRId64
                      " blocks; they need sm_90 or newer, this device is "
                      "sm_%" PRId64,
                      launch->kernel, launch->cluster,
                      facts->value[HONE_FACT_sm]);
    return HONE_GATE_PASS;
}

/* Blocks that run at the same time if they need nothing but threads; how many
 * it really is, the driver says when the variant is loaded. */
static hone_gate check_together(const launch_need *launch,
                                const hone_facts *facts, const sentence *to)
{
    int64_t of_each = facts->value[HONE_FACT_blocks_sm];
    int64_t most;

    if (launch->threads > 0 &&
        facts->value[HONE_FACT_threads_sm] / launch->threads < of_each)
        of_each = facts->value[HONE_FACT_threads_sm] / launch->threads;
    most = of_each * facts->value[HONE_FACT_sm_count];
    if (launch->together <= most)
        return HONE_GATE_PASS;
    return decide(to, HONE_GATE_LIMITS,
                  "kernel '%s' is a cooperative launch of %" PRId64
                  " blocks, but at most %" PRId64
                  " of them run at the same time on this device",
                  launch->kernel, launch->together, most);
}

static hone_gate check_launch(const launch_need *launch,
                              const hone_facts *facts, const sentence *to)
{
    const int64_t most_threads = facts->value[HONE_FACT_threads_block];
    const int64_t most_shared = facts->value[HONE_FACT_smem_optin];

    if (launch->threads > most_threads)
        return decide(to, HONE_GATE_LIMITS,
                      "a block of kernel '%s' has %" PRId64
                      " threads; this device allows %" PRId64,
                      launch->kernel, launch->threads, most_threads);
    if (launch->shared_bytes > most_shared)
        return decide(to, HONE_GATE_LIMITS,
                      "kernel '%s' wants %" PRId64
                      " bytes of shared memory; this device allows %" PRId64,
                      launch->kernel, launch->shared_bytes, most_shared);
    return check_cluster(launch, facts, to) == HONE_GATE_PASS
               ? check_together(launch, facts, to)
               : HONE_GATE_LIMITS;
}

/* The value of --maxrregcount, 0 if it is not given. */
static int register_cap(const char *options)
{
    static const char name[] = "--maxrregcount=";
    const char *at = options ? strstr(options, name) : NULL;

    return at ? atoi(at + sizeof name - 1) : 0;
}

static hone_gate check_cap(const plan_need *plan, const char *options,
                           const hone_facts *facts, const sentence *to)
{
    const int64_t file = facts->value[HONE_FACT_regs_sm];
    const int cap = register_cap(options);

    for (size_t i = 0; i < plan->n_launches; ++i) {
        const launch_need *launch = &plan->launches[i];

        if (launch->threads > 0 &&
            hone__gate_block_registers(launch->threads, cap) > file)
            return decide(to, HONE_GATE_DEFER,
                          "kernel '%s' may take %d registers for each of "
                          "%" PRId64 " threads; a block of this device has "
                          "%" PRId64,
                          launch->kernel, cap, launch->threads, file);
    }
    return HONE_GATE_PASS;
}

static hone_gate gate_plan(const hone_launch_spec *spec, const char *options,
                           const int64_t *dims, size_t n_dims,
                           const hone_facts *facts, const sentence *to)
{
    const int64_t memory = facts->value[HONE_FACT_memory];
    plan_need plan;
    hone_gate gate = read_plan(spec, dims, n_dims, facts, &plan, to);

    for (size_t i = 0; gate == HONE_GATE_PASS && i < plan.n_launches; ++i)
        gate = check_launch(&plan.launches[i], facts, to);
    if (gate == HONE_GATE_PASS && plan.memory_bytes > memory)
        gate = decide(to, HONE_GATE_LIMITS,
                      "arrays and workspaces of %s take %" PRId64
                      " bytes; this device has %" PRId64,
                      spec->op, plan.memory_bytes, memory);
    if (gate == HONE_GATE_PASS)
        gate = check_cap(&plan, options, facts, to);
    return gate;
}

hone_gate hone__gate_launch(const char *launch_spec, const char *options,
                            const int64_t *dims, size_t n_dims,
                            const hone_facts *facts, char *message,
                            size_t size)
{
    const sentence to = {message, size};
    hone_launch_spec *spec = NULL;
    hone_gate gate = HONE_GATE_PASS;

    (void)decide(&to, gate, "%s", "");
    if (hone__launch_spec_parse(launch_spec, &spec, NULL) == HONE_OK)
        gate = gate_plan(spec, options, dims, n_dims, facts, &to);
    hone__launch_spec_free(spec);
    return gate;
}

/* ---- after compiling ------------------------------------------------- */

static hone_gate check_use(const launch_need *launch,
                           const hone_kernel_use *use,
                           const hone_facts *facts, const sentence *to)
{
    const int64_t file = facts->value[HONE_FACT_regs_sm];
    const int64_t most_shared = facts->value[HONE_FACT_smem_optin];

    if (launch->threads > 0 &&
        hone__gate_block_registers(launch->threads, use->registers) > file)
        return decide(to, HONE_GATE_LIMITS,
                      "kernel '%s' takes %d registers for each of %" PRId64
                      " threads; a block of this device has %" PRId64,
                      launch->kernel, use->registers, launch->threads, file);
    if (launch->shared_bytes >= 0 &&
        launch->shared_bytes + use->static_shared_bytes > most_shared)
        return decide(to, HONE_GATE_LIMITS,
                      "kernel '%s' needs %" PRId64
                      " + %d bytes of shared memory; this device allows "
                      "%" PRId64,
                      launch->kernel, launch->shared_bytes,
                      use->static_shared_bytes, most_shared);
    return HONE_GATE_PASS;
}

/* LIMITS of any kernel before DEFER of another. */
static hone_gate gate_kernels(const plan_need *plan, const hone_facts *facts,
                              const hone_compile_output *compiled,
                              const sentence *to)
{
    const char *log = hone__text_str(&compiled->log);
    hone_gate gate = HONE_GATE_PASS;
    char said[160];

    for (size_t i = 0; i < plan->n_launches; ++i) {
        const launch_need *launch = &plan->launches[i];
        hone_kernel_use use;

        if (!hone__compile_log_kernel(log, launch->kernel, &use))
            continue;
        if (check_use(launch, &use, facts, to) == HONE_GATE_LIMITS)
            return HONE_GATE_LIMITS;
        if (gate == HONE_GATE_PASS && use.spill_bytes)
            gate = decide(to, HONE_GATE_DEFER,
                          "kernel '%s' spills %d bytes of registers",
                          launch->kernel, use.spill_bytes);
    }
    if (gate == HONE_GATE_PASS && compiled->warnings[0]) {
        hone__compile_log_sentence(log, compiled->warnings, said, sizeof said);
        gate = decide(to, HONE_GATE_DEFER,
                      "the compiler gave up on wgmma or setmaxnreg (%s)%s%s",
                      compiled->warnings, *said ? ": " : "", said);
    }
    return gate;
}

hone_gate hone__gate_compiled(const char *launch_spec, const int64_t *dims,
                              size_t n_dims, const hone_facts *facts,
                              const hone_compile_output *compiled,
                              char *message, size_t size)
{
    const sentence to = {message, size};
    hone_launch_spec *spec = NULL;
    hone_gate gate = HONE_GATE_PASS;
    plan_need plan;

    (void)decide(&to, gate, "%s", "");
    if (compiled->ok &&
        hone__launch_spec_parse(launch_spec, &spec, NULL) == HONE_OK) {
        gate = read_plan(spec, dims, n_dims, facts, &plan, &to);
        if (gate == HONE_GATE_PASS)
            gate = gate_kernels(&plan, facts, compiled, &to);
    }
    hone__launch_spec_free(spec);
    return gate;
}
