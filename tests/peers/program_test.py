#!/usr/bin/env python3
"""`slidemesh peer` as its users meet it: processes on the loopback, their logs, exit codes and files.

    tests/peers/program_test.py build/ci/apps/slidemesh/slidemesh [-k NAME]
"""

import json
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from parties import Loopback, Parties, ring, wait_for  # noqa: E402

PROGRAM = ""
SHORT = 'name = "newton-sliding"\nouter_steps = 12'
LONG = 'name = "defw"\nouter_steps = 100000'
PAIR = [(0, 1)]


class Case(unittest.TestCase):
    def parties(self, edges, count=2, method=SHORT):
        directory = self.enterContext(tempfile.TemporaryDirectory())
        place = self.enterContext(Loopback(count))
        return self.enterContext(Parties(PROGRAM, place, Path(directory), edges, method))

    def both_say(self, parties, run, reason, first=0, second=1):
        """One line each: `first` refuses for that reason, and `second` is told."""
        parties.wait_for_line(first, run, "refused: " + reason)
        parties.wait_for_line(second, run, "refused by the other side: " + reason)
        for i in (first, second):
            line = next(line for line in parties.log(i, run).splitlines() if reason in line)
            self.assertRegex(line, r"^p\d: .*\(key sha256:[0-9a-f]{64}\)")

    def end(self, process):
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(20), 4)


class Refusals(Case):
    def test_another_problem_is_refused_before_anybody_is_called(self):
        parties = self.parties(PAIR)
        process = parties.start(0, "run", "--set", "problem.mu=0.5")
        self.assertEqual(process.wait(20), 2)
        self.assertIn("expected the problem that p1 was accepted for, got another", parties.log(0, "run"))

    def test_a_changed_digest_is_refused_by_hello(self):
        parties = self.parties(PAIR)
        parties.peer(0, "invite", "problem.toml", "--set", "problem.mu=0.5", "--out", "p0.other")
        parties.peer(1, "accept", "p0.other", "problem.toml", "--set", "problem.mu=0.5", "--yes")
        parties.start(0, "run")
        parties.start(1, "run", "--set", "problem.mu=0.5")
        for i in (0, 1):
            parties.wait_for_line(i, "run", "the shared config of p")
            self.assertRegex(parties.log(i, "run"), r"refused(?: by the other side)?: the shared config of p\d has the digest")

    def test_an_invitation_to_another_problem_is_not_accepted(self):
        parties = self.parties(PAIR)
        parties.peer(0, "invite", "problem.toml", "--set", "problem.mu=0.5", "--out", "p0.other")
        done = parties.ask(1, "accept", "p0.other", "problem.toml", "--yes")
        self.assertEqual(done.returncode, 2)
        self.assertIn("expected an invitation to the problem of problem.toml", done.stderr)

    def test_an_unlisted_party(self):
        parties = self.parties([(0, 1)], count=3)
        parties.peer(2, "accept", "p0.invitation", "problem.toml", "--yes")
        parties.start(0, "run")
        parties.start(2, "run")
        self.both_say(parties, "run", "p2 is not listed as a neighbour", 0, 2)

    def test_a_key_that_is_not_the_listed_one(self):
        parties = self.parties(PAIR)
        home = parties.work / "home-1"
        for name in ("party.key", "party.crt", "party.json"):
            (home / name).unlink()
        place = parties.place
        parties.peer(1, "init", "--name", "p1", "--listen", place.listens(1), "--address", place.address_of(1))
        parties.start_all("run")
        parties.wait_for_line(1, "run", "refused by the other side: ")
        parties.wait_for_line(0, "run", "refused: ")
        self.assertRegex(parties.log(0, "run"), r"refused: .*key")

    def test_a_denied_key_while_a_run_goes_on(self):
        parties = self.parties(PAIR, method=LONG)
        parties.start_all("run")
        parties.wait_for_line(0, "run", "the mesh is complete")
        listed = json.loads((parties.work / "home-0/neighbours/p1.json").read_text())
        (parties.work / "home-0/denied").write_text(listed["keys"][0] + "\n")
        self.both_say(parties, "run", "the key is on the deny list")

    def test_another_party_under_a_listed_name(self):
        parties = self.parties([(0, 1), (0, 2)], count=3)
        for name in ("party.key", "party.crt"):
            (parties.work / "home-1" / name).write_bytes((parties.work / "home-2" / name).read_bytes())
        parties.start(0, "run")
        parties.start(1, "run")
        parties.wait_for_line(1, "run", "refused")
        parties.wait_for_line(0, "run", "refused")

    def test_plain_text_and_old_tls(self):
        parties = self.parties(PAIR)
        parties.start(0, "run")
        parties.wait_for_line(0, "run", "waiting for")
        address = ("127.0.0.1", parties.place.ports[0])
        with socket.create_connection(address) as plain:
            plain.sendall(b"GET / HTTP/1.1\r\n\r\n")
            parties.wait_for_line(0, "run", "what arrived is not TLS")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        with socket.create_connection(address) as old, self.assertRaises(ssl.SSLError):
            context.wrap_socket(old)
        parties.wait_for_line(0, "run", "does not speak TLS 1.3")

    def test_nobody_without_a_certificate(self):
        parties = self.parties(PAIR)
        parties.start(0, "run")
        parties.wait_for_line(0, "run", "waiting for")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        with socket.create_connection(("127.0.0.1", parties.place.ports[0])) as nobody:
            try:
                context.wrap_socket(nobody).recv(1000)
            except ssl.SSLError:
                pass
        parties.wait_for_line(0, "run", "refused: no certificate was shown")

    def test_rows_that_are_refused_show_the_others_nothing_of_them(self):
        parties = self.parties(PAIR)
        (parties.work / "p1.csv").write_text("a,b,c,label\n1,2,3,secret1\n1,2,3,secret2\n1,2,4,secret3\n")
        processes = parties.start_all("run")
        self.assertEqual(processes[1].wait(20), 3)
        parties.wait_for_line(0, "run", "p1 left: its own rows were refused")
        self.assertNotIn("p1.csv", parties.log(0, "run"))

    def test_a_budget_is_kept_and_the_others_are_told(self):
        parties = self.parties(PAIR, method=LONG)
        processes = [parties.start(0, "run"), parties.start(1, "run", "--budget", "600")]
        self.assertEqual(processes[1].wait(30), 4)
        self.assertIn("expected to touch at most 600 rows here (--budget), got 600 and 60 more", parties.log(1, "run"))
        parties.wait_for_line(0, "run", "p1 left: a limit of its own was reached")
        calls = json.loads((parties.work / "run/1/summary.json").read_text())["runs"][0]["outer_steps"] * 60
        self.assertLessEqual(calls, 600)

    def test_what_parties_cannot_have(self):
        parties = self.parties(PAIR)
        for override, reason in [("stop.target_gap=0.1", "F* would need everyone's rows"),
                                 ('data.source="synthetic"', "expected rows that parties have"),
                                 ('data.source="npy"', "labels")]:
            done = parties.ask(0, "invite", "problem.toml", "--set", override)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(reason, done.stderr)


