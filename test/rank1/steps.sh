# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# shellcheck disable=SC2016    # what other programs expand
# mpirank1: one process as a rank of a world. Needs common.sh and variant.sh.

RANK1_RANKS=(0 5 37 63)                                      # who is compared
# Ranks on a node, their order, and MPIR_CVAR_SPLIT_DESCRIBED
RANK1_LAYOUTS=("1 block 1" "4 block 0" "4 block 1" "4 cyclic 1" "16 block 1" "16 cyclic 0")

# of_make TEXT: what make says of variables of libmpi's Makefile.
of_make() {
    printf 'include Makefile\nprint: ; @echo %s\n' "$1" | make -s -C "$BUILD" -f - print
}

# compile_inside SOURCE PROGRAM: a source of test/rank1 that includes mpiimpl.h. It asks for MPI's
# inside, which libmpi does not export, so the program is linked with libmpi's objects.
compile_inside() {
    local flags
    flags=$(of_make '$(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(CPPFLAGS)') || return 1
    of_make '$(lib_libmpi_la_OBJECTS)' | tr ' ' '\n' | sed 's,\([^/]*\)\.lo$,.libs/\1.o,' \
        >"$2.objects" || return 1
    (cd "$BUILD" && eval "gcc $flags -I'$TREE/src/mpi/solo' -I'$ROOT/test/mpi/include' -O1 -c -o '$2.o' '$ROOT/test/rank1/$1'" &&
        g++ -o "$2" "$2.o" "@$2.objects" src/mpl/.libs/libmpl.a modules/yaksa/.libs/libyaksa.a \
            modules/json-c/.libs/libjson-c.a \
            src/mpi/romio/.libs/libromio.a -lhwloc -lucp -lucs -lbz2 -lpthread -lrt -lm)
}

# same_communicators SIZE: what one process says of its communicators is what the rank of a real job
# says.
same_communicators() {
    local size=$1 program=$OUT/rank1-communicators thirds=$OUT/rank1-thirds layout per_node order \
        by_block rank real alone described
    local scenarios=() s
    compile_inside communicators.c "$program" || return 1
    # colours 0 and 1 by turns, backwards, and every third rank takes no part
    printf '#!/bin/sh\nseq "$1" | awk "{ print (NR %% 3 ? NR %% 2 : -32766), -NR }"\n' >"$thirds" \
        && chmod +x "$thirds" &&
        "$thirds" "$size" >"$thirds.calls" || return 1
    for s in rows columns planes even_odd reversed "random_permutation 7" "random_colours 5 3" \
        same transposed halving even_odd rows "program $thirds" rows rows; do
        scenarios+=(--scenario "$s")
    done
    for layout in "${RANK1_LAYOUTS[@]}"; do
        read -r per_node order described <<<"$layout"
        by_block=0 && [ "$order" = cyclic ] || by_block=1
        real=$OUT/rank1-real alone=$OUT/rank1-alone
        rm -rf "$real" "$alone" && mkdir "$real" "$alone"
        timeout 300 env MPIR_CVAR_NUM_CLIQUES=$((size / per_node)) \
            MPIR_CVAR_CLIQUES_BY_BLOCK=$by_block MPIR_CVAR_SPLIT_DESCRIBED="$described" \
            "$PREFIX/bin/mpiexec" -n "$size" "$program" "$real" "$thirds.calls" || return 1
        for rank in "${RANK1_RANKS[@]}"; do
            timeout 60 env MPIR_CVAR_SPLIT_DESCRIBED="$described" "$PREFIX/bin/mpirank1" \
                --world "$size" --rank "$rank" --ranks-per-node "$per_node" --layout "$order" \
                "${scenarios[@]}" "$program" "$alone" "$thirds.calls" || return 1
            # nodes of consecutive ranks send descriptions of nodes, which the program does not see
            if [ "$layout" = "$per_node block 1" ] && [ "$per_node" -gt 1 ]; then
                sed -i '/ sends /d' "$real/$rank" "$alone/$rank"
            fi
            diff "$real/$rank" "$alone/$rank" >"$OUT/rank1.diff" ||
                { echo "rank $rank of $size, $layout ranks a node: real and alone differ";
                head -n 20 "$OUT/rank1.diff"; return 1; }
        done
    done
    for s in MPIR_CVAR_NUM_CLIQUES=5 MPIR_CVAR_ODD_EVEN_CLIQUES=1 \
        "MPIR_CVAR_NUM_CLIQUES=7 MPIR_CVAR_CLIQUES_BY_BLOCK=1"; do
        # shellcheck disable=SC2086    # two variables
        timeout 300 env $s "$PREFIX/bin/mpiexec" -n "$size" "$program" "$real" "$thirds.calls" ||
            { echo "nodes by $s"; return 1; }
    done
}

