"""The package as users get it: a wheel, built offline and installed into a fresh environment."""

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import slidemesh

SOURCE = Path(__file__).resolve().parent.parent

TRY = """
import numpy as np, slidemesh, sys
assert slidemesh.__file__.startswith(sys.prefix), slidemesh.__file__
X = np.random.default_rng(0).standard_normal((200, 4)); y = X[:, 0] > 0
model = slidemesh.SlidingClassifier(certified_gap=1e-3).fit(X, y)
assert model.score(X, y) > 0.9
print(slidemesh.__version__)
"""


def build(where):
    """With the extension of the build tree: what CMake makes is tested elsewhere, what setuptools does here."""
    for name in ("pyproject.toml", "setup.py", "README.md"):
        shutil.copy2(SOURCE / name, where / name)
    shutil.copytree(SOURCE / "slidemesh", where / "slidemesh", ignore=shutil.ignore_patterns("__pycache__"))
    environment = {**os.environ, "SLIDEMESH_EXTENSION": slidemesh._slidemesh.__file__,
                   "SLIDEMESH_VERSION": slidemesh.__version__}
    environment.pop("PYTHONPATH")
    done = subprocess.run([sys.executable, "-m", "build", "--no-isolation", "--wheel", "."], cwd=where, env=environment,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return next((where / "dist").glob("*.whl"))


def test_the_wheel_installs_and_works(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    wheel, again = build(tmp_path / "one"), build(tmp_path / "two")
    assert hashlib.sha256(wheel.read_bytes()).digest() == hashlib.sha256(again.read_bytes()).digest()
    names = zipfile.ZipFile(wheel).namelist()
    assert "slidemesh/py.typed" in names and "slidemesh/_slidemesh.pyi" in names
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    python = tmp_path / "fresh" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", str(tmp_path / "fresh")], check=True)
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", "--no-index", str(wheel)], check=True,
                   env=environment)
    done = subprocess.run([str(python), "-c", TRY], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == slidemesh.__version__
