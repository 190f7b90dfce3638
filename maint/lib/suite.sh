# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Runs directories of MPICH's test suite with MPICH's own runtests.  Needs common.sh and variant.sh.

# A test of large accumulates takes 350 s on two cores.
TIME_LIMIT=${MPITEST_TIMEOUT:-600}

# Patterns of test/known_stock_failures.txt for the netmod and the threads in use.
known_failures() {
    awk -v netmod="$NETMOD" -v threads="$THREAD_CS" -v kind="$KIND" \
        '!/^#/ && ($1 == "any" || $1 == netmod || $1 == threads ||
                   (kind ~ /^stock/ && $1 == "stock-" netmod)) { print $2 }' \
        "$ROOT/test/known_stock_failures.txt"
}

# The only tests of a directory of the suite that are wanted, between spaces: ONLY_THESE, or with
# ONLY_OURS ours; nothing at all when neither is set.
wanted_tests() {
    local names=${ONLY_THESE:-}
    [ -n "$names" ] || [ -z "${ONLY_OURS:-}" ] || names=$(cd "$ROOT/test/mpi/$1" 2>/dev/null && ls |
        sed 's/\.[^.]*$//' | tr '\n' ' ')
    [ -z "$names" ] || echo " $names "
}

# Writes DIR/testlist.run below the build's test directory for DIR and all directories it leads to:
# the testlist without known failures, and without tests of more than MAX_RANKS ranks or with names,
# or lines, that match LEAVE_OUT where these are set; with ONLY_OURS or ONLY_THESE set, those alone.
# Where a process aborts and mpiexec leaves the others alone, they wait for it in MPI_Finalize up to
# the time limit, as in stock: it is short there.  Prints the number of known failures.
filter_lists() {
    local suite=$1 dir=$2 list
    while read -r list; do
        mkdir -p "$(dirname "$suite/$list")"
        [ ! -e "$TREE/test/mpi/$list.in" ] ||
            make -C "$(dirname "$suite/$list")" Makefile testlist >"$suite/testlist.log" 2>&1 ||
            true
        known_failures | awk -v wanted="$(wanted_tests "$(dirname "$list")")" -v \
            dir="$(dirname "$list")" -v out="$suite/${list}.run" -v max="${MAX_RANKS:-0}" -v \
            leave_out="${LEAVE_OUT:-}" '
            FILENAME == "-" { gsub(/\./, "\\."); gsub(/\*/, ".*"); known[++k] = "^" $0 "$"; next }
            FNR == 1 { printf "" > out }
            /^[ \t]*(#|$)/ { next }
            max > 0 && $2 + 0 > max { next }
            leave_out != "" && ($1 ~ leave_out || $0 ~ leave_out) { next }
            wanted != "" && !index(wanted, " " $1 " ") { next }
            /-disable-auto-cleanup/ && !/timeLimit/ { $0 = $0 " timeLimit=30" }
            {
                skip = 0
                for (i = 1; i <= k; i++) if (dir "/" $1 ~ known[i]) skip = 1
                if (skip) left_out++; else print > out
            }
            END { print left_out + 0 }' - <(cat "$suite/$list" 2>/dev/null || cat "$TREE/test/mpi/$list")
    done < <(cd "$TREE/test/mpi" && find "$dir" \( -name testlist -o -name testlist.in \) |
        sed 's/\.in$//' | sort -u) |
        awk '{ n += $1 } END { print n + 0 }'
}

# Programs of a directory, built side by side; one that does not compile fails in its test.
build_tests() {
    local suite=$1 dir=$2 sub
    make -C "$suite/util" "-j$(nproc)" all
    [ ! -d "$suite/dtpools" ] || make -C "$suite/dtpools" "-j$(nproc)" all
    while read -r sub; do
        [ ! -s "$sub/testlist.run" ] || make -C "$sub" "-j$(nproc)" -k all || true
    done < <(find "$suite/$dir" -name testlist.run -printf '%h\n')
}

run_tests() {
    local suite=$1 dir=$2 tap=$3
    shift 3
    cd "$suite" || return
    env "$@" MPITEST_STOPTEST="$suite/.stoptest" MPITEST_TIMEOUT="$TIME_LIMIT" \
        ./runtests -mpiexec="${MPIEXEC:-$PREFIX/bin/mpiexec}" -srcdir="$TREE/test/mpi" \
        -testdirs="$dir" -tests=testlist.run -tapfile="$tap"
}

# suite_directory DIR LABEL [VARIABLE=VALUE]...: builds and runs one directory; the TAP file is
# OUT/suite-LABEL-DIR.tap, and beside it stands how many known failures were left out.  With
# COMPILED set its programs are there already.
suite_directory() {
    local dir=$1 label=$2 suite=$BUILD/test/mpi name left_out tap
    shift 2
    name=${label:+$label: }$dir
    tap=$OUT/suite-${label:+${label//[ ,]/-}-}${dir//\//-}.tap
    [ -d "$TREE/test/mpi/$dir" ] || die "the suite has no directory $dir"
    [ -x "$suite/runtests" ] || die "no $suite/runtests: run maint/build --tests first"
    left_out=$(filter_lists "$suite" "$dir")
    if [ -n "$(find "$suite/$dir" -name testlist.run -size +0)" ]; then
        if [ -z "${COMPILED:-}" ]; then
            step "compile tests: $name" "${tap%.tap}.make.log" "$suite/$dir" build_tests "$suite" \
                "$dir" || true
        fi
        rm -f "$tap"
        step "run tests: $name" "${tap%.tap}.log" "the names of failed tests are in $tap" \
            run_tests "$suite" "$dir" "$tap" "$@" || true
    fi
    echo "$left_out" >"${tap%.tap}.left_out"
}
