/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs of the fake driver: captured, instantiated and thrown away, never
 * launched. What is captured of kernels is recorded as any launch. */
#include "tests/runtime/fake_cuda_parts.h"

#include <stdatomic.h>

static atomic_long n_graphs;
static atomic_long n_instantiated;
static int graph, exec;

long fake_n_graphs(void)
{
    return n_graphs;
}

long fake_n_instantiated(void)
{
    return n_instantiated;
}

hone_cu_result cuStreamBeginCapture_v2(hone_stream s, int mode)
{
    FAKE_ENTER();
    return s && mode == HONE_CU_CAPTURE_RELAXED ? 0 : FAKE_INVALID_VALUE;
}

hone_cu_result cuStreamEndCapture(hone_stream s, hone_cu_graph *out)
{
    *out = NULL;
    FAKE_ENTER();
    (void)s;
    *out = (hone_cu_graph)(void *)&graph;
    n_graphs++;
    return 0;
}

hone_cu_result cuGraphInstantiateWithFlags(hone_cu_graph_exec *out,
                                           hone_cu_graph g,
                                           unsigned long long flags)
{
    FAKE_ENTER();
    if ((void *)g != &graph || flags)
        return FAKE_INVALID_VALUE;
    *out = (hone_cu_graph_exec)(void *)&exec;
    n_graphs++;
    n_instantiated++;
    return 0;
}

hone_cu_result cuGraphExecDestroy(hone_cu_graph_exec g)
{
    FAKE_ENTER();
    n_graphs--;
    return (void *)g == &exec ? 0 : FAKE_INVALID_VALUE;
}

hone_cu_result cuGraphDestroy(hone_cu_graph g)
{
    FAKE_ENTER();
    n_graphs--;
    return (void *)g == &graph ? 0 : FAKE_INVALID_VALUE;
}

/* The thread's mode is what counts; a real driver has one for each. */
hone_cu_result cuThreadExchangeStreamCaptureMode(int *in_out_mode)
{
    static _Thread_local int mode;
    const int before = mode;

    FAKE_ENTER();
    mode = *in_out_mode;
    *in_out_mode = before;
    return 0;
}
