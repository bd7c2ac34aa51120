"""An upper bound on the optimum, by a feasible point, and how far from the optimum it can be at most.

Only the upper bound refutes: a program that claims a lower bound above F(x) of a feasible x is wrong, whatever the
solver here came to. The gap (Frank and Wolfe's) only says how sharp the check was.
"""

import numpy as np
from scipy.optimize import nnls

from feasible_sets import CappedSum

CHECK_EVERY = 20
NEWTON_STEPS, CORRECTIONS = 12, 40
ENOUGH = 1e-10  # of the gap, relative to the objective at the start


def wolfe_gap(objective, feasible_set, x):
    value, g = objective.value_and_gradient(x)
    return value, g @ (x - feasible_set.lmo(g))


def metric_of(feasible_set, curvature):
    """A diagonal above `curvature`; a multiple of the identity where the projection knows no other."""
    h = np.abs(curvature).sum(axis=1)
    if getattr(feasible_set, "metric_is_euclidean", False):
        return np.full(len(h), max(np.linalg.eigvalsh(curvature)[-1], 1e-300))
    return np.maximum(h, max(h.max(), 1e-300) * 1e-30)


def fista(value_and_gradient, feasible_set, h, x, steps, good_enough):
    """Accelerated projected gradients in the metric diag(h), restarted where the gradient says so."""
    best, best_value = x, value_and_gradient(x)[0]
    y, t = x, 1.0
    for k in range(steps):
        _, g = value_and_gradient(y)
        new = feasible_set.project(y - g / h, h)
        value = value_and_gradient(new)[0]
        if value < best_value:
            best, best_value = new, value
        if (h * (y - new)) @ (new - x) > 0:
            t = 1.0
        t_new = (1 + np.sqrt(1 + 4 * t * t)) / 2
        y, x, t = new + (t - 1) / t_new * (new - x), new, t_new
        if k % CHECK_EVERY == CHECK_EVERY - 1 and good_enough(best):
            break
    return best


def best_mixture(objective, points, weights):
    """Newton steps over the mixtures of `points`: each is a least-squares problem with weights of at least 0 that add up to 1."""
    value, falls = objective.value(points.T @ weights), [np.inf]
    for attempt in range(NEWTON_STEPS):
        b, c = objective.squares_near(points.T @ weights, far=attempt % 2 == 1)
        system = b @ points.T - c[:, None]  # B y - c, where the weights add up to 1
        size = np.abs(system).max()
        system = np.vstack([system / max(size, 1e-300), np.full(len(points), 1e3)])
        try:
            new, _ = nnls(system, np.r_[np.zeros(len(c)), 1e3], maxiter=100 * len(points))
        except RuntimeError:
            break
        if new.sum() <= 0:
            break
        new /= new.sum()
        steps = [weights + s * (new - weights) for s in (1.0, 0.5, 0.1, 0.01)]
        values = [objective.value(points.T @ w) for w in steps]
        if min(values) < value:
            falls, value = falls[-1:] + [value - min(values)], min(values)
            weights = steps[int(np.argmin(values))]
        else:
            falls = falls[-1:] + [0.0]
        if max(falls) <= 1e-14 * abs(value):
            break
    return weights


def mixture_by_gradients(objective, points, weights):
    simplex = CappedSum(len(points), 1.0, np.inf, True, "")

    def function(w):
        value, gradient = objective.value_and_gradient(points.T @ w)
        return value, points @ gradient

    h = metric_of(simplex, points @ objective.curvature() @ points.T)
    return fista(function, simplex, h, weights, 60, lambda _: False)


def fully_corrective(objective, feasible_set, x, steps, good_enough):
    """Frank-Wolfe that finds the best mixture of all points seen."""
    atoms, weights = [x], np.ones(1)
    improve = mixture_by_gradients if objective.loss == "softmax" else best_mixture
    for _ in range(steps):
        _, g = objective.value_and_gradient(x)
        atoms.append(feasible_set.lmo(g))
        weights = improve(objective, np.array(atoms), np.r_[weights, 0.0])
        keep = weights > 0
        atoms, weights = [p for p, k in zip(atoms, keep) if k], weights[keep]
        x = np.array(atoms).T @ weights
        if good_enough(x):
            break
    return x


def solve(objective, feasible_set, starts, steps=600):
    """A feasible point, its value and its Wolfe gap; from the best of `starts`, which must be feasible."""
    scale = max(abs(objective.value(s)) for s in starts)

    def good_enough(x):
        return wolfe_gap(objective, feasible_set, x)[1] <= ENOUGH * min(scale, abs(objective.value(x)) + 1e-12 * scale)

    x = min(starts, key=objective.value)
    if feasible_set.project is not None and not good_enough(x):
        h = metric_of(feasible_set, objective.curvature())
        x = fista(objective.value_and_gradient, feasible_set, h, x, steps, good_enough)
    if not good_enough(x):
        x = min(x, fully_corrective(objective, feasible_set, x, CORRECTIONS, good_enough), key=objective.value)
    value, gap = wolfe_gap(objective, feasible_set, x)
    return x, value, gap
