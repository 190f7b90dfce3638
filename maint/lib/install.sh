# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# What maint/build installs and removes.  Needs common.sh and variant.sh; DESTDIR is in front of
# PREFIX for packages.

# The files and directories that an installation has made, in itself.
FILES=share/doc/mpich/installed_files

# The names by which programs of Debian ask for our libraries.
ABI_LIBRARIES=(mpi:mpich mpicxx:mpichcxx mpifort:mpichfort)

# pkg_config_file DIR NAME LIBRARY LANGUAGE FLAGS: for a language that needs a library beside
# libmpi.
pkg_config_file() {
    local main=$1/lib/pkgconfig/mpich.pc
    [ -e "$1/lib/$3.so" ] || return 0
    sed -n '/^[a-z_]*dir=\|^\(exec_\)\?prefix=\|^Version:\|^URL:/p' "$main" >"$1/lib/pkgconfig/$2.pc"
    cat >>"$1/lib/pkgconfig/$2.pc" <<END
Name: $2
Description: $4 bindings of MPICH
Requires: mpich
Libs: -L\${libdir} -l${3#lib}
Cflags: $(sed -n "s/^$5=//p" "$main")
END
}

# What make does not know of.
add_to_stage() {
    local pair ours dir=$1
    pkg_config_file "$dir" mpich-cxx libmpicxx C++ cxxflags
    pkg_config_file "$dir" mpich-fort libmpifort Fortran fcflags
    install -D -m 755 "$ROOT/packaging/mpiexec-abi" "$dir/bin/mpiexec-abi"
    install -D -m 644 "$ROOT/packaging/modulefile" "$dir/share/modulefiles/mpich-cmap"
    # its licence asks for it
    [ -z "$BUDDY" ] || install -D -m 644 "$TREE/src/mpid/common/cmap/buddy/README" \
        "$dir/share/doc/mpich/README.BuDDy"
    mkdir -p "$dir/lib/abi"
    for pair in "${ABI_LIBRARIES[@]}"; do
        ours=lib${pair%:*}.so.12
        [ ! -e "$dir/lib/$ours" ] || ln -sf "../$ours" "$dir/lib/abi/lib${pair#*:}.so.12"
    done
}

# in_order FROM TO [OLD]: what a copy of FROM to TO makes there: its files, and directories that are
# not there yet or that the list OLD has.
in_order() {
    local old=/dev/null
    [ ! -f "${3-}" ] || old=$3
    cd "$1" || return
    find . ! -type d -printf '%P\n'
    echo "$FILES"
    find . -mindepth 1 -type d -printf '%P/\n' | while read -r name; do
        if [ ! -d "$2/$name" ] || grep -qxF "$name" "$old"; then echo "$name"; fi
    done
}

# By way of a stage, so that what is installed is known.
install_files() {
    local stage=$BUILD/stage to=$DESTDIR$PREFIX list=$BUILD/stage.files
    rm -rf "$stage"
    make -C "$BUILD" install "DESTDIR=$stage" "$LIBTOOL" || return
    [ "$KIND" != patched ] || add_to_stage "$stage$PREFIX" || return
    in_order "$stage$PREFIX" "$to" "$to/$FILES" | LC_ALL=C sort -u >"$list"
    [ ! -f "$to/$FILES" ] || remove_listed "$to" <(LC_ALL=C comm -23 "$to/$FILES" "$list")
    mkdir -p "$to" && cp -a --remove-destination "$stage$PREFIX/." "$to/" &&
        install -D -m 644 "$list" "$to/$FILES" && rm -rf "$stage"
}

# remove_listed DIR LIST: the files, then the directories that are empty, the deepest first.
remove_listed() {
    local name
    LC_ALL=C sort -r "$2" | while read -r name; do
        case $name in
        */) rmdir --ignore-fail-on-non-empty "$1/$name" ;;
        *) rm -f "$1/$name" ;;
        esac
    done
}

# All that installs have made here, and nothing else.
uninstall() {
    local to=$DESTDIR$PREFIX
    [ -f "$to/$FILES" ] || die "$to/$FILES is missing: it lists what maint/build has installed there"
    cp "$to/$FILES" "$LOG.uninstall"
    remove_listed "$to" "$LOG.uninstall"
    [ ! -d "$to" ] || rmdir --ignore-fail-on-non-empty "$to"
    [ "$to" != "$(cat "$BUILD/.installed" 2>/dev/null)" ] || rm -f "$BUILD/.installed"
}
