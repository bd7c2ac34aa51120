"""Model, trace and summary of a run over MPI are those of the in-process run, bit for bit, times aside.

usage: same_bits.py SLIDEMESH SPY_LIBRARY [--graphs a,b] [--ranks 1,2] [--threads 1,2] [--wire float32]
"""

import argparse
import json
import tempfile
from pathlib import Path

from support import CONFIG, check, mpirun, results, run

parser = argparse.ArgumentParser()
parser.add_argument("slidemesh")
parser.add_argument("spy")
parser.add_argument("--graphs", default="ring,path,star,complete,erdos-renyi")
parser.add_argument("--ranks", default="1,2,3,5,10")
parser.add_argument("--threads", default="1,2")
parser.add_argument("--wire", default="float64")
parser.add_argument("--config", default=CONFIG)
arguments = parser.parse_args()


def sent(directory):
    """Totals over all ranks by communicator, and every call that was not a plain send."""
    totals, others = {}, []
    for file in Path(directory).glob("rank-*.json"):
        log = json.loads(file.read_text())
        others += log["others"]
        for entry in log["sent"]:
            total = totals.setdefault(entry["communicator"], {"messages": 0, "bytes": 0})
            total["messages"] += entry["messages"]
            total["bytes"] += entry["bytes"]
    return totals, others


with tempfile.TemporaryDirectory() as scratch:
    for graph in arguments.graphs.split(","):
        common = ["run", arguments.config, "--quiet", "--set", f"network.graph={graph}", "--set", f"network.wire={arguments.wire}"]
        alone = Path(scratch) / graph
        run([arguments.slidemesh, *common, "--set", "threads=1", "--out", alone])
        expected = results(alone)
        for ranks in arguments.ranks.split(","):
            for threads in arguments.threads.split(","):
                out = Path(scratch) / f"{graph}-{ranks}-{threads}"
                spied = Path(scratch) / f"{graph}-{ranks}-{threads}-spy"
                spied.mkdir()
                command = ["-x", f"LD_PRELOAD={arguments.spy}", "-x", f"SLIDEMESH_MPI_SPY={spied}", arguments.slidemesh]
                run(mpirun(ranks, *command, *common, "--set", f"threads={threads}", "--out", out))
                for name, here, there in zip(("model", "trace", "summary"), results(out), expected):
                    check(here == there, f"{graph}, {ranks} ranks, {threads} threads: expected the in-process {name}, got another")
                for here in json.loads((out / "summary.json").read_text())["runs"]:
                    check((here["control_messages"] > 0) == (ranks != "1"), f"expected control messages where there are ranks, got {here}")
                totals, others = sent(spied)
                check("Allreduce" not in others and "Bcast" not in others, f"expected no collectives, got {set(others)}")
                if ranks == "10" and threads == "1":
                    # Before the methods, ranks agree on what the data is like; a run of one step does so too.
                    short, short_spied = Path(f"{out}-short"), Path(f"{spied}-short")
                    short_spied.mkdir()
                    command[3] = f"SLIDEMESH_MPI_SPY={short_spied}"
                    run(mpirun(ranks, *command, *common, "--set", "method.outer_steps=1", "--out", short))
                    more = sum(r["bytes_sent"] for r in expected[2]) - sum(r["bytes_sent"] for r in results(short)[2])
                    neighbours = "slidemesh.neighbours"
                    seen = totals[neighbours]["bytes"] - sent(short_spied)[0][neighbours]["bytes"]
                    check(seen == more > 0, f"{graph}: expected {more} bytes as metered, the spy saw {seen}")
        print(f"{graph}: the same bits with {arguments.ranks} ranks, {arguments.threads} threads")