# Regular splits under the default settings: by descriptions from 4,096 ranks on, also in a world of
# a million, and in one that is no power of two: short messages, and no table.
described_splits() {
    local program=$OUT/rank1-described world size rank layout s scenarios=()
    local names=(rows columns planes even_odd same reversed transposed halving)
    compile_inside described.c "$program" || return 1
    for s in "${names[@]}"; do scenarios+=(--scenario "$s" --scenario "$s"); done
    for world in "4096 0 block" "4096 4095 cyclic" "1048576 777777 cyclic" \
        {1048576" "{0,1,777777,1048575},1000000" "{0,1,777777,999999}}" block"; do
        read -r size rank layout <<<"$world"
        timeout 300 "$PREFIX/bin/mpirank1" --world "$size" --rank "$rank" --layout "$layout" \
            --ranks-per-node 16 "${scenarios[@]}" "$program" 9 "${names[@]}" ||
            { echo "rank $rank of $size, $layout"; return 1; }
    done
    s=$(MPIR_CVAR_SPLIT_DESCRIBED=4097 timeout 300 "$PREFIX/bin/mpirank1" --world 4096 \
        --ranks-per-node 16 --scenario rows "$program" 4 rows) || true
    [[ $s == "rows 0 0 "* ]] || { echo "below the threshold: $s"; return 1; }
}

# repaired WORLD RANK LIST DEAD FIRST: so many are in the list, and the first one is FIRST.
repaired() {
    local said=$OUT/rank1.said
    [ "$(timeout 60 "$PREFIX/bin/mpirank1" --world "$1" --rank "$2" --ranks-per-node 16 \
        --dead "$3" "$OUT/rank1-repaired" "$4" "$5" 2>"$said")" = "ok rank $2 of $1, $4 dead" ] ||
        { echo "world $1 rank $2, dead: $3"; cat "$said"; return 1; }
}

# One dead, the root of the tree, a half of all, more than a message holds, nearly all.
living_repair() {
    "$PREFIX/bin/mpicc" -o "$OUT/rank1-repaired" "$ROOT/test/rank1/repaired.c" &&
        repaired 2 0 1 1 1 && repaired 64 63 0-62 63 0 && repaired 4096 3000 17,5,5-8 5 5 &&
        repaired 1048576 0 5 1 5 && repaired 1048576 1048575 0 1 0 &&
        repaired 1048576 200000 0-199999 200000 0 &&
        repaired 1048576 7 "$(seq -s , 1001 2 40999)" 20000 1001 &&
        repaired 65536 7777 0-7776,7778-65535 65535 0
}

# all_as_they_should PROGRAM SIZE RANK: what works does, what does not says so.
all_as_they_should() {
    local said=$OUT/rank1.said
    [ "$(timeout 60 "$PREFIX/bin/mpirank1" --world "$2" --rank "$3" --ranks-per-node 2 "$1" all "$OUT/rank1.file" 2>"$said")" = "ok rank $3 of $2" ] ||
        { echo "world $2 rank $3"; cat "$said"; return 1; }
}

# Local calls at all sizes, and errors instead of waits.
alone_or_error() {
    local program=$OUT/rank1-local size rank
    "$PREFIX/bin/mpicc" -o "$program" "$ROOT/test/rank1/alone.c" &&
        printf '#!/bin/sh\nseq "$1" | sed "s/.*/0 &/"\n' >"$OUT/rank1-all" &&
        chmod +x "$OUT/rank1-all" || return 1
    for size in 2 3 64 4096 1048576; do
        for rank in 0 $((size - 1)); do all_as_they_should "$program" $size $rank || return 1; done
    done
    MPIR_CVAR_DEFAULT_THREAD_LEVEL=MPI_THREAD_MULTIPLE all_as_they_should "$program" 64 5 ||
        { echo "with threads"; return 1; }
    timeout 60 "$PREFIX/bin/mpirank1" --world 1 "$program" local >/dev/null || return 1
    timeout 60 "$PREFIX/bin/mpirank1" --world 8 --scenario "random_colours 3 1" "$program" colour \
        >/dev/null || return 1
    timeout 60 "$PREFIX/bin/mpirank1" --world 8 --scenario even_odd --scenario \
        "program $OUT/rank1-all" "$program" part >/dev/null || return 1
    timeout 60 "$PREFIX/bin/mpirank1" --world 8 -- "$program" look >/dev/null || return 1
    fails_with "that do not exist" --world 8 "$program" receive &&
        fails_with "that do not exist" --world 8 "$program" probe &&
        fails_with "that do not exist" --world 8 "$program" test &&
        fails_with "no rank can answer" --world 8 "$program" fatal &&
        fails_with "in internal_Comm_spawn" --world 8 "$program" spawn &&
        MPIR_CVAR_CH4_UCX_LAZY_ENDPOINTS=0 fails_with "with --same-address it is" --world 8 \
            "$program" local &&
        aborts_quietly "$program" && programs_in_turn "$program" &&
            small_at_any_size "$program" && small_operations && no_reserve &&
            real_job_of_one_rank "$program" && ends_with_its_manager "$program"
}

