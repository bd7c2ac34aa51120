"""Losses: every kind that `slidemesh list losses` shows, as a function of the same name.

>>> from slidemesh import losses
>>> logistic = losses.logistic()
>>> value, derivative = logistic.evaluate([1.0, -1.0], [0.0, 0.0])
>>> round(value, 6), derivative.tolist()
(1.386294, [-0.5, 0.5])
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _slidemesh
from ._kinds import constructor, python_name
from ._objectives import Rows


class Loss:
    """A loss l(b, t) of a label b and a prediction t, by its kind and keys as a config has them."""

    def __init__(self, kind: str, **keys: Any) -> None:
        self.kind = kind
        self.keys = keys
        self.make()

    def table(self) -> dict[str, Any]:
        return {"loss": self.kind, **self.keys}

    def make(self) -> _slidemesh.Loss:
        return _slidemesh.named_loss(self.table())

    @property
    def curvature(self) -> float:
        """The largest second derivative in t."""
        return self.make().curvature

    def evaluate(self, labels: Any, predictions: Any) -> tuple[float, np.ndarray]:
        """The sum of l over rows, and its derivative in every prediction."""
        loss = self.make()
        loss.check_labels(np.asarray(labels, dtype=np.float64))
        return loss.evaluate(np.asarray(labels, dtype=np.float64), np.asarray(predictions, dtype=np.float64))

    def over(self, A: Any, b: Any) -> Rows:
        """What a node holds: the mean of the loss over the rows of A with labels b. For `slidemesh.solve`.

        A C-contiguous array of float64, or CSR, is not copied.
        """
        return Rows(self, A, b)

    def __repr__(self) -> str:
        keys = ", ".join(f"{key}={value!r}" for key, value in self.keys.items())
        return f"{python_name(self.kind)}({keys})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Loss) and self.table() == other.table()

    def __hash__(self) -> int:
        return hash(repr(self.table()))


__all__ = ["Loss"]
for _kind in _slidemesh.loss_kinds():
    _name = python_name(_kind["name"])
    globals()[_name] = constructor(_kind, lambda name, keys: Loss(name, **keys), (), __name__,
                                   "huber(delta=2.0).evaluate([0.0], [1.0])[0]\n0.5" if _name == "huber" else "")
    __all__.append(_name)
del _kind, _name
