"""Ranks that cannot start together say so within the time-out: one that runs another program, has ended, or is stopped is named.

usage: start.py SLIDEMESH
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from support import CONFIG, check, environment, error_lines, mpirun, rank_processes

slidemesh = sys.argv[1]
TIMEOUT_SECONDS = 4.0
ATTEMPTS = 5
SLACK_SECONDS = 8.0  # for mpirun to start, to notice and to end the rest, on a busy machine


def start(scratch, name, *others):
    """Two ranks of slidemesh, and then `others`, in one job."""
    mark = f"{os.getpid()}-{name}"
    command = [slidemesh, "run", CONFIG, "--quiet", "--out", Path(scratch) / name, "--set", f"network.timeout_seconds={TIMEOUT_SECONDS}",
               "--set", "method.outer_steps=1000000", "--set", "output.reference=false"]
    line = mpirun(2, "-x", "SLIDEMESH_TEST_MARK", *command, *(":", "-n", "1", *others) if others else ())
    return mark, subprocess.Popen(line, env=environment(SLIDEMESH_TEST_MARK=mark), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def expect(job, began, *words, may_be_silent=False):
    """Whether the job ended with one line that has these words; it must, unless it may end without any."""
    text = job.communicate()[1]
    took = time.monotonic() - began
    lines = error_lines(text)
    check(job.returncode not in (0, 124), f"expected a failure, got {job.returncode}\n{text}")
    check(took < TIMEOUT_SECONDS + SLACK_SECONDS, f"expected an end within {TIMEOUT_SECONDS + SLACK_SECONDS} s, got {took:.1f} s: {lines}")
    if may_be_silent and not lines:
        return False
    check(len(lines) == 1 and all(word in lines[0] for word in words), f"expected one line with {words}, got {lines}\n{text}")
    print(f"{took:.1f} s: {lines[0]}")
    return True


with tempfile.TemporaryDirectory() as scratch:
    _, job = start(scratch, "program", "sleep", "60")
    expect(job, time.monotonic(), "lost rank 2", "expected the program", "sleep")

    # Where it is gone after the others have called MPI_Init, mpirun ends the job itself before they can say anything: again, then.
    for attempt in range(ATTEMPTS):
        _, job = start(scratch, f"gone-{attempt}", "true")
        if expect(job, time.monotonic(), "lost rank 2", "it is gone", may_be_silent=attempt + 1 < ATTEMPTS):
            break

    # Stopped while MPI starts, or soon after: whichever it is, the others do not wait for it.
    for number, pause in enumerate((0.0, 0.1, 0.3, 0.6)):
        mark, job = start(scratch, f"stopped-{number}")
        processes = {}
        while len(processes) < 2 and job.poll() is None:
            time.sleep(0.02)
            processes = rank_processes(mark)
        time.sleep(pause)
        began = time.monotonic()
        os.kill(processes[1], signal.SIGSTOP)
        expect(job, began, "lost rank 1")
