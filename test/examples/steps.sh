# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# shellcheck disable=SC2317    # functions are called by name
# Steps of the section "examples" of maint/check.  Needs common.sh and variant.sh; OUT is where
# results go.

compile_readme() { readme_program && "$PREFIX/bin/mpicc" -Wall -Werror -o "$OUT/readme" \
    "$OUT/readme.c"; }

readme_program() { awk '/^```c$/ { on = 1; next } /^```/ { if (on) exit } on' "$ROOT/README.md" \
    >"$OUT/readme.c"; }

# Programs that several units run; what is there stays.
compile_examples() {
    local name
    [ -x "$OUT/readme" ] || compile_readme || return 1
    for name in libraries multigrid random_graph grid2d; do
        [ -x "$OUT/$name" ] || "$PREFIX/bin/mpicc" -Wall -Wextra -Werror -o "$OUT/$name" \
            "$ROOT/examples/$name.c" || return 1
    done
}

# The constants are no addresses of arrays; compilers must not take them for ones.
no_statuses_do_not_warn() {
    "$PREFIX/bin/mpicc" -O2 -Wall -Wextra -Werror -o "$OUT/no_statuses" -x c - <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Request requests[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
    int all, number, which[2];
    MPI_Init(&argc, &argv);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Testall(2, requests, &all, MPI_STATUSES_IGNORE);
    MPI_Waitsome(2, requests, &number, which, MPI_STATUSES_IGNORE);
    MPI_Testsome(2, requests, &number, which, MPI_STATUSES_IGNORE);
    PMPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    return MPI_Finalize();
}
END
}

# COMMAND, with $n for the number of processes, at 1 to 16.
afapi_pi_runs() {
    local n said
    for n in {1..16}; do
        said=$(n=$n PATH=$OUT:$PREFIX/bin:$PATH MPIEXEC_TIMEOUT=60 timeout 60 bash -c "$1") ||
            { echo "$1 failed for n=$n"; return 1; }
        printf '%s\n' "$said"
        [ "$said" = "pi is about 3.141592736923, say $n processes" ] || return 1
    done
}

refuses_no_processes() {
    local said value
    for value in 0 1025 -1 "" " 4" "+4" "4 " 4k; do
        ! said=$(AFAPI_NPROC=$value "$OUT/afapi_pi" 2>&1) ||
            { echo "AFAPI_NPROC=$value is accepted"; return 1; }
        printf '%s\n' "$said"
        grep -qF "AFAPI_NPROC=$value is not accepted; accepted values: 1 to 1024" <<<"$said" || return 1
    done
}

# The program of the README frees nothing.
names_leaks() {
    local said
    said=$(env MPIR_CVAR_CTXID_REPORT_LEAKS=1 MPIEXEC_TIMEOUT=60 "$PREFIX/bin/mpiexec" -n 4 \
        "$OUT/readme" 2>&1) || return 1
    printf '%s\n' "$said"
    [ "$(grep -c 'communicator never freed: .*"odd ranks"' <<<"$said")" = 2 ] &&
        [ "$(grep -c 'communicator never freed: ' <<<"$said")" = 4 ]
}

# The first of these options is not needed; at the second, which is gone, configure ends.
names_replacements() {
    local said
    mkdir -p "$OUT/configure"
    ! said=$(cd "$OUT/configure" && "$TREE/configure" --enable-extended-context-bits \
        --with-ch4-ucx-rankbits=20 2>&1) || return 1
    printf '%s\n' "$said"
    grep -q 'context ids always have 22 bits' <<<"$said" && grep -q 'MPIR_CVAR_CH4_UCX_RANK_BITS=20' <<<"$said"
}

# Does the example end with a line that says how it is called?
example_refuses() {
    local said
    "$PREFIX/bin/mpicc" -o "$OUT/refusing" "$ROOT/examples/$1.c" || return 1
    ! said=$(MPIEXEC_TIMEOUT=60 "$PREFIX/bin/mpiexec" -n 2 "$OUT/refusing" "${@:2}" 2>&1) ||
        return 1
    printf '%s\n' "$said"
    grep -q "usage: $1" <<<"$said"
}

