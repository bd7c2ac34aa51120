"""What a node holds: a function of one's own, or rows of data with a loss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Optional, Union

import numpy as np

from . import _slidemesh
from ._data import is_sparse, make_table

if TYPE_CHECKING:
    from .losses import Loss


class Function:
    """A smooth convex function that one node holds.

    Parameters
    ----------
    value : callable
        x -> f(x), a number.
    gradient : callable
        x -> the gradient, an array of x's shape.
    curvature : callable or float, optional
        x -> the matrix of second derivatives: with it a node keeps a second-order model of f, and few gradients are
        needed. Or a number, which is taken for `smoothness`.
    smoothness : float, optional
        A Lipschitz constant of the gradient. Where it is not given, and the method goes by it, it is estimated from at
        most 26 gradients at points of the set, which are charged. An estimate that is too small can slow a method down
        or keep it from converging; a certificate is true whatever it was.

    One evaluation of the gradient is one data-oracle call.

    Examples
    --------
    >>> import numpy as np
    >>> from slidemesh import Function
    >>> f = Function(lambda x: x @ x / 2, lambda x: x, curvature=lambda x: np.eye(len(x)))
    >>> f.value(np.array([3.0, 4.0]))
    12.5
    """

    def __init__(self, value: Callable[[np.ndarray], float], gradient: Callable[[np.ndarray], Any],
                 curvature: Union[Callable[[np.ndarray], Any], float, None] = None, *,
                 smoothness: Optional[float] = None, name: str = "") -> None:
        for what, function in [("value", value), ("gradient", gradient)]:
            if not callable(function):
                raise TypeError(f"{what}: expected a function of x, got {type(function).__name__}")
        self.value = value
        self.gradient = gradient
        self.hessian = curvature if callable(curvature) else None
        self.smoothness = smoothness
        if curvature is not None and not callable(curvature) and smoothness is None:
            self.smoothness = float(curvature)
        self.name = name

    def _make(self, node: int, dimension: int, made_set: _slidemesh.Set) -> _slidemesh.Objective:
        name = self.name or f"objectives[{node}]"

        def estimate() -> tuple[float, int]:
            return self._estimate(name, dimension, made_set)

        return _slidemesh.function_objective(name, dimension, self.value, self.gradient, self.hessian,
                                             estimate if self.smoothness is None else float(self.smoothness))

    def _estimate(self, name: str, dimension: int, made_set: _slidemesh.Set) -> tuple[float, int]:
        """The power method on differences of gradients, inside the set, at two points of it; and the gradients it took."""
        calls = 0

        def counted(x: np.ndarray) -> Any:
            nonlocal calls
            calls += 1
            return self.gradient(x)

        probe = _slidemesh.function_objective(name, dimension, self.value, counted, None, 1.0)
        random = np.random.default_rng(1)
        corners = [made_set.linear_minimizer(random.standard_normal(dimension)) for _ in range(min(2 * dimension, 16))]
        centre = np.mean(corners, axis=0)
        step = 1e-4 * max(made_set.diameter, 1e-8)
        largest = 0.0
        for point in (centre, (centre + made_set.start()) / 2):
            at_point = probe.evaluate(point)[1]
            direction = random.standard_normal(dimension)
            for _ in range(12):
                direction /= np.linalg.norm(direction)
                change = (probe.evaluate(point + step * direction)[1] - at_point) / step
                size = float(np.linalg.norm(change))
                largest = max(largest, size)
                if size == 0.0:
                    break
                direction = change
        return (1.5 * largest if largest > 0.0 else 1.0), calls


class Rows:
    """The mean of a loss over rows of data; `losses.logistic().over(A, b)` makes one."""

    def __init__(self, loss: "Loss", A: Any, b: Any) -> None:
        labels = np.asarray(b, dtype=np.float64)
        matrix = A if is_sparse(A) else np.asarray(A)
        if matrix.ndim != 2 or labels.ndim != 1 or matrix.shape[0] != labels.shape[0]:
            raise ValueError(f"rows: expected n x d numbers and n labels, got shapes {matrix.shape} and {labels.shape}")
        if matrix.shape[0] == 0 or matrix.shape[1] == 0:
            raise ValueError(f"rows: expected at least one row and one column, got shape {matrix.shape}")
        numbers = matrix.data if is_sparse(A) else matrix
        if not np.issubdtype(np.asarray(numbers).dtype, np.number):
            raise ValueError(f"rows: expected numbers, got {np.asarray(numbers).dtype}")
        if not (np.isfinite(numbers).all() and np.isfinite(labels).all()):
            raise ValueError("rows: expected finite numbers, got NaN or infinity")
        self.loss = loss
        self._loss = loss.make()
        self._loss.check_labels(labels)
        self.rows, self.features = matrix.shape
        self.dimension = self.features * self._loss.outputs
        self._table = make_table(matrix, labels)

    def _make(self, node: int, dimension: int, made_set: _slidemesh.Set) -> _slidemesh.Objective:
        return _slidemesh.row_objective(self._table, self._loss, 0, self.rows, None, 1.0, False)


def as_objective(value: Any, node: int) -> Union[Function, Rows]:
    """From what a list of objectives may hold: these two, (value, gradient[, curvature]), or an object with them."""
    if isinstance(value, (Function, Rows)):
        return value
    if isinstance(value, tuple) and 2 <= len(value) <= 3:
        return Function(*value)
    if callable(getattr(value, "value", None)) and callable(getattr(value, "gradient", None)):
        return Function(value.value, value.gradient, getattr(value, "curvature", None),
                        smoothness=getattr(value, "smoothness", None))
    raise TypeError(f"objectives[{node}]: expected a Function, rows with a loss, or a tuple (value, gradient), "
                    f"got {type(value).__name__}")
