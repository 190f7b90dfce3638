#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: moved.sh PREFIX
#
# A copy of the installation in PREFIX compiles, links and runs with its own headers and libraries:
# by its wrappers, by a symbolic link to one, and by pkg-config.
set -euo pipefail

PREFIX=$(readlink -f "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
moved=$work/place
mkdir -p "$work/bin" "$moved"
cp -a "$PREFIX/." "$moved/"
ln -s "$moved/bin/mpicc" "$work/bin/mpicc"

cat >"$work/one.c" <<'PROGRAM'
#include <mpi.h>
int main(int argc, char **argv)
{
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Finalize();
    return size != 2;
}
PROGRAM

# is_of_copy PROGRAM: it takes the library of the copy, and runs.
is_of_copy() {
    local libraries
    libraries=$(ldd "$1")
    grep -q "libmpi.so.* => $moved/" <<<"$libraries" ||
        { echo "$1 does not take the library of the copy:"; echo "$libraries"; exit 1; }
    "$moved/bin/mpiexec" -n 2 "$1"
}

"$moved/bin/mpicc" -o "$work/one" "$work/one.c" && is_of_copy "$work/one"
(cd "$work/bin" && ./mpicc -o "$work/two" "$work/one.c") && is_of_copy "$work/two"
# shellcheck disable=SC2046    # words, as in a Makefile
cc -o "$work/three" "$work/one.c" $(PKG_CONFIG_PATH=$moved/lib/pkgconfig pkg-config --cflags \
    --libs mpich)
is_of_copy "$work/three"
grep -q -- "-I$moved/include" <<<"$("$moved/bin/mpicc" -show)" ||
    { echo "the wrapper takes headers from elsewhere"; exit 1; }
grep -q 'compressed communicators' <<<"$("$moved/bin/mpichversion")"
