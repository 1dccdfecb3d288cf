#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# An installed hone finds its templates and its documentation where it was
# put, without help from the environment.
. "$(dirname "$0")/hone_test.sh"
unset HONE_TEMPLATE_PATH
build=$(dirname "$HONE")/..
prefix=$work/somewhere
cmake --install "$build" --prefix "$prefix" >"$work/out" 2>"$work/err" ||
    fail "cmake --install"

HONE=$prefix/bin/hone
run 0 space saxpy --count
run 0 expand gemm/wmma
run 0 doctor
out_has "$prefix/share/hone/templates"
run 3 space nosuch
err_has "templates/elementwise ("
for file in include/hone.h share/bash-completion/completions/hone \
    share/zsh/site-functions/_hone share/fish/vendor_completions.d/hone.fish \
    share/doc/hone/TEMPLATE.md share/doc/hone/LICENSE \
    share/doc/hone/README.md share/doc/hone/FORMAT.md; do
    [ -s "$prefix/$file" ] || fail "$file is not installed"
done
# The quickstart builds what is installed: everything, of a build without tests.
grep -qx 'configure_and_build release build -DHONE_BUILD_TESTS=OFF' \
    "$HONE_SOURCE/tools/quickstart" || fail "the quickstart leaves things out"
[ -n "$(find "$prefix" -name 'libhone.so')" ] || fail "no libhone.so"
if command -v scdoc >/dev/null; then
    [ -s "$prefix/share/man/man1/hone.1" ] || fail "no hone(1)"
    [ -s "$prefix/share/man/man5/hone-template.5" ] ||
        fail "no hone-template(5)"
    for page in man5/hone-pack.5 man5/hone-record.5 man5/hone-strategy.5 man5/hone-db.5 man3/hone.3 \
        man3/hone_open.3; do
        [ -s "$prefix/share/man/$page" ] || fail "no $page"
    done
    sed -n 's/^HONE_API.*[ *]\(hone_[a-z_]*\)(.*/\1/p' "$prefix/include/hone.h" \
        >"$work/functions"
    while read -r name; do
        [ -s "$prefix/share/man/man3/$name.3" ] || fail "no $name(3)"
    done <"$work/functions"
    commands=$(sed -n 's/^COMMAND(\([a-z]*\),.*/\1/p' \
        "$HONE_SOURCE/tools/base/commands.def")
    for name in $commands; do
        [ -s "$prefix/share/man/man1/hone-$name.1" ] ||
            fail "no hone-$name(1)"
        "$HONE" "$name" --help | grep -oE -e '--[a-z-]+' | sort -u \
            >"$work/options"
        while read -r option; do
            grep -qF -e "$option" "$prefix/share/man/man1/hone-$name.1" ||
                fail "hone-$name(1) lacks $option"
        done <"$work/options"
    done
fi
# Nothing in it names the folder it was built in; the sanitizers' own records
# do, -ffile-prefix-map does not reach them.
if ! grep -q __ubsan "$HONE" && grep -qF -e "$HONE_SOURCE/tools/" "$HONE"; then
    fail "a path of the build is inside"
fi

if command -v bash >/dev/null; then
    bash -c '. "$1"; COMP_WORDS=(hone tune --di); COMP_CWORD=2; _hone
        printf "%s\n" "${COMPREPLY[@]}"' - \
        "$prefix/share/bash-completion/completions/hone" >"$work/out"
    out_is "--dims"
    bash -c '. "$1"; COMP_WORDS=(hone tune --format c); COMP_CWORD=3; _hone
        printf "%s\n" "${COMPREPLY[@]}"' - \
        "$prefix/share/bash-completion/completions/hone" >"$work/out"
    out_is "csv"
fi
# Every command with every option of its help, in all three.
completion=$prefix/share/fish/vendor_completions.d/hone.fish
sed -n 's/^OPTION([A-Z_]*, "\([a-z-]*\)".*/\1/p' \
    "$HONE_SOURCE/tools/base/options.def" >"$work/options"
while read -r option; do
    grep -q -e " -l $option " "$completion" || fail "fish: no --$option"
    grep -qF -e "--$option" "$prefix/share/zsh/site-functions/_hone" ||
        fail "zsh: no --$option"
done <"$work/options"
if command -v fish >/dev/null; then
    fish -c 'source "'"$completion"'"; complete -C "hone tune --form"
        complete -C "hone show --format c"; complete -C "hone run --str"' \
        >"$work/out" 2>&1
    [ "$(cut -f1 "$work/out" | tr '\n' ' ')" = "--format csv " ] ||
        fail "completion of fish"
fi
if command -v zsh >/dev/null; then
    zsh -n "$prefix/share/zsh/site-functions/_hone" ||
        fail "completion of zsh"
fi
exit 0
