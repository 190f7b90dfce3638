# SPDX-License-Identifier: BSD-3-Clause
"""Builds the repository that this file is in: maint/fetch, which puts the sources into .cache, spack
repo add packaging/spack/spack_repo/mpich_cmap, then spack install mpich-cmap.  CMAP_SOURCES names
another folder or URL that has the sources of upstream.ini."""
import configparser
import os
from pathlib import Path

from spack_repo.builtin.build_systems.generic import Package
from spack_repo.builtin.packages.mpich.package import MpichEnvironmentModifications

from spack.package import *

REPOSITORY = Path(__file__).resolve().parents[6]
SOURCES = os.environ.get("CMAP_SOURCES") or (REPOSITORY / ".cache").as_uri()


def pinned():
    """What is fetched, and its hashes."""
    pins = configparser.ConfigParser()
    pins.read(REPOSITORY / "upstream.ini")
    return pins


class MpichCmap(MpichEnvironmentModifications, Package):
    """MPICH 4.0.2 (CH4) in which each communicator and group holds a compressed map from rank to
    process instead of a list of its members."""

    git = REPOSITORY.as_uri()

    license("BSD-3-Clause AND mpich2")

    version("main", branch="main", preferred=True)

    variant("fortran", default=True, description="Fortran bindings")
    variant("netmod", default="ucx", values=("ucx", "ofi"), multi=False, description="network")

    provides("mpi@:4.0")

    for source in ("mpich", "buddy"):
        file = pinned()[source]["file"]
        resource(
            name=source,
            url=f"{SOURCES}/{file}",
            sha256=pinned()[source]["sha256"],
            expand=False,
            placement=f"source-{source}",
        )

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    for tool in ("autoconf", "automake", "libtool", "git", "gmake", "perl", "python", "xz"):
        depends_on(tool, type="build")
    depends_on("hwloc@2:")
    depends_on("bzip2")
    depends_on("ucx@1.10:", when="netmod=ucx")
    depends_on("libfabric", when="netmod=ofi")

    def build_options(self):
        """Of maint/build."""
        options = [f"--prefix={self.prefix}", f"--with-hwloc={self.spec['hwloc'].prefix}"]
        if self.spec.satisfies("netmod=ucx"):
            options.append(f"--with-ucx={self.spec['ucx'].prefix}")
        else:
            options.append("--netmod=ofi")
        if self.spec.satisfies("~fortran"):
            options.append("--without-fortran")
        return options

    def setup_build_environment(self, env):
        super().setup_build_environment(env)
        for source in ("mpich", "buddy"):
            file = pinned()[source]["file"]
            env.set(
                f"{source.upper()}_TARBALL",
                os.path.join(self.stage.source_path, f"source-{source}", file),
            )

    def install(self, spec, prefix):
        Executable("maint/build")(*self.build_options())
