# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Section "apps" of maint/check: programs of others.  Debian's own binaries find this library by
# symbolic links (doc/guides/installed_programs.md); other programs are compiled from Debian's
# source packages with our mpicc.  Each has a criterion of its own, and runs with stock MPICH, too.
# Needs common.sh, packages.sh and variant.sh.  A step ends with 77 if it is to count as skipped;
# the last line that it writes says why.

APPS=$ROOT/build/apps           # sources and what is compiled of them; stays
APPS_TABLE=${OUT-}/apps.tsv       # a row for each program
SKIPPED=77
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1

skip() {
    echo "$*"
    exit $SKIPPED
}

# ---- what they need

# app_packages PACKAGE...: skipped if they are not installed and cannot be.
app_packages() {
    local package missing=() installed
    installed=$(installed_packages)
    for package; do grep -qx "$package" <<<"$installed" || missing+=("$package"); done
    [ ${#missing[@]} -gt 0 ] || return 0
    echo "installs the Debian packages ${missing[*]}"
    can_root && install_packages "${missing[@]}" ||
        skip "the Debian packages ${missing[*]} cannot be installed: is there a network, and root?"
}

# app_source PACKAGE: Debian's source package, unpacked in $APPS/PACKAGE.  APPS_SOURCE_PACKAGE, such
# as APPS_SOURCE_mpi4py, names a tarball of the user's instead.
app_source() {
    local given=APPS_SOURCE_$1 tarball
    [ ! -e "$APPS/$1/.unpacked" ] || return 0
    tarball=${!given-}
    [ -n "$tarball" ] || tarball=$("$ROOT/maint/fetch" --source "$1") ||
        skip "Debian's source package $1 cannot be fetched; $given=FILE names a tarball"
    rm -rf "${APPS:?}/$1"
    mkdir -p "$APPS/$1"
    tar xf "$tarball" -C "$APPS/$1" --strip-components=1
    touch "$APPS/$1/.unpacked"
}

# links_to DIR LIBRARY_FOLDER: the names that Debian's programs ask for.
links_to() {
    local pair
    mkdir -p "$1"
    for pair in libmpi:libmpich libmpifort:libmpichfort libmpicxx:libmpichcxx; do
        ln -sfn "$2/${pair%:*}.so.12" "$1/${pair#*:}.so.12"
    done
}

# The names that our programs ask for, for Debian's MPICH.
links_to_debian() {
    mkdir -p "$APPS/abi-debian"
    ln -sfn /usr/lib/x86_64-linux-gnu/libmpich.so.12 "$APPS/abi-debian/libmpi.so.12"
}

# ---- here, and beside

# Runs on N processes with this library, or with stock: ours if it is built, otherwise Debian's.
here() {
    links_to "$APPS/abi" "$PREFIX/lib"
    LD_LIBRARY_PATH=$APPS/abi:$PREFIX/lib timeout -k 5 "${LIMIT:-300}" "$PREFIX/bin/mpiexec" -n "$@"
}

# shellcheck disable=SC2317    # called by name
beside() {
    local stock=$ROOT/install-stock
    if [ -x "$stock/bin/mpiexec" ]; then
        links_to "$APPS/abi-stock" "$stock/lib"
        LD_LIBRARY_PATH=$APPS/abi-stock:$stock/lib timeout -k 5 "${BESIDE_LIMIT:-30}" \
            "$stock/bin/mpiexec" -n "$@"
    else
        links_to_debian
        LD_LIBRARY_PATH=$APPS/abi-debian timeout -k 5 "${BESIDE_LIMIT:-30}" mpiexec.mpich -n "$@"
    fi
}

seconds_now() { date +%s.%N; }

# judged HOW CRITERION N PROGRAM...: one run; its output goes to $said, and its time to $spent.
judged() {
    local how=$1 criterion=$2 start
    shift 2
    start=$(seconds_now)
    "$how" "$@" >"$said" 2>&1 </dev/null || echo "status $?" >>"$said"
    spent=$(awk -v a="$start" -v b="$(seconds_now)" 'BEGIN { printf "%.2f", b - a }')
    "$criterion" "$said"
}

# compare NAME CRITERION N PROGRAM...: fails if the program does here; a row of the table says how
# it did here and beside, and what its communicators took.
compare() {
    local name=$1 report=$OUT/apps-$1.json said=$OUT/apps-$1.said spent mine verdict=passes status=0
    shift
    rm -f "$report"
    MPIR_CVAR_CMAP_REPORT=$report judged here "$@" || status=$?
    cat "$said"
    [ "$status" = 0 ] || { echo "$name: the criterion $1 does not hold"; return 1; }
    mine=$spent
    said=$OUT/apps-$name.beside
    judged beside "$@" || verdict=fails
    printf '%s\t%s\t%s\t%s\t%s\n' "$name" "$mine" "$spent" "$verdict" "$report" >>"$APPS_TABLE"
}

# ---- ScaLAPACK: residuals of its testers

residuals_hold() {
    grep -qE '^Finished +[1-9][0-9]* +tests' "$1" &&
        grep -qE ' 0 tests completed and failed' "$1" && ! grep -q '^status' "$1"
}

# app_scalapack TESTER...
app_scalapack() {
    local tester
    app_packages scalapack-mpi-test mpich
    rm -rf "$APPS/scalapack"
    mkdir -p "$APPS"
    cp -r /usr/share/scalapack "$APPS/scalapack"
    cd "$APPS/scalapack"
    for tester; do
        compare "$tester" residuals_hold 4 \
            "/usr/lib/x86_64-linux-gnu/scalapack/mpich-tests/$tester" || return
    done
}

# ---- NWChem: the energy of water

energy_is_right() {
    awk '/Total SCF energy/ { e = $NF } END { exit !(e < -75.983978 && e > -75.983980) }' "$1"
}

app_nwchem() {
    app_packages nwchem-mpich mpich
    mkdir -p "$APPS/nwchem"
    cd "$APPS/nwchem"
    printf '%s\n' 'start water' 'geometry units angstrom' '  O  0.00000  0.00000  0.11726' \
        '  H  0.00000  0.75698 -0.46905' '  H  0.00000 -0.75698 -0.46905' end \
        basis '  * library 6-31g' end 'task scf energy' >water.nw
    compare nwchem energy_is_right 2 nwchem.mpich water.nw
}

# ---- OpenCoarrays: its tests, each on its number of images

COARRAYS=/usr/lib/x86_64-linux-gnu/open-coarrays/mpich/bin/OpenCoarrays-2.10.1-tests

# Most take two images.  Debian's build has no failed images, so those tests cannot pass, and
# increment_my_neighbor has no result.  sendget_convert_nums reads the buffer of a get before the
# get is complete.
images_of() {
    case $1 in
    image_fail_* | increment_my_neighbor) echo 0 ;;
    coarray_distributed_transpose | issue-322-* | issue-511-*) echo 1 ;;
    asynchronous_hello_world | convert-before-put | get_communicator | issue-422-send-get | \
        sendget_* | static_event_post_* | strided_sendget | sync_image_ring_* | teams_subset)
        echo 3 ;;
    allocatable_p2p_event_post | co_*_test | co_reduce* | get_with_vector_index | image_status_* | \
        random_init) echo 4 ;;
    teams_coarray_*) echo 5 ;;
    async_comp_alloc) echo 6 ;;
    allocate_as_barrier_proc | atomics | duplicate_syncimages | issue-488-* | issue-493-* | \
        source-alloc-sync | sync_team | syncall | syncimages* | team_number) echo 8 ;;
    *) echo 2 ;;
    esac
}

