"""Graphs: every kind that `slidemesh list graphs` shows, as a function of the same name.

>>> from slidemesh import graphs
>>> ring = graphs.ring(5)
>>> ring
Graph(nodes=5, edges=5)
>>> graphs.Graph(3, [(0, 1), (1, 2)]).degree(1)
2
"""

from __future__ import annotations

from typing import Any, Iterable, Mapping

import numpy as np

from . import _slidemesh
from ._kinds import constructor, python_name


class Graph:
    """An undirected connected graph on nodes 0 .. nodes - 1."""

    def __init__(self, nodes: int, edges: Iterable[tuple[int, int]]) -> None:
        self._graph = _slidemesh.Graph(nodes, [(int(a), int(b)) for a, b in edges])

    @classmethod
    def _of(cls, graph: _slidemesh.Graph) -> "Graph":
        made = cls.__new__(cls)
        made._graph = graph
        return made

    @property
    def nodes(self) -> int:
        return self._graph.nodes

    @property
    def edges(self) -> list[tuple[int, int]]:
        return self._graph.edges

    def degree(self, node: int) -> int:
        if not 0 <= node < self.nodes:
            raise ValueError(f"node: expected one from 0 to {self.nodes - 1}, got {node}")
        return self._graph.degree(node)

    def spectrum(self) -> np.ndarray:
        """Eigenvalues of the Laplacian, ascending."""
        return self._graph.spectrum()

    def to_networkx(self) -> Any:
        import networkx

        graph = networkx.Graph()
        graph.add_nodes_from(range(self.nodes))
        graph.add_edges_from(self.edges)
        return graph

    def __repr__(self) -> str:
        return f"Graph(nodes={self.nodes}, edges={len(self.edges)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Graph) and (self.nodes, self.edges) == (other.nodes, other.edges)

    def __hash__(self) -> int:
        return hash((self.nodes, tuple(self.edges)))

    def __reduce__(self) -> Any:
        return Graph, (self.nodes, self.edges)


def _named(kind: str, keys: dict[str, Any]) -> Graph:
    return Graph._of(_slidemesh.Graph.named({"graph": kind, **keys}))


def as_graph(value: Any, nodes: int, seed: int = 1) -> Graph:
    """A graph on so many nodes from what `graph=` takes.

    A name ("ring"), a table ({"graph": "grid", "rows": 2}), a Graph, a networkx graph (node i is the i-th of its nodes)
    or pairs of node numbers.

    >>> as_graph("star", 4).degree(0)
    3
    >>> as_graph([(0, 1), (1, 2)], 3)
    Graph(nodes=3, edges=2)
    """
    if isinstance(value, str):
        return _named_for(value.replace("_", "-"), nodes, seed, {})
    if isinstance(value, Mapping):
        keys = dict(value)
        return _named_for(str(keys.pop("graph", "")), nodes, seed, keys)
    if isinstance(value, Graph):
        graph = value
    elif hasattr(value, "nodes") and hasattr(value, "edges") and hasattr(value, "is_directed"):
        if value.is_directed():
            raise ValueError("graph: expected an undirected graph, got a directed one")
        number = {node: i for i, node in enumerate(value.nodes)}
        graph = Graph(len(number), [(number[a], number[b]) for a, b in value.edges()])
    else:
        graph = Graph(nodes, _pairs(value))
    if graph.nodes != nodes:
        raise ValueError(f"graph: expected one of {nodes} nodes, got {graph.nodes}")
    return graph


def _named_for(kind: str, nodes: int, seed: int, keys: dict[str, Any]) -> Graph:
    if nodes == 1:
        return Graph(1, [])
    if kind == "ring" and nodes == 2:
        kind = "path"
    return _named(kind, {"nodes": nodes, "seed": seed, **keys})


def _pairs(value: Any) -> list[tuple[int, int]]:
    try:
        return [(int(a), int(b)) for a, b in value]
    except (TypeError, ValueError):
        raise ValueError("graph: expected a name, a networkx graph or pairs of node numbers, "
                         f"got {value!r:.80}") from None


_FIRST = {"file": ()}

__all__ = ["Graph", "as_graph"]
for _kind in _slidemesh.graph_kinds():
    _name = python_name(_kind["name"])
    if _kind["name"] in ("erdos-renyi", "geometric", "cubic"):
        _kind["keys"].append({"name": "seed", "values": "a whole number", "default": "1",
                              "meaning": "of what is drawn"})
    globals()[_name] = constructor(_kind, _named, _FIRST.get(_kind["name"], ("nodes",)), __name__,
                                   "ring(4).edges\n[(0, 1), (0, 3), (1, 2), (2, 3)]" if _name == "ring" else "")
    __all__.append(_name)
del _kind, _name
