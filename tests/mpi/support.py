"""What the end-to-end tests of the MPI network share."""

import json
import os
import subprocess
import sys
from pathlib import Path

CONFIG = Path(__file__).with_name("toy.toml")


def mpirun(ranks, *command):
    """A clock stands over mpirun: where a link is cut it can wait for minutes."""
    return ["timeout", "-k", "5", "120", "mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(ranks), *map(str, command)]


def environment(**more):
    """PMIX_MCA_gds: see docs/mpi.md, "When a rank is lost"."""
    return {**os.environ, "OMP_WAIT_POLICY": "passive", "PMIX_MCA_gds": "hash", **more}


def run(command, expect=0, **more):
    done = subprocess.run([str(c) for c in command], env=environment(**more), capture_output=True, text=True)
    if done.returncode != expect:
        fail(f"expected exit code {expect}, got {done.returncode}: {command}\n{done.stdout}\n{done.stderr}")
    return done


def fail(message):
    print(message, file=sys.stderr)
    sys.exit(1)


def check(claim, message):
    if not claim:
        fail(message)


def without_seconds(record):
    """Nor what processes tell one another in order to measure: that is none of the method's, and nothing in one process; nor
    what a resume would compare, which knows the data by where it is; nor what was read, which each rank and source does its own way."""
    aside = ("seconds", "control_messages", "control_bytes", "depends_on", "rows_read", "rows_read_in_opening", "coefficients")
    return {key: value for key, value in record.items() if key not in aside}


def without_names(model):
    """A file without names numbers its columns, and a table has them: nothing else may differ."""
    data = {key: value for key, value in model.get("data", {}).items() if key not in ("columns", "label")}
    return {**{key: value for key, value in model.items() if key != "feature_names"}, "data": data}


def results(directory):
    """Model, trace and summary, times and control messages aside."""
    directory = Path(directory)
    trace = [without_seconds(json.loads(line)) for line in (directory / "trace.jsonl").read_text().splitlines()]
    summary = [without_seconds(run) for run in json.loads((directory / "summary.json").read_text())["runs"]]
    models = [without_names(model) for model in json.loads((directory / "model.json").read_text())["models"]]
    return json.dumps(models), trace, summary


def error_lines(text):
    return [line for line in text.splitlines() if "slidemesh: error:" in line]


def rank_processes(mark):
    """Process ids by rank, of the processes that carry our mark in their environment."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                values = dict(v.split("=", 1) for v in (entry / "environ").read_text(errors="replace").split("\0") if "=" in v)
            except OSError:
                continue
            if values.get("SLIDEMESH_TEST_MARK") == mark and "OMPI_COMM_WORLD_RANK" in values:
                found[int(values["OMPI_COMM_WORLD_RANK"])] = int(entry.name)
    return found
