#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The programs of examples/ above an installed tree, as far as a machine without
# a GPU goes: C++ and Python on the cpu device; what is for nvcc is compiled and
# linked, what is for PyTorch is read by Python. What README.md shows of them
# stands in them.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build=$(cd "$(dirname "${HONE:?}")/.." && pwd)
examples=${HONE_SOURCE:?}/examples
fail() {
    echo "FAILED: $*"
    cat "$work/log" 2>/dev/null || true
    exit 1
}
skipped() {
    echo "skipped: $*"
    n_skipped=$((n_skipped + 1))
}
n_skipped=0
command -v c++ >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
if nm "$HONE" | grep -q '__[at]san_init'; then
    echo "a sanitized library is for sanitized programs"
    exit 77
fi
HOME=$work/home
export HOME
unset HONE_DB HONE_CACHE_DIR HONE_INCLUDE_PATH HONE_PATH XDG_DATA_HOME \
    XDG_CACHE_HOME LD_LIBRARY_PATH
HONE_TEMPLATE_PATH=$HONE_SOURCE/templates
export HONE_TEMPLATE_PATH
mkdir "$HOME"
cmake --install "$build" --prefix "$work/tree" >"$work/log" 2>&1 ||
    fail "install"

# A block of README.md that names an example: each of its lines, in order.
awk -v folder="$examples" '
    /^```(cpp|cuda|python)$/ { inside = 1; n = 0; next }
    /^```$/ && inside {
        inside = 0
        if (!match(line[1], /examples\/[a-z_.]*/)) next
        file = folder substr(line[1], RSTART + 8, RLENGTH - 8)
        at = 2
        while (at <= n && (getline text < file) > 0) {
            gsub(/^[ \t]+|[ \t]+$/, "", text)
            if (line[at] == text) ++at
            while (at <= n && (line[at] == "" || line[at] ~ /^(#|\/\/) \.\.$/)) ++at
        }
        if (at <= n) { print file " has not: " line[at]; bad = 1 }
        ++shown
    }
    inside { gsub(/^[ \t]+|[ \t]+$/, ""); line[++n] = $0 }
    END { if (shown < 4) { print shown + 0 " blocks"; bad = 1 } exit bad }
' "$HONE_SOURCE/README.md" >"$work/log" || fail "README.md shows other lines"

"$HONE" tune saxpy/stream --device cpu --dims 5003 --budget 2 \
    --db "$work/saxpy.db" >"$work/log" 2>&1 || fail "tune"
HONE_PATH=$work/saxpy.db
export HONE_PATH
c++ -std=c++11 -Wall -Wextra -Werror -I"$work/tree/include" -o "$work/classes" \
    "$examples/classes.cpp" -L"$work/tree/lib" -lhone \
    "-Wl,-rpath,$work/tree/lib" >"$work/log" 2>&1 || fail "compile classes.cpp"
"$work/classes" >"$work/log" 2>&1 || fail "classes.cpp"
grep -qx right "$work/log" || fail "classes.cpp is not right"
if command -v python3 >/dev/null; then
    python3 -W error "$examples/ctypes_alone.py" "$work/tree/lib/libhone.so" \
        >"$work/log" 2>&1 || fail "ctypes_alone.py"
    grep -qx right "$work/log" || fail "ctypes_alone.py is not right"
    PYTHONDONTWRITEBYTECODE=1 python3 -W error -c \
        'import ast, sys; ast.parse(open(sys.argv[1]).read())' \
        "$examples/torch_operators.py" >"$work/log" 2>&1 ||
        fail "torch_operators.py"
else
    skipped "there is no Python"
fi
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null || true)
if [ -n "$nvcc" ]; then
    "$nvcc" -arch=sm_90 -o "$work/mixed_stream" "$examples/mixed_stream.cu" \
        -I "$work/tree/include" -L "$work/tree/lib" -lhone \
        >"$work/log" 2>&1 || fail "mixed_stream.cu"
else
    skipped "there is no nvcc"
fi
echo "examples: $n_skipped skipped"
