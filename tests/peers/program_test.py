#!/usr/bin/env python3
"""`slidemesh peer` as its users meet it: processes on the loopback, their logs, exit codes and files.

    tests/peers/program_test.py build/ci/apps/slidemesh/slidemesh [-k NAME]
"""

import json
import random
import shutil
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
SOME_SECONDS = 'name = "defw"\nouter_steps = 32000'
PAIR = [(0, 1)]


class Case(unittest.TestCase):
    def parties(self, edges, count=2, method=SHORT, **more):
        directory = self.enterContext(tempfile.TemporaryDirectory())
        place = self.enterContext(Loopback(count))
        return self.enterContext(Parties(PROGRAM, place, Path(directory), edges, method, **more))

    def both_say(self, parties, run, reason, first=0, second=1):
        """One line each: `first` refuses for that reason, and `second` is told."""
        parties.wait_for_line(first, run, "refused: " + reason)
        parties.wait_for_line(second, run, "refused by the other side: " + reason)
        for i in (first, second):
            line = next(line for line in parties.log(i, run).splitlines() if reason in line)
            self.assertRegex(line, r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ p\d: .*\(key sha256:[0-9a-f]{64}\)")

    def pause(self, process):
        """So that a run does not end before something is done to it, however fast the machine is."""
        process.send_signal(signal.SIGSTOP)
        self.addCleanup(lambda: process.poll() is None and process.send_signal(signal.SIGCONT))

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

    def test_another_wire_is_another_problem(self):
        parties = self.parties(PAIR)
        process = parties.start(0, "run", "--set", "network.wire=float32")
        self.assertEqual(process.wait(20), 2)
        self.assertIn("expected the problem that p1 was accepted for, got another", parties.log(0, "run"))

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
        parties.wait_for_line(0, "run", "waiting: ")
        address = ("127.0.0.1", parties.place.ports[0])
        with socket.create_connection(address) as plain:
            plain.sendall(b"GET / HTTP/1.1\r\n\r\n")
            parties.wait_for_line(0, "run", "what arrived is not TLS")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        with socket.create_connection(address) as old, self.assertRaises(ssl.SSLError):
            context.wrap_socket(old)
        parties.wait_for_line(0, "run", "does not use TLS 1.3")

    def test_nobody_without_a_certificate(self):
        parties = self.parties(PAIR)
        parties.start(0, "run")
        parties.wait_for_line(0, "run", "waiting: ")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        with socket.create_connection(("127.0.0.1", parties.place.ports[0])) as nobody:
            try:
                with context.wrap_socket(nobody) as shaken:
                    shaken.recv(1000)
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


class Administration(Case):
    """What an administrator does first, does wrong, and does again."""

    def test_an_address_that_nobody_can_call_is_not_told(self):
        parties = self.parties(PAIR)
        done = parties.ask(7, "init", "--name", "p7", "--listen", "0.0.0.0:7400")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--address: expected a host and a port that neighbours can call, got 0.0.0.0:7400", done.stderr)
        self.assertFalse((parties.work / "home-7").exists())
        parties.peer(7, "init", "--name", "p7", "--listen", "0.0.0.0:7400", "--address", "p7.example:7400")

    def test_init_again_moves_a_party_and_keeps_its_key(self):
        parties = self.parties(PAIR)
        key = (parties.work / "home-0/party.key").read_text()
        text = parties.peer(0, "init", "--listen", "127.0.0.1:7411")
        self.assertRegex(text, r"listens +127\.0\.0\.1:7411\naddress +127\.0\.0\.1:7411")
        self.assertEqual((parties.work / "home-0/party.key").read_text(), key)
        self.assertIn("expected the party p0, got --name q", parties.ask(0, "init", "--name", "q").stderr)

    def test_files_in_the_wrong_order_and_commands_too_early(self):
        parties = self.parties([], count=2)
        done = parties.ask(0, "accept", "problem.toml", "p1.invitation", "--yes")
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertIn("problem.toml: expected an invitation that slidemesh peer invite wrote", done.stderr)
        done = parties.ask(0, "accept", "p0.invitation", "problem.toml", "--yes")
        self.assertIn("expected another party's, got one of p0 itself", done.stderr)
        done = parties.ask(0, "run", "problem.toml", "--data", "p0.csv")
        self.assertIn("expected a neighbour (slidemesh peer accept), got none", done.stderr)
        done = parties.ask(5, "invite", "problem.toml")
        self.assertIn("home-5: expected a party's home, got none (slidemesh peer init makes one)", done.stderr)
        parties.peer(0, "accept", "p1.invitation", "problem.toml", "--yes")
        done = parties.ask(0, "run", "problem.toml")
        self.assertEqual(done.returncode, 3)
        self.assertIn("expected this party's rows (--data), got no such file", done.stderr)

    def test_one_process_for_each_party(self):
        parties = self.parties(PAIR)
        process = parties.start(0, "run")
        parties.wait_for_line(0, "run", "waiting: ")
        again = parties.start(0, "again")
        self.assertEqual(again.wait(20), 2)
        self.assertIn("home-0: expected a directory that no other run writes to", parties.log(0, "again"))
        self.end(process)

    def test_patience_is_a_key_of_the_config_and_each_partys_own(self):
        parties = self.parties(PAIR, patience=None)
        process = parties.start(0, "run", "--set", "peer.patience=1.5")
        self.assertEqual(process.wait(20), 5)
        self.assertIn("waited for the mesh for longer than its patience", parties.log(0, "run"))

    def test_keys_of_a_partys_own_are_checked(self):
        parties = self.parties(PAIR)
        for override, reason in [('peer.bad_message="sometimes"', "expected end or wait"),
                                 ("peer.patience=0", "expected a positive number"),
                                 ("peer.patiense=5", "patience")]:
            done = parties.ask(0, "run", "problem.toml", "--data", "p0.csv", "--set", override)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(reason, done.stderr)

    def test_results_of_another_problem_are_not_taken_for_this_ones(self):
        parties = self.parties(PAIR)
        self.assertEqual(wait_for(parties.start_all("run"), 60), [0, 0])
        for i in (0, 1):
            parties.peer(i, "invite", "problem.toml", "--set", "problem.mu=0.5", "--out", f"p{i}.other")
        for i in (0, 1):
            parties.peer(i, "accept", f"p{1 - i}.other", "problem.toml", "--set", "problem.mu=0.5", "--yes")
        process = parties.start(0, "run", "--set", "problem.mu=0.5")
        self.assertEqual(process.wait(20), 2)
        self.assertIn("got those of another (--out)", parties.log(0, "run"))

    def test_columns_that_differ_end_that_party_alone_and_better_rows_heal_the_run(self):
        parties = self.parties(PAIR)
        rows = (parties.work / "p1.csv").read_text()
        (parties.work / "p1.csv").write_text(rows.replace("a,b,c,label", "a,b,weight,label", 1))
        processes = parties.start_all("run")
        self.assertEqual(processes[1].wait(30), 3)
        self.assertIn("p1.csv: expected a column called 'c' as node 0 has, got none", parties.log(1, "run"))
        parties.wait_for_line(0, "run", "p1 left: its own rows were refused")
        time.sleep(1.5)
        self.assertIn("p1: not connected: p1 left: its own rows were refused", parties.peer(0, "status"))
        (parties.work / "p1.csv").write_text(rows)
        processes[1] = parties.start(1, "run")
        self.assertEqual(wait_for(processes, 60), [0, 0])


class Authorities(Case):
    """An organisation's own authority: openssl makes it, the request goes out and the certificate comes in."""

    def setUp(self):
        if shutil.which("openssl") is None:
            self.skipTest("openssl is not installed")

    def openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], cwd=self.work, check=True, capture_output=True)

    def make_authority(self, parties):
        self.work = parties.work
        (self.work / "index.txt").write_text("")
        (self.work / "ca.cnf").write_text(
            "[ca]\ndefault_ca=d\n[d]\ndatabase=index.txt\nnew_certs_dir=.\nserial=serial\nrand_serial=yes\n"
            "default_md=sha256\npolicy=p\ncopy_extensions=copy\nunique_subject=no\n[p]\ncommonName=supplied\n")
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                     "ca.key", "-out", "ca.pem", "-subj", "/CN=Trust A", "-days", "30")

    def issue(self, parties, i, days=30):
        parties.peer(i, "init", "--request")
        self.openssl("ca", "-batch", "-notext", "-config", "ca.cnf", "-cert", "ca.pem", "-keyfile", "ca.key", "-days",
                     str(days), "-in", f"home-{i}/party.csr", "-out", f"p{i}.crt")
        return parties.peer(i, "init", "--certificate", f"p{i}.crt")

    def invite_by_authority(self, parties):
        for i in (0, 1):
            self.assertIn("issued by CN=Trust A", self.issue(parties, i))
            parties.peer(i, "invite", "problem.toml", "--authority", "ca.pem", "--out", f"p{i}.invitation")
        for i in (0, 1):
            parties.peer(i, "accept", f"p{1 - i}.invitation", "problem.toml", "--yes")

    def test_certificates_of_an_authority_and_none_that_is_self_signed(self):
        parties = self.parties(PAIR)
        self.make_authority(parties)
        self.invite_by_authority(parties)
        self.assertEqual(wait_for(parties.start_all("run"), 60), [0, 0])
        done = parties.ask(1, "init", "--renew")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--renew: expected a self-signed certificate, got one issued by CN=Trust A", done.stderr)
        done = parties.ask(1, "init", "--certificate", "p0.crt")
        self.assertEqual(done.returncode, 2, done.stderr)
        (parties.work / "home-1/party.crt").unlink()
        self.openssl("req", "-x509", "-key", "home-1/party.key", "-out", "home-1/party.crt", "-subj", "/CN=p1", "-days",
                     "3", "-addext", "subjectAltName=URI:slidemesh:party/p1")
        parties.start_all("self-signed")
        self.both_say(parties, "self-signed", "the certificate is not signed by the authority listed for this party")

    def test_a_revoked_certificate_ends_a_run_that_goes_on_and_a_new_one_heals_it(self):
        parties = self.parties(PAIR, method=SOME_SECONDS)
        self.make_authority(parties)
        self.invite_by_authority(parties)
        processes = parties.start_all("run")
        parties.wait_for_line(0, "run", "the mesh is complete")
        self.pause(processes[1])
        self.openssl("ca", "-config", "ca.cnf", "-cert", "ca.pem", "-keyfile", "ca.key", "-revoke", "p1.crt")
        self.openssl("ca", "-config", "ca.cnf", "-cert", "ca.pem", "-keyfile", "ca.key", "-gencrl", "-crldays", "1",
                     "-out", "home-0/revocations.pem")
        processes[1].send_signal(signal.SIGCONT)
        self.both_say(parties, "run", "the certificate was revoked by its authority")
        self.issue(parties, 1)
        self.assertEqual(wait_for(processes, 60), [0, 0])
        self.assertEqual({answer["models"] for answer in parties.answers("run")}, {parties.in_process()["models"]})


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
        parties.wait_for_line(0, "run", "waiting: ")
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
        for command in (["init", "--name", "alone"], ["doctor", "problem.toml"]):
            done = subprocess.run([PROGRAM, "peer", *command, "--home", "alone"], cwd=parties.work, text=True, capture_output=True)
        self.assertIn("WRONG nobody is listed as a neighbour (slidemesh peer accept)", done.stdout)

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
        parties.wait_for_line(1, "run", "waiting: ")
        self.assertIn("ok    p1 answers at 127.0.0.1", parties.ask(0, "doctor", "problem.toml").stdout)
        self.end(process)

    def test_doctor_tells_the_columns(self):
        parties = self.parties(PAIR)
        text = parties.peer(0, "doctor", "problem.toml", "--data", "p0.csv")
        self.assertIn("60 rows, the columns a, b, c", text)

    def test_doctor_compares_with_a_neighbour_whose_run_waits(self):
        parties = self.parties(PAIR)
        process = parties.start(1, "run")
        parties.wait_for_line(1, "run", "waiting: ")
        text = parties.peer(0, "doctor", "problem.toml", "--data", "p0.csv")
        self.assertRegex(text, r"ok    the clock of p1 is \d+\.\d s (ahead of|behind) this machine's")
        self.assertIn("ok    p1 has the same shared config", text)
        self.assertIn("ok    p1 has the same 3 columns", text)
        done = parties.ask(0, "doctor", "problem.toml", "--set", "problem.mu=0.5")
        self.assertEqual(done.returncode, 2)
        self.assertIn("WRONG p1 has another shared config: 'problem.mu' is '0.5' here and '0.01' there", done.stdout)
        self.assertIn("note  this party cannot tell its columns without rows to look at: --data FILE", done.stdout)
        other = (parties.work / "p0.csv").read_text().replace("a,b,c,label", "a,b,z,label")
        (parties.work / "other.csv").write_text(other)
        done = parties.ask(0, "doctor", "problem.toml", "--data", "other.csv")
        self.assertEqual(done.returncode, 2)
        self.assertIn("WRONG p1 lacks columns that this party has: 'z'", done.stdout)
        self.assertIn("WRONG this party lacks columns that p1 has: 'c'", done.stdout)
        parties.wait_for_line(1, "run", "its doctor asked, and was sent the clock, the problem and the columns here")
        self.end(process)

    def test_doctors_of_two_parties_compare_with_each_other(self):
        parties = self.parties(PAIR)
        ask = [parties.program, "peer", "doctor", "problem.toml", "--wait", "20"]
        both = [subprocess.Popen([*ask, "--home", f"home-{i}", "--data", f"p{i}.csv"], cwd=parties.work, text=True,
                                 stdout=subprocess.PIPE) for i in (0, 1)]
        texts = [process.communicate(timeout=60)[0] for process in both]
        self.assertTrue(any("has the same 3 columns" in text for text in texts), texts)

    def test_doctor_tells_why_a_neighbour_refuses(self):
        parties = self.parties(PAIR)
        parties.peer(1, "drop", "p0")
        parties.peer(1, "init", "--name", "p1")
        invited = parties.work / "home-1/neighbours/someone.json"
        invited.write_text((parties.work / "home-0/neighbours/p1.json").read_text().replace('"p1"', '"someone"'))
        process = parties.start(1, "run")
        parties.wait_for_line(1, "run", "waiting: ")
        done = parties.ask(0, "doctor", "problem.toml")
        self.assertEqual(done.returncode, 2)
        self.assertIn("refused by the other side: p0 is not listed as a neighbour", done.stdout)
        self.end(process)


