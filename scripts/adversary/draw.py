"""Random instances: tame ones, as a user would have them, and evil ones, as nobody should."""

import dataclasses

import numpy as np

import feasible_sets as sets
from objective import SCALAR_LOSSES

GRAPHS = ["path", "ring", "star", "complete", "barbell", "erdos-renyi", "grid"]
# What leaves the set in the metric of a projection; these ask for one, and most sets without a cheap one are slow in it.
METHOD_KEYS = {
    "ipds": ["", 'gossip = "sqrt-laplacian"', 'profile = "deterministic"\noutput = "last"', 'inner = "cgs"', 'inner = "bpcg"',
             'inner = "lazy"', 'gradients = "sampled"\nc = 1e-3'],
    "ipds-restarted": ["", 'inner = "bpcg"', 'inner = "cgs"'],
    "ipds-vr": ["", 'inner = "bpcg"'],
    "defw": ["", 'mixing_rounds = "log"', 'weights = "laplacian"'],
}
STOPS = ["", "target_gap = 1e-2", "target_gap = 1e-4", "target_gap = 1e-6", "certified_gap = 1e-2", "certified_gap = 1e-4",
         'certified_gap = 1e-3\ncertified_gap_measure = "absolute"', "target_gap = 1e-4\ntarget_disagreement = 1e-3"]


@dataclasses.dataclass
class Instance:
    number: int
    evil: bool
    loss: str
    nodes: list  # (rows, labels) of each
    mu: float
    classes: int
    feasible_set: object
    graph: str
    graph_keys: str
    method: str
    method_keys: str
    steps: int
    stop: str
    seed: int
    matrix_shape: tuple = ()
    one_file: bool = False
    format: str = "csv"

    def describe(self):
        rows = "+".join(str(len(b)) for _, b in self.nodes)
        return (f"{'evil' if self.evil else 'tame'} {self.loss}, {self.feasible_set.toml[:70]}, mu {self.mu:g}, {self.graph}, "
                f"rows {rows}, {self.method} {self.method_keys!r}, stop {self.stop!r}")


def log_uniform(rng, low, high):
    return float(10 ** rng.uniform(np.log10(low), np.log10(high)))


def draw_set(rng, evil, dimension, shape):
    """`shape`: rows and columns of the variable where it is a matrix."""
    radius = log_uniform(rng, 1e-8, 1e8) if evil and rng.random() < 0.4 else log_uniform(rng, 0.3, 30)
    kinds = ["l1", "l1", "weighted", "cut", "l2", "linf", "box", "simplex", "capped", "ellipsoid", "hull", "polytope"]
    if dimension >= 3:
        kinds += ["hypersimplex", "k-sparse"]
    side = int(round(np.sqrt(dimension)))
    if shape and min(shape) > 1:
        kinds += ["nuclear"] * 4
    if side * side == dimension and side > 1:
        kinds += ["spectraplex", "birkhoff"]
    kind = kinds[rng.integers(len(kinds))]
    spread = rng.uniform(0.2, 2, dimension)
    if kind in ("l1", "weighted", "cut"):
        box = (-radius * spread, radius * spread[::-1]) if kind == "cut" else (None, None)
        return sets.WeightedL1(dimension, radius, spread if kind == "weighted" else None, *box)
    if kind in ("l2", "ellipsoid"):
        return sets.Ellipsoid(dimension, radius * (spread if kind == "ellipsoid" else np.ones(dimension)), kind == "l2")
    if kind == "linf":
        return sets.Box(np.full(dimension, -radius), np.full(dimension, radius), f'{{ kind = "linf-ball", radius = {radius!r} }}')
    if kind == "box":
        low, high = -radius * spread, radius * spread[::-1]
        toml = f'{{ kind = "box", lower = {sets.number_list(low)}, upper = {sets.number_list(high)} }}'
        return sets.Box(low, high, toml)
    return draw_structured_set(rng, kind, dimension, radius, shape, side)


def draw_structured_set(rng, kind, dimension, radius, shape, side):
    if kind in ("simplex", "capped"):
        name = "simplex" if kind == "simplex" else "capped-simplex"
        return sets.CappedSum(dimension, radius, np.inf, kind == "simplex", f'{{ kind = "{name}", total = {radius!r} }}')
    if kind == "hypersimplex":
        k = int(rng.integers(1, dimension))
        return sets.CappedSum(dimension, float(k), 1.0, True, f'{{ kind = "hypersimplex", k = {k} }}')
    if kind == "k-sparse":
        return sets.KSparse(dimension, int(rng.integers(1, dimension)), radius)
    if kind == "nuclear":
        return sets.SpectralSet(*shape, radius, False)
    if kind == "spectraplex":
        return sets.SpectralSet(side, side, radius, True)
    if kind == "birkhoff":
        return sets.transportation(np.ones(side), np.ones(side), '{ kind = "birkhoff" }')
    if kind == "hull":
        return sets.Hull(radius * rng.normal(size=(int(rng.integers(2, 3 * dimension + 2)), dimension)))
    a = rng.normal(size=(int(rng.integers(1, 6)), dimension))
    return sets.polytope(a, radius * rng.uniform(0.1, 1, len(a)), -radius, radius)


