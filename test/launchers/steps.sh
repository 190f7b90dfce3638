# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# shellcheck disable=SC2317    # functions are called by name
# Section "launchers" of maint/check: jobs that other launchers start on hosts made of namespaces
# (maint/hosts): Slurm with one slurmd on each host, Open MPI's mpirun or prterun.  Needs common.sh
# and variant.sh; root.  The folder SITE has the configuration, logs and sockets of what is started,
# and all of that ends with the hosts.

HOSTS=(h1 h2 h3)
SITE=${OUT-}/launchers
export SLURM_CONF=$SITE/slurm.conf
PATH=$PATH:/usr/sbin:/sbin

on_host() { "$ROOT/maint/hosts" exec "$@"; }

# ---- begin and end

slurm_conf() {
    cat <<END
ClusterName=check
SlurmctldHost=h1(192.0.2.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$SITE/munge.socket
CredType=cred/munge
StateSaveLocation=$SITE/state
SlurmdSpoolDir=$SITE/spool-%n
SlurmctldPidFile=$SITE/slurmctld.pid
SlurmdPidFile=$SITE/slurmd-%n.pid
SlurmctldLogFile=$SITE/slurmctld.log
SlurmdLogFile=$SITE/slurmd-%n.log
TmpFS=$SITE/tmp
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
ReturnToService=2
SlurmdParameters=config_overrides
$(for host in "${HOSTS[@]}"; do echo "NodeName=$host NodeAddr=192.0.2.${host#h} CPUs=16"; done)
PartitionName=all Nodes=ALL Default=YES State=UP
END
}

# Namespaces have no control groups; Slurm before 23.11 cannot do without a choice of them.
cgroup_conf() {
    local version
    version=$(slurmd -V | grep -o '[0-9]*\.[0-9]*' | head -n 1)
    if [ "${version%.*}" -ge 24 ]; then echo CgroupPlugin=disabled; else
        echo CgroupPlugin=cgroup/v1; fi
}

# The hosts share the files of this machine; each needs a /tmp of its own for PMIx's sockets.
start_slurmd() {
    local host=$1
    mkdir -p "$SITE/spool-$host" "$SITE/tmp-$host"
    # shellcheck disable=SC2016    # its own variables
    on_host "$host" unshare --mount bash -c \
        'mount --make-rprivate / && mount --bind "$1" "$2" && exec slurmd -N "$3"' - \
        "$SITE/tmp-$host" "$SITE/tmp" "$host"
}

slurm_is_up() { on_host h1 timeout 10 sinfo -h -t idle -o %D | grep -qx ${#HOSTS[@]}; }

start_launchers() {
    local host tries
    "$ROOT/maint/hosts" up ${#HOSTS[@]} || return
    mkdir -p "$SITE/state" "$SITE/tmp"
    (umask 077 && head -c 1024 /dev/urandom >"$SITE/munge.key")
    slurm_conf >"$SITE/slurm.conf"
    cgroup_conf >"$SITE/cgroup.conf"
    on_host h1 munged --force --socket="$SITE/munge.socket" --key-file="$SITE/munge.key" \
        --pid-file="$SITE/munged.pid" --log-file="$SITE/munged.log" \
        --seed-file="$SITE/munge.seed" || return
    on_host h1 slurmctld -i || return
    for host in "${HOSTS[@]}"; do start_slurmd "$host" || return; done
    for tries in {1..150}; do ! slurm_is_up || break; sleep 0.2; done
    slurm_is_up || { echo "no ${#HOSTS[@]} idle hosts after $tries tries";
        tail -n 20 "$SITE"/*.log; return 1; }
}

# Why launchers cannot be tested here; nothing when they can.
why_no_launchers() {
    {
        if [ "$(id -u)" != 0 ]; then
            echo "needs root"
        elif ! unshare --net --uts --ipc --pid --mount --fork true 2>/dev/null; then
            echo "no namespaces here"
        elif ! (need_packages launchers hosts) >&2; then
            echo "needs Slurm, munge, PMIx and Open MPI"
        fi
    } >"$1"
}

# ---- launchers, by the words before their program; LOCATION of ranks: one, block or cyclic; or
# room: one host, with a place for a process that is spawned

# slurm PMI RANKS LOCATION PROGRAM...
slurm() {
    local pmi=$1 ranks=$2 location=$3 allocation=()
    shift 3
    case $location in
    one) set -- -N 1 "$@" ;;
    room) allocation=(env SLURM_OVERLAP=1 salloc -Q -N 1 -n $((ranks + 1))) ;;
    *) set -- -N ${#HOSTS[@]} -m "$location" "$@" ;;
    esac
    on_host h1 timeout -k 10 "${PATIENCE:-60}" "${allocation[@]}" \
        srun --mpi="$pmi" -n "$ranks" "$@"
}

# prte RANKS LOCATION PROGRAM...: the launcher with PMIx that Debian has, prterun or the mpirun of
# Open MPI 4.  It reaches the hosts from the bridge between them, as mpiexec does.
prte() {
    local ranks=$1 location=$2 slots launch=$ROOT/maint/lib/hosts/launch hosts by=slot
    shift 2
    slots=$(((ranks + ${#HOSTS[@]} - 1) / ${#HOSTS[@]}))
    hosts=$(printf ",%s:$slots" "${HOSTS[@]}")
    [ "$location" != one ] || hosts=,h1:$ranks
    [ "$location" != room ] || hosts=,h1:$((ranks + 1))
    [ "$location" != cyclic ] || by=node
    set -- --host "${hosts#,}" --map-by $by --bind-to none -np "$ranks" "$@"
    if command -v prterun >/dev/null; then
        set -- prterun --prtemca plm_ssh_agent "$launch" "$@"
    else
        set -- mpirun.openmpi --mca plm_rsh_agent "$launch" "$@"
    fi
    HOSTS_STATE=$ROOT/build/hosts nsenter -t "$(cat "$ROOT/build/hosts/bridge")" --net --uts \
        --mount --wd="$PWD" -- timeout -k 10 "${PATIENCE:-60}" env OMPI_ALLOW_RUN_AS_ROOT=1 \
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1 \
        PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$@"
}

# ---- steps

# talks LAUNCHER...: on one host, in blocks and in turn on all.
talks() {
    local location nodes said
    for location in one block cyclic; do
        nodes=${#HOSTS[@]}
        [ $location != one ] || nodes=1
        said=$("$@" 7 $location "$OUT/job" talk 2>&1) || { printf '%s\n' "$said"; return 1; }
        printf '%s: %s\n' $location "$said"
        grep -qx "7 processes, nodes: $nodes, all is right" <<<"$said" || return 1
    done
}

# ends WHAT LAUNCHER...: the whole job ends soon, and not well, when one process aborts or is
# killed.
ends() {
    local what=$1 said status=0 reason='Killed|signal 9'
    shift
    [ "$what" != abort ] || reason='application called MPI_Abort'
    if [ "$what" = kill_on_bad_exit ]; then
        export SLURM_KILL_BAD_EXIT=1
        what="kill"
    fi
    said=$(PATIENCE=30 "$@" 4 block "$OUT/job" "$what" 2>&1) || status=$?
    printf '%s\nstatus %s\n' "$said" $status
    [ $status != 0 ] && [ $status != 124 ] && grep -Eq "$reason" <<<"$said"
}

# spawns LAUNCHER...: a child answers, or an error says why there is none.
spawns() {
    local said
    said=$("$@" 2 room "$OUT/job" spawn 2>&1) || { printf '%s\n' "$said"; return 1; }
    printf '%s\n' "$said"
    grep -q '^refused: ...\|^spawned, all is right' <<<"$said"
}

# advises WORDS LAUNCHER...: processes that no manager connects end, and say what to write.
advises() {
    local words=$1 said
    shift
    ! said=$("$@" "$OUT/job" 2>&1) || { echo "$said: no error"; return 1; }
    printf '%s\n' "$said"
    grep -qF "$words" <<<"$said"
}

srun_alone() { on_host h1 timeout -s KILL 30 srun -N 2 -n 4 "$@"; }

without_libpmix() {
    local library
    library=$(ldconfig -p | sed -n 's/.*libpmix\.so\.2 .*=> //p' | head -n 1)
    # shellcheck disable=SC2016    # its own variables
    on_host h1 timeout -s KILL 30 srun --mpi=pmix -n 2 unshare --mount bash -c \
        'mount --bind /dev/null "$0" && exec "$@"' "$library" "$@"
}

# mpiexec inside an allocation starts its proxies by srun.
mpiexec_in_slurm() {
    local said
    said=$(on_host h1 timeout -s KILL 60 salloc -Q -N 3 -n 6 "$PREFIX/bin/mpiexec" -n 6 "$OUT/job" \
        2>&1) || { printf '%s\n' "$said"; return 1; }
    printf '%s\n' "$said"
    grep -qx '6 processes, nodes: 3, all is right' <<<"$said"
}

pmix_declarations() {
    cc -Wall -Wextra -Werror -I"$ROOT/src/util" -I/usr/lib/"$(uname -m)"-linux-gnu/pmix2/include \
        -o "$OUT/pmix_abi" "$ROOT/test/launchers/pmix_abi.c" && "$OUT/pmix_abi"
}

# ---- recovery

# prterun of the system, or that of maint/build --openmpi.
find_prterun() { command -v prterun || ls "$ROOT/install-openmpi/bin/prterun" 2>/dev/null; }

why_no_prterun() {
    {
        [ -n "$(find_prterun)" ] || echo "needs prterun, as maint/build --openmpi installs it"
    } >"$1"
}

# recovering_with_prterun PROGRAM...: four ranks, of which the others go on when one dies.
recovering_with_prterun() {
    UCX_LOG_LEVEL=fatal PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
        MPIR_CVAR_ENABLE_FT=1 timeout -s HUP 100 "$(find_prterun)" --bind-to none \
        --runtime-options recoverable,notifyerrors --host localhost:4 -n 4 "$@" 2>&1
}

# survives_with_prterun CALL [WORD]...: the last rank dies in the call (test/kill/survive.c).
survives_with_prterun() {
    local program=$OUT/survive said
    "$PREFIX/bin/mpicc" -O2 -o "$program" "$ROOT/test/kill/survive.c" || return 1
    said=$(recovering_with_prterun "$program" "$@") || true
    [ "$said" = ' No Errors' ] || { echo "survive $*: $said"; return 1; }
}

# An abort still ends all.
abort_with_prterun() {
    local said status=0
    said=$(recovering_with_prterun "$OUT/job" abort) || status=$?
    [ $status != 0 ] && [ $status != 124 ] && grep -q 'application called MPI_Abort' <<<"$said" ||
        { echo "status $status: $said"; return 1; }
}

# ---- mpiexec with the options of Open MPI

# taken LINE OPTION...: mpiexec takes the options, and the job writes the line.
taken() {
    local line=$1 said
    shift
    said=$(MPIEXEC_TIMEOUT=60 "$PREFIX/bin/mpiexec" "$@" 2>&1) || { echo "$*: $said"; return 1; }
    grep -qxF "$line" <<<"$said" || { echo "$*: $said"; return 1; }
}

# refused ADVICE OPTION...: mpiexec says one line.
refused() {
    local advice=$1 said
    shift
    ! said=$(MPIEXEC_TIMEOUT=60 "$PREFIX/bin/mpiexec" "$@" true 2>&1) || { echo "$*: taken";
        return 1; }
    if [ "$(wc -l <<<"$said")" != 1 ] || ! grep -qF -e "$advice" <<<"$said"; then
        echo "$*: $said"
        return 1
    fi
}

openmpi_options() {
    local hosts=$OUT/hostfile talk="4 processes, nodes: 1, all is right"
    echo "localhost slots=4 max_slots=8" >"$hosts"
    # shellcheck disable=SC2016    # the variable of the process
    A_WORD=outside taken inside -x A_WORD=inside -np 1 sh -c 'echo $A_WORD' &&
        A_WORD=outside taken outside -genvnone -x A_WORD -n 1 sh -c 'echo $A_WORD' &&
        taken "$talk" --oversubscribe --allow-run-as-root -np 4 "$OUT/job" &&
        taken "$talk" --hostfile "$hosts" -np 4 "$OUT/job" &&
        taken "$talk" -H localhost:4 -np 4 "$OUT/job" &&
        taken "$talk" --bind-to none --map-by slot:OVERSUBSCRIBE -np 4 "$OUT/job" &&
        taken "$talk" --map-by ppr:4:node --bind-to core -c 4 "$OUT/job" &&
        taken "$talk" --npernode 4 --timeout 60 -np 4 "$OUT/job" &&
        taken / --wd / -np 1 pwd &&
        taken "$talk" --map-by node --report-bindings --quiet -np 4 "$OUT/job" &&
        taken "mpiexec: -mca btl ^openib sets a parameter of Open MPI: no effect here" \
            --mca btl ^openib -np 1 true &&
        taken "[0] word" --tag-output -np 1 echo word &&
        refused "-ppn 1 -n NODES" --pernode &&
        refused "-bind-to user:LIST" --rankfile "$hosts" &&
        refused "-ppn N" --map-by ppr:2:socket -np 2 &&
        refused "-bind-to core:N" --map-by slot:PE=2 -np 2 &&
        refused "-outfile-pattern" --output-filename "$OUT/name" -np 2
}