# Does the program of the README end in MPI_Init, with the accepted values?
refuses() {
    local said
    ! said=$(env "$1" MPIEXEC_TIMEOUT=60 "$PREFIX/bin/mpiexec" -n 2 "$OUT/readme" 2>&1) || return 1
    printf '%s\n' "$said"
    grep -q "$1 is not accepted; accepted values: " <<<"$said"
}

# All variables with choices; they are many, so without mpiexec.
refuses_each_choice() {
    local said variable value choices
    choices=$(sed -n 's/^enum \(.*\)_choice {$/MPIR_CVAR_\1/p' "$TREE/src/include/mpir_cvars.h")
    [ "$(wc -l <<<"$choices")" -ge 80 ] || { echo "which variables have choices? $choices"; return 1; }
    for variable in $choices; do
        for value in "" ring_and_star; do
            ! said=$(env "$variable=$value" timeout 20 "$OUT/readme" 2>&1) ||
                { echo "$variable=$value is accepted"; return 1; }
            grep -q " $variable=$value is not accepted; accepted values: [a-z_]*, [a-z]" <<<"$said" || { printf '%s\n' "$said"; return 1; }
        done
    done
}

# Values that are looked at before a process has met mpiexec, and after: the others do not wait for
# the one that has a wrong one.
refuses_of_one() {
    local said status setting
    for setting in AGGR=maybe CMAP_STRATEGY=best CTXID_TABLE=list PROGRESS_YIELD=often; do
        status=0
        said=$(timeout 60 "$PREFIX/bin/mpiexec" -n 2 "$OUT/readme" : \
            -n 1 -env "MPIR_CVAR_${setting%=*}" "${setting#*=}" "$OUT/readme" 2>&1) || status=$?
        printf '%s\n' "$said"
        [ "$status" != 0 ] && [ "$status" != 124 ] || { echo "status $status with $setting";
            return 1; }
        grep -q "MPIR_CVAR_$setting is not accepted; accepted values: " <<<"$said" || return 1
        grep -q "^Abort([0-9]*) on node 2 (" <<<"$said" || { echo "the rank is missing"; return 1; }
    done
}

# The one test of the directory ft in which no process fails, on one node and on several.
revokes() {
    local n said
    "$PREFIX/bin/mpicc" -o "$OUT/revoke_nofail" "$TREE/test/mpi/ft/revoke_nofail.c" || return 1
    for n in 2 5; do
        said=$(UCX_LOG_LEVEL=error MPIEXEC_TIMEOUT=60 "$PREFIX/bin/mpiexec" -n $n \
            "$OUT/revoke_nofail") && [ "$said" = " No errors" ] || return 1
        said=$(UCX_LOG_LEVEL=error MPIR_CVAR_NUM_CLIQUES=$n MPIEXEC_TIMEOUT=60 \
            "$PREFIX/bin/mpiexec" -n $n "$OUT/revoke_nofail") && [ "$said" = " No errors" ] ||
            return 1
    done
}

# One process without mpiexec, so that MPI_Abort of a child ends no job.
wrong_arguments() {
    "$ROOT/test/arguments/wrong_arguments.py" "$PREFIX/include/mpi.h" "$OUT/wrong_calls.h" &&
        "$PREFIX/bin/mpicc" -Wall -Wextra -Wno-sign-compare -I"$OUT" -o "$OUT/wrong_arguments" \
            "$ROOT/test/arguments/wrong_arguments.c" &&
        timeout 300 "$OUT/wrong_arguments"
}

# Alone and in a job.
initialized_once() {
    local said n
    "$PREFIX/bin/mpicc" -Wall -o "$OUT/session_again" "$ROOT/test/init/session_again.c" || return 1
    for n in 1 2; do
        ! said=$(MPIEXEC_TIMEOUT=60 "$PREFIX/bin/mpiexec" -n $n "$OUT/session_again" 2>&1) ||
            return 1
        printf '%s\n' "$said"
        grep -q "first session: fine" <<<"$said" &&
            grep -q "MPICH cannot be initialized again after MPI_Finalize" <<<"$said" || return 1
        ! grep -q "second session\|PMI_\|Assertion" <<<"$said" || return 1
    done
}

