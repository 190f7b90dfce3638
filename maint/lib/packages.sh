# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# need_packages SET...: makes sure that the Debian packages of the sets in maint/packages.txt are there.

# Packages of the given sets whose command or file is missing.
missing_packages() {
    local set package proof
    while read -r set package proof; do
        case " $* " in *" $set "*) ;; *) continue ;; esac
        case $proof in
        /*) compgen -G "$proof" >/dev/null || echo "$package" ;;
        *) command -v "$proof" >/dev/null || echo "$package" ;;
        esac
    done < <(grep -v '^#' "$ROOT/maint/packages.txt") | sort -u
}

install_packages() {
    export DEBIAN_FRONTEND=noninteractive
    as_root apt-get -y -q install --no-install-recommends "$@" && return
    as_root apt-get -q update
    as_root apt-get -y -q install --no-install-recommends "$@"
}

need_packages() {
    local missing
    mapfile -t missing < <(missing_packages "$@" nice)
    if [ ${#missing[@]} -gt 0 ] && command -v apt-get >/dev/null && can_root; then
        step "install ${#missing[@]} packages" "$LOGS/packages.log" "apt-get update && apt-get install ${missing[*]}" \
            install_packages "${missing[@]}" || true
    fi
    mapfile -t missing < <(missing_packages "$@")
    [ ${#missing[@]} = 0 ] || die "missing packages, and no way to install them from here: apt-get install ${missing[*]}"
}
