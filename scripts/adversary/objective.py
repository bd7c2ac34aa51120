"""F as docs/notation.md and docs/losses.md define it, in NumPy."""

import numpy as np


def logistic(b, t):
    return np.logaddexp(0, -b * t), -b / (1 + np.exp(np.clip(b * t, -700, 700)))


def least_squares(b, t):
    return (t - b) ** 2 / 2, t - b


def huber(b, t):
    r = t - b
    return np.where(np.abs(r) <= 1, r**2 / 2, np.abs(r) - 0.5), np.clip(r, -1, 1)


def smoothed_hinge(b, t):
    s = 1 - b * t
    return np.where(s <= 0, 0, np.where(s <= 1, s**2 / 2, s - 0.5)), -b * np.clip(s, 0, 1)


# name: value and derivative, bound on the second derivative, labels are two classes
SCALAR_LOSSES = {
    "logistic": (logistic, 0.25, True),
    "least-squares": (least_squares, 1.0, False),
    "huber": (huber, 1.0, False),
    "smoothed-hinge": (smoothed_hinge, 1.0, True),
}


class Objective:
    """sum over nodes of weight_i (mean over rows of l + mu |x|^2 / 2); rows weigh alike, or nodes do."""

    def __init__(self, loss, nodes, mu, weights, classes=1):
        self.loss, self.mu, self.classes = loss, mu, classes
        counts = np.array([len(b) for _, b in nodes], dtype=float)
        node_weight = len(nodes) * counts / counts.sum() if weights == "rows" else np.ones(len(nodes))
        self.total_mu = mu * node_weight.sum()
        self.a = np.vstack([a for a, _ in nodes])
        self.b = np.concatenate([b for _, b in nodes])
        self.weight = np.concatenate([np.full(int(n), w / n) for n, w in zip(counts, node_weight)])
        self.dimension = self.a.shape[1] * classes

    def value_and_gradient(self, x):
        if self.loss == "softmax":
            t = self.a @ x.reshape(-1, self.classes, order="F")
            top = t.max(axis=1)
            e = np.exp(t - top[:, None])
            values = np.log(e.sum(axis=1)) + top - t[np.arange(len(t)), self.b.astype(int)]
            p = e / e.sum(axis=1, keepdims=True)
            p[np.arange(len(t)), self.b.astype(int)] -= 1
            gradient = (self.a.T @ (p * self.weight[:, None])).ravel(order="F")
        else:
            values, slopes = SCALAR_LOSSES[self.loss][0](self.b, self.a @ x)
            gradient = self.a.T @ (self.weight * slopes)
        return self.weight @ values + self.total_mu * (x @ x) / 2, gradient + self.total_mu * x

    def rounding(self, x):
        """How far the value at x can be off because predictions are rounded: where large numbers nearly cancel in them."""
        if self.loss == "softmax":
            sizes, slopes = (abs(self.a) @ abs(x.reshape(-1, self.classes, order="F"))).max(axis=1), 2.0
        else:
            sizes, slopes = abs(self.a) @ abs(x), abs(SCALAR_LOSSES[self.loss][0](self.b, self.a @ x)[1])
        return self.a.shape[1] * np.finfo(float).eps * float(self.weight @ (slopes * sizes))

    def value(self, x):
        return self.value_and_gradient(x)[0]

    def squares_near(self, x, far=False):
        """(B, c) such that |B y - c|^2 / 2 has F's slope and about its curvature at x: rows by the square root of their own
        second derivative, so that nothing is squared that is badly scaled already."""
        if self.loss == "softmax":
            return None
        function, bound, _ = SCALAR_LOSSES[self.loss]
        t = self.a @ x
        _, slope = function(self.b, t)
        step = 1e-4 * (1 + np.abs(t))
        bend = np.clip((function(self.b, t + step)[1] - slope) / step, 1e-3 * bound, bound)
        if far:  # of the parabola that touches at t and lies above: these losses grow like |t| in the end
            bend = np.minimum(bound, 1 / (1 + np.abs(t - self.b if not SCALAR_LOSSES[self.loss][2] else t)))
        root = np.sqrt(self.weight * bend)
        b = np.vstack([root[:, None] * self.a, np.sqrt(self.total_mu) * np.eye(self.dimension)])
        return b, np.r_[root * (t - slope / bend), np.zeros(self.dimension)]

    def curvature(self):
        """A matrix above the second derivative everywhere."""
        bound = 0.5 if self.loss == "softmax" else SCALAR_LOSSES[self.loss][1]
        h = bound * (self.a * self.weight[:, None]).T @ self.a
        return np.kron(np.eye(self.classes), h) + self.total_mu * np.eye(self.dimension)
