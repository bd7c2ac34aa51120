"""Rows y = <a, x> + noise, one in ten of them far off: robust_regression/rows.csv in the directory given."""

import random
import sys

random.seed(7)
truth = [2.0, -1.0, 0.5, 0.0, 0.0, 0.0]
with open(sys.argv[1] + "/rows.csv", "w") as out:
    out.write("y," + ",".join(f"a{j}" for j in range(len(truth))) + "\n")
    for row in range(1200):
        a = [random.gauss(0, 1) for _ in truth]
        y = sum(x * t for x, t in zip(a, truth)) + random.gauss(0, 0.1)
        if row % 10 == 0:
            y += 20.0 * a[0] ** 2  # a gauge that is broken where the first quantity is large
        out.write(",".join(f"{value:.6f}" for value in [y, *a]) + "\n")
