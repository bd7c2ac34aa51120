"""Functions of one's own, sets of one's own, graphs of all kinds."""

import networkx
import numpy as np
import pytest
import slidemesh
from slidemesh import Function, LinearOracle, graphs, losses, sets

GAP = 1e-6


def quadratics(targets, **options):
    """|x - t|^2 / 2 at each node: the sum is least at the mean of the targets, projected."""
    return [Function(lambda x, t=t: float((x - t) @ (x - t)) / 2, lambda x, t=t: x - t, smoothness=1.0, **options)
            for t in targets]


@pytest.fixture
def targets():
    return np.random.default_rng(0).standard_normal((5, 3))


def test_functions_reach_the_projected_mean(targets):
    result = slidemesh.solve(quadratics(targets), sets.l2_ball(radius=0.1), "ring", dimension=3)
    mean = targets.mean(axis=0)
    assert np.allclose(result.x, mean * min(1.0, 0.1 / np.linalg.norm(mean)), atol=1e-3)
    assert result.status == "target_reached"
    assert result.certificate.relative_gap <= GAP
    assert result.costs.calls > 0 and result.costs.rounds > 0


def test_second_derivatives_spare_gradients(targets):
    scale = np.diag([1.0, 30.0, 900.0])
    functions = [(lambda x, t=t: float((x - t) @ scale @ (x - t)) / 2, lambda x, t=t: scale @ (x - t)) for t in targets]
    few = slidemesh.solve([(*f, lambda x: scale) for f in functions], "l2=0.5", "ring", dimension=3,
                          method="newton-sliding")
    many = slidemesh.solve([Function(*f, smoothness=900.0) for f in functions], "l2=0.5", "ring", dimension=3,
                           method="ipds-restarted")
    assert np.allclose(few.x, many.x, atol=1e-3)
    assert few.costs.calls * 3 < many.costs.calls


def test_smoothness_is_estimated_where_it_is_not_given(targets):
    functions = [(f.value, f.gradient) for f in quadratics(targets)]
    result = slidemesh.solve(functions, "l2=0.1", "ring", dimension=3)
    assert result.certificate.relative_gap <= GAP


def test_an_estimate_of_smoothness_is_charged_to_who_goes_by_it(targets):
    made = []

    def functions(curvature=None, smoothness=None):
        def gradient(x, t):
            made.append(1)
            return x - t

        return [Function(lambda x, t=t: float((x - t) @ (x - t)) / 2, lambda x, t=t: gradient(x, t), curvature, smoothness=smoothness) for t in targets]

    estimated = slidemesh.solve(functions(), "l2=0.1", "ring", dimension=3, method="ipds-restarted", outer_steps=5, certified_gap=None)
    assert len(made) == estimated.costs.calls
    made.clear()
    given = slidemesh.solve(functions(smoothness=1.5), "l2=0.1", "ring", dimension=3, method="ipds-restarted", outer_steps=5, certified_gap=None)
    assert len(made) == given.costs.calls == 5 * len(targets) < estimated.costs.calls
    made.clear()
    newton = slidemesh.solve(functions(lambda x: np.eye(3)), "l2=0.1", "ring", dimension=3, method="newton-sliding")
    assert len(made) <= newton.costs.calls
    without = len(made)
    slidemesh.solve(functions(lambda x: np.eye(3), smoothness=1.5), "l2=0.1", "ring", dimension=3, method="newton-sliding")
    assert len(made) == 2 * without, "newton sliding goes by no smoothness constant"


def test_a_linear_oracle_of_ones_own(targets):
    ball = LinearOracle(lambda g: -0.1 * g / np.linalg.norm(g), dimension=3,
                        violation=lambda x: np.linalg.norm(x) - 0.1)
    own = slidemesh.solve(quadratics(targets), ball, "path", certified_gap=1e-4)
    ours = slidemesh.solve(quadratics(targets), sets.l2_ball(0.1), "path", dimension=3)
    assert own.objective - ours.objective <= 1e-4 * (own.start_value - ours.objective) + 1e-9
    assert own.costs.linear_oracle_calls > 0


def test_a_projection_of_ones_own_is_used(targets):
    def project(x):
        return x * min(1.0, 0.1 / max(np.linalg.norm(x), 1e-300))

    ball = LinearOracle(lambda g: -0.1 * g / np.linalg.norm(g), dimension=3, project=project)
    assert slidemesh.solve(quadratics(targets), ball, "path").certificate.relative_gap <= GAP


