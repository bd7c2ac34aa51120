"""Nodes with losses of their own, spread over ranks: one has none but least squares, and must know that others' models are not exact.

usage: own_losses.py SLIDEMESH
"""

import sys
import tempfile
from pathlib import Path

from support import check, mpirun, results, run

slidemesh = sys.argv[1]
CONFIG = """
[problem]
loss = "least-squares"
set = { kind = "l1-ball", radius = 2.0 }
[data]
kind = "regression"
rows = 200
features = 6
[network]
graph = "ring"
nodes = 4
[stop]
certified_gap = 1e-6
[[node]]
nodes = [2, 3]
loss = "huber"
[[method]]
name = "newton-sliding"
[[method]]
name = "newton-sliding"
label = "sums"
share = "models"
[[method]]
name = "ipds-vr"
[[method]]
name = "ipds-restarted"
"""

with tempfile.TemporaryDirectory() as scratch:
    scratch = Path(scratch)
    (scratch / "own.toml").write_text(CONFIG)
    run([slidemesh, "run", scratch / "own.toml", "--quiet", "--out", scratch / "alone"])
    for ranks in (2, 4):
        run(mpirun(ranks, slidemesh, "run", scratch / "own.toml", "--quiet", "--out", scratch / f"ranks-{ranks}"))
        check(results(scratch / f"ranks-{ranks}") == results(scratch / "alone"), f"{ranks} ranks: expected the in-process results, got others")
    print("losses stay where they are")
