# SPDX-License-Identifier: Apache-2.0
"""hone.matmul() and hone.linear() beside PyTorch's: values, gradients, layouts,
compiled, tuned and not. Arguments: the device, cpu or cuda."""

import os
import sys
import warnings

import torch

import hone
import hone_torch

device = sys.argv[1]
torch.manual_seed(3)
failures = 0


def check(name, ours, theirs, tolerance=1e-5):
    global failures
    if not ours.numel() and ours.shape == theirs.shape:
        return
    apart = (ours.double() - theirs.double()).abs().max().item()
    size = theirs.double().abs().max().item() + 1e-30
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype or \
            not apart <= tolerance * size:
        print(name, "differs:", apart, "of", size, ours.shape, theirs.shape)
        failures += 1


def make(*shape, dtype=torch.float32):
    return torch.randn(*shape, device=device, dtype=dtype)


def gradients(of, *inputs):
    leaves = [t.detach().requires_grad_() for t in inputs]
    out = of(*leaves)
    out.backward(torch.ones_like(out) * 0.5)
    return [out.detach()] + [t.grad for t in leaves]


# Of the tuned shape: by hone, values and gradients.
x, w, b = make(24, 40), make(56, 40), make(56)
before = hone_torch.counts["hone"]
for name, ours, theirs in zip(
        ("y", "x", "w", "b"), gradients(hone.linear, x, w, b),
        gradients(torch.nn.functional.linear, x, w, b)):
    check("linear: " + name, ours, theirs)
if hone_torch.counts["hone"] - before != 3:
    print("by hone:", hone_torch.counts, "expected the product and both of its "
          "gradients")
    failures += 1
check("linear of one row", hone.linear(x[0], w), x[0] @ w.t())
check("linear of 3 dims", hone.linear(make(2, 3, 40) * 0 + 1, w),
      torch.ones(2, 3, 40, device=device) @ w.t())

# Whatever nobody tuned, and layouts that no kernel has.
for dtype, tolerance in ((torch.float32, 1e-5), (torch.float64, 1e-12),
                         (torch.bfloat16, 2e-2), (torch.int32, 0)):
    a = (make(7, 9) * 4).to(dtype)
    c = (make(9, 5) * 4).to(dtype)
    check(f"matmul {dtype}", hone.matmul(a, c), a @ c, tolerance)
    check(f"matmul {dtype}, transposed", hone.matmul(c.t(), a.t()),
          c.t() @ a.t(), tolerance)
    check(f"matmul {dtype}, with gaps", hone.matmul(a[:, ::2], c[::2]),
          a[:, ::2] @ c[::2], tolerance)
a, c = make(2, 1, 6, 4), make(3, 4, 5)
for name, ours, theirs in zip(("c", "a", "b"), gradients(hone.matmul, a, c),
                              gradients(torch.matmul, a, c)):
    check("batches: " + name, ours, theirs)
# What is no product: first and second but for that of tuned sizes.
from torch._subclasses.fake_tensor import FakeTensorMode
with FakeTensorMode():
    fakes = torch.empty(4, 3), torch.empty(4, 5), torch.empty(2, 4, 3)
for name, said, op, inputs in (
        ("inner sizes", "cannot be multiplied", torch.ops.hone.mm,
         (make(24, 56), make(8, 40))),
        ("transposed", "cannot be multiplied", torch.ops.hone.mm,
         (x, make(64, 40)[:56, :32].t())),
        ("batches", "batch", torch.ops.hone.bmm, (make(2, 3, 4), make(3, 4, 5))),
        ("fake sizes", "sizes of a product do not match", torch.ops.hone.mm,
         fakes[:2]),
        ("fake dims", "3 and 2 dims", torch.ops.hone.mm, fakes[2::-2])):
    try:
        op(*inputs)
        print(name, "was not refused")
    except RuntimeError as error:
        if said in str(error):
            continue
        print(name, "is refused by:", error)
    failures += 1
with torch.autocast(device, torch.bfloat16):
    for dtype in torch.float32, torch.float64:
        a, c = make(7, 9, dtype=dtype), make(9, 5, dtype=dtype)
        check(f"autocast of {dtype}", hone.matmul(a, c), a @ c, 2e-2)
check("a vector", hone.matmul(x, w[0]), x @ w[0])
check("nothing", hone.matmul(x[:0], w.t()), x[:0] @ w.t())

# The operators as PyTorch wants them.
for op, inputs in ((torch.ops.hone.mm, (x, w.t())),
                   (torch.ops.hone.bmm, (make(2, 3, 4), make(2, 4, 5)))):
    inputs = tuple(t.detach().requires_grad_() for t in inputs)
    torch.library.opcheck(op, inputs)
compiled = torch.compile(lambda x, w, b: hone.linear(x, w, b).relu(),
                         fullgraph=True, backend="aot_eager")
for name, ours, theirs in zip(
        ("y", "x", "w", "b"), gradients(compiled, x, w, b),
        gradients(lambda x, w, b: torch.nn.functional.linear(x, w, b).relu(),
                  x, w, b)):
    check("compiled: " + name, ours, theirs)
# A database that is none: PyTorch computes, and a warning says so, once. One that is
# busy, or memory that has run out, is another matter: it is asked again.
def no_context(device):
    asked.append(device)
    raise hone.Error("HONE_ERR_BUSY", "busy")


asked, context = [], hone.Context
os.environ["HONE_DB"] = __file__
hone_torch._plans.clear()
hone_torch._contexts.clear()
hone.Context = no_context
for _ in range(2):
    check("busy", hone.linear(x, w), x @ w.t())
hone.Context = context
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    for _ in range(2):
        check("no database", hone.linear(x, w), x @ w.t())
if len(asked) != 2 or len(said) != 1 or "left to PyTorch" not in str(said[0].message):
    print("asked:", asked, "said:", [str(s.message) for s in said])
    failures += 1

print(hone_torch.counts, "failures:", failures)
sys.exit(failures != 0)
