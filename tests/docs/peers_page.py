"""Follows docs/peers-admin.md to the letter, with two parties on this machine: peers_page.py SLIDEMESH SOURCE

Every block marked `sh` runs at clinic A and, with A and B exchanged, at clinic B. Only names, addresses and the time that
the doctor waits are changed; --yes stands for the person who compares fingerprints.
"""

import os
import random
import re
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

SLIDEMESH, SOURCE = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
PAGE = (SOURCE / "docs/peers-admin.md").read_text(encoding="utf-8")


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Clinic:
    def __init__(self, work, letter, port):
        self.letter, self.port = letter, port
        self.other = "b" if letter == "a" else "a"
        self.directory = work / letter
        self.directory.mkdir()
        (self.directory / "problem.toml").write_text(re.search(r"```toml\n(.*?)^```$", PAGE, re.M | re.S).group(1))
        draw = random.Random(letter)
        rows = [(draw.gauss(50, 10), draw.gauss(0, 1)) for _ in range(100)]
        (self.directory / "mine.csv").write_text(
            "age,dose,recovered\n" + "".join(f"{a:.2f},{d:.3f},{int(d + (a - 50) / 10 + draw.gauss(0, 0.5) > 0)}\n" for a, d in rows))

    def own(self, text):
        """The page's lines, as this clinic would type them."""
        swapped = text.replace("clinic-b", "clinic-THEIRS").replace("clinic-a", f"clinic-{self.letter}").replace("clinic-THEIRS", f"clinic-{self.other}")
        here = re.sub(r"(0\.0\.0\.0|a\.example\.org):7400", f"127.0.0.1:{self.port}", swapped)
        return re.sub(r"(peer accept [^#\n]*)", r"\1 --yes", here)

    def start(self, text):
        return subprocess.Popen(["bash", "-euo", "pipefail", "-c", self.own(text)], cwd=self.directory, text=True, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, "PATH": f"{SLIDEMESH.parent}:{os.environ['PATH']}"})


def follow(work):
    clinics = [Clinic(work, letter, port) for letter, port in zip("ab", free_ports(2))]
    blocks = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.M | re.S)
    if len(blocks) < 5:
        sys.exit(f"expected the page to have its commands in blocks, got {len(blocks)}")
    for text in blocks:
        processes = [clinic.start(text) for clinic in clinics]
        for clinic, process in zip(clinics, processes):
            said, _ = process.communicate(timeout=120)
            if process.returncode != 0:
                sys.exit(f"clinic {clinic.letter}: expected exit code 0, got {process.returncode}:\n{clinic.own(text)}{said}")
        for clinic in clinics:  # what goes by mail
            for letter in clinic.directory.glob(f"clinic-{clinic.letter}.invitation"):
                (work / clinic.other / letter.name).write_bytes(letter.read_bytes())
    results = [next((clinic.directory / "runs").iterdir()) for clinic in clinics]
    if len({(one / "model.json").read_bytes() for one in results}) != 1:
        sys.exit("expected one model at both clinics, got two")
    subprocess.run([SLIDEMESH, "peer", "audit", *results], check=True)
    print(f"{len(blocks)} blocks of the page work at two parties")


if subprocess.run([SLIDEMESH, "peer", "run", "--help"], capture_output=True).returncode != 0:
    print("built without parties: skipped")
    sys.exit(77)
with tempfile.TemporaryDirectory() as directory:
    follow(Path(directory))
