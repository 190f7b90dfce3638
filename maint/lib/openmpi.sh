# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# The Open MPI that benchmarks compare with (upstream.ini), for maint/build --openmpi.  Needs
# common.sh, packages.sh and variant.sh.

# dir_or OPTION WORD DIR: its configure looks in /usr only where no directory is named.
dir_or() { if [ "$3" = /usr ]; then echo "$1$2"; else echo "$1=$3"; fi; }

# UCX, but without Fortran, OpenSHMEM and what else the machine may have.  Its own PMIx and PRRTE:
# an older Debian's are too old.
openmpi_args() {
    printf '%s\n' "--prefix=$PREFIX" --with-pmix=internal --with-prrte=internal \
        --with-libevent=external --enable-mpi-fortran=no --disable-oshmem --disable-sphinx \
        --without-ofi --without-psm2 CC=gcc CXX=g++
    dir_or --with-hwloc =external "$HWLOC"
    dir_or --with-ucx '' "$UCX"
}

openmpi_unpack() {
    rm -rf "$TREE.part" "$TREE"
    mkdir -p "$TREE.part"
    tar -xf "$1" -C "$TREE.part" --strip-components=1
    mv "$TREE.part" "$TREE"
}

openmpi_configure() {
    rm -rf "$BUILD"
    mkdir -p "$BUILD"
    cd "$BUILD"
    "$TREE/configure" "$@"
}

# build_openmpi RECONFIGURE INSTALL: what the tarball, the arguments and the prefix ask for, where
# that is not there yet.
build_openmpi() {
    local tarball wish args
    VARIANT=openmpi
    TREE=$STATE/openmpi-tree
    BUILD=$STATE/openmpi
    LOG=$LOGS/$VARIANT
    need_packages build ucx hwloc openmpi
    exec 9>"$LOG.lock"
    flock -n 9 || { say "another maint/build of $VARIANT is at work: waiting" && flock 9; }
    tarball=$("$ROOT/maint/fetch" --print openmpi)
    mapfile -t args < <(openmpi_args)
    wish=$(pin openmpi sha256; printf '%s\n' "${args[@]}")
    if [ -z "$1" ] && [ "$wish" = "$(cat "$BUILD/.installed" 2>/dev/null)" ] &&
        [ -x "$PREFIX/bin/mpicc" ]; then
        return
    fi
    if [ -n "$1" ] || [ "$wish" != "$(cat "$BUILD/.configured" 2>/dev/null)" ]; then
        step "$VARIANT: unpack" "$LOG.unpack.log" "is there room in $STATE?" \
            openmpi_unpack "$tarball"
        step "$VARIANT: configure" "$LOG.configure.log" "see also $BUILD/config.log" \
            openmpi_configure "${args[@]}"
        printf '%s\n' "$wish" >"$BUILD/.configured"
    fi
    step "$VARIANT: make -j$JOBS" "$LOG.make.log" \
        "make -C $BUILD shows the first error again; or maint/build --openmpi --reconfigure" \
        make -C "$BUILD" "-j$JOBS"
    [ -n "$2" ] || return 0
    step "$VARIANT: install" "$LOG.install.log" "is $PREFIX writable?" make -C "$BUILD" install
    printf '%s\n' "$wish" >"$BUILD/.installed"
}
