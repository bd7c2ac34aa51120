"""Runs the program on an instance: writes its files, starts it under a clock, reads what it says."""

import dataclasses
import json
import os
import pathlib
import signal
import subprocess
import sys

import numpy as np


def default_program():
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    for preset in ("ci", "release", "dev"):
        program = root / "build" / preset / "apps" / "slidemesh" / "slidemesh"
        if program.exists():
            return program
    sys.exit("adversary: expected a built program (scripts/build release) or --program, got none")


def methods_of(program):
    """The names that the program lists, so that a new method is attacked without being named here."""
    text = subprocess.run([program, "list", "methods"], capture_output=True, text=True, check=True).stdout
    return [line.split()[0] for line in text.splitlines() if line[:1].isalpha()]


def csv_text(rows, labels):
    lines = ["label," + ",".join(f"f{j}" for j in range(rows.shape[1]))]
    lines += [",".join(repr(float(v)) for v in (b, *a)) for a, b in zip(rows, labels)]
    return "\n".join(lines) + "\n"


def libsvm_text(rows, labels):
    # The last column is written even where it is 0: a part must not have fewer columns than another.
    last = rows.shape[1] - 1
    lines = [" ".join([repr(float(b))] + [f"{j + 1}:{float(v)!r}" for j, v in enumerate(a) if v != 0 or j == last])
             for a, b in zip(rows, labels)]
    return "\n".join(lines) + "\n"


def entries_text(instance):
    lines = ["row,col,value,node"]
    for node, (rows, labels) in enumerate(instance.nodes):
        for a, b in zip(rows, labels):
            column, row = divmod(int(np.argmax(a)), instance.matrix_shape[0])
            lines.append(f"{row},{column},{float(b)!r},{node}")
    return "\n".join(lines) + "\n"


def write_data(instance, work):
    """The data's files; returns the keys that name them."""
    if instance.loss == "matrix-completion":
        (work / "entries.csv").write_text(entries_text(instance))
        rows, columns = instance.matrix_shape
        return f'source = "csv"\npath = "entries.csv"\nnode = "node"\nmatrix_rows = {rows}\nmatrix_columns = {columns}'
    ending, text = (("csv", csv_text) if instance.format == "csv" else ("svm", libsvm_text))
    label = '\nlabel = "label"' if instance.format == "csv" else ""
    if instance.one_file:
        (work / f"rows.{ending}").write_text(text(*(np.concatenate(p) for p in zip(*instance.nodes))))
        return f'source = "{instance.format}"\npath = "rows.{ending}"{label}'
    for node, part in enumerate(instance.nodes):
        (work / f"part-{node}.{ending}").write_text(text(*part))
    return f'source = "{instance.format}"\npath = "part-{{node}}.{ending}"{label}'


def write_config(instance, work, weights, time_limit):
    """`weights`: of rows or nodes; empty where the program knows nothing of it."""
    problem = f'loss = "{instance.loss}"\nmu = {instance.mu!r}\nset = {instance.feasible_set.toml}\n'
    problem += f"classes = {instance.classes}\n" if instance.loss == "softmax" else ""
    problem += f'weights = "{weights}"\n' if weights else ""
    (work / "run.toml").write_text(
        f"seed = {instance.seed}\nthreads = 1\n[problem]\n{problem}[data]\n{write_data(instance, work)}\n"
        f'[network]\ngraph = "{instance.graph}"\nnodes = {len(instance.nodes)}\n{instance.graph_keys}\n'
        f'[[method]]\nname = "{instance.method}"\nouter_steps = {instance.steps}\n{instance.method_keys}\n'
        f"[stop]\ntime_limit_seconds = {time_limit}\n{instance.stop}\n[output]\nevery = 20\n"
        f"reference = {'true' if 'target_gap' in instance.stop else 'false'}\n")
    for name, text in instance.feasible_set.files.items():
        (work / name).write_text(text)


@dataclasses.dataclass
class Outcome:
    code: int  # negative: ended by that signal; None: had to be ended
    error: str
    summary: dict
    model: dict
    trace: list
    context: dict


def strict_json(text):
    def refuse(word):
        raise ValueError(f"{word} in a JSON file")

    return json.loads(text, parse_constant=refuse)


def run(program, work, seconds, launcher=()):
    out = work / "out"
    command = [*launcher, str(program), "run", str(work / "run.toml"), "--out", str(out)]
    environment = dict(os.environ, LC_ALL="C.UTF-8")
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment,
                               start_new_session=True, errors="replace")
    try:
        error = process.communicate(timeout=seconds)[1]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        error = process.communicate()[1]
        return Outcome(None, error, {}, {}, [], {})
    read = lambda name: strict_json((out / name).read_text()) if (out / name).exists() else {}
    trace = (out / "trace.jsonl").read_text().splitlines() if (out / "trace.jsonl").exists() else []
    return Outcome(process.returncode, error, read("summary.json"), read("model.json"), [strict_json(t) for t in trace],
                   read("context.json"))
