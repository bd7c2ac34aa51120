"""Four hospitals' heart patients, each hospital a node: train-0.csv .. train-3.csv and test-0.csv .. in the directory given.

usage: prepare.py DIRECTORY [HEART]     HEART: the folder of the UCI files; without it, patients are generated

Every third patient is held out. Words for missing values are left as they are (`missing = "mean"` in the config);
a cholesterol of 0 was never measured. Columns that a whole hospital lacks are left out by the config.
"""

import random
import sys
from pathlib import Path

COLUMNS = "age sex cp trestbps chol fbs restecg thalach exang oldpeak slope ca thal num".split()
HOSPITALS = "cleveland hungarian switzerland va".split()
SIZES = [303, 294, 123, 200]


def generated(hospital):
    """Patients of the same shape: older ones with pain and a slow pulse are ill more often, and hospitals differ."""
    random.seed(hospital)
    for _ in range(SIZES[hospital]):
        age, pain, pulse = random.gauss(52 + 3 * hospital, 9), random.randint(1, 4), random.gauss(140, 22)
        exang, oldpeak = random.randint(0, 1), abs(random.gauss(1, 1))
        score = 0.05 * (age - 54) + 0.8 * (pain - 3) - 0.02 * (pulse - 140) + 1.2 * (exang - 0.5) + 0.7 * (oldpeak - 1)
        ill = int(score + random.gauss(0, 1) > 0)
        chol = "NaN" if random.random() < 0.1 else f"{random.gauss(245, 50):.0f}"
        yield [f"{age:.0f}", str(random.randint(0, 1)), str(pain), f"{random.gauss(132, 18):.0f}", chol,
               str(random.randint(0, 1)), str(random.randint(0, 2)), f"{pulse:.0f}", str(exang), f"{oldpeak:.1f}", "2", "0", "3", str(ill)]


def collected(folder, hospital):
    for line in (folder / f"{HOSPITALS[hospital]}.csv").read_text().split():
        row = line.split(",")
        row[COLUMNS.index("chol")] = "NaN" if row[4] in ("0", "0.0", "?") else row[4]
        yield ["NaN" if value == "?" else value for value in row]


out, heart = Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None
for hospital in range(4):
    rows = list(collected(heart, hospital) if heart else generated(hospital))
    random.seed(100 + hospital)
    random.shuffle(rows)
    for name, part in (("test", rows[::3]), ("train", [row for r, row in enumerate(rows) if r % 3])):
        with open(out / f"{name}-{hospital}.csv", "w") as file:
            file.write(",".join(["ill", *COLUMNS[:-1]]) + "\n")
            for row in part:
                file.write(",".join([str(int(float(row[-1]) > 0)), *row[:-1]]) + "\n")
for name in ("train", "test"):  # what a centre would have
    parts = [(out / f"{name}-{hospital}.csv").read_text().splitlines() for hospital in range(4)]
    (out / f"pooled-{name}.csv").write_text("\n".join([parts[0][0]] + [line for part in parts for line in part[1:]]) + "\n")
