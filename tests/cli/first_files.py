#!/usr/bin/env python3
"""Files as people have them, met for the first time: each refusal is one line that names the key that mends it.

    first_files.py --program PATH
"""

import os
import pathlib
import random
import shutil
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))

import program_case  # noqa: E402


class FirstFiles(program_case.ProgramCase):
    def table(self, name, between=",", point=".", end="\n", classes=2, index=False, start=""):
        """Forty rows of two numbers and a class."""
        draw = random.Random(4)
        lines = [between.join((["id"] if index == "named" else [""] if index else []) + ["one", "two", "target"])]
        for i in range(40):
            numbers = [f"{draw.gauss(0, 1) + i % classes:.3f}".replace(".", point) for _ in range(2)]
            lines.append(between.join(([str(i)] if index else []) + numbers + [str(i % classes)]))
        (self.directory / name).write_bytes((start + end.join(lines) + end).encode())
        return name

    def config(self, path, *lines, loss="logistic"):
        (self.directory / "c.toml").write_text(
            f'[problem]\nloss = "{loss}"\nset = {{ kind = "l1-ball", radius = 5.0 }}\n[data]\npath = "{path}"\nlabel = "target"\n' + "".join(line + "\n" for line in lines)
            + '[network]\ngraph = "ring"\nnodes = 4\n[stop]\ncertified_gap = 1e-3\n')
        return "c.toml"

    def refusal(self, code, *arguments):
        lines = self.run_program(*arguments, codes=(code,)).stderr.splitlines()
        self.assertEqual(len([line for line in lines if line.startswith("slidemesh: error: ")]), 1, lines)
        return lines[-1]

    def test_another_delimiter_is_named_though_the_label_is_given(self):
        for between, word in ((";", ";"), ("\t", "\\t"), ("|", "|")):
            path = self.table("t.csv", between=between)
            self.assertIn(f'(data.delimiter = "{word}" parts it)', self.refusal(3, "run", self.config(path)))
            self.run_program("run", self.config(path, f'delimiter = "{word}"'), "--quiet", "--overwrite")

    def test_a_decimal_comma_is_no_word(self):
        said = self.refusal(3, "run", self.config(self.table("t.csv", between=";", point=","), 'delimiter = ";"'))
        self.assertIn("t.csv:2: expected a number in column 'one'", said)
        self.assertIn("decimal comma", said)
        self.assertNotIn("one-hot", said)
        one_hot = ('delimiter = ";"', 'categorical = "one-hot"')  # of which another column may have need
        said = self.refusal(3, "run", self.config(self.table("t.csv", between=";", point=","), *one_hot))
        self.assertIn("t.csv: expected a number or a category in column 'one'", said)
        self.assertIn("decimal comma", said)

    def test_commas_between_thousands_make_no_categories(self):
        for marks in ("1,{:03d}.50", "1.{:03d},50", "-2,{:03d}", "3,000,{:03d}.0"):
            lines = [f'"{marks.format(i)}",{i % 2}' for i in range(40)]
            (self.directory / "t.csv").write_text("\n".join(["one,target", *lines]) + "\n")
            for more in ((), ('categorical = "one-hot"',)):
                self.assertIn("one between thousands", self.refusal(3, "run", self.config("t.csv", *more)))
        lines = [f'"{"1,2,3" if i % 2 else "12,3456"}",{i % 2}' for i in range(40)]  # which are no such numbers
        (self.directory / "t.csv").write_text("\n".join(["one,target", *lines, "x,1"]) + "\n")
        self.run_program("run", self.config("t.csv", 'categorical = "one-hot"'), "--quiet")

    def test_marks_line_ends_and_packing_change_nothing(self):
        self.run_program("run", self.config(self.table("t.csv")), "--quiet", "--out", "plain")
        answer = (self.directory / "plain/coefficients.csv").read_text()
        for name, how in (("bom.csv", {"start": "\ufeff"}), ("windows.csv", {"end": "\r\n"})):
            self.run_program("run", self.config(self.table(name, **how)), "--quiet", "--out", name + ".out")
            self.assertEqual((self.directory / (name + ".out") / "coefficients.csv").read_text(), answer)
        subprocess.run(["gzip", "t.csv"], cwd=self.directory, check=True)
        self.run_program("run", self.config("t.csv.gz"), "--quiet", "--out", "packed")
        self.assertEqual((self.directory / "packed/coefficients.csv").read_text(), answer)

    def test_more_classes_than_two_are_led_to_softmax(self):
        path = self.table("t.csv", classes=3)
        self.assertIn('problem.loss = "softmax"', self.refusal(3, "run", self.config(path)))
        self.run_program("run", self.config(path, loss="softmax"), "--quiet")

    def words(self, name, words, *more):
        """Forty rows of one number, with labels that go by it."""
        lines = [f"{i % 10},{words[i % 10 * len(words) // 10]}" for i in range(40)]
        (self.directory / name).write_text("\n".join(["one,target", *lines, *more]) + "\n")
        return name

    def test_labels_that_are_words_are_called_so_where_they_are_refused(self):
        self.assertIn("expected labels of two values at least, got 'oak' alone", self.refusal(3, "run", self.config(self.words("t.csv", ["oak"]))))
        said = self.refusal(3, "run", self.config(self.words("t.csv", ["oak", "ash", "elm"])))
        self.assertIn("expected labels of two values, got 3 or more: 'ash', 'elm', 'oak' (problem.loss = \"softmax\" takes more classes)", said)

    def test_words_are_no_numbers_to_fit(self):
        for words, loss in ((["oak", "ash"], "logistic"), (["oak", "ash", "elm"], "softmax")):
            said = self.refusal(3, "run", self.config(self.words("t.csv", words), loss="least-squares"))
            self.assertIn("t.csv: expected labels that are numbers, got words: 'ash', ", said)
            self.assertIn(f'(problem.loss = "{loss}" takes them)', said)
        self.run_program("run", self.config(self.words("t.csv", ["true", "false"]), loss="least-squares"), "--quiet")  # these are 1 and 0
        said = self.refusal(3, "run", self.config(self.words("t.csv", ["1", "2"], "3,oak"), loss="least-squares"))
        self.assertIn("t.csv:42: expected a number as label in column 'target', got 'oak'", said)

    def test_numbers_are_not_taken_for_labels_that_are_words(self):
        """0 and 1 of another table need not count the words in order of their bytes, as the model does."""
        self.run_program("run", self.config(self.words("t.csv", ["oak", "ash"])), "--quiet", "--out", "a")
        self.run_program("evaluate", "a", "t.csv")
        numbers = self.words("n.csv", ["1", "0"])
        said = "n.csv:2: expected a word that column 'target' is known to have, got '1'"
        self.assertIn(said, self.refusal(3, "evaluate", "a", numbers))
        self.assertIn(said, self.refusal(3, "run", self.config("t.csv", 'test = "n.csv"'), "--out", "b"))
        (self.directory / "n.svm").write_text("".join(f"{i % 2} 1:{i}\n" for i in range(10)))
        self.assertIn("n.svm: expected labels that are words, as the model's 'ash' and 'oak', got numbers", self.refusal(3, "evaluate", "a", "n.svm"))
        self.run_program("predict", "a", "n.svm")  # where labels are not looked at
        self.run_program("run", self.config(self.words("t.csv", ["True", "False"])), "--quiet", "--out", "c")
        self.assertEqual(*(self.run_program("evaluate", "c", name).stdout for name in ("t.csv", numbers)))

    def test_predictions_do_not_replace_what_they_are_made_from(self):
        path = self.table("t.csv")
        self.run_program("run", self.config(path), "--quiet", "--out", "a")
        before = {name: (self.directory / name).read_bytes() for name in (path, "a/model.json")}
        for out in ("t.csv", "./t.csv", "a/model.json"):
            self.assertIn(f"--out: expected another file than those of rows and model, got {out}", self.refusal(2, "predict", "a", path, "--out", out))
        for name, content in before.items():
            self.assertEqual((self.directory / name).read_bytes(), content)
        for _ in range(2):  # other files it may replace
            self.run_program("predict", "a", path, "--out", "p.csv")

    def test_a_column_without_a_name_is_noted(self):
        path = self.table("t.csv", index=True)
        self.assertIn('data.ignore = ["1"] leaves it out', self.run_program("run", self.config(path)).stderr)
        self.assertNotIn("no name", self.run_program("run", self.config(path, 'ignore = ["1"]')).stderr)
        self.assertNotIn("no name", self.run_program("run", self.config(self.table("n.csv", index="named"), 'id = "id"')).stderr)

    def test_a_model_that_is_worse_than_the_mean_says_what_is_missing(self):
        (self.directory / "t.csv").write_text("one,target\n" + "".join(f"{i % 5 - 2},{100 + i % 5}\n" for i in range(40)))
        self.run_program("run", self.config("t.csv", loss="least-squares"), "--quiet", "--out", "a")
        self.assertIn('data.intercept = "free"', self.run_program("evaluate", "a", "t.csv").stdout)
        self.run_program("run", self.config("t.csv", 'intercept = "free"', loss="least-squares"), "--quiet", "--out", "b")
        self.assertNotIn("data.intercept", self.run_program("evaluate", "b", "t.csv").stdout)

    def proposal(self, path):
        """The config that a look at a file proposes, with what it leaves to the reader."""
        said = self.run_program("data", "inspect", path, "--nodes", "4").stdout
        lines = said[said.index("config that would read it:"):].split("\n\n")[1]
        (self.directory / "p.toml").write_text(lines + '\n[network]\ngraph = "ring"\nnodes = 4\n[stop]\ncertified_gap = 1e-2\n')
        self.assertIn("split over 4 nodes", said)  # and shows what is in it, so read
        return lines + "\n"

    def test_a_look_at_a_file_proposes_a_config_that_reads_it(self):
        draw = random.Random(3)
        rows = [(draw.gauss(0, 1), draw.choice(["north", "so,uth"]), f"2024-01-{i % 28 + 1:02}", f"person {i}") for i in range(80)]
        lines = [f"{i};{a if i % 9 else 'NA'};\"{site}\";{day};{name};{'yes' if a > 0 else 'no'}" for i, (a, site, day, name) in enumerate(rows)]
        (self.directory / "t.csv").write_text("\n".join([";dose;site;day;name;Outcome", *lines]) + "\n")
        proposed = self.proposal("t.csv")
        for line in ('loss = "logistic"', 'delimiter = ";"', 'label = "Outcome"', 'ignore = ["1", "day", "name"]', 'missing = "mean"', 'categorical = "one-hot"'):
            self.assertIn(line + "\n", proposed)
        self.run_program("run", "p.toml", "--quiet")
        for classes, loss in ((2, "logistic"), (3, "softmax")):
            self.assertIn(f'loss = "{loss}"', self.proposal(self.table("n.csv", between="\t", classes=classes)))
            self.run_program("run", "p.toml", "--quiet")

    def test_a_look_at_a_small_table_asks_for_no_more_nodes_than_rows(self):
        (self.directory / "t.csv").write_text("y,a\n0,1\n1,2\n1,3\n")
        self.assertIn("split over 3 nodes", self.run_program("data", "inspect", "t.csv", "--label", "y").stdout)
        self.assertIn("got 4 nodes for 3 rows", self.refusal(2, "data", "inspect", "t.csv", "--label", "y", "--nodes", "4"))

    def test_a_look_at_a_file_without_a_label_shows_its_columns(self):
        (self.directory / "t.csv").write_text("age,site\n" + "".join(f"{i},{'north' if i % 2 else 'south'}\n" for i in range(20)))
        said = self.run_program("data", "inspect", "t.csv").stdout
        self.assertRegex(said, r"'age' +numbers +0 to 19 +0 +20")
        self.assertRegex(said, r"'site' +words +'south', 'north' +0 +2")
        self.assertIn('label = "..."', said)
        self.assertIn("20 different", self.run_program("data", "inspect", "t.csv", "--label", "age").stdout)
        self.assertIn("got 'agee' (did you mean 'age'?)", self.refusal(2, "data", "inspect", "t.csv", "--label", "agee"))
        self.assertIn("expected a number in column 'site'", self.refusal(3, "data", "inspect", "t.csv", "--label", "age", "--missing", "zero"))
        self.assertIn("decimal comma", self.refusal(3, "data", "inspect", self.table("d.csv", between=";", point=",")))

    def test_a_look_at_a_file_shows_columns_whether_or_not_it_can_be_read_as_it_is(self):
        self.assertIn('label = "target"\nscaling', self.proposal(self.table("t.csv")))
        said = self.run_program("data", "inspect", "t.csv", "--label", "3").stdout
        self.assertIn('label = "target"\n', said)
        self.assertNotIn("holds", self.run_program("data", "inspect", "t.csv", "--label", "target", "--json").stdout)

    def test_what_is_proposed_for_a_table_can_be_run(self):
        """Numbers among words and infinite ones are read by no key; halves are no classes."""
        lines = [f"{i % 7},{'none' if i == 3 else i},{'inf' if i == 5 else i},{'true' if i % 3 else 'false'},{i % 5 / 2}" for i in range(40)]
        (self.directory / "t.csv").write_text("\n".join(["fine,mixed,endless,truth,target", *lines]) + "\n")
        proposed = self.proposal("t.csv")
        self.assertIn('loss = "least-squares"\n', proposed)
        self.assertIn('ignore = ["mixed", "endless"]\n', proposed)
        self.assertNotIn("categorical", proposed)
        self.run_program("run", "p.toml", "--quiet")

    def test_nothing_is_proposed_for_a_table_that_no_config_reads(self):
        for text, said in (("a,b,target\n", "expected rows, got none"), ("target\n1\n0\n", "expected a feature in some row, got labels alone"),
                           ("a,target\n1,0\n2,1,3\n", "t.csv:3: expected 2 fields, got 3")):
            (self.directory / "t.csv").write_text(text)
            done = self.run_program("data", "inspect", "t.csv", "--label", "target", codes=(3,))
            self.assertEqual(done.stdout, "")
            self.assertIn(said, done.stderr)

    def test_a_refusal_says_that_the_command_line_was_wrong(self):
        self.config(self.table("t.csv"))
        self.assertEqual(self.refusal(2, "run", "c.toml", "--set", "network.nodes=1"),
                         "slidemesh: error: --set: network.nodes: expected a whole number from 2 to 1000000, got 1")
        self.assertIn("c.toml:2: problem.loss", self.refusal(2, "run", self.config("t.csv", loss="logstic"), "--set", "network.nodes=3"))

    def test_a_set_without_its_table_is_shown_one(self):
        self.config(self.table("t.csv"))
        self.assertIn('problem.set: expected a table, as { kind = "l1-ball", radius = 10.0 }, got the string "l1-ball"',
                      self.refusal(2, "run", "c.toml", "--set", "problem.set=l1-ball"))

    def test_models_are_shared_where_sets_are_one(self):
        self.config(self.table("t.csv"))
        own = 'node=[{ nodes = 1, set = { kind = "l1-ball", radius = 2.0 } }]'
        self.run_program("run", "c.toml", "--quiet", "--out", "a", "--set", own)
        said = self.refusal(2, "run", "c.toml", "--set", own, "--set", 'method=[{ name = "newton-sliding", share = "models" }]')
        self.assertIn('got "newton-sliding with share = models", which needs one set for all', said)

    def test_text_of_other_systems_is_named(self):
        plain = (self.directory / self.table("t.csv")).read_text()
        for content, said in ((plain.encode("utf-16"), "t.csv:1: expected text in UTF-8, got UTF-16 (iconv"),
                              (plain.replace("\n", "\r").encode(), "t.csv:1: expected lines that end with a line feed, got carriage returns alone (tr")):
            (self.directory / "t.csv").write_bytes(content)
            self.assertIn(said, self.refusal(3, "run", self.config("t.csv")))
        (self.directory / "t.csv").write_text('"one\r\nkind",target\n' + "".join(f"{i},{i % 2}\n" for i in range(40)), newline="")
        self.run_program("run", self.config("t.csv"), "--quiet")

    def test_columns_of_one_name_are_refused_before_a_model_has_them(self):
        """A model finds its columns by name: trained on such a table, it could not be read again."""
        lines = [f"{i % 7},{i % 5},{i % 2}" for i in range(40)]
        for name, head in (("t.csv", "one,one,target"), ("n.csv", ",,target")):
            (self.directory / name).write_text("\n".join([head, *lines]) + "\n")
            said = self.refusal(3, "run", self.config(name))
            self.assertIn(f"{name}:1: expected columns with different names, got '{head.split(',')[0]}' for columns 1 and 2 (", said)

    def test_a_column_without_any_number_has_no_mean(self):
        (self.directory / "t.csv").write_text("\n".join(["one,two,target", *(f"{i},,{i % 2}" for i in range(40))]) + "\n")
        said = self.refusal(3, "run", self.config("t.csv", 'missing = "mean"'))
        self.assertIn("t.csv:2: expected a number in some row of column 'two', got none, and so no mean (data.ignore leaves the column out)", said)

    def test_what_new_rows_lack_is_said_of_them(self):
        self.run_program("run", self.config(self.table("t.csv")), "--quiet", "--out", "a")
        (self.directory / "bare.csv").write_text("one,two\n1,2\n")
        self.assertIn("bare.csv:1: expected a column called 'target', got none", self.refusal(3, "evaluate", "a", "bare.csv"))
        (self.directory / "lack.csv").write_text("one,target\n1,0\n")
        self.assertTrue(self.refusal(3, "predict", "a", "lack.csv").endswith("lack.csv:1: expected a column called 'two', got none"))
        (self.directory / "other.csv").write_text("one;two\n1;2\n")
        self.assertIn('(data.delimiter = ";" parts it)', self.refusal(3, "predict", "a", "other.csv"))
        (self.directory / "none.csv").write_text("one,two\n")
        self.assertEqual(self.run_program("predict", "a", "none.csv").stdout, "prediction,P(0),P(1)\n")

    def test_an_entry_has_its_row_and_its_column_in_two_columns(self):
        """Numbers count columns, also where a header has numbers for names: '0' would be the first by name, and '1' as well."""
        (self.directory / "t.csv").write_text("0,1,2\n" + "".join(f"{i},{j},{i + j}\n" for i in range(6) for j in range(5)))
        (self.directory / "c.toml").write_text('[problem]\nloss = "matrix-completion"\nset = { kind = "nuclear-ball", radius = 50.0 }\n'
                                               '[data]\npath = "t.csv"\nrow = "0"\ncolumn = "1"\nvalue = "2"\n[network]\ngraph = "ring"\nnodes = 3\n')
        self.assertIn("data.column: expected another column than those of row and column, got column 1 of t.csv", self.refusal(2, "run", "c.toml"))

    def test_files_of_other_formats_are_named(self):
        self.table("t.txt")
        (self.directory / "c.toml").write_text('[data]\npath = "t.txt"\n')
        self.assertIn('(data.source = "csv" reads it as CSV)', self.refusal(3, "run", "c.toml"))
        self.assertIn("(by its name the file is libsvm; data.source says otherwise)", self.refusal(2, "run", self.config("t.txt")))
        self.run_program("run", self.config("t.txt", 'source = "csv"'), "--quiet")

    def test_no_config_is_proposed_that_numbers_with_commas_or_nothing_would_refuse(self):
        lines = [f"{i % 7},\"{i},5\",,{i % 2}" for i in range(40)]
        (self.directory / "t.csv").write_text("\n".join(["one,two,three,target", *lines]) + "\n")
        self.assertIn('ignore = ["two", "three"]', self.run_program("data", "inspect", "t.csv", "--label", "target").stdout)
        (self.directory / "t.csv").write_text("\n".join(["one,target", *(f'"{i},5",{i % 2}' for i in range(40))]) + "\n")
        shown = self.run_program("data", "inspect", "t.csv", "--label", "target", codes=(3,))
        self.assertIn("numbers with commas", shown.stdout)
        self.assertNotIn("lines of a config", shown.stdout)
        self.assertIn("decimal comma", shown.stderr)

    def test_a_column_without_a_name_is_called_by_its_number(self):
        (self.directory / "t.csv").write_text("one,target,\n" + "".join(f"{i},{i % 2},\n" for i in range(40)))
        self.assertIn("t.csv:2: expected a number in column '3', got nothing", self.refusal(3, "run", self.config("t.csv")))
        self.run_program("run", self.config("t.csv", 'ignore = "3"'), "--quiet")

    def test_a_target_missed_in_raw_units_is_led_to_scaling(self):
        lines = [f"{(i % 7 + 1) * 1e9:.0f},{i % 5},{int(i % 7 + i % 5 > 5)}" for i in range(40)]
        (self.directory / "t.csv").write_text("\n".join(["stamp,one,target", *lines]) + "\n")
        self.config("t.csv")
        one_step = ("--set", "method=[{ name = 'newton-sliding', outer_steps = 1 }]", "--quiet")
        said = self.run_program("run", "c.toml", *one_step, "--out", "a", codes=(4,)).stderr
        self.assertRegex(said, r'the target was not reached: .*\(data\.scaling = "standard" mends it\)')
        said = self.run_program("run", "c.toml", *one_step, "--set", "data.scaling=standard", "--out", "b", codes=(4,)).stderr
        self.assertNotIn("data.scaling", said)

    def test_ids_with_gaps_are_noted_to_be_places(self):
        """As films have them: a matrix of all numbers below the largest is mostly empty."""
        def rate(step):
            lines = [f"{i % 7 + 1},{step * (i % 9)},{i % 5 + 1}" for i in range(60)]
            (self.directory / "t.csv").write_text("\n".join(["user,film,stars", *lines]) + "\n")
        (self.directory / "c.toml").write_text(
            '[problem]\nloss = "matrix-completion"\nset = { kind = "nuclear-ball", radius = 20.0 }\n[data]\npath = "t.csv"\n'
            'row = "user"\ncolumn = "film"\nvalue = "stars"\n[network]\ngraph = "ring"\nnodes = 4\n[stop]\ncertified_gap = 1e-2\n')
        rate(100)
        run = ("run", "c.toml", "--out", "a", "--overwrite")
        self.assertIn("column 'film' has 9 different numbers, which are places among 801 (data.names = true", self.run_program(*run).stderr)
        for meant in ("data.names=true", "data.matrix_columns=900"):
            self.assertNotIn("places", self.run_program(*run, "--set", meant).stderr)
        rate(1)
        self.assertNotIn("places", self.run_program(*run).stderr)

    def test_keys_are_named_where_they_are_few(self):
        self.config(self.table("t.csv"))
        said = self.refusal(2, "run", "c.toml", "--set", 'problem.set={ kind = "simplex", size = 3.0 }')
        self.assertIn('expected a known key of [problem.set] (kind or total), got "problem.set.size"', said)

    def test_words_without_quotes(self):
        (self.directory / "c.toml").write_text("[problem]\nloss = logistic\n")
        said = self.refusal(2, "run", "c.toml")
        self.assertIn("c.toml:2: ", said)
        self.assertIn('loss = "logistic"', said)

    def test_a_suggestion_stands_without_thirty_other_words(self):
        self.config(self.table("t.csv"))
        said = self.refusal(2, "run", "c.toml", "--set", "problem.set.kind=l1ball")
        self.assertIn("did you mean l1-ball?", said)
        self.assertLess(len(said), 160)

    def test_numbers_of_options_are_refused_in_few_words(self):
        for option, value in (("--rows", "0"), ("--alpha", "abc"), ("--alpha", "inf")):
            self.assertEqual(self.refusal(2, "data", "inspect", self.table("t.csv"), option, value),
                             f"slidemesh: error: command line: {option}: expected a positive number, got {value} (see slidemesh --help)")

    def test_overwrite_without_out_replaces_what_the_last_run_left(self):
        config = self.config(self.table("t.csv"))
        for _ in range(2):
            self.run_program("run", config, "--quiet", "--overwrite")
        self.assertEqual([p.name for p in (self.directory / "runs").iterdir() if p.is_dir()], ["c"])

    @unittest.skipIf(os.geteuid() == 0, "root may look everywhere")
    def test_a_place_that_may_not_be_looked_at(self):
        self.in_a_closed_place()

    @unittest.skipUnless(os.geteuid() == 0, "changes its user")
    def test_a_place_that_another_user_may_not_look_at(self):
        os.chmod(self.directory, 0o755)
        self.program = shutil.copy(self.program, self.directory / "slidemesh")  # from where that user may not look either
        self.in_a_closed_place(user=65534)

    def in_a_closed_place(self, **who):
        config = self.config(self.table("t.csv"))
        for made in self.directory.iterdir():
            made.chmod(0o755)
        (self.directory / "runs").mkdir()
        (self.directory / "runs").chmod(0)
        for arguments in (("run", config), ("report", "runs/c")):
            done = self.run_program(*arguments, codes=(2,), **who)
            self.assertRegex(done.stderr, r"slidemesh: error: runs/c.*: expected .*, got Permission denied")
        (self.directory / "runs").chmod(0o700)


if __name__ == "__main__":
    program_case.main(__doc__)
