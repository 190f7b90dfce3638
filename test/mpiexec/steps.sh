# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# shellcheck disable=SC2317    # functions are called by name
# What users give to mpiexec, and what it tells them.  Needs common.sh and variant.sh; OUT is where
# results go.

# job ARGUMENT...: mpiexec within a minute. A limit of its own ends it by a signal that it does not
# pass on.
job() { timeout --foreground -s HUP 60 "$PREFIX/bin/mpiexec" "$@"; }

# says WANTED WHAT SAID: the same, or a line that shows where it begins to differ.
says() {
    [ "$1" = "$3" ] || { echo "$2: \"${3:0:300}\" instead of \"${1:0:100}\""; return 1; }
}

repeat() { printf "%$1s" | sed "s/ /$2/g"; }

# launcher_without_host FILE [COMMAND]: a script that mpiexec calls as ssh. It starts the proxy on
# this host, by the command.
launcher_without_host() {
    # shellcheck disable=SC2016
    printf '%s\n' '#!/bin/bash' 'while [ "$1" != localhost ]; do shift; done' 'shift' \
        "exec ${2-} bash -c \"\$*\"" >"$1"
    chmod +x "$1"
}

# ---- any number of words, of any length

takes_many_arguments() {
    local n word
    for n in 990 997 998 999 1000 1001 2500 20000; do
        # shellcheck disable=SC2016,SC2046    # the variable of the process; words
        says "$n" "$n arguments" "$(job -n 1 sh -c 'echo $#' x $(seq "$n") 2>&1)" || return 1
    done
    for n in 1100 17000 70000 130000; do
        word=$(repeat "$n" x)
        # shellcheck disable=SC2016
        says "$n" "$n characters" "$(job -n 1 sh -c 'echo ${#1}' x "$word" 2>&1)" || return 1
    done
    # shellcheck disable=SC2046
    says 100 "100 programs" \
        "$(job $(for n in {1..99}; do echo "-n 1 true :"; done) -n 1 echo 100 2>&1)" &&
        says "a:" "a : that nothing follows" "$(job -n 1 printf %s a : 2>&1)"
}