# MPI_Abort in a communicator of many that do not exist: its status, and nothing said of them.
aborts_quietly() {
    local said=$OUT/rank1.said status=0
    timeout 60 "$PREFIX/bin/mpirank1" --world 1048576 "$1" abort >"$said" 2>&1 || status=$?
    [ $status = 7 ] && [ "$(wc -l <"$said")" = 1 ] &&
        grep -q "application called MPI_Abort" "$said" ||
        { echo "MPI_Abort: status $status"; cat "$said"; return 1; }
}

# A script with two MPI programs, which leaves a process behind that has the line to mpirank1 open;
# then the second one aborts.
programs_in_turn() {
    local said=$OUT/rank1.said status=0
    timeout 20 "$PREFIX/bin/mpirank1" --world 8 --rank 3 sh -c \
        '"$0" local && "$0" look; sleep 40 >/dev/null 2>&1 & exit 5' "$1" \
        >"$said" 2>&1 || status=$?
    [ $status = 5 ] && [ "$(grep -c "rank 3 of 8" "$said")" = 2 ] ||
        { echo "two programs in turn: status $status"; cat "$said"; return 1; }
    status=0
    timeout 20 "$PREFIX/bin/mpirank1" --world 8 sh -c '"$0" local; "$0" abort; "$0" local' "$1" \
        >"$said" 2>&1 || status=$?
    [ $status = 7 ] && [ "$(grep -c "rank 0 of 8" "$said")" = 1 ] ||
        { echo "the second program aborts: status $status"; cat "$said"; return 1; }
}

# MPI_Init keeps nothing that grows with the world: at most 1 MB more in a world of 2^20 than in one
# of 2.
small_at_any_size() {
    local size kb least=
    for size in 2 1048576; do
        kb=$(timeout 60 "$PREFIX/bin/mpirank1" --world $size --ranks-per-node 16 "$1" memory |
            sed -n 's/^resident //p')
        [ "${kb:-0}" -gt 0 ] && [ "$kb" -le $((${least:-$kb} + 1024)) ] ||
            { echo "a world of $size: ${kb:-no} kB resident; a world of 2: ${least:-$kb} kB";
            return 1; }
        least=${least:-$kb}
    done
}

# A split without address space for its reserve fails, and later ones work.
no_reserve() {
    "$PREFIX/bin/mpicc" -o "$OUT/rank1-no-reserve" "$ROOT/test/rank1/no_reserve.c" &&
        MPIR_CVAR_SPLIT_DESCRIBED=4096 timeout 60 "$PREFIX/bin/mpirank1" --world 1048576 \
            --ranks-per-node 16 --scenario same --scenario same "$OUT/rank1-no-reserve"
}

# Operations on regular groups allocate no more in a large world.
small_operations() {
    "$PREFIX/bin/mpicc" -I"$ROOT/test/mpi/include" -o "$OUT/rank1-allocations" \
        "$ROOT/test/rank1/allocations.c" &&
        timeout 60 "$PREFIX/bin/mpirank1" --world 1048576 --ranks-per-node 16 \
            "$OUT/rank1-allocations"
}

# A job that one rank of a world starts is a job like any other.
real_job_of_one_rank() {
    "$PREFIX/bin/mpicc" -o "$OUT/rank1-sum" "$ROOT/test/rank1/sum.c" &&
        timeout 60 "$PREFIX/bin/mpirank1" --world 8 "$1" run \
        "'$PREFIX/bin/mpiexec' -n 3 '$OUT/rank1-sum'"
}

