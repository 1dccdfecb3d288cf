# SPDX-License-Identifier: Apache-2.0
"""Matrix products of PyTorch by hone's kernels: hone.matmul() and hone.linear().

    y = hone.linear(x, weight, bias)       # in place of torch.nn.functional's
    c = hone.matmul(a, b)                  # in place of torch.matmul()

The same results but for the order of sums, with gradients, under
torch.compile() too: each product is the operator `hone::mm` or `hone::bmm` of
torch.library. A product is computed by the kernel that the database has for
exactly its shape, layout and type, or that its chooser takes for it; by PyTorch
itself where there is none, where the library's own function is the fastest,
where a tensor does not begin at a multiple of 16 bytes, and while a CUDA graph is
captured if the kernel needs memory. Types: float16, bfloat16, float32 (never
TF32; where PyTorch is allowed to use that, it is PyTorch's), float64. Tensors on
the CPU are computed on hone's device `cpu`, which is for tests.
"""

import threading
import warnings

import torch

import hone

__all__ = ["matmul", "linear", "counts"]

_TYPES = {torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32",
          torch.float64: "f64"}
_lock = threading.Lock()
_thread = threading.local()  # GPUs whose contexts are current in it
_PASSING = ("HONE_ERR_BUSY", "HONE_ERR_NO_MEMORY")  # it may work later
_contexts = {}  # by kind of device; None: there is no database, or none of use
_plans = {}  # by device, type and dims; None: PyTorch's
counts = {"hone": 0, "torch": 0}  # products so far, by who computed them


def _context(kind):
    """None without a database; with one that cannot be used a warning says why."""
    if kind not in _contexts:
        try:
            _contexts[kind] = hone.Context(device=kind)
        except hone.Error as error:
            if error.status in _PASSING:
                raise
            if error.status != "HONE_ERR_NOT_FOUND":
                warnings.warn("hone: products are left to PyTorch: %s" % error)
            _contexts[kind] = None
    return _contexts[kind]


def _layout(t):
    """Is the matrix stored transposed, and how far is a row from the next? None:
    neither its rows nor its columns are without gaps."""
    rows, columns = t.shape[-2:]
    step, unit = t.stride()[-2:]
    if (unit == 1 or columns == 1) and (step >= columns or rows == 1):
        return 0, max(step, columns) if rows > 1 else columns
    if (step == 1 or rows == 1) and (unit >= rows or columns == 1):
        return 1, max(unit, rows) if columns > 1 else rows
    return None


def _dims(a, b):
    """gemm's, in its order; None where it has no such problem."""
    of_a, of_b = _layout(a), _layout(b)
    if of_a is None or of_b is None:
        return None
    m, k = a.shape[-2:]
    n = b.shape[-1]
    dims = [m, n, k, _TYPES[a.dtype], _TYPES[a.dtype], of_a[0], of_b[0],
            of_a[1], of_b[1], n]
    if a.dim() == 3:
        if min(a.stride(0), b.stride(0)) < 0:
            return None
        dims += [a.shape[0], a.stride(0), b.stride(0), m * n]
    return tuple(dims)


def _best(context, dims):
    """The plan for a product that is only written (gemm's ADD = 0), as these are;
    else, where nobody tuned that, for one that may add to what is there, too."""
    written = dims + (hone.DEFAULT,) * (14 - len(dims)) + (0,)
    best = None
    for of in (written, dims):
        try:
            plan = context.plan("gemm", list(of))
        except hone.Error as error:
            if error.status in _PASSING:
                if best:
                    best.close()
                raise
            continue
        if plan.match.kind != "exact" and (best or
                                           plan.match.kind != "chosen"):
            plan.close()
            continue
        if best:
            best.close()
        best = plan
        if plan.match.kind == "exact":
            break
    if best and best.match.implementation.startswith("cublas"):
        best.close()
        return None
    return best


def _plan(a, dims):
    """The plan of a kernel that is worth it, made once for each shape."""
    key = (a.device, dims)
    if key in _plans:
        return _plans[key]
    if a.is_cuda and torch.cuda.is_current_stream_capturing():
        return None
    with _lock:
        try:
            context = _context("cuda" if a.is_cuda else "cpu")
            return _plans.setdefault(key, context and _best(context, dims))
        except hone.Error:
            return None  # this time


def _sizes(a, b):
    """Pairs of sizes that are equal in a product; None: it is none."""
    if a.dim() != b.dim() or a.dim() not in (2, 3):
        return None
    return [(a.shape[-1], b.shape[-2])] + list(zip(a.shape[:-2], b.shape[:-2]))


