"""What four carriers saw of the flows from 6 factories to 6 shops, each truck a noisy look at a sum of flows: rows.csv."""

import random
import sys

random.seed(4)
n = 6
plan = [[0.0] * n for _ in range(n)]
for weight in (0.5, 0.3, 0.2):  # a mixture of three ways to pair factories and shops
    shops = list(range(n))
    random.shuffle(shops)
    for factory, shop in enumerate(shops):
        plan[factory][shop] += weight
flat = [plan[i][j] for j in range(n) for i in range(n)]
with open(sys.argv[1] + "/rows.csv", "w") as out, open(sys.argv[1] + "/truth.csv", "w") as truth:
    out.write("seen," + ",".join(f"x{k}" for k in range(n * n)) + "\n")
    truth.write("\n".join(f"{value}" for value in flat) + "\n")
    for _ in range(400):
        a = [1.0 if random.random() < 0.2 else 0.0 for _ in flat]
        seen = sum(x * y for x, y in zip(a, flat)) + random.gauss(0, 0.05)
        out.write(",".join(f"{value:.6f}" for value in [seen, *a]) + "\n")