takes_a_large_environment() {
    (
        for n in {1..5000}; do export "VARIABLE_$n=value $n"; done
        LONG=$(repeat 100000 y)
        export LONG
        # shellcheck disable=SC2016
        says $'value 1 value 5000 100000\nvalue 1 value 5000 100000' "5,000 variables" \
            "$(job -n 2 bash -c 'echo "$VARIABLE_1 $VARIABLE_5000 ${#LONG}"' 2>&1)"
    ) || return 1
    # Each is passed, also the last one; and there may be none.
    local launcher=$OUT/clean-launcher
    launcher_without_host "$launcher" 'env -i PATH="$PATH"'
    # shellcheck disable=SC2046
    says 3000 "a long -genvlist" "$(env -i HYDRA_LAUNCHER_AUTOFORK=0 $(seq -f 'V%g=1' 3000) \
        "$PREFIX/bin/mpiexec" -launcher ssh -launcher-exec "$launcher" -hosts localhost \
        -genvlist "$(seq -s , -f 'V%g' 3000)" -n 1 env 2>&1 | grep -c ^V)" &&
        says x "no environment" \
            "$(env -i "$PREFIX/bin/mpiexec" -genvlist V -n 1 /bin/echo x 2>&1)"
}

takes_long_lists_of_hosts() {
    local hosts=$OUT/long-hosts
    says $'x\nx' "3,000 hosts" \
        "$(job -hosts "$(repeat 1500 localhost,127.0.0.1,)" -n 2 echo x 2>&1)" || return 1
    # A line of 20,000 characters is one host; three processes fit onto no other one.
    echo "localhost:2 binding=user:$(repeat 10000 0,)0" >"$hosts"
    says $'x\nx\nx' "a long line of a host file" "$(job -f "$hosts" -n 3 echo x 2>&1)" || return 1
    # Where the processes are takes more than a value of PMI holds, and is left out.
    says "" "hosts of many kinds" \
        "$(job -hosts "$(repeat 60 localhost:1,127.0.0.1:2,)" -n 180 true 2>&1)" || return 1
    "$PREFIX/bin/mpicc" -O2 -o "$OUT/ends" "$ROOT/test/kill/ends.c" || return 1
    says "123 processes" "an MPI program on them" "$(job -hosts \
        "$(repeat 41 localhost:1,127.0.0.1:2,)" -n 123 "$OUT/ends" count 2>&1)"
}

takes_long_files_of_words() {
    local file=$OUT/words
    printf '%s\n' '# two programs \' '-n 1 printf %s. a#b "quoted word" \' '  c # a comment' '' \
        '-n 1 \' 'sh -c exit' >"$file"
    says 'a#b."quoted.word".c.' "continued lines" "$(job -configfile "$file" 2>&1)" || return 1
    # shellcheck disable=SC2046
    echo "-n 1 printf %.0s.\\n $(seq -s ' ' 5000)" >"$file"
    says 5000 "a line of 5,000 words" "$(job -configfile "$file" 2>&1 | wc -l)" || return 1
    echo "-n 1 printf %s $(repeat 100000 z)" >"$file"
    says 100000 "a long word" "$(job -configfile "$file" 2>&1 | wc -c)" || return 1
    : >"$file"
    says x "no word" "$(job -configfile "$file" -n 1 echo x 2>&1)"
}

takes_long_values_of_options() {
    local launcher=$OUT/launcher
    says "$(repeat 2000 0)%x" "a pattern of 2,000 ranks" \
        "$(job -prepend-pattern "$(repeat 2000 %r)%%" -n 1 echo x 2>&1)" &&
        says "$(repeat 20000 a)x" "a long pattern" \
            "$(job -prepend-pattern "$(repeat 20000 a)" -n 1 echo x 2>&1)" || return 1
    # shellcheck disable=SC2016
    says 200 "many GPUs" "$(job -gpus-per-proc 200 -n 1 sh -c 'echo "$CUDA_VISIBLE_DEVICES"' |
        tr , '\n' | wc -l)" || return 1
    launcher_without_host "$launcher"
    says x "a launcher with 3,000 words" "$(HYDRA_LAUNCHER_AUTOFORK=0 \
        HYDRA_LAUNCHER_EXTRA_ARGS=$(seq -s ' ' 3000) job -launcher ssh -launcher-exec "$launcher" \
        -hosts localhost -n 1 echo x 2>&1)" || return 1
    sed -i "2i echo \"\$2.\$3.\$4\"" "$launcher"
    says $'-a.-b.-c\nx' "words between many blanks" "$(HYDRA_LAUNCHER_AUTOFORK=0 \
        HYDRA_LAUNCHER_EXTRA_ARGS='  -a  -b   -c ' job -launcher ssh -launcher-exec "$launcher" \
        -hosts localhost -n 1 echo x 2>&1)"
}

