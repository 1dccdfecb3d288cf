#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A sample of the templates of users compiles for several architectures.
#   user_compile.sh VARIANTS_PER_TEMPLATE ARCHITECTURE ..
set -u
sample=$1
shift
HONE_CACHE_DIR=$(mktemp -d) || exit 1
trap 'rm -rf "$HONE_CACHE_DIR"' EXIT
export HONE_CACHE_DIR
"$HONE" doctor --require nvrtc >/dev/null 2>&1 || {
    echo "skipped: no NVRTC on this machine"
    exit 77
}
failures=0
for template in "$HONE_SOURCE"/tests/templates/user/*.cu; do
    for arch in "$@"; do
        "$HONE" compile "$template" --arch "$arch" --limit "$sample" --quiet \
            >"$HONE_CACHE_DIR/out" || {
            echo "FAILED: $template for $arch"
            cat "$HONE_CACHE_DIR/out"
            failures=$((failures + 1))
        }
    done
done
exit $((failures > 0))
