"""Writes sets.pyi, losses.pyi and graphs.pyi from the registries, for editors and type checkers.

    PYTHONPATH=<build>/python python3 python/make_stubs.py

The functions themselves are made from the same registries when the package is imported.
"""

import inspect
import sys
from pathlib import Path

# The package beside this file has no extension; the build tree's has.
sys.path = [place for place in sys.path if Path(place).resolve() != Path(__file__).resolve().parent]

HEADS = {
    "sets": '''from typing import Any, Callable, Optional, Sequence, Union

import numpy as np

from . import _slidemesh

class Set:
    kind: str
    keys: dict[str, Any]
    def __init__(self, kind: str, **keys: Any) -> None: ...
    def table(self) -> dict[str, Any]: ...
    def make(self, dimension: int, matrix_rows: int = 0) -> _slidemesh.Set: ...
    def linear_minimizer(self, g: Any) -> np.ndarray: ...
    def project(self, x: Any) -> np.ndarray: ...
    def violation(self, x: Any) -> float: ...
    def contains(self, x: Any) -> bool: ...

class LinearOracle:
    linear_minimizer: Callable[[np.ndarray], Any]
    dimension: int
    project: Optional[Callable[[np.ndarray], Any]]
    violation: Optional[Callable[[np.ndarray], float]]
    diameter: Optional[float]
    start: Any
    name: str
    def __init__(self, linear_minimizer: Callable[[np.ndarray], Any], dimension: int, *,
                 project: Optional[Callable[[np.ndarray], Any]] = None,
                 violation: Optional[Callable[[np.ndarray], float]] = None, diameter: Optional[float] = None,
                 start: Any = None, name: str = "LinearOracle") -> None: ...
    def make(self, dimension: int, matrix_rows: int = 0) -> _slidemesh.Set: ...

def as_set(value: Any) -> Any: ...
''',
    "losses": '''from typing import Any, Optional

import numpy as np

from . import _slidemesh
from ._objectives import Rows

class Loss:
    kind: str
    keys: dict[str, Any]
    def __init__(self, kind: str, **keys: Any) -> None: ...
    def table(self) -> dict[str, Any]: ...
    def make(self) -> _slidemesh.Loss: ...
    @property
    def curvature(self) -> float: ...
    def evaluate(self, labels: Any, predictions: Any) -> tuple[float, np.ndarray]: ...
    def over(self, A: Any, b: Any) -> Rows: ...
''',
    "graphs": '''import os
from typing import Any, Iterable, Optional

import numpy as np

from . import _slidemesh

class Graph:
    _graph: _slidemesh.Graph
    def __init__(self, nodes: int, edges: Iterable[tuple[int, int]]) -> None: ...
    @property
    def nodes(self) -> int: ...
    @property
    def edges(self) -> list[tuple[int, int]]: ...
    def degree(self, node: int) -> int: ...
    def spectrum(self) -> np.ndarray: ...
    def to_networkx(self) -> Any: ...

def as_graph(value: Any, nodes: int, seed: int = 1) -> Graph: ...
''',
}

TYPES = {"number": "float", "whole number": "int", "text": "str", "list of numbers": "Sequence[float]",
         "number or list of numbers": "Union[float, Sequence[float]]",
         "list of lists of numbers": "Sequence[Sequence[float]]", "list of sets": "Sequence[Set]"}
RETURNS = {"sets": "Set", "losses": "Loss", "graphs": "Graph"}


def type_of(values: str) -> str:
    if values in TYPES:
        return TYPES[values]
    if "whole number" in values:
        return "int"
    if "path" in values:
        return "str | os.PathLike[str]"
    return "float"


def function(module: str, made, kinds) -> str:
    kind = next(kind for kind in kinds if kind["name"].replace("-", "_") == made.__name__)
    values = {key["name"]: key["values"] for key in kind["keys"]}
    parameters = []
    for name, parameter in inspect.signature(made).parameters.items():
        kind_of = "int" if name in ("nodes", "seed") else type_of(values[name])
        parameters.append(f"{name}: {kind_of}" if parameter.default is inspect.Parameter.empty
                          else f"{name}: Optional[{kind_of}] = None")
    return f"def {made.__name__}({', '.join(parameters)}) -> {RETURNS[module]}: ..."


def stub(module: str) -> str:
    import importlib

    from slidemesh import _slidemesh

    loaded = importlib.import_module(f"slidemesh.{module}")
    kinds = {"sets": _slidemesh.set_kinds, "losses": _slidemesh.loss_kinds, "graphs": _slidemesh.graph_kinds}[module]()
    names = [kind["name"].replace("-", "_") for kind in kinds]
    lines = [function(module, getattr(loaded, name), kinds) for name in names]
    return f"# Written by make_stubs.py.\n{HEADS[module]}\n" + "\n".join(lines) + "\n"


if __name__ == "__main__":
    folder = Path(__file__).resolve().parent / "slidemesh"
    for module in HEADS:
        (folder / f"{module}.pyi").write_text(stub(module))
