# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# What maint/bench makes of its runs. Needs common.sh and variant.sh.

# bench_has_row FILE GROUP PROGRAM RANKS WHAT BYTES [WINDOW SYNC]: a launch of ours has this figure.
bench_has_row() {
    local row="rows,$2,$3,${7-},${8-},$4,[0-9]+,$5,$6,patched,[0-9]+,[0-9.]*,[0-9.]*,[0-9.]+$"
    grep -qE "^$row" "$1" || { echo "no row $row" && return 1; }
}

# maint/bench osu, short: rows of each kind, and none of a program that has failed.
bench_of_osu_rows() {
    local file=$OUT/osu/e10_osu.csv window sync name how
    rm -rf "$OUT/osu"
    BENCH_NO_LINE=yes timeout 900 python3 "$ROOT/bench/osu/osu_measure.py" "$OUT/osu" \
        --patched "$PREFIX" --libraries patched --ranks 2 --rounds 1 --distances 1 \
        --most 8 --batches 1 --batch-us 1 ||
        return 1
    ! grep ',failed,' "$file" || return 1
    for name in latency bw bibw latency_persistent; do
        bench_has_row "$file" pt2pt "$name" 2 '(us|MB/s)' 8 || return 1
    done
    for name in allreduce bcast alltoallw reduce_scatter_block scatterv; do
        for how in "blocking $name" "blocking $name[+]barrier" "blocking $name-in-a-row" \
            "nonblocking i$name" "nonblocking i$name-in-a-row" \
            "persistent ${name}_persistent[+]barrier"; do
            # shellcheck disable=SC2086    # two words
            bench_has_row "$file" $how 2 us 8 || return 1
        done
    done
    bench_has_row "$file" blocking barrier 2 us 0 || return 1
    bench_has_row "$file" nonblocking iallreduce 2 pure-us 8 || return 1
    for name in neighbor_allgather neighbor_alltoallw ineighbor_alltoallv; do
        bench_has_row "$file" neighbourhood "$name" 2 us 8 || return 1
    done
    for window in create allocate dynamic; do
        for sync in lock lock_all flush flush_local pscw fence; do
            for name in put_latency get_bw get_acc_latency; do
                bench_has_row "$file" one-sided "$name" 2 '(us|MB/s)' 8 $window $sync || return 1
            done
            bench_has_row "$file" one-sided cas_latency 2 us 8 $window $sync || return 1
        done
        bench_has_row "$file" one-sided put_bibw 2 MB/s 8 $window pscw || return 1
    done
}
