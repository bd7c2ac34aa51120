"""Completing a matrix from some of its entries, which nodes keep to themselves."""

from __future__ import annotations

import os
from typing import Any, Optional

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted

from . import _slidemesh
from ._data import is_sparse
from ._trained import Trained
from .losses import Loss
from .sets import as_set


class MatrixCompleter(TransformerMixin, Trained):
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
    row_names_in_, feature_names_in_ : arrays
        Of a data frame whose rows or columns are called something: users, items.
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
        super().__init__(set, nodes, graph, split, method, method_options, mu, weights, certified_gap, max_iter,
                         time_limit, seed, callback, verbose)
        self.nuclear = nuclear

    def _more_tags(self) -> dict[str, Any]:
        return {"allow_nan": True}

    def fit(self, X: Any, y: Any = None, node: Any = None) -> "MatrixCompleter":
        """Train on a matrix whose unknown entries are NaN, or a sparse one whose stored entries are the known ones.

        The names of a data frame's rows and columns are kept: `predict` takes them, and `save` writes them.
        `node` says whose each known entry is, in the order of rows (the order of `X[~isnan(X)]`, or of CSR).
        """
        row, column, values, shape = self._entries(X)
        self._keep_names(X)
        self.n_features_in_ = shape[1]
        parts = self._parts(values, node, "known entries")
        size = shape[0] * shape[1]
        table = _slidemesh.Table.sparse(np.ones(len(values)), (row + column * shape[0]).astype(np.int32),
                                        np.arange(len(values) + 1), size, values)
        made = self._row_objectives(table, len(values), Loss("matrix-completion").make(), parts)
        self.set_ = as_set(self.set) if self.set is not None else as_set(
            {"kind": "nuclear-ball", "radius": self._radius(row, column, values, shape)})
        self._train(made, [self.set_.make(size, shape[0])] * len(made))
        self.completed_ = self.result_.x.reshape(shape, order="F")
        return self

    def _keep_names(self, X: Any) -> None:
        for attribute, axis in (("row_names_in_", "index"), ("feature_names_in_", "columns")):
            names = np.asarray(getattr(X, axis, []), dtype=object)
            if hasattr(self, attribute):
                delattr(self, attribute)
            if len(names) and all(isinstance(name, str) for name in names):
                if len(np.unique(names.astype(str))) < len(names):
                    raise ValueError(f"X: expected different names in its {axis}, got some twice")
                setattr(self, attribute, names)

    def _require_same_names(self, X: Any) -> None:
        """Of a frame, where both have names: entries are filled in by their place."""
        for attribute, axis in (("row_names_in_", "index"), ("feature_names_in_", "columns")):
            known, given = getattr(self, attribute, None), np.asarray(getattr(X, axis, []), dtype=object)
            if known is None or not len(given) or not all(isinstance(name, str) for name in given):
                continue
            if len(given) == len(known) and (given != known).any():
                raise ValueError(f"X: expected the frame's {axis} as in fit and in its order, got {given.tolist()[:4]}: "
                                 f"X.reindex({axis}=model.{attribute}) sorts them")

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

    def transform(self, X: Any) -> np.ndarray:
        """X with its unknown entries filled in."""
        check_is_fitted(self)
        self._require_same_names(X)
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
        """The entries at pairs of row and column, n x 2: numbers from 0, or the names of the frame."""
        check_is_fitted(self)
        places = np.asarray(pairs, dtype=object)
        if places.ndim != 2 or places.shape[1] != 2:
            raise ValueError("pairs: expected n x 2 rows and columns, got something else")
        row = self._places(places[:, 0], "row_names_in_", self.completed_.shape[0])
        column = self._places(places[:, 1], "feature_names_in_", self.completed_.shape[1])
        return self.completed_[row, column]

    def _places(self, wanted: np.ndarray, attribute: str, extent: int) -> np.ndarray:
        known = {name: i for i, name in enumerate(getattr(self, attribute, []))}
        places = np.empty(len(wanted), dtype=np.int64)
        for i, name in enumerate(wanted):
            number = isinstance(name, (int, np.integer)) and not isinstance(name, bool)
            if name not in known if not number else not 0 <= name < extent:
                raise ValueError(f"pairs: expected {'names of the frame or ' if known else ''}numbers from 0 to "
                                 f"{extent - 1}, got {name!r}")
            places[i] = name if number else known[name]
        return places

    def save(self, path: Any) -> None:
        """Write a `model.json` that the program's `predict` and `evaluate`, and `slidemesh.load_model`, read.

        Their data are entries: columns `row`, `col` and `value`, rows and columns by name where the frame had names.
        """
        fields = self._described()
        rows, row_names = self._in_order("row_names_in_", self.completed_.shape[0])
        columns, column_names = self._in_order("feature_names_in_", self.completed_.shape[1])
        fields.update({
            "loss": "matrix-completion", "set": repr(self.set_), "rows": len(rows), "columns": len(columns),
            "parameters": self.completed_[np.ix_(rows, columns)].ravel(order="F"), "label_values": [],
            "label_words": [], "label_column": "value", "intercept": False, "feature_names": [],
            "row_names": row_names, "column_names": column_names,
        })
        _slidemesh.write_model(os.fspath(path), fields)

    def _in_order(self, attribute: str, extent: int) -> tuple[np.ndarray, list[str]]:
        """Names as a model.json has them, in order of their bytes, and where they are in the matrix."""
        names = [str(name) for name in getattr(self, attribute, [])]
        order = sorted(range(extent), key=lambda i: names[i].encode()) if names else list(range(extent))
        return np.array(order), [names[i] for i in order] if names else []
