# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# shellcheck disable=SC2317    # the proofs are called by name
# need_packages SET...: makes sure that the Debian packages of the sets in maint/packages.txt are
# there.

# ---- the proofs of maint/packages.txt

command_proof() { command -v "$1"; }
file_proof() { compgen -G "$1"; }
runs_proof() { "$@"; }
links_proof() {
    printf '#include <cstdio>\n#include <%s>\nint main() { return (const void *) &%s == nullptr; }\n' "$1" "$2" |
        g++ -x c++ - -o /dev/null "${@:3}"
}
fuzzer_proof() {
    echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char *, unsigned long) { return 0; }' |
        "$1" -fsanitize=fuzzer,address,undefined -x c++ - -o /dev/null
}

# The packages that dpkg knows to be installed, one a line.
installed_packages() { dpkg-query -W -f '${db:Status-Status} ${Package}\n' 2>/dev/null |
    sed -n 's/^installed //p'; }

# Packages of the given sets that are neither installed nor replaced by something that passes their
# proof.
missing_packages() {
    local set package proof installed
    installed=$(installed_packages) || true # a system without dpkg has the proofs alone
    while read -r set package proof; do
        case " $* " in *" $set "*) ;; *) continue ;; esac
        grep -qx "$package" <<<"$installed" || eval "${proof/ /_proof }" >/dev/null 2>&1 </dev/null || echo "$package"
    done < <(grep -v '^#' "$ROOT/maint/packages.txt") | sort -u
}

# What the proofs of packages ask for: a command, a header, a program that runs, a file.
asked_by_proofs() {
    local package
    for package; do
        awk -v package="$package" '$2 == package { print $4; exit }' "$ROOT/maint/packages.txt"
    done | sort -u | tr '\n' ' '
}

# The second try also finishes what an interrupted installation has left: apt refuses to install
# anything before that.
install_packages() {
    export DEBIAN_FRONTEND=noninteractive
    local wait=DPkg::Lock::Timeout=300 # for an apt that already runs
    as_root apt-get -o $wait -y -q install --no-install-recommends "$@" && return
    as_root dpkg --configure -a
    as_root apt-get -o $wait -q update
    as_root apt-get -o $wait -y -q install --no-install-recommends "$@"
}

# get_packages SET...: installs what is missing of them, where that is possible.
get_packages() {
    local missing
    mapfile -t missing < <(missing_packages "$@" nice)
    if [ ${#missing[@]} -gt 0 ] && command -v apt-get >/dev/null && can_root; then
        say "installs the Debian packages ${missing[*]}"
        step "install ${#missing[@]} packages" "$LOGS/packages.log" \
            "apt-get update && apt-get install ${missing[*]}" \
            install_packages "${missing[@]}" || true
    fi
}

# Sets whose names begin with "nice" are installed where that is possible, and never required.
required_sets() { printf '%s\n' "$@" | grep -v '^nice'; }

need_packages() {
    local missing
    get_packages "$@"
    # shellcheck disable=SC2046    # words
    mapfile -t missing < <(missing_packages $(required_sets "$@"))
    [ ${#missing[@]} = 0 ] || die "$(advice "${missing[@]}")"
}

# What to do about packages that are not there, in one line.
advice() {
    if command -v apt-get >/dev/null; then
        echo "missing packages, and no way to install them from here: apt-get install $*"
    else
        echo "missing commands and headers: $(asked_by_proofs "$@")(packages for other systems:" \
            "doc/guides/first_program.md#build-by-hand)"
    fi
}
