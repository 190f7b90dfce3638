# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# A minimal Debian root in a directory, and commands that run in it.  Needs common.sh, packages.sh
# and variant.sh; root, network.

# In the root from the start: what seems to be one of our packages and is not.  libblas-dev has the
# cblas.h of OpenBLAS but not its library, clang alone has no fuzzer.
SEEMING=libblas-dev,clang

# Why there can be no such root here; nothing when there can.
no_fresh_root() {
    if [ "$(id -u)" != 0 ]; then
        echo "needs root"
    elif ! (need_packages roots) >&2; then
        echo "needs mmdebstrap"
    elif ! unshare --mount true 2>/dev/null; then
        echo "no mount namespaces here"
    elif [ -z "$(debian_sources)" ]; then
        echo "apt knows no Debian archive here"
    fi
}

# why_no_fresh_root FILE: the same, into a file.
why_no_fresh_root() { no_fresh_root >"$1"; }

# The lines of the machine's own apt sources that are Debian's.
debian_sources() {
    apt-get indextargets --format 'deb $(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' \
        'Origin: Debian' 2>/dev/null | sort -u
}

# make_fresh_root RELEASE DIR: a minimal Debian with this repository at the place that it has here,
# without what has been made of it and downloaded.
make_fresh_root() {
    local release=$1 dir=$2
    mkdir -p "$dir"
    debian_sources | awk -v release="$release" '$3 !~ /-/ { $3 = release; print }' | sort -u |
        mmdebstrap --variant=apt --include="$SEEMING,ca-certificates" "$release" "$dir" - || return
    mkdir -p "$dir$ROOT"
    tar -C "$ROOT" -c --exclude=./.git --exclude=./build --exclude='./mpich*' \
        --exclude='./install*' --exclude=./bench/results --exclude=./.cache . |
        tar -C "$dir$ROOT" -x
    cp /etc/resolv.conf "$dir/etc/resolv.conf"
}

# in_fresh_root DIR COMMAND...: started in the repository; its mounts and processes end with it.
in_fresh_root() {
    # shellcheck disable=SC2016    # its own variables
    unshare --mount --pid --fork --kill-child bash -c '
        mount -t proc proc "$1/proc" && mount --rbind /sys "$1/sys" && mount --rbind /dev "$1/dev" &&
            exec chroot "$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root env -C "$2" "${@:3}"' - "$1" "$ROOT" "${@:2}"
}
