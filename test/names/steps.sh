# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# The names that our libraries show to a program; sourced by maint/check after variant.sh.

LIBRARIES=(libmpi libmpicxx libmpifort)

# exported FILE: the names a shared library defines for others.
exported() { nm -D --defined-only "$1" | awk '{ print $3 }' | sed 's/@.*//' | LC_ALL=C sort -u; }

# Every word of the upstream source that could be a name, in lower case.
upstream_words() {
    local words=$CACHE/pristine/words-$(pin mpich sha256 | cut -c1-12)
    if [ ! -s "$words" ]; then
        mkdir -p "$(dirname "$words")"
        tar -xOf "$("$ROOT/maint/fetch" --print mpich)" --wildcards '*.c' '*.h' '*.in' '*.cxx' \
            '*.f90' '*.F90' '*.txt' '*.py' |
            LC_ALL=C tr -cs 'A-Za-z0-9_' '\n' | LC_ALL=C tr 'A-Z' 'a-z' |
            LC_ALL=C sort -u >"$words.part"
        mv "$words.part" "$words"
    fi
    cat "$words"
}

# A name as it stands in the source: without what compilers of Fortran and C++ add.
source_words() {
    c++filt -p | sed -E 's/^__[a-z0-9_]+_MOD_//; s/_+$//' | LC_ALL=C tr 'A-Z' 'a-z' |
        LC_ALL=C sort -u
}

# Names of MPI's and of AFAPI's, and those which the upstream source has: what a library exports
# beyond them is ours.
exports_only_mpi() {
    local library extra status=0
    for library in "${LIBRARIES[@]}"; do
        [ -e "$PREFIX/lib/$library.so" ] || continue
        extra=$(exported "$PREFIX/lib/$library.so" | grep -v '^_Z.*3MPI' | source_words |
            grep -vE '^((__(copy|def_init|final|vtab)_)?(p?mpix?r?|__iso_c_binding)|afapi)_' |
            grep -vx mpiprivb | # the common block of MPI_BUFFER_AUTOMATIC
            LC_ALL=C comm -23 - <(upstream_words) || true)
        [ -z "$extra" ] || { echo "$library exports names that are not MPI's:"; echo "$extra";
            status=1; }
    done
    return "$status"
}

