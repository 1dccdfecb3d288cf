#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hone explain: the winner beside the others, what matters, what failed, what a
# program gets; and where there is nothing.
. "$(dirname "$0")/hone_test.sh"
tests=$(dirname "$HONE")/../tests
db=$work/known.db
"$tests/make_db" "$db"
before=$(cksum <"$db")

run 0 explain gemm --db "$db"
out_has "Finalists"
out_has "1.500 us"
out_has "BLOCK=256"
out_has "(default)"
out_has "Decided"
out_has "too few trials to say which parameters matter"
out_has "off by one"
run 0 explain gemm --dims 64,64,64 --mode cold --db "$db" --format json
json schema_version=1 op=gemm dims=64,64,64 device="Test GPU" mode=cold \
    finalists.0.place=1 finalists.0.implementation=gemm \
    finalists.0.config=BLOCK=256 finalists.0.ratio=1.0 \
    finalists.1.ratio=1.5 finalists.1.config=BLOCK=128 \
    outcomes.0.trials=2 outcomes.1.outcome=wrong \
    outcomes.1.for_example="off by one" answers.0.dims=64,64,64 \
    answers.1.dims=73,64,64 decisions.0.kind=winner
run 0 explain gemm --limit 1 --db "$db" --format csv
[ "$(wc -l <"$work/out")" -eq 2 ] || fail "not one finalist"
[ "$before" = "$(cksum <"$db")" ] || fail "it was changed"

# A long name of an operation, as compilers give them.
long=tri_poi_fused_add_convolution_native_batch_norm_relu_threshold_backward_12
cp "$db" "$work/long.db"
run 0 sql --write "update problem set op = '$long' where op = 'gemm'" --db "$work/long.db"
run 0 sql --write "update template set op = '$long' where op = 'gemm'" --db "$work/long.db"
run 0 explain $long --db "$work/long.db" --format json
json op=$long finalists.0.config=BLOCK=256
run 0 report --op $long --db "$work/long.db" -o "$work/long.html"
grep -qF "$long" "$work/long.html" || fail "the name is cut"
grep -qF BLOCK=256 "$work/long.html" || fail "the section is empty"

# ---- what matters, on a GPU that is not here -------------------------------------
# 20 operations of which the time depends on TILE_N alone, in the 200 values that
# it has there, of which 64 are told apart.
"$tests/make_large" "$work/large.db" 40000
run 0 explain op_3 --db "$work/large.db" --format json
json flops=18874368 bytes=753664 flops_per_byte \
    finalists.0.limited_by=registers finalists.0.sm_clock_mhz=1980 \
    importance.0.parameter=TILE_N importance.0.values=64 \
    answers.0.match=exact answers.1.match
# Arrays of f16 and f32, 132 multiprocessors of sm_90 at 1980 MHz: 128 and 4096 / 2
# multiply-adds a clock of each. No copy was measured.
json "roofline.0.side=f32" roofline.0.most=66908.160000000003 roofline.0.unit=GFLOP/s \
    roofline.0.bound=null "roofline.1.side=tensor cores, 16 bits" \
    roofline.1.most=1070530.5600000001
run 0 explain op_3 --db "$work/large.db"
out_has "(registers)"
out_has "Where 'explained' is below 0.3 the shares say little."
for width in 60 80 120; do
    COLUMNS=$width run 0 explain op_3 --db "$work/large.db"
    awk -v most=$width 'length($0) > most || / $/ { exit 1 }' "$work/out" ||
        fail "wider than $width, or blanks at the end"
    out_has "(registers)"
done
out_has "The winner against the roofline"
# With a copy: 753664 bytes at 1000 GB/s, and 18874368 operations are 25 operations a byte,
# where f32 meets the copy at 67 a byte and f16 at 1071.
cp "$work/large.db" "$work/copied.db"
run 0 sql --db "$work/copied.db" --write "insert into baseline (session_id, name,
    label, choice, n_choices, time_ns, n_samples) select session_id, 'memcpy', 'copy',
    0, 1, 753.664, 8 from session"
run 0 explain op_3 --db "$work/copied.db" --format json
json "roofline.0.side=memory, by a copy" roofline.0.most=1000.0 \
    roofline.0.unit=GB/s "roofline.1.bound=by memory" "roofline.2.bound=by memory"
run 0 sql --db "$work/copied.db" --write "update baseline set time_ns = 10"
run 0 explain op_3 --db "$work/copied.db" --format json
json "roofline.1.side=f32" "roofline.1.bound=by operations"
out_has "tuned for these dimensions on"

# ---- a tune of this machine, two implementations ---------------------------------
HONE_DB=$work/tuned.db
export HONE_DB
run 0 tune saxpy --dims 5003 --device cpu --budget 8
run 0 explain saxpy --dims 5003 --format json
json finalists.0.place=1 answers.0.match=exact answers.1.match
"$tests/db_ask" "$HONE_DB" "select distinct template_name from trial_v1
    where outcome = 'ok'" >"$work/names"
while read -r name; do
    grep -q "\"implementation\": \"$name\"" "$work/out" ||
        fail "$name is not among the finalists"
