"""Runs one of the examples as its page says, and checks what the page claims.

usage: gallery.py SLIDEMESH SOURCE_DIRECTORY NAME [PROGRAM]
"""

import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SLIDEMESH, SOURCE, NAME = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), sys.argv[3]
SKIPPED = 77


def check(claim, message):
    if not claim:
        sys.exit(f"{NAME}: expected {message}")


def command(*words, cwd):
    done = subprocess.run([str(word) for word in words], cwd=cwd, capture_output=True, text=True, timeout=110)
    check(done.returncode == 0, f"exit code 0, got {done.returncode}: {words}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def data(name):
    """A file or folder of the real data, or a skipped test."""
    roots = [Path(os.environ["SLIDEMESH_DATA_DIR"])] if os.environ.get("SLIDEMESH_DATA_DIR") else [p / "shared/data" for p in SOURCE.parents]
    for root in roots:
        if (root / name).exists():
            return root / name
    print(f"{name} is not at hand: skipped")
    sys.exit(SKIPPED)


def prepared(folder, scratch, *arguments):
    """A copy of an example's folder, its data made."""
    shutil.copytree(SOURCE / "examples" / folder, scratch, dirs_exist_ok=True)
    for script in ("make.py", "prepare.py"):
        if (scratch / script).exists():
            command(sys.executable, script, ".", *arguments, cwd=scratch)


def run(scratch, *more, config="config.toml", out="out"):
    """The models' parameters by label; every run reached its target."""
    command(SLIDEMESH, "run", config, "--quiet", "--overwrite", "--out", out, *more, cwd=scratch)
    for summary in json.loads((scratch / out / "summary.json").read_text())["runs"]:
        check(summary["status"] == "target_reached", f"{summary['label']} to reach its target, got {summary['status']}")
    return {model["label"]: model["parameters"] for model in json.loads((scratch / out / "model.json").read_text())["models"]}


def close(a, b, tolerance, what):
    worst = max(abs(x - y) for x, y in zip(a, b))
    check(worst <= tolerance, f"{what} within {tolerance}, got {worst}")


def held_out(scratch, label):
    """A method's figures on the rows that were kept apart."""
    runs = json.loads((scratch / "out/summary.json").read_text())["runs"]
    return next(run for run in runs if run["label"] == label)["scores"][0]


def recommender(scratch):
    prepared("recommender", scratch)
    answers = run(scratch)
    a, b = answers["newton-sliding"], answers["defw"]
    distance = math.sqrt(sum((x - y) ** 2 for x, y in zip(a, b)) / sum(x * x for x in a))
    check(distance < 0.15, f"both methods to find the same table, got a relative distance of {distance}")
    check(held_out(scratch, "newton-sliding")["r2"] > 0.93, "held-out ratings to be explained to 93 %")
    text = (scratch / "config.toml").read_text()
    (scratch / "one.toml").write_text(text.replace('[[method]]\nname = "defw"\n', ""))
    path = json.loads(command(SLIDEMESH, "path", "one.toml", "--radii", "15,30,45,60,75", "--json", cwd=scratch))
    check(path["best_radius"] == 60.0, f"the path to choose the config's radius, got {path['best_radius']}")


def robust_regression(scratch):
    truth = [2.0, -1.0, 0.5, 0.0, 0.0, 0.0]
    prepared("robust_regression", scratch)
    close(run(scratch)["newton-sliding"], truth, 0.03, "Huber's coefficients to be the true ones")
    text = (scratch / "config.toml").read_text()
    (scratch / "squares.toml").write_text(text.replace('"huber"\ndelta = 0.3', '"least-squares"'))
    squares = run(scratch, config="squares.toml", out="squares")["newton-sliding"]
    check(max(abs(x - y) for x, y in zip(squares, truth)) > 0.2, "least squares to be led astray by the broken gauges")


def robust_pca(scratch):
    prepared("robust_pca", scratch)
    x = run(scratch)["nids"]
    truth = [line.split(",") for line in (scratch / "truth.csv").read_text().split()]
    error = math.sqrt(sum((x[int(k)] - float(low)) ** 2 for k, low, _ in truth) / sum(float(low) ** 2 for _, low, _ in truth))
    check(error < 0.03, f"the low-rank part within 3 %, got {error}")
    wrong = [k for k, _, gross in truth if (abs(x[256 + int(k)]) > 3.0) != (float(gross) != 0.0)]
    check(not wrong, f"every gross error found and no other, got {wrong}")


def portfolio(scratch):
    prepared("portfolio", scratch)
    x = run(scratch)["newton-sliding"]
    check(abs(sum(x) - 1.0) < 1e-9 and min(x) >= -1e-9, f"a fully invested long portfolio, got {x}")
    rows = [[float(value) for value in line.split(",")] for line in (scratch / "rows.csv").read_text().split()[1:]]
    missed = lambda p: sum((sum(a * b for a, b in zip(row[1:], p)) - row[0]) ** 2 for row in rows) / len(rows)
    single = min(missed([float(j == k) for j in range(10)]) for k in range(10))
    check(missed(x) < 0.9 * single and missed(x) < missed([0.1] * 10), "less risk than any single asset and than equal parts")


def sparse_genomics(scratch):
    prepared("sparse_genomics", scratch)
    genes = run(scratch)["ipds-vr"]
    kept = sum(abs(value) > 1e-6 for value in genes)
    check(8 <= kept <= 40, f"few genes of 2000, got {kept}")
    truth = {int(gene): float(effect) for gene, effect in (line.split(",") for line in (scratch / "truth.csv").read_text().split())}
    largest = sorted(range(2000), key=lambda gene: -abs(genes[gene]))[:8]
    check(sorted(largest) == sorted(truth), f"the genes that matter to be largest, got {largest}")
    check(all(genes[gene] * effect > 0.0 for gene, effect in truth.items()), "their signs to be right")
    check(held_out(scratch, "ipds-vr")["accuracy"] >= 0.85, "held-out patients to be told right")


def fair_share(scratch):
    prepared("fair_share", scratch)
    x = run(scratch)["newton-sliding"]
    most = [0.5, 0.5, 0.5, 0.5, 0.5, 0.2, 0.1, 0.1, 0.2, 0.5, 0.5, 0.5]
    check(abs(sum(x) - 1.0) < 1e-4 and min(x) > -1e-4, f"all that the reservoir gives, got {sum(x)}")
    check(all(value <= limit + 1e-4 for value, limit in zip(x, most)), f"the river's rule kept, got {x}")
    check(min(x[2:9]) > 0.08 - 1e-4, f"the fields' rule kept, got {x}")
    check(max(abs(x[6] - 0.1), abs(x[7] - 0.1), abs(x[2] - 0.08)) < 1e-4, f"both of these to bind, got {x}")


def transport(scratch):
    prepared("transport", scratch)
    x = run(scratch)["newton-sliding"]
    for k in range(6):
        check(abs(sum(x[6 * k : 6 * k + 6]) - 1.0) < 1e-6 and abs(sum(x[k::6]) - 1.0) < 1e-6, "a doubly stochastic plan")
    close(x, [float(value) for value in (scratch / "truth.csv").read_text().split()], 0.02, "the plan to be the true one")


def sensors(scratch):
    prepared("sensors", scratch)
    answers = run(scratch)
    close(answers["newton-sliding"], answers["nids"], 1e-2, "both methods to find the same model")


def accuracy(scratch, model, rows):
    return json.loads(command(SLIDEMESH, "evaluate", model, rows, "--json", cwd=scratch))


def four_hospitals(scratch, heart=None):
    """Accuracy on each hospital's held-out patients: together, pooled at a centre, alone; and of each alone at all four."""
    prepared("four_hospitals", scratch, *([heart] if heart else []))
    together = run(scratch)["newton-sliding"]
    pooled = run(scratch, "--set", 'data.path="pooled-train.csv"', out="pooled")["newton-sliding"]
    close(together, pooled, 1e-2, "the model without a centre to be the pooled one")
    table = []
    for hospital in range(4):
        never = ["--set", 'data.ignore=["slope", "ca", "thal", "chol"]'] if heart and hospital == 2 else []  # nobody's was measured there
        alone = ["--set", f'data.path="train-{hospital}.csv"', "--set", "network.nodes=2", "--set", 'network.graph="path"', *never]
        run(scratch, *alone, out=f"alone-{hospital}")
        everywhere = [accuracy(scratch, f"alone-{hospital}/model.json", f"test-{other}.csv")["accuracy"] for other in range(4)]
        table.append([accuracy(scratch, f"{out}/model.json", f"test-{hospital}.csv")["accuracy"] for out in ("out", "pooled")])
        table[-1] += [everywhere[hospital], sum(everywhere) / 4]
        print(hospital, *(f"{value:.3f}" for value in table[-1]))
    mean = [sum(column) / 4 for column in zip(*table)]
    print("mean", *(f"{value:.3f}" for value in mean))
    check(mean[0] >= mean[3] and mean[0] > 0.7, f"training together not to be worse than alone, got {mean}")
    return [*table, mean]


def four_hospitals_collected(scratch):
    """The page's table, row by row."""
    table = four_hospitals(scratch, data("heart"))
    page = (SOURCE / "docs/examples/four_hospitals.md").read_text()
    said = [[float(cell) for cell in row.split("|")[2:-1]] for row in page.splitlines() if row.startswith("|") and "0." in row]
    check(len(said) == 5, "a table of four hospitals and their mean")
    for row, figures in zip(said, table):
        close(row, figures, 0.0006, "the page's figures to be those of the run")


def travel_time(line):
    return float(line.split("travel time ")[1].split(",")[0])


def traffic(scratch):
    line = command(sys.argv[4], cwd=scratch)
    gap = float(line.split("certified to ")[1].split(",")[0])
    check(gap < 1e-6 * travel_time(line), f"flows certified to 1e-6, got {line}")


def traffic_refusals(scratch):
    (scratch / "empty.tntp").write_text("")
    for net, wrong in (("nowhere.tntp", "nowhere.tntp"), ("empty.tntp", "empty.tntp")):
        refused = subprocess.run([sys.argv[4], net, "empty.tntp"], cwd=scratch, capture_output=True, text=True, timeout=60)
        check(refused.returncode == 2 and refused.stderr.startswith(f"traffic: error: {wrong}: "), f"one line about {wrong}, got {refused}")


def traffic_sioux_falls(scratch):
    roads = data("tntp")
    line = command(sys.argv[4], roads / "SiouxFalls_net.tntp", roads / "SiouxFalls_trips.tntp", cwd=scratch)
    print(line)
    check(abs(travel_time(line) / 42.31335287107440e5 - 1.0) < 1e-6, f"the published optimum to 1e-6, got {line}")


def compare(scratch):
    """docs/compare.md: a table of all methods, JSON with the same in it, and a page."""
    words = ["compare", SOURCE / "examples/quickstart.toml", "--set", "data.rows=2000", "--seconds", "1", "--target", "1e-3"]
    table = command(SLIDEMESH, *words, "--quiet", "--out", "page.html", cwd=scratch)
    lines = table.splitlines()
    check(max(map(len, lines[:20])) < 80, "a table that fits a narrow terminal")
    listed = [line.split()[0] for line in command(SLIDEMESH, "list", "methods", cwd=scratch).splitlines()]
    for name in listed:
        check(any(line.startswith((name, f"does not fit: {name}")) for line in lines), f"a line about {name}")
    check("newton-sliding" in (scratch / "page.html").read_text(), "a page with the runs")
    result = json.loads(command(SLIDEMESH, *words, "--json", "--out", "", "--by", "hops", "--methods", "tree-newton,newton-sliding,opapc", cwd=scratch))
    reached = [entry["hops"] for entry in result["runs"] if entry["reached"]]
    check(len(reached) == 2 and reached == sorted(reached), f"two runs by hops, got {result}")
    check([entry["label"] for entry in result["does_not_fit"]] == ["opapc"], f"opapc to be refused, got {result}")
    check(all(entry["relative_gap"] <= 1e-3 for entry in result["runs"]), f"gaps of at most 1e-3, got {result}")


def compare_refusals(scratch):
    """docs/compare.md: what does not fit says so, and the others go on."""
    wide = ["--set", "data.features=12000", "--set", "data.rows=40", "--target", "0.1", "--methods", "tree-newton,dqm,defw", "--json", "--out", ""]
    result = json.loads(command(SLIDEMESH, "compare", SOURCE / "examples/quickstart.toml", *wide, cwd=scratch))
    check([run["label"] for run in result["runs"]] == ["defw"], f"defw alone to run on 12,000 columns, got {result}")
    check(all("curvature_memory" in entry["why"] for entry in result["does_not_fit"]), f"models without room to be refused, got {result}")
    words = [str(SLIDEMESH), "compare", str(SOURCE / "examples/fair_share/config.toml")]
    refused = subprocess.run(words, cwd=scratch, capture_output=True, text=True, timeout=60)
    check(refused.returncode == 2 and refused.stderr.count("\n") == 1, f"one line about sets of the nodes' own, got {refused}")


def tree_methods(scratch):
    """docs/compare.md: passes and hops of Newton's method and of FISTA over the tree, on the two data sets, a ring of 10, to 1e-6."""
    for name, radius, newton, fista in (("ijcnn1.xz", 10.0, 3, 32), ("mushrooms.xz", 20.0, 5, 657)):
        settings = ['data.source="libsvm"', f'data.path="{data(name)}"', f"problem.set.radius={radius}", "stop.target_gap=1e-6"]
        words = ["compare", SOURCE / "examples/quickstart.toml", *(word for one in settings for word in ("--set", one))]
        words += ["--set", "data.rows=8124"] if name == "mushrooms.xz" else []
        result = json.loads(command(SLIDEMESH, *words, "--methods", "tree-newton,tree-fista", "--seconds", "30", "--json", "--out", "", cwd=scratch))
        for run, passes in zip(result["runs"], (newton, fista)):
            check(run["reached"] and run["passes"] == passes and run["hops"] == 10 * passes, f"{name}: {passes} passes, {10 * passes} hops, got {run}")


def traffic_anaheim(scratch):
    """The flows that are published have a travel time of 1286032.1711."""
    roads = data("tntp")
    line = command(sys.argv[4], roads / "Anaheim_net.tntp", roads / "Anaheim_trips.tntp", cwd=scratch)
    check(abs(travel_time(line) / 1286032.1710960325 - 1.0) < 1e-6, f"the published flows' travel time to 1e-6, got {line}")


with tempfile.TemporaryDirectory() as directory:
    globals()[NAME](Path(directory))
