"""What cannot be meant is a ValueError or TypeError that says so, or the function's own exception; never a crash."""

import numpy as np
import pandas
import pytest
import scipy.sparse
import slidemesh
from slidemesh import Function, LinearOracle, SlidingClassifier, SlidingRegressor, graphs, losses, sets

X = np.random.default_rng(0).standard_normal((40, 3))
y = np.where(X[:, 0] > 0, 1, 0)
BALL = LinearOracle(lambda g: -g / np.linalg.norm(g), dimension=3, violation=lambda x: np.linalg.norm(x) - 1)


class Own(Exception):
    pass


def fails(*_):
    raise Own("of the user's own")


def functions(value=lambda x: float(x @ x) / 2, gradient=lambda x: x, **options):
    return [Function(value, gradient, **{"smoothness": 1.0, **options}) for _ in range(3)]


def solve(objectives=None, set="l2=1", graph="ring", **options):
    return slidemesh.solve(functions() if objectives is None else objectives, set, graph,
                           **{"dimension": 3, "outer_steps": 50, **options})


def fit(X=X, y=y, estimator=SlidingClassifier, node=None, sample_weight=None, **options):
    return estimator(**{"max_iter": 20, **options}).fit(X, y, node=node, sample_weight=sample_weight)


def off_centre(x):
    return (x - 1) @ (x - 1) / 2


def later(kind):
    """A gradient, of the function above, that is right at first and wrong later."""
    calls = []

    def gradient(x):
        calls.append(1)
        return x - 1.0 if len(calls) < 7 else kind(x)

    return gradient


nan = X.copy()
nan[3, 1] = np.nan
broken = scipy.sparse.csr_matrix(X)
broken.indices[0] = 77
unsorted_pointers = scipy.sparse.csr_matrix(X)
unsorted_pointers.indptr[1] = 10_000

