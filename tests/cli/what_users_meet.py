#!/usr/bin/env python3
"""What users meet around a run: colours of a terminal, keys that another command takes, limits across a resume.

    what_users_meet.py --program PATH
"""

import fcntl
import json
import os
import pathlib
import pty
import random
import re
import signal
import sqlite3
import struct
import subprocess
import sys
import termios
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))

import program_case  # noqa: E402

SMALL = {"data.rows": 400, "data.features": 5, "network.graph": '"ring"', "network.nodes": 4}


class Users(program_case.ProgramCase):
    def config(self, method, name="c.toml", more="", **keys):
        """A small problem; keys are those of SMALL, changed, and `more` is text behind them."""
        tables = {}
        for key, value in {**SMALL, **{k.replace("__", "."): v for k, v in keys.items()}}.items():
            table, word = key.split(".")
            tables.setdefault(table, []).append(f"{word} = {value}")
        text = "".join(f"[{table}]\n" + "\n".join(lines) + "\n" for table, lines in tables.items())
        (self.directory / name).write_text(text + f"[[method]]\n{method}\n{more}")
        return name

    def summary(self, out):
        return json.loads((self.directory / out / "summary.json").read_text())["runs"][0]

    def model(self, out):
        return json.loads((self.directory / out / "model.json").read_text())["models"][0]

    def in_terminal(self, *arguments, columns=200, **variables):
        """What a run writes to a terminal of so many columns."""
        main, other = pty.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
        child = subprocess.Popen([self.program, *arguments], cwd=self.directory, stdin=subprocess.DEVNULL, stdout=other, stderr=other,
                                 env={**environment, "TERM": "xterm-256color", **variables})
        os.close(other)
        text = b""
        while True:
            try:
                part = os.read(main, 65536)
            except OSError:  # what Linux says at the end of a terminal
                break
            if not part:
                break
            text += part
        os.close(main)
        self.assertEqual(child.wait(), 0, text)
        return text.decode()

    def test_colours_are_for_terminals_that_want_them(self):
        name = self.config('name = "newton-sliding"', data__cv=5, stop__certified_gap=1e-2)  # of which a warning is made
        colour = re.compile(r"\x1b\[[0-9;]*[1-9][0-9;]*m")
        self.assertRegex(self.in_terminal("run", name, "--out", "a"), colour)
        self.assertNotRegex(self.in_terminal("run", name, "--out", "b", NO_COLOR="1"), colour)
        self.assertNotRegex(self.in_terminal("run", name, "--out", "c", TERM="dumb"), colour)
        self.assertRegex(self.in_terminal("run", name, "--out", "d", NO_COLOR=""), colour)  # set but empty asks for nothing
        done = self.run_program("run", name, "--out", "e")
        self.assertNotIn("\x1b", done.stdout + done.stderr)

    def test_tables_and_lists_fit_the_terminal(self):
        name = self.config('name = "newton-sliding"', stop__certified_gap=1e-2)
        (self.directory / "t.csv").write_text("a long name of a column,y\n" + "".join(f"{i},{i % 2}\n" for i in range(30)))
        for arguments in (["list", "methods"], ["list", "sets"], ["data", "inspect", "t.csv", "--label", "y", "--columns", "--nodes", "3"]):
            for columns in (60, 90):
                text = self.in_terminal(*arguments, columns=columns)
                table = text[text.find("split over"):] if arguments[0] == "data" else text
                self.assertLessEqual(max(map(len, table.splitlines())), columns, table)
        drawn = self.in_terminal("run", name, "--out", "a", columns=40)
        for line in re.findall(r"\r\x1b\[K([^\r\n]*)", drawn):
            self.assertLess(len(line), 40, "what wraps cannot be drawn over")
        self.assertNotRegex(drawn, r"[ \t]\r?\n")

    def test_the_gap_is_shown_in_the_unit_that_was_asked_for(self):
        name = self.config('name = "newton-sliding"', stop__certified_gap=1e-3)
        for unit in ("relative", "absolute"):
            out = self.run_program("run", name, "--out", unit, "--set", f"stop.certified_gap_measure={unit}").stdout
            header, values, *_ = out.splitlines()
            self.assertIn(f"certified gap ({unit})", header)
            run = self.summary(unit)
            scale = run["objective_at_start"] - run["lower_bound"] if unit == "relative" else 1.0
            self.assertIn(f"  {run['certified_gap'] / scale:.2e}  ", values)
            self.assertLessEqual(run["certified_gap"] / scale, 1e-3)

    def test_a_start_that_is_optimal_is_said(self):
        """Labels far beyond Huber's delta and centred columns: F is linear without a slope, and nothing can be gained."""
        rows = [(s * (i + 1), 1000 + i) for i in range(20) for s in (-1, 1)]
        (self.directory / "flat.csv").write_text("a,y\n" + "".join(f"{a},{y}\n" for a, y in rows))
        (self.directory / "flat.toml").write_text(
            '[problem]\nloss = "huber"\nset = { kind = "l1-ball", radius = 1.0 }\n[data]\npath = "flat.csv"\nlabel = "y"\n'
            '[network]\ngraph = "path"\nnodes = 2\n[stop]\ncertified_gap = 1e-4\n')
        done = self.run_program("run", "flat.toml", "--out", "flat", codes=(0, 4))
        run = self.summary("flat")
        self.assertNotIn("nan", done.stdout + done.stderr)
        self.assertLess(run["certified_gap"], 1e-6 * run["objective_at_start"])
        if run["status"] != "target_reached":
            self.assertIn("the start was within", done.stderr)

    def test_what_is_wrong_with_a_config_file(self):
        (self.directory / "folder").mkdir()
        (self.directory / "empty.toml").write_text("")
        self.run_program("run", "empty.toml", "--out", "e", "--quiet", "--set", "data.rows=100", "--set", "stop.certified_gap=1e-1")  # defaults for all
        self.assertIn("folder: expected a config file that can be read, got a directory", self.run_program("run", "folder", codes=(2,)).stderr)
        self.assertIn("nowhere.toml: expected a config file that can be read, got No such file", self.run_program("run", "nowhere.toml", codes=(2,)).stderr)
        (self.directory / "c.toml").write_text('[data]\npath = "t.txt"\nlabel = "y"\n')
        self.assertIn('c.toml:3: expected a known key of [data], got "data.label", a key for: csv, matrix-market', self.run_program("run", "c.toml", codes=(2,)).stderr)

    def test_words_in_a_column_may_be_the_label(self):
        (self.directory / "t.csv").write_text("width,length,kind\n1,2,rose\n2,1,lily\n")
        (self.directory / "c.toml").write_text('[data]\npath = "t.csv"\n[network]\nnodes = 2\n')
        self.assertIn("""the label was taken to be 'width' (data.label = "kind" if it is this one)""", self.run_program("run", "c.toml", codes=(3,)).stderr)

    def test_paths_of_parts_on_the_command_line(self):
        for k in range(2):
            (self.directory / f"part-{k}.csv").write_text("y,a,b\n" + "".join(f"{i % 2},{i % 3 + k},{i % 5}\n" for i in range(20)))
        (self.directory / "c.toml").write_text("[network]\nnodes = 2\n[stop]\ncertified_gap = 1e-1\n")
        self.run_program("run", "c.toml", "--out", "a", "--quiet", "--set", "data.path=part-{node}.csv", "--set", "data.label=y")

    def test_what_cannot_be_printed_is_an_error(self):
        with open("/dev/full", "w") as full:
            for arguments in (["list", "losses"], ["graph", "ring", "--nodes", "4"], ["list", "keys"]):  # the last is more than a buffer holds
                done = self.run_program(*arguments, codes=(2,), stdout=full)
                self.assertEqual(done.stderr, "slidemesh: error: standard output: expected room for what is printed, got No space left on device\n")

    def test_a_run_whose_table_cannot_be_printed_has_its_results(self):
        (self.directory / "c.toml").write_text("[data]\nrows = 400\n[network]\nnodes = 4\n" + "".join(
            f'[[method]]\nname = "defw"\nlabel = "{"a long label " * 5}{i}"\nouter_steps = 2\n' for i in range(30)))
        with open("/dev/full", "w") as full:
            done = self.run_program("run", "c.toml", "--out", "a", codes=(2,), stdout=full)
        self.assertRegex(done.stderr.splitlines()[-1], "^slidemesh: error: standard output: expected room for what is printed, got ")
        self.assertEqual(done.stderr.count("error"), 1)
        self.assertEqual(len(json.loads((self.directory / "a/summary.json").read_text())["runs"]), 30)
        self.assertTrue((self.directory / "a/report.html").exists())
        self.assertEqual(list(self.directory.glob("a/checkpoints/*")), [])

    def test_a_log_on_a_full_disk_changes_no_exit_code(self):
        name = self.config('name = "defw"\nouter_steps = 4')
        with open("/dev/full", "w") as full:
            self.run_program("run", "nowhere.toml", codes=(2,), stderr=full)
            self.run_program("run", name, "--out", "a", stderr=full)
            self.run_program("run", name, "--out", "a", codes=(2,), stderr=full, stdout=full)
            self.run_program("predict", "a", "nowhere.csv", codes=(3,), stderr=full)

    def test_a_run_outlives_its_reader(self):
        name = self.config('name = "defw"\nouter_steps = 400', output__every=1)
        for streams, code in ((dict(stderr=subprocess.STDOUT), 2), (dict(stderr=subprocess.DEVNULL), 2)):
            run = subprocess.Popen([self.program, "run", name, "--out", "a", "--overwrite"], cwd=self.directory, stdout=subprocess.PIPE, **streams)
            run.stdout.close()
            self.assertEqual(run.wait(), code)
            self.assertEqual(self.summary("a")["status"], "finished")

    def test_a_terminal_that_closes_stops_a_run_that_can_go_on(self):
        name = self.config('name = "defw"\nouter_steps = 2000', data__rows=20000)

        def begin(out, **more):
            run = subprocess.Popen([self.program, "run", name, "--out", out], cwd=self.directory, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)
            trace = self.directory / out / "trace.jsonl"
            while not (trace.exists() and trace.read_text().count("\n") > 2):
                time.sleep(0.01)
            run.send_signal(signal.SIGHUP)
            return run

        self.assertEqual(begin("a").wait(), 4)
        self.assertEqual(self.summary("a")["status"], "interrupted")
        run = begin("b", preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))  # as nohup does
        steps = self.directory / "b/trace.jsonl"
        before = steps.read_text().count("\n")
        while run.poll() is None and steps.read_text().count("\n") <= before:
            time.sleep(0.01)
        run.terminate()
        self.assertIn(run.wait(), (0, 4))

    def test_a_key_that_run_does_not_take_is_said(self):
        name = self.config('name = "newton-sliding"', data__cv=5, stop__certified_gap=1e-2)
        self.assertRegex(self.run_program("run", name, "--out", "a").stderr, r"data\.cv: run trains once.*slidemesh path c\.toml")
        self.run_program("path", name, "--out", "p", "--quiet", "--radii", "1,10")

    def test_reproduce_has_json(self):
        done = self.run_program("reproduce", "spectral-gaps", "--json", "--out", "r")
        self.assertEqual(json.loads(done.stdout), json.loads((self.directory / "r/tables.json").read_text()))
        self.assertTrue(json.loads(done.stdout)["findings"])
        self.assertEqual(done.stderr, "")

    def test_a_budget_goes_on_over_a_resume(self):
        # Each step reads 400 rows; F at the start and at the end are read too.
        name = self.config('name = "defw"\nouter_steps = 40', data__budget=8000, output__trace='"off"', output__checkpoint_every=1)
        self.run_program("run", name, "--out", "a", "--quiet", codes=(4,))
        first = self.summary("a")
        self.assertEqual(first["status"], "budget_reached")
        self.assertLessEqual(first["rows_read"], 8000)
        again = self.run_program("run", name, "--out", "a", "--resume", "--quiet", codes=(4,))
        self.assertIn("data.budget", again.stderr + str(self.summary("a")["status"]).replace("budget_reached", "data.budget"))
        self.assertLessEqual(self.summary("a")["outer_steps"], first["outer_steps"], "expected no step beyond the budget")
        self.run_program("run", name, "--out", "a", "--resume", "--quiet", "--set", "data.budget=30000")
        self.run_program("run", name, "--out", "whole", "--quiet", "--set", "data.budget=30000")
        last, whole = self.summary("a"), self.summary("whole")
        self.assertEqual(last["status"], "finished")
        self.assertEqual(whole["rows_read"], 43 * 400, "expected 40 steps, three looks at F, and none at the smoothness constant")
        self.assertEqual(self.model("a")["parameters"], self.model("whole")["parameters"])
        self.assertGreaterEqual(last["rows_read"], whole["rows_read"], "expected rows that were read before the resume to be counted")

    def test_opapc_resumes_to_the_same_bits(self):
        keys = dict(problem__mu=0.5, problem__set='{ kind = "l2-ball", radius = 50.0 }', output__checkpoint_every=1)
        name = self.config('name = "opapc"\nouter_steps = 60', **keys)
        self.run_program("run", name, "--out", "whole", "--quiet")
        self.run_program("run", name, "--out", "a", "--quiet", "--set", "stop.data_oracle_calls=10000", codes=(4,))
        self.assertLess(self.summary("a")["outer_steps"], 60)
        self.run_program("run", name, "--out", "a", "--quiet", "--resume")
        self.assertEqual((self.directory / "a/model.json").read_bytes(), (self.directory / "whole/model.json").read_bytes())

    def test_an_optimum_is_kept_for_the_problem_and_the_program_that_it_is_of(self):
        name = self.config('name = "defw"\nouter_steps = 3', problem__loss='"huber"', problem__delta=1.0, output__reference="true")
        cache = self.directory / "reference-optima.json"

        def is_known(*more):
            said = self.run_program("run", name, "--out", "a", "--overwrite", *more).stderr
            self.assertRegex(said, r"F\* = .*(iterations|known from an earlier run)")
            return "known from an earlier run" in said

        self.assertFalse(is_known())
        self.assertTrue(is_known())
        self.assertFalse(is_known("--set", "problem.delta=0.5"), "another parameter of the loss is another problem")
        self.assertTrue(is_known())
        known = json.loads(cache.read_text())
        for change in ({"version": 1}, {"version": "new"}, {"version": None}):  # as an older program left it, or somebody else
            older = {key: {**entry, **change, "value": 1e6, "lower_bound": -1e6} for key, entry in known["optima"].items()}
            cache.write_text(json.dumps({**known, "optima": older}))
            self.assertFalse(is_known(), change)
            self.assertTrue(is_known())

    def test_a_free_intercept_beside_sets_of_the_nodes_own(self):
        draw = random.Random(3)
        with (self.directory / "rows.csv").open("w") as out:
            out.write("a,b,value\n")
            for _ in range(400):
                a, b = draw.gauss(0, 1), draw.gauss(0, 1)
                out.write(f"{a},{b},{3 * a + b + 7.0 + draw.gauss(0, 0.1)}\n")
        (self.directory / "c.toml").write_text(
            '[problem]\nloss = "least-squares"\nset = { kind = "l2-ball", radius = 2.0 }\n'
            '[data]\npath = "rows.csv"\nlabel = "value"\nintercept = "free"\n[network]\ngraph = "ring"\nnodes = 4\n'
            '[[node]]\nnodes = [1]\nset = { kind = "box", lower = -0.5, upper = 0.5 }\n[stop]\ncertified_gap = 1e-6\n')
        self.run_program("run", "c.toml", "--out", "a", "--quiet")
        a, b, intercept = self.model("a")["parameters"]
        self.assertAlmostEqual(a, 0.5, delta=1e-3)  # node 1's box binds, and says nothing of the intercept
        self.assertLessEqual(abs(b), 0.5 + 1e-6)
        self.assertAlmostEqual(intercept, 7.0, delta=0.3)

    def test_sets_without_a_common_point_are_said_to_be_that(self):
        boxes = "".join(f'[[node]]\nnodes = {i}\nset = {{ kind = "box", lower = {low}, upper = {low + 1} }}\n' for i, low in ((0, 1.0), (2, -2.0)))
        name = self.config('name = "newton-sliding"', more=boxes, stop__certified_gap=1e-4)
        said = self.run_program("run", name, "--out", "o", codes=(4,)).stderr
        self.assertIn("got no gap; the nodes' sets have no common point, which the multipliers prove", said)

    def test_rows_whose_key_is_a_word(self):
        draw = random.Random(1)
        with sqlite3.connect(self.directory / "p.db") as base:
            base.execute("CREATE TABLE people (name TEXT PRIMARY KEY, label REAL, a REAL, b REAL)")
            for i in range(200):
                a, b = draw.gauss(0, 1), draw.gauss(0, 1)
                base.execute("INSERT INTO people VALUES (?, ?, ?, ?)", (f"person {draw.random()}", 1.0 if a > b else -1.0, a, b))
        base.close()
        rest = 'label_column = "label"\nholdout = 0.2\nledger = "l.jsonl"\n[network]\nnodes = 4\n[[method]]\nname = "ipds-vr"\n[stop]\ncertified_gap = 1e-3\n'
        (self.directory / "c.toml").write_text(f'[data]\npath = "p.db"\ntable = "people"\nkey = "name"\n{rest}')
        self.run_program("run", "c.toml", "--out", "c", "--quiet")
        self.assertEqual(self.summary("c")["status"], "target_reached")
        self.assertRegex((self.directory / "c/l.jsonl").read_text(), r'"keys":\["person 0\.')
        with sqlite3.connect(self.directory / "p.db") as base:  # as many rows as the ledger has
            names = [name for name, in base.execute("SELECT name FROM people ORDER BY name")]
        base.close()
        predicted = self.run_program("predict", "c", "p.db", "--set", "table=people", "--set", "key=name").stdout.splitlines()
        self.assertEqual([line.split(",")[0] for line in predicted], ["id", *names])
        (self.directory / "out.csv.part").write_text("somebody's")
        self.run_program("predict", "c", "p.db", "--set", "table=people", "--set", "key=name", "--out", "out.csv")
        self.assertEqual((self.directory / "out.csv").read_text().splitlines(), predicted)
        self.assertEqual((self.directory / "out.csv.part").read_text(), "somebody's")
        # A key that is a number gives the same rows in the same order, but holds out others.
        whole = rest.replace("holdout = 0.2\n", "")
        (self.directory / "c.toml").write_text(f'[data]\npath = "p.db"\ntable = "people"\nkey = "name"\n{whole}')
        (self.directory / "q.toml").write_text(
            f'[data]\npath = "p.db"\nquery = "SELECT row_number() OVER (ORDER BY name) AS id, label, a, b FROM people"\nkey = "id"\n{whole}')
        for name in "cq":
            self.run_program("run", f"{name}.toml", "--out", name, "--quiet", "--overwrite")
        self.assertEqual(self.model("c")["parameters"], self.model("q")["parameters"])
        with sqlite3.connect(self.directory / "p.db") as base:
            base.execute("UPDATE people SET name = x'ff' WHERE name = ?", (names[3],))
        base.close()
        self.assertIn("expected an integer or text as key in every row, got bytes", self.run_program("run", "c.toml", "--overwrite", codes=(3,)).stderr)

    def test_a_label_that_is_no_number_is_named_by_its_column(self):
        with sqlite3.connect(self.directory / "p.db") as base:
            base.execute("CREATE TABLE trees (id INTEGER PRIMARY KEY, kind TEXT, a REAL)")
            base.executemany("INSERT INTO trees VALUES (?, ?, ?)", [(i, "oak" if i % 2 else "ash", i) for i in range(8)])
        base.close()
        (self.directory / "c.toml").write_text('[data]\npath = "p.db"\ntable = "trees"\nlabel_column = "kind"\n[network]\nnodes = 2\n')
        self.assertIn("p.db table trees: row with key 0: expected a finite number in column 'kind', got text", self.run_program("run", "c.toml", codes=(3,)).stderr)

    def test_a_table_is_loaded_with_names_for_its_rows(self):
        text = "who,a,b,y\n" + "".join(f"p{i:03d},{i % 7},{i % 5},{int(i % 7 > i % 5)}\n" for i in reversed(range(60)))
        (self.directory / "t.csv").write_text(text)
        self.run_program("data", "load", "t.csv", "--label", "y", "--id", "who", "--table", "people", "--sqlite", "t.db")
        (self.directory / "c.toml").write_text('[data]\npath = "t.db"\ntable = "people"\n[network]\nnodes = 3\n[stop]\ncertified_gap = 1e-2\n')
        self.run_program("run", "c.toml", "--out", "c", "--quiet")
        self.assertEqual(self.run_program("predict", "c", "t.db", "--set", "table=people").stdout.splitlines()[1].split(",")[0], "p000")


if __name__ == "__main__":
    program_case.main(__doc__)