# Without a PATH and the directory of mpiexec the proxy is not found, and mpiexec says so.
does_without_a_path() {
    local status=0
    says x "no PATH" "$(env -i "$PREFIX/bin/mpiexec" -n 1 /bin/echo x 2>&1)" || return 1
    ! PATH=$(getconf PATH) command -v hydra_pmi_proxy >/dev/null ||
        { echo "another Hydra is found without a PATH"; return 77; }
    (cd "$PREFIX/bin" && env -i bash -c 'unset PATH
        exec -a mpiexec ./mpiexec -n 1 /bin/echo x') >"$OUT/no-path.out" 2>&1 || status=$?
    says 1 "the status without a PATH" "$status" && grep -q hydra_pmi_proxy "$OUT/no-path.out"
}

# ---- standard input

passes_large_input_on() {
    local input=$OUT/input wanted
    seq 1300000 >"$input" # 9 MB
    wanted=$(cksum <"$input")
    # shellcheck disable=SC2016    # the variable of the process
    says "$wanted" "4 processes, of which 3 sleep" \
        "$(job -n 4 sh -c '[ $PMI_RANK = 0 ] && cksum || sleep 0.2' <"$input" 2>&1)" || return 1
    says "$wanted" "a slow reader" "$(job -n 1 sh -c 'sleep 1; dd bs=9k 2>/dev/null | cksum' \
        <"$input" 2>&1)" || return 1
    says "$wanted" "a pipe with a pause" \
        "$({ head -c 100000 "$input"; sleep 1; tail -c +100001 "$input"; } | job -n 1 cksum 2>&1)"
}

leaves_input_that_nobody_reads() {
    local input=$OUT/input status=0
    seq 1300000 >"$input"
    says "1 2 " "a reader that ends early" \
        "$(job -n 1 head -n 2 <"$input" 2>&1 | tr '\n' ' ')" || return 1
    job -n 2 true </dev/zero || status=$?
    says 0 "the status of those who do not read" $status || return 1
    says read "what is left of 9 MB" \
        "$({ job -n 1 true; head -c 1 >"$OUT/rest"; } <"$input"; [ ! -s "$OUT/rest" ] || echo read)"
    # shellcheck disable=SC2016
    { sleep 1; echo late; } | job -hosts localhost,127.0.0.1 -n 2 sh -c \
        '[ $PMI_RANK = 0 ] || sleep 2' || { echo "input after the end of rank 0"; return 1; }
}

ends_input_of_all_processes() {
    # shellcheck disable=SC2016
    says "0: word 1: 2: " "three processes that read" \
        "$(echo word | job -n 3 sh -c 'echo "$PMI_RANK:" $(cat)' 2>&1 | sort | tr '\n' ' ')" &&
        says 0 "closed input" "$(job -n 1 wc -c <&- 2>&1)" &&
        says 0 "no input" "$(job -n 1 wc -c </dev/null 2>&1)"
}

# What mpiexec writes is whole, also if a signal comes while it waits for the reader.
writes_on_after_a_signal() {
    local written
    # shellcheck disable=SC2016    # of the process
    written=$({ MPIEXEC_TIMEOUT=60 "$PREFIX/bin/mpiexec" -n 1 \
        sh -c 'trap "" USR1; head -c 1000000 /dev/zero' 2>&1 & sleep 2
        kill -USR1 $!; sleep 1; kill -USR1 $!; wait $!; } | { sleep 4; wc -c; })
    says 1000000 "bytes written around a signal" "$written"
}

starts_with_closed_streams() {
    local hosts
    for hosts in localhost localhost,127.0.0.1; do
        says 0 "closed input and output" "$(job -hosts $hosts -n 2 true <&- >&- 2>&-; echo $?)" &&
            says $'x\nx' "closed input" "$(job -hosts $hosts -n 2 echo x <&- 2>&1)" || return 1
    done
}

goes_on_in_the_background() {
    says ok "jobs of a terminal" "$(timeout -s KILL 100 "$ROOT/test/launchers/terminal.py" \
        "$PREFIX/bin/mpiexec" 2>&1)"
}

# ---- options

# refuses_option WORDS ARGUMENT...: mpiexec ends before it starts a process, and says one line.
refuses_option() {
    local words=$1 said status=0
    shift
    said=$(job "$@" 2>&1) || status=$?
    [ "$status" = 1 ] && [ "$said" = "mpiexec: $words" ] || {
        echo "$*: status $status: $said"; return 1; }
}

refuses_wrong_values() {
    local least="is not accepted; accepted values: whole numbers from" value option said
    for value in 0 abc -1 2x "" 99999999999; do
        refuses_option "-n $value $least 1" -n "$value" echo started || return 1
        refuses_option "-ppn $value $least 1" -ppn "$value" echo started || return 1
    done
    refuses_option "-usize none $least 1" -usize none echo started &&
        refuses_option "-gpus-per-proc -1 $least 0" -gpus-per-proc -1 echo started &&
        refuses_option "-output-from x $least 0" -output-from x echo started || return 1
    for value in abc -1 2x 99999999999; do
        MPIR_CVAR_ENABLE_FT=1 MPIR_CVAR_FT_TIMEOUT=$value \
            refuses_option "MPIR_CVAR_FT_TIMEOUT=$value $least 0 to 1000000" -n 1 echo started ||
            return 1
    done
    for option in n ppn hosts f genv env genvlist envlist path configfile usize order-nodes \
        gpus-per-proc output-from; do
        refuses_option "the value of -$option is missing; see mpiexec -$option -help" \
            "-$option" || return 1
    done
    ! said=$(job -hosts localhost:0 -n 1 echo started 2>&1) &&
        grep -q 'localhost:0: the number of processes of a host is at least 1' <<<"$said" ||
        { echo "$said"; return 1; }
    echo "localhost slots=0" >"$OUT/no-slots"
    ! said=$(job -f "$OUT/no-slots" -n 1 echo started 2>&1) &&
        grep -q 'slots=0 of host localhost: at least 1 is needed' <<<"$said" ||
        { echo "$said"; return 1; }
}

wants_a_program() {
    refuses_option "no program is given; see mpiexec -help" &&
        refuses_option "no program is given; see mpiexec -help" -n 2 &&
        refuses_option "no program is given behind a :; see mpiexec -help" -n 1 echo : -n 1
}

# The option -path of MPI's standard.
finds_programs_in_a_path() {
    local dir=$OUT/path
    mkdir -p "$dir/empty" "$dir/full"
    printf '#!/bin/sh\necho found\n' >"$dir/full/program-of-a-path"
    chmod +x "$dir/full/program-of-a-path"
    says found "a directory" "$(job -path "$dir/full" -n 1 program-of-a-path 2>&1)" &&
        says found "two directories" \
            "$(job -n 1 -path "$dir/empty:$dir/full" program-of-a-path 2>&1)" &&
        says found "a relative one" \
            "$(cd "$dir" && job -path full -wdir / -n 1 program-of-a-path 2>&1)" &&
        refuses_option "-path $dir/empty:/ has no program program-of-a-path" \
            -path "$dir/empty:/" -n 1 program-of-a-path
}

starts_in_a_removed_directory() {
    local dir=$OUT/removed
    mkdir -p "$dir"
    (cd "$dir" && rmdir "$dir" && says x "a removed directory" "$(job -n 2 echo x 2>&1 | uniq)")
}

# A host whose own name has no address, as in a minimal root: its proxies still reach mpiexec, also
# those of spawned processes.
spawns_where_the_name_is_unknown() {
    local why
    why=$(unshare --uts true 2>&1) || { echo "no namespaces here: $why"; return 77; }
    "$PREFIX/bin/mpicc" -O2 -o "$OUT/spawning-job" "$ROOT/test/launchers/job.c" || return 1
    # shellcheck disable=SC2016
    [ "$(unshare --uts bash -c 'hostname nowhere-$$ && timeout -s HUP 60 "$1" -n 1 "$2" spawn' - \
        "$PREFIX/bin/mpiexec" "$OUT/spawning-job")" = "spawned, all is right" ]
}

# No file names an address of localhost, and there is no DNS.
reaches_localhost_without_address() {
    local dir=$OUT/no-names why
    why=$(unshare --mount true 2>&1) || { echo "no namespaces here: $why"; return 77; }
    mkdir -p "$dir"
    : >"$dir/hosts" && : >"$dir/resolv.conf" && echo "hosts: files" >"$dir/nsswitch.conf"
    launcher_without_host "$dir/launcher"
    # shellcheck disable=SC2016
    says fine "localhost without address" "$(unshare --mount bash -c '
        for file in hosts resolv.conf nsswitch.conf; do
            mount --bind "$2/$file" "/etc/$file" || exit 1
        done
        ! getent hosts localhost || exit 1
        HYDRA_LAUNCHER_AUTOFORK=0 timeout -s HUP 60 "$1" -launcher ssh \
            -launcher-exec "$2/launcher" -hosts localhost -n 1 echo fine' - \
        "$PREFIX/bin/mpiexec" "$dir" 2>&1)"
}

# With more addresses than 100, the last one is local, and so is a name with a domain.
knows_all_names_of_this_host() {
    local hosts=$OUT/names-of-this-host why
    command -v ip >/dev/null || { echo "no program ip"; return 77; }
    why=$(unshare --net --uts --mount true 2>&1) || { echo "no namespaces here: $why"; return 77; }
    echo "127.0.9.1 here.example.org here" >"$hosts"
    # shellcheck disable=SC2016
    says $'x\nx\nx' "names of this host" "$(unshare --net --uts --mount bash -c '
        mount --bind "$2" /etc/hosts && hostname here && ip link set lo up || exit 1
        for i in {1..150}; do ip addr add 127.0.9.$i/32 dev lo || exit 1; done
        for host in 127.0.9.150 here.example.org here; do
            timeout -s HUP 20 "$1" -launcher ssh -launcher-exec false -hosts $host -n 1 echo x
        done' - "$PREFIX/bin/mpiexec" "$hosts" 2>&1)"
}

# ---- processes that cannot be started

# fails_to_start ENDS HOST COMMAND ARGUMENT...: mpiexec says how the proxy of HOST or its launcher
# has ended, nothing else, and ends by 1. For this host the launcher first runs COMMAND.
fails_to_start() {
    local ends=$1 host=$2 command=$3 launcher=$OUT/failing-launcher said status=0
    shift 3
    launcher_without_host "$launcher"
    sed -i "2i case \" \$* \" in *\" $host \"*) $command ;; esac" "$launcher"
    said=$(HYDRA_LAUNCHER_AUTOFORK=0 job -launcher ssh -launcher-exec "$launcher" "$@" 2>&1) ||
        status=$?
    says "1: mpiexec: the proxy on host $host, or its launcher $launcher, has ended $ends before \
it connected to mpiexec; so the job ends" "a launcher that does: $command" "$status: $said"
}

ends_if_a_launcher_ends() {
    local said alone=$OUT/alone
    # shellcheck disable=SC2016    # of the launcher
    fails_to_start "with status 7" localhost "exit 7" -hosts localhost -n 2 echo started &&
        fails_to_start "with status 0" localhost "exit 0" -hosts localhost -n 2 echo started &&
        fails_to_start "by signal 9" localhost 'kill -KILL $$' -hosts localhost -n 1 echo x &&
        fails_to_start "with status 3" elsewhere "sleep 1; exit 3" -hosts localhost,elsewhere \
            -n 2 sleep 50 || return 1
    # one launcher for all hosts
    says 1 "srun that fails" "$(job -launcher slurm -launcher-exec false \
        -hosts localhost,elsewhere -n 2 sleep 50 2>&1 |
        grep -c 'false, has ended with status 1')" &&
        says 1 "no launcher" "$(HYDRA_LAUNCHER_AUTOFORK=0 job -launcher ssh \
            -launcher-exec "$OUT/no" -hosts localhost -n 2 sleep 50 2>&1 |
            grep -c "$OUT/no, has ended with status 255")" ||
        return 1
    # mpiexec starts the proxy itself, and there is none.
    mkdir -p "$alone"
    cp "$PREFIX/bin/mpiexec.hydra" "$alone/mpiexec"
    says 1 "no proxy" "$(timeout -s HUP 60 "$alone/mpiexec" -n 1 sleep 50 2>&1 |
        grep -c 'has ended with status 255')"
}

