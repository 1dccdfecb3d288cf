# SPDX-License-Identifier: Apache-2.0
"""What consumer.c does, in Python: arrays of all kinds on the cpu device, and
what is refused. Argument: the database, and hone.h."""

import array
import ctypes
import faulthandler
import gc
import re
import sys
import tempfile
import types

import hone

N = 5003


def right(x, y):
    return all(b == 2 * a + i % 1024 for i, (a, b) in enumerate(zip(x, y)))


def refused(status, part, call, *args, **named):
    try:
        call(*args, **named)
    except hone.Error as error:
        assert error.status == status, (error.status, str(error))
        assert part in str(error), str(error)
        return
    raise AssertionError("not refused: " + part)


def floats(n=N):
    return array.array("f", [i % 97 for i in range(n)])


# ---- what else arrays are ----------------------------------------------------

def interface_of(data):
    return {"version": 3, "typestr": "<f4", "shape": (len(data),),
            "data": (ctypes.addressof(data), False)}


class Numpyish:
    """As NumPy's arrays show themselves."""

    def __init__(self, of, **more):
        self.of = of
        self.__array_interface__ = dict(interface_of(of), **more)


class Cudaish:
    """As those of CuPy and PyTorch do."""

    def __init__(self, of, **more):
        self.of = of
        self.__cuda_array_interface__ = dict(interface_of(of), **more)


class Managed(ctypes.Structure):
    _fields_ = [("tensor", hone._DLTensor), ("context", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p)]


