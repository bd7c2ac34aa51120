#!/usr/bin/python3
"""Times slidemesh's oracles and projections beside what one would otherwise call, on the same numbers.

    oracles_reference.py PROGRAM        PROGRAM: the built slidemesh_oracles

Prints one row an oracle: its milliseconds, the alternative's, and how many times faster it is (least of several runs
each, in this one process tree, a single thread). Wants NumPy and SciPy; POT (python3-pot) for the transport row.
"""

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.sparse.linalg import svds

try:
    import ot
except ImportError:
    ot = None


def least_time(runs, ask):
    best = float("inf")
    for _ in range(runs):
        begin = time.perf_counter()
        answer = ask()
        best = min(best, time.perf_counter() - begin)
    return 1e3 * best, answer


def simplex_by_sorting(x, total):
    u = np.sort(x)[::-1]
    excess = np.cumsum(u) - total
    k = np.nonzero(u * np.arange(1, len(u) + 1) > excess)[0][-1]
    return np.maximum(x - excess[k] / (k + 1.0), 0.0)


def l1_by_sorting(x, radius):
    if np.abs(x).sum() <= radius:
        return x
    return np.sign(x) * simplex_by_sorting(np.abs(x), radius)


def leading_pair(g, radius, tol):
    u, _, vt = svds(g, k=1, tol=tol)
    return -radius * u @ vt


def inputs(random):
    points = random.random((2, 500, 3))
    distances = np.linalg.norm(points[0][:, None] - points[1][None, :], axis=2)
    supply = random.random(300)
    demand = random.random(300)
    places = random.random((2, 300, 2))
    return {
        "million": random.standard_normal(10**6),
        "nuclear": random.standard_normal((943, 1682)),
        "nuclear_low_rank": random.standard_normal((943, 5)) @ random.standard_normal((5, 1682))
        + 0.1 * random.standard_normal((943, 1682)),
        "birkhoff": random.random((500, 500)),
        "birkhoff_distances": distances,
        "transport": ((places[0][:, None] - places[1][None, :]) ** 2).sum(axis=2),
        "supply": supply / supply.sum(),
        "demand": demand / demand.sum(),
    }


def alternatives(data):
    def assignment(costs):
        rows, columns = linear_sum_assignment(costs)
        plan = np.zeros_like(costs)
        plan[rows, columns] = 1.0
        return plan

    rows = {
        "l1-projection": ("NumPy, sorting", 5, data["million"], lambda: l1_by_sorting(data["million"], 100.0)),
        "simplex-projection": ("NumPy, sorting", 5, data["million"], lambda: simplex_by_sorting(data["million"], 1.0)),
        "nuclear-943x1682": ("scipy svds, tol 1e-9", 3, data["nuclear"], lambda: leading_pair(data["nuclear"], 1.0, 1e-9)),
        "nuclear-low-rank": (
            "scipy svds, tol 1e-9",
            3,
            data["nuclear_low_rank"],
            lambda: leading_pair(data["nuclear_low_rank"], 1.0, 1e-9),
        ),
        "birkhoff-500": ("scipy assignment", 5, data["birkhoff"], lambda: assignment(data["birkhoff"])),
        "birkhoff-distances": (
            "scipy assignment",
            5,
            data["birkhoff_distances"],
            lambda: assignment(data["birkhoff_distances"]),
        ),
    }
    if ot is not None:
        rows["transport-300x300"] = (
            "POT emd",
            3,
            data["transport"],
            lambda: ot.emd(data["supply"], data["demand"], data["transport"], numItermax=10**7),
        )
    return rows


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    warnings.simplefilter("ignore")
    data = inputs(np.random.default_rng(1))
    with tempfile.TemporaryDirectory() as directory:
        for name, values in data.items():
            values.ravel(order="F").tofile(os.path.join(directory, name + ".bin"))
        environment = dict(os.environ, OMP_NUM_THREADS="1")
        output = subprocess.run([sys.argv[1], directory], check=True, capture_output=True, text=True, env=environment)
    ours = {}
    for line in output.stdout.splitlines():
        name, milliseconds, value = line.split()
        ours[name] = (float(milliseconds), float(value))
    print(f"{'oracle':22} {'slidemesh ms':>13} {'other ms':>10} {'ratio':>8}  {'value differs':>13}  other")
    for name, (other, runs, g, ask) in alternatives(data).items():
        milliseconds, answer = least_time(runs, ask)
        value = float((g * answer).sum())
        difference = abs(value - ours[name][1]) / max(1.0, abs(value))
        print(
            f"{name:22} {ours[name][0]:13.3f} {milliseconds:10.3f} {milliseconds / ours[name][0]:8.2f}"
            f"  {difference:13.1e}  {other}"
        )


if __name__ == "__main__":
    main()
