# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# shellcheck disable=SC2317    # functions are called by name
# Section "build" of maint/check: a library without the representations that need libraries of
# others.  Needs common.sh, variant.sh and test/examples/steps.sh.

has_no_libraries_of_maps() {
    local library=$PREFIX/lib/libmpi.so
    ldd "$library" >"$OUT/small.ldd" && nm -C "$library" >"$OUT/small.names" || return 1
    # of those that it has, so that an empty list does not pass
    grep -q libstdc++ "$OUT/small.ldd" && grep -q 'cmap::.*representation' "$OUT/small.names" ||
        { echo "what is it linked with?"; return 1; }
    ! grep -E 'libbz2|buddy::|BZ2_' "$OUT/small.ldd" "$OUT/small.names"
}

# refuses_left_out NAME...: MPI_Init ends and says that the library has no such representation.
refuses_left_out() {
    local name said
    readme_program && "$PREFIX/bin/mpicc" -o "$OUT/small-readme" "$OUT/readme.c" || return 1
    for name; do
        ! said=$(env "MPIR_CVAR_CMAP_REPRESENTATION=$name" timeout 20 "$OUT/small-readme" 2>&1) ||
            { echo "$name is accepted"; return 1; }
        printf '%s\n' "$said"
        grep -q "MPIR_CVAR_CMAP_REPRESENTATION=$name is not accepted; accepted values: affine, .*wtr, sub or any; this library has no $name" <<<"$said" || return 1
    done
}
