# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# shellcheck disable=SC2034    # the variables are for the scripts that source this
# What a build is called and where it lives, from the options that maint/build, demo and check
# share.

KIND=patched    # patched, stock, stock-yield or stock-fix
NETMOD=ucx
THREAD_CS=global
FORTRAN=yes
DEBUG=
DATATYPES=      # --full-datatypes or nothing
UCX=/usr
HWLOC=/usr
BUDDY=yes
BZIP2=yes
TOPICS=         # of patches/series, with commas; empty: all
AS=             # a name of its own
PREFIX=

# variant_option ARG: takes one option of this set; status 1 when it is another one.
variant_option() {
    case $1 in
    --stock) KIND=stock ;;
    --stock-yield | --stock-fix) KIND=${1#--} ;;
    --netmod=*) NETMOD=${1#*=} ;;
    --thread-cs=*) THREAD_CS=${1#*=} ;;
    --without-fortran) FORTRAN= ;;
    --debug) DEBUG=yes ;;
    --full-datatypes) DATATYPES=$1 ;;
    --with-ucx=*) UCX=$(realpath -ms "${1#*=}") ;;
    --with-hwloc=*) HWLOC=$(realpath -ms "${1#*=}") ;;
    --without-buddy) BUDDY= ;;
    --without-bzip2) BZIP2= ;;
    --topics=*) TOPICS=${1#*=} && AS=${AS:-${TOPICS//,/-}} ;;
    --as=*) AS=${1#*=} ;;
    --prefix=*) PREFIX=${1#*=} && PREFIX=${PREFIX:+$(realpath -ms -- "$PREFIX")} ;;
    *) return 1 ;;
    esac
}

# has_library OPTION DIR HEADER: in DIR/include; /usr may get it by a package.
has_library() {
    [ "$2" = /usr ] || [ -e "$2/include/$3" ] || die "$1=$2: there is no $2/include/$3"
}

# Sets VARIANT, TREE, BUILD and PREFIX.
variant_paths() {
    case $NETMOD in ucx | ofi) ;; *) die "--netmod=$NETMOD: ucx and ofi are supported" ;; esac
    case $THREAD_CS in global | per-vci) ;; \
        *) die "--thread-cs=$THREAD_CS: global and per-vci are supported" ;; esac
    [[ $AS =~ ^[A-Za-z0-9._-]*$ ]] || die "--as=$AS: letters, digits, dots, - and _"
    has_library --with-ucx "$UCX" ucp/api/ucp.h
    has_library --with-hwloc "$HWLOC" hwloc.h
    local tail=''
    [ "$KIND" = patched ] || tail=-$KIND
    [ "$NETMOD" = ucx ] || tail+=-$NETMOD
    [ "$THREAD_CS" = global ] || tail+=-$THREAD_CS
    [ -z "$DEBUG" ] || tail+=-debug
    [ -z "$AS" ] || tail+=-$AS
    VARIANT=mpich$tail
    case $KIND in
    patched) TREE=$ROOT/mpich${TOPICS:+-$AS} ;;
    *) TREE=$ROOT/mpich-$KIND ;;
    esac
    BUILD=$ROOT/build/$VARIANT
    PREFIX=${PREFIX:-$ROOT/install$tail}
}

# The sets of maint/packages.txt that building the variant needs.
variant_packages() {
    echo build
    [ "$UCX" != /usr ] || echo ucx
    [ "$HWLOC" != /usr ] || echo hwloc
    [ -z "$BZIP2" ] || echo bzip2
    [ -z "$FORTRAN" ] || echo fortran
    [ "$NETMOD" != ofi ] || echo ofi
}

# What the module brings into libmpi beyond MPICH's own libraries (libmpi is linked by the C
# compiler).
cmap_libs() { echo "-lstdc++${BZIP2:+ -lbz2}"; }

# What tells our files which topics are left out.
topic_defines() {
    python3 -B -c 'import sys; sys.path.insert(0, sys.argv[1]); import topic_table as t
print(*t.defines(sys.argv[2].split(",")))' "$ROOT/maint/lib" "$TOPICS"
}

# Where libmpi and mpiexec look for libraries that are not the system's.
foreign_libraries() {
    local dir lib paths=''
    for dir in "$UCX" "$HWLOC"; do
        for lib in lib lib64; do
            [ "$dir" = /usr ] || [ ! -d "$dir/$lib" ] || paths+=" -Wl,-rpath,$dir/$lib"
        done
    done
    [ -z "$paths" ] || echo "MPICHLIB_LDFLAGS=${paths# }"
}

# The configure arguments, one a line; the same for stock and patched but for the module's own.
configure_args() {
    printf '%s\n' "--prefix=$PREFIX" "--with-device=ch4:$NETMOD" "--with-hwloc=$HWLOC" \
        --disable-static --enable-cxx \
        FFLAGS=-fallow-argument-mismatch FCFLAGS=-fallow-argument-mismatch
    case $NETMOD in
    ucx) echo "--with-ucx=$UCX" ;;
    ofi) echo --with-libfabric=/usr ;;
    esac
    [ "$THREAD_CS" = global ] || printf '%s\n' "--enable-thread-cs=$THREAD_CS" --with-ch4-max-vcis=4
    if [ -n "$FORTRAN" ]; then echo --enable-fortran=all; else echo --enable-fortran=no; fi
    [ -z "$DEBUG" ] || printf '%s\n' --enable-g=dbg,log CFLAGS=-O0 CXXFLAGS=-O0
    # compilers before gcc 11 and clang 16 take C++ for an older one
    [ "$KIND" != patched ] ||
        printf '%s\n' "LIBS=$(cmap_libs)" MPICHLIB_CXXFLAGS=-std=gnu++17
    [ -z "$TOPICS" ] || echo "MPICHLIB_CPPFLAGS=$(topic_defines)"
    [ -n "$BUDDY" ] || echo --without-buddy
    [ -n "$BZIP2" ] || echo --without-bzip2
    foreign_libraries
    printf '%s\n' CC=gcc CXX=g++
}

# ccache by its links named after the compilers: the installed mpicc must not remember a ccache that
# others lack.
[ ! -d /usr/lib/ccache ] || PATH=/usr/lib/ccache:$PATH

# Objects of one clone or variant serve the next: all paths below the repository become relative.
export CCACHE_BASEDIR=$ROOT CCACHE_NOHASHDIR=1
