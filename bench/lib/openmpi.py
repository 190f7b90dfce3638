# SPDX-License-Identifier: BSD-3-Clause
"""Open MPI beside the builds of MPICH."""
import shutil

from runs import Build


class OpenMPI(Build):
    """Debian's package.  It binds to cores, and refuses root and more ranks than cores, unless
    told."""

    def __init__(self, program):
        super().__init__("openmpi", "/usr", program)
        self.mpicc = ["mpicc.openmpi"]
        self.mpiexec = ["mpiexec.openmpi", "--allow-run-as-root", "--oversubscribe"]

    @staticmethod
    def present():
        return shutil.which("mpicc.openmpi") and shutil.which("mpiexec.openmpi")
