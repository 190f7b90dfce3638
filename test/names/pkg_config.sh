#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: pkg_config.sh PREFIX
#
# A program is compiled with what pkg-config says of the MPI in PREFIX.  It is linked with libmpi
# alone, and with the libraries of libmpi only if they are asked for.
set -euo pipefail

PREFIX=$1
export PKG_CONFIG_PATH=$PREFIX/lib/pkgconfig
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

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
# shellcheck disable=SC2046    # words, as in a Makefile
cc -o "$work/one" "$work/one.c" $(pkg-config --cflags --libs mpich)
"$PREFIX/bin/mpiexec" -n 2 "$work/one"

others=$(pkg-config --libs-only-l mpich | tr ' ' '\n' | grep -v '^-lmpi$' || true)
[ -z "$others" ] || { echo "pkg-config --libs mpich names $others"; exit 1; }
grep -q -- -lucp <<<"$(pkg-config --static --libs-only-l mpich)" ||
    { echo "pkg-config --static --libs mpich does not name libucp"; exit 1; }
