#!/usr/bin/python3
"""What each inner solver and tolerance rule costs inside I-PDS, on one small problem a set.

    inner_solvers_by_set.py PROGRAM [SET]...        PROGRAM: the built slidemesh

Prints a row a set, solver and rule: linear-oracle calls, the relative gap at the end, seconds (limited), steps done.
"""

import json
import os
import subprocess
import sys
import tempfile

SECONDS = 10
STEPS = 60
MATRIX = '[problem]\nloss = "matrix-completion"\nset = { kind = "nuclear-ball", radius = 40.0 }\n[data]\nmatrix_rows = 20\nmatrix_columns = 30\nrank = 2\nrows = 300\n'


def least_squares(keys, features):
    return f'[problem]\nloss = "least-squares"\nset = {{ {keys} }}\n[data]\nrows = 600\nfeatures = {features}\n'


PROBLEMS = {
    "l1-ball": least_squares('kind = "l1-ball", radius = 1.0', 36),
    "simplex": least_squares('kind = "simplex"', 36),
    "birkhoff": least_squares('kind = "birkhoff"', 36),
    "nuclear-ball": MATRIX,
}
SOLVERS = [
    ("projection", "1e-3"),
    ("bpcg", "1e-3"),
    ("bpcg", "1e-5"),
    ("bpcg", '"target"'),
    ("bpcg", '"adaptive"'),
    ("lazy", "1e-3"),
    ("cgs", "1e-3"),
    ("cgs", '"adaptive"'),
]


def config(problem, inner, tolerance):
    return (
        "threads = 1\n" + problem + '[network]\ngraph = "ring"\nnodes = 6\n'
        f"[stop]\ntarget_gap = 1e-4\ntime_limit_seconds = {SECONDS}\n[output]\nevery = {STEPS}\n"
        f'[[method]]\nname = "ipds"\nouter_steps = {STEPS}\ngossip = "sqrt-laplacian"\nprofile = "deterministic"\n'
        f'output = "last"\ninner = "{inner}"\ntolerance = {tolerance}\n'
    )


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    print(f"{'set':14} {'inner':12} {'tolerance':12} {'oracle calls':>13} {'relative gap':>13} {'seconds':>8} {'steps':>6}")
    for name in sys.argv[2:] or PROBLEMS:
        for inner, tolerance in SOLVERS:
            with tempfile.TemporaryDirectory() as directory:
                path = os.path.join(directory, "c.toml")
                with open(path, "w") as file:
                    file.write(config(PROBLEMS[name], inner, tolerance))
                out = os.path.join(directory, "out")
                subprocess.run([sys.argv[1], "run", path, "--quiet", "--out", out], check=False)
                with open(os.path.join(out, "summary.json")) as file:
                    run = json.load(file)["runs"][0]
            gap = run["gap_at_average"] / (run["objective_at_start"] - run["reference_optimum"])
            print(
                f"{name:14} {inner:12} {tolerance:12} {run['linear_oracle_calls']:13} {gap:13.2e}"
                f" {run['seconds']:8.2f} {run['outer_steps']:6}",
                flush=True,
            )


if __name__ == "__main__":
    main()
