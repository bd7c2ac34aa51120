"""trace = "local": every rank writes its own trace, and the method's steps and costs are the same as ever.

usage: local_trace.py SLIDEMESH
"""

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
    done = run(mpirun(2, slidemesh, *common[:-1], "output.reference=true", "--set", 'output.trace="local"', "--out", alone), expect=2)
    check(len(error_lines(done.stderr)) == 1, f"expected one line, got {done.stderr}")
    print(f"{len(expected)} records of {RANKS} ranks add up")
