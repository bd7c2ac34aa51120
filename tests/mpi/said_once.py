"""What every rank finds out, one rank says; what one rank finds out ends all of them.

usage: said_once.py SLIDEMESH
"""

import sys
import tempfile
from pathlib import Path

from support import CONFIG, check, error_lines, mpirun, run

slidemesh = sys.argv[1]


def expect_one_line(expected_code, expected_text, ranks, *command):
    done = run(mpirun(ranks, *command), expect=expected_code)
    lines = error_lines(done.stderr)
    check(len(lines) == 1 and expected_text in lines[0], f"expected one line with '{expected_text}', got {lines}\n{done.stderr}")
    print(lines[0])


with tempfile.TemporaryDirectory() as scratch:
    out = Path(scratch) / "out"
    expect_one_line(2, "no-such.toml", 4, slidemesh, "run", "no-such.toml")
    expect_one_line(2, "network.graf", 4, slidemesh, "run", CONFIG, "--set", "network.graf=ring")
    expect_one_line(2, "command line", 4, slidemesh, "walk")
    expect_one_line(2, "expected at least as many nodes as MPI ranks", 4, slidemesh, "run", CONFIG, "--set", "network.nodes=3", "--out", out)
    # What ranks do not have in common is found out at the start, and the first that differs is named.
    seeds = ["sh", "-c", f'exec {slidemesh} run {CONFIG} --quiet --out {out} --set seed=$((OMPI_COMM_WORLD_RANK / 3 + 1))']
    expect_one_line(2, "rank 3: expected the same command line as rank 0's", 4, *seeds)
    resume = ["sh", "-c", f'exec {slidemesh} run {CONFIG} --quiet --out {out} $(test $OMPI_COMM_WORLD_RANK = 2 && echo --resume)']
    expect_one_line(2, "rank 2: expected the same command line as rank 0's", 4, *resume)
    for rank in range(4):
        (Path(scratch) / f"at-{rank}").mkdir()
        (Path(scratch) / f"at-{rank}" / "config.toml").write_text(CONFIG.read_text().replace("seed = 3", f"seed = {rank // 3}"))
    configs = ["sh", "-c", f'cd {scratch}/at-$OMPI_COMM_WORLD_RANK && exec {slidemesh} run config.toml --quiet --out {out}']
    expect_one_line(2, "rank 3: expected the same config as rank 0's", 4, *configs)
    # Only the first rank looks at the output directory; the others hear of it.
    occupied = Path(scratch) / "occupied"
    occupied.mkdir()
    (occupied / "summary.json").write_text("{}")
    expect_one_line(2, "occupied", 4, slidemesh, "run", CONFIG, "--out", occupied)
    listed = run(mpirun(3, slidemesh, "list", "graphs")).stdout
    check(listed.count("erdos-renyi") == 1, f"expected one list, got\n{listed}")
