"""Where Python meets the program: its configs, its models, its reports."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from . import _slidemesh
from ._chart import plot, summary_html
from ._data import is_sparse
from ._progress import Callback, Progress, listener
from ._result import Certificate, Costs, InterruptedWarning, NotReachedWarning, Result, Table, shown

PathLike = Union[str, "os.PathLike[str]"]


class Run:
    """What one method of a config came to."""

    def __init__(self, summary: Mapping[str, Any], trace: Optional[Mapping[str, np.ndarray]]) -> None:
        self.summary = dict(summary)
        self.method: str = summary["method"]
        self.label: str = summary["label"]
        self.status: str = summary["status"]
        columns = dict(trace or {})
        if columns:
            columns["passes"] = columns["data_oracle_calls"] / max(summary["rows"], 1)
        self.trace = Table(columns)

    @property
    def objective(self) -> float:
        return self.summary["objective_at_average"]

    @property
    def costs(self) -> Costs:
        return Costs.of(self.summary, self.summary["rows"])

    @property
    def certificate(self) -> Optional[Certificate]:
        return Certificate.of(self.summary, self.summary["objective_at_start"])

    def __repr__(self) -> str:
        return (f"Run({self.label}: {self.status}, F = {shown(self.objective)}; {self.costs.passes:.3g} passes, "
                f"{self.costs.rounds} rounds)")


class RunResult:
    """What `run` returns: a `Run` per method, their models, and the directory with the program's files."""

    def __init__(self, directory: Path, runs: Sequence[Run], targets_reached: bool = True) -> None:
        self.directory = directory
        self.runs = list(runs)
        self.targets_reached = targets_reached

    @property
    def models(self) -> "list[Model]":
        return [Model(fields) for fields in _slidemesh.read_models(str(self.directory / "model.json"))]

    def __getitem__(self, label: str) -> Run:
        for one in self.runs:
            if one.label == label:
                return one
        raise KeyError(label)

    def plot(self, x: str = "passes", ax: Any = None) -> Any:
        """Accuracy of every method against passes (or another column of the traces), with matplotlib."""
        return plot([(one.label, one.trace) for one in self.runs], x, ax)

    def __repr__(self) -> str:
        return f"RunResult({self.directory}: {', '.join(map(repr, self.runs))})"

    def _repr_html_(self) -> str:
        return summary_html([
            (one.label, {"status": one.status, "objective": one.objective, "passes": one.costs.passes,
                         "rounds": one.costs.rounds, "hops": one.costs.hops, "bytes": one.costs.bytes,
                         "linear_oracle_calls": one.costs.linear_oracle_calls, "seconds": one.costs.seconds,
                         "certified_gap": one.summary["certified_gap"]}, one.trace) for one in self.runs])


def run(config: Union[PathLike, Mapping[str, Any]], changes: Optional[Mapping[str, Any]] = None, *,
        out: Optional[PathLike] = None, resume: bool = False, overwrite: bool = False,
        callback: Optional[Callback] = None, verbose: int = 0) -> RunResult:
    """Do what `slidemesh run` does: the same config gives the same bits and the same files.

    Parameters
    ----------
    config : path or dict
        A TOML file, or the same as nested dictionaries.
    changes : dict, optional
        Keys to change in a file, as `--set` does: {"problem.mu": 0.5, "method.0.R": 0.1}.
    out : path, optional
        Where results go; a new directory under runs/ where it is not given.
    resume, overwrite : bool
        Go on with the run in `out`, or replace it.
    callback : callable, optional
        Called with each `Record` (which has a `label` too); true ends the run.
    verbose : int
        1 shows progress.

    Examples
    --------
    >>> import slidemesh, tempfile
    >>> config = {"data": {"rows": 200, "features": 5}, "network": {"graph": "ring", "nodes": 4},
    ...           "method": [{"name": "defw", "outer_steps": 20}]}
    >>> result = slidemesh.run(config, out=tempfile.mkdtemp(), overwrite=True)
    >>> result["defw"].costs.rounds
    40
    """
    options = {"out": "" if out is None else os.fspath(out), "resume": resume, "overwrite": overwrite}
    progress = Progress(1) if verbose else None
    listen = listener(callback, progress)
    try:
        if isinstance(config, Mapping):
            if changes:
                raise ValueError("changes: expected none beside a dictionary, got some: change the dictionary")
            answer = _slidemesh.run_tree(dict(config), "config", options, listen)
        else:
            overrides = [f"{key}={_slidemesh.to_toml(value)}" for key, value in (changes or {}).items()]
            answer = _slidemesh.run_file(os.fspath(config), overrides, options, listen)
    finally:
        if progress is not None:
            progress.close()
    for line in answer["warnings"]:
        warnings.warn(line, NotReachedWarning, stacklevel=2)
    if answer["interrupted"]:
        warnings.warn(f"interrupted: what there was by then is in {answer['directory']}; resume=True goes on with it",
                      InterruptedWarning, stacklevel=2)
    return load_result(answer["directory"], targets_reached=answer["targets_reached"])


