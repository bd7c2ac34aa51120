"""Nodes with sets of their own, spread over ranks: the answer is that of one process, optimal over the intersection, and certified.

usage: private_sets.py SLIDEMESH
"""

import json
import sys
import tempfile
from pathlib import Path

from support import check, mpirun, results, run

slidemesh = sys.argv[1]
EQUAL = 1e-8
METHODS = ("newton-sliding", "ipds-restarted", "ipds-vr")
WITHOUT_CERTIFICATE = ("pg-extra", "nids", "dadmm", "dlm", "dqm", "dcs", "sdcs", "dcgs")
COMMON = """
seed = 4
[data]
rows = 200
features = 6
[network]
graph = "ring"
nodes = 4
"""
CERTIFIED = """
[stop]
certified_gap = 1e-9
certified_gap_measure = "absolute"
target_infeasibility = 1e-9
"""
BALL = 'kind = "l1-ball", radius = 2.0'
BOX = "lower = -0.4, upper = 0.4"
OF_ONE = f'[problem]\nset = {{ {BALL} }}\n[[node]]\nnodes = "2"\nset = {{ kind = "box", {BOX} }}\n'
OF_ALL = f'[problem]\nset = {{ kind = "box-intersection", {BOX}, of = [{{ {BALL} }}] }}\n'


def runs(directory):
    return json.loads((directory / "summary.json").read_text())["runs"]


with tempfile.TemporaryDirectory() as scratch:
    scratch = Path(scratch)
    own = COMMON + CERTIFIED + OF_ONE + "".join(f'[[method]]\nname = "{method}"\n' for method in METHODS)
    (scratch / "own.toml").write_text(own)
    (scratch / "pooled.toml").write_text(COMMON + CERTIFIED + OF_ALL + '[[method]]\nname = "centralized-fista"\n')
    run([slidemesh, "run", scratch / "pooled.toml", "--quiet", "--out", scratch / "pooled"])
    best = runs(scratch / "pooled")[0]["objective_at_average"]
    run([slidemesh, "run", scratch / "own.toml", "--quiet", "--out", scratch / "alone"])
    run(mpirun(4, slidemesh, "run", scratch / "own.toml", "--quiet", "--out", scratch / "ranks"))
    check(results(scratch / "ranks") == results(scratch / "alone"), "4 ranks: expected the in-process results, got others")
    models = json.loads((scratch / "ranks" / "model.json").read_text())["models"]
    for got, model in zip(runs(scratch / "ranks"), models, strict=True):
        x = model["parameters"]
        check(got["status"] == "target_reached", f"{got['label']}: expected the certified gap, got {got['status']}")
        check(abs(got["objective_at_average"] - best) <= EQUAL, f"{got['label']}: expected F = {best}, got {got['objective_at_average']}")
        check(got["infeasibility"] <= EQUAL, f"{got['label']}: expected a point of every set, got {got['infeasibility']} outside")
        check(max(map(abs, x)) <= 0.4 + EQUAL and sum(map(abs, x)) <= 2.0 + EQUAL, f"{got['label']}: outside: {x}")
        check(max(map(abs, x)) >= 0.4 - 1e-6, f"{got['label']}: expected the box to matter, got {x}")
    some_steps = "".join(f'[[method]]\nname = "{method}"\nouter_steps = 12\n' for method in WITHOUT_CERTIFICATE)
    (scratch / "steps.toml").write_text(COMMON + OF_ONE + some_steps)
    run([slidemesh, "run", scratch / "steps.toml", "--quiet", "--out", scratch / "steps-alone"])
    for ranks in (2, 4):
        run(mpirun(ranks, slidemesh, "run", scratch / "steps.toml", "--quiet", "--out", scratch / f"steps-{ranks}"))
        check(results(scratch / f"steps-{ranks}") == results(scratch / "steps-alone"), f"{ranks} ranks: expected the in-process results of baselines, got others")
    print("sets stay where they are")
