#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# --strategy exec:COMMAND: the dialogue, the examples, and programs that fail in
# every way they can, without a process left behind.
. "$(dirname "$0")/hone_test.sh"
small=$here/../replay/recordings/small_t4.json
mine=$work/mine

simulate() { # simulate CODE ARGUMENTS..
    expected=$1
    shift
    run "$expected" simulate "$small" --repeats 1 --format json "$@"
}
program() { # program < the body: $mine, a script of the shell
    { echo '#!/bin/sh' && cat; } >"$mine"
    chmod +x "$mine"
}
# What a program whose words are on its standard input is asked.
# shellcheck disable=SC2016 # for the shell that runs it
greet='while read -r word; do [ "$word" = go ] && break; done; echo "hone-strategy 1"'
# In front of a program: what hone says is in the file `heard` as well. It is in no group that
# hone ends, and reads to the end however late it is; then `heard` is complete.
hear="(trap '' PIPE; exec setsid tee '$work/heard')"
# shellcheck disable=SC2317 # wait_until calls it
has_heard_all() { [ "$(tail -n 1 "$work/heard")" = end ]; }
heard_all() { wait_until "it hears the end" has_heard_all; }

# ---- the dialogue, word by word ---------------------------------------------

grep -v '"block": 128, "layout": "col"' "$small" >"$work/gap.json"
cat >"$work/wanted" <<'END'
budget 4
count 7
param block 32 64 128 256
param layout row col
go
ask
invalid
taken 1 0
tell 1000000 1 0
ask
known
taken 0 1
tell 2250000 0 1
ask
taken 0 0
tell 4250000 0 0
ask
taken 3 1
tell failed 3 1
end
END
program <<END
$hear | {
    $greet
    for answer in "try 2 1" "try 1 0" "try 1 0" "try 0 1" "try 0 0" "try 3 1"; do
        echo "\$answer"
    done
    cat >/dev/null
}
END
run 0 simulate "$work/gap.json" --repeats 1 --format json --strategy "exec:$mine" --budget 4
json files.0.best_ns=1000000.0 files.0.evaluations=4.0 "strategy=exec:$mine"
heard_all
head -n 2 "$work/heard" | tail -n 1 | grep -qx 'seed [0-9]*' || fail "no seed"
sed 1,2d "$work/heard" | diff "$work/wanted" - || fail "another dialogue than wanted"
# One by chance is taken where the program has no idea.
program <<END
$hear | { $greet; while read -r word rest; do [ "\$word" = ask ] && echo pass; done; true; }
END
simulate 0 --strategy "exec:$mine" --budget 3
json files.0.evaluations=3.0
heard_all
[ "$(grep -c '^taken [0-3] [01]$' "$work/heard")" -eq 3 ] || fail "what was taken is not said"

# A command may begin with a word of the shell.
for command in "exec $mine" ". $mine" "command $mine"; do
    simulate 0 --strategy "exec:$command" --budget 3
    json files.0.evaluations=3.0
done
# What was tried before it failed is stored.
program <<END
$greet
n=0
while read -r word rest; do
    [ "\$word" != ask ] || { n=\$((n + 1)); [ \$n -le 2 ] && echo pass || exit 4; }
done
END
run 1 tune --device "replay:$small" --strategy "exec:$mine" \
    --db "$work/cut.db" --format json
err_has 'after 2 trials the strategy'
err_has 'it ended: exit status 4'
json shapes.0.stopped=strategy shapes.0.trials=2
run 0 sql --db "$work/cut.db" --format json \
    "SELECT count(*) AS n FROM trial_v1"
json rows.0.n=2

# ---- the examples -----------------------------------------------------------

"${CC:-cc}" -Wall -Wextra -Werror -o "$work/strategy" "$HONE_SOURCE/examples/strategy.c"
try_example() { # try_example COMMAND
    run 0 simulate "$small" "$here/../replay/recordings/small_cache.json" \
        --strategy "exec:$1" --repeats 5 --format json --budget 8
    json files.0.best_ns=1000000.0 files.0.evaluations=8.0
    cp "$work/out" "$work/first"
    run 0 simulate "$small" "$here/../replay/recordings/small_cache.json" \
        --strategy "exec:$1" --repeats 5 --format json --budget 8 --jobs 1
    cmp "$work/first" "$work/out" || fail "the same seed, another result"
    run 0 simulate "$small" --strategy "exec:$1" --repeats 3 --batch 4 --format json
}
try_example "$work/strategy"
if command -v python3 >/dev/null; then
    try_example "python3 $HONE_SOURCE/examples/strategy.py"
else
    echo "not run: examples/strategy.py: there is no python3"
fi

# ---- programs that fail -----------------------------------------------------

# Nothing of this test is left behind; a killed process takes a moment.
leftover() { wait_until "no process of $mine is left" is_alone; }
is_alone() { ! pgrep -f "$work/[m]ine" >/dev/null && ! pgrep -f "[s]leep $nap" >/dev/null; }
nap=987$$ # told from other people's
fails() { # fails MESSAGE < the body
    program
    # Else a program may be as slow as the machine.
    case $1 in
    *' within 1 s') limit=1 ;;
    *) limit=300 ;;
    esac
    simulate 3 --strategy "exec:$mine" --answer-timeout $limit
    err_has "the strategy '$mine' failed: $1"
    err_has "hone-strategy(5)"
    leftover
}
run 2 simulate "$small" --strategy exec:
err_has "needs a program: exec:./mine"
simulate 3 --strategy "exec:$work/none"
err_has "failed: it ended: exit status 127"
echo 'exit 3' | fails 'it ended: exit status 3'
echo "echo 'hone-strategy 2'; cat >/dev/null" | fails "its answer was 'hone-strategy 2' and not 'hone-strategy 1'"
echo "sleep $nap" | fails 'it did not answer within 1 s'
echo "sleep $nap & sleep $nap" | fails 'it did not answer within 1 s'
echo "trap '' TERM; cat >/dev/null; sleep $nap" | fails 'it did not answer within 1 s'
echo 'yes' | fails "its answer was 'y' and not"
printf '%s\n' 'yes | tr -d "\012"' | fails 'it wrote more than 65536 bytes'
simulate 3 --strategy "exec:exec >&-; sleep $nap" --answer-timeout 300
err_has 'it ended: it closed its output'
leftover
echo "${greet%;*}; exec <&-; echo 'hone-strategy 1'; exec sleep $nap" |
    fails 'it ended: it closed its input'
