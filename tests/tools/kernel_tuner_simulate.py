# SPDX-License-Identifier: Apache-2.0
"""kernel_tuner_simulate.py CACHE: let Kernel Tuner read a cache and tune on it in
simulation mode, all of its configurations; print the version, how many there were
and the best. Exit 77 where the package is not installed."""
import contextlib
import io
import json
import sys
import warnings

try:
    import kernel_tuner
    from importlib.metadata import version
    from kernel_tuner.util import read_cache
except ImportError as why:
    print(why)
    sys.exit(77)

warnings.simplefilter("ignore")
path = sys.argv[1]
cache = read_cache(path, open_cache=False)
params = {key: cache["tune_params"][key] for key in cache["tune_params_keys"]}
keys = set(cache["cache"])


def is_recorded(values):
    return ",".join(str(values[key]) for key in params) in keys


with contextlib.redirect_stdout(io.StringIO()):
    results, _ = kernel_tuner.tune_kernel(
        cache["kernel_name"], "__global__ void k() {}", tuple(cache["problem_size"]),
        [], params, restrictions=is_recorded, simulation_mode=True, cache=path,
        strategy="brute_force", lang="CUDA",
        block_size_names=["none_x", "none_y", "none_z"])
times = [r for r in results if isinstance(r.get("time"), float) and "__error__" not in r]
best = min(times, key=lambda r: r["time"])
print("kernel_tuner", version("kernel_tuner"))
print("results", len(results), "timed", len(times))
print("best", ",".join("%s=%s" % (k, str(best[k]).lower()) for k in params),
      json.dumps(best["time"]))
try:
    import jsonschema
    from kernel_tuner.file_utils import output_file_schema
    if len(sys.argv) > 2:
        with open(sys.argv[2]) as file:
            jsonschema.validate(json.load(file), output_file_schema("results")[1])
        print("t4 valid")
except ImportError:
    pass
