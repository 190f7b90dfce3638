# SPDX-License-Identifier: BSD-3-Clause
"""Builds on several hosts (maint/hosts, which needs root)."""
import contextlib
import os
import subprocess
import sys

from runs import ROOT

HOSTS = ROOT / "maint" / "hosts"


def may_start(who):
    """Root may; others read why there are no hosts."""
    if os.geteuid():
        print(f"{who}: no root, no hosts", file=sys.stderr)
    return os.geteuid() == 0


@contextlib.contextmanager
def hosts_up(count, delay=0):
    """So many hosts for the time of the block; `delay`: microseconds from host to host."""
    subprocess.run([HOSTS, "up", str(count), f"--delay={delay}"], check=True)
    try:
        yield
    finally:
        subprocess.run([HOSTS, "down"], check=True)


def on_hosts(build):
    """The same build over the hosts that are up."""
    other = build.with_env({})
    which = f"--prefix={build.prefix}"
    if build.name == "openmpi":
        which = "--openmpi" if build.is_debians else f"--openmpi={build.prefix}"
    other.mpiexec = [HOSTS, "run", which]
    return other
