#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every example works: those of the help, of the man pages, and every fenced
# block of the documents. Commands are run in an empty folder, templates are
# read, expanded and verified, or compiled where the cpu device has no form of
# them, C is compiled and run. What is not run is said, with the reason.
. "$(dirname "$0")/hone_test.sh"
examples=$here/examples
# No GPU here, so that tuning ends at once.
HONE_CUDA_LIBRARY=$work/none/libcuda.so.1
HONE_DB=$work/examples.db
HONE_CACHE_DIR=${HONE_TEST_CACHE:-$work/cache}
export HONE_CUDA_LIBRARY HONE_DB HONE_CACHE_DIR
has_cxx=0
command -v "${CXX:-c++}" >/dev/null && has_cxx=1
has_nvrtc=0
"$HONE" doctor --require nvrtc >/dev/null 2>&1 && has_nvrtc=1
mkdir "$work/scratch" "$work/blocks"
cd "$work/scratch"
place=tables # where the example stands
trap '[ $? -eq 0 ] || echo "in the example at $place"; rm -rf "$work"' EXIT

not_run() { echo "not run: $place: $1: $2"; }
broken() { fail "$place: $*"; }

# ---- commands -------------------------------------------------------------

# hone_example "hone COMMAND ..": it exits as it must on a machine without GPU
# and recordings.
hone_example() {
    case $1 in
    "hone verify"* | "hone tune"*"--device cpu"*)
        [ "$has_cxx" -eq 1 ] || {
            not_run "$1" "there is no C++ compiler"
            return
        }
        wanted=0
        # As they stand they take minutes; the last of an option counts.
        case $1 in
        *verify*) set -- "$1 --limit 1" ;;
        *) set -- "$1 --budget 2" ;;
        esac
        ;;
    "hone tune --shapes FILE"* | "hone tune --shapes shapes.txt"*) wanted=3 ;; # no such file
    "hone record"* | "hone with"*)
        not_run "$1" "a program that calls cuBLAS: tests/blas/preloaded.sh"
        return
        ;;
    "hone tune"* | "hone run"* | "hone bench"*) wanted=4 ;;
    "hone simulate"*) wanted=3 ;; # no such file
    "hone explain saxpy"*)
        not_run "$1" "depends on what was tuned before: tools_explain.sh"
        return
        ;;
    "hone export"* | "hone import"*)
        not_run "$1" "depends on what was tuned before: tools_export.sh"
        return
        ;;
    "hone report"*)
        not_run "$1" "depends on what was tuned before: tools_report.sh"
        return
        ;;
    "hone top --db"* | "hone merge"* | "hone explain"* | "hone diff"* | "hone check"* | "hone gc"*) wanted=3 ;; # no database
    "hone submit"* | "hone status"*) wanted=3 ;; # no shared folder
    "hone pack"*) wanted=3 ;; # nothing is tuned for a GPU here
    "hone compile"* | *"--require"*)
        not_run "$1" "depends on NVRTC: tools_compile.sh"
        return
        ;;
    *) wanted=0 ;;
    esac
    # The words as a shell reads them: examples quote.
    eval "run $wanted ${1#hone }"
}

# One line of a block of shell commands.
shell_example() {
    case $1 in
    build/bin/hone*) hone_example "${1#build/bin/}" ;;
    hone*) hone_example "$1" ;;
    sqlite3*)
        if command -v sqlite3 >/dev/null; then
            [ -s hone.db ] || "$(dirname "$HONE")/../tests/make_db" hone.db
            sh -c "$1" >"$work/out" 2>"$work/err" || broken "$1"
        else
            not_run "$1" "sqlite3 is not installed"
        fi
        ;;
    tools/quickstart*) not_run "$1" "it changes the machine" ;;
    "cmake --install"*) not_run "$1" "tools_install.sh installs" ;;
    tools/check* | ctest* | tests/under_load.sh* | *cmake\ *)
        not_run "$1" "this test is a part of it" ;;
    "sh tests/gpu/"*) not_run "$1" "it needs a GPU, and is run there" ;;
    *) broken "nobody knows how to run '$1': a case of tools_examples.sh" ;;
    esac
}

# ---- templates ------------------------------------------------------------

template_example() { # template_example FILE
    run 0 space "$1" --count
    run 0 expand "$1"
    if grep -q '^#pragma hone call ' "$1"; then
        run 0 verify "$1" --limit 1
        out_has "a function of NVIDIA's library"
    elif grep -q '^#pragma hone device cuda' "$1"; then
        if [ "$has_nvrtc" -eq 1 ]; then
            run 0 compile "$1" --arch sm_90 --limit 2
        else
            not_run "$(basename "$1")" "there is no NVRTC to compile it with"
        fi
    elif [ "$has_cxx" -eq 1 ]; then
        run 0 verify "$1" --limit 1
        grep -q '^checked: [1-9]' "$work/out" || broken "nothing was checked"
    fi
    # What it says for compilers that know nothing of hone.
    if [ "$has_cxx" -eq 1 ] && grep -q '^#ifndef HONE$' "$1"; then
        "${CXX:-c++}" -std=c++17 -x c++ -fsyntax-only -w -D__global__= "$1" \
            >"$work/out" 2>"$work/err" || broken "it cannot be compiled by hand"
    fi
}

# Puts a block into what surrounds it, by the word `in=NAME`, and prints the
# file's name.
surround() { # surround BLOCK SUFFIX
    name=$(sed -n 's/.*in=\([a-z_]*\).*/\1/p' "${1%.*}.info")
    [ -n "$name" ] || {
        echo "$1"
        return
    }
    sed -e "/EXAMPLE/{r $1" -e 'd;}' "$examples/example_$name.$2" \
        >"$work/blocks/$name.$2"
    echo "$work/blocks/$name.$2"
}

