"""A rank keeps its own rows and opens its own files, and the answer is that of the run that has them all.

usage: private_rows.py SLIDEMESH
"""

import random
import sys
import tempfile
from pathlib import Path

from support import CONFIG, check, error_lines, mpirun, results, run

slidemesh = sys.argv[1]
NODES, ROWS_A_NODE = 6, 20
random.seed(5)


def line(label):
    entries = " ".join(f"{j}:{random.gauss(label, 1.0):.6f}" for j in sorted(random.sample(range(1, 31), 4)))
    return f"{label:+d} {entries}"


with tempfile.TemporaryDirectory() as scratch:
    scratch = Path(scratch)
    # By label: most nodes see one label only, and the second half of the file alone has the last feature.
    lines = [line(-1 if i < NODES * ROWS_A_NODE // 2 else 1) for i in range(NODES * ROWS_A_NODE)]
    lines[-1] += " 40:1.5"
    (scratch / "all.svm").write_text("\n".join(lines) + "\n")
    for node in range(NODES):
        (scratch / f"part-{node}.svm").write_text("\n".join(lines[node * ROWS_A_NODE:(node + 1) * ROWS_A_NODE]) + "\n")
    for rank in range(3):
        (scratch / f"rank-{rank}.svm").write_text("\n".join(lines[2 * rank * ROWS_A_NODE:2 * (rank + 1) * ROWS_A_NODE]) + "\n")
    text = CONFIG.read_text()
    begin, end = text.index("[data]"), text.index("[network]")
    (scratch / "config.toml").write_text(text[:begin] + '[data]\nsource = "libsvm"\npath = "all.svm"\n' + text[end:])
    common = ["run", scratch / "config.toml", "--quiet", "--set", f"network.nodes={NODES}"]

    for split in ("contiguous", "shuffled", "by-label"):
        alone = scratch / f"alone-{split}"
        run([slidemesh, *common, "--set", f'data.split="{split}"', "--out", alone])
        for ranks in (2, 4):
            out = scratch / f"{split}-{ranks}"
            run(mpirun(ranks, slidemesh, *common, "--set", f'data.split="{split}"', "--out", out))
            check(results(out) == results(alone), f"{split}, {ranks} ranks: expected the in-process results, got others")

    expected = results(scratch / "alone-contiguous")
    for name, ranks in (("part-{node}.svm", 1), ("part-{node}.svm", 3), ("part-{node}.svm", 6), ("rank-{rank}.svm", 3)):
        out = scratch / f"{name[:4]}-{ranks}"
        run(mpirun(ranks, slidemesh, *common, "--set", f'data.path="{name}"', "--out", out))
        check(results(out) == expected, f"{name}, {ranks} ranks: expected the in-process results, got others")

    # Rank r has r's file alone: were another opened, it would not be found.
    for rank in range(3):
        (scratch / f"{rank}").mkdir()
        (scratch / f"rank-{rank}.svm").rename(scratch / f"{rank}" / f"rank-{rank}.svm")
        (scratch / f"{rank}" / "config.toml").write_text((scratch / "config.toml").read_text())
    own = ["sh", "-c", f'cd {scratch}/$OMPI_COMM_WORLD_RANK && exec {slidemesh} run config.toml --quiet --set network.nodes={NODES} '
           f"--set 'data.path=\"rank-{{rank}}.svm\"' --out {scratch}/own"]
    run(mpirun(3, *own))
    check(results(scratch / "own") == expected, "files in places of their own: expected the in-process results, got others")

    # One rank's bad row ends all of them, said once.
    (scratch / "1" / "rank-1.svm").write_text("+1 1:1\n-1 x:2\n")
    done = run(mpirun(3, *own[:2], own[2].replace("/own", "/bad")), expect=3)
    said = error_lines(done.stderr)
    check(len(said) == 1 and "rank-1.svm:2" in said[0], f"expected one line on rank-1.svm:2, got {said}")
    print("rows stay where they are")
