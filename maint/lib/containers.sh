# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Section "containers" of maint/check: what containers take away, made with namespaces and limits.  Needs common.sh, variant.sh and the
# counts of maint/check; root.

# in_container BYTES COMMAND...: with so much /dev/shm, an IPC namespace of its own, and nothing left in /dev/shm.
in_container() {
    local bytes=$1
    shift
    # shellcheck disable=SC2016
    timeout 120 unshare --mount --ipc bash -c '
        mount --make-rprivate / && mount -t tmpfs -o "size=$1" tmpfs /dev/shm || exit
        shift
        "$@" || exit
        [ -z "$(ls -A /dev/shm)" ] || { echo "left in /dev/shm: $(ls /dev/shm)"; exit 1; }
    ' in_container "$bytes" "$@"
}

# all_talk RANKS [WRAPPER...]: the program whose processes all reach each other.
all_talk() {
    local ranks=$1 said
    shift
    said=$(MPIEXEC_TIMEOUT=60 "$PREFIX/bin/mpiexec" -n "$ranks" "$@" "$OUT/all_talk" 2>&1)
    printf '%s\n' "$said"
    [ "$said" = "$ranks processes: all data are right" ]
}

# The same where the system refuses System V segments of more than a page.
all_talk_without_sysv() { echo 4096 >/proc/sys/kernel/shmmax && all_talk "$@"; }

# A user who sees no processes of others in /proc: /dev/shm has his files only.
all_talk_as_nobody() {
    mount -t proc -o hidepid=2 proc /proc && chmod a+rx "$OUT/all_talk" &&
        setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/tmp bash -c "$(declare -f all_talk); PREFIX=$PREFIX OUT=$OUT all_talk $1"
}

few_files() { (ulimit -n 1024 && ulimit -Sn 34 && all_talk "$@"); }
no_locked_memory() { (ulimit -l 0 && all_talk "$@"); }

containers() {
    if [ "$(id -u)" != 0 ] || ! unshare --mount --ipc true 2>/dev/null; then
        count "containers (needs root and namespaces)" 0 0 1
        return
    fi
    export -f all_talk all_talk_without_sysv all_talk_as_nobody
    export PREFIX OUT
    count_status "containers: compile" "$PREFIX/bin/mpicc" -O2 -Wall -Wextra -Werror -o "$OUT/all_talk" "$ROOT/test/containers/all_talk.c"
    count_status "containers: 64 processes, 64 MB of /dev/shm" in_container 64m bash -c "all_talk 64"
    count_status "containers: 16 processes, 8 MB of /dev/shm" in_container 8m bash -c "all_talk 16"
    count_status "containers: the demo in 8 MB" in_container 8m "$ROOT/maint/demo" --no-hpcc "${OPTIONS[@]}"
    count_status "containers: 16 processes, 64 MB, no sysv" in_container 64m bash -c "all_talk_without_sysv 16"
    count_status "containers: 8 processes, 8 MB, no sysv" in_container 8m bash -c "all_talk_without_sysv 8"
    count_status "containers: a user namespace for each process" all_talk 4 unshare --user
    count_status "containers: namespaces of users and processes" all_talk 4 unshare --user --pid --fork
    count_status "containers: an IPC namespace for each process" all_talk 4 unshare --ipc
    count_status "containers: processes of others are hidden" in_container 64m bash -c "all_talk_as_nobody 4"
    count_status "containers: 34 open files" few_files 4
    count_status "containers: no locked memory" no_locked_memory 4
}
