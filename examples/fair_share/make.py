"""What four towns would like of the water in each month: town-0.csv .. town-3.csv in the directory given, a row per wish."""

import random
import sys

MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
WISHES = [  # what a town would take of the water in each month, if it had it to itself
    [0.14, 0.14, 0.13, 0.12, 0.12, 0.12, 0.12, 0.12, 0.12, 0.12, 0.13, 0.14],  # the city: much the same all year
    [0.04, 0.06, 0.12, 0.22, 0.20, 0.12, 0.08, 0.06, 0.08, 0.06, 0.04, 0.04],  # the valley: orchards in spring
    [0.00, 0.00, 0.02, 0.08, 0.16, 0.30, 0.42, 0.40, 0.16, 0.04, 0.00, 0.00],  # the plain: fields in summer
    [0.10, 0.06, 0.04, 0.06, 0.08, 0.12, 0.20, 0.22, 0.10, 0.06, 0.04, 0.12],  # the lake: guests in summer and at Christmas
]

random.seed(2)
for town, wishes in enumerate(WISHES):
    with open(f"{sys.argv[1]}/town-{town}.csv", "w") as out:
        out.write("wish," + ",".join(MONTHS) + "\n")
        for k in range(120):
            month = k % 12
            out.write(f"{wishes[month] + random.gauss(0, 0.03):.4f}," + ",".join("1" if j == month else "0" for j in range(12)) + "\n")
