#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: spack_recipe.py

Loads the Spack recipe with stand-ins for Spack: its directives are called as Spack's are, the
pinned sources are those of upstream.ini, and maint/build takes the options of each variant."""
import importlib.util
import subprocess
import sys
import types
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RECIPE = ROOT / "packaging/spack/spack_repo/mpich_cmap/packages/mpich_cmap/package.py"
calls = []


def directive(name):
    return lambda *args, **named: calls.append((name, args, named))


def module(name, **members):
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(members)


class PackageBase:
    def __init__(self, spec, prefix):
        self.spec, self.prefix = spec, prefix


class Environment:
    def setup_build_environment(self, env):
        pass


class Spec(dict):
    def __init__(self, *satisfied):
        super().__init__({name: types.SimpleNamespace(prefix="/usr") for name in ("hwloc", "ucx")})
        self.satisfied = satisfied

    def satisfies(self, words):
        return words in self.satisfied


names = ("license", "version", "variant", "provides", "resource", "depends_on")
module("spack")
module("spack.package", **{name: directive(name) for name in names}, Executable=None)
module("spack_repo.builtin.build_systems.generic", Package=PackageBase)
module("spack_repo.builtin.packages.mpich.package", MpichEnvironmentModifications=Environment)
for parent in ("", ".builtin", ".builtin.build_systems", ".builtin.packages"):
    module("spack_repo" + parent)

loaded = importlib.util.spec_from_file_location("recipe", RECIPE)
recipe = importlib.util.module_from_spec(loaded)
loaded.loader.exec_module(recipe)

assert recipe.MpichCmap.git == ROOT.as_uri(), recipe.MpichCmap.git
assert ("provides", ("mpi@:4.0",), {}) in calls
resources = {named["name"]: named for name, args, named in calls if name == "resource"}
assert set(resources) == {"mpich", "buddy"}, resources
pins = (ROOT / "upstream.ini").read_text()
for one in resources.values():
    assert one["sha256"] in pins and one["url"].rpartition("/")[2] in pins, one

for satisfied in (("netmod=ucx",), ("netmod=ucx", "~fortran"), ("netmod=ofi",)):
    package = recipe.MpichCmap(Spec(*satisfied), "/opt/nothing")
    options = package.build_options()
    subprocess.run(
        [ROOT / "maint/build", *options, "--help"], check=True, stdout=subprocess.DEVNULL
    )
    print(*satisfied, "->", *options)
