# SPDX-License-Identifier: Apache-2.0
"""hone from Python: tuned kernels on arrays of NumPy, PyTorch, CuPy and others.

    import hone

    with hone.Context() as tuned:                    # the search path
        saxpy = tuned.plan("saxpy", [1 << 20])       # once per shape
        saxpy.run(2.0, x, y, stream=torch.cuda.current_stream())
        torch.cuda.synchronize()     # a context closes when its work has ended

One file above libhone (ctypes), nothing else is needed. Everything is explained
in hone.h; what fails raises hone.Error with the same sentence.

Arguments are in the order of the operation. A scalar is a number. An array is
any of: an object with __cuda_array_interface__ (CuPy, Numba, PyTorch), with
__array_interface__ (NumPy), with __dlpack__ (PyTorch, JAX), a buffer
(array.array, ctypes, memoryview), an int (a device pointer), or None where the
operation lets an array be left out. Type, number of elements and contiguity
are looked at; a pointer has nothing to look at. Nothing is copied, and no
stream but the one given is waited for.

On the device "cpu" arrays are in host memory, otherwise on the GPU, but for
those that the operation declares in host memory.

hone.matmul() and hone.linear() are operators of PyTorch: hone_torch.py.
"""

import ctypes
import math
import os
import struct
import threading
import weakref
from collections import namedtuple

__all__ = ["Context", "Error", "Plan", "Operation", "Dim", "Argument", "Match",
           "load", "set_log", "version", "DEFAULT"]

DEFAULT = None  # in place of the value of a dim: its default
_DIM_DEFAULT = -(1 << 63)

Dim = namedtuple("Dim", "name kind has_default value")
Argument = namedtuple("Argument",
                      "name mode type n_elements extents is_optional is_host")
Operation = namedtuple("Operation", "name dims args implementations")
Match = namedtuple("Match",
                   "kind tuned_time_ns config implementation reason "
                   "predicted_time_ns doubt")