# MPI_Comm_spawn returns an error, and the job goes on.
refuses_a_spawn_if_its_proxy_fails() {
    local launcher=$OUT/failing-launcher first=$OUT/first-started
    "$PREFIX/bin/mpicc" -O2 -o "$OUT/spawning-job" "$ROOT/test/launchers/job.c" || return 1
    rm -f "$first"
    launcher_without_host "$launcher"
    sed -i "2i [ ! -e $first ] || exit 5; : >$first" "$launcher"
    says "0: 1" "a launcher that fails in a spawn" "$(HYDRA_LAUNCHER_AUTOFORK=0 job -launcher ssh \
        -launcher-exec "$launcher" -hosts localhost -n 1 "$OUT/spawning-job" spawn \
        >"$OUT/spawning.out" 2>&1; echo $?): $(grep -c 'refused: Error in spawn call' \
        "$OUT/spawning.out")" &&
        grep -q "launcher $launcher, has ended with status 5 before it connected" \
            "$OUT/spawning.out"
}

# A job that has ended does not wait for a host that is still starting.
leaves_late_hosts() {
    local launcher=$OUT/late-launcher
    launcher_without_host "$launcher"
    # shellcheck disable=SC2016    # of the launcher
    sed -i '2i case " $* " in *" elsewhere "*) sleep 5; set -- localhost "${@:3}" ;; esac' \
        "$launcher"
    # shellcheck disable=SC2016    # of the process
    HYDRA_LAUNCHER_AUTOFORK=0 mpiexec_ends 139 -launcher ssh -launcher-exec "$launcher" \
        -hosts localhost,elsewhere -n 2 \
        sh -c '[ $PMI_RANK != 0 ] || kill -SEGV $$; echo started late; sleep 3' &&
        ! grep "started late\|^mpiexec:" "$OUT/ends.out"
}

