# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# A rank, mpiexec or its proxy is killed at a random moment, again and again: each time the job ends
# by itself, and nothing remains of it.  Needs common.sh and variant.sh.

# alive NAME: its processes, the oldest first: their numbers start again at 1 some time.  What has
# ended counts no more, also where init is slow to take notice.
alive() { ps -C "$1" -o pid=,stat= --sort=start_time | awk '$2 !~ /^Z/ { print $1 }'; }

# Shared memory that no process uses, and the processes of a name.
what_remains() {
    local file
    for file in /dev/shm/*; do
        [ ! -e "$file" ] || grep -qsF "$file" /proc/[0-9]*/maps || echo "$file"
    done
    ipcs -m | awk 'NR > 3 && $6 == 0 { print "segment", $2 }'
    alive "$1"
}

# Without the spaces in front of a short number, which ps itself does not take.
parent_of() { ps -o ppid= -p "$1" | tr -d ' '; }

# wait_until JOB COMMAND...: until the command succeeds, or the job has ended.
wait_until() {
    local job=$1
    shift
    until "$@" || ! kill -0 "$job" 2>/dev/null; do sleep 0.01; done
}

# victim_of WHOM PROGRAM JOB: a process of the job, or nothing when it has ended.  The oldest rank
# is none that was spawned and may end.
victim_of() {
    local whom=$1 program=${2##*/} job=$3 oldest
    oldest=$(alive "$program" | head -n 1)
    case $whom in
    rank) alive "$program" | shuf -n 1 ;;
    proxy) parent_of "$oldest" ;;
    proxy-of-scripts) parent_of "$(parent_of "$oldest")" ;;
    mpiexec) ps -o pid= --ppid "$job" | tr -d ' ' ;;
    esac
}

# kill_one WHOM PROGRAM RANKS: status 0 when the job ended within 30 s, and not well.  WHOM is
# "rank", "mpiexec", "proxy", or "proxy-of-scripts": then scripts start the program.  The limit ends
# mpiexec by a signal that it does not pass on, for 137 is the status of a killed rank, too.  Sets
# `named` if mpiexec names the host of an ended proxy; a write to it, or half a message of it, may
# fail first.
kill_one() {
    local whom=$1 program=$2 ranks=$3 said=$OUT/kill.out command victim job status=0
    command=("$program")
    [ "$whom" != proxy-of-scripts ] || command=(sh -c "$program; true")
    : >"$said"
    # shellcheck disable=SC2086
    timeout -s HUP 30 ${MPIEXEC:-$PREFIX/bin/mpiexec} -n "$ranks" "${command[@]}" >"$said" 2>&1 &
    job=$!
    wait_until $job grep -q running "$said"
    sleep "0.$((RANDOM % 300 + 100))"
    victim=$(victim_of "$whom" "$program" $job)
    [ -n "$victim" ] || { sleep 2; echo "the job ended before the kill"; return 1; }
    kill -9 "$victim" || return 1
    wait $job 2>/dev/null || status=$?
    [ "$whom" != mpiexec ] || return 0
    case $status in
    0) echo "mpiexec says that all is well" && return 1 ;;
    124) echo "the job did not end" && return 1 ;;
    esac
    ! grep -q "the proxy on host .* has ended" "$said" || named=yes
}

job_of_two() {
    "$PREFIX/bin/mpicc" -O2 -o "$OUT/ends" "$ROOT/test/kill/ends.c" &&
        timeout -s HUP 60 "$PREFIX/bin/mpiexec" -n 2 "$OUT/ends" count
}

# A file that nobody locks goes with the next job, and one that somebody locks stays.
files_of_the_dead() {
    local left=/dev/shm/mpich_seg_left$$ used=/dev/shm/mpich_seg_used$$ status=0
    : >"$left" && : >"$used" || return 1
    flock "$used" bash -c "$(declare -f job_of_two); OUT=$OUT ROOT=$ROOT PREFIX=$PREFIX job_of_two" ||
        status=1
    [ ! -e "$left" ] || { echo "$left is still there"; status=1; }
    [ -e "$used" ] || { echo "$used is gone, and it was locked"; status=1; }
    rm -f "$left" "$used"
    return $status
}

