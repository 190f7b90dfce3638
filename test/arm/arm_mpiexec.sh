#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: arm_mpiexec.sh [argument of mpiexec]...
#
# Runs $NATIVE_MPIEXEC, with qemu before each program of aarch64 that is named ./PROGRAM.
ROOT=$(cd "$(dirname "$0")/../.." && pwd)
words=()
for word; do
    [[ $word != ./* ]] || words+=(qemu-aarch64 -L "$ROOT/build/arm/root")
    words+=("$word")
done
exec "$NATIVE_MPIEXEC" "${words[@]}"
