"""One call that solves a problem over a graph."""

from __future__ import annotations

import functools
import warnings
from typing import Any, Optional, Sequence, Union

import numpy as np

from . import _slidemesh
from ._objectives import Function, Rows, as_objective
from ._progress import Callback, Progress, listener
from ._result import InterruptedWarning, NotReachedWarning, Result, shown
from .graphs import Graph, as_graph
from .sets import LinearOracle, as_set


#: Where models of rows do not fit into memory, or functions have no second derivatives, it is `ipds-vr` by itself.
DEFAULT_METHOD = "newton-sliding"


@functools.lru_cache(maxsize=None)
def _certifies(method: str) -> bool:
    return any(kind["name"] == method and kind["certifies"] for kind in _slidemesh.method_kinds())


def solve(objectives: Sequence[Any], set: Any, graph: Any = "ring", *, method: Optional[str] = None, mu: float = 0.0,
          certified_gap: Optional[float] = 1e-6, target_gap: Optional[float] = None,
          reference_optimum: Optional[float] = None, outer_steps: Optional[int] = None,
          time_limit: Optional[float] = None, dimension: Optional[int] = None, start: Union[Result, Any, None] = None,
          seed: int = 1, every: int = 0, measure: bool = False, callback: Optional[Callback] = None, verbose: int = 0,
          **keys: Any) -> Result:
    """Minimize f_1(x) + ... + f_m(x) over x in X_1, ..., X_m, where node i of a graph knows f_i and X_i alone.

    Parameters
    ----------
    objectives : list
        One per node: `slidemesh.Function(value, gradient, ...)`, a tuple of the same functions, an object with methods
        `value` and `gradient`, or rows with a loss (`slidemesh.losses.logistic().over(A, b)`).
    set : set or list of sets
        The same for all nodes, or one per node: from `slidemesh.sets`, a `slidemesh.LinearOracle`, a table as configs
        have it, or a word with a radius such as "l1=10".
    graph : str, Graph, networkx graph or pairs of node numbers
        Who talks to whom.
    method : str, optional
        One of `slidemesh.methods()`; by default Newton sliding.
    mu : float
        Each f_i gets mu |x|^2 / 2 more.
    certified_gap : float or None
        Stop when F(x) - F* is certain to be at most this, relative to F(x_0) - F*.
    target_gap, reference_optimum : float, optional
        Stop at this relative gap to a known F*.
    outer_steps : int, optional
        The longest run; by default the method's own length where nothing else ends it.
    time_limit : float, optional
        Seconds inside the method.
    dimension : int, optional
        Of x, where neither objectives nor set tell.
    start : array or Result, optional
        Where to begin; a Result goes on with its multipliers too.
    every : int
        Steps from record to record; 0: every step at first, then fewer and fewer.
    measure : bool
        Whether every record has F(x), for which all rows are looked at. Otherwise the last one has, and where the
        method has neither a certificate nor an estimate of its own every one.
    callback : callable, optional
        Called with each `Record`; true ends the run.
    verbose : int
        1 shows progress.
    **keys
        Keys of the method, as configs have them: `inner="bpcg"`, `theta=0.01`, ...

    Returns
    -------
    Result

    Ctrl-C ends the run after the step that it is in, with a warning: the result is what it had by then.

    Examples
    --------
    >>> import numpy as np, slidemesh
    >>> A, b = np.eye(2), np.array([3.0, 0.1])
    >>> rows = [slidemesh.losses.least_squares().over(A, b) for _ in range(3)]
    >>> result = slidemesh.solve(rows, "l1=1", "complete")
    >>> np.round(result.x, 4).tolist()
    [1.0, 0.0]
    >>> result.certificate.relative_gap <= 1e-6
    True
    """
    nodes = [as_objective(objective, i) for i, objective in enumerate(objectives)]
    if not nodes:
        raise ValueError("objectives: expected one for each node, got none")
    if len(nodes) == 1:
        raise ValueError("objectives: expected those of at least 2 nodes, got 1")
    links = as_graph(graph, len(nodes), seed)
    sets = [as_set(s) for s in set] if isinstance(set, (list, tuple)) else [as_set(set)]
    if len(sets) not in (1, len(nodes)):
        raise ValueError(f"set: expected one, or one for each of {len(nodes)} nodes, got {len(sets)}")
    size = _dimension(nodes, sets, dimension, start)
    matrix_rows = next((node.features for node in nodes
                        if isinstance(node, Rows) and node.dimension > node.features), 0)
    made_sets = [s.make(size, matrix_rows) for s in sets]
    made_sets = made_sets * len(nodes) if len(made_sets) == 1 else made_sets
    made = [node._make(i, size, made_sets[i]) for i, node in enumerate(nodes)]
    if callback is not None and not callable(callback):
        raise TypeError(f"callback: expected a function of a record, got {type(callback).__name__}")
    if start is None and len(sets) == 1 and all(isinstance(node, Function) for node in nodes):
        callback = _until_contradicted(nodes, made_sets[0], mu, callback)
    result = run_solve(made, made_sets, links, method=method, mu=mu, certified_gap=certified_gap, target_gap=target_gap,
                       reference_optimum=reference_optimum, outer_steps=outer_steps, time_limit=time_limit, start=start,
                       seed=seed, every=every, measure=measure, callback=callback, verbose=verbose, keys=keys)
    if start is None:
        _require_convex(result, made_sets)
    return result