# nothing_new_remains COMMAND NAME BEFORE: beside what COMMAND printed before, within 5 s.  Files of
# other jobs on this machine come and go, and what an older job has left is not ours.
nothing_new_remains() {
    local rest k
    rest=$(comm -13 <(echo "$3" | sort) <("$1" "$2" | sort))
    for ((k = 0; k < 50; k++)); do
        [ -n "$rest" ] || return 0
        sleep 0.1
        rest=$(comm -12 <(echo "$rest") <("$1" "$2" | sort))
    done
    echo "this remains:"
    echo "$rest"
    return 1
}

# kill_some WHOM WHAT LEAST [TIMES]: of the program test/kill/WHAT.c with LEAST ranks or up to four
# more, under a name that no other program has.  Of "spawning" only processes count as remains: a
# process that is killed in MPI_Init may leave a segment that UCX has made and not yet attached.
kill_some() {
    local whom=$1 what=$2 least=$3 times=${4:-20} program before k ranks named=
    local remains=what_remains
    program=$OUT/kill-$$
    "$PREFIX/bin/mpicc" -O2 -o "$program" "$ROOT/test/kill/$what.c" || return 1
    [ "$what" != spawning ] || remains=alive
    before=$($remains "${program##*/}" || true)
    for ((k = 1; k <= times; k++)); do
        ranks=$((k % 3 * 2 + least))
        kill_one "$whom" "$program" "$ranks" || { echo "kill $k of $times, $ranks ranks";
            cat "$OUT/kill.out"; return 1; }
    done
    # The next job removes files that a kill in the middle of a creation has left.
    job_of_two >"$OUT/kill.out" 2>&1 || { cat "$OUT/kill.out"; return 1; }
    nothing_new_remains $remains "${program##*/}" "$before" || return 1
    [[ $whom != proxy* ]] || [ -n "$named" ] || {
        echo "none of $times jobs named the proxy's host:"; cat "$OUT/kill.out"; return 1; }
}

# A process that is gone before anybody used it is an error which names it.
use_of_the_dead() {
    local program=$OUT/first-use said=$OUT/first-use.said
    rm -f "$said"
    "$PREFIX/bin/mpicc" -O2 -o "$program" "$ROOT/test/kill/first_use.c" || return 1
    timeout -s KILL 60 "$PREFIX/bin/mpiexec" -n 3 "$program" "$said" >"$OUT/first-use.out" 2>&1 ||
        true
    grep -qx ok "$said" || { cat "$said" "$OUT/first-use.out"; return 1; }
}

# ends_with STATUS TIMES ARGUMENT...: a job of one process ends with this status, each time.
ends_with() {
    local wanted=$1 times=$2 k status
    shift 2
    for ((k = 1; k <= times; k++)); do
        status=0
        timeout -s KILL 30 "$PREFIX/bin/mpiexec" -n 1 "$@" >"$OUT/ends.out" 2>&1 || status=$?
        [ "$status" = "$wanted" ] || { echo "run $k of $*: status $status";
            cat "$OUT/ends.out"; return 1; }
    done
}

# The status of a process is that of the job, in whatever order its output, its socket and itself
# are seen to end.
status_of_the_job() {
    local program=$OUT/ends
    "$PREFIX/bin/mpicc" -O2 -o "$program" "$ROOT/test/kill/ends.c" || return 1
    ends_with 9 60 "$program" abort 9 && ends_with 3 60 "$program" exit 3
}

# If a signal that mpiexec passes on ends the processes, mpiexec's status says so, each time.
status_after_a_signal() {
    local program=$OUT/signalled said=$OUT/signalled.out k job status
    "$PREFIX/bin/mpicc" -O2 -o "$program" "$ROOT/test/kill/collectives.c" || return 1
    for ((k = 1; k <= 20; k++)); do
        : >"$said"
        timeout -s HUP 30 "$PREFIX/bin/mpiexec" -n 2 "$program" >"$said" 2>&1 &
        job=$! status=0
        wait_until $job grep -q running "$said"
        kill $job
        wait $job || status=$?
        [ "$status" = 143 ] || { echo "signal $k: status $status"; cat "$said"; return 1; }
    done
}