# Launchers by the variables that they set; and under our mpiexec, alone, or where the user allows
# it, all is well.
refuses_other_launchers() {
    local said launcher
    for launcher in "SLURM_PROCID=2 SLURM_STEP_NUM_TASKS=4" \
        "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4" PMIX_RANK=0 PALS_RANKID=3; do
        # shellcheck disable=SC2086    # words
        ! said=$(env $launcher timeout 60 "$OUT/readme" 2>&1) ||
            { echo "$launcher is not noticed"; return 1; }
        printf '%s\n' "$said"
        grep -q 'MPIR_CVAR_ALLOW_SINGLETONS=1' <<<"$said" || return 1
        # shellcheck disable=SC2086
        env $launcher MPIR_CVAR_ALLOW_SINGLETONS=1 timeout 60 "$OUT/readme" || return 1
        # shellcheck disable=SC2086
        env $launcher MPIEXEC_TIMEOUT=60 "$PREFIX/bin/mpiexec" -n 2 "$OUT/readme" || return 1
    done
    env SLURM_PROCID=0 SLURM_NTASKS=4 timeout 60 "$OUT/readme" &&      # in a batch script
        env SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1 PMIX_RANK=0 timeout 60 "$OUT/readme"
}

# In a job that OFI carries, a call might wait for ever for a dead process.
refuses_recovery_over_ofi() {
    local said
    ! said=$(timeout 60 "$PREFIX/bin/mpiexec" --enable-recovery -n 2 "$OUT/readme" 2>&1) ||
        { echo "the job goes on"; return 1; }
    printf '%s\n' "$said"
    grep -q 'built without UCX, and cannot recover' <<<"$said"
}

# Stock's mpiexec loses the message in about one run of ten.
keeps_last_words() {
    local run
    for run in {1..40}; do
        refuses MPIR_CVAR_CTXID_LIMIT=3 >/dev/null ||
            { echo "run $run of 40: the message is lost"; return 1; }
    done
}

# VARIABLE VALUE OTHER: processes that differ in it learn that from MPI_Init, however they think of
# the nodes.
refuses_differing() {
    local said variable=$1 first=$2 last=$3
    ! said=$(MPIEXEC_TIMEOUT=60 "$PREFIX/bin/mpiexec" -n 2 -env "$variable" "$first" "$OUT/readme" \
        : \
        -n 2 -env "$variable" "$last" "$OUT/readme" 2>&1) || return 1
    printf '%s\n' "$said"
    grep -Eq "$variable has to be the same in all processes: in process [01] it is $first, in process [23] it is $last\$" <<<"$said"
}

# Segments of jobs that begin at the same time come and go.
segments() { find /dev/shm /tmp -maxdepth 1 -name 'mpich_seg_*' 2>/dev/null | sort; }

nothing_remains() {
    local tries left
    for tries in {1..100}; do
        left=$(comm -13 <(echo "$1") <(segments))
        [ -n "$left" ] || return 0
        sleep 0.1
    done
    echo "this remains of starts that failed, after $tries looks:"
    echo "$left"
    return 1
}

# What holds up, or breaks, processes that differ in it.
refuses_all_differing() {
    local setting before
    before=$(segments)
    for setting in "CTXID_LIMIT 30 0" "CTXID_LIMIT 0 30" \
        "AGGR_DIRECT 16 0" "CH4_UCX_LAZY_ENDPOINTS 0 1" \
        "CH4_UCX_LAZY_ENDPOINTS 1 0" "CH4_UCX_RANK_BITS 14 16" "NUM_CLIQUES 1 2" "NUM_CLIQUES 2 1" \
            "NUM_CLIQUES 4 2" \
        "NOLOCAL 0 1" "NOLOCAL 1 0" "ODD_EVEN_CLIQUES 1 0"; do
        # shellcheck disable=SC2086
        refuses_differing MPIR_CVAR_$setting || return 1
        [[ $setting == *CLIQUES* || $setting == NOLOCAL* ]] && continue
        # shellcheck disable=SC2086
        MPIR_CVAR_NUM_CLIQUES=2 refuses_differing MPIR_CVAR_$setting || return 1
        # shellcheck disable=SC2086
        MPIR_CVAR_NOLOCAL=1 refuses_differing MPIR_CVAR_$setting || return 1
    done
    nothing_remains "$before"
}
