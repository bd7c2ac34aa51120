"""Decentralized constrained training with few touches of the data.

Estimators in scikit-learn's manner (`SlidingClassifier`, `SlidingRegressor`, `MatrixCompleter`), functions of one's own
(`solve`), and the program's configs (`run`, `load_model`, `report`), all over one C++ core. Sets, losses and graphs are
in `slidemesh.sets`, `slidemesh.losses` and `slidemesh.graphs`.

>>> import slidemesh
>>> target = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]
>>> objectives = [slidemesh.Function(lambda x, t=t: sum((x - t) ** 2) / 2, lambda x, t=t: x - t, smoothness=1.0)
...               for t in target]
>>> result = slidemesh.solve(objectives, slidemesh.sets.l2_ball(radius=1.0), "path", dimension=2)
>>> [round(float(x), 4) + 0.0 for x in result.x]
[0.0, 0.3333]
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import graphs, losses, sets
from ._objectives import Function
from ._result import Certificate, Costs, InterruptedWarning, NotReachedWarning, Record, Result, Table
from ._slidemesh import __version__, set_threads, threads
from ._solve import solve
from .graphs import Graph
from .sets import LinearOracle

if TYPE_CHECKING:
    from ._completion import MatrixCompleter
    from ._estimators import SlidingClassifier, SlidingRegressor
    from ._run import Model, Run, RunResult, export_onnx, load_model, load_result, report, run

# scikit-learn takes longer to import than all else together, so that its part is loaded when it is asked for.
_LATER = {
    "SlidingClassifier": "_estimators",
    "SlidingRegressor": "_estimators",
    "MatrixCompleter": "_completion",
    "Model": "_run",
    "Run": "_run",
    "RunResult": "_run",
    "export_onnx": "_run",
    "load_model": "_run",
    "load_result": "_run",
    "report": "_run",
    "run": "_run",
}

__all__ = [
    "Certificate", "Costs", "Function", "Graph", "InterruptedWarning", "LinearOracle", "MatrixCompleter", "Model",
    "NotReachedWarning", "Record", "Result", "Run", "RunResult", "SlidingClassifier", "SlidingRegressor", "Table",
    "__version__", "export_onnx", "graphs", "load_model", "load_result", "losses", "methods", "report", "run",
    "set_threads", "sets", "solve", "threads",
]  # fmt: skip


def methods() -> list[str]:
    """The names that `method=` takes.

    >>> "defw" in methods()
    True
    """
    from ._slidemesh import method_kinds

    return [kind["name"] for kind in method_kinds()]


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_LATER[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})
