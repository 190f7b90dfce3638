# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Section "containers" of maint/check: what containers take away, made with namespaces and limits.
# Needs common.sh and variant.sh; root.

# in_container BYTES COMMAND...: with so much /dev/shm, an IPC namespace of its own, and nothing
# left in /dev/shm.
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
        setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/tmp bash -c \
        "$(declare -f all_talk); PREFIX=$PREFIX OUT=$OUT all_talk $1"
}

few_files() { (ulimit -n 1024 && ulimit -Sn 34 && all_talk "$@"); }
no_locked_memory() { (ulimit -l 0 && all_talk "$@"); }

# Can there be containers here?
can_contain() { [ "$(id -u)" = 0 ] && unshare --mount --ipc true 2>/dev/null; }

# For the shells that in_container starts.
export -f all_talk all_talk_without_sysv all_talk_as_nobody
