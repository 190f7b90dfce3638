# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# MPIR_CVAR_CMAP_REPORT=FILE.json and cmap-report, tried as a user would.  Needs common.sh and
# variant.sh.

# What grid2d's file must say: each pattern is known, and where it was made.
report_says() {
    python3 - "$1" <<'PYTHON'
import json
import sys

report = json.load(open(sys.argv[1]))
want = {"row": [0, 1, 2, 3], "column": [0, 4, 8, 12], "diagonal": [0, 5, 10, 15], "reversed": list(range(15, -1, -1)),
        "transposed": [4 * (r % 4) + r // 4 for r in range(16)]}
made_by = {"diagonal": ("MPI_Comm_create",)}
rows = {row["name"]: row for row in report["rows"]}
assert report["world"] == 16 and report["rank"] == 0 and report["complete"] is True, "the heading"
for name, processes in want.items():
    row = rows[name]
    assert row["processes"] == processes and row["size"] == len(processes), f"{name}: {row}"
    assert row["made_by"] in made_by.get(name, ("MPI_Comm_split",)), f"{name} was made by {row['made_by']}"
    assert "/grid2d+0x" in row["called_from"], f"{name} was made from {row['called_from']}"
seconds = [moment[0] for moment in report["history"]]
assert seconds and seconds == sorted(seconds), "the history"
PYTHON
}

# refused WORDS ARGUMENTS: cmap-report ends with status 1 and a message that has the words, and no
# page is left.
report_refuses() {
    local words=$1 said status=0
    shift
    rm -f "$OUT/refused.html"
    said=$("$PREFIX/bin/cmap-report" "$@" -o "$OUT/refused.html" 2>&1) || status=$?
    if [ $status -ne 1 ] || [[ $said != *"$words"* ]] || [[ $said == *Traceback* ]] ||
        [ -e "$OUT/refused.html" ]; then
        echo "cmap-report $*: status $status, says: $said"
        return 1
    fi
}

report_bad_files() {
    local good=$1 bad=$OUT/bad.json
    report_refuses "No such file" "$OUT/nothing.json" &&
        : >"$bad" && report_refuses "it is empty" "$bad" &&
        head -c 900 "$good" >"$bad" && report_refuses "cut off" "$bad" &&
        echo '{"tests": 3}' >"$bad" && report_refuses 'it does not say "format"' "$bad" &&
        sed 's/"size": 16/"size": "16"/' "$good" >"$bad" && report_refuses "has no size" "$bad" &&
        sed 's/"world": 16/"world": 0/' "$good" >"$bad" && report_refuses "has no ranks" "$bad" &&
        sed 's/"rank": 0/"rank": 16/' "$good" >"$bad" &&
            report_refuses "not in its world of 16" "$bad" &&
        sed "s/\"count\": 1,/\"count\": 1$(printf '%0400d' 0),/" "$good" >"$bad" &&
            report_refuses "has no count" "$bad" &&
        sed "s/first_seconds\": /&1$(printf '%0400d' 0)/" "$good" >"$bad" &&
            report_refuses "has no first_seconds" "$bad" &&
        head -c 4000 /dev/urandom >"$bad" && report_refuses "no JSON" "$bad" &&
        report_refuses "Is a directory" "$OUT" &&
        sed 's/"node_ranks": 16/"node_ranks": -1/' "$good" >"$bad" &&
            report_refuses "has no node_ranks" "$bad" &&
        sed 's/"ctxid_used": /&-/' "$good" >"$bad" &&
            report_refuses "variable ctxid_used is no number" "$bad" &&
        report_refuses "usage:"
}

# Somebody else's file, or a name given to a communicator, puts nothing into the page but text.
report_odd_texts() {
    local good=$1 odd=$OUT/odd.json page=$OUT/odd.html
    sed -E 's/"representation": "[a-z]*"/"representation": "<script>"/; s/"name": "row"/"name": "\\ud800 <script>"/; s/"called_from": "[^"]*"/"called_from": "\/'"$(printf '%0300d' 0)"'+0x1"/' \
        "$good" >"$odd" && "$PREFIX/bin/cmap-report" "$odd" -o "$page" &&
        ! grep -q '<script' "$page" && grep -q '&lt;script' "$page" || return 1
    cp "$odd" "$OUT/odd.html" && ! "$PREFIX/bin/cmap-report" "$OUT/odd.html" 2>/dev/null &&
        cmp "$odd" "$OUT/odd.html" || { echo "a page replaced its report"; return 1; }
}

# The file is UTF-8 and JSON as it stands; of a name that is not, each byte without a meaning is a
# replacement character.
odd_names_are_json() {
    python3 - "$1" <<'PYTHON'
import json
import sys

report = json.load(open(sys.argv[1], encoding="utf-8", errors="strict"))
names = [row["name"] for row in report["rows"]]
for name in ("not UTF-8 \ufffd\ufffd odd name", "cut off odd name \ufffd\ufffd", "\ufffd\ufffd\ufffd odd name", "a half \ufffd\ufffd\ufffd odd name",
             "too long \ufffd\ufffd odd name", "beyond \ufffd\ufffd\ufffd\ufffd odd name", "\u00e9 \u20ac \U0001f600 odd name",
             "\x01\x7f\t odd name", "\x1b[31modd name", "two lines\nodd name", 'odd name "quoted" \\'):
    assert name in names, f"{name!r} is not among {names}"
assert report["history"][-1][4] >= 12 * 8, "duplicates are not in the history"
PYTHON
}

# Names of all kinds, as a program gave them: each has a line in both tables of the page, and in the
# printed one.
report_odd_names() {
    local program=$OUT/odd_names file=$OUT/odd_names.json page=$OUT/odd_names.html
    "$PREFIX/bin/mpicc" -Wall -o "$program" "$ROOT/test/report/odd_names.c" &&
        MPIR_CVAR_CMAP_REPORT=$file MPIEXEC_TIMEOUT=60 "$PREFIX/bin/mpiexec" -n 2 "$program" &&
        "$PREFIX/bin/cmap-report" "$file" -o "$page" && ! grep -q '<script' "$page" &&
        odd_names_are_json "$file" &&
        [ "$(tr '\n' ' ' <"$page" | grep -ao '<tr><td>[^<]*odd name' | wc -l)" = 26 ] &&
        [ "$(MPIR_CVAR_CMAP_REPORT=1 MPIEXEC_TIMEOUT=60 "$PREFIX/bin/mpiexec" -n 2 "$program" 2>&1 | LC_ALL=C grep -ac '^  .*odd name.* affine ')" = 13 ]
}

# After report_page. In a browser that reaches no network; its words are those that a person would
# see.
report_in_browser() {
    local page=$OUT/grid2d.html browser seen
    browser=$(command -v chromium || true)
    [ -n "$browser" ] || { echo "chromium is not installed"; return 77; }
    seen=$(timeout 120 "$browser" --headless --no-sandbox --disable-gpu --proxy-server=127.0.0.1:9 \
        --user-data-dir="$OUT/browser" \
        --dump-dom "file://$page" 2>"$OUT/browser.log") || return 1
    grep -q 'Communicators and groups of rank 0 of 16' <<<"$seen" && grep -q 'transposed' <<<"$seen" &&
        [ "$(grep -o '<svg' <<<"$seen" | wc -l)" -ge 10 ] && ! grep -qE '(src|href)=' <<<"$seen"
}

# A file that cannot be written costs the table nothing.
report_without_file() {
    local said
    said=$(MPIR_CVAR_CMAP_REPORT=$OUT/none/at/all.json MPIEXEC_TIMEOUT=60 "$PREFIX/bin/mpiexec" -n \
        2 "$1" 2>&1) || return 1
    grep -q 'all.json cannot be written: No such file or directory; the table is printed' <<<"$said" && grep -q '^Compressed maps of rank 0' <<<"$said"
}

# A name for each of many communicators: time and file grow with them, and what is left out is said.
report_of_many() {
    local program=$OUT/many-names file=$OUT/many-names.json
    "$PREFIX/bin/mpicc" -o "$program" "$ROOT/test/report/many_names.c" &&
        MPIR_CVAR_CMAP_REPORT=$file timeout 60 "$PREFIX/bin/mpirank1" --world 4096 "$program" \
        30000 &&
        python3 - "$file" <<'PYTHON' && "$PREFIX/bin/cmap-report" "$file" && grep -q '20,002 communicators and groups are in no row' "${file%.json}.html"
import json
import sys

report = json.load(open(sys.argv[1]))
assert len(report["rows"]) == 10000 and report["complete"] is True, len(report["rows"])
assert report["holders"] == 30002 and report["unlisted"] == 20002, (report["holders"], report["unlisted"])
PYTHON
}

# What test/report/windows.c did, of rank 0.
windows_are_counted() {
    python3 - "$1" <<'PYTHON'
import json
import sys

report = json.load(open(sys.argv[1]))
named = {window["name"]: window for window in report["windows"]}
assert len(report["windows"]) == 2 and report["windows_unlisted"] == 0, report["windows"]
locks, fences = named[""], named["<halo>"]
assert locks["windows"] == 2 and fences["windows"] == 1, named
assert locks["made_by"] == "MPI_Win_create" and "/windows+0x" in locks["called_from"], locks
assert locks["rma_messages"] == locks["rma_packed"] == 10, locks
assert locks["rma_lock_ns"] > 0 and locks["rma_fence_ns"] == 0, locks
assert fences["rma_exchanges"] + fences["rma_barriers"] > 0 and fences["rma_lock_ns"] == 0, fences
assert [phase["name"] for phase in report["phases"]] == ["settings", "device", "communicators"]
variables = report["variables"]
assert variables["coll_calls"] > 0 and "ctxid_used" in variables
assert variables["progress_helper"] == min(variables["progress_helper_starts"], 1), variables
PYTHON
}

# One-sided communication by window, in the file, on the page and in the table.
report_windows() {
    local program=$OUT/windows file=$OUT/windows.json page=$OUT/windows.html words
    "$PREFIX/bin/mpicc" -g -Wall -o "$program" "$ROOT/test/report/windows.c" &&
        MPIR_CVAR_CMAP_REPORT=$file MPIEXEC_TIMEOUT=60 "$PREFIX/bin/mpiexec" -n 3 "$program" &&
        windows_are_counted "$file" && "$PREFIX/bin/cmap-report" "$file" -o "$page" || return 1
    for words in 'with_locks at windows.c' '&lt;halo&gt;' 'Most time went to' \
        'blocking collectives were called' 'context ids were in use' 'endpoints to the 3' \
        'MPI_Init took'; do
        grep -qF "$words" "$page" || { echo "$page does not say: $words"; return 1; }
    done
    words=$(MPIR_CVAR_CMAP_REPORT=1 MPIEXEC_TIMEOUT=60 "$PREFIX/bin/mpiexec" -n 3 "$program" \
        2>&1) &&
        grep -qE '^  \(MPI_Win_create at windows.c:[0-9]+\): 2 windows, 10 messages with 10' \
            <<<"$words" &&
        grep -qE '^  <halo>: 1 window,' <<<"$words"
}

# grows PAGE NAME HOW MEMBERS: the page says that a communicator of this name has so many members in
# a world of 2^20.
grows() {
    grep -qE "<tr><td>$2</td><td>[^<]*$3[^<]*</td><td>[0-9,]+</td><td>$4</td>" "$1" ||
        { echo "$1: $2 does not grow as $3 to $4 members"; return 1; }
}

# What stays, and what grows with the world or with its roots; on one node, on nodes of 4, and as if
# the world had been larger.
report_projects() {
    local file=$1 program=$2 halves=$OUT/halves.json nodes=$OUT/nodes.json part=$OUT/part.json \
        page=${1%.json}.html
    grows "$page" MPI_COMM_SELF stays 1 && grows "$page" MPI_COMM_WORLD "the world" 1,048,576 &&
        grows "$page" row "the square root" 1,024 &&
        grows "$page" reversed "the world" 1,048,576 || return 1
    MPIR_CVAR_NUM_CLIQUES=4 MPIR_CVAR_CLIQUES_BY_BLOCK=1 MPIR_CVAR_CMAP_REPORT=$nodes \
        MPIEXEC_TIMEOUT=60 "$PREFIX/bin/mpiexec" -n 16 "$program" &&
        "$PREFIX/bin/cmap-report" "$nodes" && page=${nodes%.json}.html &&
        grows "$page" row "a node: stays" 4 && grows "$page" column "the square root" 1,024 ||
            return 1
    # of a column of 4, each node of 8 has two
    MPIR_CVAR_NUM_CLIQUES=2 MPIR_CVAR_CLIQUES_BY_BLOCK=1 MPIR_CVAR_CMAP_REPORT=$halves \
        MPIEXEC_TIMEOUT=60 "$PREFIX/bin/mpiexec" -n 16 "$program" &&
        "$PREFIX/bin/cmap-report" "$halves" && page=${halves%.json}.html &&
        grows "$page" '\(processes of one node\)' "the ranks of a node: stays" 8 &&
            grows "$page" '\(processes of one node\)' "on one node: stays" 2 || return 1
    sed 's/"world": 16/"world": 32/' "$file" >"$part" && "$PREFIX/bin/cmap-report" "$part" &&
        page=${part%.json}.html &&
        grows "$page" row "1/8 of the world" 131,072 && grows "$page" MPI_COMM_SELF stays 1 ||
            return 1
    sed 's/"world": 16, "node_ranks": 16/"world": 64, "node_ranks": 1/' "$file" >"$part" &&
        "$PREFIX/bin/cmap-report" "$part" &&
        grows "$page" row "the third root" 102 &&
            grows "$page" MPI_COMM_WORLD "1/4 of the world" 262,144
}

report_page() {
    local program=$OUT/grid2d file=$OUT/grid2d.json
    "$PREFIX/bin/mpicc" -g -o "$program" "$ROOT/examples/grid2d.c" &&
        MPIR_CVAR_CMAP_REPORT=$file MPIEXEC_TIMEOUT=60 "$PREFIX/bin/mpiexec" -n 16 "$program" &&
        report_says "$file" && "$PREFIX/bin/cmap-report" "$file" &&
        report_projects "$file" "$program" &&
        report_bad_files "$file" && report_odd_texts "$file" && report_odd_names &&
            report_without_file "$program" && report_of_many && report_windows
}