# The program does not outlive mpirank1, nor does what a scenario's program printed.
ends_with_its_manager() {
    local folder=$OUT/rank1-tmp program=$OUT/rank1-wait-$$ manager tries
    rm -rf "$folder" && mkdir "$folder" && cp "$1" "$program"
    TMPDIR=$folder "$PREFIX/bin/mpirank1" --world 8 --scenario "program $OUT/rank1-all" "$program" \
        wait &
    manager=$!
    for tries in {1..200}; do ! pgrep -xf "$program wait" >/dev/null || break; sleep 0.1; done
    kill -KILL $manager
    has_ended "$program wait" || return 1
    [ -z "$(ls -A "$folder")" ] || { ls "$folder"; return 1; }
}

# has_ended COMMAND: soon
has_ended() {
    local tries
    for tries in {1..100}; do pgrep -f "$1" >/dev/null || return 0; sleep 0.1; done
    echo "it is still there after $tries tries: $1"
    return 1
}

# A scenario's program that prints nothing is waited for, which is said, and it does not outlive
# mpirank1.
scenario_ends_with_its_manager() {
    local program=$OUT/rank1-silent-$$ said=$OUT/rank1.said notice manager tries
    notice="waiting for what $program 8 prints"
    printf '#!/bin/sh\nwhile :; do sleep 0.2; done\n' >"$program" && chmod +x "$program" || return 1
    "$PREFIX/bin/mpirank1" --world 8 --scenario "program $program" true 2>"$said" &
    manager=$!
    for tries in {1..300}; do ! grep -qF "$notice" "$said" || break; sleep 0.1; done
    kill -KILL $manager
    has_ended "$program 8" && grep -qF "$notice" "$said" || { echo "after $tries tries:";
        cat "$said"; return 1; }
}

# fails_with WORDS ARGUMENTS...: within 30 s, with a status that is not 0 and a message with these
# words.
fails_with() {
    local words=$1 said=$OUT/rank1.said status=0
    shift
    timeout 30 "$PREFIX/bin/mpirank1" "$@" >"$said" 2>&1 || status=$?
    if [ $status = 0 ] || [ $status = 124 ] || ! grep -qF -- "$words" "$said"; then
        echo "mpirank1 $*: status $status, not an error with \"$words\":" && cat "$said"
        return 1
    fi
}

# refuses_alone WORDS ARGUMENTS...: the same, and the status is 1.
refuses_alone() {
    local status=0
    fails_with "$@" || return 1
    shift
    timeout 30 "$PREFIX/bin/mpirank1" "$@" >/dev/null 2>&1 || status=$?
    [ $status = 1 ] || { echo "mpirank1 $*: status $status, not 1"; return 1; }
}

rank1_bad_input() {
    local scenario=$OUT/rank1-scenario
    printf '#!/bin/sh\nseq "$1" | sed "s/.*/0 &/"\n' >"$scenario-good"
    printf '#!/bin/sh\nseq "$1" | sed 1d\n' >"$scenario-short"
    printf '#!/bin/sh\necho 1 1; seq "$1" | sed "s/.*/0 &/"\n' >"$scenario-long"
    printf '#!/bin/sh\nseq "$1" | sed "s/.*/99999999999 &/"\n' >"$scenario-wide"
    chmod +x "$scenario-good" "$scenario-short" "$scenario-long" "$scenario-wide"
    "$PREFIX/bin/mpirank1" --help | grep -q "usage: mpirank1 --world N" || return 1
    refuses_alone "accepted are 1 to" --world 0 true &&
        refuses_alone "accepted are 1 to" --world -3 true &&
        refuses_alone "accepted are 1 to" --world many true &&
        refuses_alone "accepted are 1 to" --world=0 true &&
        refuses_alone "accepted are block, cyclic" --world=8 --layout=random true &&
        refuses_alone "--world N is missing" true &&
        refuses_alone "accepted are 0 to 7" --world 8 --rank 8 true &&
        refuses_alone "accepted are 0 to 7" --rank -1 --world 8 true &&
        refuses_alone "accepted are 1 to" --world 8 --ranks-per-node 0 true &&
        refuses_alone "accepted are block, cyclic" --world 8 --layout random true &&
        refuses_alone "ranks and ranges of ranks" --world 8 --dead "" true &&
        refuses_alone "ranks and ranges of ranks" --world 8 --dead 8 true &&
        refuses_alone "ranks and ranges of ranks" --world 8 --dead 3-2 true &&
        refuses_alone "ranks and ranges of ranks" --world 8 --dead 3,,4 true &&
        refuses_alone "ranks and ranges of ranks" --world 8 --dead 3-,4 true &&
        refuses_alone "ranks and ranges of ranks" --world 8 --dead -1 true &&
        refuses_alone "without rank 2" --world 8 --rank 2 --dead 1-3 true &&
        refuses_alone "unknown option" --worlds 8 true &&
        refuses_alone "no program given" --world 8 &&
        refuses_alone "accepted are rows, columns" --world 8 --scenario diagonals true &&
        refuses_alone "accepted are rows, columns" --world 8 --scenario "random_permutation" true &&
        refuses_alone "accepted are rows, columns" --world 8 --scenario "random_colours 0 1" true &&
        refuses_alone "one line with colour" --world 8 --scenario "program $scenario-short" true &&
        refuses_alone "more lines than" --world 8 --scenario "program $scenario-long" true &&
        refuses_alone "ended with an error" --world 8 --scenario "program false" true &&
        refuses_alone "beyond the range of int" --world 8 --scenario "program $scenario-wide" true \
            &&
        refuses_alone "prints more than 8 ranks have to say" --world 8 --scenario "program yes" \
            true &&
        scenario_ends_with_its_manager &&
        refuses_alone "ended with status 0 before MPI_Init" --world 8 --scenario \
            "program $scenario-good" true &&
        refuses_alone "ended with status 1 before MPI_Init" --world 8 false &&
        refuses_alone "ended with status 7 before MPI_Init" --world 8 sh -c 'exit 7' &&
        refuses_alone "ended by signal 9 before MPI_Init" --world 8 sh -c 'kill -9 $$' &&
        refuses_alone "cannot be started" --world 8 "$OUT/there-is-no-such-program" &&
        ! grep "before MPI_Init" "$OUT/rank1.said"
}

