# SPDX-License-Identifier: BSD-3-Clause
"""Open MPI beside the builds of MPICH."""
import os
import shutil
import subprocess
from pathlib import Path

from runs import ROOT, Build


def own_prefix():
    """Where maint/build --openmpi has put one, or the user says that one is; None where not."""
    prefix = Path(os.environ.get("OPENMPI_INSTALL", ROOT / "install-openmpi"))
    return prefix if (prefix / "bin" / "mpicc").is_file() else None


class OpenMPI(Build):
    """That of maint/build --openmpi where it is there, and Debian's package where not.  It binds to
    cores, and refuses root and more ranks than cores, unless told.  Where memory or time is short,
    it does not start many ranks."""

    may_fail = True

    def __init__(self, program, experiment=None):
        super().__init__("openmpi", own_prefix() or "/usr", program, experiment=experiment)
        if not own_prefix():
            self.mpicc, self.mpiexec = ["mpicc.openmpi"], ["mpiexec.openmpi"]
        self.mpiexec += ["--allow-run-as-root", "--oversubscribe"]

    @property
    def is_debians(self):
        """Version 4.1, or the one after 12's: its components have other names than those of 5."""
        return self.prefix == Path("/usr")

    @staticmethod
    def present():
        """Are both commands there, and the header?"""
        if own_prefix():
            return True
        if not shutil.which("mpicc.openmpi") or not shutil.which("mpiexec.openmpi"):
            return False
        command = ["mpicc.openmpi", "-E", "-include", "mpi.h", "-x", "c", "/dev/null"]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