echo 'kill -SEGV $$' | fails 'it ended: killed by signal 11'
asked() { # asked ANSWER MESSAGE
    fails "$2" <<END
$greet
while read -r word rest; do case \$word in ask) $1 ;; esac; done
END
}
asked 'exit 0' 'it ended: exit status 0'
asked 'kill -KILL $$' 'it ended: killed by signal 9'
asked "sleep $nap" 'it did not answer within 1 s'
asked 'echo hello' "its answer was 'hello' and not 'try 0 3 1' or 'pass'"
asked 'echo try 1' "its answer 'try 1' has no value 0 to 1 for parameter 2"
asked 'echo try 1 2' "its answer 'try 1 2' has no value 0 to 1 for parameter 2"
asked 'echo try -1 0' "its answer 'try -1 0' has no value 0 to 3 for parameter 1"
asked 'echo try a b' "its answer 'try a b' has no value 0 to 3 for parameter 1"
asked 'echo try 1 0 0' "its answer 'try 1 0 0' has more than 2 values"
# Always the same answer: after 1000 of them others are taken.
program <<END
$greet
while read -r word rest; do case \$word in ask | known) echo try 0 0 ;; esac; done
END
simulate 0 --strategy "exec:$mine" --budget 8
json files.0.evaluations=8.0
leftover
# The last one is not refused: what would answer that answered the next question.
program <<END
tee "$work/heard" | {
    $greet
    while read -r word rest; do
        case \$word in
        ask) asked=x\$asked && if [ \$asked = xxx ]; then echo pass; else echo try 0 0; fi ;;
        known) echo try 0 0 ;;
        esac
    done
    true
}
END
simulate 0 --strategy "exec:$mine" --budget 3
json files.0.evaluations=3.0
[ "$(grep -cx known "$work/heard")" -eq 999 ] || fail "refused more often than answered"
leftover

# ---- when hone itself ends ---------------------------------------------------

# However it ends, the program does.
program <<END
$greet
exec sleep $nap
END
for signal in KILL TERM INT; do
    env --default-signal=INT "$HONE" simulate "$small" --repeats 1 \
        --strategy "exec:$mine" >"$work/out" 2>&1 &
    pid=$!
    wait_until "the program runs" sh -c "pgrep -f '[s]leep $nap' >/dev/null"
    kill -$signal "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
    leftover
done

# ---- hone tune --------------------------------------------------------------

command -v "${CXX:-c++}" >/dev/null || {
    echo "not run: hone tune: there is no C++ compiler"
    exit 0
}
HONE_DB=$work/exec.db
HONE_CACHE_DIR=$work/cache
HONE_CUDA_LIBRARY=/nonexistent/libcuda.so
export HONE_DB HONE_CACHE_DIR HONE_CUDA_LIBRARY
tune() { # tune CODE ARGUMENTS..
    expected=$1
    shift
    run "$expected" tune saxpy_stream --dims 5003 --device cpu --format json "$@"
}
# It hears of the default, which it did not propose, and is asked ahead.
# It holds no pipe of hone's own processes, which end when theirs does.
program <<END
ls -l /proc/self/fd >"$work/files"
$hear | $work/strategy
END
tune 0 --budget 6 --strategy "exec:$mine"
json shapes.0.trials=6 shapes.0.stopped=budget
grep -q ' 0 -> pipe:' "$work/files" || fail "no list of files"
find "/proc/$$/fd" -lname 'pipe:*' -printf '%l\n' >"$work/ours"
! sed '/ [012] -> /d' "$work/files" | grep 'pipe:' | grep -vFf "$work/ours" ||
    fail "the program holds other pipes"
heard_all
grep -q '^param STREAM false true$' "$work/heard" || fail "no names of values"
[ "$(grep -c '^tell' "$work/heard")" -ge 2 ] || fail "it was told little"
"$(dirname "$HONE")/../tests/db_ask" "$HONE_DB" "select strategy from session_v1" |
    grep -qxF "exec:$mine" || fail "the session does not say by what"
leftover
# Known trials are told before the first question; then it fails. What was found
# is stored, and the next run goes on.
program <<END
$greet
told=0
while read -r word rest; do
    case \$word in
    tell) told=\$((told + 1)) ;;
    ask)
        [ \$told -ge 6 ] || echo bad
        n=\$((n + 1))
        [ \$n -le 2 ] || exit 9
        echo pass
        ;;
    esac
done
END
tune 1 --budget 20 --strategy "exec:$mine"
json shapes.0.stopped=strategy shapes.0.trials=8 shapes.0.winner shapes.0.verdict
err_has "saxpy n=5003 T=f32: after 8 trials the strategy '$mine' failed: it ended: exit status 9"
leftover
tune 0 --budget 9 --strategy "exec:$work/strategy"
json shapes.0.stopped=budget shapes.0.trials=9 shapes.0.resumed=8
# Before anything was tried.
rm "$HONE_DB"
echo 'exit 1' | program
tune 3 --budget 9 --strategy "exec:$mine"
err_has "failed: it ended: exit status 1"