# million_says LINE BYTES ARGUMENTS...: the report of one rank of a million has a line like this,
# and these bytes in maps at the end.
million_says() {
    local line=$1 bytes=$2 said
    shift 2
    said=$(MPIR_CVAR_CMAP_REPORT=1 timeout 60 "$PREFIX/bin/mpirank1" --world 1048576 \
        --ranks-per-node 16 "$@" 2>&1) || { echo "$said"; return 1; }
    grep -qE "$line" <<<"$said" && grep -qE "^  at finalize: [0-9]+ maps alive, $bytes B with headers" <<<"$said" ||
        { echo "mpirank1 $*: no line like $line, or not $bytes B, in"; echo "$said"; return 1; }
}

# The report is that of the rank which exists, whichever that is.
report_of_the_one_rank() {
    local file=$OUT/rank1.json
    rm -f "$file"
    million_says '^Compressed maps of rank 77 of 1048576' 384 --rank 77 "$OUT/libraries" 10 100 &&
        MPIR_CVAR_CMAP_REPORT=$file timeout 60 "$PREFIX/bin/mpirank1" --world 1048576 --rank 77 \
        --ranks-per-node 16 "$OUT/libraries" 10 100 &&
        grep -q '"rank": 77, "world": 1048576, "node_ranks": 16,' "$file" &&
            "$PREFIX/bin/cmap-report" "$file"
}

# maint/bench million in a small world: every operation and every way to make a communicator has its
# row.
bench_of_a_thousand() {
    local file=$OUT/million.csv case
    rm -f "$file"
    CMAP_INSTALL=$PREFIX timeout 300 "$ROOT/maint/bench" million --worlds 1024 --stock-most 0 \
        --rounds 1 --output "$file" || return 1
    for case in comm_group range_incl_even incl_random incl_permutation union intersection \
        difference compare translate_from_world \
        translate_to_world; do
        grep -qE "^groups,patched,1024,$case,[0-9.]+,[0-9]+$" "$file" || { echo "no row $case";
            return 1; }
    done
    for case in same rows columns planes even_odd reversed permutation random_colours dup create \
        create_group Cart_create Cart_sub \
        Intercomm_create agree shrink shrink_again; do
        grep -qE "^create,patched,1024,$case,[0-9.]+,[0-9]+$" "$file" || { echo "no row $case";
            return 1; }
    done
}

# The examples as doc/guides/scaling.md has them.
examples_at_scale() {
    million_says '^ *reversed +1 +1048576  affine ' 1152 --scenario rows --scenario columns \
        --scenario reversed "$OUT/grid2d" create &&
        million_says '^ *objects of library 9 +100 +1048576  affine ' 384 "$OUT/libraries" 10 100 &&
        million_says '^ *messages of level 19 +1 +2  affine ' 3072 --scenario even_odd \
            "$OUT/multigrid" &&
        million_says '^ *piece +1 +65[0-9]+  packed ' 163[0-9]+ --scenario \
            "program $OUT/random_graph" "$OUT/random_graph" &&
        report_of_the_one_rank
}
