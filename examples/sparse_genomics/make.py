"""Patients of four clinics with 2,000 genes each: clinic-0.csv .. clinic-3.csv in the directory given. Eight genes matter (truth.csv)."""

import random
import sys

random.seed(5)
GENES, CLINICS = 2000, [90, 60, 80, 70]
effects = dict(zip(sorted(random.sample(range(GENES), 8)), [2.0, -2.0, 1.8, 1.5, -1.5, 1.2, -1.2, 1.0]))
with open(f"{sys.argv[1]}/truth.csv", "w") as out:
    out.write("\n".join(f"{gene},{effect}" for gene, effect in effects.items()) + "\n")
for clinic, patients in enumerate(CLINICS):
    with open(f"{sys.argv[1]}/clinic-{clinic}.csv", "w") as out:
        out.write("ill," + ",".join(f"gene{j}" for j in range(GENES)) + "\n")
        for _ in range(patients):
            levels = [random.gauss(0, 1) for _ in range(GENES)]
            score = sum(effect * levels[gene] for gene, effect in effects.items()) + random.gauss(0, 0.5)
            out.write(f"{int(score > 0)}," + ",".join(f"{level:.3f}" for level in levels) + "\n")