class Error(RuntimeError):
    """A call that failed: `status` is the name, "HONE_ERR_DIMS"."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


# ---- hone.h ------------------------------------------------------------------

# Element types: name, code, bytes, and how an array says that it has them.
_Type = namedtuple("_Type", "name code size kinds")
_TYPES = [
    _Type("f16", 1, 2, "f"), _Type("bf16", 2, 2, "V"), _Type("tf32", 3, 4, "f"),
    _Type("f32", 4, 4, "f"), _Type("f64", 5, 8, "f"), _Type("i8", 6, 1, "i"),
    _Type("i32", 7, 4, "i"), _Type("c32", 8, 8, "c"), _Type("u8", 9, 1, "ub"),
    _Type("u32", 10, 4, "u"), _Type("i64", 11, 8, "i"),
    _Type("u64", 12, 8, "u"), _Type("c64", 13, 16, "c"),
    _Type("e4m3", 14, 1, "u"), _Type("e5m2", 15, 1, "u"),
]
_BY_CODE = {of.code: of for of in _TYPES}
_BY_NAME = {of.name: of for of in _TYPES}
_MODES = ["scalar", "in", "out", "inout"]
_DIM_KINDS = ["size", "type", "choice"]
_MATCH_KINDS = ["exact", "neighbour", "default", "family", "reference",
                "ptx", "chosen"]
_LOG_LEVELS = ["error", "warning", "info"]


class _Match(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("tuned_time_ns", ctypes.c_int64),
                ("config", ctypes.c_char * 256),
                ("implementation", ctypes.c_char * 64),
                ("reason", ctypes.c_char * 256),
                ("compile_time_ns", ctypes.c_int64),
                ("predicted_time_ns", ctypes.c_int64),
                ("doubt", ctypes.c_double)]


class _Counters(ctypes.Structure):
    _fields_ = [("n_plans", ctypes.c_uint64 * 8),
                ("n_vendor_plans", ctypes.c_uint64),
                ("n_failed_plans", ctypes.c_uint64),
                ("n_misses", ctypes.c_uint64),
                ("n_evictions", ctypes.c_uint64),
                ("n_cached_plans", ctypes.c_uint64),
                ("n_launches", ctypes.c_uint64 * 8),
                ("n_vendor_launches", ctypes.c_uint64),
                ("code_bytes", ctypes.c_uint64),
                ("workspace_bytes", ctypes.c_uint64)]


class _Names(ctypes.Structure):
    _fields_ = [("n", ctypes.c_size_t),
                ("names", ctypes.POINTER(ctypes.c_char_p))]


class _Dim(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("kind", ctypes.c_int),
                ("has_default", ctypes.c_int), ("value", ctypes.c_int64)]


class _Arg(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("mode", ctypes.c_int),
                ("type", ctypes.c_int), ("n_elements", ctypes.c_int64),
                ("rank", ctypes.c_size_t), ("extents", ctypes.c_int64 * 3),
                ("is_optional", ctypes.c_int), ("is_host", ctypes.c_int)]


class _Operation(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("n_dims", ctypes.c_size_t),
                ("dims", ctypes.POINTER(_Dim)), ("n_args", ctypes.c_size_t),
                ("args", ctypes.POINTER(_Arg)),
                ("n_implementations", ctypes.c_size_t),
                ("implementations", ctypes.POINTER(ctypes.c_char_p))]


class _Source(ctypes.Structure):
    _fields_ = [("path", ctypes.c_char_p), ("pack", ctypes.c_void_p),
                ("pack_bytes", ctypes.c_size_t), ("sha256", ctypes.c_char_p)]


_LOG = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p)
_P = ctypes.c_void_p
_TEXT = ctypes.c_char_p
_INT = ctypes.c_int
_SIZE = ctypes.c_size_t
_FUNCTIONS = {
    "hone_version_number": (_INT, []),
    "hone_status_name": (_TEXT, [_INT]),
    "hone_error_text": (_TEXT, [_P]),
    "hone_log_set": (_INT, [_P, _P, _INT]),
    "hone_open": (_INT, [_TEXT, _P]),
    "hone_sources_open": (_INT, [_P, _SIZE, _P]),
    "hone_close": (None, [_P]),
    "hone_device_select": (_INT, [_P, _TEXT]),
    "hone_compile_select": (_INT, [_P, _TEXT]),
    "hone_compile_pending": (_INT, [_P, _P]),
    "hone_stream_release": (_INT, [_P, _P]),
    "hone_operation_list": (_INT, [_P, _P]),
    "hone_names_free": (None, [_P]),
    "hone_operation_describe": (_INT, [_P, _TEXT, _P, _SIZE, _P]),
    "hone_operation_free": (None, [_P]),
    "hone_plan_create": (_INT, [_P, _TEXT, _P, _SIZE, _P, _P]),
    "hone_plan_create_config":
        (_INT, [_P, _TEXT, _P, _SIZE, _TEXT, _TEXT, _P, _P]),
    "hone_plan_destroy": (None, [_P]),
    "hone_plan_workspace_bytes": (_INT, [_P, _P]),
    "hone_plan_prepare": (_INT, [_P, _P]),
    "hone_plan_refresh": (_INT, [_P]),
    "hone_plan_run": (_INT, [_P, _P, _SIZE, _P]),
    "hone_refresh": (_INT, [_P]),
    "hone_plan_limit": (_INT, [_P, _SIZE]),
    "hone_record_start": (_INT, [_P, _TEXT]),
    "hone_record_write": (_INT, [_P]),
    "hone_counters_get": (_INT, [_P, _P]),
}

_VERSION = 100  # of hone.h that this file was written for: 0.1
_library = None
_loading = threading.Lock()


def load(path=None):
    """Load libhone from `path`; else from beside this file, as it is
    installed, else as the dynamic loader finds it. The first call of
    anything does so by itself."""
    global _library
    with _loading:
        if _library is None:
            _library = _open_library(path)
        return _library


def _open_library(path):
    here = os.path.dirname(os.path.abspath(__file__))
    name = "libhone.so.0.1"
    near = os.path.join(here, "..", name)
    lib = ctypes.CDLL(path or (near if os.path.exists(near) else name))
    for function, (result, arguments) in _FUNCTIONS.items():
        of = getattr(lib, function)
        of.restype, of.argtypes = result, arguments
    if lib.hone_version_number() // 100 != _VERSION // 100:
        raise Error("HONE_ERR_UNSUPPORTED", "libhone has version number %d; "
                    "hone.py is for %d" % (lib.hone_version_number(), _VERSION))
    return lib


def version():
    """Of the library: 100 * minor + patch, and 10000 * major."""
    return load().hone_version_number()


def _check(status, ctx):
    if not status:
        if _later or _later_plans:
            _drain()
        return
    lib = load()
    error = Error(lib.hone_status_name(status).decode(),
                  lib.hone_error_text(ctx).decode(errors="replace"))
    _drain()
    raise error


_log = None  # what the library calls must stay
_thread = threading.local()  # .in_log: a log function runs, and the library holds locks
_closing = threading.RLock()
# What Python's collector found, maybe in a log function: contexts, and plans, which are
# with their contexts. The next call of the module closes them, plans first.
_later = []
_later_plans = []


def _drain():
    """In a log function not: the locks that the library wants are held by this thread."""
    if getattr(_thread, "in_log", False):
        return
    with _closing:
        while _later_plans or _later:
            if _later_plans:
                _destroy(*_later_plans.pop(0))
            else:
                _later.pop(0).close()


def _destroy(context, plan):
    if plan and context._ctx: # a context that is closed was the last to be used
        context._lib.hone_plan_destroy(plan)


def set_log(function, level="info"):
    """Call function(level, message), with "error", "warning" or "info"; None:
    say nothing. It must not call this module."""
    global _log
    lib = load()
    made = None

    def say(user, of, message):
        _thread.in_log = True
        try:
            function(_LOG_LEVELS[of], message.decode(errors="replace"))
        finally:
            _thread.in_log = False

    if function is not None:
        made = _LOG(say)
    _check(lib.hone_log_set(made and ctypes.cast(made, _P), None,
                            _LOG_LEVELS.index(level)), None)
    _log = made


# ---- arrays ------------------------------------------------------------------

# An array as it lies in memory: `kind` as in NumPy's type strings.
_Array = namedtuple("_Array", "address kind size count is_read_only on_gpu keep")


class _DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


_DL_KINDS = {0: "i", 1: "u", 2: "f", 4: "V", 5: "c", 6: "b"}
_DL_CPU, _DL_CUDA, _DL_CUDA_HOST, _DL_CUDA_MANAGED = 1, 2, 3, 13
_BUFFER_KINDS = {"f": "f", "d": "f", "e": "f", "b": "i", "h": "i", "i": "i",
                 "l": "i", "q": "i", "n": "i", "B": "u", "c": "u", "H": "u",
                 "I": "u", "L": "u", "Q": "u", "N": "u", "?": "b", "F": "c",
                 "D": "c", "Zf": "c", "Zd": "c"}

_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype = ctypes.c_void_p
_capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


def _is_dense(shape, strides, unit):
    """Row by row without gaps; strides in units of what `unit` is."""
    for n, stride in zip(reversed(shape), reversed(strides)):
        if n != 1 and stride != unit:
            return 0 in shape
        unit *= n
    return True


def _count(shape):
    n = 1
    for extent in shape:
        n *= extent
    return n


def _of_interface(value, interface, on_gpu):
    kind, size = interface["typestr"][1], int(interface["typestr"][2:])
    shape, strides = interface["shape"], interface.get("strides")
    if interface["typestr"][0] == ">" and size > 1:
        raise TypeError("its bytes are in the other order")
    if strides is not None and not _is_dense(shape, strides, size):
        raise TypeError("it is not contiguous")
    data = interface.get("data")
    if not isinstance(data, tuple):
        raise TypeError("it says no address")
    return _Array(data[0], kind, size, _count(shape), bool(data[1]), on_gpu,
                  value)


def _of_dlpack(value):
    on_gpu = value.__dlpack_device__()[0] not in (_DL_CPU, _DL_CUDA_HOST)
    # -1: what was queued before is the caller's to order.
    capsule = value.__dlpack__(stream=-1) if on_gpu else value.__dlpack__()
    tensor = ctypes.cast(_capsule_pointer(capsule, b"dltensor"),
                         ctypes.POINTER(_DLTensor)).contents
    shape = tensor.shape[:tensor.ndim]
    if tensor.strides and not _is_dense(shape, tensor.strides[:tensor.ndim], 1):
        raise TypeError("it is not contiguous")
    if tensor.device_type not in (_DL_CPU, _DL_CUDA, _DL_CUDA_HOST,
                                  _DL_CUDA_MANAGED):
        raise TypeError("it is on device %d of DLPack" % tensor.device_type)
    # The tensor goes with its capsule, which is kept and never taken over.
    return _Array((tensor.data or 0) + tensor.byte_offset,
                  _DL_KINDS.get(tensor.code, "?"),
                  tensor.bits * tensor.lanes // 8, _count(shape), False, on_gpu,
                  capsule)


def _of_buffer(value):
    view = memoryview(value)
    if not view.c_contiguous:
        raise TypeError("it is not contiguous")
    letters = view.format.lstrip("@=<")
    flat = view.cast("B") if view.nbytes else view
    if not view.nbytes:
        address, keep = 0, view
    elif view.readonly:  # its address is not to be had: a copy will do
        keep = (ctypes.c_char * view.nbytes).from_buffer_copy(flat)
        address = ctypes.addressof(keep)
    else:
        keep = (ctypes.c_char * view.nbytes).from_buffer(flat)
        address = ctypes.addressof(keep)
    return _Array(address, _BUFFER_KINDS.get(letters, "?"), view.itemsize,
                  view.nbytes // view.itemsize, view.readonly, False, keep)


def _read_array(value):
    """What `value` says of itself; None: it is no array."""
    try:
        interface = getattr(value, "__cuda_array_interface__", None)
    except (TypeError, RuntimeError, AttributeError):
        interface = None  # a tensor that is not there, or has no such type
    if interface is not None:
        return _of_interface(value, interface, True)
    interface = getattr(value, "__array_interface__", None)
    if interface is not None:
        return _of_interface(value, interface, False)
    if hasattr(value, "__dlpack__"):
        return _of_dlpack(value)
    try:
        return _of_buffer(value)
    except TypeError as error:
        if isinstance(value, (bytes, bytearray, memoryview)):
            raise
        if "not contiguous" in str(error):
            raise
        return None


def _refusal(array, of, on_gpu):
    """Why the array must not be passed; None: it may."""
    type_ = _BY_CODE.get(of.type)
    if array.on_gpu != (on_gpu and not of.is_host):
        return ("it is in the memory of %s" %
                ("a GPU" if array.on_gpu else "the host"))
    if type_ and (array.size != type_.size or
                  array.kind not in type_.kinds + "V"):
        return "its elements are %s%d, not %s" % (array.kind, array.size,
                                                  type_.name)
    if of.n_elements > array.count:
        return "it has %d elements, not %d" % (array.count, of.n_elements)
    if array.is_read_only and of.mode != "in":
        return "it is read-only"
    return None


def _pass_array(value, of, on_gpu):
    """The pointer to pass, and what has to stay."""
    if value is None:
        return ctypes.c_void_p(0), None
    if isinstance(value, int) and not isinstance(value, bool):
        return ctypes.c_void_p(value), None
    array = _read_array(value)
    if array is None:
        raise TypeError("a %s is no array" % type(value).__name__)
    why = _refusal(array, of, on_gpu)
    if why:
        raise TypeError(why)
    return ctypes.c_void_p(array.address), array.keep


# ---- scalars -----------------------------------------------------------------

def _bf16(value):
    """To the nearest, ties to even."""
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    if bits & 0x7fffffff > 0x7f800000:
        return struct.pack("<H", bits >> 16 | 0x40)
    return struct.pack("<H", (bits + 0x7fff + (bits >> 16 & 1)) >> 16 & 0xffff)


def _f8(value, name):
    """The same in 8 bits; what is larger than the largest is that."""
    stored, bias, most = (3, 7, 0x7e) if name == "e4m3" else (2, 15, 0x7b)
    if value != value:
        return b"\x7f"
    size = min(abs(value), 2.0 ** 20)
    exponent = max(math.frexp(size)[1] + bias - 1, 1) if size else 1
    bits = round(math.ldexp(size, stored + bias - exponent))
    bits = min(bits + (exponent - 1 << stored), most)
    return struct.pack("<B", bits | (math.copysign(1, value) < 0) << 7)


_PACK = {"f16": "<e", "tf32": "<f", "f32": "<f", "f64": "<d", "i8": "<b",
         "i32": "<i", "u8": "<B", "u32": "<I", "i64": "<q", "u64": "<Q"}


def _pass_scalar(value, of):
    name = _BY_CODE[of.type].name
    try:
        if name == "bf16":
            data = _bf16(float(value))
        elif name in ("e4m3", "e5m2"):
            data = _f8(float(value), name)
        elif name in ("c32", "c64"):
            both = complex(value)
            data = struct.pack("<ff" if name == "c32" else "<dd", both.real,
                               both.imag)
        elif name[0] in "iu":
            if int(value) != value:
                raise TypeError("%r is no integer" % (value,))
            data = struct.pack(_PACK[name], int(value))
        else:
            data = struct.pack(_PACK[name], float(value))
    except (struct.error, OverflowError) as error:
        raise TypeError("%r does not fit %s: %s" % (value, name, error))
    return ctypes.create_string_buffer(data, max(len(data), 8))


# ---- streams, dims -----------------------------------------------------------

def _stream(stream):
    """A handle, or an object of CuPy's, PyTorch's or Numba's."""
    if stream is None or isinstance(stream, int):
        return stream or None
    if hasattr(stream, "__cuda_stream__"):
        of = stream.__cuda_stream__
        return (of() if callable(of) else of)[1] or None
    for name in ("cuda_stream", "ptr", "handle"):
        if hasattr(stream, name):
            handle = getattr(stream, name)
            return int(getattr(handle, "value", handle) or 0) or None
    raise TypeError("a %s is no stream" % type(stream).__name__)


