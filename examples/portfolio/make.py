"""A thousand days of ten assets: rows.csv in the directory given. The label is the return that is wanted every day."""

import random
import sys

random.seed(11)
mean = [0.02 + 0.01 * j for j in range(10)]
risk = [0.1 + 0.08 * j for j in range(10)]
with open(sys.argv[1] + "/rows.csv", "w") as out:
    out.write("wanted," + ",".join(f"asset{j}" for j in range(10)) + "\n")
    for _ in range(1000):
        market = random.gauss(0, 1)
        day = [m + r * (0.5 * market + random.gauss(0, 1)) for m, r in zip(mean, risk)]
        out.write("0.06," + ",".join(f"{value:.6f}" for value in day) + "\n")
