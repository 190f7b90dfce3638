# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Helpers of the scripts under maint/.  Source it from a script at maint/NAME.

# shellcheck disable=SC2034    # some are for the scripts that source this
unset CDPATH # cd would print where it goes, or go elsewhere
# The same folder by whatever links it is reached
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
CACHE=$ROOT/.cache
# Logs and state go to build/; of a read-only checkout, to a folder of /run.
STATE=$ROOT/build
if [ ! -w "$ROOT" ]; then STATE=/run/mpich-cmap-$(cksum <<<"$ROOT" | cut -d' ' -f1); fi
LOGS=$STATE/logs
PROGRAM=$(basename "$0")
unset MAKEFLAGS MFLAGS MAKELEVEL # of a make that called the script

say() { printf '%s: %s\n' "$PROGRAM" "$*" >&2; }
die() {
    say "$*"
    exit 1
}

# The comment block at the top of the script is its help text.
usage() { awk 'NR > 2 && /^#/ { sub(/^# ?/, ""); print; next } NR > 2 { exit }' "$0"; }

# pin SECTION KEY: a value of upstream.ini.
pin() {
    awk -v want="[$1]" -v key="$2" '
        /^\[/ { on = ($0 == want) }
        on && $1 == key { sub(/^[^=]*= */, ""); print }' "$ROOT/upstream.ini"
}

# as_root COMMAND...: directly, or by sudo where that asks nothing; status 1 when neither works.
can_root() { [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; }
as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

elapsed() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }

# stop_step PID: ends the process group of a step, and says what runs.
stop_step() {
    echo "no end after $STEP_MINUTES minutes; the processes of this time, with where they wait:"
    ps -eo pid,ppid,stat,wchan:24,etime,args --sort=start_time | awk '$3 !~ /^Z/' | cut -c 1-200
    kill -- "-$1" 2>/dev/null
    sleep 10
    kill -KILL -- "-$1" 2>/dev/null || true
}

# what_failed LOG: the first error with its file, and the target that make gave up; of a log without
# such lines, and of a test, the end.
what_failed() {
    local errors=': (fatal )?error: |undefined reference|No space left|cannot find -l'
    {
        if grep -m1 -E "$errors" "$1"; then
            grep -m1 -E '^make.*\*\*\* ' "$1" || true
            [[ $1 == "$LOGS"/* ]] || tail -n 30 "$1"
        else
            tail -n 30 "$1"
        fi
    } | cut -c 1-300
}

# step NAME LOG HINT COMMAND...: runs COMMAND with its output in LOG and shows name, elapsed time
# and log while it runs; a failure prints what failed, the log and the hint.  Status 77 means
# skipped, and the last line of the log says why.  A function's line that fails is a failure unless
# the step is called in an `if`, or before && or ||: there bash does without `set -e`.  With
# STEP_MINUTES, a step that takes longer is stopped and fails; its log ends with what ran then.
step() {
    local name=$1 log=$2 hint=$3 start=$SECONDS pid status=0 shown=-45
    shift 3
    mkdir -p "$(dirname "$log")"
    set -m # a process group of its own, so that an interrupt ends all of it
    (set -e; "$@") >"$log" 2>&1 </dev/null &
    pid=$!
    set +m
    # shellcheck disable=SC2064
    trap "kill -- -$pid 2>/dev/null; exit 130" INT TERM HUP
    while kill -0 "$pid" 2>/dev/null; do
        if [ -t 2 ]; then
            printf '\r%-34s %6s  log %s ' "$name" "$(elapsed $((SECONDS - start)))" \
                "${log#"$ROOT"/}" >&2
        elif [ $((SECONDS - shown)) -ge 60 ]; then
            printf '%-34s %6s  log %s\n' "$name" "$(elapsed $((SECONDS - start)))" \
                "${log#"$ROOT"/}" >&2
            shown=$SECONDS
        fi
        if [ $((SECONDS - start)) -ge $((60 * ${STEP_MINUTES:-10000})) ]; then
            stop_step "$pid" >>"$log"
        fi
        sleep 0.5
    done
    wait "$pid" || status=$?
    trap - INT TERM HUP
    [ ! -t 2 ] || printf '\r\033[K' >&2
    if [ "$status" = 0 ]; then
        printf '%-34s %6s  done\n' "$name" "$(elapsed $((SECONDS - start)))" >&2
        return 0
    fi
    if [ "$status" = 77 ]; then # as for automake
        printf '%-34s %6s  skipped: %s\n' "$name" "$(elapsed $((SECONDS - start)))" \
            "$(tail -n 1 "$log")" >&2
        return 77
    fi
    printf '%-34s %6s  FAILED (status %s)\n' "$name" "$(elapsed $((SECONDS - start)))" "$status" >&2
    what_failed "$log" | sed 's/^/    /' >&2 || true
    say "log: $log; what to try: $hint"
    return "$status"
}
