# SPDX-License-Identifier: BSD-3-Clause
"""Open MPI beside the builds of MPICH."""
import shutil
import subprocess

from runs import Build


class OpenMPI(Build):
    """Debian's package.  It binds to cores, and refuses root and more ranks than cores, unless
    told.  Where memory or time is short, it does not start many ranks."""

    may_fail = True

    def __init__(self, program):
        super().__init__("openmpi", "/usr", program)
        self.mpicc = ["mpicc.openmpi"]
        self.mpiexec = ["mpiexec.openmpi", "--allow-run-as-root", "--oversubscribe"]

    @staticmethod
    def present():
        """Are both commands there, and the header?"""
        if not shutil.which("mpicc.openmpi") or not shutil.which("mpiexec.openmpi"):
            return False
        command = ["mpicc.openmpi", "-E", "-include", "mpi.h", "-x", "c", "/dev/null"]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
