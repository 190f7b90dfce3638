# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Section "hosts" of maint/check: tests on hosts made of namespaces (maint/hosts,
# doc/guides/several_hosts.md).  Needs common.sh and variant.sh; MPIEXEC starts a job on the hosts.

# Ends a job in which rank 1 is killed, because of that?
ends_when_killed() {
    local said
    make -C "$BUILD/test/mpi/util" libmtest_single.la &&
        make -C "$BUILD/test/mpi/init" finalize_peers || return
    # shellcheck disable=SC2086
    said=$(timeout 60 $MPIEXEC -n 6 "$BUILD/test/mpi/init/finalize_peers" -talk=all "-kill=$1" \
        2>&1) && return 1
    printf '%s\n' "$said"
    grep -q 'EXIT CODE: 137$' <<<"$said" # by the kill, not by the end of patience
}

# Do the hosts keep a lock of who started them?
keep_no_lock() {
    local lock=$OUT/lock
    flock "$lock" "$ROOT/maint/hosts" up 1 && flock -n "$lock" true ||
        { echo "the hosts hold a lock of their caller's" && return 1; }
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
    "$hosts" down && "$hosts" down && [ "$("$hosts" status)" = "no hosts are up" ] &&
        ! pgrep -f "^sleep $seconds"
}

# A checkout that nobody can write to: what the scripts note is elsewhere.
# shellcheck disable=SC2016
hosts_of_read_only_checkout() {
    unshare --mount bash -c '
        mount --make-rprivate / && mount --bind "$1" "$1" &&
            mount -o remount,ro,bind "$1" && cd "$1" || exit
        ! touch build/hosts-written 2>/dev/null || exit
        maint/hosts up 2 && [ "$(maint/hosts status)" = "h1 h2" ] &&
            maint/hosts run -n 2 hostname | sort | diff - <(printf "h1\nh2\n") && maint/hosts down
    ' read_only "$ROOT"
}

# on_second_host COMMAND...
on_second_host() { "$ROOT/maint/hosts" exec h2 "$@"; }

# lost_host WAY: of the host of the last rank all is stopped, or the proxy, or its network is cut.
# It comes back when the others know that the rank is dead (test/kill/steps.sh).
lost_host() {
    local program=$OUT/survive_host log=$OUT/survive_host.log job said lose back
    # shellcheck disable=SC2016    # for the shell there
    case $1 in
    stop) lose="kill -STOP -1" back="kill -CONT -1" ;;
    proxy) lose='kill -STOP $(pgrep -o hydra_pmi_proxy)' back=true ;;
    cut) lose="ip link set eth0 down" back="ip link set eth0 up" ;;
    esac
    begin_host_job "$program" "$log" -ppn 2 || return 1
    on_second_host bash -c "$lose" || return 1
    wait_until "$job" grep -q "its ranks are dead" "$said"
    on_second_host bash -c "$back" || return 1
    wait_until "$job" count_is 2 survive_host
    end_host_job "$log"
}