says_passed() { grep -qi 'test passed' "$1"; }

# coarrays HOW TEST...: the tests that do not pass.
coarrays() {
    local how=$1 test images said=$OUT/coarray.said spent words
    shift
    for test; do
        images=$(images_of "$test")
        words=()
        [[ $test != issue-488-* ]] || words=(true)
        [ "$images" = 0 ] || judged "$how" says_passed "$images" "$COARRAYS/$test" "${words[@]}" ||
            echo "$test"
    done
}

# app_coarrays PATTERN...: those of Debian's tests that have such a name.
app_coarrays() {
    local tests pattern failed start mine spent
    app_packages libcoarrays-mpich-dev mpich
    for pattern; do
        # shellcheck disable=SC2086    # a pattern
        tests+=$(cd "$COARRAYS" && echo $pattern)" "
    done
    start=$(seconds_now)
    # shellcheck disable=SC2086    # words
    failed=$(LIMIT=120 coarrays here $tests)
    mine=$(awk -v a="$start" -v b="$(seconds_now)" 'BEGIN { printf "%.2f", b - a }')
    [ -z "$failed" ] || { echo "coarray tests that fail: $failed"; return 1; }
    start=$(seconds_now)
    # shellcheck disable=SC2086
    failed=$(BESIDE_LIMIT=5 coarrays beside $tests | wc -l)
    spent=$(awk -v a="$start" -v b="$(seconds_now)" 'BEGIN { printf "%.2f", b - a }')
    printf 'coarrays\t%s\t%s\t%s\t\n' "$mine" "$spent" \
        "$([ "$failed" = 0 ] && echo passes || echo "$failed fail")" >>"$APPS_TABLE"
}

# ---- parallel HDF5, compiled with Debian's MPICH

rows_are_right() { grep -qx 'all rows are right' "$1"; }