done <"$work/names"
[ "$(wc -l <"$work/names")" -gt 1 ] || fail "there is one implementation"
# What follows from sizes grows with them: gemm's rows are 64 apart, then 73.
run 0 tune gemm/plain --dims 48,32,64 --device cpu --db "$work/gemm.db" -q
run 0 explain gemm --db "$work/gemm.db" --format json
json dims=48,32,64,1,4,0,0,64,32,32,1,3072,2048,1536,1,0,0 \
    answers.1.dims=48,32,73,1,4,0,0,73,32,32,1,3504,2336,1536,1,0,0
# A configuration of its own is shown as what differs from the default.
run 0 explain saxpy --full
out_has "VEC="

# ---- nothing ----------------------------------------------------------------------
run 3 explain nothing
err_has "nothing was tuned of nothing"
run 3 explain saxpy --dims 77
err_has "hone show problems"
run 3 explain saxpy --db "$work/none.db"
err_has "there is no database"
run 2 explain
run 3 explain saxpy --dims 5003,nonsense

# ---- code and counters, by programs that stand for NVIDIA's ------------------------
mkdir "$work/bin"
cat >"$work/bin/cuobjdump" <<'END'
#!/bin/sh
[ "$1" = -sass ] && [ -s "$2" ] && echo "        /*0000*/  IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28] ;"
END
cat >"$work/bin/ncu" <<'END'
#!/bin/sh
printf '%s\n' "$@" >"$NCU_WORDS"
echo "==PROF== Connected to process 1"
cat "$NCU_RAN" # what hone run says
echo "==PROF== Disconnected from process 1"
echo '"ID","Process ID","Kernel Name","Metric Name","Metric Unit","Metric Value"'
echo '"0","1","gemm(float, int)","dram__bytes_read.sum","byte","1,234,567"'
echo '"0","1","gemm(float, int)","gpu__time_duration.sum","nsecond","99"'
echo '"1","1","gemm(float, int)","gpu__time_duration.sum","nsecond","98.5"'
echo '"1","1","gemm(float, int)","lts__throughput","%","n/a"'
echo '"1","1","gemm(float, int)","sm__throughput","%","(!) nan"'
exit "${NCU_EXIT:-0}"
END
chmod +x "$work/bin/cuobjdump" "$work/bin/ncu"
NCU_WORDS=$work/words
HONE_DB=$work/large.db
NCU_RAN=$work/ran
export NCU_WORDS NCU_RAN
before=$(cksum <"$HONE_DB")
with_path() { (PATH="$work/bin:$PATH" && run "$@"); }
with_path 0 explain op_3 --sass
out_has "Instructions of the winner"
out_has "IMAD.MOV.U32"
with_path 0 explain op_3 --sass --format json
json sass
[ "$before" = "$(cksum <"$HONE_DB")" ] || fail "it was changed"
NCU_EXIT=1 with_path 0 explain op_3 --ncu
err_has "ncu gave no counters"
err_has "--clock-control none"
err_has "run op_3 --dims"
# Of another device, another variant or nobody, nothing is stored.
run 0 explain op_3 --format json
ran() { # ran DEVICE IMPLEMENTATION CONFIG: as hone run prints it
    printf '{\n  "op": "op_3",\n  "device": "%s",\n  "implementation": "%s",\n  "config": "%s"\n}\n' "$@" >"$NCU_RAN"
}
first() { grep -o "\"$1\": \"[^\"]*\"" "$work/out" | head -1 | cut -d'"' -f4; }
device=$(first device) config=$(first config)
[ -n "$config" ] || fail "no configuration of the winner"
ran "Another GPU" op_3 "$config"
with_path 0 explain op_3 --ncu
err_has "it ran on 'Another GPU', and was tuned on '$device'"
ran "$device" op_3 TILE_M=1
with_path 0 explain op_3 --ncu
err_has "another variant ran than the one that is explained"
ran "$device" other "$config"
with_path 0 explain op_3 --ncu
err_has "another variant ran than the one that is explained"
echo "hone: error" >"$NCU_RAN"
with_path 0 explain op_3 --ncu
err_has "nothing says which variant ran"
run 0 sql "SELECT count(*) AS n FROM counter_v1" --format csv
out_is "n
0"
ran "$device" op_3 "$config"
with_path 0 explain op_3 --ncu --format json
json counters.0.kernel=gemm counters.0.counter=dram__bytes_read.sum \
    counters.0.value=1234567.0 counters.0.unit=byte counters.1.value=98.5
for word in none all 'regex:^(gemm)$' run op_3 --mode "$HONE_DB" json; do
    grep -qxF -e "$word" "$NCU_WORDS" || fail "ncu did not get $word"
done
run 0 explain op_3
out_has "dram__bytes_read.sum"
run 0 sql "SELECT count(*) AS n FROM counter_v1" --format csv
out_is "n
2"
run 0 merge "$HONE_DB" --db "$work/merged.db"
[ "$("$tests/db_ask" "$work/merged.db" "select count(*) from counter")" -eq 2 ] ||
    fail "counters are not merged"
# The template of the winner is not here.
run 3 explain op_3 --ptx
err_has "there is no PTX of the winner"
HONE_DB=$work/tuned.db
run 3 explain saxpy --dims 5003 --ptx
err_has "only kernels for GPUs have PTX"
run 3 explain saxpy --dims 5003 --ncu
err_has "ncu counts on GPUs"
out_empty
if command -v objdump >/dev/null; then
    run 0 explain saxpy --dims 5003 --sass
    out_has "Disassembly"
fi
