# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Section "package" of maint/check: installs, removals, and the packages of maint/package in a
# Debian root.  Needs common.sh, variant.sh and fresh.sh.

# Both MPI libraries of Debian, and the tools with which programs are built.
IN_PACKAGE_ROOT=mpich,libmpich-dev,openmpi-bin,libopenmpi-dev,libucx0,gcc,g++,gfortran
IN_PACKAGE_ROOT+=,pkg-config,make,cmake,meson,environment-modules

# make_package_root DIR: with the packages in build/package and the tests.
make_package_root() {
    mkdir -p "$1"
    debian_sources | mmdebstrap --variant=apt --dpkgopt=force-unsafe-io \
        --include="$IN_PACKAGE_ROOT" \
        "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$1" - || return
    mkdir -p "$1$ROOT/test" "$1/packages"
    cp -r "$ROOT/test/package" "$1$ROOT/test/" && cp "$ROOT"/build/package/*.deb "$1/packages/"
}

# all_files DIR: what is in it.
all_files() { (cd "$1" && find . ! -type d -printf '%P %l\n' | LC_ALL=C sort); }

# An installation with DESTDIR, moved to its prefix, works; it leaves other files of the prefix
# alone when it goes, and itself leaves none.
destdir_and_uninstall() {
    local to=$OUT/destdir moved=$OUT/moved said
    rm -rf "$to" "$moved"
    "$ROOT/maint/build" "$@" --no-apply "--destdir=$to"
    mkdir -p "$moved/bin" && echo mine >"$moved/bin/mine" && cp -a "$to$PREFIX/." "$moved/"
    "$moved/bin/mpicc" -o "$OUT/destdir_sum" "$ROOT/test/package/programs/sum.c"
    said=$(MPIEXEC_TIMEOUT=60 "$moved/bin/mpiexec" -n 2 "$OUT/destdir_sum")
    grep 'C: 2 processes' <<<"$said"
    "$ROOT/maint/build" "$@" --uninstall "--prefix=$moved"
    [ "$(all_files "$moved")" = "bin/mine " ] || { all_files "$moved"; return 1; }
    "$ROOT/maint/build" "$@" --uninstall "--destdir=$to"
    [ ! -e "$to$PREFIX" ] || { find "$to$PREFIX"; return 1; }
    rm -rf "$to" "$moved"
}