cxx_example() { # cxx_example BLOCK
    header=$(sed -n 's/.*as=\([a-z_.]*\).*/\1/p' "${1%.*}.info")
    if [ -n "$header" ]; then
        # Run with the template below that includes it.
        cp "$1" "$(dirname "$1")/$header"
        grep -qF "#include \"$header\"" "$(dirname "$1")"/[0-9]*.c++ ||
            broken "no example of this document includes $header"
    elif grep -q 'in=' "${1%.*}.info" || grep -q '^#pragma hone op ' "$1"; then
        cp "$(surround "$1" cu)" "$1.cu"
        template_example "$1.cu"
    else
        broken "this is no whole template: give the fence an info string" \
            "'c++ in=NAME', and tests/tools/examples/example_NAME.cu what" \
            "stands around it; or 'c++ as=NAME' if another one includes it"
    fi
}

# ---- C --------------------------------------------------------------------

c_example() { # c_example BLOCK
    library=$(dirname "$HONE")/../lib
    [ "$has_cxx" -eq 1 ] || return 0
    # A library with a sanitizer wants it in the program as well.
    sanitize=
    ! nm -D "$library/libhone.so" 2>/dev/null | grep -q __asan_init ||
        sanitize=-fsanitize=address,undefined
    "${CC:-cc}" ${sanitize:+"$sanitize"} -std=c11 -Wall -Wextra -Werror -I "$HONE_SOURCE/runtime" \
        "$(surround "$1" c)" -L "$library" -Wl,-rpath,"$library" -lhone \
        -o "$work/program" >"$work/out" 2>"$work/err" ||
        broken "it does not compile"
    HONE_DEVICE=cpu "$work/program" >"$work/out" 2>"$work/err" ||
        broken "it does not run"
}

# ---- where they are -------------------------------------------------------

count=0
sed -n 's/^COMMAND(\([a-z]*\),.*/\1/p' "$HONE_SOURCE/tools/base/commands.def" \
    >"$work/commands"
while read -r name; do
    run 0 "$name" --help
    sed -n '1s/^Example: //p' "$work/out" >>"$work/examples"
    count=$((count + 1))
done <"$work/commands"
[ "$count" -gt 5 ] || fail "no commands found"

# Every block of every document; commands are kept for later, so that each is
# run once.
cd "$HONE_SOURCE"
git ls-files '*.md' 2>/dev/null | grep -v '^docs/results/' >"$work/documents" ||
    find . -name '*.md' | sed 's|^\./||' |
    grep -vE '^docs/results|(^|/)build' >"$work/documents"
printf '%s\n' tools/man/hone.1.scd tools/man/hone-template.5.scd \
    >>"$work/documents"
cd "$work/scratch"
mkdir -p ../include/mylib
echo 'static __device__ float mylib_step(long long i) { return (float)i; }' \
    >../include/mylib/step.cuh
blocks=0
while read -r document; do
    folder=$work/blocks/$(echo "$document" | tr / _)
    mkdir -p "$folder/mylib/include"
    cp -r ../include "$work/blocks/"
    cp "$examples/"*_plain.cu "$fixtures/norms_plain.cu" "$folder"
    plain=""
    [ "${document%.scd}" = "$document" ] || plain=c++
    awk -v out="$folder" -v plain="$plain" -f "$here/examples.awk" \
        "$HONE_SOURCE/$document"
    for block in "$folder"/[0-9]*.*; do
        [ -f "$block" ] || continue # this document has none
        kind=${block##*.}
        number=$(basename "$block" ".$kind")
        place=$document:$number
        case $kind in
        info) ;;
        sh)
            sed 's/  *#.*//; /^$/d' "$block" | sed "s|^|$place |" \
                >>"$work/lines"
            ;;
        c++) cxx_example "$block" ;;
        c) echo "$block" >>"$work/programs" ;;
        cmake)
            [ "$document" = README.md ] ||
                broken "consumer.sh configures that of README.md alone"
            not_run "a project" "tests/consumer/consumer.sh configures it"
            ;;
        cuda | cpp | python)
            [ "$document" = README.md ] ||
                broken "programs.sh compares those of README.md alone"
            not_run "a part of a program" "tests/consumer/programs.sh has it"
            ;;
        untagged) broken "statements that nobody runs: give the fence 'c++'" ;;
        *) broken "examples of the kind '$kind' are not run by anybody" ;;
        esac
        [ "$kind" = info ] || blocks=$((blocks + 1))
    done
done <"$work/documents"
[ "$blocks" -ge 20 ] || fail "only $blocks blocks were found"
# shellcheck disable=SC1003 # the backslashes of scdoc's escapes
sed -n 's/^\t\*\(hone .*\)\*$/\1/p' "$HONE_SOURCE/tools/man/hone.1.scd" |
    tr -d '\\' >>"$work/examples"
sed 's/^/tables /' "$work/examples" >>"$work/lines"
sort -u -k 2 "$work/lines" >"$work/different"
[ "$(wc -l <"$work/different")" -ge 20 ] || fail "commands were not found"
# Tuning first: what follows shows what it has found.
{
    grep -- '--device cpu' "$work/different"
    grep -v -- '--device cpu' "$work/different"
} >"$work/ordered"
while read -r where line; do
    place=$where
    shell_example "$line"
done <"$work/ordered"
# Last, since programs launch what was tuned.
while read -r block; do
    place=$block
    c_example "$block"
done <"$work/programs"
echo "$blocks blocks, $(wc -l <"$work/ordered") commands"