# A launcher that succeeds may leave the proxy in the background.
waits_for_a_proxy_in_the_background() {
    launcher_without_host "$OUT/leaving-launcher"
    sed -i 's,^exec \(.*\),(sleep 2; exec \1) </dev/null >/dev/null 2>\&1 \&,' \
        "$OUT/leaving-launcher"
    says x "a launcher that leaves" "$(HYDRA_LAUNCHER_AUTOFORK=0 job -launcher ssh \
        -launcher-exec "$OUT/leaving-launcher" -hosts localhost -n 1 echo x 2>&1)"
}

# ---- how a job has ended

# mpiexec_ends STATUS ARGUMENT...: mpiexec ends with this status.
mpiexec_ends() {
    local wanted=$1 status=0
    shift
    job "$@" >"$OUT/ends.out" 2>&1 || status=$?
    [ "$status" = "$wanted" ] || { echo "$*: status $status instead of $wanted";
        cat "$OUT/ends.out"; return 1; }
}

# Statuses of signals are those of a shell. MPI_Abort with another code than 0 is no success.
says_how_a_job_ended() {
    local program=$OUT/ends code
    "$PREFIX/bin/mpicc" -O2 -o "$program" "$ROOT/test/kill/ends.c" || return 1
    # shellcheck disable=SC2016    # of the process
    mpiexec_ends 134 -n 2 sh -c 'kill -ABRT $$' && mpiexec_ends 137 -n 1 sh -c 'kill -KILL $$' &&
        mpiexec_ends 139 -n 2 sh -c '[ $PMI_RANK = 0 ] || kill -SEGV $$; sleep 10' &&
        mpiexec_ends 3 -n 1 sh -c 'exit 1' : -n 1 sh -c 'exit 2' || return 1
    # shellcheck disable=SC2016
    mpiexec_ends 137 -n 1 sh -c 'kill -KILL $$' && grep -q "EXIT CODE: 137" "$OUT/ends.out" &&
        mpiexec_ends 7 -print-all-exitcodes -n 1 sh -c 'exit 7' : -n 1 true &&
        grep -q "Exit codes: .* 7,0$" "$OUT/ends.out" || { cat "$OUT/ends.out"; return 1; }
    for code in 0:0 1:1 255:255 256:1 -256:1 519:7 -1:255; do
        mpiexec_ends "${code#*:}" -n 2 "$program" abort "${code%:*}" || return 1
    done
}

