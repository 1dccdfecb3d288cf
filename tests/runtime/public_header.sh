#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hone.h alone compiles as C99, C11 and C++17 without a warning, hone.hpp as
# C++11 and newer; a plan goes before its context; libhone shows the names hone.h
# declares and no others.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
library="${HONE:?}"
library="${library%/bin/hone}/lib/libhone.so"
header="${HONE_SOURCE:?}/runtime/hone.h"
flags="-Wall -Wextra -Wpedantic -Werror -Wconversion -fsyntax-only"

printf '#include "%s"\nint main(void) { return HONE_OK; }\n' "$header" \
    >"$work/alone.c"
cp "$work/alone.c" "$work/alone.cpp"
printf '#include "%spp"\n' "$header" >"$work/with_classes.cpp"
cat >>"$work/with_classes.cpp" <<'EOF'
void use(float *x);
void use(float *x)
{
    hone::plan(hone::context(), "a", {1}).run(nullptr, 1.0f, x, nullptr, 5ull);
    hone::context("a").launch("a", {1}, nullptr, x);
}
EOF
# shellcheck disable=SC2086 # a list of flags
for compiler in gcc clang; do
    command -v "$compiler" >/dev/null || continue
    "$compiler" -std=c99 $flags "$work/alone.c"
    "$compiler" -std=c11 $flags "$work/alone.c"
    command -v "${compiler%cc}++" >/dev/null || [ "$compiler" = clang ] ||
        continue
    "$compiler" -x c++ -std=c++17 $flags "$work/alone.cpp"
    for standard in 11 14 17 20; do
        "$compiler" -x c++ -std=c++$standard $flags -Wsign-conversion -Wshadow \
            -Wold-style-cast "$work/with_classes.cpp"
    done
done

# Plans that are moved to, and the last owners of their contexts, in front of functions
# that look at the order.
if command -v c++ >/dev/null; then
    c++ -std=c++11 -I "$HONE_SOURCE" -o "$work/moved" "$HONE_SOURCE/tests/runtime/moved_plan.cpp"
    "$work/moved"
fi

[ -f "$library" ] || exit 77
nm -D --defined-only "$library" | awk '$2 ~ /[A-Z]/ { print $3 }' |
    grep -v -E '^(_init|_fini|__bss_start|_edata|_end)$' | sort \
    >"$work/shown"
sed -n '/^HONE_API/,/;/p' "$header" | tr '\n' ' ' | tr ';' '\n' |
    sed -n 's/.*HONE_API[^(]*[ *]\(hone_[a-z_]*\)(.*/\1/p' | sort \
    >"$work/declared"
[ -s "$work/declared" ]
diff "$work/declared" "$work/shown"
