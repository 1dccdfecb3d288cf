# SPDX-License-Identifier: Apache-2.0
"""How exact the three products of a language model's head are, whoever answers.

    hone with -- python3 blas_errors.py [--tokens N] [--vocabulary N] [--width N]

The slopes are those of a cross entropy over the vocabulary. A line for each product:
the rms of its error against float64 over the rms of the product, at rows that lie
evenly, and by how much it leans to or from 0.
"""

import argparse
import json

import torch


def say(name, got, a, b, rows):
    exact = a[rows].double() @ b.double()
    error = got[rows].double() - exact
    print(json.dumps({
        "product": name,
        "rms": float(error.square().mean().sqrt() / exact.square().mean().sqrt()),
        "lean": float((error * exact.sign()).mean() / exact.abs().mean())}),
        flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tokens", type=int, default=8192)
    parser.add_argument("--vocabulary", type=int, default=50257)
    parser.add_argument("--width", type=int, default=768)
    args = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(3)
    m, n = args.tokens, args.vocabulary
    x = torch.randn(m, args.width, device=device).to(torch.bfloat16)
    w = (0.02 * torch.randn(n, args.width, device=device)).to(torch.bfloat16)
    y = x @ w.t()
    ids = torch.randint(n, (m,), device=device)
    slopes = torch.softmax(y.float(), 1)
    slopes[torch.arange(m), ids] -= 1
    g = (slopes / m).to(torch.bfloat16)
    few = torch.arange(0, m, max(1, m // 85), device=device)
    say("y = x W'", y, x, w.t(), few)
    say("dx = dy W", g @ w, g, w, few)
    say("dW = dy' x", g.t() @ x, g.t(), x,
        torch.arange(0, n, max(1, n // 126), device=device))


main()
