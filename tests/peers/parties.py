"""Parties of `slidemesh peer` as processes of this machine: on the loopback, or in network namespaces of their own.

What scripts/peer-events, scripts/peer-sameness and tests/peers/program_test.py have in common. Everything lies in a
directory that the caller removes; everything that is started is ended.
"""

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

CONFIG = """seed = 1
[problem]
loss = "logistic"
mu = 0.01
set = {{ kind = "l1-ball", radius = 10.0 }}
[data]
source = "csv"
ledger = "ledger.jsonl"
[[method]]
{method}
[output]
every = {every}
checkpoint_every = {checkpoint_every}
"""

SKIPPED = 77


def end_in_order_when_told_to():
    """SIGTERM raises SystemExit, so that whatever `with` began is ended."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))


def sh(*command):
    subprocess.run(command, check=True)


class Namespaces:
    """A network namespace for each party, all on one bridge."""

    def __init__(self, count):
        self.id = f"sp{os.getpid()}"
        self.subnet = f"10.215.{os.getpid() % 250}"
        self.count = count

    @staticmethod
    def permitted():
        """Whether this user may make one."""
        name = f"sptry{os.getpid()}"
        try:
            made = subprocess.run(["ip", "netns", "add", name], stderr=subprocess.DEVNULL).returncode == 0
        except FileNotFoundError:
            return False
        subprocess.run(["ip", "netns", "del", name], stderr=subprocess.DEVNULL)
        return made

    def __enter__(self):
        sh("ip", "link", "add", f"{self.id}b", "type", "bridge")
        sh("ip", "link", "set", f"{self.id}b", "up")
        for i in range(self.count):
            sh("ip", "netns", "add", self.name(i))
            sh("ip", "link", "add", self.link(i), "type", "veth", "peer", "name", "eth0", "netns", self.name(i))
            sh("ip", "link", "set", self.link(i), "master", f"{self.id}b", "up")
            sh("ip", "-n", self.name(i), "addr", "add", f"{self.subnet}.{i + 1}/24", "dev", "eth0")
            sh("ip", "-n", self.name(i), "link", "set", "eth0", "up")
            sh("ip", "-n", self.name(i), "link", "set", "lo", "up")
        return self

    def __exit__(self, *_):
        for i in range(self.count):
            subprocess.run(["ip", "netns", "del", self.name(i)], check=False, stderr=subprocess.DEVNULL)
            subprocess.run(["ip", "link", "del", self.link(i)], check=False, stderr=subprocess.DEVNULL)
        subprocess.run(["ip", "link", "del", f"{self.id}b"], check=False, stderr=subprocess.DEVNULL)

    def name(self, i):
        return f"{self.id}-{i}"

    def link(self, i):
        return f"{self.id}h{i}"

    def listens(self, _):
        return "0.0.0.0:7400"

    def address_of(self, i):
        return f"{self.subnet}.{i + 1}:7400"

    def enter(self, i):
        return ["ip", "netns", "exec", self.name(i)]

    def set_link(self, i, up):
        sh("ip", "link", "set", self.link(i), "up" if up else "down")


class Loopback:
    """127.0.0.1, a port for each party."""

    def __init__(self, count):
        self.count = count
        sockets = [socket.socket() for _ in range(count)]
        for s in sockets:
            s.bind(("127.0.0.1", 0))
        self.ports = [s.getsockname()[1] for s in sockets]
        for s in sockets:
            s.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def listens(self, i):
        return f"127.0.0.1:{self.ports[i]}"

    def enter(self, _):
        return []

    address_of = listens


def ring(count):
    return sorted({tuple(sorted((i, (i + 1) % count))) for i in range(count)})


class Parties:
    """Parties p0, p1, ... with homes, rows and each other's invitations, in `work`."""

    def __init__(self, program, place, work, edges, method, checkpoint_every=20, rows=60,
                 patience=100, every=100):
        self.program, self.place, self.work, self.edges = str(Path(program).resolve()), place, work, edges
        self.count = place.count
        self.running = []
        self.patience = [] if patience is None else ["--patience", str(patience)]
        (work / "problem.toml").write_text(CONFIG.format(method=method, every=every, checkpoint_every=checkpoint_every))
        (work / "graph.edges").write_text("".join(f"{i} {j}\n" for i, j in edges))
        for i in range(self.count):
            self.write_rows(i, rows)
            self.peer(i, "init", "--name", f"p{i}", "--listen", place.listens(i), "--address", place.address_of(i))
        self.introduce()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.running:
            if process.poll() is None:
                process.kill()
                process.wait()

    def introduce(self):
        for i in range(self.count):
            self.peer(i, "invite", "problem.toml", "--out", f"p{i}.invitation")
        for i, j in self.edges:
            self.peer(i, "accept", f"p{j}.invitation", "problem.toml", "--yes")
            self.peer(j, "accept", f"p{i}.invitation", "problem.toml", "--yes")

    def write_rows(self, i, rows):
        draw = random.Random(1000 + i)
        lines = ["a,b,c,label"]
        for _ in range(rows):
            row = [draw.random() for _ in range(3)]
            lines.append(",".join(f"{x:.6f}" for x in row) + f",{int(sum(row) + draw.random() > 2)}")
        (self.work / f"p{i}.csv").write_text("\n".join(lines) + "\n")

    def peer(self, i, command, *arguments):
        """A command of party i that must work; what it prints."""
        done = self.ask(i, command, *arguments)
        if done.returncode != 0:
            raise RuntimeError(f"p{i}: peer {command}: {done.stdout}{done.stderr}")
        return done.stdout

    def ask(self, i, command, *arguments):
        """A command of party i, whatever comes of it."""
        return subprocess.run([self.program, "peer", command, "--home", f"home-{i}", *arguments], cwd=self.work,
                              text=True, capture_output=True)

    def start(self, i, run, *arguments):
        with open(self.work / f"{run}-{i}.log", "a") as log:
            process = subprocess.Popen(
                [*self.place.enter(i), self.program, "peer", "run", "problem.toml", "--home", f"home-{i}", "--data",
                 f"p{i}.csv", "--out", f"{run}/{i}", *self.patience, *arguments],
                cwd=self.work, stdout=log, stderr=log)
        self.running.append(process)
        return process

    def start_all(self, run, *arguments):
        return [self.start(i, run, *arguments) for i in range(self.count)]

    def log(self, i, run):
        return (self.work / f"{run}-{i}.log").read_text()

    def wait_for_line(self, i, run, text, seconds=30):
        end = time.time() + seconds
        while text not in self.log(i, run):
            if time.time() > end:
                raise RuntimeError(f"p{i} never said \"{text}\":\n" + self.log(i, run)[-2000:])
            time.sleep(0.02)

    def ledgers_disagree(self, run):
        """What neighbours' ledgers of messages differ in; nothing if they agree."""
        for i, j in self.edges:
            both = [f"{run}/{k}/messages.jsonl" for k in (i, j)]
            done = subprocess.run([self.program, "peer", "audit", *both], cwd=self.work, text=True, capture_output=True)
            if done.returncode != 0:
                return done.stdout[-500:] + done.stderr
        return ""

    def answers(self, run):
        """Of every party: the model, and what it cost."""
        return self.answers_of(run, range(self.count))

    def answers_of(self, run, some):
        return [answer_in(self.work / run / str(i)) for i in some]

    def in_process(self, *arguments):
        """The same problem with all nodes in one process: the models' parameters."""
        subprocess.run([self.program, "run", "problem.toml", "--quiet", "--overwrite", "--out", "in-process",
                        "--set", 'data.path="p{node}.csv"', "--set", 'network.graph="file"',
                        "--set", 'network.path="graph.edges"', *arguments], cwd=self.work, check=True)
        return answer_in(self.work / "in-process")


METERS = ["outer_steps", "data_oracle_calls", "data_oracle_accesses", "communication_rounds", "messages", "bytes_sent",
          "linear_oracle_calls"]


def answer_in(directory):
    """Models and meters as text: equal text, equal bits."""
    models = json.loads((directory / "model.json").read_text())
    runs = json.loads((directory / "summary.json").read_text())["runs"]
    models = models.get("models", [models]) if isinstance(models, dict) else models
    return {"models": json.dumps([m["parameters"] for m in models]),
            "meters": json.dumps([{key: run.get(key) for key in METERS} for run in runs]),
            "status": [run["status"] for run in runs]}


def wait_for(processes, seconds):
    """Exit codes; TimeoutExpired if one does not end."""
    end = time.time() + seconds
    for process in processes:
        process.wait(max(0.1, end - time.time()))
    return [process.returncode for process in processes]
