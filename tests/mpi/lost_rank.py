"""A rank that is killed, or stopped so that it no longer answers, ends the run on every rank, in time and with one line.

usage: lost_rank.py SLIDEMESH [--kills 20] [--ranks 5] [--seed 1]
"""

import argparse
import json
import os
import random
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from support import CONFIG, check, environment, error_lines, mpirun, rank_processes

TIMEOUT_SECONDS = 4.0
MPIRUN_SECONDS = 6.0  # mpirun's own, to notice and to end the rest

parser = argparse.ArgumentParser()
parser.add_argument("slidemesh")
parser.add_argument("--kills", type=int, default=20)
parser.add_argument("--ranks", type=int, default=5)
parser.add_argument("--seed", type=int, default=1)
arguments = parser.parse_args()
choose = random.Random(arguments.seed)


def lose_one(number, how, scratch, in_the_run):
    """Of the runs that are hit anywhere, some are hit while MPI itself starts, where nobody can say who was lost."""
    mark = f"{os.getpid()}-{number}"
    out = Path(scratch) / mark
    command = [arguments.slidemesh, "run", CONFIG, "--quiet", "--out", out, "--set", "method.outer_steps=1000000",
               "--set", "output.every=100000", "--set", "output.reference=false", "--set", f"network.timeout_seconds={TIMEOUT_SECONDS}"]
    run = subprocess.Popen(mpirun(arguments.ranks, "-x", f"SLIDEMESH_TEST_MARK={mark}", *command),
                           env=environment(SLIDEMESH_TEST_MARK=mark), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    processes = {}
    while len(processes) < arguments.ranks and run.poll() is None:
        time.sleep(0.05)
        processes = rank_processes(mark)
    while in_the_run and not (out / "trace.jsonl").exists() and run.poll() is None:
        time.sleep(0.05)
    time.sleep(choose.uniform(0.0, 1.0))
    victim = choose.choice(sorted(processes))
    os.kill(processes[victim], how)
    began = time.monotonic()
    limit = (TIMEOUT_SECONDS if how == signal.SIGSTOP else 0.0) + MPIRUN_SECONDS
    try:
        text = run.communicate(timeout=limit)[1]
    except subprocess.TimeoutExpired:
        left = rank_processes(mark)
        for process in left.values():
            os.kill(process, signal.SIGKILL)
        for child in Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split():
            os.kill(int(child), signal.SIGKILL)  # mpirun, under timeout
        run.kill()
        run.communicate()
        check(not left, f"{how.name} of rank {victim}: expected every rank to end within {limit} s, got {left} still running")
        check(not in_the_run, f"{how.name} of rank {victim}: expected mpirun to end within {limit} s, got none")
        # docs/mpi.md, "When a rank is lost": no rank is left, and mpirun waits for itself.
        print(f"{how.name} of rank {victim} while MPI started: every rank ended, mpirun did not")
        return victim, [], -1
    took = time.monotonic() - began
    left = rank_processes(mark)
    check(run.returncode not in (0, 124), f"{how.name} of rank {victim}: expected a failure, got {run.returncode}")
    check(not left, f"{how.name} of rank {victim}: expected every process to end, got {left} still running")
    lines = error_lines(text)
    for file in out.glob("*.json"):
        json.loads(file.read_text())  # whole, or not there
    print(f"{how.name} of rank {victim}: ended after {took:.1f} s, exit code {run.returncode}: {lines}")
    return victim, lines, run.returncode


with tempfile.TemporaryDirectory() as scratch:
    named = in_run = hung = 0
    for number in range(arguments.kills):
        in_the_run = number % 2 == 0
        victim, lines, code = lose_one(number, signal.SIGKILL, scratch, in_the_run)
        hung += code == -1
        check(len(lines) <= 1, f"expected one line, got {lines}")
        in_run += in_the_run
        named += in_the_run and any(f"lost rank {victim} " in line for line in lines)
    # mpirun leaves the others a second; on a busy machine that may not be enough to say it.
    print(f"{named} of the {in_run} that were killed in the run were named; of all {arguments.kills} runs, "
          f"every rank ended in time, and mpirun too but for {hung}")
    check(named > 0 or in_run == 0, "expected the lost rank to be named, got no line")
    victim, lines, code = lose_one(arguments.kills, signal.SIGSTOP, scratch, True)
    check(len(lines) == 1 and f"lost rank {victim} " in lines[0], f"expected one line on rank {victim}, got {lines}")
    check(code == 5, f"expected exit code 5, got {code}")
