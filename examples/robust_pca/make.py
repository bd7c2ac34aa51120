"""Entries of a 16 x 16 matrix, a low-rank part plus a few gross errors: rows.svm in the directory given.

An entry is a row with two ones, at its place in L and at its place in S: what is observed is L + S."""

import random
import sys

random.seed(3)
n = 16
u = [random.gauss(0, 1) for _ in range(n)]
v = [random.gauss(0, 1) for _ in range(n)]
with open(sys.argv[1] + "/rows.svm", "w") as out, open(sys.argv[1] + "/truth.csv", "w") as truth:
    entries = [(i, j) for i in range(n) for j in range(n)]
    random.shuffle(entries)
    for i, j in entries:
        gross = 10.0 * random.choice([-1, 1]) if random.random() < 0.05 else 0.0
        place = i + j * n
        out.write(f"{u[i] * v[j] + gross:.9f} {place + 1}:1 {n * n + place + 1}:1\n")
        truth.write(f"{place},{u[i] * v[j]:.9f},{gross}\n")