def _dims(dims):
    values = []
    for value in dims:
        if value is DEFAULT:
            value = _DIM_DEFAULT
        elif isinstance(value, str):
            if value not in _BY_NAME:
                raise Error("HONE_ERR_DIMS", "'%s' is no element type; they "
                            "are %s" % (value, ", ".join(_BY_NAME)))
            value = _BY_NAME[value].code
        if not -2**63 <= value < 2**63: # ctypes would cut it
            raise Error("HONE_ERR_DIMS", "%d does not fit 64 bits" % value)
        values.append(value)
    # One more: an empty list is not the same as none.
    return (ctypes.c_int64 * (len(values) + 1))(*values), len(values)


# ---- contexts and plans ------------------------------------------------------

def _path(path):
    return None if path is None else os.fsencode(path)


class Context:
    """Databases and packs, and the kernels loaded from them. Close it, or use
    it in a `with`; its plans are closed with it."""

    def __init__(self, path=None, device=None):
        """`path`: a file, a list of files, the most specific one first, or
        None: the search path. `device`: "cuda" or "cpu"."""
        self._lib = load()
        self._plans = weakref.WeakSet()
        handle = ctypes.c_void_p()
        if path is None or isinstance(path, (str, bytes, os.PathLike)):
            status = self._lib.hone_open(_path(path), ctypes.byref(handle))
        else:
            files = [_Source(path=os.fsencode(file)) for file in path]
            status = self._lib.hone_sources_open(
                (_Source * len(files))(*files), len(files),
                ctypes.byref(handle))
        self._ctx = handle
        try:
            _check(status, handle)
            self.device = device or os.environ.get("HONE_DEVICE") or "cuda"
            if device is not None:
                self._check(self._lib.hone_device_select(handle,
                                                         device.encode()))
        except Error:
            self.close()
            raise

    def _check(self, status):
        _check(status, self._ctx)

    def _open(self):
        if not self._ctx:
            raise Error("HONE_ERR_ARGUMENT", "the context is closed")
        return self._ctx

    def close(self):
        """hone_close(): queued work has ended."""
        for plan in list(self._plans):
            plan.close()
        with _closing:
            if _later_plans: # of this one, too
                _drain()
            ctx, self._ctx = self._ctx, None
            self._lib.hone_close(ctx)

    def __enter__(self):
        return self

    def __exit__(self, *of):
        self.close()

    def __del__(self, later=_later):
        if getattr(self, "_ctx", None):
            later.append(self)

    def operations(self):
        """Names of the operations that there are."""
        names = ctypes.POINTER(_Names)()
        self._check(self._lib.hone_operation_list(self._open(),
                                                  ctypes.byref(names)))
        try:
            return [names[0].names[i].decode() for i in range(names[0].n)]
        finally:
            self._lib.hone_names_free(names)

    def describe(self, op, dims=None):
        """How an operation is called; with dims, how large its arrays are."""
        values, n = (None, 0) if dims is None else _dims(dims)
        out = ctypes.POINTER(_Operation)()
        self._check(self._lib.hone_operation_describe(
            self._open(), op.encode(), values, n, ctypes.byref(out)))
        try:
            return self._copy(out[0])
        finally:
            self._lib.hone_operation_free(out)

    @staticmethod
    def _copy(of):
        dims = [Dim(d.name.decode(), _DIM_KINDS[d.kind], bool(d.has_default),
                    DEFAULT if d.value == _DIM_DEFAULT else d.value)
                for d in of.dims[:of.n_dims]]
        args = [Argument(a.name.decode(), _MODES[a.mode], a.type, a.n_elements,
                         tuple(a.extents[:a.rank]), bool(a.is_optional),
                         bool(a.is_host)) for a in of.args[:of.n_args]]
        return Operation(of.name.decode(), dims, args,
                         [i.decode() for i in
                          of.implementations[:of.n_implementations]])

    def plan(self, op, dims, config=None, implementation=None):
        """The best kernel for these dims; or one by its configuration. A dim
        that is a type may be its name, "f16"; DEFAULT: its default."""
        return Plan(self, op, dims, config, implementation)

    def refresh(self):
        """hone_refresh(): arrays at the same addresses have changed."""
        self._check(self._lib.hone_refresh(self._open()))

    def select_compile(self, when):
        """hone_compile_select(): "now", "later" or "never"."""
        self._check(self._lib.hone_compile_select(self._open(), when.encode()))

    def compile_pending(self):
        """hone_compile_pending(): how many plans wait still."""
        left = ctypes.c_size_t()
        self._check(self._lib.hone_compile_pending(self._open(),
                                                   ctypes.byref(left)))
        return left.value

    def limit_plans(self, n):
        """hone_plan_limit()."""
        self._check(self._lib.hone_plan_limit(self._open(), n))

    def record(self, path=None):
        """hone_record_start(): record launches in a file, or only count them;
        before the first plan."""
        self._check(self._lib.hone_record_start(self._open(), _path(path)))

    def write_record(self):
        """hone_record_write()."""
        self._check(self._lib.hone_record_write(self._open()))

    def counters(self):
        """hone_counters_get(), as a dict; plans and launches by match."""
        of = _Counters()
        self._check(self._lib.hone_counters_get(self._open(),
                                                ctypes.byref(of)))
        return {name: dict(zip(_MATCH_KINDS, getattr(of, name)))
                if name in ("n_plans", "n_launches") else getattr(of, name)
                for name, _ in of._fields_}

    def release(self, stream=None):
        """hone_stream_release(): give back the stream's memory."""
        self._check(self._lib.hone_stream_release(self._open(),
                                                  _stream(stream)))


