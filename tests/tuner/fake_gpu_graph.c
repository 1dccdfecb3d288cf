/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs, events and streams of the fake GPU. */
#include "tests/tuner/fake_gpu_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NODES = 4096, MAX_PARAMS = 16 };

/* A launch that a graph holds, with its own copy of the parameters. */
typedef struct node {
    fake_kernel *kernel;
    uint64_t values[MAX_PARAMS];
} node;

typedef struct graph {
    int n;
    node nodes[MAX_NODES];
} graph;

static graph *capturing;

int fake_gpu_capture(fake_kernel *kernel, void **params)
{
    node *n;

    if (!capturing)
        return 0;
    n = &capturing->nodes[capturing->n++];
    assert(capturing->n < MAX_NODES);
    n->kernel = kernel;
    for (int i = 0; i < kernel->n_params; ++i)
        memcpy(&n->values[i], params[i], 8);
    return 1;
}

static hone_cu_result capture_begin(hone_stream s, int mode)
{
    (void)s;
    (void)mode;
    capturing = calloc(1, sizeof *capturing);
    ++fake_gpu_live_graphs;
    return capturing ? 0 : HONE_CU_OUT_OF_MEMORY;
}

static hone_cu_result capture_end(hone_stream s, hone_cu_graph *out)
{
    (void)s;
    *out = (hone_cu_graph)(void *)capturing;
    capturing = NULL;
    return 0;
}

static hone_cu_result graph_instantiate(hone_cu_graph_exec *out,
                                        hone_cu_graph g,
                                        unsigned long long flags)
{
    (void)flags;
    ++fake_gpu_n_graphs;
    *out = (hone_cu_graph_exec)(void *)g;
    return 0;
}

static hone_cu_result graph_launch(hone_cu_graph_exec exec, hone_stream s)
{
    graph *const g = (graph *)(void *)exec;

    (void)s;
    for (int i = 0; i < g->n; ++i) {
        void *params[MAX_PARAMS];

        for (int k = 0; k < MAX_PARAMS; ++k)
            params[k] = &g->nodes[i].values[k];
        fake_gpu_run(g->nodes[i].kernel, params);
    }
    return 0;
}

static hone_cu_result graph_exec_destroy(hone_cu_graph_exec exec)
{
    (void)exec;
    return 0;
}

static hone_cu_result graph_destroy(hone_cu_graph g)
{
    free(g);
    --fake_gpu_live_graphs;
    return 0;
}

static hone_cu_result event_create(hone_cu_event *out, unsigned flags)
{
    (void)flags;
    *out = calloc(1, sizeof(double));
    return *out ? 0 : HONE_CU_OUT_OF_MEMORY;
}

static hone_cu_result event_destroy(hone_cu_event e)
{
    free(e);
    return 0;
}

static hone_cu_result event_record(hone_cu_event e, hone_stream s)
{
    (void)s;
    fake_gpu_now_ns += fake_gpu_event_ns;
    *(double *)(void *)e = fake_gpu_now_ns;
    return 0;
}

static hone_cu_result event_synchronize(hone_cu_event e)
{
    (void)e;
    return 0;
}

static hone_cu_result event_elapsed(float *out_ms, hone_cu_event a,
                                    hone_cu_event b)
{
    *out_ms = (float)(1e-6 * (*(double *)(void *)b - *(double *)(void *)a));
    return 0;
}

static hone_cu_result stream_create(hone_stream *out, unsigned flags)
{
    (void)flags;
    *out = (hone_stream)(void *)&capturing;
    return 0;
}

static hone_cu_result stream_destroy(hone_stream s)
{
    (void)s;
    return 0;
}

static hone_cu_result stream_synchronize(hone_stream s)
{
    (void)s;
    return 0;
}

static hone_cu_result stream_wait(hone_stream s, hone_cu_event e,
                                  unsigned flags)
{
    (void)s;
    (void)e;
    (void)flags;
    return 0;
}

void fake_gpu_graph_rows(hone_driver *table)
{
    table->stream_create = stream_create;
    table->stream_destroy = stream_destroy;
    table->capture_begin = capture_begin;
    table->capture_end = capture_end;
    table->graph_instantiate = graph_instantiate;
    table->graph_launch = graph_launch;
    table->graph_exec_destroy = graph_exec_destroy;
    table->graph_destroy = graph_destroy;
    table->event_create = event_create;
    table->event_destroy = event_destroy;
    table->event_record = event_record;
    table->event_synchronize = event_synchronize;
    table->event_elapsed = event_elapsed;
    table->stream_synchronize = stream_synchronize;
    table->stream_wait = stream_wait;
}
