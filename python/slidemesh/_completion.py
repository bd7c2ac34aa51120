"""Completing a matrix from some of its entries, which nodes keep to themselves."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted

from . import _slidemesh
from ._data import is_sparse
from ._solve import run_solve
from ._with_result import WithResult
from .graphs import as_graph
from .losses import Loss
from .sets import as_set


class MatrixCompleter(WithResult, TransformerMixin, BaseEstimator):
    """The missing entries of a matrix, by least squares over matrices of bounded nuclear norm.

    Parameters
    ----------
    nuclear : float, optional
        The largest sum of singular values. By default the least sum that could hold the known entries if the matrix
        were filled up with zeros: generous.
    set : set, dict or str, optional
        Another set of matrices.
    nodes, graph, split, method, method_options, mu, weights, certified_gap, max_iter, time_limit, seed, callback,
    verbose
        As for `SlidingRegressor`: nodes hold known entries.

    Attributes
    ----------
    completed_ : array, rows x columns
        The whole matrix.
    n_iter_, certificate_, costs_, trace_, result_
        As for `SlidingRegressor`.

    Examples
    --------
    >>> import numpy as np
    >>> from slidemesh import MatrixCompleter
    >>> whole = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, -1.0, 2.0])
    >>> known = whole.copy()
    >>> known[0, 0] = known[2, 1] = known[3, 2] = np.nan
    >>> model = MatrixCompleter(nuclear=np.linalg.norm(whole), nodes=3, certified_gap=1e-3).fit(known)
    >>> bool(np.abs(model.completed_ - whole)[~np.isnan(known)].max() < 0.1)
    True
    """

    def __init__(self, nuclear: Optional[float] = None, *, set: Any = None, nodes: int = 4, graph: Any = "ring",
                 split: str = "shuffled", method: Optional[str] = None,
                 method_options: Optional[dict[str, Any]] = None, mu: float = 0.0, weights: str = "rows",
                 certified_gap: Optional[float] = 1e-4, max_iter: Optional[int] = 2000,
                 time_limit: Optional[float] = None, seed: int = 1, callback: Any = None, verbose: int = 0) -> None:
        self.nuclear = nuclear
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

    def _more_tags(self) -> dict[str, Any]:
        return {"allow_nan": True}

    def fit(self, X: Any, y: Any = None, node: Any = None) -> "MatrixCompleter":
        """Train on a matrix whose unknown entries are NaN, or a sparse one whose stored entries are the known ones.

        `node` says whose each known entry is, in the order of rows (the order of `X[~isnan(X)]`, or of CSR).
        """
        row, column, values, shape = self._entries(X)
        self.n_features_in_ = shape[1]
        parts = self._parts(values, node)
        size = shape[0] * shape[1]
        table = _slidemesh.Table.sparse(np.ones(len(values)), (row + column * shape[0]).astype(np.int32),
                                        np.arange(len(values) + 1), size, values)
        loss = Loss("matrix-completion").make()
        made = []
        for numbers in parts:
            weight = len(parts) * len(numbers) / len(values) if self.weights == "rows" else 1.0
            made.append(_slidemesh.row_objective(table, loss, 0, len(numbers), numbers, weight, False))
        graph = as_graph(self.graph, len(made), int(self.seed))
        chosen = as_set(self.set) if self.set is not None else as_set(
            {"kind": "nuclear-ball", "radius": self._radius(row, column, values, shape)})
        self.result_ = run_solve(made, [chosen.make(size, shape[0])] * len(made), graph, method=self.method, mu=self.mu,
                                 certified_gap=self.certified_gap, outer_steps=self.max_iter,
                                 time_limit=self.time_limit, start=None, seed=int(self.seed), callback=self.callback,
                                 verbose=self.verbose, keys=dict(self.method_options or {}), label=type(self).__name__)
        self.n_iter_ = self.result_.steps
        self.completed_ = self.result_.x.reshape(shape, order="F")
        return self

    def _entries(self, X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, tuple[int, int]]:
        if is_sparse(X):
            entries = check_array(X, accept_sparse="csr", dtype=np.float64).tocoo()
            row, column, values = entries.row.astype(np.int64), entries.col.astype(np.int64), entries.data
        else:
            X = check_array(X, dtype=np.float64, force_all_finite="allow-nan")
            row, column = np.nonzero(~np.isnan(X))
            values = X[row, column]
        if len(values) == 0:
            raise ValueError("X: expected some known entries, got none")
        if X.shape[0] * X.shape[1] > np.iinfo(np.int32).max:
            raise ValueError(f"X: expected at most {np.iinfo(np.int32).max} entries, got {X.shape[0]} x {X.shape[1]}")
        return row, column, np.ascontiguousarray(values), X.shape

    def _radius(self, row: np.ndarray, column: np.ndarray, values: np.ndarray, shape: tuple[int, int]) -> float:
        if self.nuclear is not None:
            return float(self.nuclear)
        filled = np.zeros(shape)
        filled[row, column] = values
        return max(float(np.linalg.svd(filled, compute_uv=False).sum()), 1e-12)

    def _parts(self, values: np.ndarray, node: Any) -> list[np.ndarray]:
        if node is not None:
            owner = np.asarray(node)
            if owner.shape != values.shape:
                raise ValueError(f"node: expected one for each of {len(values)} known entries, got shape {owner.shape}")
            return [np.flatnonzero(owner == name) for name in np.unique(owner)]
        count = max(1, min(int(self.nodes), len(values)))
        order, offsets = _slidemesh.split(values, count, self.split, int(self.seed), 0.5)
        numbers = np.arange(len(values)) if order is None else order
        return [numbers[offsets[i]:offsets[i + 1]] for i in range(count)]

    def transform(self, X: Any) -> np.ndarray:
        """X with its unknown entries filled in."""
        check_is_fitted(self)
        if is_sparse(X):
            entries = X.tocoo()
            known = np.full(X.shape, np.nan)
            known[entries.row, entries.col] = entries.data
            X = known
        X = check_array(X, dtype=np.float64, force_all_finite="allow-nan")
        if X.shape != self.completed_.shape:
            raise ValueError(f"X: expected shape {self.completed_.shape}, got {X.shape}")
        return np.where(np.isnan(X), self.completed_, X)

    def predict(self, pairs: Any) -> np.ndarray:
        """The entries at pairs of row and column, n x 2."""
        check_is_fitted(self)
        places = np.asarray(pairs)
        if places.ndim != 2 or places.shape[1] != 2 or not np.issubdtype(places.dtype, np.integer):
            raise ValueError("pairs: expected n x 2 whole numbers, got something else")
        if ((places < 0) | (places >= np.array(self.completed_.shape))).any():
            raise ValueError(f"pairs: expected places in a matrix of shape {self.completed_.shape}, got others")
        return self.completed_[places[:, 0], places[:, 1]]
