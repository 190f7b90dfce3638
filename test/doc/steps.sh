# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# shellcheck disable=SC2317    # functions are called by name
# Steps of the section "doc" of maint/check.  Needs common.sh and variant.sh.

# The names of the functions of the installed afapi.h.
afapi_functions() {
    gcc -E "$PREFIX/include/afapi.h" | grep -oE '\<p_[A-Za-z0-9]+ *\(' | tr -d ' (' | sort -u
}

# Are the pages of doc/man installed, and can man show each without a warning?
pages_are_installed() {
    local page path said
    for page in "$ROOT"/doc/man/man*/*; do
        path=$PREFIX/share/man/${page#"$ROOT"/doc/man/}
        cmp "$page" "$path" || return 1
        said=$(LC_ALL=C.UTF-8 man --warnings -l "$path" 2>&1 >"$OUT/man.txt")
        [ -z "$said" ] || { echo "$path: $said"; return 1; }
        grep -q '^NAME$' "$OUT/man.txt" && grep -q '^DESCRIPTION$' "$OUT/man.txt" ||
            { echo "$path has no text"; return 1; }
    done
}

# Has each function of afapi.h a page, which names it, or for a type the function without the type?
functions_have_pages() {
    local name plain count=0
    for name in $(afapi_functions); do
        man -P cat -M "$PREFIX/share/man" 3 "$name" >"$OUT/man.txt" 2>/dev/null ||
            { echo "$name has no page"; return 1; }
        plain=$(sed -E 's/(8|16|32|64)[uf]?$/T/' <<<"$name")
        grep -qE "\<$plain\>" "$OUT/man.txt" || { echo "the page of $name does not name $plain";
            return 1; }
        count=$((count + 1))
    done
    echo "$count functions"
    [ "$count" -gt 200 ]
}
