"""What every estimator has: nodes on a graph, a run of a method, and what the run says of itself."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from . import _slidemesh
from ._result import Certificate, Costs, Result, Table
from ._solve import require_whole, run_solve
from .graphs import as_graph


def _require_owners(owner: np.ndarray, what: str) -> None:
    """A column of names may have holes (None, NaN, pandas' NA), which are nobody's."""
    holes = [i for i, name in enumerate(owner.tolist()) if name is None or not isinstance(name == name, (bool, np.bool_))
             or name != name]
    if holes:
        raise ValueError(f"node: expected whose each of {len(owner)} {what} is, got nobody for {len(holes)} of them, the "
                         f"first at {holes[0]}")


class Trained(BaseEstimator):
    """Parameters that mean the same to all estimators, and what a fitted one reads off its `result_`."""

    result_: Result

    def __init__(self, set: Any, nodes: int, graph: Any, split: str, method: Optional[str],
                 method_options: Optional[dict[str, Any]], mu: float, weights: str, certified_gap: Optional[float],
                 max_iter: Optional[int], time_limit: Optional[float], seed: int, callback: Any, verbose: int) -> None:
        self.set = set
        self.nodes = nodes
        self.graph = graph
        self.split = split
        self.method = method
        self.method_options = method_options
        self.mu = mu
        self.weights = weights
        self.certified_gap = certified_gap
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.seed = seed
        self.callback = callback
        self.verbose = verbose

    @property
    def certificate_(self) -> Optional[Certificate]:
        check_is_fitted(self)
        return self.result_.certificate

    @property
    def costs_(self) -> Costs:
        check_is_fitted(self)
        return self.result_.costs

    @property
    def trace_(self) -> Table:
        check_is_fitted(self)
        return self.result_.trace

    def _parts(self, labels: np.ndarray, node: Any, what: str = "rows") -> list[Any]:
        """The row numbers of each node, or (first, count) where they follow one another."""
        rows = len(labels)
        if node is not None:
            owner = np.asarray(node)
            if owner.shape != (rows,):
                raise ValueError(f"node: expected one for each of {rows} {what}, got shape {owner.shape}")
            _require_owners(owner, what)
            try:
                self.nodes_ = np.unique(owner)
            except TypeError:
                kinds = " and ".join(sorted({type(name).__name__ for name in owner.tolist()}))
                raise ValueError(f"node: expected names or numbers, got both: {kinds}") from None
            if len(self.nodes_) < 2:
                raise ValueError(f"node: expected {what} of at least 2 nodes, got 1")
            return [np.flatnonzero(owner == name) for name in self.nodes_]
        if not isinstance(self.nodes, (int, np.integer)) or self.nodes < 1:
            raise ValueError(f"nodes: expected a whole number of at least 1, got {self.nodes!r}")
        count = max(1, min(int(self.nodes), rows))
        self.nodes_ = np.arange(count)
        order, offsets = _slidemesh.split(labels, count, self.split, require_whole(self.seed, "seed", 0), 0.5)
        if order is None:
            return [(offsets[i], offsets[i + 1] - offsets[i]) for i in range(count)]
        return [order[offsets[i]:offsets[i + 1]] for i in range(count)]

    def _row_objectives(self, table: _slidemesh.Table, rows: int, loss: _slidemesh.Loss, parts: list[Any],
                        intercept: bool = False) -> list[_slidemesh.Objective]:
        """The objective of each node over its part of the table."""
        if self.weights not in ("rows", "nodes"):
            raise ValueError(f"weights: expected 'rows' or 'nodes', got {self.weights!r}")
        made = []
        for part in parts:
            first, count, numbers = (*part, None) if isinstance(part, tuple) else (0, len(part), part)
            weight = len(parts) * count / rows if self.weights == "rows" else 1.0
            made.append(_slidemesh.row_objective(table, loss, first, count, numbers, weight, intercept))
        return made

    def _train(self, objectives: list[_slidemesh.Objective], sets: list[_slidemesh.Set], start: Optional[Result] = None,
               stacklevel: int = 5) -> Result:
        """Runs the method and keeps what it found."""
        seed = require_whole(self.seed, "seed", 0)
        steps = None if self.max_iter is None else require_whole(self.max_iter, "max_iter", 1)
        graph = as_graph(self.graph, len(objectives), seed)
        self.result_ = run_solve(objectives, sets, graph, method=self.method, mu=self.mu,
                                 certified_gap=self.certified_gap, outer_steps=steps,
                                 time_limit=self.time_limit, start=start, seed=seed, callback=self.callback,
                                 verbose=self.verbose, keys=dict(self.method_options or {}), label=type(self).__name__,
                                 stacklevel=stacklevel)
        self.n_iter_ = max(1, self.result_.steps)
        return self.result_

    def _described(self) -> dict[str, Any]:
        """What a model.json says of the run, whatever it trained."""
        check_is_fitted(self)
        certificate = self.certificate_
        return {
            "label": type(self).__name__, "method": self.result_.method, "mu": float(self.mu),
            "status": self.result_.status, "objective": self.result_.objective,
            "lower_bound": certificate.lower_bound if certificate else None,
            "certified_gap": certificate.gap if certificate else None,
        }
