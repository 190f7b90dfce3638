# SPDX-License-Identifier: BSD-3-Clause
"""Programs that run as one rank of worlds of many sizes (mpirank1), and plots against the size
of the world."""
import os
import shutil
import subprocess
import sys

# Stock makes an endpoint for each rank at start-up.  Through shared memory these would be as many
# mappings, which Linux gives a process 65,530 of; ranks on other nodes are reached over the network
# anyway.  Ours gets the same, so that both begin alike.
NETWORK = {"UCX_TLS": "tcp,self"}


def run_alone(build, tool, ranks, arguments, options=(), timeout=1800):
    """The words of each line that a program prints as a rank of a world: ours with 16 ranks a
    node, stock with one."""
    how = ["--ranks-per-node", "16"] if build.name == "patched" else ["--same-address"]
    done = subprocess.run(
        [tool, "--world", str(ranks), *how, *options, build.program, *arguments],
        text=True,
        capture_output=True,
        timeout=timeout,
        env={**os.environ, **NETWORK, **build.env},
    )
    if done.returncode:
        raise SystemExit(
            f"{build.source.stem}: {build.name} as one of {ranks} ranks failed:\n{done.stdout}{done.stderr}"
        )
    return [line.split() for line in done.stdout.splitlines()]


def plot(path, panels, doc=None):
    """An SVG with a panel for each (label, {(build, case): [(ranks, value)]}), both axes
    logarithmic; and a copy of it in the folder doc."""
    try:
        from plots import plt, save
    except ImportError:
        print(f"no {path.name} without python3-matplotlib", file=sys.stderr)
        return
    figure, axes = plt.subplots(1, len(panels), figsize=(4.6 * len(panels), 3.8), squeeze=False)
    cases = sorted({case for _, lines in panels for _, case in lines})
    colour_of = {
        case: f"C{k}" if len(cases) <= 10 else plt.get_cmap("tab20")(k % 20)
        for k, case in enumerate(cases)
    }
    for axis, (label, lines) in zip(axes[0], panels):
        for (build, case), points in sorted(lines.items()):
            shown = [(ranks, value) for ranks, value in sorted(points) if value > 0]
            if shown:
                axis.plot(
                    *zip(*shown),
                    marker=".",
                    linestyle="-" if build == "patched" else "--",
                    color=colour_of[case],
                    label=f"{case}, {build}",
                )
        axis.set_xscale("log", base=2)
        axis.set(yscale="log", xlabel="ranks of the world", ylabel=label)
    handles = {
        label: handle
        for axis in axes[0]
        for handle, label in zip(*axis.get_legend_handles_labels())
    }
    axes[0][-1].legend(
        handles.values(),
        handles.keys(),
        fontsize="x-small",
        loc="center left",
        bbox_to_anchor=(1, 0.5),
    )
    save(figure, path)
    if doc:
        shutil.copy(path, doc)
