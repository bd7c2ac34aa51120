"""The notebooks run from their first cell to their last."""

import subprocess
import sys
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parent.parent / "notebooks").glob("*.ipynb"))


def test_there_are_three():
    assert [path.stem for path in NOTEBOOKS] == ["first_steps", "four_hospitals", "what_it_costs"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_runs(path, tmp_path):
    done = subprocess.run([sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--output-dir",
                           str(tmp_path),
                           "--ExecutePreprocessor.timeout=300", str(path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
