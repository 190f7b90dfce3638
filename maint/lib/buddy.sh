#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: maint/lib/buddy.sh
#
# Unpacks what libmpi needs of BuDDy into .cache/buddy/: four sources and their headers as they are,
# its README with the licence, and the config.h that its own configure would write.
# rep/bdd_package.cpp includes them.
set -euo pipefail
. "$(dirname "$0")/common.sh"

DIR=$CACHE/buddy
WANT=$(pin buddy sha256)
tarball=$("$ROOT/maint/fetch" --print buddy)
[ "$(cat "$DIR.hash" 2>/dev/null)" != "$WANT" ] || [ ! -f "$DIR/config.h" ] || exit 0
VERSION=$(pin buddy version)
PART=$(mktemp -d "$CACHE/buddy.XXXXXX")
tar -xf "$tarball" -C "$PART" --strip-components=1 --no-same-owner
mkdir "$PART/part"
mv "$PART"/README "$PART"/src/{kernel,bddop,cache,prime}.c "$PART"/src/{bdd,kernel,cache,prime}.h \
    "$PART/part/"
printf '#define %s\n' "PACKAGE_VERSION \"$VERSION\"" "MAJOR_VERSION ${VERSION%.*}" \
    "MINOR_VERSION ${VERSION#*.}" >"$PART/part/config.h"
rm -rf "$DIR"
mv "$PART/part" "$DIR"
rm -rf "$PART"
echo "$WANT" >"$DIR.hash"
