#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every option, command, exit code, status and environment variable is in
# the help and in the source of the man page.
set -eu
build=$(dirname "${HONE:?}")/..
docgen="$build/tools/docgen"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "${HONE_SOURCE:?}"
# shellcheck disable=SC1003 # the backslashes of scdoc's escapes
for page in hone.1 hone-template.5 hone-pack.5 hone-record.5 hone-strategy.5; do
    "$docgen" man "tools/man/$page.scd"
done | tr -d '\134' >"$work/man"
"$docgen" man tools/man/hone.3.scd runtime/hone.h | tr -d '\134' >"$work/api"
"$docgen" man tools/man/hone-db.5.scd db/FORMAT.md "$work/docgen.db" |
    tr -d '\134' >"$work/format"
if grep '^@' "$work/man" "$work/api" "$work/format"; then
    echo "tools/man: the marks above were not replaced"
    exit 1
fi
failed=0
need() { # need FILE WORD WHAT
    grep -qF -e "$2" "$1" || {
        echo "$3: '$2' is not in $(basename "$1")"
        failed=1
    }
}

"$HONE" --help >"$work/help"
commands=$(sed -n 's/^COMMAND(\([a-z]*\),.*/\1/p' tools/base/commands.def)
[ -n "$commands" ]
for command in $commands; do
    need "$work/help" "  $command " "command"
    need "$work/man" "## hone $command" "command"
    "$HONE" "$command" --help >"$work/help.$command"
    "$HONE" help "$command" | cmp - "$work/help.$command"
    head -n 1 "$work/help.$command" | grep -q "^Example: hone $command" || {
        echo "$command --help does not begin with an example"
        failed=1
    }
done

# Topics: named by the program's help, listed by `hone help TOPIC`, with every
# name of the tables, and all of it in a man page.
topic_has() { # topic_has TOPIC < the names
    "$HONE" help "$1" >"$work/topic"
    sort -u >"$work/names"
    [ -s "$work/names" ] || {
        echo "no names of the topic $1 were found"
        failed=1
    }
    while read -r name; do
        need "$work/topic" "  $name" "topic $1"
        need "$work/man" "*$name*" "topic $1"
    done <"$work/names"
}
for topic in $("$HONE" help |
    sed -n '/^Topics/,/^$/s/^  \([a-z]*\) .*/\1/p' | tee "$work/topics"); do
    need "$work/man" "*$topic*" "topic"
    "$HONE" help "$topic" >"$work/topic"
    head -n 1 "$work/topic" | grep -qx "Example: hone help $topic"
done
[ "$(wc -l <"$work/topics")" -ge 10 ]
find templates -name '*.cu*' -exec grep -h '^#pragma hone' {} + \
    >"$work/statements"
# What another template is to them is one name of the table.
sed 's/template\.[a-z0-9_]*/template.NAME/g' "$work/statements" >"$work/names_of"
sed -n 's/^#pragma hone check \([A-Za-z0-9_.]*\).*/\1/p' "$work/names_of" |
    grep -vx none | topic_has references
sed -n 's/^#pragma hone baseline //p' "$work/names_of" | tr -d ' ' | tr ',' '\n' |
    grep -v '^cub\.' | topic_has baselines
sed -n 's/^ *{"\([a-z_]*\)", "--.*/\1/p' gen/parse/rate.c |
    topic_has options
sed -n 's/^ *X([A-Z0-9]*, [0-9]*, "\([a-z0-9]*\)", [0-9]*, .*/\1/p' \
    runtime/hone.h | topic_has types
grep -o 'device\.[a-z_0-9]*' "$work/statements" | topic_has device

# Options: those of options.def in the man page, and in the help of a command
# exactly if the table gives the option to it.
sed -n 's/^OPTION([A-Z_]*, "\([a-z-]*\)".*/\1/p' tools/base/options.def \
    >"$work/options"
[ -s "$work/options" ]
while read -r option; do
    need "$work/man" "*--$option*" "option"
    cat "$work"/help.* >"$work/helps"
    need "$work/helps" "--$option" "option"
    # One that no command reads would be accepted and ignored.
    id=HONE_OPT_$(echo "$option" | tr 'a-z-' 'A-Z_')
    grep -rqwE "$id" tools --include='*.c' || {
        echo "option --$option is in options.def, and nothing reads it"
        failed=1
    }
done <"$work/options"

