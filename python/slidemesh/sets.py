"""Feasible sets: every kind that `slidemesh list sets` shows, as a function of the same name.

>>> from slidemesh import sets
>>> ball = sets.l1_ball(radius=2.0)
>>> ball
l1_ball(radius=2.0)
>>> ball.linear_minimizer([0.0, -3.0, 1.0]).tolist()
[0.0, 2.0, 0.0]
>>> ball.project([3.0, 0.0]).tolist()
[2.0, 0.0]
"""

from __future__ import annotations

from typing import Any, Callable, Mapping, Optional

import numpy as np

from . import _slidemesh
from ._kinds import constructor, python_name


class Set:
    """A set by its kind and keys, as a config has it: of no dimension until it meets a problem.

    Made by the functions of this module; `make(d)` is the set in R^d.
    """

    def __init__(self, kind: str, **keys: Any) -> None:
        self.kind = kind
        self.keys = keys

    def table(self) -> dict[str, Any]:
        """As a config has it: {"kind": "l1-ball", "radius": 2.0}."""
        return {"kind": self.kind, **{key: _plain(value) for key, value in self.keys.items()}}

    def make(self, dimension: int, matrix_rows: int = 0) -> _slidemesh.Set:
        """The set in R^dimension; `matrix_rows` where points are matrices, column-major."""
        return _slidemesh.named_set(self.table(), dimension, matrix_rows)

    def linear_minimizer(self, g: Any) -> np.ndarray:
        """argmin over v in the set of <g, v>."""
        return self.make(np.size(g)).linear_minimizer(np.asarray(g))

    def project(self, x: Any) -> np.ndarray:
        """The nearest point of the set; a ValueError where a kind has no projection."""
        return self.make(np.size(x)).project(np.asarray(x))

    def violation(self, x: Any) -> float:
        """How far x is outside, in the set's own measure; 0 or less inside."""
        return self.make(np.size(x)).violation(np.asarray(x))

    def contains(self, x: Any) -> bool:
        return self.make(np.size(x)).contains(np.asarray(x))

    def __repr__(self) -> str:
        keys = ", ".join(f"{key}={value!r}" for key, value in self.keys.items())
        return f"{python_name(self.kind)}({keys})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Set) and self.table() == other.table()

    def __hash__(self) -> int:
        return hash(repr(self.table()))


class LinearOracle:
    """A set of one's own, known through functions.

    Parameters
    ----------
    linear_minimizer : callable
        g -> a point v of the set that minimizes <g, v>.
    dimension : int
        Of its points.
    project : callable, optional
        x -> the nearest point of the set. Without it inner problems are solved by the linear oracle alone.
    violation : callable, optional
        x -> how far x is outside, 0 or less inside. With it every answer is checked.
    diameter : float, optional
        An upper bound on |x - y| over the set; found by 2 d calls of `linear_minimizer` where it is not given.
    start : array, optional
        A point of the set to start from.

    Examples
    --------
    >>> import numpy as np
    >>> from slidemesh import LinearOracle
    >>> ball = LinearOracle(lambda g: -g / np.linalg.norm(g), dimension=3)
    >>> ball.make(3).diameter <= 2 * np.sqrt(3) + 1e-12
    True
    """

    def __init__(self, linear_minimizer: Callable[[np.ndarray], Any], dimension: int, *,
                 project: Optional[Callable[[np.ndarray], Any]] = None,
                 violation: Optional[Callable[[np.ndarray], float]] = None, diameter: Optional[float] = None,
                 start: Any = None, name: str = "LinearOracle") -> None:
        for what, function in [("linear_minimizer", linear_minimizer), ("project", project), ("violation", violation)]:
            if function is not None and not callable(function) or (what == "linear_minimizer" and function is None):
                raise TypeError(f"{name}.{what}: expected a function, got {type(function).__name__}")
        self.linear_minimizer = linear_minimizer
        self.dimension = dimension
        self.project = project
        self.violation = violation
        self.diameter = diameter
        self.start = start
        self.name = name

    def make(self, dimension: int, matrix_rows: int = 0) -> _slidemesh.Set:
        if dimension != self.dimension:
            raise ValueError(f"{self.name}: expected a problem of dimension {self.dimension}, got {dimension}")
        return _slidemesh.function_set(self.name, self.dimension, self.linear_minimizer, self.project, self.violation,
                                       self.diameter, self.start)


def _plain(value: Any) -> Any:
    if isinstance(value, Set):
        return value.table()
    if isinstance(value, (list, tuple)):
        return [_plain(element) for element in value]
    return value


_SHORT = {"l1": "l1-ball", "l2": "l2-ball", "linf": "linf-ball", "nuclear": "nuclear-ball"}


def as_set(value: Any) -> Any:
    """A set from what `set=` takes: a set, a table, or a word with a radius such as "l1=10".

    >>> as_set("l2=3")
    l2_ball(radius=3.0)
    >>> as_set({"kind": "box", "lower": 0.0, "upper": 1.0})
    box(lower=0.0, upper=1.0)
    """
    if isinstance(value, (Set, LinearOracle)):
        return value
    if isinstance(value, Mapping):
        keys = dict(value)
        return Set(str(keys.pop("kind", "")), **keys)
    if isinstance(value, str):
        name, equals, radius = value.partition("=")
        name = name.strip()
        if equals and name in _SHORT:
            try:
                return Set(_SHORT[name], radius=float(radius))
            except ValueError:
                pass
        if not equals:
            return Set(value.replace("_", "-"))
    if callable(getattr(value, "linear_minimizer", None)) and hasattr(value, "dimension"):
        return LinearOracle(value.linear_minimizer, value.dimension, project=getattr(value, "project", None),
                            violation=getattr(value, "violation", None), diameter=getattr(value, "diameter", None),
                            start=getattr(value, "start", None), name=type(value).__name__)
    raise ValueError(f"set: expected a set, a table such as {{'kind': 'l1-ball', 'radius': 10.0}} or a word such as "
                     f"'l1=10', got {value!r}")


_EXAMPLES = {"l1-ball": "l1_ball(10.0).contains([5.0, -5.0])\nTrue", "simplex": "simplex().contains([0.5, 0.5])\nTrue"}

__all__ = ["LinearOracle", "Set", "as_set"]
for _kind in _slidemesh.set_kinds():
    _name = python_name(_kind["name"])
    globals()[_name] = constructor(_kind, lambda name, keys: Set(name, **keys), (), __name__,
                                   _EXAMPLES.get(_kind["name"], ""))
    __all__.append(_name)
del _kind, _name
