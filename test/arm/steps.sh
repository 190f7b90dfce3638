# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# shellcheck disable=SC2317    # functions are called by name
# Section "arm" of maint/check: the library for aarch64, made by Debian's cross compiler and run
# under qemu-user.  On a processor of x86, qemu keeps that one's order of memory: these tests show
# what compiles and computes, doc/reference/tested_machines.md has the orders.  In this sequence:
#
#   arm_sysroot         headers and libraries of Debian's arm64, into build/arm/root
#   arm_module NAME     the unit tests of a module; arm_modules: of all, one after the other
#   arm_library         libmpi and mpiexec, into build/mpich-arm and install-arm
#   arm_comm            comm of MPICH's suite, started by the native mpiexec
#
# A step for which packages cannot be had is skipped.  Needs common.sh, packages.sh, variant.sh,
# fresh.sh and suite.sh.

ARM=$ROOT/build/arm
ARM_ROOT=$ARM/root
ARM_HOST=aarch64-linux-gnu
ARM_PREFIX=$ROOT/install-arm
ARM_BUILD=$ROOT/build/mpich-arm
ARM_PACKAGES=libc6-dev,libstdc++6,libhwloc-dev,libucx-dev,libbz2-dev,libgtest-dev,libbdd-dev
# More ranks under qemu, on two cores, wait for each other too long.
ARM_RANKS=4
# Under qemu, processes cannot read each other's memory (process_vm_readv).
ARM_UCX_TLS=posix,self,tcp

arm_skip() {
    echo "$*"
    return 77
}

# What dies without packages must not end the step as a failure.
arm_packages() { (need_packages arm) || arm_skip "needs the packages of the set arm, maint/packages.txt"; }

# Absolute links lead out of the directory: the linker and qemu would follow them into the machine.
make_links_relative() {
    local link
    find "$1" -lname '/*' | while read -r link; do
        ln -sfn "$(realpath -ms --relative-to="$(dirname "$link")" "$1$(readlink "$link")")" "$link"
    done
}

arm_sysroot() {
    arm_packages || return
    [ ! -e "$ARM_ROOT/.done" ] || return 0
    [ -n "$(debian_sources)" ] || arm_skip "apt knows no Debian archive here" || return
    rm -rf --one-file-system "$ARM_ROOT"
    mkdir -p "$ARM"
    debian_sources | mmdebstrap --variant=extract --architectures=arm64 --include="$ARM_PACKAGES" \
        "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$ARM_ROOT" - ||
        arm_skip "no packages of arm64 can be had" || return
    make_links_relative "$ARM_ROOT"
    touch "$ARM_ROOT/.done"
}

# arm_compilers: for make and configure, one a line.
arm_compilers() {
    printf '%s\n' "CC=$ARM_HOST-gcc --sysroot=$ARM_ROOT" "CXX=$ARM_HOST-g++ --sysroot=$ARM_ROOT" \
        "AR=$ARM_HOST-ar"
}

# on_arm PROGRAM [ARGUMENT]...
on_arm() { qemu-aarch64 -L "$ARM_ROOT" "$@"; }

# GTEST_OUTPUT as for the native tests: each part writes its own file.
arm_part() {
    CMAP_TEST_DIR=$ROOT/test/unit GTEST_TOTAL_SHARDS=2 GTEST_SHARD_INDEX=$2 \
        GTEST_OUTPUT=${GTEST_OUTPUT:+$GTEST_OUTPUT$2.xml} \
        on_arm "$ARM/$1/release/unit" --gtest_brief=1
}

arm_module() {
    local compilers first status=0
    arm_sysroot || return
    mapfile -t compilers < <(arm_compilers)
    make -C "$ROOT/src/mpid/common/$1" "-j$(nproc)" "out=$ARM/$1" "${compilers[@]}" \
        "$ARM/$1/release/unit" || return
    arm_part "$1" 0 &
    first=$!
    arm_part "$1" 1 || status=$?
    wait "$first" && return "$status"
}

arm_modules() {
    local makefile
    for makefile in "$ROOT"/src/mpid/common/*/Makefile; do
        arm_module "$(basename "$(dirname "$makefile")")" || return
    done
}

# ---- the library ---------------------------------------------------------------------------------

arm_configure_args() {
    printf '%s\n' "--build=$(gcc -dumpmachine)" "--host=$ARM_HOST" "--prefix=$ARM_PREFIX" \
        --with-device=ch4:ucx "--with-ucx=$ARM_ROOT/usr" "--with-hwloc=$ARM_ROOT/usr" \
        --disable-static --enable-fortran=no "LIBS=$(cmap_libs)"
    arm_compilers
}

# arm_configured DIR SOURCE ARGUMENT...: runs SOURCE/configure in DIR, if it has not run there with
# these arguments.
arm_configured() {
    local dir=$1 source=$2
    shift 2
    [ "$(cat "$dir/.configured" 2>/dev/null)" != "$*" ] || return 0
    mkdir -p "$dir"
    (cd "$dir" && "$source/configure" "$@") || return
    echo "$*" >"$dir/.configured"
}

# As maint/build does: with precompiled headers, and a shell that is quick.
arm_make() {
    # shellcheck disable=SC2016    # make's words
    CCACHE_DEPEND=1 make -C "$ARM_BUILD" 'LIBTOOL=/bin/sh $(top_builddir)/libtool' \
        "CC=$ARM_HOST-gcc --sysroot=$ARM_ROOT -fpch-deps" "$@"
}

# The tree that maint/build has made: its configure scripts do not depend on the processor.
arm_library() {
    local args
    arm_sysroot || return
    "$ROOT/maint/build" --configure-only --quiet || return
    mapfile -t args < <(arm_configure_args)
    mkdir -p "$ARM_BUILD"
    ln -sfn "$ROOT/mpich" "$ARM_BUILD/tree"
    arm_configured "$ARM_BUILD" ./tree --no-recursion "${args[@]}" || return
    arm_make -f Makefile -f "$ROOT/maint/lib/precompiled.mk" precompiled || true
    arm_make "-j$(nproc)" || return
    rm -f "$ARM_BUILD"/src/include/*.gch
    arm_make install
}

# ---- MPICH's suite -------------------------------------------------------------------------------

# The native mpiexec starts qemu with the programs of the suite: arm_mpiexec.sh.
arm_comm() {
    # shellcheck disable=SC2034    # for suite.sh
    local BUILD=$ARM_BUILD TREE=$ROOT/mpich tap=$OUT/suite-arm-comm.tap
    local suite=$ARM_BUILD/test/mpi
    arm_library || return
    arm_configured "$suite" "$TREE/test/mpi" "--build=$(gcc -dumpmachine)" "--host=$ARM_HOST" \
        "--with-mpi=$ARM_PREFIX" --disable-fortran --disable-cxx || return
    MAX_RANKS=$ARM_RANKS filter_lists "$suite" comm
    build_tests "$suite" comm || return
    rm -f "$tap"
    NATIVE_MPIEXEC=$PREFIX/bin/mpiexec MPIEXEC=$ROOT/test/arm/arm_mpiexec.sh \
        run_tests "$suite" comm "$tap" "UCX_TLS=$ARM_UCX_TLS" || true
    grep '^not ok' "$tap" | grep -v '# *TODO' && return 1
    echo "$(grep -c '^ok' "$tap") tests of comm passed, of up to $ARM_RANKS ranks"
    grep -q '^1\.\.' "$tap"
}
