#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The examples of the README, the help and the man pages work: commands are
# understood, templates are valid and, with NVRTC, compile.
. "$(dirname "$0")/hone_test.sh"
# No GPU here, so that tuning ends at once.
HONE_CUDA_LIBRARY=$work/none/libcuda.so.1
export HONE_CUDA_LIBRARY

# example "hone COMMAND .." exits as it must on a machine without GPU,
# database and recordings.
example() {
    case $1 in
    "hone verify"* | "hone tune"*"--device cpu"*)
        command -v "${CXX:-c++}" >/dev/null || return 0
        wanted=0
        # As they stand they take minutes; the last of an option counts.
        case $1 in
        *verify*) set -- "$1 --limit 1" ;;
        *) set -- "$1 --budget 2 --db $work/cpu.db" ;;
        esac
        ;;
    "hone tune"* | "hone run"* | "hone bench"*) wanted=4 ;;
    "hone show"* | "hone simulate"*) wanted=3 ;; # no such file
    "hone compile"* | *"--require"*)
        return 0 # depends on NVRTC: tools_compile.sh
        ;;
    *) wanted=0 ;;
    esac
    # shellcheck disable=SC2086 # words
    run "$wanted" ${1#hone }
}

count=0
sed -n 's/^COMMAND(\([a-z]*\),.*/\1/p' "$HONE_SOURCE/tools/commands.def" \
    >"$work/commands"
while read -r name; do
    run 0 "$name" --help
    example "$(sed -n '1s/^Example: //p' "$work/out")"
    count=$((count + 1))
done <"$work/commands"
[ "$count" -gt 5 ] || fail "no commands found"

sed -n 's/^build\/bin\/\(hone [^#]*\).*/\1/p' "$HONE_SOURCE/README.md" \
    >"$work/examples"
# shellcheck disable=SC1003 # the backslashes of scdoc's escapes
sed -n 's/^\t\*\(hone .*\)\*$/\1/p' "$HONE_SOURCE/tools/man/hone.1.scd" |
    tr -d '\\' >>"$work/examples"
[ "$(wc -l <"$work/examples")" -ge 10 ] || fail "examples were not found"
sort -u "$work/examples" >"$work/different"
while read -r line; do
    example "$line"
done <"$work/different"

# The templates that the README and hone-template(5) show.
awk '/^```c\+\+/ { on = 1; next } /^```/ { on = 0 } on' \
    "$HONE_SOURCE/README.md" >"$work/readme_template.cu"
awk '/^```/ { on = !on; next } on' \
    "$HONE_SOURCE/tools/man/hone-template.5.scd" >"$work/man_template.cu"
for template in readme man; do
    run 0 space "$work/${template}_template.cu" --count
    out_is 3
    run 0 expand "$work/${template}_template.cu"
    if "$HONE" doctor --require nvrtc >/dev/null 2>&1; then
        run 0 compile "$work/${template}_template.cu" \
            --cache-dir "$work/cache"
    fi
done
