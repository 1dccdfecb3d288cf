# SPDX-License-Identifier: Apache-2.0
"""The three products of a language model's head, many times from the same numbers:
each time the same bits, whoever answers.

    hone with -- python3 blas_same.py [--tokens N] [--vocabulary N] [--width N] [--times N]

Between two runs memory is written that has nothing to do with them, so that caches
differ. A line for each product: how many runs gave other bits than the first, in how
many elements. Exit 1 if any did.
"""

import argparse
import json
import sys

import torch


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tokens", type=int, default=8192)
    parser.add_argument("--vocabulary", type=int, default=50257)
    parser.add_argument("--width", type=int, default=768)
    parser.add_argument("--times", type=int, default=200)
    args = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(1)

    def drawn(rows, columns):
        return torch.randn(rows, columns, device=device).to(torch.bfloat16)

    x = drawn(args.tokens, args.width)
    weights = drawn(args.vocabulary, args.width)
    slopes = drawn(args.tokens, args.vocabulary)
    other = torch.empty(1 << 26, device=device)
    products = {"y = x W'": lambda: x @ weights.t(),
                "dx = dy W": lambda: slopes @ weights,
                "dW = dy' x": lambda: slopes.t() @ x}
    differ = False
    for name, product in products.items():
        first = product()
        runs = elements = 0
        for i in range(args.times):
            other.fill_(float(i))
            n = int((product() != first).sum())
            runs += n > 0
            elements += n
        differ |= runs > 0
        print(json.dumps({"product": name, "times": args.times,
                          "differed": runs, "elements": elements}), flush=True)
    sys.exit(int(differ))


main()
