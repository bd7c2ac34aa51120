"""Rows that stay in PostgreSQL: a table for all, and a table for each node, over several ranks.

usage: postgres_tables.py SLIDEMESH
"""

import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from postgres_server import PostgresServer, programs  # noqa: E402
from support import CONFIG, check, mpirun, results, run  # noqa: E402

slidemesh = sys.argv[1]
NODES, ROWS_A_NODE = 5, 24
SKIPPED = 77

if programs() is None:
    print("no PostgreSQL server is installed")
    sys.exit(SKIPPED)


def line(row):
    """The first two nodes have label 3 alone, the last three label 7 alone: neither knows by itself which is the smaller."""
    label = 3 if row < 2 * ROWS_A_NODE else 7
    return f"{label} " + " ".join(f"{j}:{((row * 37 + j * 101) % 200 - 100 + 20 * (label - 5)) / 50}" for j in range(1, 7))


with tempfile.TemporaryDirectory() as scratch, PostgresServer() as server:
    scratch = Path(scratch)
    lines = [line(row) for row in range(NODES * ROWS_A_NODE)]
    (scratch / "all.svm").write_text("\n".join(lines) + "\n")
    run([slidemesh, "data", "load", scratch / "all.svm", "--dsn", server.dsn, "--table", "everything"])
    for node in range(NODES):
        (scratch / f"part-{node}.svm").write_text("\n".join(lines[node * ROWS_A_NODE:(node + 1) * ROWS_A_NODE]) + "\n")
        run([slidemesh, "data", "load", scratch / f"part-{node}.svm", "--dsn", server.dsn, "--table", f"part_{node}"])
    text = CONFIG.read_text()
    begin, end = text.index("[data]"), text.index("[network]")

    def config(name, data):
        path = scratch / f"{name}.toml"
        path.write_text(text[:begin] + f"[data]\n{data}\n" + text[end:])
        return ["run", path, "--quiet", "--set", f"network.nodes={NODES}"]

    postgres = f'source = "postgres"\ndsn = "{server.dsn}"\n'
    run([slidemesh, *config("file", 'path = "all.svm"'), "--out", scratch / "alone"])
    expected = results(scratch / "alone")
    for name, data in (("table", postgres + 'table = "everything"'), ("tables", postgres + 'table = "part_{node}"'),
                       ("files", 'path = "part-{node}.svm"')):
        run([slidemesh, *config(name, data), "--out", scratch / name])
        check(results(scratch / name) == expected, f"{name}, in process: expected the results from one file, got others")
        for ranks in (2, 3, 5):
            out = scratch / f"{name}-{ranks}"
            run(mpirun(ranks, slidemesh, *config(name, data), "--out", out))
            check(results(out) == expected, f"{name}, {ranks} ranks: expected the results from one file, got others")
        print(f"{name}: the same bits with 2, 3, 5 ranks")
