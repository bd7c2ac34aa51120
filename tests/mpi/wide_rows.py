"""`defw` on wide rows keeps what is not zero where one process has all nodes, and whole columns over MPI; `newton-sliding` that
favours data keeps sparse models: the same bits, the same meters, and either goes on from the other's checkpoint.

usage: wide_rows.py SLIDEMESH
"""

import random
import sys
import tempfile
from pathlib import Path

from support import check, mpirun, results, run

SLIDEMESH = sys.argv[1]
COLUMNS = 3000
ROWS = 240
NODES = 6
STOPPED = 4  # by a limit, the state saved

DEFW = 'name = "defw"\nouter_steps = 20'
NEWTON = 'name = "newton-sliding"\nfavour = "data"\nouter_steps = 100'

CONFIG = """
seed = 3
[problem]
loss = "logistic"
set = {set}
[data]
source = "libsvm"
path = "{path}"
features = {columns}
[network]
graph = "ring"
nodes = {nodes}
wire = "{wire}"
timeout_seconds = 20.0
[[method]]
{method}
[output]
every = 4
reference = false
"""


def write_rows(path):
    draw = random.Random(1)
    lines = []
    for _ in range(ROWS):
        columns = sorted({int(COLUMNS ** draw.random()) for _ in range(20)})
        numbers = {column: draw.gauss(0.0, 1.0) for column in columns}
        label = 1 if sum(value if column % 2 else -value for column, value in numbers.items()) > 0 else -1
        lines.append(f"{label} " + " ".join(f"{column}:{value:.6g}" for column, value in numbers.items()))
    path.write_text("\n".join(lines) + "\n")


with tempfile.TemporaryDirectory() as scratch:
    scratch = Path(scratch)
    write_rows(scratch / "rows.svm")
    for kind in ('{ kind = "l1-ball", radius = 5.0 }', '{ kind = "simplex", total = 5.0 }'):
        for wire, method, calls in (("float64", DEFW, 7 * ROWS), ("sparse", DEFW, 7 * ROWS), ("float64", NEWTON, 3 * ROWS // 2)):
            config = scratch / "config.toml"
            config.write_text(CONFIG.format(set=kind, path=scratch / "rows.svm", columns=COLUMNS, nodes=NODES, wire=wire,
                                            method=method))
            name = f"{kind}, {wire}, {method.splitlines()[0]}"
            command = [SLIDEMESH, "run", config, "--quiet"]
            alone = scratch / "alone"
            run([*command, "--overwrite", "--out", alone])
            expected = results(alone)
            for ranks in ("1", "2", "4"):
                out = scratch / f"{ranks}-ranks"
                run(mpirun(ranks, *command, "--overwrite", "--out", out))
                for what, here, there in zip(("model", "trace", "summary"), results(out), expected):
                    check(here == there, f"{name}, {ranks} ranks: expected the in-process {what}, got another")
            # Some steps in one form, and the rest in the other.
            for first, then in ((lambda c: c, lambda c: mpirun("2", *c)), (lambda c: mpirun("4", *c), lambda c: c)):
                out = scratch / "resumed"
                run(first([*command, "--overwrite", "--out", out, "--set", f"stop.data_oracle_calls={calls}"]), expect=STOPPED)
                run(then([*command, "--resume", "--out", out]))
                for what, here, there in zip(("model", "trace", "summary"), results(out), expected):
                    check(here == there, f"{name}, resumed: expected the {what} of an undisturbed run, got another")
            print(f"{name}: the same bits")