sed -n 's/^ *X(\(HONE_[A-Z_]*\), [0-9]*,.*/\1/p' runtime/hone.h |
    grep -E '^HONE_(OK|ERR_)' >"$work/statuses"
while read -r status; do
    need "$work/man" "*$status*" "status"
    grep -qE "X\($status, [A-Z]+\)" tools/base/exit_code.h || {
        echo "$status has no exit code in tools/base/exit_code.h"
        failed=1
    }
done <"$work/statuses"

# What is given to getenv(), and our own names in tables that lead there.
grep -rhoE '((getenv|set_env)\("[A-Z_]+"|"HONE_[A-Z_]+")' \
    runtime db gen tuner tools --include='*.c' |
    sed 's/.*"\(.*\)"/\1/' | grep -v '^HONE_ERR_' | sort -u \
    >"$work/variables"
[ -s "$work/variables" ]
while read -r variable; do
    case $variable in
    PATH) continue ;; # every shell's
    esac
    need "$work/man" "*$variable*" "environment variable"
done <"$work/variables"

# hone(3): every function; what it returns, and whose it is what it makes.
tr '\n' ' ' <runtime/hone.h | tr ';' '\n' |
    sed -n 's/.*HONE_API \([^;]*[ *]\(hone_[a-z_]*\)(.*\)/\2 \1/p' >"$work/functions"
[ "$(wc -l <"$work/functions")" -gt 20 ]
while read -r name declaration; do
    sed -n "/^## $name\$/,/^##* /p" "$work/api" >"$work/section"
    need "$work/section" "$name(" "hone(3)"
    case $declaration in
    hone_status\ *) grep -qE 'HONE_OK|what hone_.* returns?' "$work/section" || {
        echo "hone(3): $name does not say what it returns"
        failed=1
    } ;;
    esac
    case $declaration in
    *"char **out"*) ;;
    *"**out"*) grep -qE '(free|close|destroy)' "$work/section" || {
        echo "hone(3): $name does not say who frees what it makes"
        failed=1
    } ;;
    esac
done <"$work/functions"
sed -n 's/^#define \(HONE_[A-Z_]*\)(.*/\1/p; s/^} \(hone_[a-z_]*\);/\1/p' \
    runtime/hone.h | sort -u | grep -vE '_(ENUM|kind|type|level|mode|status)$' >"$work/types"
while read -r name; do
    need "$work/api" "## $name" "hone(3), type or macro"
done <"$work/types"

# hone-db(5): every view with its columns, every table, and the version that
# the program makes.
while read -r column; do
    view=${column%%.*}
    need "$work/format" "## $view" "hone-db(5), view"
    # Those of ranked_v1 and default_v1 are said to be as of another view.
    need "$work/format" "*${column#*.}*" "hone-db(5), column of $view"
done <tests/db/views.golden
cat db/schema*.sql |
    sed -n 's/^CREATE TABLE \([a-z_]*\).*/\1/p; s/^ALTER TABLE [a-z]* ADD COLUMN \([a-z_0-9]*\).*/\1/p' |
    grep -v '_$' | sort -u >"$work/tables"
while read -r name; do
    need "$work/format" "*$name*" "hone-db(5), table or column"
done <"$work/tables"
version=$(find db -name 'schema_*.sql' | sed 's/.*_\([0-9]*\).sql/\1/' |
    sort -n | tail -n 1)
need db/FORMAT.md "| \`user_version\` | $version, the format version |" "version"
need db/FORMAT.md "| $version | " "version"

# A C++ example of a document is a whole template, or says what it is part of;
# tests/tools/tools_examples.sh runs them.
for document in README.md gen/TEMPLATE.md; do
    awk -v document="$document" '
    /^```c\+\+$/ { line = FNR; whole = 0; next }
    /^```c\+\+ in=/ {
        file = "tests/tools/examples/example_" substr($2, 4) ".cu"
        if ((getline ignored <file) < 0)
            print document ":" FNR ": there is no " file
        close(file)
    }
    line && /^#pragma hone op / { whole = 1 }
    line && /^```$/ {
        if (!whole)
            print document ":" line ": no whole template: write ```c++ " \
                "in=NAME, and example_NAME.cu in tests/tools/examples/"
        line = 0
    }' "$document"
done >"$work/examples"
if [ -s "$work/examples" ]; then
    cat "$work/examples"
    failed=1
fi
exit $failed
