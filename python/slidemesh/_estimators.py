"""Linear models in scikit-learn's manner, trained by nodes that keep their rows to themselves."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Any, Optional, Union

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from . import _slidemesh
from ._data import make_table
from ._result import Result
from ._trained import Trained
from .losses import Loss
from .sets import Set as KindOfSet
from .sets import as_set

# Of a free intercept of classes: a probability of 1 but for rounding.
_WIDEST_LOGIT = 40.0
_SHORT = {"l1": "l1-ball", "l2": "l2-ball", "linf": "linf-ball"}

_PARAMETERS = """set : set, dict, str or list, optional
        The constraint: from `slidemesh.sets`, a `slidemesh.LinearOracle`, a table as configs have it, or a word such as
        "l1=10". A list has one set per node. By default an l1 ball of radius 10.
    l1, l2, linf : float, optional
        The radius of a ball, instead of `set`.
    nodes : int
        How many nodes hold the rows, where `fit` is not told by `node`. Never more than there are rows.
    graph : str, Graph, networkx graph or pairs of node numbers
        Who talks to whom.
    split : {"contiguous", "shuffled", "by-label", "dirichlet"}
        How rows are dealt, where `fit` is not told by `node`.
    method : str, optional
        One of `slidemesh.methods()`; by default Newton sliding.
    method_options : dict, optional
        Keys of the method as configs have them, such as {"favour": "rounds"}.
    mu : float
        Each node's objective gets mu |x|^2 / 2 more.
    weights : {"rows", "nodes"}
        Whether every row weighs the same, or every node.
    fit_intercept : bool or "free"
        Adds a column of ones. Its coefficient is one of those that the set constrains; of a "free" one the set says
        nothing.
    certified_gap : float or None
        Training ends when the objective is certain to be this near to its smallest value, relative to where it began.
    max_iter : int or None
        The most steps of the method.
    time_limit : float, optional
        Seconds inside the method.
    warm_start : bool
        Whether `fit` goes on from the last answer and its multipliers.
    seed : int
        Of everything that is drawn.
    callback : callable, optional
        Called with each `slidemesh.Record`; true ends training.
    verbose : int
        1 shows progress."""

_ATTRIBUTES = """n_iter_ : int
        Steps of the method.
    certificate_ : slidemesh.Certificate or None
        How far the objective can be above its smallest value at most.
    costs_ : slidemesh.Costs
        Data-oracle calls, passes, rounds, hops, bytes, ...
    trace_ : slidemesh.Table
        How it got there, a row per record.
    result_ : slidemesh.Result
        All of it, with every node's own answer.
    n_features_in_, feature_names_in_
        As for every estimator of scikit-learn."""


class _Sliding(Trained):
    """What classifier and regressor share: from rows to nodes, from the answer to attributes."""

    def __init__(self, set: Any, l1: Optional[float], l2: Optional[float], linf: Optional[float], nodes: int,
                 graph: Any, split: str, method: Optional[str], method_options: Optional[dict[str, Any]], mu: float,
                 weights: str, fit_intercept: Union[bool, str], certified_gap: Optional[float], max_iter: Optional[int],
                 time_limit: Optional[float], warm_start: bool, seed: int, callback: Any, verbose: int) -> None:
        super().__init__(set, nodes, graph, split, method, method_options, mu, weights, certified_gap, max_iter,
                         time_limit, seed, callback, verbose)
        self.l1 = l1
        self.l2 = l2
        self.linf = linf
        self.fit_intercept = fit_intercept
        self.warm_start = warm_start

    def _more_tags(self) -> dict[str, Any]:
        return {"requires_y": True}

    def _chosen_set(self) -> Any:
        short = {name: getattr(self, name) for name in _SHORT if getattr(self, name) is not None}
        if len(short) + (self.set is not None) > 1:
            given = [*short, *(["set"] if self.set is not None else [])]
            raise ValueError(f"set: expected one of set, l1, l2 and linf, got {', '.join(given)}")
        for name, radius in short.items():
            return as_set({"kind": _SHORT[name], "radius": radius})
        if isinstance(self.set, (list, tuple)):
            return [as_set(one) for one in self.set]
        return as_set(self.set if self.set is not None else {"kind": "l1-ball", "radius": 10.0})

    def _objectives(self, X: Any, labels: np.ndarray, loss: _slidemesh.Loss, node: Any,
                    sample_weight: Optional[np.ndarray]) -> list[_slidemesh.Objective]:
        parts = self._parts(labels, node)
        if sample_weight is not None:
            loss = _slidemesh.weighted_loss(loss, labels, sample_weight)
            labels = np.arange(len(labels), dtype=np.float64)
        return self._row_objectives(make_table(X, labels), len(labels), loss, parts, bool(self.fit_intercept))

    def _fit_rows(self, X: Any, labels: np.ndarray, loss: Loss, outputs: int, node: Any,
                  sample_weight: Any) -> np.ndarray:
        """Trains, sets the attributes, and returns the coefficients, features x outputs, the intercept's row last."""
        weights = None
        if sample_weight is not None:
            if node is not None and np.shape(node) != (len(labels),):
                raise ValueError(f"node: expected one for each of {len(labels)} rows, got shape {np.shape(node)}")
            weights = _check_sample_weight(sample_weight, X, dtype=np.float64, only_non_negative=True)
            keep = weights > 0
            if not keep.any():
                raise ValueError("sample_weight: expected some above 0, got none")
            if not keep.all():
                X, labels, weights = X[keep], labels[keep], weights[keep]
                node = None if node is None else np.asarray(node)[keep]
            weights = weights * (len(weights) / weights.sum())
            weights = None if (weights == 1.0).all() else weights
        features = X.shape[1] + bool(self.fit_intercept)
        made = self._objectives(X, labels, loss.make(), node, weights)
        chosen = self._chosen_set()
        if isinstance(chosen, list):
            if len(chosen) != len(made):
                raise ValueError(f"set: expected one for each of {len(made)} nodes, got {len(chosen)}")
            sets = [self._made_set(one, features, outputs, labels) for one in chosen]
        else:
            sets = [self._made_set(chosen, features, outputs, labels)] * len(made)
        before: Optional[Result] = getattr(self, "result_", None) if self.warm_start else None
        if before is not None and before.x.size != features * outputs:
            before = None
        self._train(made, sets, before, stacklevel=6)
        self.loss_ = loss
        return self.result_.x.reshape((features, outputs), order="F")

    def _made_set(self, chosen: Any, features: int, outputs: int, labels: np.ndarray) -> _slidemesh.Set:
        """The set of the coefficients; a free intercept, their last row, is bounded so widely that no answer comes near."""
        free = isinstance(self.fit_intercept, str)
        if free and self.fit_intercept != "free":
            raise ValueError(f'fit_intercept: expected True, False or "free", got {self.fit_intercept!r}')
        rows = features - free
        made = chosen.make(rows * outputs, rows if outputs > 1 else 0)
        if not free:
            return made
        bound = _WIDEST_LOGIT if hasattr(self, "classes_") else 10.0 * max(float(np.abs(labels).max()), sys.float_info.min)
        return _slidemesh.free_row_set(made, outputs, bound)

    def save(self, path: Any) -> None:
        """Write a `model.json` that the program's `predict` and `evaluate`, and `slidemesh.load_model`, read.

        A path that ends in `.onnx` becomes an ONNX graph instead, for other programs' runtimes.
        """
        fields = self._described()
        classes = getattr(self, "classes_", np.empty(0))
        words = [] if classes.dtype.kind in "iufb" else [str(name) for name in classes]
        names = [str(name) for name in getattr(self, "feature_names_in_", [])]
        if len({*names}) < len(names):
            raise ValueError("X: expected columns with different names, since a model.json finds them by name, got some twice")
        rows = self.n_features_in_ + bool(self.fit_intercept)
        fields.update({
            "loss": self.loss_.kind, "set": repr(self._chosen_set()), "rows": rows,
            "columns": self.result_.x.size // rows, "parameters": self.result_.x,
            "label_values": [float(i) for i in range(len(words))] if words else [float(c) for c in classes],
            "label_words": words, "label_column": "label", "intercept": bool(self.fit_intercept),
            "feature_names": names,
        })
        write = _slidemesh.write_onnx if os.fspath(path).endswith(".onnx") else _slidemesh.write_model
        write(os.fspath(path), fields)

    def _set_coefficients(self, coefficients: np.ndarray) -> None:
        if self.fit_intercept:
            self.coef_, self.intercept_ = coefficients[:-1].T.copy(), coefficients[-1].copy()
        else:
            self.coef_, self.intercept_ = coefficients.T.copy(), np.zeros(coefficients.shape[1])

    def _scores(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        rows = self._validate_data(X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        return np.asarray(rows @ self.coef_.T) + self.intercept_


class SlidingClassifier(ClassifierMixin, _Sliding):
    """A linear classifier over a constraint set, trained by nodes on a graph that keep their rows to themselves.

    Parameters
    ----------
    loss : {"logistic", "smoothed-hinge", "softmax"}
        With more than two classes "logistic" is "softmax".
    gamma : float
        Of "smoothed-hinge": how wide its corner is rounded.
    PARAMETERS

    Attributes
    ----------
    classes_ : array
    coef_ : array, 1 x features, or classes x features
    intercept_ : array
    ATTRIBUTES

    Examples
    --------
    >>> import numpy as np
    >>> from slidemesh import SlidingClassifier
    >>> X = np.array([[-2.0, 1.0], [-1.0, 0.0], [1.0, 0.5], [2.0, -1.0]] * 10)
    >>> y = np.array(["no", "no", "yes", "yes", "no", "yes", "yes", "yes"] * 5)
    >>> model = SlidingClassifier(l1=5.0, nodes=4).fit(X, y)
    >>> model.predict([[3.0, 0.0]]).tolist()
    ['yes']
    >>> bool(np.abs(model.coef_).sum() + abs(model.intercept_[0]) <= 5.0 + 1e-9)
    True
    >>> model.certificate_.relative_gap <= 1e-6
    True
    """

    def __init__(self, loss: str = "logistic", *, gamma: float = 1.0, set: Any = None, l1: Optional[float] = None,
                 l2: Optional[float] = None, linf: Optional[float] = None, nodes: int = 4, graph: Any = "ring",
                 split: str = "contiguous", method: Optional[str] = None,
                 method_options: Optional[dict[str, Any]] = None, mu: float = 0.0, weights: str = "rows",
                 fit_intercept: Union[bool, str] = True, certified_gap: Optional[float] = 1e-7, max_iter: Optional[int] = 2000,
                 time_limit: Optional[float] = None, warm_start: bool = False, seed: int = 1, callback: Any = None,
                 verbose: int = 0) -> None:
        super().__init__(set, l1, l2, linf, nodes, graph, split, method, method_options, mu, weights, fit_intercept,
                         certified_gap, max_iter, time_limit, warm_start, seed, callback, verbose)
        self.loss = loss
        self.gamma = gamma

    def fit(self, X: Any, y: Any, node: Any = None, sample_weight: Any = None) -> "SlidingClassifier":
        """Train on rows X with labels y; `node` says whose row each is, by names or numbers of any kind."""
        X, y = self._validate_data(X, y, accept_sparse="csr", dtype=np.float64, order="C")
        check_classification_targets(y)
        self.classes_, numbers = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"y: expected at least 2 classes, got 1 class: {self.classes_[0]!r}")
        loss, outputs = self._loss()
        labels = numbers.astype(np.float64) if outputs > 1 else np.where(numbers == 1, 1.0, -1.0)
        self._set_coefficients(self._fit_rows(X, labels, loss, outputs, node, sample_weight))
        return self

    def _loss(self) -> tuple[Loss, int]:
        classes = len(self.classes_)
        if self.loss == "softmax" or (self.loss == "logistic" and classes > 2):
            return Loss("softmax", classes=classes), classes
        if self.loss not in ("logistic", "smoothed-hinge"):
            raise ValueError(f"loss: expected 'logistic', 'smoothed-hinge' or 'softmax', got {self.loss!r}")
        if classes > 2:
            raise ValueError(f"loss: expected 2 classes for {self.loss!r}, got {classes}: wrap the estimator in "
                             "sklearn.multiclass.OneVsRestClassifier")
        return (Loss("smoothed-hinge", gamma=self.gamma) if self.loss == "smoothed-hinge" else Loss("logistic")), 1

    def decision_function(self, X: Any) -> np.ndarray:
        """Signed scores of `classes_[1]`, or a column of scores per class."""
        scores = self._scores(X)
        if scores.shape[1] == 1:
            return scores[:, 0]
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> np.ndarray:
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)]

    @available_if(lambda self: self.loss != "smoothed-hinge")
    def predict_proba(self, X: Any) -> np.ndarray:
        """A column of probabilities per class; not for the smoothed hinge, which has none."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            scores = np.column_stack([np.zeros_like(scores), scores])
        scores = np.exp(scores - scores.max(axis=1, keepdims=True))
        return scores / scores.sum(axis=1, keepdims=True)

    @available_if(lambda self: self.loss != "smoothed-hinge")
    def predict_log_proba(self, X: Any) -> np.ndarray:
        return np.log(self.predict_proba(X))


class SlidingRegressor(RegressorMixin, _Sliding):
    """Linear regression over a constraint set, trained by nodes on a graph that keep their rows to themselves.

    Parameters
    ----------
    loss : {"least-squares", "huber"}
    delta : float
        Of "huber": where the square turns into a line.
    PARAMETERS

    Attributes
    ----------
    coef_ : array of features
    intercept_ : float
    ATTRIBUTES

    Examples
    --------
    >>> import numpy as np
    >>> from slidemesh import SlidingRegressor
    >>> X = np.arange(40.0).reshape(20, 2) / 10
    >>> y = 2 * X[:, 0] - X[:, 1] + 0.5
    >>> model = SlidingRegressor(l2=20.0, nodes=5, graph="complete").fit(X, y)
    >>> round(model.score(X, y), 4)
    1.0
    >>> model.costs_.calls > 0 and model.costs_.rounds > 0
    True
    """

    def __init__(self, loss: str = "least-squares", *, delta: float = 1.0, set: Any = None, l1: Optional[float] = None,
                 l2: Optional[float] = None, linf: Optional[float] = None, nodes: int = 4, graph: Any = "ring",
                 split: str = "contiguous", method: Optional[str] = None,
                 method_options: Optional[dict[str, Any]] = None, mu: float = 0.0, weights: str = "rows",
                 fit_intercept: Union[bool, str] = True, certified_gap: Optional[float] = 1e-8, max_iter: Optional[int] = 2000,
                 time_limit: Optional[float] = None, warm_start: bool = False, seed: int = 1, callback: Any = None,
                 verbose: int = 0) -> None:
        super().__init__(set, l1, l2, linf, nodes, graph, split, method, method_options, mu, weights, fit_intercept,
                         certified_gap, max_iter, time_limit, warm_start, seed, callback, verbose)
        self.loss = loss
        self.delta = delta

    def fit(self, X: Any, y: Any, node: Any = None, sample_weight: Any = None) -> "SlidingRegressor":
        """Train on rows X with numbers y; `node` says whose row each is, by names or numbers of any kind."""
        X, y = self._validate_data(X, y, accept_sparse="csr", dtype=np.float64, order="C", y_numeric=True)
        if y.dtype.kind in "US":
            raise ValueError(f"y: expected numbers, got words: {y[0]!r} (SlidingClassifier takes them)")
        if self.loss not in ("least-squares", "huber"):
            raise ValueError(f"loss: expected 'least-squares' or 'huber', got {self.loss!r}")
        loss = Loss("huber", delta=self.delta) if self.loss == "huber" else Loss("least-squares")
        self._warn_of_a_narrow_set(X.shape[1], y)
        self._set_coefficients(self._fit_rows(X, np.asarray(y, dtype=np.float64), loss, 1, node, sample_weight))
        self.coef_, self.intercept_ = self.coef_[0], float(self.intercept_[0])
        return self

    def _warn_of_a_narrow_set(self, features: int, y: np.ndarray) -> None:
        """Where the intercept that is the mean of y lies outside the set, a mean may well do better than the model."""
        chosen = self._chosen_set()
        if self.fit_intercept is not True or not isinstance(chosen, KindOfSet):
            return
        constant = np.zeros(features + 1)
        constant[-1] = np.mean(y)
        if not chosen.make(features + 1).contains(constant):
            warnings.warn(f"the set has no room for an intercept of {constant[-1]:.4g}, the mean of y: take a larger set, or "
                          'fit_intercept="free", of which the set says nothing', UserWarning, stacklevel=3)

    def predict(self, X: Any) -> np.ndarray:
        return self._scores(X)


for _class in (SlidingClassifier, SlidingRegressor):
    _class.__doc__ = (_class.__doc__ or "").replace("PARAMETERS", _PARAMETERS).replace("ATTRIBUTES", _ATTRIBUTES)
del _class
