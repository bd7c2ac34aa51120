"""Constraint sets as the checker knows them: written from their definitions, sharing nothing with the program.

Each has `dimension`, `toml` (the table that a config names it by), `files` (what that table refers to), `lmo(g)`,
`violation(x)` (at most 0 inside), `diameter`, and either `project(y, h)`, the nearest point in the metric diag(h), or
None in its place.
"""

import numpy as np
from scipy.optimize import brentq, linprog

LP_TOLERANCE = 1e-10


def number_list(values):
    return "[" + ", ".join(repr(float(v)) for v in values) + "]"


class ThresholdSet:
    """lower <= x <= upper and size(x) <= budget, where both x(theta), the minimizer of the Lagrangian with multiplier
    theta, and size are coordinate by coordinate: one scalar root finds a projection in any diagonal metric."""

    def __init__(self, dimension, toml, diameter):
        self.dimension, self.toml, self.files, self.diameter = dimension, toml, {}, diameter

    def project(self, y, h):
        excess = lambda theta: self.size(self.point(y, h, theta)) - self.budget
        low, high = (0.0, 1.0) if not self.equality else (-1.0, 1.0)
        if not self.equality and excess(0.0) <= 0:
            return self.point(y, h, 0.0)
        while excess(high) > 0 and high < 1e300:
            high *= 8
        while self.equality and excess(low) < 0 and low > -1e300:
            low *= 8
        theta = brentq(excess, low, high, xtol=1e-300, rtol=1e-15, maxiter=500)
        while excess(theta) > 0 and not self.equality:  # end inside
            theta += max(abs(theta), 1e-300) * 1e-15 * 4
        return self.repair(self.point(y, h, theta))

    equality = False

    def repair(self, x):
        return x


class WeightedL1(ThresholdSet):
    """sum of w_j |x_j| <= radius, cut by a box where there is one."""

    def __init__(self, dimension, radius, weights=None, lower=None, upper=None):
        w = np.ones(dimension) if weights is None else weights
        table = f'kind = "l1-ball", radius = {radius!r}' + ("" if weights is None else f", weights = {number_list(w)}")
        self.low = np.full(dimension, -np.inf) if lower is None else lower
        self.high = np.full(dimension, np.inf) if upper is None else upper
        if lower is not None:
            table = (f'kind = "box-intersection", of = {{ {table} }}, lower = {number_list(lower)}, '
                     f"upper = {number_list(upper)}")
        super().__init__(dimension, "{ " + table + " }", 2 * radius / w.min())
        self.w, self.budget, self.cut = w, radius, lower is not None

    def size(self, x):
        return np.dot(self.w, np.abs(x))

    def point(self, y, h, theta):
        return np.clip(np.sign(y) * np.maximum(np.abs(y) - theta * self.w / h, 0), self.low, self.high)

    def violation(self, x):
        return max(self.size(x) - self.budget, (self.low - x).max(), (x - self.high).max())

    def lmo(self, g):
        if not self.cut:
            j = np.argmax(np.abs(g) / self.w)
            v = np.zeros(self.dimension)
            v[j] = -np.sign(g[j]) * self.budget / self.w[j]
            return v
        # The most of <-g, v> for a unit of the budget first: a fractional knapsack.
        v, left = np.zeros(self.dimension), self.budget
        for j in np.argsort(-np.abs(g) / self.w):
            room = self.high[j] if g[j] < 0 else -self.low[j]
            step = min(room, left / self.w[j])
            v[j], left = -np.sign(g[j]) * step, left - step * self.w[j]
        return v


class Ellipsoid(ThresholdSet):
    """sum of (x_j / a_j)^2 <= 1; a ball where all axes are its radius."""

    def __init__(self, dimension, axes, ball):
        name = f'kind = "l2-ball", radius = {float(axes[0])!r}' if ball else f'kind = "ellipsoid", axes = {number_list(axes)}'
        super().__init__(dimension, "{ " + name + " }", 2 * axes.max())
        self.axes, self.budget = axes, 1.0

    def size(self, x):
        return np.sum((x / self.axes) ** 2)

    def point(self, y, h, theta):
        return y * (h * self.axes**2) / (h * self.axes**2 + theta)

    def violation(self, x):
        # How far out, along the ray from the centre.
        size = np.sqrt(self.size(x))
        return np.linalg.norm(x) * (1 - 1 / size) if size > 1 else size - 1

    def lmo(self, g):
        top = np.abs(g * self.axes).max()
        direction = g / top if top > 0 else np.ones(self.dimension)
        return -(self.axes**2) * direction / np.linalg.norm(self.axes * direction)


