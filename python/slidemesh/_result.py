"""What a run comes to: an answer, what is certain about it, what it cost, and how it got there."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Iterator, Mapping, Optional

import numpy as np


class InterruptedWarning(UserWarning):
    """A run was stopped by Ctrl-C, and what it had by then is its answer."""


class NotReachedWarning(UserWarning):
    """A run ended before the accuracy that was asked for."""


class Record(Mapping[str, Any]):
    """One line of a trace: fields as keys or attributes, None where a run has no such number."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.__dict__.update(fields)

    def __getitem__(self, key: str) -> Any:
        return self.__dict__[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.__dict__)

    def __len__(self) -> int:
        return len(self.__dict__)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"a record has no field {name!r}")

    def __repr__(self) -> str:
        fields = self.__dict__
        return f"Record(step={fields.get('step')}, objective_at_average={fields.get('objective_at_average')})"


class Table(Mapping[str, np.ndarray]):
    """Columns of one length by name: a trace. `to_pandas()` where pandas is installed.

    >>> table = Table({"step": np.array([0, 1]), "passes": np.array([0.0, 0.5])})
    >>> table["passes"].tolist(), table.rows
    ([0.0, 0.5], 2)
    """

    def __init__(self, columns: Mapping[str, np.ndarray]) -> None:
        self._columns = dict(columns)

    def __getitem__(self, name: str) -> np.ndarray:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def rows(self) -> int:
        return len(next(iter(self._columns.values()), ()))

    def row(self, i: int) -> dict[str, Any]:
        """The i-th row, NaN as None and whole numbers whole."""
        return {name: _plain(column[i]) for name, column in self._columns.items()}

    def to_pandas(self) -> Any:
        import pandas

        return pandas.DataFrame(self._columns)

    def __repr__(self) -> str:
        return f"Table({self.rows} rows: {', '.join(self._columns)})"

    def _repr_html_(self) -> str:
        from ._chart import html_table

        shown = range(self.rows) if self.rows <= 20 else [*range(10), *range(self.rows - 10, self.rows)]
        return html_table(list(self._columns), [[self._columns[name][i] for name in self._columns] for i in shown])


def shown(value: Optional[float], form: str = ".6g") -> str:
    """A number that there may not be."""
    return "?" if value is None else format(value, form)


def _plain(value: Any) -> Any:
    if isinstance(value, (float, np.floating)):
        return None if np.isnan(value) else float(value)
    return value.item() if isinstance(value, np.generic) else value


@dataclass(frozen=True)
class Costs:
    """What a run took. Measuring for the trace is not in it."""

    calls: int  #: rows whose gradient was evaluated, over all nodes
    passes: float  #: the same, in passes over all rows
    accesses: int  #: times a node asked for data
    rounds: int  #: times every node sent a vector to each neighbour
    hops: int  #: message latencies one after the other
    messages: int
    bytes: int
    linear_oracle_calls: int
    seconds: float  #: inside the method

    @classmethod
    def of(cls, record: Mapping[str, Any], rows: int) -> "Costs":
        return cls(calls=record["data_oracle_calls"], passes=record["data_oracle_calls"] / max(rows, 1),
                   accesses=record["data_oracle_accesses"], rounds=record["communication_rounds"], hops=record["hops"],
                   messages=record["messages"], bytes=record["bytes_sent"],
                   linear_oracle_calls=record["linear_oracle_calls"], seconds=record["seconds"])


@dataclass(frozen=True)
class Certificate:
    """What is certain about an answer: F(x) is at most `gap` above the smallest value, whatever the data."""

    objective: float
    lower_bound: float
    gap: float
    relative_gap: float  #: to F(x_0) - lower_bound

    @classmethod
    def of(cls, record: Mapping[str, Any], start_value: Optional[float]) -> "Optional[Certificate]":
        bound, gap = record.get("lower_bound"), record.get("certified_gap")
        if bound is None or gap is None:
            return None
        scale = (start_value - bound) if start_value is not None else float("nan")
        return cls(objective=record["objective_at_average"], lower_bound=bound, gap=gap,
                   relative_gap=gap / scale if scale > 0 else float("nan"))


class Result:
    """What `solve` returns.

    Attributes
    ----------
    x : array
        The answer: the mean of the nodes' answers.
    columns : array, d x nodes
        Each node's own.
    status : str
        "target_reached", "finished", "time_limit", "interrupted", ...
    certificate : Certificate or None
    costs : Costs
    trace : Table
    dual : array or None
        The multipliers of consensus; `solve(..., start=result)` goes on with them.
    """

    def __init__(self, answer: Mapping[str, Any], *, rows: int, graph: Any, method: str, label: str,
                 problem: list[str]) -> None:
        self.x: np.ndarray = answer["x"]
        self.columns: np.ndarray = answer["columns"]
        self.status: str = answer["status"]
        self.dual: Optional[np.ndarray] = answer["dual"]
        self.last = dict(answer["last"])
        self.start_value: float = answer["start_value"]
        self.rows = rows
        self.graph = graph
        self.method = method
        self.label = label
        self.problem = problem
        trace = dict(answer["trace"])
        trace["passes"] = trace["data_oracle_calls"] / max(rows, 1)
        self.trace = Table(trace)

    @property
    def objective(self) -> float:
        return self.last["objective_at_average"]

    @property
    def costs(self) -> Costs:
        return Costs.of(self.last, self.rows)

    @property
    def certificate(self) -> Optional[Certificate]:
        return Certificate.of(self.last, self.start_value)

    @property
    def steps(self) -> int:
        return self.last["step"]

    def for_report(self) -> dict[str, Any]:
        """As `slidemesh.report` takes it."""
        records = [self.trace.row(i) for i in range(self.trace.rows)]
        for record in records:
            record.pop("passes")
            record["status"] = "running"
            if record["active_set_size"] is not None:
                record["active_set_size"] = int(record["active_set_size"])
        if records:
            records[-1]["status"] = self.status
        return {"label": self.label, "method": self.method, "status": self.status, "rows": self.rows,
                "start_value": self.start_value, "records": records, "problem": self.problem,
                "nodes": self.graph.nodes, "edges": self.graph.edges}

    def plot(self, x: str = "passes", ax: Any = None) -> Any:
        """The gap against passes (or another column of the trace, such as "communication_rounds"), with matplotlib."""
        from ._chart import plot

        return plot([(self.label, self.trace)], x, ax)

    def __repr__(self) -> str:
        certificate = self.certificate
        sure = f", certified gap {certificate.gap:.2e}" if certificate else ""
        return (f"Result({self.status}: F = {shown(self.objective)}{sure}; {self.costs.passes:.3g} passes, "
                f"{self.costs.rounds} rounds)")

    def _repr_html_(self) -> str:
        from ._chart import summary_html

        return summary_html([(self.label, {**asdict(self.costs), "status": self.status, "objective": self.objective,
                                           "certified_gap": self.last["certified_gap"]}, self.trace)])
