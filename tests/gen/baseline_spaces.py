# SPDX-License-Identifier: Apache-2.0
"""Times Kernel Tuner's own solver on T1 files, for bench_space.sh.

    baseline_spaces.py ROUNDS FILE..

Prints one JSON object: per file the number of configurations and the seconds
of each construction. Ends with 77 if Kernel Tuner is not installed.
"""
import json
import sys
import time

try:
    import kernel_tuner
    from kernel_tuner.searchspace import Searchspace
except ImportError as missing:
    print(f"Kernel Tuner cannot be imported: {missing}")
    sys.exit(77)


def construct(path):
    """Read, then build: what hone's figure covers too."""
    start = time.perf_counter()
    with open(path, encoding="utf-8") as file:
        space = json.load(file)["ConfigurationSpace"]
    parameters = {
        parameter["Name"]: eval(parameter["Values"])
        for parameter in space["TuningParameters"]
    }
    conditions = [condition["Expression"] for condition in space["Conditions"]]
    built = Searchspace(parameters, conditions, 1024)
    return built.size, time.perf_counter() - start


def main():
    rounds = int(sys.argv[1])
    result = {"version": kernel_tuner.__version__, "files": {}}
    for path in sys.argv[2:]:
        times = []
        for _ in range(rounds):
            size, seconds = construct(path)
            times.append(seconds)
        result["files"][path] = {"valid": size, "seconds": times}
    print(json.dumps(result))


main()