class Plan:
    """One operation at one shape: `match` says which kernel it has and why,
    `operation` how it is called."""

    def __init__(self, context, op, dims, config=None, implementation=None):
        dims = list(dims)
        values, n = _dims(dims)
        match = _Match()
        handle = ctypes.c_void_p()
        lib = context._lib
        ctx = context._open()
        self._plan = None
        self._context = context
        self.operation = context.describe(op, dims)
        if config is None:
            status = lib.hone_plan_create(ctx, op.encode(), values, n,
                                          ctypes.byref(handle),
                                          ctypes.byref(match))
        else:
            status = lib.hone_plan_create_config(
                ctx, op.encode(), values, n,
                None if implementation is None else implementation.encode(),
                config.encode(),
                ctypes.byref(handle), ctypes.byref(match))
        _check(status, ctx)
        self._plan = handle
        self.match = Match(_MATCH_KINDS[match.kind], match.tuned_time_ns,
                           match.config.decode(),
                           match.implementation.decode(),
                           match.reason.decode(errors="replace"),
                           match.predicted_time_ns, match.doubt)
        context._plans.add(self)

    def _open(self):
        if not self._plan:
            raise Error("HONE_ERR_ARGUMENT", "the plan is closed")
        return self._plan

    def close(self):
        """hone_plan_destroy(); queued work goes on."""
        with _closing:
            plan, self._plan = self._plan, None
            _destroy(self._context, plan)

    def __del__(self, later=_later_plans):
        if getattr(self, "_plan", None):
            later.append((self._context, self._plan))

    @property
    def workspace_bytes(self):
        """Device memory that a run works with, besides its arguments."""
        out = ctypes.c_size_t()
        self._context._check(self._context._lib.hone_plan_workspace_bytes(
            self._open(), ctypes.byref(out)))
        return out.value

    def prepare(self, stream=None):
        """hone_plan_prepare(): before a capture."""
        self._context._check(self._context._lib.hone_plan_prepare(
            self._open(), _stream(stream)))

    def refresh(self):
        """hone_plan_refresh(): arrays at the same addresses have changed."""
        self._context._check(
            self._context._lib.hone_plan_refresh(self._open()))

    def run(self, *args, stream=None):
        """Enqueue the operation. Arrays have to live until it has ended."""
        declared = self.operation.args
        on_gpu = self._context.device != "cpu"
        keep = []
        pointers = (ctypes.c_void_p * (len(args) + 1))()
        for i, (value, of) in enumerate(zip(args, declared)):
            try:
                if of.mode == "scalar":
                    passed = _pass_scalar(value, of)
                else:
                    passed, owner = _pass_array(value, of, on_gpu)
                    keep.append(owner)
            except (TypeError, ValueError, BufferError) as error:
                raise Error("HONE_ERR_ARGUMENT", "argument %s of %s: %s" %
                            (of.name, self.operation.name, error)) from None
            keep.append(passed)
            pointers[i] = ctypes.addressof(passed)
        self._context._check(self._context._lib.hone_plan_run(
            self._open(), pointers, len(args), _stream(stream)))


def __getattr__(name):
    """What needs PyTorch, when it is first asked for."""
    if name in ("matmul", "linear"):
        import hone_torch
        return getattr(hone_torch, name)
    raise AttributeError("module 'hone' has no attribute '%s'" % name)