class Ledgers(Case):
    def test_ledgers_agree_and_a_changed_one_does_not_pass(self):
        parties = self.parties(PAIR)
        self.assertEqual(wait_for(parties.start_all("run"), 60), [0, 0])
        self.assertEqual(parties.ledgers_disagree("run"), "")
        self.assertEqual(self.audit(parties, "run/0", "run/1").returncode, 0)  # directories of results do as well
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


class Words(Case):
    """What is said beside the method's own messages."""

    def control_after(self, steps):
        parties = self.parties(ring(3), count=3, method=f'name = "defw"\nouter_steps = {steps}', every=10**6,
                               checkpoint_every=10**6)
        self.assertEqual(wait_for(parties.start_all("run"), 60), [0, 0, 0])
        runs = [json.loads((parties.work / f"run/{i}/summary.json").read_text())["runs"][0] for i in range(3)]
        return [(run["control_messages"], run["control_bytes"], run["communication_rounds"]) for run in runs]

    def test_a_step_costs_no_message_of_controls_and_at_most_one_small_vector_on_each_of_the_methods(self):
        few, many = self.control_after(100), self.control_after(300)
        for (messages, size, rounds), (more_messages, more_size, more_rounds) in zip(few, many):
            self.assertEqual(messages, more_messages)
            self.assertEqual(more_rounds - rounds, 400)
            vector = 3 * 8  # two clocks, and whether someone was interrupted; to each of two neighbours at most
            self.assertLessEqual(more_size - size, (more_rounds - rounds) * 2 * vector)


