"""Stubs say what is there, and type checkers agree with the code."""

import importlib.util
import inspect
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from slidemesh import _slidemesh

SOURCE = Path(__file__).resolve().parent.parent


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("module", ["sets", "losses", "graphs"])
def test_stubs_are_those_of_the_registries(module):
    written = (SOURCE / "slidemesh" / f"{module}.pyi").read_text()
    assert written == load(SOURCE / "make_stubs.py").stub(module), "run python/make_stubs.py"


def test_the_extensions_stub_has_every_name():
    stub = (SOURCE / "slidemesh" / "_slidemesh.pyi").read_text()
    for name, value in vars(_slidemesh).items():
        if not name.startswith("_"):
            assert f"def {name}(" in stub or f"class {name}:" in stub, name
            if inspect.isclass(value):
                for member in vars(value):
                    assert member.startswith("_") or f"def {member}(" in stub, f"{name}.{member}"


@pytest.mark.skipif(shutil.which("mypy") is None, reason="mypy is not installed")
def test_mypy_has_nothing_to_say(tmp_path):
    done = subprocess.run(["mypy", "--ignore-missing-imports", "--cache-dir", str(tmp_path), str(SOURCE / "slidemesh")],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
