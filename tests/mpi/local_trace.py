"""trace = "local": every rank writes its own trace, and the method's steps and costs are the same as ever.

usage: local_trace.py SLIDEMESH
"""

import json
import sys
import tempfile
from pathlib import Path

from support import CONFIG, check, error_lines, mpirun, results, run

slidemesh = sys.argv[1]
RANKS = 5


def model_of(directory):
    """All of model.json but F(x̄) and what follows from it: a rank that measures its own nodes alone does not know it."""
    document = json.loads((directory / "model.json").read_text())
    for model in document["models"]:
        model.pop("objective", None)
        model.pop("certified_gap", None)
    return document


with tempfile.TemporaryDirectory() as scratch:
    alone, spread = Path(scratch) / "alone", Path(scratch) / "spread"
    common = ["run", CONFIG, "--quiet", "--set", "output.reference=false"]
    run([slidemesh, *common, "--set", 'output.trace="global"', "--out", alone])
    run(mpirun(RANKS, slidemesh, *common, "--set", 'output.trace="local"', "--out", spread))
    _, expected, summary = results(alone)
    parts = [results(spread / f"rank-{rank}") for rank in range(RANKS)]
    for place, record in enumerate(expected):
        for key in ("data_oracle_calls", "linear_oracle_calls", "messages", "bytes_sent"):
            total = sum(part[1][place][key] for part in parts)
            check(total == record[key], f"record {place}: expected the ranks' {key} to add up to {record[key]}, got {total}")
        stacked = sum(part[1][place]["objective_stacked"] for part in parts)
        check(abs(stacked - record["objective_stacked"]) <= 1e-12 * abs(stacked), f"record {place}: objective_stacked")

    # Stopped everywhere at the same step, and resumed: as if nothing had been.
    config, text = Path(scratch) / "long.toml", CONFIG.read_text()
    config.write_text(text[:text.index("[[method]]")] + '[[method]]\nname = "defw"\nouter_steps = 3000\n'
                      '[output]\ntrace = "local"\nevery = 500\ncheckpoint_every = 50\n')
    long = ["run", config, "--quiet"]
    whole, parted = Path(scratch) / "whole", Path(scratch) / "parted"
    run(mpirun(3, slidemesh, *long, "--out", whole))
    run(mpirun(3, slidemesh, *long, "--out", parted, "--set", "stop.time_limit_seconds=0.05"), expect=4)
    stopped = [json.loads((parted / f"rank-{rank}" / "summary.json").read_text())["runs"][0] for rank in range(3)]
    check({run["status"] for run in stopped} == {"time_limit"}, f"expected every rank at its limit, got {stopped}")
    check(len({run["outer_steps"] for run in stopped}) == 1, f"expected one step for all ranks, got {stopped}")
    run(mpirun(3, slidemesh, *long, "--out", parted, "--resume"))
    for rank in range(3):
        check(results(parted / f"rank-{rank}") == results(whole / f"rank-{rank}"), f"rank {rank}: expected the undisturbed results")

    # A pass is measured by the rows whose gradients are counted.
    for place, run_alone in enumerate(summary):
        rows = [part[2][place]["rows"] for part in parts]
        check(sum(rows) == run_alone["rows"], f"expected the ranks' rows to add up to {run_alone['rows']}, got {rows}")

    # A method with a centre has one, whatever is traced: every rank ends with the model of the run in one process.
    method = ["--set", "network.nodes=4", "--set", 'output.reference=false', "--set", "output.every=5"]
    centred = Path(scratch) / "centred.toml"
    for name in ("centralized-fw", "centralized-cgs", "centralized-fista"):
        centred.write_text(text[:text.index("[[method]]")] + f'[[method]]\nname = "{name}"\nouter_steps = 20\n')
        run([slidemesh, "run", centred, "--quiet", *method, "--out", Path(scratch) / f"{name}-alone"])
        run(mpirun(4, slidemesh, "run", centred, "--quiet", *method, "--set", 'output.trace="local"', "--out", Path(scratch) / name))
        model = model_of(Path(scratch) / f"{name}-alone")
        for rank in range(4):
            here = model_of(Path(scratch) / name / f"rank-{rank}")
            check(here == model, f"{name}: rank {rank}: expected the model of the run in one process, got another")

    # A certificate is a sum that neighbours can agree on: the same stop and the same gap as with a centre.
    certified = Path(scratch) / "certified.toml"
    certified.write_text(text[:text.index("[[method]]")] + '[[method]]\nname = "ipds-restarted"\nouter_steps = 400\n'
                         '[stop]\ncertified_gap = 1e-3\n[output]\nreference = false\n')
    run([slidemesh, "run", certified, "--quiet", "--out", Path(scratch) / "certified-alone"])
    run(mpirun(5, slidemesh, "run", certified, "--quiet", "--set", 'output.trace="local"', "--out", Path(scratch) / "certified"))
    [expected_run] = results(Path(scratch) / "certified-alone")[2]
    check(expected_run["status"] == "target_reached", f"expected a certified run, got {expected_run['status']}")
    for rank in range(5):
        _, records, [got] = results(Path(scratch) / "certified" / f"rank-{rank}")
        check(got["status"] == "target_reached" and got["outer_steps"] == expected_run["outer_steps"],
              f"rank {rank}: expected {expected_run['outer_steps']} steps to the target, got {got['outer_steps']} and {got['status']}")
        for key in ("lower_bound", "certified_gap"):
            off = abs(got[key] - expected_run[key])
            check(off <= 1e-12 * abs(expected_run["lower_bound"]), f"rank {rank}: {key}: expected {expected_run[key]}, got {got[key]}")
        bounds = [record["lower_bound"] for record in records if record["lower_bound"] is not None]
        gaps = [record["certified_gap"] for record in records if record["certified_gap"] is not None]
        check(min(gaps) >= 0.0, f"rank {rank}: expected no negative certified gap, got {min(gaps)}")
        check(bounds == sorted(bounds), f"rank {rank}: expected a bound that rises, got {bounds}")

    # So is what was spent of a budget.
    budget = ["--set", "stop.data_oracle_calls=2000"]
    run([slidemesh, *common, *budget, "--out", Path(scratch) / "budget-alone"], expect=4)
    run(mpirun(3, slidemesh, *common, *budget, "--set", 'output.trace="local"', "--out", Path(scratch) / "budget"), expect=4)
    steps = [run["outer_steps"] for run in results(Path(scratch) / "budget-alone")[2]]
    for rank in range(3):
        here = [run["outer_steps"] for run in results(Path(scratch) / "budget" / f"rank-{rank}")[2]]
        check(here == steps, f"rank {rank}: expected the budget to end the runs after {steps} steps, got {here}")

    # What needs a centre is refused, in one line.
    for key, value, why in (("stop.target_gap", "0.1", "gaps"),):
        done = run(mpirun(2, slidemesh, *common, "--set", 'output.trace="local"', "--set", f"{key}={value}", "--out", Path(scratch) / "no"),
                   expect=2)
        said = error_lines(done.stderr)
        check(len(said) == 1 and "output.trace" in said[0] and why in said[0], f"{key}: expected one line, got {done.stderr}")
    done = run(mpirun(2, slidemesh, *common[:-1], "output.reference=true", "--set", 'output.trace="local"', "--out", alone), expect=2)
    check(len(error_lines(done.stderr)) == 1, f"expected one line, got {done.stderr}")
    print(f"{len(expected)} records of {RANKS} ranks add up")