# An archive hides nothing: what the objects of our sources define for the linker begins as MPICH's
# names do, C++ in such a namespace (or is an instance of a template, which is weak).
own_objects_have_prefixes() {
    local source object extra status=0
    while read -r source; do
        object=$BUILD/${source%/*}/.libs/lib_libmpi_la-$(basename "${source%.*}").o
        [ -e "$object" ] || continue
        extra=$(nm -g --defined-only "$object" | awk '$2 !~ /[VWu]/ { print $3 }' |
            grep -vE '^(P?MPI[A-Z]*|AFAPI)_|^_Z(T[VIS])?N?K?[0-9]+MPIR_' || true)
        [ -z "$extra" ] || { echo "$source defines names without a prefix:" $extra; status=1; }
    done < <(cd "$ROOT" && find src -name '*.c' -o -name '*.cpp')
    return "$status"
}

# A pattern of the procedures that MPI 4.1 added, in all languages, and of MPI_BUFFER_AUTOMATIC.
new_in_mpi41() {
    local names
    names=$(sed -n 's/^MPI_\([A-Za-z_]*\):$/\1/p' "$ROOT/src/binding/c/mpi41_api.txt" |
        paste -sd'|')
    echo "^p?mpir?_($names)(_c|_f08|_f08ts|_cdesc|_large)*_*$|buffer_automatic$|^mpiprivb_?$"
}

# beside_ours FILE: what it exports but for MPIX_PERMUTE, AFAPI, what MPI 4.1 added, five calls of
# recovery, and what stock lacks: the procedures of patches/fix/0078-missing-in-mpi-f08.patch,
# MPI_ERRORS_ABORT, MPI_Status_set_elements_c, and names that MPI 4.0 gives to specific procedures
# of large counts. The conversions of statuses are in another library.
beside_ours() {
    local missing='^p?mpir?_(file_[a-z_]*_f08ts|op_create_f08|register_datarep_f08)_large_$'
    missing+='|_MOD_mpi_errors_abort$|^p?mpir?_status_set_elements_(c|f08_large_)$'
    missing+='|(^|_MOD_)p?mpi_status_(c2f08|f082c|f082f|f2f08)$'
    missing+='|^p?mpir?_[a-z_]*_c_f08(ts)?_$'
    missing+='|^p?mpixr?_comm_(get_failed|ack_failed|is_revoked|iagree|ishrink)(_f08|_f08ts)?_*$'
    exported "$1" | grep -viE "mpix_permute|^afapi_|$missing|$(new_in_mpi41)"
}

# exports_what_stock_does OURS STOCK (where each is installed)
exports_what_stock_does() {
    local library status=0
    for library in "${LIBRARIES[@]}"; do
        [ -e "$1/lib/$library.so" ] || continue
        diff <(beside_ours "$2/lib/$library.so") <(beside_ours "$1/lib/$library.so") || status=1
    done
    return "$status"
}

# fingerprints PREFIX: library, number and digest of its names.  What C++ has inline may be there or
# not, as the compiler likes; of Fortran's spellings of a name all are there with the compilers that
# let one function have several weak names.
fingerprints() {
    local library inline names
    for library in "${LIBRARIES[@]}"; do
        [ -e "$1/lib/$library.so" ] || continue
        [ "$library" != libmpifort ] || grep -q '^#define HAVE_MULTIPLE_PRAGMA_WEAK 1' \
            "$BUILD/src/include/mpichconf.h" || continue
        inline=$(nm -D --defined-only "$1/lib/$library.so" |
            awk '$2 ~ /[VWu]/ && $3 ~ /^_Z/ { print $3 }' | LC_ALL=C sort -u)
        names=$(beside_ours "$1/lib/$library.so" | LC_ALL=C comm -23 - <(echo "$inline"))
        echo "$library" "$(wc -l <<<"$names")" "$(sha256sum <<<"$names" | cut -d' ' -f1)"
    done
}

# The same without a build of stock: test/names/stock_exports has the fingerprints of its libraries.
exports_as_recorded() {
    local found
    found=$(fingerprints "$PREFIX")
    diff <(grep -E "^($(cut -d' ' -f1 <<<"$found" | paste -sd'|')) " "$ROOT/test/names/stock_exports") - <<<"$found" && return
    echo "< stock, > this; with a build of stock beside, maint/check long tells the names"
    return 1
}

# A program with functions of our names, and of those that afapi.h makes, which end it when they are
# called.
own_names_source() {
    echo '#include <stdlib.h>'
    grep -rohE --include='*.h' '\bMPIR_[a-z]\w+ ?\(' "$ROOT/src" | tr -d ' ' | sort -u |
        sed 's/^MPIR_/void /; s/($/(void) { abort(); }/'
    gcc -E "$PREFIX/include/afapi.h" | grep -oE '\bp_[a-zA-Z0-9]+\(' | sort -u |
        sed 's/(/(void) { abort(); }/; s/^/void /'
    sed -n 's/^extern [a-zA-Z]*[ *]*\(bdd_[a-z]*\)(.*/void \1(void) { abort(); }/p' \
        "$CACHE/buddy/bdd.h" "$CACHE/buddy/kernel.h" | sort -u
}

# All of libmpi in an archive, as --enable-static would have it, of the objects that are there.
static_library() {
    make -C "$BUILD" -f Makefile --eval='
libmpi_static.la: $(lib_libmpi_la_OBJECTS) $(lib_libmpi_la_LIBADD)
	$(LIBTOOL) --tag=CC --mode=link $(CC) -o $@ $(lib_libmpi_la_OBJECTS) $(lib_libmpi_la_LIBADD)' libmpi_static.la
}

# own_names shared|static: builds and runs test/names/own_names.* against that library.
own_names() {
    local dir=$OUT/names-$1 source=$ROOT/test/names
    mkdir -p "$dir"
    own_names_source >"$dir/names.c"
    gcc -Wall -c "$dir/names.c" -o "$dir/names.o"
    g++ -std=c++17 -Wall -c "$source/own_classes.cpp" -o "$dir/classes.o"
    if [ "$1" = shared ]; then
        "$PREFIX/bin/mpicc" "$source/own_names.c" "$dir/names.o" "$dir/classes.o" -o \
            "$dir/own_names" -lstdc++
    else
        static_library
        gcc -I"$PREFIX/include" -c "$source/own_names.c" -o "$dir/own_names.o"
        (cd "$BUILD" && ./libtool --tag=CC --mode=link gcc "$dir/own_names.o" "$dir/names.o" \
            "$dir/classes.o" libmpi_static.la \
            -lm -lpthread -lrt -o "$dir/own_names")
    fi
    MPIEXEC_TIMEOUT=60 "$PREFIX/bin/mpiexec" -n 4 "$dir/own_names"
}
