"""The Python that pages show, run as it stands there."""

import pathlib
import re

import numpy as np
import pytest
import slidemesh

SOURCE = pathlib.Path(__file__).resolve().parents[2]
CONFIG = '[data]\nrows = 200\nfeatures = 4\n[network]\nnodes = 3\n[stop]\ncertified_gap = 1e-2\n'


def blocks_of(page):
    return re.findall(r"^```python\n(.*?)^```$", (SOURCE / page).read_text(encoding="utf-8"), re.M | re.S)


def names_that_pages_use():
    """A table whose classes follow from its columns, as readers have one."""
    draw = np.random.default_rng(1)
    table = draw.normal(size=(300, 4))
    classes = np.where(table @ [1.0, -1.0, 0.5, 0.0] + 0.3 * draw.normal(size=300) > 0, "yes", "no")
    return {"X": table[:200], "y": classes[:200], "X_test": table[200:], "y_test": classes[200:], "slidemesh": slidemesh}


@pytest.mark.parametrize("page", ["README.md", "docs/python.md", "docs/functions.md"])
def test_what_a_page_shows_runs(page, tmp_path, monkeypatch):
    pytest.importorskip("sklearn")
    pytest.importorskip("matplotlib").use("svg")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.toml").write_text(CONFIG)
    for run in ("a", "b"):
        slidemesh.run("config.toml", out=f"runs/{run}")
    blocks, names = blocks_of(page), names_that_pages_use()
    assert blocks
    for block in blocks:
        exec(compile(block, page, "exec"), names)
    if "model" in names:
        assert names["model"].score(names["X_test"], names["y_test"]) > 0.8