class Dlpackish:
    """As DLPack hands tensors over; the device is what is said."""

    def __init__(self, data, device=1, strides=None, code=2, offset=0):
        self.data = data
        self.shape = (ctypes.c_int64 * 1)(len(data) - offset // 4)
        self.strides = strides and (ctypes.c_int64 * 1)(strides)
        self.managed = Managed(hone._DLTensor(
            ctypes.addressof(data), device, 0, 1, code, 32, 1, self.shape,
            self.strides, offset))
        self.stream = "none was said"

    def __dlpack_device__(self):
        return self.managed.tensor.device_type, 0

    def __dlpack__(self, stream=None):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype = ctypes.py_object
        new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        self.stream = stream
        return new(ctypes.addressof(self.managed), b"dltensor", None)


def all_kinds(plan):
    x, y = floats(), array.array("f", bytes(4 * N))
    c_x, c_y = (ctypes.c_float * N)(*x), (ctypes.c_float * N)()
    ways = [(x, y, y), (c_x, c_y, c_y),
            (memoryview(x).toreadonly(), memoryview(y), y),
            (Numpyish(c_x), Numpyish(c_y), c_y),
            (Dlpackish(c_x), Dlpackish(c_y), c_y),
            (ctypes.addressof(c_x), ctypes.addressof(c_y), c_y)]
    for of, to, out in ways:
        ctypes.memset((ctypes.c_char * (4 * N)).from_buffer(out), 0, 4 * N)
        plan.run(2, of, to)
        assert right(x, out), type(of)
    # Behind the beginning of what it is in.
    more = (ctypes.c_float * (N + 2))(0, 0, *x)
    plan.run(2.0, Dlpackish(more, offset=8), y)
    assert right(x, y)


def refused_arrays(plan):
    x, y = floats(), floats()
    c = (ctypes.c_float * N)()
    wrong = [
        (floats(N - 1), "it has 5002 elements, not 5003"),
        (array.array("d", x), "its elements are f8, not f32"),
        (array.array("i", [0] * N), "its elements are i4, not f32"),
        (memoryview(floats(2 * N))[::2], "not contiguous"),
        (Numpyish(c, strides=(8,)), "not contiguous"),
        (Numpyish(c, typestr=">f4"), "in the other order"),
        (Dlpackish(c, strides=2), "not contiguous"),
        (Dlpackish(c, code=0), "its elements are i4, not f32"),
        (Cudaish(c), "in the memory of a GPU"),
        (Dlpackish(c, device=2), "in the memory of a GPU"),
        (Dlpackish(c, device=10), "in the memory of a GPU"),
        ([1.0] * N, "a list is no array"),
        ("text", "a str is no array"),
        (1.5, "a float is no array"),
    ]
    for value, part in wrong:
        try:
            plan.run(2.0, value, y)
            raise AssertionError("not refused: " + part)
        except hone.Error as error:
            assert "argument x of ramp: " in str(error), str(error)
            assert part in str(error) or "device 10" in str(error), str(error)
    refused("HONE_ERR_ARGUMENT", "y of ramp: it is read-only", plan.run, 2.0, x,
            memoryview(y).toreadonly())
    refused("HONE_ERR_ARGUMENT", "it is read-only", plan.run, 2.0, x,
            Numpyish(c, data=(ctypes.addressof(c), True)))
    refused("HONE_ERR_ARGUMENT", "null pointer", plan.run, 2.0, x, None)
    refused("HONE_ERR_ARGUMENT", "takes 3 arguments, not 2", plan.run, 2.0, x)
    refused("HONE_ERR_ARGUMENT", "takes 3 arguments, not 4", plan.run, 2.0, x,
            y, y)
    refused("HONE_ERR_ARGUMENT", "slope of ramp: ", plan.run, x, x, y)
    refused("HONE_ERR_ARGUMENT", "does not fit f32", plan.run, 1e60, x, y)


def on_a_gpu():
    """What would be passed there, without one."""
    c = (ctypes.c_float * N)()
    of = hone.Argument("x", "in", 4, N, (N,), False, False)

    def address(value, argument=of):
        return hone._pass_array(value, argument, True)[0].value

    assert address(Cudaish(c)) == ctypes.addressof(c)
    tensor = Dlpackish(c, device=2)
    assert address(tensor) == ctypes.addressof(c) and tensor.stream == -1
    assert address(Dlpackish(c, device=13)) == ctypes.addressof(c)
    assert address(None) is None and address(0x7000) == 0x7000
    for value in Numpyish(c), Dlpackish(c), Dlpackish(c, device=3):
        try:
            address(value)
            raise AssertionError("host memory on a GPU")
        except TypeError as error:
            assert "in the memory of the host" in str(error)
    # An array that the operation declares in host memory.
    host = of._replace(is_host=True)
    assert address(Numpyish(c), host) == ctypes.addressof(c)
    half = Cudaish(c, typestr="<V2")
    assert address(half, of._replace(type=2)) == ctypes.addressof(c)
    for name in "cuda_stream", "ptr":
        stream = types.SimpleNamespace(**{name: 0x50})
        assert hone._stream(stream) == 0x50
    assert hone._stream(types.SimpleNamespace(
        __cuda_stream__=lambda: (0, 0x60))) == 0x60
    assert hone._stream(None) is None and hone._stream(7) == 7
    try:
        hone._stream("none")
        raise AssertionError("a stream of letters")
    except TypeError:
        pass


def scalars():
    def data(code, value):
        of = hone.Argument("a", "scalar", code, 1, (), False, False)
        return hone._pass_scalar(value, of).raw

    assert data(1, 1)[:2] == b"\x00\x3c"
    assert data(2, 1)[:2] == b"\x80\x3f"
    assert data(2, 1.00390625)[:2] == b"\x80\x3f"  # a tie: to even
    assert data(2, 1.01171875)[:2] == b"\x82\x3f"
    assert data(2, float("nan"))[:2] == b"\xc0\x7f"
    assert data(5, 1)[:8] == b"\x00\x00\x00\x00\x00\x00\xf0\x3f"
    assert data(6, -1)[:1] == b"\xff" and data(9, 255)[:1] == b"\xff"
    assert data(8, 1 + 2j) == b"\x00\x00\x80\x3f\x00\x00\x00\x40"
    assert data(12, 2 ** 64 - 1) == b"\xff" * 8
    for code, value in (6, 128), (9, -1), (7, 1.5), (1, 1e9), (4, "x"):
        try:
            data(code, value)
            raise AssertionError("%r is no %d" % (value, code))
        except (TypeError, ValueError):
            pass


# ---- the rest ----------------------------------------------------------------

def numbers_of_the_header(path):
    """The tables of hone.h, which this module has again."""
    with open(path, encoding="utf-8") as file:
        text = file.read()

    def table(name, row):
        body = re.search(r"#define %s\(X\)((?:.*\\\n)*.*)" % name, text)[1]
        return re.findall(row, body)

    declared = table("HONE_TYPE_MAP", r'X\(\w+, (\d+), "(\w+)", (\d+),')
    assert declared == [(str(of.code), of.name, str(of.size))
                        for of in hone._TYPES], declared
    for name, words in (("HONE_ARG_MODE_MAP", hone._MODES),
                        ("HONE_DIM_KIND_MAP", hone._DIM_KINDS),
                        ("HONE_MATCH_MAP", hone._MATCH_KINDS),
                        ("HONE_LOG_LEVEL_MAP", hone._LOG_LEVELS)):
        rows = table(name, r'X\(\w+, (\d+), "(\w+)"\)')
        assert [word for _, word in rows] == words, rows
        assert [int(value) for value, _ in rows] == list(range(len(words)))


def describe(tuned):
    assert tuned.operations() == ["ramp", "shift"]
    ramp = tuned.describe("ramp")
    assert ramp.dims == [hone.Dim("n", "size", False, hone.DEFAULT)]
    assert ramp.args[1].n_elements == -1
    ramp = tuned.describe("ramp", [N])
    assert ramp.args[2] == hone.Argument("y", "out", 4, N, (N,), False, False)
    assert ramp.implementations
    refused("HONE_ERR_DIMS", "takes 1 dims", tuned.describe, "ramp", [])
    refused("HONE_ERR_DIMS", "does not fit 64 bits", tuned.describe, "ramp",
            [2**64 + N])
    refused("HONE_ERR_DIMS", "'f31' is no element type", tuned.describe, "ramp",
            ["f31"])
    refused("HONE_ERR_NOT_FOUND", "none", tuned.plan, "none", [N])
    refused("HONE_ERR_NOT_FOUND", "NO=1", tuned.plan, "ramp", [N],
            config="NO=1")
    refused("HONE_ERR_NOT_FOUND", "/nowhere", hone.Context, "/nowhere/a.db")
    refused("HONE_ERR_ARGUMENT", "no sources", hone.Context, [])
    refused("HONE_ERR_ARGUMENT", "", hone.Context, "")
    refused("HONE_ERR_NOT_FOUND", "", tuned.plan, "ramp", [N], config="NO=1",
            implementation="")
    assert tuned.plan("ramp", iter([N])).match.kind == "exact"
    refused("HONE_ERR_ARGUMENT", "tpu", hone.Context, sys.argv[1], "tpu")


def with_numpy(plan):
    try:
        import numpy
    except ImportError:
        print("skipped: there is no NumPy")
        return
    x = numpy.arange(N, dtype=numpy.float32)
    y = numpy.zeros(N, dtype=numpy.float32)
    plan.run(numpy.float32(2), x, y)
    assert right(x, y)
    plan.run(2, x.reshape(1, N), y)
    assert right(x, y)
    refused("HONE_ERR_ARGUMENT", "not contiguous", plan.run, 2,
            numpy.zeros(2 * N, dtype=numpy.float32)[::2], y)
    refused("HONE_ERR_ARGUMENT", "f8, not f32", plan.run, 2,
            x.astype(numpy.float64), y)
    y.flags.writeable = False
    refused("HONE_ERR_ARGUMENT", "it is read-only", plan.run, 2, x, y)
    print("with NumPy " + numpy.__version__)


class Owner:
    """In a circle, which only Python's collector finds."""

    def __init__(self, **of):
        self.me = self
        self.__dict__.update(of)


def order_of(*calls):
    """What the library is asked for meanwhile, of these functions."""
    seen = []

    class Watched:
        def __getattr__(self, name):
            of = getattr(library, name)
            if name not in calls:
                return of

            def call(*args):
                seen.append(name)
                return of(*args)
            return call
    library = hone.load()
    return seen, Watched()


def collected_meanwhile(database):
    """While a log function runs the library holds its locks. Plans go before their
    contexts."""
    n_collected = []
    gc.disable()
    for way in "context", "plan", "plan alone":
        tuned = hone.Context(database, device="cpu")
        seen, tuned._lib = order_of("hone_close", "hone_plan_destroy")
        Owner(tuned=None if way == "plan alone" else tuned,
              last=None if way == "context" else tuned.plan("ramp", [N]))
        if way != "plan alone":
            del tuned

        def log(level, message):
            n_collected.append(gc.collect())
        hone.set_log(log)
        other = hone.Context(database, device="cpu")
        refused("HONE_ERR_NOT_FOUND", "none", other.plan, "none", [N])
        if way == "plan alone":
            tuned.close()
        other.close()
        hone.set_log(None)
        assert max(n_collected) > 0
        n_collected.clear()
        assert seen == ["hone_plan_destroy"] * (way != "context") + \
            ["hone_close"], (way, seen)
        assert not hone._later and not hone._later_plans
    gc.enable()


def main(database, header):
    said = []
    numbers_of_the_header(header)
    hone.set_log(lambda level, message: said.append((level, message)))
    with hone.Context(database, device="cpu") as tuned:
        plan = tuned.plan("ramp", [N])
        assert said[0][0] == "info" and "opened database" in said[0][1]
        assert "plan of ramp(5003): exact" in said[-1][1], said
        hone.set_log(None)
        assert plan.match.kind == "exact", plan.match
        assert plan.workspace_bytes == 0
        plan.prepare()
        plan.refresh()
        tuned.refresh()
        tuned.limit_plans(3)
        tuned.release()
        assert tuned.counters()["n_plans"]["exact"] == 1
        refused("HONE_ERR_ARGUMENT", "plans were made", tuned.record)
        all_kinds(plan)
        all_kinds(tuned.plan("ramp", [N], config=plan.match.config,
                             implementation=plan.match.implementation))
        refused_arrays(plan)
        describe(tuned)
        with_numpy(plan)
    refused("HONE_ERR_ARGUMENT", "the plan is closed", plan.run, 2, 0, 0)
    refused("HONE_ERR_ARGUMENT", "the context is closed", tuned.operations)
    with hone.Context([database], device="cpu") as tuned, \
            tempfile.NamedTemporaryFile() as record:
        tuned.record(record.name)
        plan = tuned.plan("ramp", [N])
        assert plan.match.kind == "exact"
        plan.run(2, floats(), floats())
        tuned.write_record()
        assert tuned.counters()["n_launches"]["exact"] == 1
        assert b"\nramp 5003 1 arch=cpu " in record.read()
    on_a_gpu()
    scalars()
    faulthandler.dump_traceback_later(60, exit=True)
    collected_meanwhile(database)
    faulthandler.cancel_dump_traceback_later()
    print("right")


main(*sys.argv[1:])