# A spawned job goes on after its parents have ended. If one of its processes is killed then,
# mpiexec names it, and ends by itself. Parents that are slow to end are ended, too: status 137.
job_that_outlives_its_parents() {
    local program=$OUT/outlives said=$OUT/outlives.out k status
    "$PREFIX/bin/mpicc" -O2 -o "$program" "$ROOT/test/kill/outlives.c" || return 1
    for ((k = 1; k <= 5; k++)); do
        status=0
        timeout -s HUP 30 "$PREFIX/bin/mpiexec" -n 1 "$program" >"$said" 2>&1 || status=$?
        case $status in 0 | 137) ;; *) echo "run $k: status $status"; cat "$said"; return 1 ;; esac
        grep -q "BAD TERMINATION" "$said" || { echo "the killed process is not named:";
            cat "$said"; return 1; }
    done
}

# An abort of a spawned process ends the job of its parent, too.
abort_of_a_spawned_process() {
    local program=$OUT/spawned_aborts
    "$PREFIX/bin/mpicc" -O2 -o "$program" "$ROOT/test/kill/spawned_aborts.c" &&
        ends_with 5 3 "$program"
}

# A signal ends mpiexec while the host of a process does not answer.
signal_at_the_start() {
    local launcher=$OUT/silent-launcher said=$OUT/silent.out signal job status
    printf '#!/bin/sh\necho started >"%s.started"\nexec sleep 60\n' "$launcher" >"$launcher"
    chmod +x "$launcher"
    for signal in TERM INT; do
        rm -f "$launcher.started"
        timeout -s KILL 30 "$PREFIX/bin/mpiexec" -launcher ssh -launcher-exec "$launcher" \
            -hosts 198.51.100.7 -n 1 true >"$said" 2>&1 &
        job=$! status=0
        wait_until $job [ -e "$launcher.started" ]
        kill -s $signal $job
        wait $job || status=$?
        case $status in
        0 | 137) echo "SIG$signal: mpiexec ended with status $status"; cat "$said"; return 1 ;;
        esac
    done
}

# recovering SECONDS RANKS PROGRAM [WORD]...: the job, in which a death does not end the others, for
# at most so long.  UCX writes lines about the dead.
recovering() {
    local seconds=$1 ranks=$2
    shift 2
    # shellcheck disable=SC2086
    UCX_LOG_LEVEL=fatal timeout -s HUP "$seconds" ${MPIEXEC:-$PREFIX/bin/mpiexec} \
        --enable-recovery -n "$ranks" "$@"
}

# survives CALL [WORD]...: the last of four ranks dies in the call (test/kill/survive.c), the others
# go on, and mpiexec ends well and says who has died.
survives() { run_survivors survive "$@"; }

# The same of 260 ranks: no member tells all others of a revocation.
survives_large() { RANKS=260 run_survivors survive "$@"; }

# run_survivors NAME [WORD]...: the same of test/kill/NAME.c, with RANKS ranks if that is set.
run_survivors() {
    local program=$OUT/$1 said=$OUT/survive.out status=0 rest ranks=${RANKS:-4}
    "$PREFIX/bin/mpicc" -O2 -Wall -Werror -pthread -o "$program" "$ROOT/test/kill/$1.c" || return 1
    shift
    recovering $((100 + ranks)) "$ranks" "$program" "$@" >"$said" 2>&1 || status=$?
    rest=$(grep -vx -e ' No Errors' \
        -e "mpiexec: rank \($((ranks - 1))\|1 of spawned job 1\) on .* ended .* before MPI_Finalize" \
        "$said" || true)
    [ "$status" = 0 ] && [ -z "$rest" ] && [ "$(wc -l <"$said")" = 2 ] ||
        { echo "survive $*: status $status"; cat "$said"; return 1; }
}