def test_an_object_with_an_oracle_is_a_set(targets):
    class Corner:
        dimension = 3

        def linear_minimizer(self, g):
            v = np.zeros(3)
            j = int(np.argmin(g))
            v[j] = 1.0 if g[j] < 0 else 0.0
            return v

    result = slidemesh.solve(quadratics(np.abs(targets)), Corner(), "complete", certified_gap=1e-3)
    assert (result.x >= -1e-9).all() and result.x.sum() <= 1 + 1e-9


def test_each_node_may_have_a_set_of_its_own(targets):
    boxes = [sets.box(lower=-1.0, upper=0.5 + 0.1 * i) for i in range(5)]
    result = slidemesh.solve(quadratics(targets + 2), boxes, "ring", dimension=3)
    assert np.allclose(result.x, 0.5, atol=1e-3)


def test_sets_without_a_common_point_are_an_error(targets):
    boxes = [sets.box(lower=float(i), upper=i + 0.5) for i in range(5)]
    with pytest.raises(ValueError, match="common point"):
        slidemesh.solve(quadratics(targets), boxes, "complete", dimension=3)


GRAPHS = {
    "a name": "star",
    "a table": {"graph": "erdos-renyi", "p": 0.7},
    "a graph": graphs.path(5),
    "networkx": networkx.cycle_graph(5),
    "networkx with names": networkx.relabel_nodes(networkx.star_graph(4), dict(enumerate("abcde"))),
    "pairs": [(0, 1), (1, 2), (2, 3), (3, 4)],
    "an array": np.array([[0, 1], [1, 2], [2, 3], [3, 4]]),
}


@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS.keys())
def test_graphs_of_all_kinds(targets, graph):
    result = slidemesh.solve(quadratics(targets), "l2=0.1", graph, dimension=3, certified_gap=1e-4)
    assert result.status == "target_reached"


def test_networkx_and_back():
    graph = graphs.barbell(8)
    assert graphs.as_graph(graph.to_networkx(), 8) == graph
    assert np.allclose(np.sort(networkx.laplacian_spectrum(graph.to_networkx())), graph.spectrum(), atol=1e-9)


def test_registries_are_mirrored_whole():
    from slidemesh import _slidemesh

    for module, kinds in [(sets, _slidemesh.set_kinds()), (losses, _slidemesh.loss_kinds()),
                          (graphs, _slidemesh.graph_kinds())]:
        assert kinds
        for kind in kinds:
            made = getattr(module, kind["name"].replace("-", "_"))
            for key in kind["keys"]:
                assert key["name"] in made.__doc__
    assert "newton-sliding" in slidemesh.methods()


def test_rows_of_every_loss():
    random = np.random.default_rng(1)
    A = random.standard_normal((60, 4))
    signs = np.sign(A @ [1.0, -1.0, 0.5, 0.0] + 0.1)
    for loss, b in [(losses.logistic(), signs), (losses.smoothed_hinge(gamma=0.5), signs),
                    (losses.least_squares(), A[:, 0]), (losses.huber(delta=0.1), A[:, 0]),
                    (losses.softmax(classes=3), random.integers(0, 3, 60).astype(float))]:
        rows = [loss.over(A[i::3], b[i::3]) for i in range(3)]
        result = slidemesh.solve(rows, "l2=2", "complete", certified_gap=1e-3)
        assert result.objective < result.start_value, loss


def test_gradients_of_losses_match_differences():
    t = np.linspace(-2, 2, 9)
    for loss, b in [(losses.logistic(), np.ones(9)), (losses.huber(delta=0.7), np.zeros(9))]:
        _, derivative = loss.evaluate(b, t)
        for j in range(9):
            step = np.zeros(9)
            step[j] = 1e-6
            slope = (loss.evaluate(b, t + step)[0] - loss.evaluate(b, t - step)[0]) / 2e-6
            assert abs(slope - derivative[j]) < 1e-8


def test_a_result_is_a_start(targets):
    first = slidemesh.solve(quadratics(targets), "l2=0.1", "ring", dimension=3)
    again = slidemesh.solve(quadratics(targets), "l2=0.1", "ring", start=first)
    assert again.costs.calls <= first.costs.calls
    assert abs(again.objective - first.objective) < 1e-6


def test_the_same_call_gives_the_same_bits(targets):
    one, two = (slidemesh.solve(quadratics(targets), "l1=0.5", "ring", dimension=3, seed=7) for _ in range(2))
    assert np.array_equal(one.x, two.x) and one.costs.calls == two.costs.calls
