# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# What benchmarks with plots and tables have in common.  Sourced after bench/lib/module.sh.

RESULTS=$ROOT/bench/results
RUN=yes  # empty: only plots and tables
PAGE=()  # where to, beside the results

# common_option OPTION: takes it; false when it is none that all of them have.
common_option() {
    case $1 in
    -h | --help) usage && exit ;;
    --doc) PAGE=(--doc "$ROOT/doc/measurements") ;;
    --no-run) RUN= ;;
    *) return 1 ;;
    esac
}

# plots_and_tables NAME: by NAME_plots.py and NAME_report.py of bench/NAME.
plots_and_tables() {
    (need_packages bench) || true
    "$(python_with matplotlib)" "$ROOT/bench/$1/$1_plots.py" "$RESULTS" "${PAGE[@]}" ||
        say "no plots: they need python3-matplotlib; the CSVs are in ${RESULTS#"$ROOT"/}"
    "$(python_with csv)" "$ROOT/bench/$1/$1_report.py" "$RESULTS" "${PAGE[@]}"
}

# measure_and_report NAME OPTION...: a benchmark whose runs bench/NAME/NAME_measure.py makes, with
# options of its own.
measure_and_report() {
    local name=$1 options=()
    shift
    while [ $# -gt 0 ]; do
        common_option "$1" || case $1 in
        --help-options) exec "$(python_with csv)" "$ROOT/bench/$name/${name}_measure.py" --help ;;
        *) options+=("$1") ;;
        esac
        shift
    done
    if [ -n "$RUN" ]; then
        mkdir -p "$RESULTS"
        "$(python_with csv)" "$ROOT/bench/$name/${name}_measure.py" "$RESULTS" "${options[@]}"
        { echo "maint/bench $name ${options[*]}" && cpu_model; } >"$RESULTS/${name}_run.txt"
    fi
    plots_and_tables "$name"
}