CASES = {
    # shapes and kinds of data
    "labels too few": (lambda: fit(y=y[:-1]), "inconsistent"),
    "one dimension": (lambda: fit(X=X[:, 0]), "2D|1D"),
    "no rows": (lambda: fit(X=X[:0], y=y[:0]), "0 sample"),
    "no columns": (lambda: fit(X=X[:, :0]), "0 feature"),
    "NaN": (lambda: fit(X=nan), "NaN"),
    "infinity": (lambda: fit(X=np.where(np.isnan(nan), np.inf, nan)), "infinity"),
    "strings": (lambda: fit(X=np.full((40, 3), "a")), "string|convert|numeric"),
    "one class": (lambda: fit(y=np.zeros(40)), "1 class"),
    "continuous labels": (lambda: fit(y=X[:, 0]), "label type"),
    "labels NaN": (lambda: fit(y=np.full(40, np.nan), estimator=SlidingRegressor), "NaN"),
    "labels words of a regression": (lambda: fit(y=np.where(y == 1, "oak", "ash"), estimator=SlidingRegressor), "y: expected numbers, got words: '(oak|ash)'"),
    "node too short": (lambda: fit(node=[0, 1]), "node: expected one for each of 40"),
    "node too short beside weights": (lambda: fit(node=[0, 1], sample_weight=np.arange(40) % 2), "node: expected one for each of 40"),
    "node of words and numbers": (lambda: fit(node=np.array([1, "a"] * 20, dtype=object)), "names or numbers, got both: int and str"),
    "node is NaN": (lambda: fit(node=np.where(np.arange(40) % 2 == 0, 1.0, np.nan)), "nobody for 20 of them, the first at 1"),
    "node is None": (lambda: fit(node=["a", None] * 20), "nobody for 20 of them, the first at 1"),
    "one node by name": (lambda: fit(node=["a"] * 40), "at least 2 nodes"),
    "weights negative": (lambda: fit(sample_weight=-np.ones(40)), "[Nn]egative"),
    "weights all nil": (lambda: fit(sample_weight=np.zeros(40)), "above 0"),
    "weights too few": (lambda: fit(sample_weight=np.ones(3)), "sample_weight"),
    "CSR with a column outside": (lambda: fit(X=broken), "columns below 3|index"),
    "CSR with offsets outside": (lambda: fit(X=unsorted_pointers), "indptr|offset|index"),
    "huge numbers": (lambda: fit(X=X * 1e200), "overflow|scale|finite"),
    "rows and labels differ": (lambda: losses.logistic().over(X, y[:-1]), "n labels"),
    "labels not the loss's": (lambda: losses.logistic().over(X, np.arange(40.0)), "label"),
    "rows of words": (lambda: losses.logistic().over(np.full((4, 2), "a"), np.ones(4)), "number"),
    "rows NaN": (lambda: losses.least_squares().over(nan, y), "NaN"),
    # parameters
    "radius negative": (lambda: fit(l1=-1.0), "radius"),
    "radius NaN": (lambda: fit(l2=float("nan")), "radius"),
    "radius a word": (lambda: fit(l2="ten"), "radius"),
    "two sets": (lambda: fit(l1=1.0, l2=1.0), "one of set"),
    "unknown set": (lambda: fit(set={"kind": "l1-bal", "radius": 1.0}), "did you mean l1-ball"),
    "unknown set key": (lambda: fit(set={"kind": "l1-ball", "radios": 1.0}), "radi"),
    "set of nonsense": (lambda: fit(set=7), "set: expected"),
    "sets too few": (lambda: fit(set=["l1=1", "l1=2"]), "each of 4 nodes"),
    "box upside down": (lambda: fit(set=sets.box(lower=1.0, upper=0.0)), "lower|upper"),
    "no nodes": (lambda: fit(nodes=0), "nodes"),
    "half a node": (lambda: fit(nodes=2.5), "nodes"),
    "unknown graph": (lambda: fit(graph="rign"), "did you mean ring"),
    "graph of other size": (lambda: fit(graph=graphs.ring(7)), "4 nodes"),
    "graph in pieces": (lambda: fit(graph=[(0, 1), (2, 3)]), "connected"),
    "graph with a loop": (lambda: fit(graph=[(0, 0), (0, 1), (1, 2), (2, 3)]), "graph"),
    "graph beyond its nodes": (lambda: fit(graph=[(0, 9)]), "graph"),
    "graph of nonsense": (lambda: fit(graph=3.0), "graph: expected"),
    "unknown split": (lambda: fit(split="sideways"), "split"),
    "unknown loss": (lambda: fit(loss="hinge"), "loss"),
    "unknown method": (lambda: fit(method="newton-slidin"), "did you mean newton-sliding"),
    "unknown method key": (lambda: fit(method="ipds", method_options={"inne": "cgs"}), "inne"),
    "mu negative": (lambda: fit(mu=-1.0), "mu"),
    "gap negative": (lambda: fit(certified_gap=-1e-3), "certified_gap"),
    "steps nil": (lambda: fit(max_iter=0), "max_iter: expected a whole number from 1"),
    "a step and a half": (lambda: fit(max_iter=1.5), "max_iter: expected a whole number from 1 .* got 1.5"),
    "steps beyond numbers": (lambda: solve(outer_steps=10**12), "outer_steps: expected a whole number"),
    "seed none": (lambda: fit(seed=None), "seed: expected a whole number from 0 .* got None"),
    "two columns of one name": (lambda: fit(X=pandas.DataFrame(X, columns=["a", "a", "b"])).save("never.json"), "columns with different names"),
    "no objectives": (lambda: solve([]), "objectives"),
    "one objective": (lambda: solve(functions()[:1]), "at least 2"),
    "no dimension": (lambda: solve(dimension=None), "dimension"),
    "dimensions that differ": (lambda: solve(set=BALL, dimension=4), "dimension"),
    "start of wrong size": (lambda: solve(start=np.ones(5)), "dimension"),
    "smoothness negative": (lambda: solve(functions(smoothness=-1.0)), "smoothness"),
    # functions
    "gradient of wrong shape": (lambda: solve(functions(gradient=lambda x: x[:2])),
                                r"objectives\[0\].gradient: expected an array of 3"),
    "gradient a number": (lambda: solve(functions(gradient=lambda x: 1.0)), "single number"),
    "gradient None": (lambda: solve(functions(gradient=lambda x: None)), "gradient"),
    "gradient words": (lambda: solve(functions(gradient=lambda x: ["a", "b", "c"])), "gradient"),
    "gradient NaN": (lambda: solve(functions(gradient=lambda x: x * np.nan)), "finite"),
    "gradient wrong later": (lambda: solve(functions(off_centre, later(lambda x: x[:1])), certified_gap=None), "shape 1"),
    "gradient of the wrong sign": (lambda: solve(functions(lambda x: (x - 1) @ (x - 1) / 2, lambda x: 1 - x), set="l2=5", outer_steps=None),
                                   "lower bound of all values, .* is above F = "),
    "gradient of the wrong sign, unbounded": (lambda: slidemesh.solve([(lambda x: (x - 1) @ (x - 1) / 2, lambda x: 1 - x)] * 3, "l2=5", "path",
                                                                      dimension=3), "lower bound of all values"),
    "value a word": (lambda: solve(functions(value=lambda x: "much")), "value"),
    "value NaN": (lambda: solve(functions(value=lambda x: np.nan)), "finite"),
    "hessian of wrong shape": (lambda: solve(functions(curvature=lambda x: np.eye(2)), method="newton-sliding"),
                               "3 x 3"),
    "hessian not symmetric": (lambda: solve(functions(curvature=lambda x: np.triu(np.ones((3, 3)))),
                                             method="newton-sliding"), "symmetric"),
    # oracles
    "oracle outside": (lambda: solve(set=LinearOracle(lambda g: -9 * g / np.linalg.norm(g), 3, diameter=2.0,
                                                      violation=BALL.violation)), "expected a point of the set"),
    "oracle not least": (lambda: solve(set=LinearOracle(lambda g: g / np.linalg.norm(g), 3)), "minimizes"),
    "oracle of wrong shape": (lambda: solve(set=LinearOracle(lambda g: g[:1], 3)), "3 numbers"),
    "oracle infinite": (lambda: solve(set=LinearOracle(lambda g: g / 0.0, 3)), "finite"),
    "projection outside": (lambda: solve(set=LinearOracle(BALL.linear_minimizer, 3, violation=BALL.violation,
                                                          project=lambda x: x + 9.0)), "project"),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.filterwarnings("ignore")
def test_is_a_value_error(case):
    call, words = CASES[case]
    with pytest.raises(ValueError, match=words) as caught:
        call()
    assert "\n" not in str(caught.value) or case in ("strings",) or "sklearn" in str(caught.traceback[-1].path)


def test_there_are_enough():
    assert len(CASES) >= 30


TYPES = {
    "value not a function": lambda: Function(1.0, lambda x: x),
    "oracle not a function": lambda: LinearOracle("left", 3),
    "objective of nonsense": lambda: solve([1, 2, 3]),
    "callback not a function": lambda: solve(callback=3),
    "a needed key left out": lambda: sets.l1_ball(),
    "a key that there is not": lambda: sets.l1_ball(radius=1.0, colour="red"),
}


@pytest.mark.parametrize("case", TYPES)
def test_is_a_type_error(case):
    with pytest.raises(TypeError):
        TYPES[case]()


OWN = {
    "value": lambda: solve(functions(value=fails)),
    "gradient": lambda: solve(functions(gradient=fails)),
    "gradient later": lambda: solve(functions(off_centre, later(fails)), certified_gap=None),
    "hessian": lambda: solve(functions(curvature=fails), method="newton-sliding"),
    "oracle": lambda: solve(set=LinearOracle(fails, 3)),
    "projection": lambda: solve(set=LinearOracle(BALL.linear_minimizer, 3, project=fails)),
    "violation": lambda: solve(set=LinearOracle(BALL.linear_minimizer, 3, violation=fails)),
    "callback": lambda: solve(callback=fails),
    "callback of an estimator": lambda: fit(callback=fails),
    "callback of a run": lambda: slidemesh.run({"data": {"rows": 50}, "network": {"nodes": 4},
                                                "method": [{"name": "defw", "outer_steps": 3}]}, callback=fails),
}


@pytest.mark.parametrize("case", OWN)
def test_a_functions_own_exception_comes_through(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Own, match="of the user's own"):
        OWN[case]()


def test_missing_files(tmp_path):
    with pytest.raises(FileNotFoundError):
        slidemesh.load_model(tmp_path / "none.json")
    with pytest.raises(ValueError, match="config file"):
        slidemesh.run(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_text("[problem]\nmuu = 1\n")
    with pytest.raises(ValueError, match=r"bad.toml:2: .*mu"):
        slidemesh.run(tmp_path / "bad.toml")
    (tmp_path / "model.json").write_text("{")
    with pytest.raises(ValueError):
        slidemesh.load_model(tmp_path)
