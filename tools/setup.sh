# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What tools/quickstart and tools/check share: Debian packages, configure,
# build. Sourced from the root of the tree.

# packages_of KIND: its rows of tools/packages.def, as "proof:package".
packages_of() {
    sed -n "s/^PACKAGE($1, \"\([^\"]*\)\", \"\([^\"]*\)\".*/\1:\2/p" \
        tools/packages.def
}
# shellcheck disable=SC2034 # used by the scripts that source this
mapfile -t build_packages < <(packages_of build)
# shellcheck disable=SC2034
mapfile -t test_packages < <(packages_of test)
# shellcheck disable=SC2034
mapfile -t optional_packages < <(packages_of optional)

# Is the thing there: a path, a header or library in the system's folders, or
# a command?
present() {
    local found
    case $1 in
    /*) [ -e "$1" ] ;;
    *.h | *.so.*)
        for found in "/usr/include/$1" /usr/include/*/"$1" /usr/lib/*/"$1" \
            /usr/lib/gcc/*/*/"$1"; do
            [ ! -e "$found" ] || return 0
        done
        return 1
        ;;
    *) command -v "$1" >/dev/null 2>&1 ;;
    esac
}

# Install the packages of those entries whose proof is absent. Touches no
# network if nothing is.
install_missing() {
    local entry packages=()
    for entry in "$@"; do
        present "${entry%%:*}" || packages+=("${entry#*:}")
    done
    if [ "${#packages[@]}" -eq 0 ]; then
        echo "nothing is missing"
        return
    fi
    if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null 2>&1; then
        echo "missing: ${packages[*]}" >&2
        echo "Install them (as root on Debian: apt-get install ${packages[*]})." >&2
        return 1
    fi
    echo "installing ${packages[*]}"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq </dev/null
    apt-get install -y -qq --no-install-recommends "${packages[@]}" \
        </dev/null >/dev/null
}

# configure_and_build PRESET FOLDER [-DNAME=VALUE..] [TARGET..]
configure_and_build() {
    local preset=$1 folder=$2 options=() targets=()
    shift 2
    while [ $# -gt 0 ]; do
        case $1 in
        -D*) options+=("$1") ;;
        *) targets+=(--target "$1") ;;
        esac
        shift
    done
    if ! cmake --preset "$preset" -B "$folder" "${options[@]}" \
        >"$folder.configure.log" 2>&1 </dev/null; then
        cat "$folder.configure.log" >&2
        return 1
    fi
    rm -f "$folder.configure.log"
    cmake --build "$folder" "${targets[@]}" -- --quiet </dev/null
}
