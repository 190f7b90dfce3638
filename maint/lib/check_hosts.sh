# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Section "hosts" of maint/check: tests on hosts made of namespaces (maint/hosts, doc/guides/several_hosts.md).  Needs common.sh, variant.sh,
# suite.sh and the counts of maint/check.

HOSTS_DIRS=(comm group topo init pt2pt coll rma) # --dirs= replaces them
# Without --long: no larger tests, and not those that make communicators, send messages or lock by the ten thousand, or measure, which
# takes minutes over TCP; nor the same one-sided tests with other settings.
HOSTS_RANKS=8
HOSTS_LEAVE_OUT='^(ctxalloc|ctxsplit|ctxid_.*|wide_ids|many_comms|sendflood|(lock)?contention.*|.*_accop.*|allgatherv4)$'

# The directories of the suite with tests of ours.
our_dirs() { (cd "$ROOT/test/mpi" && find . -name '*.c' -printf '%h\n' | sed 's|^\./||' | grep -v '^spawn$' | sort -u); }

# tests_on_hosts K DIR...: with MPIEXEC, MAX_RANKS and ONLY_OURS as set.
tests_on_hosts() {
    local count=$1 dir
    shift
    "$ROOT/maint/hosts" up "$count"
    for dir; do suite_directory "$dir" "$count hosts${ONLY_OURS:+, ours}"; done
}

# Ends a job in which rank 1 is killed, because of that?
ends_when_killed() {
    local said
    make -C "$BUILD/test/mpi/util" libmtest_single.la && make -C "$BUILD/test/mpi/init" finalize_peers || return
    # shellcheck disable=SC2086
    said=$(timeout 60 $MPIEXEC -n 6 "$BUILD/test/mpi/init/finalize_peers" -talk=all "-kill=$1" 2>&1) && return 1
    printf '%s\n' "$said"
    grep -q 'EXIT CODE: 9$' <<<"$said" # by the kill, not by the end of patience
}

# Do the hosts keep a lock of who started them?
keep_no_lock() {
    local lock=$OUT/lock
    flock "$lock" "$ROOT/maint/hosts" up 1 && flock -n "$lock" true || { echo "the hosts hold a lock of their caller's" && return 1; }
}

# Sets after each other, a job whose mpiexec is killed, and nothing is left when they are down.
hosts_come_and_go() {
    local hosts=$ROOT/maint/hosts seconds=86400.$$ tries
    keep_no_lock || return
    "$hosts" up 2 && "$hosts" up 3 && [ "$("$hosts" status)" = "h1 h2 h3" ] || return
    $MPIEXEC -n 3 sleep "$seconds" &
    for tries in {1..100}; do [ "$(pgrep -cf "^sleep $seconds")" -lt 3 ] || break; sleep 0.1; done
    echo "3 ranks after $tries tries"
    kill -KILL $!
    "$hosts" down && "$hosts" down && [ "$("$hosts" status)" = "no hosts are up" ] && ! pgrep -f "^sleep $seconds"
}

hosts() (
    local said when MPIEXEC ONLY_OURS='' MAX_RANKS=$HOSTS_RANKS LEAVE_OUT=$HOSTS_LEAVE_OUT
    [ -z "$LONG" ] || MAX_RANKS=0 LEAVE_OUT=''
    said=$("$ROOT/maint/hosts" up 2 2>&1) || {
        count "hosts (${said#hosts: })" 0 0 1
        exit
    }
    trap '"$ROOT/maint/hosts" down' EXIT
    MPIEXEC="$ROOT/maint/hosts run ${OPTIONS[*]}"
    count_status "hosts come and go" hosts_come_and_go
    tests_on_hosts 2 "${HOSTS_DIRS[@]}"
    for when in before in closing; do count_status "hosts: ends, rank killed $when finalize" ends_when_killed "$when"; done
    count_status "hosts: a rank killed with a lock ends the job, and nothing remains" kill_ranks locks
    # shellcheck disable=SC2046
    ONLY_OURS=yes tests_on_hosts 4 $(our_dirs)
)