def spoil(rng, a):
    """Columns and rows as nobody wants them."""
    a = a.copy()
    for _ in range(rng.integers(1, 4)):
        j = rng.integers(a.shape[1])
        what = rng.integers(5)
        if what == 0:
            a[:, j] *= log_uniform(rng, 1e-8, 1e8)
        elif what == 1:
            a[:, j] = rng.normal() * log_uniform(rng, 1e-3, 1e9)  # constant
        elif what == 2:
            a[:, j] = a[:, rng.integers(a.shape[1])]  # duplicated
        elif what == 3:
            a[:, j] = 1.6e9 + np.arange(len(a))  # time stamps
        else:
            a *= log_uniform(rng, 1e-6, 1e6)
    return a


def draw_rows(rng, evil, loss, count, features, classes):
    a = rng.normal(size=(count, features)) * rng.uniform(0.3, 2, features)
    if rng.random() < 0.3:
        a *= rng.random(a.shape) < 0.3
    truth = rng.normal(size=(features, classes)) * (rng.random((features, classes)) < 0.6)
    t = a @ truth + 0.3 * rng.normal(size=(count, classes))
    if loss == "softmax":
        b = t.argmax(axis=1).astype(float)
        b[:classes] = np.arange(classes)  # every class at least once
    elif SCALAR_LOSSES[loss][2]:
        b = np.where(t[:, 0] > 0, 1.0, -1.0)
        b[0], b[-1] = -1.0, 1.0
    else:
        b = t[:, 0] * (log_uniform(rng, 1e-4, 1e4) if evil else 1.0)
    return (spoil(rng, a) if evil else a), b


def draw_matrix(rng, evil):
    """Entries of a low-rank matrix, each a row with a single 1."""
    shape = (int(rng.integers(3, 24)), int(rng.integers(3, 24)))
    count = max(8, int(shape[0] * shape[1] * (rng.uniform(0.01, 0.1) if evil else rng.uniform(0.2, 0.7))))
    places = rng.choice(shape[0] * shape[1], min(count, shape[0] * shape[1]), replace=False)
    truth = rng.normal(size=(shape[0], 2)) @ rng.normal(size=(2, shape[1]))
    a = np.zeros((len(places), shape[0] * shape[1]))
    a[np.arange(len(places)), places] = 1.0
    return shape, a, truth.ravel(order="F")[places] * (log_uniform(rng, 1e-4, 1e4) if evil else 1.0)


def deal(rng, evil, count, nodes):
    """How many rows each node has: even, or as uneven as can be."""
    if not evil or rng.random() < 0.3:
        return [count // nodes + (i < count % nodes) for i in range(nodes)]
    spare = rng.multinomial(count - nodes, rng.dirichlet(np.full(nodes, 0.3)))
    return [1 + int(s) for s in spare]


def draw_graph(rng):
    graph = GRAPHS[rng.integers(len(GRAPHS))]
    nodes = int(rng.integers(6, 9)) if graph == "barbell" else int(rng.integers(3, 9))
    if graph == "barbell":
        nodes -= nodes % 2
    if graph == "grid":
        nodes = 2 * int(rng.integers(2, 5))
    return graph, nodes, {"erdos-renyi": "p = 0.7", "grid": "rows = 2"}.get(graph, "")


def draw_instance(seed, number, evil, methods):
    rng = np.random.default_rng([seed, number])
    graph, nodes, graph_keys = draw_graph(rng)
    losses = [*SCALAR_LOSSES, "softmax", "matrix-completion"]
    loss = losses[rng.integers(len(losses))]
    classes = int(rng.integers(2, 5)) if loss == "softmax" else 1
    features = int(rng.integers(1, 13)) if loss != "softmax" else int(rng.integers(2, 5))
    shape = ()
    if loss == "matrix-completion":
        shape, a, b = draw_matrix(rng, evil)
    else:
        a, b = draw_rows(rng, evil, loss, int(rng.integers(max(3 * nodes, 12), 150)), features, classes)
        shape = (features, classes) if loss == "softmax" else ()
    ends = np.cumsum(deal(rng, evil, len(b), nodes))
    parts = [(a[e - n:e], b[e - n:e]) for e, n in zip(ends, np.diff(np.r_[0, ends]))]
    method = methods[rng.integers(len(methods))]
    keys = METHOD_KEYS.get(method, [""])
    return Instance(number, evil, loss, parts, [0.0, 0.0, 0.1, 1.0][rng.integers(4)], classes,
                    draw_set(rng, evil, a.shape[1] * classes, shape), graph, graph_keys, method,
                    keys[rng.integers(len(keys))], int(rng.integers(10, 120)), STOPS[rng.integers(len(STOPS))],
                    int(rng.integers(1, 1000)), shape if loss == "matrix-completion" else (),
                    np.ptp([len(b) for _, b in parts]) <= 1 and bool(rng.random() < 0.5),
                    "libsvm" if rng.random() < 0.3 else "csv")
