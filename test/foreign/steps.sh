# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# shellcheck disable=SC2317    # functions are called by name
# Section "long" of maint/check: a build with libraries that are not the system's (--with-ucx,
# --with-hwloc), and the default build with another UCX at run time.  UCX and hwloc are those in
# MPICH's own source, which Debian does not build.  Needs common.sh and variant.sh.

FOREIGN=$ROOT/build/foreign     # what is compiled stays

# foreign_library NAME OPTION...: from the source in modules/NAME, into $FOREIGN/NAME.
foreign_library() {
    local name=$1 work=$FOREIGN/$1-work
    shift
    [ ! -e "$work/.done" ] || return 0
    rm -rf "$work" "${FOREIGN:?}/$name"
    mkdir -p "$work"
    cd "$work"
    "$ROOT/mpich/modules/$name/configure" --prefix="$FOREIGN/$name" --disable-static "$@"
    make -j"$(nproc)"
    make install
    touch .done
}

foreign_hwloc() {
    foreign_library hwloc --disable-cairo --disable-libxml2 --disable-opencl --disable-cuda \
        --disable-nvml --disable-rsmi --disable-levelzero --disable-gl
}

foreign_ucx() {
    foreign_library ucx --disable-logging --disable-debug --disable-assertions \
        --disable-params-check --disable-doxygen-doc --without-go --without-java --without-cuda \
        --without-rocm --without-knem --without-xpmem --without-verbs --without-rdmacm \
        CFLAGS='-O2 -Wno-error'
}

# talks_and_spawns PREFIX WHERE...: programs of its mpicc; libmpi loads libraries below each WHERE.
talks_and_spawns() {
    local prefix=$1 program where said
    shift
    for program in containers/all_talk launchers/job; do
        "$prefix/bin/mpicc" -O2 -o "$OUT/foreign-$(basename $program)" "$ROOT/test/$program.c"
    done
    for where; do
        ldd "$OUT/foreign-job" | grep -F " $where/" || { echo "nothing of $where is loaded";
            return 1; }
    done
    said=$(MPIEXEC_TIMEOUT=60 "$prefix/bin/mpiexec" -n 4 "$OUT/foreign-all_talk")
    printf '%s\n' "$said"
    [ "$said" = "4 processes: all data are right" ]
    said=$(MPIEXEC_TIMEOUT=60 "$prefix/bin/mpiexec" -n 2 "$OUT/foreign-job" spawn)
    printf '%s\n' "$said"
    [ "$said" = "spawned, all is right" ]
}

build_with_foreign() {
    "$ROOT/maint/build" --as=foreign --without-fortran "--with-ucx=$FOREIGN/ucx" \
        "--with-hwloc=$FOREIGN/hwloc"
}

foreign_build_runs() { talks_and_spawns "$ROOT/install-foreign" "$FOREIGN/ucx" "$FOREIGN/hwloc"; }

foreign_ucx_at_run_time() {
    LD_LIBRARY_PATH=$FOREIGN/ucx/lib talks_and_spawns "$PREFIX" "$FOREIGN/ucx"
}
