#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: check_step.sh [options of maint/build] -- COMMAND [ARGUMENT]...
#
# Runs a command, or a function of the libraries beside this file and of test/*/steps.sh, for
# maint/check.  OUT is the folder of its results.  A line of a function that fails is a failure.
# shellcheck disable=SC2317,SC2034    # functions are called by name
set -euo pipefail
. "$(dirname "$0")/common.sh"
PROGRAM=check
. "$ROOT/maint/lib/packages.sh"
. "$ROOT/maint/lib/variant.sh"
for library in "$ROOT"/maint/lib/{suite,fresh}.sh "$ROOT"/test/*/steps.sh; do
    . "$library"
done

OPTIONS=()
while [ "$1" != -- ]; do
    variant_option "$1" || die "unknown option $1"
    OPTIONS+=("$1")
    shift
done
shift
variant_paths
export PREFIX

variant_shown() {
    local name
    for name in KIND NETMOD THREAD_CS FORTRAN BUILD PREFIX; do echo "$name=${!name}"; done
}

# Nothing runs without those of the build.
# shellcheck disable=SC2046    # words
get_packages_of_check() { get_packages "$@" && need_packages $(variant_packages); }

# write_missing_packages FILE SET...: one a line.
# shellcheck disable=SC2046    # words
write_missing_packages() { missing_packages $(required_sets "${@:2}") >"$1"; }

first_line_fails() {
    false
    echo reached
}

fails_once() {
    echo "seed 17"
    [ -e "$1" ] || { touch "$1"; false; }
}

"$@"
