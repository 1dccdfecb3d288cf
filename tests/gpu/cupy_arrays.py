# SPDX-License-Identifier: Apache-2.0
"""hone.py with arrays and streams of CuPy; for examples.sh."""

import cupy
import hone

n = 1 << 20
with hone.Context() as tuned:
    x = cupy.arange(n, dtype=cupy.float32) % 1024
    y = cupy.ones(n, dtype=cupy.float32)
    plan = tuned.plan("saxpy", [n])  # the context is CuPy's, made by now
    stream = cupy.cuda.Stream(non_blocking=True)
    cupy.cuda.get_current_stream().synchronize()
    plan.run(2.0, x, y, stream=stream)
    stream.synchronize()
    assert bool((y == 2 * x + 1).all())
    try:
        plan.run(2.0, x[::2], y)
        raise AssertionError("every second element was taken")
    except hone.Error as error:
        assert "not contiguous" in str(error), str(error)
print("right")