# begin_host_job PROGRAM LOG WORD...: the job of test/kill/survive_host.c, with these words for
# mpiexec.  Returns when the last rank lives; `job` is its number, and `said` has what it says.
begin_host_job() {
    local program=$1 log=$2
    shift 2
    said=$OUT/survive_host.out
    "$PREFIX/bin/mpicc" -O2 -Wall -Werror -o "$program" "$ROOT/test/kill/survive_host.c" || return 1
    rm -f "$log" "$log.go" && : >"$said"
    MPIEXEC="${MPIEXEC:-$PREFIX/bin/mpiexec} $*" MPIR_CVAR_FT_TIMEOUT=2 \
        recovering 100 3 "$program" "$log" >"$said" 2>&1 &
    job=$!
    wait_until "$job" [ -s "$log" ]
}

# end_host_job LOG: the survivors have gone on, and mpiexec has said whose host is lost.
end_host_job() {
    local status=0 rest
    : >"$1.go"
    wait "$job" || status=$?
    # the shell of a launcher says that the proxy was killed
    rest=$(grep -vx -e Killed -e ' No Errors' \
        -e 'mpiexec: rank 2 on .* ended .* before MPI_Finalize' \
        -e 'mpiexec: host .* has not answered for 2 s .*; its ranks are dead, .*' \
        -e 'mpiexec: the proxy on host .* has ended, .*; its ranks are dead, .*' "$said" || true)
    [ "$status" = 0 ] && [ -z "$rest" ] && [ "$(grep -vxc Killed "$said")" = 3 ] ||
        { echo "survive_host: status $status"; cat "$said"; return 1; }
}

# count_is NUMBER NAME: so many processes have the name.
count_is() { [ "$(alive "$2" | wc -l)" = "$1" ]; }

# What has to be stopped of the second host on this machine: the last rank, its proxy, its guardian.
processes_of_rank() {
    local proxy
    proxy=$(parent_of "$1")
    echo "$proxy" "$(ps -o pid= --ppid "$proxy")"
}

# stopped_host WHOM: two proxies on this machine count as two hosts.  All processes of the second
# one are stopped, and go on when the others know that they are dead; or the proxy alone.
# process_of_rank RANK NAME.  Hosts start in any order.
process_of_rank() {
    local process
    for process in $(alive "$2"); do
        ! tr '\0' '\n' <"/proc/$process/environ" | grep -qx "PMI_RANK=$1" || echo "$process"
    done
}

stopped_host() {
    local program=$OUT/survive_host log=$OUT/survive_host.log job said victim stopped
    begin_host_job "$program" "$log" -hosts localhost,127.0.0.1 -ppn 2 || return 1
    victim=$(process_of_rank 2 survive_host)
    stopped=$(parent_of "$victim")
    [ "$1" = proxy ] || stopped=$(processes_of_rank "$victim")
    # shellcheck disable=SC2086
    kill -STOP $stopped
    wait_until "$job" grep -q "its ranks are dead" "$said"
    # shellcheck disable=SC2086
    kill -CONT $stopped 2>/dev/null || true
    wait_until "$job" count_is 2 survive_host
    end_host_job "$log"
}

# If mpiexec itself is stopped, all ranks end, and the job does when mpiexec goes on.
stopped_mpiexec() {
    local program=$OUT/survive_host log=$OUT/survive_host.log job said mpiexec status=0
    begin_host_job "$program" "$log" || return 1
    mpiexec=$(parent_of "$(parent_of "$(alive survive_host | tail -n 1)")")
    kill -STOP "$mpiexec"
    wait_until "$job" count_is 0 survive_host
    kill -CONT "$mpiexec"
    wait "$job" || status=$?
    [ "$status" = 137 ] && grep -q "its ranks are dead" "$said" ||
        { echo "status $status"; cat "$said"; return 1; }
}

