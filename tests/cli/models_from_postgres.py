#!/usr/bin/env python3
"""A model that was trained on a server's table is used on another table of it, and on a file: the same figures.

    models_from_postgres.py --program PATH

Also holds rows read to what the ledger has. Exit code 77: PostgreSQL is not installed.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))

import postgres_server  # noqa: E402

CONFIG = """[problem]
loss = "least-squares"
[data]
source = "postgres"
dsn = "{dsn}"
table = "train"
test = "test"
scaling = "standard"
intercept = true
ledger = "ledger.jsonl"
[stop]
certified_gap = 1e-3
"""


def write_table(path, rows, draw):
    lines = ["size,age,target"]
    for _ in range(rows):
        size, age = draw.gauss(50, 10), draw.gauss(5, 2)
        lines.append(f"{size!r},{age!r},{0.1 * size - 0.5 * age + draw.gauss(0, 0.1)!r}")
    path.write_text("\n".join(lines) + "\n")


def rows_read(server, table):
    """As the server's statistics have it, which come a moment after a session has ended."""
    count = f"SELECT coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) FROM pg_stat_user_tables WHERE relname = '{table}'"
    seen = None
    for _ in range(40):
        time.sleep(0.1)
        now = int(server.query(count))
        if now == seen:
            return now
        seen = now
    raise AssertionError("expected the server's statistics to settle, got no rest")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    program = str(pathlib.Path(parser.parse_args().program).resolve())
    if postgres_server.programs() is None:
        print("skipped: PostgreSQL is not installed")
        sys.exit(77)

    with tempfile.TemporaryDirectory() as folder, postgres_server.PostgresServer() as server:
        directory = pathlib.Path(folder)

        def run(*arguments):
            done = subprocess.run([program, *arguments], cwd=directory, capture_output=True, text=True)
            assert done.returncode == 0, f"{' '.join(arguments)} ended with {done.returncode}: {done.stderr}"
            return done.stdout

        draw = random.Random(3)
        for name, rows in (("train", 300), ("test", 80)):
            write_table(directory / f"{name}.csv", rows, draw)
            run("data", "load", f"{name}.csv", "--label", "target", "--table", name, "--dsn", server.dsn)
        (directory / "config.toml").write_text(CONFIG.format(dsn=server.dsn))
        run("run", "config.toml", "--out", "out", "--quiet")
        summary = json.loads((directory / "out/summary.json").read_text())["runs"][0]

        table = ["postgres", "--set", f'dsn="{server.dsn}"', "--set", "table=test"]
        of_table = json.loads(run("evaluate", "out", *table, "--json"))
        of_file = json.loads(run("evaluate", "out", "test.csv", "--set", "label=target", "--json"))
        for scores in (of_table, of_file, summary["scores"][0]):
            scores.pop("data")
        assert of_table == of_file == summary["scores"][0], (of_table, of_file, summary["scores"])
        assert of_table["rows"] == 80 and of_table["r2"] > 0.9, of_table

        before = rows_read(server, "test")
        lines = run("predict", "out", *table).splitlines()
        read = rows_read(server, "test") - before
        assert read == 2 * 80, f"expected every row to be read twice by the server's own count, for its key and for its numbers, got {read}"
        assert lines[0] == "id,prediction" and len(lines) == 81, lines[:2]
        assert [line.split(",")[1] for line in lines[1:]] == run("predict", "out", "test.csv").splitlines()[1:]

        on_record = sum(json.loads(line)["read"] for line in (directory / "out/ledger.jsonl").read_text().splitlines())
        assert on_record == summary["rows_read"] + summary["rows_read_in_opening"], (on_record, summary["rows_read"])


if __name__ == "__main__":
    main()
