# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# shellcheck disable=SC2317    # functions are called by name
# Section "package" of maint/check: images by packaging/Dockerfile, with the packages that
# maint/package has made.  Docker builds them if its daemon answers.  Otherwise buildah does, which
# needs no daemon, on a Debian root of mmdebstrap.  Needs common.sh and fresh.sh.

IMAGES=${OUT-}/images           # buildah's store; gone at the end
IMAGE=localhost/mpich-cmap-check

has_docker() { docker info >/dev/null 2>&1; }

# why_no_images FILE: why no image can be built here; nothing when one can.
why_no_images() {
    {
        if has_docker; then
            :
        elif ! command -v buildah >/dev/null; then
            echo "needs docker with its daemon, or buildah"
        else
            no_fresh_root
        fi
    } >"$1"
}

store() { buildah --root "$IMAGES/store" --runroot "$IMAGES/run" "$@"; }

# base_image: localhost/debian, as debian:12-slim is.
base_image() {
    local container
    mkdir -p "$IMAGES"
    debian_sources | mmdebstrap --variant=apt --dpkgopt=force-unsafe-io --include=ca-certificates \
        "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$IMAGES/debian.tar" - || return
    container=$(store from scratch)
    store add -q "$container" "$IMAGES/debian.tar" /
    store commit -q --rm "$container" localhost/debian
    rm "$IMAGES/debian.tar"
}

# build_image TAG [OPTION]...
build_image() {
    local tag=$1 file=$ROOT/packaging/Dockerfile
    shift
    set -- --file "$file" --build-arg PACKAGES=ready --tag "$IMAGE-$tag" "$@"
    if has_docker; then
        docker build "$@" "$ROOT"
    else
        store build --isolation chroot --layers --pull-never --build-arg DEBIAN=localhost/debian \
            --ignorefile "$file.dockerignore" "$@" "$ROOT"
    fi
}

# in_image TAG COMMAND...
in_image() {
    local tag=$1 container status=0
    shift
    if has_docker; then
        docker run --rm "$IMAGE-$tag" "$@"
    else
        container=$(store from --pull-never "$IMAGE-$tag")
        store run --isolation chroot "$container" -- "$@" || status=$?
        store rm "$container" >/dev/null
        return $status
    fi
}

# The last step of the Dockerfile is a job of four processes.
image_is_built() {
    has_docker || base_image
    build_image run
}

image_has_what_runs() {
    local said
    said=$(in_image run sh -c 'id -un; mpichversion.mpich-cmap; command -v gcc mpicc || echo none')
    printf '%s\n' "$said"
    [ "$(head -n 1 <<<"$said")" = mpi ]
    grep -q 'compressed communicators' <<<"$said"
    [ "$(tail -n 1 <<<"$said")" = none ]
}

# As the image's user, in its folder.
image_compiles() {
    local said
    build_image dev --target dev
    # shellcheck disable=SC2016    # variables of the image
    said=$(in_image dev sh -c 'printf "%s\n" "program p" "use mpi_f08" "integer n" \
        "call MPI_Init()" "call MPI_Comm_size(MPI_COMM_WORLD, n)" "print *, n" \
        "call MPI_Finalize()" "end" >n.f90 && mpifort -o n n.f90 && mpiexec -n 4 ./n')
    printf '%s\n' "$said"
    [ "$(grep -cx ' *4' <<<"$said")" = 4 ]
}

no_images_left() {
    if has_docker; then
        docker image rm "$IMAGE-run" "$IMAGE-dev"
    else
        store rm --all && store rmi --all --force
        rm -rf --one-file-system "$IMAGES"
    fi
}