class ComingAndGoing(Case):
    def test_three_parties_train_and_have_one_model(self):
        parties = self.parties(ring(3), count=3)
        self.assertEqual(wait_for(parties.start_all("run"), 60), [0, 0, 0])
        models = {answer["models"] for answer in parties.answers("run")}
        self.assertEqual(models, {parties.in_process()["models"]})
        self.assertEqual(wait_for(parties.start_all("run"), 10), [0, 0, 0])  # there is nothing left to do
        self.assertIn("all parties have finished", parties.log(0, "run"))

    def test_every_party_has_the_certificate_of_the_whole_and_its_own_objective(self):
        parties = self.parties(ring(3), count=3, method='name = "ipds-restarted"\nouter_steps = 150')
        self.assertEqual(wait_for(parties.start_all("run"), 60), [0, 0, 0])
        summaries = [json.loads((parties.work / f"run/{i}/summary.json").read_text())["runs"][0] for i in range(3)]
        models = [json.loads((parties.work / f"run/{i}/model.json").read_text())["models"][0] for i in range(3)]
        self.assertEqual(len({(s["lower_bound"], s["certified_gap"]) for s in summaries}), 1)
        self.assertEqual(len({s["objective_at_average"] for s in summaries}), 3)
        own = sum(s["objective_at_average"] for s in summaries)
        for model, summary in zip(models, summaries):
            self.assertGreaterEqual(summary["certified_gap"], 0)
            self.assertLess(summary["certified_gap"], 1e-4)
            self.assertAlmostEqual(model["objective"], own, places=5)
        parties.in_process()
        whole = json.loads((parties.work / "in-process/summary.json").read_text())["runs"][0]
        self.assertAlmostEqual(models[0]["objective"], whole["objective_at_average"], places=10)

    def test_a_certified_gap_is_told_relative_to_the_whole(self):
        """Labels that columns say little about: F* is above what each party's own rows begin with."""
        parties = self.parties(ring(3), count=3)
        for i in range(3):
            draw = random.Random(i)
            lines = "".join(f"{draw.random():.6f},{draw.randrange(2)}\n" for _ in range(60))
            (parties.work / f"p{i}.csv").write_text("a,label\n" + lines)
        problem = parties.work / "problem.toml"
        problem.write_text(problem.read_text() + "[stop]\ncertified_gap = 1e-4\n")
        parties.introduce()
        self.assertEqual(wait_for(parties.start_all("run"), 60), [0, 0, 0])
        for i in range(3):
            run = json.loads((parties.work / f"run/{i}/summary.json").read_text())["runs"][0]
            self.assertEqual(run["status"], "target_reached")
            self.assertGreater(run["lower_bound"], run["objective_at_average"])
            relative = run["certified_gap"] / (run["objective_at_start"] - run["lower_bound"])
            self.assertLessEqual(relative, 1e-4)
            self.assertEqual(run["got"], f"a certified gap of {relative:.2e} (relative)")
            self.assertIn(f" {relative:.2e} ", parties.log(i, "run"))

    def test_an_interrupted_party_leaves_its_best_answer_and_goes_on(self):
        parties = self.parties(PAIR, method=SOME_SECONDS)
        processes = parties.start_all("run")
        parties.wait_for_line(1, "run", "the mesh is complete")
        time.sleep(0.1)  # some steps
        self.pause(processes[0])
        self.end(processes[1])
        processes[0].send_signal(signal.SIGCONT)
        parties.wait_for_line(0, "run", "p1 left: it was interrupted")
        left = json.loads((parties.work / "run/1/summary.json").read_text())["runs"][0]
        self.assertEqual(left["status"], "interrupted")
        self.assertTrue((parties.work / "run/1/model.json").exists())
        processes[1] = parties.start(1, "run")
        self.assertEqual(wait_for(processes, 60), [0, 0])
        self.assertEqual({answer["models"] for answer in parties.answers("run")}, {parties.in_process()["models"]})

    def test_the_others_go_on_without_a_party_that_all_its_neighbours_dropped(self):
        parties = self.parties(ring(4) + [(0, 2)], count=4, method=SOME_SECONDS)
        processes = parties.start_all("run")
        parties.wait_for_line(0, "run", "the mesh is complete")
        time.sleep(0.1)  # some steps
        processes[3].kill()
        processes[3].wait()
        for i in (0, 2):
            parties.peer(i, "drop", "p3")
        self.assertEqual(wait_for(processes[:3], 60), [0, 0, 0])
        self.assertIn("3 parties (p0, p1, p2)", parties.log(1, "run"))
        self.assertEqual(len({answer["models"] for answer in parties.answers_of("run", range(3))}), 1)

    def test_a_mesh_that_falls_apart_says_so_and_trains_on_neither_side(self):
        parties = self.parties([(0, 1), (1, 2), (2, 3)], count=4, method=LONG)
        processes = parties.start_all("run")
        parties.wait_for_line(0, "run", "the mesh is complete")
        processes[1].kill()
        processes[1].wait()
        for i in (0, 2):
            parties.peer(i, "drop", "p1")
        self.assertEqual(processes[0].wait(20), 5)
        self.assertIn("expected a neighbour to go on with, got none", parties.log(0, "run"))
        for i in (2, 3):
            self.assertEqual(processes[i].wait(20), 5)
            self.assertIn("the mesh fell apart: no neighbour of p0 is among the parties that are left (p2, p3)",
                          parties.log(i, "run"))

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