class Telling(Case):
    def test_status_says_who_is_missing_and_why(self):
        parties = self.parties(ring(3), count=3)
        self.assertIn("no run has been started", parties.peer(0, "status"))
        process = parties.start(0, "run")
        parties.start(1, "run")
        parties.wait_for_line(0, "run", "connected to p1")
        time.sleep(1.2)
        text = parties.peer(0, "status")
        self.assertIn("p0: waiting for the mesh", text)
        self.assertRegex(text, r"p1: connected")
        self.assertRegex(text, r"p2: not connected: it cannot be reached: Connection refused")
        self.assertIn("p2 has not been heard of", text)
        self.end(process)
        self.assertIn("p0: ended", parties.peer(0, "status"))

    def test_status_notices_a_process_that_is_gone(self):
        parties = self.parties(PAIR)
        process = parties.start(0, "run")
        parties.wait_for_line(0, "run", "waiting for")
        process.kill()
        process.wait()
        self.assertIn("its process is gone", parties.peer(0, "status"))

    def test_doctor_finds_nothing_wrong_or_says_what_is(self):
        parties = self.parties(PAIR)
        self.assertIn("nothing is wrong on this side", parties.peer(0, "doctor", "problem.toml", "--data", "p0.csv"))
        done = parties.ask(0, "doctor", "problem.toml", "--set", "problem.mu=0.5")
        self.assertEqual(done.returncode, 2)
        self.assertIn("WRONG p1 was accepted for the problem of problem.toml", done.stdout)
        done = parties.ask(0, "doctor", "problem.toml", "--data", "nowhere.csv")
        self.assertEqual(done.returncode, 2)
        self.assertIn("WRONG this party's rows are at nowhere.csv", done.stdout)

    def test_doctor_tells_a_port_that_is_taken_and_one_that_nobody_answers_at(self):
        parties = self.parties(PAIR)
        text = parties.ask(0, "doctor", "problem.toml").stdout
        self.assertIn("note  p1 does not answer at 127.0.0.1", text)
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", parties.place.ports[0]))
            taken.listen()
            done = parties.ask(0, "doctor", "problem.toml")
            self.assertEqual(done.returncode, 2)
            self.assertIn("WRONG this party can listen at 127.0.0.1", done.stdout)
        process = parties.start(1, "run")
        parties.wait_for_line(1, "run", "waiting for")
        self.assertIn("ok    p1 answers at 127.0.0.1", parties.ask(0, "doctor", "problem.toml").stdout)
        self.end(process)

    def test_doctor_compares_columns_with_those_that_were_met(self):
        parties = self.parties(PAIR)
        text = parties.peer(0, "doctor", "problem.toml", "--data", "p0.csv")
        self.assertIn("60 rows, the columns a, b, c", text)