def _may(a, b):
    """Sizes, types, devices and modes as gemm has them."""
    sizes = _sizes(a, b)
    if sizes is None or any(one != other for one, other in sizes):
        return False
    if (a.dtype not in _TYPES or a.dtype != b.dtype or a.device != b.device or
            a.device.type not in ("cuda", "cpu") or not a.numel() or
            not b.numel()):
        return False
    if a.dtype == torch.float32 and torch.backends.cuda.matmul.allow_tf32:
        return False
    return not (a.data_ptr() | b.data_ptr()) & 15


def _product(a, b, by_torch):
    dims = _may(a, b) and _dims(a, b)
    plan = dims and _plan(a, dims)
    if not plan or (a.is_cuda and plan.workspace_bytes and
                    torch.cuda.is_current_stream_capturing()):
        counts["torch"] += 1
        return by_torch(a, b)
    out = a.new_empty(a.shape[:-1] + b.shape[-1:])
    stream = torch.cuda.current_stream(a.device) if a.is_cuda else None
    plan.run(a.data_ptr(), b.data_ptr(), out.data_ptr(), 1.0, 0.0,
             stream=stream)
    counts["hone"] += 1
    return out


# ---- operators ---------------------------------------------------------------

def _is_current(ordinal):
    """A thread that has not called CUDA yet, such as one of autograd's, has no context
    for libhone to launch in, also where the device is the right one already: something
    that asks the driver makes it current, but not while a graph is captured."""
    current = _thread.__dict__.setdefault("current", set())
    if ordinal not in current and not torch.cuda.is_current_stream_capturing():
        torch.cuda.mem_get_info(ordinal)
        current.add(ordinal)
    return ordinal in current


def _on_device(a, b, by_torch):
    if not a.is_cuda:
        return _product(a, b, by_torch)
    with torch.cuda.device(a.device):
        if _is_current(a.get_device()):
            return _product(a, b, by_torch)
        counts["torch"] += 1
        return by_torch(a, b)


@torch.library.custom_op("hone::mm", mutates_args=())
def _mm(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return _on_device(a, b, torch.mm)


@torch.library.custom_op("hone::bmm", mutates_args=())
def _bmm(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return _on_device(a, b, torch.bmm)


def _shape_of_product(a, b):
    sizes = _sizes(a, b)
    torch._check(sizes is not None, lambda: "both factors of a product are matrices, "
                 "or batches of them: %d and %d dims" % (a.dim(), b.dim()))
    for one, other in sizes:
        torch._check(one == other, lambda: "sizes of a product do not match: %s and %s"
                     % (tuple(a.shape), tuple(b.shape)))
    return a.new_empty(a.shape[:-1] + b.shape[-1:])


def _keep(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def _gradients(op):
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        wants_a, wants_b = ctx.needs_input_grad
        return (op(grad, b.mT) if wants_a else None,
                op(a.mT, grad) if wants_b else None)
    return backward


for _op in (_mm, _bmm):
    _op.register_fake(_shape_of_product)
    _op.register_autograd(_gradients(_op), setup_context=_keep)


def _expanded(t, shape):
    return t.expand(shape + t.shape[-2:]).reshape(-1, *t.shape[-2:])


def matmul(a, b):
    """torch.matmul(a, b)."""
    if a.dim() < 2 or b.dim() < 2 or not a.numel() or not b.numel():
        return torch.matmul(a, b)
    a, b, _ = _cast(a, b)
    if b.dim() == 2:
        rows = a.reshape(-1, a.shape[-1])
        return _mm(rows, b).reshape(a.shape[:-1] + b.shape[-1:])
    shape = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    out = _bmm(_expanded(a, shape), _expanded(b, shape))
    return out.reshape(shape + out.shape[-2:])


def _cast(x, weight, bias=None):
    # As autocast has them.
    if torch.is_autocast_enabled(x.device.type):
        of = torch.get_autocast_dtype(x.device.type)
        x, weight, bias = [
            t.to(of) if t is not None and t.is_floating_point() and
            t.dtype != torch.float64 else t for t in (x, weight, bias)]
    return x, weight, bias


def linear(x, weight, bias=None):
    """torch.nn.functional.linear(x, weight, bias)."""
    if weight.dim() != 2:
        return torch.nn.functional.linear(x, weight, bias)
    x, weight, bias = _cast(x, weight, bias)
    y = matmul(x if x.dim() > 1 else x[None], weight.t())
    y = y if x.dim() > 1 else y[0]
    return y if bias is None else y + bias
