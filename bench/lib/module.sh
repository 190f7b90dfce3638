# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Programs that need the module of maps alone.  Sourced after maint/lib/common.sh and packages.sh.

# module_program FLAVOUR/NAME: builds build/cmap/FLAVOUR/NAME; its path is MODULE_PROGRAM.
module_program() {
    need_packages module
    MODULE_PROGRAM=$ROOT/build/cmap/$1
    step "build ${1#*/}" "$LOGS/${1#*/}.log" "the compiler's messages above" \
        make -j"$(nproc)" -C "$ROOT/src/mpid/common/cmap" "$MODULE_PROGRAM"
}

# python_with MODULE: a Python that has it, Debian's first; any Python when none has.
python_with() {
    local python
    for python in /usr/bin/python3 python3; do
        if "$python" -c "import $1" 2>/dev/null; then
            echo "$python"
            return
        fi
    done
    echo python3
}

cpu_model() { sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1; }
