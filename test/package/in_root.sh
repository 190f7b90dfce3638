#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: in_root.sh STEP
#
# One step of the section "package" of maint/check, in a Debian root of its own that has Debian's
# MPICH and Open MPI, and our packages as files in /packages.  Steps build on each other.
set -euo pipefail
HERE=$(cd "$(dirname "$0")" && pwd)
PROGRAMS=$HERE/programs
WORK=/tmp/work
DEBIAN=(mpich openmpi)
PACKAGES=(mpich-cmap mpich-cmap-dev mpich-cmap-doc)
GROUPS_OF_MPI=(mpi mpirun "mpi-$(gcc -print-multiarch)")
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 DEBIAN_FRONTEND=noninteractive
export OMPI_MCA_rmaps_base_oversubscribe=1 MPIEXEC_TIMEOUT=60
mkdir -p $WORK

fail() {
    echo "$*"
    exit 1
}

# The words by which the version of an implementation is known.
words_of() {
    case $1 in
    openmpi) echo 'Open MPI v' ;;
    mpich) echo 'MPICH Version' ;;
    mpich-cmap) echo 'compressed communicators' ;;
    esac
}

# says LANGUAGE IMPLEMENTATION COMMAND...: a run of two processes, by that implementation.
says() {
    local language=$1 which=$2 said
    said=$("${@:3}") || fail "status $? of ${*:3}: $said"
    grep -q "^ *$language: 2 processes" <<<"$said" || fail "${*:3} says: $said"
    grep -q "$(words_of "$which")" <<<"$said" || fail "${*:3} is not by $which: $said"
    [ "$which" = mpich-cmap ] || ! grep -q "$(words_of mpich-cmap)" <<<"$said" ||
        fail "${*:3} is by our library: $said"
}

# compile WHICH: the four programs, by the wrappers of that implementation.
compile() {
    local dir=$WORK/$1
    mkdir -p "$dir"
    "mpicc.$1" -o "$dir/sum_c" "$PROGRAMS/sum.c"
    "mpicxx.$1" -o "$dir/sum_cxx" "$PROGRAMS/sum.cpp"
    "mpif90.$1" -o "$dir/sum_mpi" "$PROGRAMS/sum_mpi.f90"
    "mpif90.$1" -o "$dir/sum_f08" "$PROGRAMS/sum_f08.f90"
}

# run_all DIR WHICH STARTER...
run_all() {
    says C "$2" "${@:3}" -n 2 "$1/sum_c"
    says 'C++' "$2" "${@:3}" -n 2 "$1/sum_cxx"
    says Fortran "$2" "${@:3}" -n 2 "$1/sum_mpi"
    says mpi_f08 "$2" "${@:3}" -n 2 "$1/sum_f08"
}

# Each implementation compiles and runs under its own names.
works() { compile "$1" && run_all "$WORK/$1" "$1" "mpiexec.$1"; }

# What was compiled runs, and more can be compiled.
still_works() {
    run_all "$WORK/$1" "$1" "mpiexec.$1"
    "mpicc.$1" -o "$WORK/$1/again" "$PROGRAMS/sum.c"
    says C "$1" "mpiexec.$1" -n 2 "$WORK/$1/again"
}

alternatives() {
    local group
    for group in "${GROUPS_OF_MPI[@]}"; do update-alternatives --query "$group"; done
    find /etc/alternatives /usr/bin /usr/lib /usr/include /usr/share/man -lname '*alternatives*' |
        LC_ALL=C sort
}

# All files but those of dpkg, apt and logs, which keep what was.
files() {
    find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /packages -o \
        -path /var/lib/dpkg -o -path /var/lib/apt -o -path /var/cache -o -path /var/log -o \
        -path "${HERE%/test/package}" \) -prune -o -print | grep -v __pycache__ | LC_ALL=C sort
}

step_before() {
    local which
    for which in "${DEBIAN[@]}"; do works "$which"; done
    alternatives >$WORK/alternatives
    files >$WORK/files
}