# survives_in_spawn CALL: a member or a spawned process dies in MPI_Comm_spawn
# (test/kill/survive_in_spawn.c).
survives_in_spawn() {
    local program=$OUT/survive_in_spawn said=$OUT/survive_in_spawn.out status=0
    "$PREFIX/bin/mpicc" -O2 -Wall -Werror -o "$program" "$ROOT/test/kill/survive_in_spawn.c" ||
        return 1
    recovering 100 4 "$program" "$1" >"$said" 2>&1 || status=$?
    [ "$status" = 0 ] && [ "$(grep -v '^mpiexec: \(the proxy\|rank .* before MPI_Finalize$\)' \
        "$said")" = ' No Errors' ] ||
        { echo "survive_in_spawn $1: status $status"; cat "$said"; return 1; }
}

# A script that mpiexec calls as ssh.  Of its hosts one cannot start a proxy, and the proxy of
# another one ends at once.
launcher_of_bad_hosts() {
    cat >"$1" <<'END'
#!/bin/bash
while [[ $1 != @(localhost|broken|dying) ]]; do shift; done
case $1 in
broken) exit 5 ;;
dying) bash -c "exec ${*:2}" & sleep 0.00$((RANDOM % 10)); kill -9 $!; exit 6 ;;
*) exec bash -c "${*:2}" ;;
esac
END
    chmod +x "$1"
}

# A host of MPI_Comm_spawn cannot start its processes: an error, with recovery and without, and
# nobody ends.
spawns_on_bad_hosts() {
    local launcher=$OUT/bad-hosts said=$OUT/bad-hosts.out status=0 mpiexec
    launcher_of_bad_hosts "$launcher"
    mpiexec="$PREFIX/bin/mpiexec -launcher ssh -launcher-exec $launcher -hosts localhost"
    local -x HYDRA_LAUNCHER_AUTOFORK=0
    MPIEXEC=$mpiexec survives_in_spawn no_host || return 1
    timeout -s HUP 60 $mpiexec -n 3 "$OUT/survive_in_spawn" no_host alive >"$said" 2>&1 || status=$?
    [ "$status" = 0 ] && [ "$(cat "$said")" = ' No Errors' ] ||
        { echo "without recovery: status $status"; cat "$said"; return 1; }
}

# survives_in_jobs CLIQUES CALL WORD...: the same of test/kill/survive_jobs.c: the last rank of all
# is of the first job, or of a spawned one.
survives_in_jobs() {
    local cliques=$1
    shift
    MPIR_CVAR_NUM_CLIQUES=$cliques run_survivors survive_jobs "$@"
}

# survives_in_window CLIQUES CALL WORD...: the same of test/kill/survive_windows.c, whose processes
# have so many nodes.
survives_in_window() {
    local cliques=$1
    shift
    MPIR_CVAR_NUM_CLIQUES=$cliques run_survivors survive_windows "$@"
}

# repaired_by_spawn TIMES: jobs of 2 to 7 ranks, of which some are killed in each of four rounds,
# also in the repair.  Those that are left spawn others in their place (test/kill/survive_spawn.c);
# nothing remains.  A spawned process whose parents have died says so.
repaired_by_spawn() {
    local program=$OUT/survive_spawn said=$OUT/survive_spawn.out before seed status
    "$PREFIX/bin/mpicc" -O2 -Wall -Werror -o "$program" "$ROOT/test/kill/survive_spawn.c" ||
        return 1
    before=$(what_remains survive_spawn || true)
    for seed in $(seq "$1"); do
        status=0
        MPIR_CVAR_NUM_CLIQUES=$((1 + seed % 2)) recovering 120 $((2 + seed % 6)) "$program" 4 \
            "$seed" >"$said" 2>&1 || status=$?
        [ "$status" = 0 ] && [ "$(grep -cx ' No Errors' "$said")" = 1 ] ||
            { echo "seed $seed: status $status"; cat "$said"; return 1; }
    done
    nothing_new_remains what_remains survive_spawn "$before"
}

