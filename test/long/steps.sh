# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# shellcheck disable=SC2317    # functions are called by name
# Steps of the section "long" of maint/check.  Needs common.sh, variant.sh, and the
# steps of names and examples; OPTIONS are those of maint/build.

most_ids() {
    make -C "$BUILD/test/mpi/util" libmtest_single.la &&
        make -C "$BUILD/test/mpi/comm" wide_ids &&
        MPIEXEC_TIMEOUT=900 "$PREFIX/bin/mpiexec" -n 2 "$BUILD/test/mpi/comm/wide_ids" -comms=131072
}

names_beside_stock() (
    local ours=$PREFIX options=() option
    for option in "${OPTIONS[@]}"; do [[ $option == --prefix=* ]] || options+=("$option"); done
    KIND=stock PREFIX=
    variant_paths
    "$ROOT/maint/build" --stock "${options[@]}" && exports_what_stock_does "$ours" "$PREFIX" &&
        is_recorded "$PREFIX"
)

# Is test/names/stock_exports what this build of stock exports?
is_recorded() {
    [ -n "$FORTRAN" ] || return 0
    fingerprints "$1" >"$OUT/stock_exports"
    diff "$ROOT/test/names/stock_exports" "$OUT/stock_exports" ||
        { echo "copy $OUT/stock_exports to test/names"; return 1; }
}

# loads_library_of PREFIX DIRECTORY: by its path, the programs there have that libmpi.
loads_library_of() {
    local program
    for program in $(find "$2" -maxdepth 1 -type f -perm -u+x); do
        grep -q " $1/lib/libmpi.so" <<<"$(LD_LIBRARY_PATH=$1/lib ldd "$program")" || { echo "$program has another library"; return 1; }
    done
    [ -n "${program:-}" ] || { echo "no program in $2"; return 1; }
}

refuses_ranks() {
    local said
    readme_program
    "$PREFIX/bin/mpicc" -o "$OUT/readme-ofi" "$OUT/readme.c" || return 1
    ! said=$(MPIR_CVAR_CH4_OFI_RANK_BITS=1 MPIEXEC_TIMEOUT=60 "$PREFIX/bin/mpiexec" -n 4 \
        "$OUT/readme-ofi" 2>&1) || return 1
    printf '%s\n' "$said"
    grep -q '4 processes, but the match bits have 1 for the rank' <<<"$said"
}

# What libfabric offers without the first choice: datagrams have the higher score, and the module
# for memory of a host the same one as connections.
chooses_what_reaches() {
    local said
    readme_program
    "$PREFIX/bin/mpicc" -o "$OUT/readme-ofi" "$OUT/readme.c" || return 1
    said=$(FI_PROVIDER='^sockets' MPIR_CVAR_DEBUG_SUMMARY=1 MPIEXEC_TIMEOUT=60 \
        "$PREFIX/bin/mpiexec" -n 2 "$OUT/readme-ofi" 2>&1) || { printf '%s\n' "$said"; return 1; }
    grep '^libfabric provider:' <<<"$said"
    ! grep -Eq '^libfabric provider: (shm|.*ofi_rxd)' <<<"$said"
}

# On a network with no other addresses.
starts_with_ipv6_alone() {
    local why provider
    why=$(unshare --net true 2>&1) || { echo "no namespaces here: $why"; return 77; }
    readme_program
    "$PREFIX/bin/mpicc" -o "$OUT/readme-ofi" "$OUT/readme.c" || return 1
    for provider in sockets 'tcp;ofi_rxm'; do
        FI_PROVIDER=$provider MPIR_CVAR_DEBUG_SUMMARY=1 MPIEXEC_TIMEOUT=60 \
            unshare --net bash -c '
            echo 0 >/proc/sys/net/ipv6/conf/default/accept_dad
            ip link set lo up && ip link add here type veth peer there &&
                ip link set there up && ip link set here up && ip addr add fd00::9/64 dev here ||
                { echo "no pair of devices here"; exit 77; }
            said=$("$1" -n 2 "$2" 2>&1) || { printf "%s\n" "$said"; exit 1; }
            grep "^libfabric provider: $FI_PROVIDER - fd00::" <<<"$said"' - \
            "$PREFIX/bin/mpiexec" "$OUT/readme-ofi" || return
    done
}

# The Open MPI of maint/build --openmpi has ranks that find each other.
openmpi_runs() {
    local prefix=$ROOT/install-openmpi program=$OUT/openmpi-mean
    "$ROOT/maint/build" --openmpi && "$prefix/bin/mpicc" -o "$program" "$ROOT/test/bench/meet.c" &&
        "$prefix/bin/mpiexec" --allow-run-as-root --oversubscribe -n 4 "$program" |
        grep -x '4 ranks of Open MPI v5.*'
}