# A process that is missed ends the job, with a reason: one that says that all is well and has not
# called MPI_Finalize, and one that ends before MPI_Init. Programs without MPI do not.
ends_if_a_process_is_missed() {
    local program=$OUT/ends hosts status
    "$PREFIX/bin/mpicc" -O2 -o "$program" "$ROOT/test/kill/ends.c" || return 1
    for hosts in localhost localhost,127.0.0.1; do
        for status in 0 5; do
            mpiexec_ends 1 -hosts $hosts -n 4 "$program" before $status &&
                grep -q "rank 1 .* has ended before MPI_Init" "$OUT/ends.out" ||
                { cat "$OUT/ends.out"; return 1; }
        done
        mpiexec_ends 1 -hosts $hosts -n 4 "$program" waits 0 &&
            grep -q "rank 3 .* has ended without MPI_Finalize" "$OUT/ends.out" ||
            { cat "$OUT/ends.out"; return 1; }
        mpiexec_ends 1 -hosts $hosts -n 4 "$program" exit 0 &&
            mpiexec_ends 0 -hosts $hosts -n 4 true &&
            mpiexec_ends 0 -hosts $hosts -n 4 "$program" count || return 1
    done
    mpiexec_ends 5 -n 4 "$program" waits 5 && mpiexec_ends 1 -n 1 "$program" exit 0
}

