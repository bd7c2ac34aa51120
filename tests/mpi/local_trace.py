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

with tempfile.TemporaryDirectory() as scratch:
    alone, spread = Path(scratch) / "alone", Path(scratch) / "spread"
    common = ["run", CONFIG, "--quiet", "--set", "output.reference=false"]
    run([slidemesh, *common, "--out", alone])
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

    # What needs a sum over all nodes is refused, in one line.
    for key, value, why in (("stop.target_gap", "0.1", "gaps"), ("stop.certified_gap", "0.1", "gaps"), ("data.budget", "1000", "data.budget")):
        done = run(mpirun(2, slidemesh, *common, "--set", 'output.trace="local"', "--set", f"{key}={value}", "--out", Path(scratch) / "no"),
                   expect=2)
        said = error_lines(done.stderr)
        check(len(said) == 1 and "output.trace" in said[0] and why in said[0], f"{key}: expected one line, got {done.stderr}")
    done = run(mpirun(2, slidemesh, *common[:-1], "output.reference=true", "--set", 'output.trace="local"', "--out", alone), expect=2)
    check(len(error_lines(done.stderr)) == 1, f"expected one line, got {done.stderr}")
    print(f"{len(expected)} records of {RANKS} ranks add up")
