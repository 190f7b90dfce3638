# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# A minimal Debian root in a directory, and commands that run in it.  Needs common.sh and
# variant.sh; root, mmdebstrap, network.

# In the root from the start: what seems to be one of our packages and is not.  libblas-dev has the
# cblas.h of OpenBLAS but not its library, clang alone has no fuzzer.
SEEMING=libblas-dev,clang
NEWER_RELEASE=trixie

# Why there can be no such root here; nothing when there can.
no_fresh_root() {
    if [ "$(id -u)" != 0 ]; then
        echo "needs root"
    elif ! command -v mmdebstrap >/dev/null; then
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

# with_repository DIR PATTERN: this repository at the place that it has here, without what it has
# made, and without what is called so in .cache.
with_repository() {
    local dir=$1
    mkdir -p "$dir$ROOT"
    tar -C "$ROOT" -c --exclude=./.git --exclude=./build --exclude='./mpich*' \
        --exclude='./install*' --exclude=./bench/results \
        --exclude="./.cache/$2" . | tar -C "$dir$ROOT" -x
    cp /etc/resolv.conf "$dir/etc/resolv.conf"
}

# make_fresh_root DIR: with this repository, its sources and its installation at the places they
# have here.
make_fresh_root() {
    "$ROOT/maint/fetch" mpich buddy hpcc || return
    mkdir -p "$1"
    debian_sources | mmdebstrap --variant=apt --include="$SEEMING,ca-certificates" \
        "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$1" - || return
    with_repository "$1" '[!bmh]*' || return
    mkdir -p "$1$PREFIX" && cp -a "$PREFIX/." "$1$PREFIX/"
}

# make_newer_root DIR: of the release after the one that has the pinned sources, with this
# repository alone.
make_newer_root() {
    mkdir -p "$1"
    debian_sources | awk -v release="$NEWER_RELEASE" '$3 !~ /-/ { $3 = release; print }' | sort -u |
        mmdebstrap --variant=apt --include="$SEEMING,ca-certificates" "$NEWER_RELEASE" "$1" - &&
        with_repository "$1" '*'
}

# in_fresh_root DIR COMMAND...: started in the repository; its mounts and processes end with it.
in_fresh_root() {
    # shellcheck disable=SC2016    # its own variables
    unshare --mount --pid --fork --kill-child bash -c '
        mount -t proc proc "$1/proc" && mount --rbind /sys "$1/sys" && mount --rbind /dev "$1/dev" &&
            exec chroot "$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root env -C "$2" "${@:3}"' - "$1" "$ROOT" "${@:2}"
}
