# SPDX-License-Identifier: Apache-2.0
"""gemm and layer_norm of hone as operators of PyTorch, torch.ops.hone: on its
tensors, on the stream that is current, also while a graph is captured.

    hone tune gemm layer_norm --db tuned.db        # or --dims of a model
    HONE_PATH=tuned.db PYTHONPATH=PREFIX/lib/hone python3 torch_operators.py
"""

import threading

import hone
import torch

TYPES = {torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32"}
_lock = threading.Lock()
_context = None
_plans = {}


def _plan(op, *dims):
    """One for each shape and device, made when it is met first."""
    global _context
    key = (op, dims, torch.cuda.current_device())
    with _lock:
        if _context is None:
            _context = hone.Context()
        if key not in _plans:
            _plans[key] = _context.plan(op, list(dims))
        return _plans[key]


def gemm(a, b):
    """a @ b of two matrices, in their type; sums are kept in f32."""
    a, b = a.contiguous(), b.contiguous()
    c = a.new_empty(a.shape[0], b.shape[1])
    plan = _plan("gemm", a.shape[0], b.shape[1], a.shape[1], TYPES[a.dtype],
                 TYPES[a.dtype])
    plan.run(a, b, c, 1.0, 0.0, stream=torch.cuda.current_stream())
    return c


def layer_norm(x, weight, bias, eps):
    """Over the last dimension, as torch.nn.functional.layer_norm()."""
    x = x.contiguous()
    y = torch.empty_like(x)
    columns = x.shape[-1]
    plan = _plan("layer_norm", x.numel() // columns, columns, TYPES[x.dtype])
    plan.run(x, weight, bias, eps, y, None, None,
             stream=torch.cuda.current_stream())
    return y


library = torch.library.Library("hone", "DEF")
library.define("gemm(Tensor a, Tensor b) -> Tensor")
library.define("layer_norm(Tensor x, Tensor weight, Tensor bias, float eps) "
               "-> Tensor")
library.impl("gemm", gemm, "CUDA")
library.impl("layer_norm", layer_norm, "CUDA")
library.impl("gemm", lambda a, b: a.new_empty(a.shape[0], b.shape[1]), "Meta")
library.impl("layer_norm", lambda x, w, b, eps: torch.empty_like(x), "Meta")


# ---- the example --------------------------------------------------------------

def check(name, got, wanted, tolerance):
    error = (got.float() - wanted.float()).abs().max().item()
    print("%s: off by %.2g" % (name, error))
    assert error <= tolerance, name


def main():
    torch.manual_seed(1)
    torch.backends.cuda.matmul.allow_tf32 = False
    a = torch.randn(512, 384, device="cuda", dtype=torch.float16)
    b = torch.randn(384, 256, device="cuda", dtype=torch.float16)
    x = torch.randn(64, 1000, device="cuda")
    weight, bias = torch.randn(2, 1000, device="cuda")

    def both():
        return (torch.ops.hone.gemm(a, b),
                torch.ops.hone.layer_norm(x, weight, bias, 1e-5))

    def compare(where, results):
        check("gemm " + where, results[0], a.float() @ b.float(), 0.1)
        check("layer_norm " + where, results[1],
              torch.nn.functional.layer_norm(x, (1000,), weight, bias, 1e-5),
              1e-4)

    compare("on the default stream", both())
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        results = both()
    torch.cuda.current_stream().wait_stream(side)
    compare("on another stream", results)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=side):  # where both ran before
        results = both()
    a.mul_(2)
    x.add_(3)
    graph.replay()
    torch.cuda.synchronize()
    compare("in a graph", results)
    for key, plan in _plans.items():
        print("%s%s: %s, %s" % (key[0], key[1], plan.match.implementation,
                                plan.match.kind))
    print("right")


if __name__ == "__main__":
    main()