# One that has closed all its descriptors is no reason for the proxy to look again and again.
sleeps_while_a_process_goes_on() {
    # shellcheck disable=SC2016    # of the process
    mpiexec_ends 0 -n 1 bash -c 'for fd in {3..99}; do eval "exec $fd>&-"; done
        switches() { grep ^voluntary /proc/$PPID/status; }
        sleep 0.5; before=$(switches); sleep 2.5; [ "$(switches)" = "$before" ]'
}

# A proxy ends its job, whose spawned processes say things all the time.
ends_with_spawned_processes() {
    local program=$OUT/spawned_ends hosts=localhost,127.0.0.1,127.0.0.2
    "$PREFIX/bin/mpicc" -O2 -o "$program" "$ROOT/test/kill/spawned_ends.c" || return 1
    for _ in {1..20}; do
        mpiexec_ends 137 -launcher fork -hosts $hosts -ppn 1 -n 3 "$program" || return 1
        ! grep -n 'mpiexec@.*HYD' "$OUT/ends.out" || return 1
    done
}

# Without cleanup the others go on, and end well.
goes_on_without_a_process() {
    local program=$OUT/ends hosts
    "$PREFIX/bin/mpicc" -O2 -o "$program" "$ROOT/test/kill/ends.c" || return 1
    for hosts in localhost localhost,127.0.0.1; do
        mpiexec_ends 5 -disable-auto-cleanup -hosts $hosts -n 4 "$program" last 5 || return 1
    done
}

# after_sigterm SECONDS OPTION...: of two processes, the first one ends by SIGTERM, the second one
# needs SECONDS to do so. Writes what they say, and mpiexec's status.
# timeout would pass the signal on twice, to mpiexec and to its process group.
after_sigterm() {
    local seconds=$1 said=$OUT/sigterm.out job status=0
    shift
    : >"$said"
    # shellcheck disable=SC2016    # of the process
    timeout --foreground -s HUP 60 "$PREFIX/bin/mpiexec" "$@" -n 2 bash -c '[ $PMI_RANK = 0 ] ||
        trap "sleep '"$seconds"'; echo saved; exit 0" TERM; echo ready; sleep 100 & wait' \
        >"$said" 2>&1 &
    job=$!
    until [ "$(grep -c ready "$said")" = 2 ] || ! kill -0 $job; do sleep 0.1; done
    sleep 0.5 # the trap is set, but bash may not wait yet
    kill $job
    wait $job || status=$?
    grep -v 'ready\|^YOUR APPL\|^This typ\|^Please see' "$said"
    echo "status $status"
}

gives_time_after_a_signal() {
    local hosts
    for hosts in localhost localhost,127.0.0.1; do
        says $'saved\nstatus 143' "2 seconds on $hosts" "$(after_sigterm 2 -hosts $hosts)" &&
            says 0 "MPIEXEC_GRACE=0 on $hosts" \
                "$(MPIEXEC_GRACE=0 after_sigterm 30 -hosts $hosts | grep -c saved)" &&
            says 0 "MPIEXEC_GRACE=1 on $hosts" \
                "$(MPIEXEC_GRACE=1 after_sigterm 30 -hosts $hosts | grep -c saved)" || return 1
    done
    ! MPIEXEC_GRACE=soon job -n 1 echo started >"$OUT/grace.out" 2>&1 &&
        ! grep started "$OUT/grace.out"
}

# The processes say why they abort. mpiexec adds no line, and blames no proxy.
says_the_reason_once() {
    local program=$OUT/ends hosts
    "$PREFIX/bin/mpicc" -O2 -o "$program" "$ROOT/test/kill/ends.c" || return 1
    for hosts in localhost localhost,127.0.0.1; do
        mpiexec_ends 3 -hosts $hosts -n 2 "$program" abort 3 &&
            says "" "after an abort on $hosts" "$(grep -v '^Abort(3)' "$OUT/ends.out")" || return 1
        # shellcheck disable=SC2016    # of the process
        mpiexec_ends 139 -hosts $hosts -n 3 sh -c '[ $PMI_RANK != 1 ] || kill -SEGV $$; sleep 20' &&
            grep -q "EXIT CODE: 139" "$OUT/ends.out" &&
            says "" "after a signal on $hosts" "$(grep '^\[' "$OUT/ends.out")" || return 1
        MPIEXEC_TIMEOUT=1 mpiexec_ends 255 -hosts $hosts -n 2 sleep 50 &&
            grep -q "APPLICATION TIMED OUT, TIMEOUT = 1s" "$OUT/ends.out" &&
            says 1 "lines of a limit on $hosts" "$(wc -l <"$OUT/ends.out")" || return 1
    done
    # The other proxy still starts its processes.
    # shellcheck disable=SC2016    # of the process
    mpiexec_ends 139 -hosts localhost:1,127.0.0.1:150 -n 151 sh -c \
        '[ $PMI_RANK != 0 ] || kill -SEGV $$; sleep 20' &&
        says "" "after a signal during the start" "$(grep '^\[' "$OUT/ends.out")"
}