class Box(ThresholdSet):
    def __init__(self, lower, upper, toml):
        super().__init__(len(lower), toml, np.linalg.norm(upper - lower))
        self.low, self.high, self.budget = lower, upper, np.inf

    def project(self, y, h):
        return np.clip(y, self.low, self.high)

    def violation(self, x):
        return max((self.low - x).max(), (x - self.high).max())

    def lmo(self, g):
        return np.where(g > 0, self.low, self.high)


class CappedSum(ThresholdSet):
    """0 <= x <= cap and sum x = total (equality) or <= total: simplex, capped-simplex and hypersimplex."""

    def __init__(self, dimension, total, cap, equality, toml):
        super().__init__(dimension, toml, np.sqrt(2) * min(total, cap * np.sqrt(dimension)) + (0 if equality else total))
        self.budget, self.cap, self.equality = total, cap, equality

    def size(self, x):
        return x.sum()

    def point(self, y, h, theta):
        return np.clip(y - theta / h, 0, self.cap)

    def repair(self, x):
        if self.equality and np.isinf(self.cap):
            return x * (self.budget / x.sum())
        return x

    def violation(self, x):
        distance = x.sum() - self.budget
        return max((-x).max(), (x - self.cap).max(), abs(distance) if self.equality else distance)

    def lmo(self, g):
        v, left = np.zeros(self.dimension), self.budget
        for j in np.argsort(g, kind="stable"):
            if left <= 0 or (not self.equality and g[j] >= 0):
                break
            v[j] = min(self.cap, left)
            left -= v[j]
        return v


class KSparse(ThresholdSet):
    def __init__(self, dimension, k, radius):
        super().__init__(dimension, f'{{ kind = "k-sparse", k = {k}, radius = {radius!r} }}', 2 * radius * np.sqrt(k))
        self.k, self.radius, self.budget = k, radius, k * radius

    def size(self, x):
        return np.abs(x).sum()

    def point(self, y, h, theta):
        return np.sign(y) * np.clip(np.abs(y) - theta / h, 0, self.radius)

    def violation(self, x):
        return max(self.size(x) - self.budget, np.abs(x).max() - self.radius)

    def lmo(self, g):
        v = np.zeros(self.dimension)
        top = np.argsort(-np.abs(g))[: self.k]
        v[top] = -np.sign(g[top]) * self.radius
        return v


class SpectralSet:
    """Matrices by their singular values (sum at most radius) or, symmetric, by their eigenvalues (in the simplex)."""

    def __init__(self, rows, columns, radius, symmetric):
        self.shape, self.radius, self.symmetric, self.dimension = (rows, columns), radius, symmetric, rows * columns
        self.files, self.diameter = {}, 2 * radius
        kind = f'"spectraplex", total = {radius!r}' if symmetric else f'"nuclear-ball", radius = {radius!r}, rows = {rows}'
        self.toml = "{ kind = " + kind + " }"
        self.values = (CappedSum(rows, radius, np.inf, True, "") if symmetric else WeightedL1(min(rows, columns), radius))

    def matrix(self, x):
        return x.reshape(self.shape, order="F")

    def project(self, y, h):
        ones = np.ones(self.values.dimension)
        if self.symmetric:
            m = self.matrix(y)
            s, u = np.linalg.eigh((m + m.T) / 2)
            return ((u * self.values.project(s, ones)) @ u.T).ravel(order="F")
        u, s, v = np.linalg.svd(self.matrix(y), full_matrices=False)
        return ((u * self.values.project(s, ones)) @ v).ravel(order="F")

    metric_is_euclidean = True

    def violation(self, x):
        m = self.matrix(x)
        if self.symmetric:
            return max(self.values.violation(np.linalg.eigvalsh((m + m.T) / 2)), np.abs(m - m.T).max())
        return np.linalg.svd(m, compute_uv=False).sum() - self.radius

    def lmo(self, g):
        if self.symmetric:
            m = self.matrix(g)
            u = np.linalg.eigh((m + m.T) / 2)[1][:, 0]
            return (self.radius * np.outer(u, u)).ravel(order="F")
        u, _, v = np.linalg.svd(self.matrix(g), full_matrices=False)
        return (-self.radius * np.outer(u[:, 0], v[0])).ravel(order="F")


