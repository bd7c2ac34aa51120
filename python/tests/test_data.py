"""What is copied, counted in bytes."""

import subprocess
import sys

import pytest

MEASURE = """
import sys, gc, numpy as np, scipy.sparse
from slidemesh import SlidingClassifier

def peak():
    for line in open("/proc/self/status"):
        if line.startswith("VmHWM"):
            return int(line.split()[1]) * 1024

def reset():
    open("/proc/self/clear_refs", "w").write("5")

rows, features = {"wide": (10_000, 400), "long": (100_000, 40)}[sys.argv[3]]
random = np.random.default_rng(0)
dense = random.standard_normal((rows, features))
y = (dense[:, 0] > 0).astype(float)
kind = sys.argv[1]
if kind in ("float64", "intercept"):
    X = dense
elif kind == "float32":
    X = dense.astype(np.float32)
elif kind == "fortran":
    X = np.asfortranarray(dense)
else:
    X = scipy.sparse.random(rows, 1000, density=0.04, format="csr", random_state=0, dtype=np.float64)
    X.sum_duplicates()
size = X.data.nbytes + X.indices.nbytes if scipy.sparse.issparse(X) else X.size * 8
if X is not dense:
    del dense
method = dict(method="defw", max_iter=3, certified_gap=None, fit_intercept=kind == "intercept", nodes=8,
              split=sys.argv[2])
SlidingClassifier(**method).fit(X[:1000], y[:1000])
gc.collect(); reset(); before = peak()
SlidingClassifier(**method).fit(X, y)
print((peak() - before) / size)
"""


def copies(kind, split, shape):
    done = subprocess.run([sys.executable, "-c", MEASURE, kind, split, shape], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return float(done.stdout)


# Beside rows there are labels, scikit-learn's own checks, and with an intercept 256 rows at a time of every node.
@pytest.mark.parametrize("kind, split, shape, least, most", [
    ("float64", "contiguous", "long", 0.0, 0.2),
    ("float64", "shuffled", "long", 0.0, 0.2),
    ("float64", "contiguous", "wide", 0.0, 0.1),
    ("intercept", "contiguous", "long", 0.0, 0.2),
    ("intercept", "shuffled", "long", 0.0, 0.2),
    ("intercept", "contiguous", "wide", 0.0, 0.4),
    ("csr", "contiguous", "long", 0.0, 0.2),
    ("float32", "contiguous", "long", 0.9, 1.3),
    ("fortran", "contiguous", "long", 0.9, 1.3),
])
def test_memory(kind, split, shape, least, most):
    assert least <= copies(kind, split, shape) <= most
