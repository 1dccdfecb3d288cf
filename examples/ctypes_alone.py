# SPDX-License-Identifier: Apache-2.0
"""hone from Python by ctypes alone: no module of hone's, no NumPy.

    hone tune saxpy --device cpu --dims 5003 --db saxpy.db
    HONE_PATH=saxpy.db python3 ctypes_alone.py PREFIX/lib/libhone.so

Arrays are in host memory: the device is "cpu"."""

import ctypes
import sys

hone = ctypes.CDLL(sys.argv[1] if len(sys.argv) > 1 else "libhone.so")
hone.hone_error_text.restype = ctypes.c_char_p
ctx, plan = ctypes.c_void_p(), ctypes.c_void_p()


def need(status):
    if status != 0:
        sys.exit(hone.hone_error_text(ctx).decode())


n = 5003
x = (ctypes.c_float * n)(*range(n))
y = (ctypes.c_float * n)(*[1] * n)
# An argument is the address of its value: of a number, or of a pointer.
values = ctypes.c_float(2), ctypes.c_void_p(ctypes.addressof(x)), \
    ctypes.c_void_p(ctypes.addressof(y))
args = (ctypes.c_void_p * 3)(*[ctypes.addressof(value) for value in values])

need(hone.hone_open(None, ctypes.byref(ctx)))
need(hone.hone_device_select(ctx, b"cpu"))
need(hone.hone_plan_create(ctx, b"saxpy", (ctypes.c_int64 * 1)(n),
                           ctypes.c_size_t(1), ctypes.byref(plan), None))
need(hone.hone_plan_run(plan, args, ctypes.c_size_t(3), None))
hone.hone_plan_destroy(plan)
hone.hone_close(ctx)
print("right" if all(y[i] == 2 * i + 1 for i in range(n)) else "WRONG")
