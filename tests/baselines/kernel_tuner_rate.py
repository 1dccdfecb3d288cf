#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Configurations per second of Kernel Tuner on hone's own kernels.

    python3 tests/baselines/kernel_tuner_rate.py OP --dims A,B,.. [options]

Takes a random sample of the configurations that `hone space` lists, the
source of each from `hone expand`, and gives them to Kernel Tuner with its own
defaults: compile, compare with the right answer, seven launches. What is
timed is tune_kernel() as a whole, first configuration's warm-up included;
expanding the sources, making the data and importing the package are not.

Needs the package kernel_tuner with one of its CUDA back ends; nothing of
hone needs this file. Prints one JSON object.
"""

import argparse
import contextlib
import json
import random
import subprocess
import sys
import time

import numpy as np


def ceildiv(a, b):
    return -(-a // b)


# ---- the kernels: what their templates say in #pragma hone lines -----------


class Saxpy:
    template = kernel = "saxpy"

    def __init__(self, dims, sm_count, random_state):
        (self.n,) = dims
        self.sm_count = sm_count
        x, y = (random_state.standard_normal(self.n, np.float32) for _ in "xy")
        alpha = np.float32(0.5)
        self.arguments = [alpha, x, y, np.int64(self.n)]
        self.answer = [None, None, alpha * x + y, None]
        self.atol = 1e-5

    def is_possible(self, p):
        return True

    def grid(self, p):
        full = ceildiv(self.n, p["BLOCK"] * p["VEC"] * p["ITEMS"])
        most = self.sm_count * p["BLOCKS_PER_SM"]
        return (min(full, most) if p["GRID_STRIDE"] else full, 1, 1)

    def block(self, p):
        return p["BLOCK"]

    def shared(self, p):
        return 0


class Sum:
    template = kernel = "sum"

    def __init__(self, dims, sm_count, random_state):
        (self.n,) = dims
        self.sm_count = sm_count
        x = random_state.random(self.n, np.float32)
        self.arguments = [x, np.zeros(1, np.float32),
                          np.zeros(sm_count * 32, np.uint64),
                          np.zeros(1, np.uint32), np.int64(self.n)]
        self.answer = [None, np.array([x.sum(dtype=np.float64)], np.float32),
                       None, None, None]
        self.atol = 1e-2

    def is_possible(self, p):
        # Other ways have two launches, or few blocks; every configuration
        # has the same parameters.
        return p["FINISH"] == "ticket" and "MIN_BLOCKS" in p

    def grid(self, p):
        return (min(self.sm_count * p["BLOCKS_PER_SM"],
                    ceildiv(self.n, p["BLOCK"] * (p["BYTES"] // 4) *
                            p["UNROLL"])), 1, 1)

    def block(self, p):
        return p["BLOCK"]

    def shared(self, p):
        return 0


class GemmWmma:
    template = "gemm/wmma"
    kernel = "gemm_wmma"

    def __init__(self, dims, sm_count, random_state):
        from kernel_tuner.accuracy import Tunable

        self.m, self.n, self.k = dims
        if self.k % 8 or self.n % 8:
            sys.exit("gemm/wmma packs such shapes in a launch of its own")
        a, b = ((random_state.random(size, np.float32) - 0.5).astype(np.float16)
                for size in ((self.m, self.k), (self.k, self.n)))
        c = np.zeros((self.m, self.n), np.float32)
        nothing = np.zeros(1, np.float32)
        self.arguments = [
            a, b, c, np.float32(1), np.float32(0), nothing, nothing, nothing,
            nothing, np.int32(self.m), np.int32(self.n), np.int32(self.k),
            np.int32(0), np.int32(0), np.int32(self.k), np.int32(self.n),
            np.int32(self.n), np.int64(0), np.int64(0), np.int64(0),
            Tunable("STAGES", {s: np.int32(s) for s in range(2, 6)}),
            Tunable("GROUP", {g: np.int32(g) for g in (1, 4, 8)}),
            Tunable("BK", {bk: np.int32(ceildiv(self.k, bk))
                           for bk in (32, 64, 128)}),
            np.int32(1), np.int64(0)]
        self.answer = [None] * len(self.arguments)
        self.answer[2] = a.astype(np.float32) @ b.astype(np.float32)
        self.atol = 1e-2

    def is_possible(self, p):
        return p["SPLIT_K"] == 1  # the others need a workspace of their size

    def grid(self, p):
        return (ceildiv(self.m, p["BM"]) * ceildiv(self.n, p["BN"]), 1, 1)

    def block(self, p):
        return p["BM"] // p["WM"] * (p["BN"] // p["WN"]) * p["SLICES"] * 32

    def shared(self, p):
        ring = p["STAGES"] * (p["BM"] * (p["BK"] + p["PAD"]) +
                              p["BK"] * (p["BN"] + p["PAD"])) * 2
        return max(ring, p["SLICES"] * p["BM"] * (p["BN"] + 8) * 4)


PROBLEMS = {problem.template: problem
            for problem in (Saxpy, Sum, GemmWmma)}


# ---- what hone has -----------------------------------------------------------


def run_hone(options, command, *arguments):
    return subprocess.run(
        [options.hone, command, options.op, "--dims", options.dims,
         "--template-path", options.templates, *arguments],
        check=True, text=True, stdout=subprocess.PIPE).stdout


def configurations(options, problem):
    """A random sample: parameters as hone writes them, and the source."""
    listed = json.loads(run_hone(options, "space", "--list", "--format",
                                 "json"))
    possible = [c for c in listed["configs"]
                if problem.is_possible(c["params"])]
    sample = random.Random(options.seed).sample(
        possible, min(options.limit, len(possible)))
    return [(c["params"], run_hone(options, "expand", "--config",
                                   c["config"])) for c in sample]


# ---- Kernel Tuner --------------------------------------------------------------


def allow_shared_memory():
    """Its NVRTC back end launches no kernel that needs more than 48 KB of
    dynamic shared memory, because it never asks the driver for it: the one
    call that is missing."""
    from kernel_tuner.backends.nvcuda import CudaFunctions, driver

    compile_only = CudaFunctions.compile

    def compile_and_ask(self, instance):
        function = compile_only(self, instance)
        attribute = driver.CUfunction_attribute
        _, most = driver.cuDeviceGetAttribute(
            driver.CUdevice_attribute.
            CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, self.device)
        _, fixed = driver.cuFuncGetAttribute(
            attribute.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function)
        driver.cuFuncSetAttribute(
            function, attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
            most - fixed)
        return function

    CudaFunctions.compile = compile_and_ask


def tune(options, problem, sample):
    """Results of tune_kernel(), and the seconds it took."""
    import kernel_tuner

    names = list(sample[0][0])
    sources = {tuple(p[name] for name in names): text for p, text in sample}
    values = {name: sorted({key[i] for key in sources})
              for i, name in enumerate(names)}
    values["threads"] = sorted({problem.block(p) for p, _ in sample})

    def key_of(p):
        return tuple(p[name] for name in names)

    def is_in_sample(p):  # a lambda would be parsed as text
        return key_of(p) in sources and p["threads"] == problem.block(p)

    start = time.perf_counter()
    results, environment = kernel_tuner.tune_kernel(
        problem.kernel, lambda p: sources[key_of(p)], problem.grid,
        problem.arguments, values, grid_div_x=[], grid_div_y=[], grid_div_z=[],
        restrictions=is_in_sample,
        answer=problem.answer, atol=problem.atol, lang=options.back_end,
        smem_args={"size": problem.shared}, block_size_names=["threads"],
        defines={}, compiler_options=["-std=c++17", "-I" + options.templates,
                                      "-I" + options.cuda_include],
        strategy="random_sample",
        strategy_options={"max_fevals": len(sample),
                          "time_limit": options.seconds},
        quiet=True)
    return results, time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("op", choices=sorted(PROBLEMS))
    parser.add_argument("--dims", required=True)
    parser.add_argument("--limit", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--back-end", default="CUDA",
                        help="as its `lang`: CUDA (its algorithm), NVCUDA, CUPY")
    parser.add_argument("--hone", default="build/bin/hone")
    parser.add_argument("--templates", default="templates")
    parser.add_argument("--cuda-include", default="/usr/local/cuda/include")
    parser.add_argument("--sm-count", type=int, default=132)
    options = parser.parse_args()
    dims = [int(d) for d in options.dims.split(",")]
    problem = PROBLEMS[options.op](dims, options.sm_count,
                                   np.random.default_rng(options.seed))
    sample = configurations(options, problem)

    import kernel_tuner
    import kernel_tuner.strategies.random_sample  # it would be loaded late

    if options.back_end in ("CUDA", "NVCUDA"):
        allow_shared_memory()
    with contextlib.redirect_stdout(sys.stderr):
        results, seconds = tune(options, problem, sample)
    timed = [r for r in results if r and not isinstance(r.get("time"), str)
             and "__error__" not in r]
    parts = {name + "_s": sum(r.get(name + "_time", 0) for r in results if r)
             / 1e3 for name in ("compile", "verification", "benchmark",
                                "framework")}
    best = min(timed, key=lambda r: r["time"], default=None)
    print(json.dumps({
        "tool": "Kernel Tuner " + getattr(kernel_tuner, "__version__", "?"),
        "back_end": options.back_end, "op": options.op, "dims": options.dims,
        "asked": len(sample), "tried": sum(1 for r in results if r),
        "timed": len(timed), "seconds": seconds,
        "per_s": sum(1 for r in results if r) / seconds,
        "best_ns": best["time"] * 1e6 if best else None, **parts}, indent=2))


if __name__ == "__main__":
    main()
