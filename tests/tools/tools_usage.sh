#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# --help, --version, and wrong use: two lines on stderr, exit 2.
. "$(dirname "$0")/hone_test.sh"

run 0 --version
out_is "hone $(sed -n 's/^#define HONE_VERSION "\(.*\)"/\1/p' \
    "$HONE_SOURCE/runtime/hone.h")"
err_empty
run 0 --help
out_has "Usage: hone COMMAND"
err_empty
head -n 1 "$work/out" | grep -q '^Example: hone ' || fail "no example first"
run 0 help
out_has "Usage: hone COMMAND"
run 0 space --version
run 0 tune --help
out_has "Usage: hone tune TEMPLATE.."
awk 'length($0) > 80 { exit 1 }' "$work/out" || fail "a line is too long"

usage() { # usage TEXT ARGUMENTS..
    text=$1
    shift
    run 2 "$@"
    out_empty
    err_lines 2
    err_has "$text"
    err_has "Try 'hone"
}
usage "a command is missing"
usage "unknown command 'spaces'; did you mean 'space'?" spaces
usage "unknown command 'xyzzy'" xyzzy
! grep -q 'did you mean' "$work/err" || fail "nothing is near xyzzy"
usage "there is no command or topic 'tunne'; did you mean 'tune'?" help tunne
usage "there is no command or topic 'baseline'; did you mean 'baselines'?" \
    help baseline
usage "the command comes first" --db x show
usage "'hone space' has no option '--dimz'; did you mean '--dims'?" \
    space saxpy --dimz=3
usage "'hone expand' has no option '--jobs'" expand saxpy --jobs 3
usage "'hone space' has no option '-Z'" space saxpy -Z
usage "option '--dims' needs a value" space saxpy --dims
usage "option '--count' takes no value" space saxpy --count=3
usage "--explain and --count are one or the other" space saxpy --count --explain
usage "--list and --explain are one or the other" space saxpy -e -l
usage "--launch-plan and --options are one or the other" \
    expand saxpy --options --launch-plan
usage "--format takes one of text|json|csv, not 'xml'" \
    space saxpy --format xml
usage "--limit takes a whole number from 1 up, not '0'" \
    space saxpy --limit 0
usage "--limit takes a whole number from 1 up, not '3x'" \
    space saxpy --limit 3x
usage "--seed takes a whole number from 0 up, not '-1'" \
    tune saxpy --dims 1 --seed -1
usage "'hone space' needs TEMPLATE" space
usage "'hone space' does not take the argument 'b'" space a b
usage "there is no view 'winers'; there are winners, trials" show winers
usage "--device takes cuda, cuda:N or cpu, not 'cuda:x'" \
    run saxpy --dims 1 --device cuda:x
usage "--budget takes a number of trials" tune saxpy --dims 1 --budget 3x
usage "--budget takes a number of trials" tune saxpy --dims 1 --budget 0
usage "nothing to tune" tune
usage "of which template?" tune --dims 1
usage "no problem size for 'mini', which names no shapes of its own" tune "$fixtures/mini.cu"

# Options may stand anywhere after the command, and may be shortened.
run 0 space --count "$fixtures/mini.cu" --form json
json valid=16
run 0 space --count -- "$fixtures/mini.cu"
out_is 16

# A result that cannot be written is a failure.
if [ -w /dev/full ]; then
    code=0
    "$HONE" --help >/dev/full 2>"$work/err" || code=$?
    [ "$code" -eq 4 ] || fail "writing to a full disk should end with 4"
    err_has "cannot write the result"
fi