def require_whole(value: Any, what: str, least: int) -> int:
    """A number that the core takes: no truth value, no fraction, nothing that does not fit."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or not least <= value < 2**31:
        raise ValueError(f"{what}: expected a whole number from {least} to {2**31 - 1}, got {value!r}")
    return int(value)


def _until_contradicted(nodes: Sequence[Any], made_set: Any, mu: float, callback: Optional[Callback]) -> Callback:
    """Ends a run whose bounds cannot be true, which would go on for ever: the gap never closes."""
    start_value: list[float] = []

    def on_record(record: Any) -> bool:
        asked = bool(callback(record)) if callback is not None else False
        if record.lower_bound is None:
            return asked
        if not start_value:
            x = np.array(made_set.start())
            start_value.append(sum(float(node.value(x)) for node in nodes) + len(nodes) * float(mu) * float(x @ x) / 2)
        return asked or _contradicts(record.lower_bound, start_value[0])

    return on_record


def _contradicts(bound: float, value: float) -> bool:
    return bound > value + 1e-9 * (abs(bound) + abs(value))


def _require_convex(result: Result, sets: Sequence[Any]) -> None:
    """Certificates trust the gradients of one's own functions. Of convex ones no bound lies above a value that was seen."""
    bound, start = result.last["lower_bound"], result.start_value
    if bound is None or start is None or any(s is not sets[0] for s in sets):
        return
    if _contradicts(bound, start):
        raise ValueError("objectives: expected gradients of convex functions, got some whose lower bound of all values, "
                         f"{bound:.6g}, is above F = {start:.6g} where the run began: a gradient is not its function's, or "
                         "a function is not convex")


def _dimension(nodes: Sequence[Any], sets: Sequence[Any], dimension: Optional[int], start: Any) -> int:
    given = [node.dimension for node in nodes if isinstance(node, Rows)]
    given += [s.dimension for s in sets if isinstance(s, LinearOracle)]
    if dimension is not None:
        given.append(int(dimension))
    if start is not None:
        given.append(np.size(start.x if isinstance(start, Result) else start))
    if not given:
        raise ValueError("dimension: expected dimension= since neither objectives nor set tell it, got none")
    if any(d != given[0] for d in given):
        raise ValueError(f"dimension: expected one for all, got {sorted({*given})}")
    if given[0] < 1:
        raise ValueError(f"dimension: expected at least 1, got {given[0]}")
    return given[0]


def run_solve(objectives: list[_slidemesh.Objective], sets: list[_slidemesh.Set], graph: Graph, *,
              method: Optional[str], mu: float, certified_gap: Optional[float], start: Any, seed: int,
              callback: Optional[Callback], verbose: int, keys: dict[str, Any], target_gap: Optional[float] = None,
              reference_optimum: Optional[float] = None, outer_steps: Optional[int] = None,
              time_limit: Optional[float] = None, every: int = 0, measure: bool = False, label: str = "",
              dual: Any = None, stacklevel: int = 4) -> Result:
    """The same over objectives and sets that are made already."""
    rows = sum(objective.rows for objective in objectives)
    outer_steps = None if outer_steps is None else require_whole(outer_steps, "outer_steps", 1)
    seed, every = require_whole(seed, "seed", 0), require_whole(every, "every", -1)
    if isinstance(start, Result):
        dual = start.dual if start.dual is not None and start.dual.shape[1] == len(objectives) else None
        start = start.x
    method = method or DEFAULT_METHOD
    options = {
        "method": method, "keys": keys, "outer_steps": outer_steps, "reference_optimum": reference_optimum,
        "stop": {"certified_gap": certified_gap, "target_gap": target_gap, "time_limit_seconds": time_limit},
        "seed": seed, "every": every, "measure": measure or bool(verbose) or not _certifies(method),
        "mu": float(mu), "start": start, "dual": dual,
    }
    progress = Progress(rows) if verbose else None
    try:
        answer = _slidemesh.solve(objectives, sets, graph._graph, options, listener(callback, progress))
    finally:
        if progress is not None:
            progress.close()
    name = method or DEFAULT_METHOD
    problem = [f"{len(objectives)} nodes, {rows} rows, {sets[0].dimension} variables", f"set {sets[0].name}, mu {mu:g}"]
    result = Result(answer, rows=rows, graph=graph, method=name, label=label or name, problem=problem)
    _warn(result, bool(answer["interrupted"]), certified_gap, outer_steps, stacklevel)
    return result


def _warn(result: Result, interrupted: bool, certified_gap: Optional[float], outer_steps: Optional[int],
          stacklevel: int) -> None:
    if interrupted:
        warnings.warn(f"interrupted after step {result.steps}: the answer is what there was by then "
                      f"(F = {shown(result.objective)})", InterruptedWarning, stacklevel=stacklevel)
    elif result.status == "empty_intersection":
        raise ValueError("set: expected sets with a common point, got some that have none: the multipliers prove it")
    elif result.status in ("time_limit", "reference_uncertain") or (
            result.status == "finished" and certified_gap is not None and _certifies(result.method)):
        rounding = "rounding left nothing to gain: scale the columns, or take a smaller set"
        why = ("" if result.status != "finished" else " (these are all the steps that it may make)"
               if outer_steps is not None and result.steps >= outer_steps else f" ({rounding})")
        warnings.warn(f"{result.status} after step {result.steps}: the accuracy that was asked for was not reached{why}; "
                      f"{result!r}", NotReachedWarning, stacklevel=stacklevel)