def load_result(directory: PathLike, *, targets_reached: bool = True) -> RunResult:
    """What a run left in a directory, whoever wrote it: the program or `run`."""
    where = Path(directory)
    summary = where / "summary.json"
    if not summary.exists():
        raise FileNotFoundError(f"{where}: expected the directory of a run, got one without summary.json")
    traces = _slidemesh.read_traces(str(where / "trace.jsonl")) if (where / "trace.jsonl").exists() else {}
    runs = [Run(fields, traces.get(fields["label"])) for fields in _slidemesh.read_summary(str(summary))]
    return RunResult(where, runs, targets_reached)


class Model:
    """A model of a `model.json`, whoever wrote it: the program, `run`, or an estimator's `save`.

    Attributes
    ----------
    label, method, loss, set, mu, status, objective, lower_bound, certified_gap
        As in the file (docs/models.md).
    coef : array, features x outputs
        What prepared rows are multiplied by; of a completed matrix, the matrix.
    feature_names : list of str
        One for each row of `coef`.
    classes : array
        The data's labels, words or numbers; empty where numbers are predicted.
    row_names, column_names : lists of str
        Of a completed matrix whose rows or columns have names.
    """

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self._fields = dict(fields)
        self.label: str = fields["label"]
        self.method: str = fields["method"]
        self.loss: str = fields["loss"]
        self.set: str = fields["set"]
        self.mu: float = fields["mu"]
        self.status: Optional[str] = fields["status"]
        self.objective: Optional[float] = fields["objective"]
        self.lower_bound: Optional[float] = fields["lower_bound"]
        self.certified_gap: Optional[float] = fields["certified_gap"]
        self.coef: np.ndarray = fields["parameters"].reshape((fields["rows"], fields["columns"]), order="F")
        self.feature_names: list[str] = fields.get("feature_names", [])
        self.row_names: list[str] = fields.get("row_names", [])
        self.column_names: list[str] = fields.get("column_names", [])
        self.classes = np.asarray(fields.get("class_names" if fields.get("label_words") else "label_values", []))

    def _prepared(self, X: Any) -> np.ndarray:
        if "features" not in self._fields:
            raise ValueError(f"{self.label}: expected a model that knows its features, got one of an older version")
        rows = self._by_name(X) if hasattr(X, "columns") and self._fields["names_known"] else \
            X.toarray() if is_sparse(X) else np.array(X, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != self._fields["features"]:
            raise ValueError(f"X: expected {self._fields['features']} columns, got shape {rows.shape}")
        self._fill(rows)
        if len(self._fields["shift"]):
            rows -= self._fields["shift"]
        if len(self._fields["scale"]):
            rows /= self._fields["scale"]
        return np.column_stack([rows, np.ones(len(rows))]) if self._fields["intercept"] else rows

    def _by_name(self, frame: Any) -> np.ndarray:
        """The features of a frame's rows: columns by their names, a 0-or-1 feature for each of a column's words."""
        made: list[np.ndarray] = []
        for name, words, missing in self._fields["columns_in"]:
            if name not in frame.columns:
                raise ValueError(f"X: expected a column called {name!r}, got none")
            column = frame[name]
            if not words:
                made.append(column.to_numpy(dtype=np.float64, na_value=np.nan))
                continue
            holes = np.asarray(column.isna())
            unknown = sorted({str(word) for word in column[~holes]} - {*words})
            if unknown or (missing is None and holes.any()):
                raise ValueError(f"X: expected words that column {name!r} is known to have, got "
                                 f"{repr(unknown[0]) if unknown else 'none in some row'}")
            made += [np.asarray((column.astype(str) == word) & ~holes, dtype=np.float64) for word in words]
        return np.column_stack(made)

    def _fill(self, rows: np.ndarray) -> None:
        """Missing numbers as in training; where none were missing then, there is no answer for them."""
        stand_ins = [missing for _, words, missing in self._fields["columns_in"] for _ in (words or [""])]
        for j in np.flatnonzero(np.isnan(rows).any(axis=0)):
            stand_in = stand_ins[j] if stand_ins else None
            if stand_in is None:
                raise ValueError(f"X: expected numbers in column {j}, got NaN: none was missing in training")
            rows[np.isnan(rows[:, j]), j] = stand_in

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of rows as they are in the data. Of a data frame columns are found by their names, as `predict` of the
        program does; of arrays they are in the order of the model's features."""
        scores = self._prepared(X) @ self.coef
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> np.ndarray:
        """Labels as the data has them, or numbers."""
        scores = self.decision_function(X)
        if len(self.classes) == 0:
            return scores
        return self.classes[(scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)]

    def __repr__(self) -> str:
        return f"Model({self.label}: {self.loss}, {self.coef.shape[0]} x {self.coef.shape[1]}, {self.set})"


def _model_file(path: PathLike) -> Path:
    where = Path(path)
    where = where / "model.json" if where.is_dir() else where
    if not where.exists():
        raise FileNotFoundError(f"{where}: expected a model.json, got none")
    return where


def export_onnx(model: PathLike, out: PathLike, *, label: str = "", single: bool = False) -> Path:
    """Write a model of a `model.json`, or of the directory that it is in, as an ONNX graph for other runtimes.

    `single` makes its numbers 32 bits wide. The same as `slidemesh export`.
    """
    _slidemesh.export_onnx(str(_model_file(model)), label, os.fspath(out), single)
    return Path(out)


def load_model(path: PathLike, label: Optional[str] = None) -> Model:
    """A model of a `model.json`, or of the directory that it is in; `label` says which where there are several."""
    where = _model_file(path)
    models = [Model(fields) for fields in _slidemesh.read_models(str(where))]
    found = [model for model in models if label is None or model.label == label]
    if len(found) != 1:
        labels = ", ".join(model.label for model in models)
        raise ValueError(f"{where}: expected the label of one of its models ({labels}), got {label!r}")
    return found[0]


def report(*results: Any, out: PathLike = "report.html", title: str = "") -> Path:
    """One self-contained HTML page, as `slidemesh report` makes it, from one or more results or directories.

    A result of `solve`, or a fitted estimator, makes a page of its own.
    """
    if not results:
        raise ValueError("report: expected a result or a directory, got none")
    in_memory = [getattr(result, "result_", result) for result in results]
    if len(in_memory) == 1 and isinstance(in_memory[0], Result):
        page = _slidemesh.page_of_result(in_memory[0].for_report(), title)
    elif any(isinstance(result, Result) for result in in_memory):
        raise ValueError("report: expected one result of solve, or results of run, got a mixture")
    else:
        directories = [os.fspath(r.directory if isinstance(r, RunResult) else r) for r in in_memory]
        page = _slidemesh.page_of_directories(directories, title)
    where = Path(out)
    where.write_text(page, encoding="utf-8")
    return where