# recovers SOURCE RESULT TIMES: the program with 2 to 8 ranks, of which up to 4 are killed at random
# moments, says RESULT, an extended regular expression with RANKS and DEATHS.  Nothing remains.
recovers() {
    local name program said=$OUT/recovers.out result times=$3 before seed ranks deaths status
    name=${1##*/} name=${name%.c}
    [[ $1 != examples/* ]] || name=example_$name
    program=$OUT/$name
    "$PREFIX/bin/mpicc" -O2 -Wall -Wextra -Werror -o "$program" "$ROOT/$1" || return 1
    before=$(what_remains "$name" || true)
    for seed in $(seq "$times"); do
        ranks=$((2 + seed % 7)) deaths=$((1 + seed % 4)) status=0
        [ "$deaths" -lt "$ranks" ] || deaths=$((ranks - 1))
        result=${2//RANKS/$ranks} result=${result//DEATHS/$deaths}
        MPIR_CVAR_NUM_CLIQUES=$((1 + seed % 2)) recovering 100 "$ranks" "$program" "$deaths" \
            "$seed" >"$said" 2>&1 || status=$?
        [ "$status" = 0 ] &&
            [[ $(grep -v "^mpiexec: rank .* ended by signal 9" "$said") =~ ^$result$ ]] || {
            echo "$1, $deaths of $ranks, seed $seed: status $status"; cat "$said"; return 1; }
    done
    nothing_new_remains what_remains "$name" "$before"
}

# survives_in_files TIMES: jobs of 2 to 8 ranks, of which up to 4 are killed at random moments in
# calls on files (test/kill/survive_files.c).  No file remains, nor anything else.
survives_in_files() {
    local program=$OUT/survive_files said=$OUT/survive_files.out files=$OUT/survive_files.d
    local before seed ranks deaths status
    "$PREFIX/bin/mpicc" -O2 -Wall -Wextra -Werror -o "$program" "$ROOT/test/kill/survive_files.c" ||
        return 1
    before=$(what_remains survive_files || true)
    rm -rf "$files"
    mkdir -p "$files"
    for seed in $(seq "$1"); do
        ranks=$((2 + seed % 7)) deaths=$((1 + seed % 4)) status=0
        [ "$deaths" -lt "$ranks" ] || deaths=$((ranks - 1))
        MPIR_CVAR_NUM_CLIQUES=$((1 + seed % 2)) recovering 100 "$ranks" "$program" "$deaths" \
            "$seed" "$files" >"$said" 2>&1 || status=$?
        [ "$status" = 0 ] && [ "$(grep -v '^mpiexec: rank .* ended by signal 9' "$said")" = \
            ' No Errors' ] && [ -z "$(ls -A "$files")" ] || {
            echo "survive_files, $deaths of $ranks, seed $seed: status $status"; cat "$said"
            ls -lA "$files"; return 1; }
    done
    nothing_new_remains what_remains survive_files "$before"
}

# status_with_recovery STATUS RANKS WORD...: of a job of test/kill/deaths.c with --enable-recovery.
status_with_recovery() {
    local wanted=$1 ranks=$2 program=$OUT/deaths said=$OUT/deaths.out status=0
    shift 2
    "$PREFIX/bin/mpicc" -O2 -Wall -Werror -o "$program" "$ROOT/test/kill/deaths.c" || return 1
    recovering 60 "$ranks" "$program" "$@" >"$said" 2>&1 || status=$?
    case $wanted in
    not-0) [ "$status" != 0 ] && [ "$status" != 124 ] ;;
    *) [ "$status" = "$wanted" ] ;;
    esac || { echo "deaths $*: status $status, not $wanted"; cat "$said"; return 1; }
}

# What mpiexec returns: that of the living; that of the dead if nobody lives; and the job ends if a
# rank dies before the others are through MPI_Init.
statuses_with_recovery() {
    status_with_recovery 0 4 one 3 && status_with_recovery 5 4 one 3 5 &&
        status_with_recovery 3 4 all 3 && status_with_recovery not-0 4 early 3 &&
        status_with_recovery 0 1 none
}