app_hdf5() {
    app_packages libhdf5-mpich-dev libmpich-dev mpich
    mkdir -p "$APPS/hdf5"
    cd "$APPS/hdf5"
    mpicc.mpich -O2 -Wall -o hdf5_rows "$ROOT/test/apps/hdf5_rows.c" \
        -I/usr/include/hdf5/mpich -lhdf5_mpich
    compare hdf5 rows_are_right 4 "$APPS/hdf5/hdf5_rows"
}

# ---- from source

unittest_is_ok() { grep -qE '^OK( |$)' "$1" && ! grep -q '^FAILED' "$1"; }

# Two processes and one thread level; spawn and other dynamic processes have tests of their own.
app_mpi4py() {
    app_packages python3-dev cython3 python3-numpy mpich
    app_source mpi4py
    cd "$APPS/mpi4py"
    /usr/bin/python3 setup.py build --mpicc="$PREFIX/bin/mpicc"
    PYTHONPATH=$(echo "$PWD"/build/lib*)
    export PYTHONPATH
    compare mpi4py unittest_is_ok 2 /usr/bin/python3 test/runtests.py -q -e test_spawn \
        -e test_dynproc
}

residual_is_small() {
    awk '/Final Relative Residual Norm/ { r = $NF } END { exit !(r > 0 && r < 1e-8) }' "$1"
}

app_hypre() {
    app_packages mpich
    app_source hypre
    cd "$APPS/hypre/src"
    [ -x test/ij ] || {
        ./configure CC="$PREFIX/bin/mpicc" CXX="$PREFIX/bin/mpicxx" CFLAGS=-O1 \
            --disable-fortran --without-fei
        make -j"$(nproc)"
        make -C test ij
    }
    compare hypre residual_is_small 4 "$APPS/hypre/src/test/ij" -n 40 40 40 -P 2 2 1 -solver 1
}

# Its own tests on four processes: make stops at the first one that fails.
app_pnetcdf() {
    local mine start verdict=passes
    app_packages mpich autoconf automake libtool m4
    app_source pnetcdf
    cd "$APPS/pnetcdf"
    [ -e test/testcases/ivarn ] || {
        autoreconf -fi
        ./configure --disable-fortran --disable-cxx MPICC="$PREFIX/bin/mpicc"
        make -j"$(nproc)"
        make -j"$(nproc)" tests
    }
    mine=$SECONDS
    timeout -k 5 300 make ptest TESTMPIRUN="$PREFIX/bin/mpiexec -n NP"
    mine=$((SECONDS - mine))
    links_to_debian
    start=$SECONDS
    LD_LIBRARY_PATH=$APPS/abi-debian timeout -k 5 120 make ptest \
        TESTMPIRUN="mpiexec.mpich -n NP" >"$OUT/apps-pnetcdf.beside" 2>&1 || verdict=fails
    printf 'pnetcdf\t%s\t%s\t%s\t\n' "$mine" $((SECONDS - start)) $verdict >>"$APPS_TABLE"
}

benchmark_is_valid() {
    grep -qs 'HPCG result is VALID' HPCG-Benchmark*.txt && ! grep -q '^status' "$1" &&
        rm HPCG-Benchmark*.txt
}

# It is in no package of Debian.
app_hpcg() {
    app_packages mpich
    app_source hpcg
    cd "$APPS/hpcg"
    [ -x bin/xhpcg ] || make -j"$(nproc)" arch=Linux_MPI CXX="$PREFIX/bin/mpicxx"
    rm -f HPCG-Benchmark*.txt
    compare hpcg benchmark_is_valid 4 "$APPS/hpcg/bin/xhpcg" --nx=16 --ny=16 --nz=16 --rt=1
}

# ---- the table

# What each took: seconds here and beside, and what its communicators would have taken as arrays.
app_table() {
    [ -s "$APPS_TABLE" ] || skip "no program ran"
    python3 - "$APPS_TABLE" <<'PYTHON'
import json
import os
import sys

ROW = "{:<12} {:>8} {:>8} {:>6} {:>8} {:>8} {:>8} {:>10}"
print(ROW.format("program", "here s", "stock s", "ratio", "stock", "made", "map B", "array B"))
for line in open(sys.argv[1], encoding="utf-8"):
    name, here, beside, verdict, file = line.rstrip("\n").split("\t")
    made = peak = arrays = ""
    if os.path.isfile(file):
        report = json.load(open(file, encoding="utf-8"))
        made, peak = report["holders"], report["peak_bytes"]
        arrays = report["holders_array_bytes"]
    ratio = f"{float(here) / max(float(beside), 0.01):.2f}"
    print(ROW.format(name, here, beside, ratio, verdict, made, peak, arrays))
PYTHON
}
