"""Tests that run the program as a user does, each in a directory of its own."""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import unittest


class ProgramCase(unittest.TestCase):
    program = ""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.directory = pathlib.Path(folder.name)

    def run_program(self, *arguments, codes=(0,), **more):
        """What it printed, once it has ended with one of the codes; `more` is for subprocess.run."""
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
        done = subprocess.run([self.program, *map(str, arguments)], cwd=self.directory, text=True, **streams)
        self.assertIn(done.returncode, codes, done.stderr)
        return done


def main(description):
    """Runs the tests of the script that calls it, with the program of its command line."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    known, rest = parser.parse_known_args()
    ProgramCase.program = str(pathlib.Path(known.program).resolve())
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
