#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Colour and progress: on a terminal only, and never against NO_COLOR, TERM,
# --color or --quiet.
. "$(dirname "$0")/hone_test.sh"
script -qec true /dev/null >/dev/null 2>&1 </dev/null || {
    echo "script(1) gets no terminal here: it is not installed, or no devpts"
    exit 77
}
escape=$(printf '\033[')
TERM=xterm
export TERM

# on_terminal ARGUMENTS..: what the program writes with stderr on a terminal.
on_terminal() {
    command="hone $*"
    script -qec "'$HONE' $* 2>&1" /dev/null >"$work/out" </dev/null || true
    : >"$work/err"
}
has_escape() { grep -qF -e "$escape" "$work/out"; }

on_terminal space nosuch
has_escape || fail "an error on a terminal is coloured"
on_terminal space nosuch --color never
has_escape && fail "--color never"
NO_COLOR=1
export NO_COLOR
on_terminal space nosuch
has_escape && fail "NO_COLOR"
on_terminal space nosuch --color always
has_escape || fail "--color always is stronger than NO_COLOR"
NO_COLOR=
on_terminal space nosuch
has_escape || fail "an empty NO_COLOR does not count"
unset NO_COLOR
TERM=dumb
on_terminal space nosuch
has_escape && fail "TERM=dumb"
TERM=xterm
run 3 space nosuch
grep -qF -e "$escape" "$work/err" && fail "a file is not a terminal"
run 3 space nosuch --color always
grep -qF -e "$escape" "$work/err" || fail "--color always in a file"

"$HONE" doctor --require nvrtc >/dev/null 2>&1 || exit 0
progress() { # progress ARGUMENTS..: compile something on a terminal
    rm -rf "$work/cache"
    on_terminal compile "$fixtures/mini.cu" --cache-dir "$work/cache" "$@"
}
progress
grep -qE 'mini \[.*[#.]+.*\] [0-9]+/16 variants .*/s +left' "$work/out" ||
    fail "a bar with count, rate and time left"
progress --quiet
grep -q 'variants  ' "$work/out" && fail "--quiet shows no bar"
TERM=dumb
progress
grep -q "$(printf '\r')mini" "$work/out" && fail "no bar on a dumb terminal"
exit 0