# ---- the protocol with the processes, and with a batch system

# A fence of PMI-2 is a barrier.
waits_at_fences_of_pmi2() {
    local hosts dir=$OUT/fences
    for hosts in localhost localhost,127.0.0.1; do
        rm -rf "$dir"
        mkdir -p "$dir"
        says "all seen" "fences on $hosts" \
            "$(job -hosts $hosts -n 3 "$ROOT/test/launchers/pmi2_fence.py" "$dir" 2>&1)" || return 1
    done
}

# The names of Slurm's variables since version 2. What srun sets for each node stays.
knows_the_variables_of_slurm() {
    says $'x\nx\nx' "three tasks of a node" "$(SLURM_JOB_NODELIST=localhost SLURM_JOB_NUM_NODES=1 \
        SLURM_TASKS_PER_NODE=3 job -rmk slurm -launcher fork echo x 2>&1)" || return 1
    # shellcheck disable=SC2016    # of the script
    printf '%s\n' '#!/bin/bash' 'while [ "$1" != none ]; do shift; done' 'shift' \
        'SLURM_NODEID=0 SLURM_GTIDS=of_srun SLURMD_NODENAME=of_srun exec "$@"' >"$OUT/srun"
    chmod +x "$OUT/srun"
    # shellcheck disable=SC2016    # of the process
    says "of_srun of_srun mine" "variables that srun sets" "$(HYDRA_LAUNCHER_AUTOFORK=0 \
        SLURM_GTIDS=of_mpiexec SLURMD_NODENAME=of_mpiexec MINE=mine job -launcher slurm \
        -launcher-exec "$OUT/srun" -hosts localhost -n 1 \
        sh -c 'echo $SLURM_GTIDS $SLURMD_NODENAME $MINE' 2>&1)"
}

# ---- binding

# A part of the machine, as by taskset.
binds_where_it_may() {
    local cpu
    cpu=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')
    [ "$(nproc)" -gt 1 ] || { echo "one CPU"; return 77; }
    # shellcheck disable=SC2016    # of the process
    says "$cpu $cpu" "two processes on one CPU" "$(taskset -c "$cpu" timeout -s HUP 60 \
        "$PREFIX/bin/mpiexec" -bind-to core -n 2 sh -c 'taskset -pc $$' 2>&1 | sed 's/.*: //' |
        tr '\n' ' ' | sed 's/ $//')" &&
        says 2 "two processes on two CPUs" "$(job -bind-to core -n 2 sh -c 'taskset -pc $$' |
            sed 's/.*: //' | sort -u | wc -l)"
}

says_what_is_not_bound() {
    local refusing=$OUT/refusing.so
    printf '%s\n' '#include <errno.h>' \
        'int sched_setaffinity(int pid, unsigned long size, void *set)' \
        '{ errno = EPERM; return -1; }' >"$OUT/refusing.c"
    "${CC:-cc}" -shared -fPIC -o "$refusing" "$OUT/refusing.c" || return 1
    says 1 "a binding to no cores" \
        "$(job -bind-to core:0 -n 1 true 2>&1 | grep -c 'wrong count in "core:0"')" || return 1
    says 2 "processes that are not bound" \
        "$(LD_PRELOAD=$refusing job -bind-to core -n 2 echo x 2>/dev/null | grep -c '^x$')" &&
        says 1 "what is not bound" "$(LD_PRELOAD=$refusing job -bind-to core -n 1 true 2>&1 |
            grep -c 'process 0 is not bound (Operation not permitted)')"
}