class Hull:
    """The convex hull of listed points, also of so few that they span a thin set."""

    project = None

    def __init__(self, points):
        self.points, self.dimension = points, points.shape[1]
        self.toml, self.diameter = '{ kind = "hull", file = "points.txt" }', 0.0
        self.files = {"points.txt": "\n".join(" ".join(repr(float(v)) for v in p) for p in points) + "\n"}
        self.diameter = max(np.linalg.norm(p - q) for p in points for q in points)

    def lmo(self, g):
        return self.points[np.argmin(self.points @ g)]

    def violation(self, x):
        # The least t such that some mixture of the points is within t of x, coordinate by coordinate; in units of the set.
        n, d = self.points.shape
        unit = max(np.abs(self.points).max(), 1e-300)
        a = np.hstack([self.points.T / unit, -np.ones((d, 1))])
        b = np.hstack([-self.points.T / unit, -np.ones((d, 1))])
        result = linprog(np.r_[np.zeros(n), 1], np.vstack([a, b]), np.r_[x, -x] / unit, np.r_[np.ones(n), 0][None], [1.0],
                         [(0, None)] * (n + 1), "highs", options={"primal_feasibility_tolerance": LP_TOLERANCE})
        return result.fun * unit if result.success else np.nan


class LinearSet:
    """A x <= b, E x = f, lower <= x <= upper; the oracle is HiGHS."""

    project = None

    def __init__(self, toml, lower, upper, inequalities=None, equalities=None, files=None):
        self.toml, self.files, self.dimension = toml, files or {}, len(lower)
        self.low, self.high = lower, upper
        self.a, self.b = inequalities or (np.zeros((0, self.dimension)), np.zeros(0))
        self.e, self.f = equalities or (np.zeros((0, self.dimension)), np.zeros(0))
        self.diameter = np.linalg.norm(upper - lower)

    def lmo(self, g):
        top = np.abs(g).max()
        result = linprog(g / top if top > 0 else g, self.a, self.b, self.e, self.f, list(zip(self.low, self.high)), "highs",
                         options={"primal_feasibility_tolerance": LP_TOLERANCE, "dual_feasibility_tolerance": LP_TOLERANCE})
        if not result.success:
            raise RuntimeError(f"HiGHS: {result.message}")
        return result.x

    def violation(self, x):
        parts = [self.low - x, x - self.high, (self.a @ x - self.b) / np.maximum(np.linalg.norm(self.a, axis=1), 1e-300),
                 np.abs(self.e @ x - self.f) / np.maximum(np.linalg.norm(self.e, axis=1), 1e-300)]
        return max(p.max() for p in parts if p.size)


def transportation(supply, demand, toml):
    n, k = len(supply), len(demand)  # x is n x k, column by column
    e = np.vstack([np.kron(np.ones((1, k)), np.eye(n)), np.kron(np.eye(k), np.ones((1, n)))])
    upper = np.minimum.outer(supply, demand).ravel(order="F")
    return LinearSet(toml, np.zeros(n * k), upper, equalities=(e, np.r_[supply, demand]))


def polytope(a, b, lower, upper):
    lines = [" ".join(repr(float(v)) for v in row) + f" <= {float(bound)!r}" for row, bound in zip(a, b)]
    toml = f'{{ kind = "polytope", file = "set.txt", lower = {float(lower)!r}, upper = {float(upper)!r} }}'
    d = a.shape[1]
    return LinearSet(toml, np.full(d, lower), np.full(d, upper), (a, b), files={"set.txt": "\n".join(lines) + "\n"})