step_install() {
    dpkg -i /packages/*.deb
    [ -z "$(dpkg --audit)" ] || fail "$(dpkg --audit)"
}

step_beside() {
    local which
    for which in "${DEBIAN[@]}"; do still_works "$which"; done
    works mpich-cmap
}

# is_alternative GROUP: one of three, and not the one that is chosen without a word.
is_alternative() {
    [ "$(update-alternatives --list "$1" | wc -l)" = 3 ] || fail "$1 has not three alternatives"
    ! update-alternatives --query "$1" | grep -q '^Value: .*cmap' || fail "$1 is ours unasked"
}

# Ours stay chosen, until they are removed.
step_alternatives() {
    is_alternative mpi && is_alternative mpirun
    update-alternatives --set mpi /usr/bin/mpicc.mpich-cmap
    update-alternatives --set mpirun /usr/bin/mpirun.mpich-cmap
    local wrapper dir=$WORK/chosen
    for wrapper in mpicc mpicxx mpic++ mpiCC mpifort mpif77 mpif90; do
        grep -q -- '-I/usr/lib/mpich-cmap/include' <<<"$($wrapper -show)" ||
            fail "$wrapper is not ours"
    done
    mkdir -p "$dir"
    mpicc -o "$dir/sum" "$PROGRAMS/sum.c"
    says C mpich-cmap mpirun -n 2 "$dir/sum"
    says C mpich-cmap mpiexec -n 2 "$dir/sum"
    local page
    for page in mpicc mpifort mpiexec mpirun mpirank1 cmap-calibrate cmap-report; do
        readlink -e "/usr/share/man/man1/$page.1.gz" >/dev/null || fail "no page of $page"
    done
}

step_identity() {
    local command said
    for command in mpichversion.mpich-cmap 'mpicc.mpich-cmap -v'; do
        said=$($command 2>&1)
        grep -q 'compressed communicators' <<<"$said" || fail "$command says: $said"
    done
}

step_user() {
    # shellcheck disable=SC2016
    setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/tmp bash -c \
        'cd "$(mktemp -d)" && mpicc.mpich-cmap -o sum "$1/sum.c" && mpiexec.mpich-cmap -n 2 ./sum' - \
        "$PROGRAMS"
}

step_module() {
    local module=$WORK/module.sh
    cat >"$module" <<'END'
. /etc/profile.d/modules.sh
module load mpi/mpich-cmap
[ "$(command -v mpicc)" = /usr/lib/mpich-cmap/bin/mpicc ] || exit 1
[ "$(pkg-config --variable=includedir mpich)" -ef /usr/lib/mpich-cmap/include ] || exit 2
[ -e "${MANPATH%%:*}/man1/mpicc.1.gz" ] && [ -e "${MANPATH%%:*}/man3/MPI_Send.3.gz" ] || exit 3
module unload mpi/mpich-cmap
[ "$(command -v mpicc)" = /usr/bin/mpicc ] || exit 4
END
    bash "$module" || fail "status $? of $module"
}

# ---- the binary interface of Debian's MPICH

# exported FILE...
exported() { nm -D --defined-only "$@" | awk '{ print $3 }' | sed 's/@.*//' | LC_ALL=C sort -u; }

# Ours have each name that Debian's have but those in the list of exceptions.  The other two need
# libmpich, and may have a name of it.
step_symbols() {
    local name dir=/usr/lib/mpich-cmap/lib/abi missing status=0 except
    except=$(sed 's/#.*//; s/ *$//; /^$/d' "$HERE/symbols_left_out.txt" | LC_ALL=C sort -u)
    for name in mpich mpichcxx mpichfort; do
        missing=$(LC_ALL=C comm -23 <(exported "/usr/lib/$(gcc -print-multiarch)/lib$name.so.12") \
            <(exported "$dir/lib$name.so.12" "$dir/libmpich.so.12") |
            LC_ALL=C comm -23 - <(echo "$except"))
        echo "lib$name.so.12: $(exported "$dir/lib$name.so.12" | wc -l) names"
        [ -z "$missing" ] || { echo "missing in ours: $missing"; status=1; }
    done
    return $status
}

step_abi() { run_all $WORK/mpich mpich-cmap mpiexec-abi.mpich-cmap; }

# ---- build tools

step_cmake() {
    local home=/usr/lib/mpich-cmap/bin
    cmake -S "$PROGRAMS" -B $WORK/cmake -DMPI_C_COMPILER=$home/mpicc \
        -DMPI_CXX_COMPILER=$home/mpicxx -DMPI_Fortran_COMPILER=$home/mpifort
    cmake --build $WORK/cmake
    run_all $WORK/cmake mpich-cmap mpiexec.mpich-cmap
}

# With the module's variables, CMake needs no options.
step_cmake_home() {
    MPI_HOME=/usr/lib/mpich-cmap cmake -S "$PROGRAMS" -B $WORK/cmake_home
    cmake --build $WORK/cmake_home
    run_all $WORK/cmake_home mpich-cmap mpiexec.mpich-cmap
}

step_meson() {
    meson setup $WORK/meson "$PROGRAMS"
    meson compile -C $WORK/meson
    run_all $WORK/meson mpich-cmap mpiexec.mpich-cmap
}

# shellcheck disable=SC2046    # words, as in a Makefile
step_pkg_config() {
    local dir=$WORK/pkg_config
    mkdir -p $dir
    gcc -o $dir/sum_c "$PROGRAMS/sum.c" $(pkg-config --cflags --libs mpich-cmap)
    g++ -o $dir/sum_cxx "$PROGRAMS/sum.cpp" $(pkg-config --cflags --libs mpich-cmap-cxx)
    gfortran -o $dir/sum_mpi "$PROGRAMS/sum_mpi.f90" $(pkg-config --cflags --libs mpich-cmap-fort)
    gfortran -o $dir/sum_f08 "$PROGRAMS/sum_f08.f90" $(pkg-config --cflags --libs mpich-cmap-fort)
    run_all $dir mpich-cmap mpiexec.mpich-cmap
}

# ---- removal

step_remove() {
    local which
    dpkg --remove "${PACKAGES[@]}"
    for which in "${DEBIAN[@]}"; do still_works "$which"; done
    diff $WORK/alternatives <(alternatives)
}

step_purge() {
    dpkg --purge "${PACKAGES[@]}"
    ! dpkg-query -W -f '${Package}\n' | grep '^mpich-cmap' || fail "dpkg still knows it"
    diff $WORK/files <(files)
}

"step_$1"