class Ledgers(Case):
    def test_ledgers_agree_and_a_changed_one_does_not_pass(self):
        parties = self.parties(PAIR)
        self.assertEqual(wait_for(parties.start_all("run"), 60), [0, 0])
        self.assertEqual(parties.ledgers_disagree("run"), "")
        mine = parties.work / "run/0/messages.jsonl"
        lines = mine.read_text().splitlines(keepends=True)
        self.assertGreater(len(lines), 20)
        changed = parties.work / "changed.jsonl"
        changed.write_text("".join(lines[:10]) + lines[10].replace('"bytes":', '"bytes":1') + "".join(lines[11:]))
        done = self.audit(parties, changed)
        self.assertEqual(done.returncode, 3)
        self.assertIn("changed.jsonl:11: expected the chain to hold", done.stderr)
        changed.write_text("".join(lines[:10] + lines[11:]))
        self.assertEqual(self.audit(parties, changed).returncode, 3)

    def test_the_ledgers_of_two_runs_do_not_agree(self):
        parties = self.parties(PAIR)
        for run in ("one", "two"):
            self.assertEqual(wait_for(parties.start_all(run), 60), [0, 0])
        done = self.audit(parties, "one/0/messages.jsonl", "two/1/messages.jsonl")
        self.assertEqual(done.returncode, 3)
        self.assertIn("has not sent it", done.stdout)

    @staticmethod
    def audit(parties, *ledgers):
        return subprocess.run([PROGRAM, "peer", "audit", *map(str, ledgers)], cwd=parties.work, text=True,
                              capture_output=True)


class ComingAndGoing(Case):
    def test_three_parties_train_and_have_one_model(self):
        parties = self.parties(ring(3), count=3)
        self.assertEqual(wait_for(parties.start_all("run"), 60), [0, 0, 0])
        models = {answer["models"] for answer in parties.answers("run")}
        self.assertEqual(models, {parties.in_process()["models"]})
        self.assertEqual(wait_for(parties.start_all("run"), 10), [0, 0, 0])  # there is nothing left to do
        self.assertIn("all parties have finished", parties.log(0, "run"))

    def test_an_interrupted_party_leaves_its_best_answer_and_goes_on(self):
        parties = self.parties(PAIR, method='name = "defw"\nouter_steps = 3000')
        processes = parties.start_all("run")
        parties.wait_for_line(1, "run", "the mesh is complete")
        time.sleep(1)
        self.end(processes[1])
        parties.wait_for_line(0, "run", "p1 left: it was interrupted")
        left = json.loads((parties.work / "run/1/summary.json").read_text())["runs"][0]
        self.assertEqual(left["status"], "interrupted")
        self.assertTrue((parties.work / "run/1/model.json").exists())
        processes[1] = parties.start(1, "run")
        self.assertEqual(wait_for(processes, 60), [0, 0])
        self.assertEqual({answer["models"] for answer in parties.answers("run")}, {parties.in_process()["models"]})

    def test_the_others_go_on_without_a_party_that_all_its_neighbours_dropped(self):
        parties = self.parties(ring(4) + [(0, 2)], count=4, method='name = "ipds-restarted"\nouter_steps = 60')
        processes = parties.start_all("run")
        parties.wait_for_line(0, "run", "the mesh is complete")
        time.sleep(0.5)
        processes[3].kill()
        processes[3].wait()
        for i in (0, 2):
            parties.peer(i, "drop", "p3")
        self.assertEqual(wait_for(processes[:3], 60), [0, 0, 0])
        self.assertIn("3 parties (p0, p1, p2)", parties.log(1, "run"))
        self.assertEqual(len({answer["models"] for answer in parties.answers_of("run", range(3))}), 1)

    def test_a_party_with_a_set_of_its_own(self):
        parties = self.parties(PAIR, method='name = "ipds-restarted"\nouter_steps = 200')
        own = '{ kind = "l1-ball", radius = 0.5 }'
        processes = [parties.start(0, "run"), parties.start(1, "run", "--own-set", own)]
        self.assertEqual(wait_for(processes, 60), [0, 0])
        model = json.loads(parties.answers("run")[0]["models"])[0]
        self.assertLess(sum(map(abs, model)), 0.51)
        self.assertGreater(sum(map(abs, model)), 0.3)


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
