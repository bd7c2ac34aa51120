"""Runs every command line that a page shows: commands.py SLIDEMESH SOURCE PAGE [EXAMPLES]

PAGE is a Markdown file, by its path in SOURCE. Blocks marked `sh` run one after the other in one scratch directory, with
a copy of examples/ and `slidemesh` on the PATH. A comment in the line before a block says what it needs:

    <!-- with: clicks -->                 the files that `clicks` below makes
    <!-- not run: needs a root shell -->  why nothing runs it

What a block prints may stand in a block of its own behind it, marked

    <!-- prints -->

Words must be the same; numbers may be off by a tenth, since another compiler rounds otherwise; gaps (1.2e-05) and seconds are not compared.

Some columns of a table that a command prints may stand in a block behind

    <!-- columns of: slidemesh run examples/quickstart.toml -->

EXAMPLES is where the examples in C++ are built. PAGE may be `--inline`: then commands inside sentences of all pages are
held against the program's help; or `--configs`: then blocks marked `toml` must be TOML, of keys that the program knows; or
`--links`: then links of all pages lead to files and headings that are there, as a forge shows them, and tables are whole.
"""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

SLIDEMESH, SOURCE, PAGE = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), sys.argv[3]
EXAMPLES = Path(sys.argv[4]).resolve() if len(sys.argv) > 4 else None
SKIPPED = 77
BLOCK = re.compile(r"(?:<!-- (?P<word>with|not run): (?P<rest>.*?) -->\n)?^```sh\n(?P<text>.*?)^```$", re.M | re.S)

PRINTED = re.compile(r"\s*<!-- prints -->\n```\n(?P<text>.*?)^```$", re.M | re.S)


def words_of(text):
    """Words and numbers, without what is not compared."""
    seconds = re.sub(r"\d+\.\d\d$", "SECONDS", text, flags=re.M)
    return re.sub(r"\d\.\d+e[-+]\d+", "GAP", seconds).split()


def number(word):
    try:
        return float(word.replace(",", "").rstrip("*%"))
    except ValueError:
        return None


def same_words(shown, printed):
    if len(shown) != len(printed):
        return False
    return all(a == b or (number(a) is not None and number(b) is not None and abs(number(a) - number(b)) <= 0.1 * abs(number(b)))
               for a, b in zip(shown, printed))


TABLE = re.compile(r"<!-- columns of: (?P<command>.*?) -->\n```\n(?P<text>.*?)^```$", re.M | re.S)


def columns_by_name(text):
    """Of the first table in a text: what each column holds, from top to bottom. Columns have two blanks between them."""
    lines = [re.split(r" {2,}", line.strip()) for line in text.strip().split("\n\n")[0].splitlines()]
    return {name: [row[c] for row in lines[1:]] for c, name in enumerate(lines[0])}


def check_columns(page, text, scratch, variables):
    for found in TABLE.finditer(text):
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", found["command"]], cwd=scratch, env=variables, capture_output=True, text=True, timeout=280)
        printed = columns_by_name(done.stdout)
        for name, cells in columns_by_name(found["text"]).items():
            if not same_words(words_of("\n".join(cells)), words_of("\n".join(printed.get(name, [])))):
                sys.exit(f"{page}: expected the column {name!r} of `{found['command']}`, {printed.get(name)}, got {cells}")
        print(f"{page}: the table is that of `{found['command']}`")


def write_rows(path, rows, label=True):
    """A table with words, numbers and a label that hangs on them."""
    draw = random.Random(path.name)
    with path.open("w", encoding="utf-8") as out:
        out.write("age,dose,site" + (",label" if label else "") + "\n")
        for _ in range(rows):
            age, dose, site = draw.gauss(50, 12), draw.gauss(0, 1), draw.choice(["north", "south"])
            word = "yes" if dose + (age - 50) / 12 + (site == "north") + draw.gauss(0, 0.5) > 0.5 else "no"
            out.write(f"{age:.3f},{dose:.3f},{site}" + (f",{word}" if label else "") + "\n")


def clicks(scratch):
    write_rows(scratch / "clicks.csv", 400)
    write_rows(scratch / "test.csv", 100)
    write_rows(scratch / "new.csv", 20, label=False)
    (scratch / "clicks.toml").write_text(
        '[problem]\nset = { kind = "l1-ball", radius = 10.0 }\n[data]\npath = "clicks.csv"\nlabel = "label"\ncategorical = "one-hot"\n'
        'scaling = "standard"\n[network]\ngraph = "ring"\nnodes = 4\n[stop]\ncertified_gap = 1e-3\n')


def patients(scratch):
    """Tables as a hospital has them, a word for what is to be predicted; some fields are missing."""
    for name, rows, label in (("patients.csv", 600, True), ("test.csv", 200, True), ("new.csv", 20, False)):
        write_rows(scratch / name, rows, label)
        text = (scratch / name).read_text(encoding="utf-8").replace("label", "recovered", 1)
        (scratch / name).write_text(text)
    lines = (scratch / "patients.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (scratch / "patients.csv").write_text("".join("," + line.split(",", 1)[1] if k % 50 == 7 else line for k, line in enumerate(lines)))
    page = (SOURCE / "docs/start.md").read_text(encoding="utf-8")
    (scratch / "patients.toml").write_text(re.search(r"```toml\n(.*?)^```$", page, re.M | re.S).group(1))


def write_libsvm(path, rows, features=6):
    draw = random.Random(path.name)
    with path.open("w", encoding="utf-8") as out:
        for _ in range(rows):
            row = [draw.gauss(0, 1) for _ in range(features)]
            out.write(f"{1 if row[0] - row[1] + draw.gauss(0, 0.5) > 0 else -1} " + " ".join(f"{j + 1}:{a:.4f}" for j, a in enumerate(row)) + "\n")


def mine(scratch):
    """The README's config as it stands there, with a file that it names."""
    for name, rows in (("mine.svm", 800), ("new.svm", 20), ("test.svm", 200)):
        write_libsvm(scratch / name, rows)
    subprocess.run(["xz", "-k", "mine.svm"], cwd=scratch, check=True)
    config = re.search(r"```toml\n(.*?)^```$", (SOURCE / "README.md").read_text(encoding="utf-8"), re.M | re.S).group(1)
    for name in ("mine.toml", "my.toml", "config.toml"):
        (scratch / name).write_text(config)


def quickstart(scratch):
    """The quickstart's config on fewer rows: methods by the dozen are compared on it."""
    text = (SOURCE / "examples/quickstart.toml").read_text(encoding="utf-8")
    (scratch / "quickstart.toml").write_text(text.replace("rows = 20000", "rows = 1000"))


def big(scratch):
    draw = random.Random(2)
    (scratch / "big.csv").write_text("age,dose,label\n" + "".join(f"{draw.gauss(50, 9):.2f},{draw.gauss(0, 1):.3f},{draw.randint(0, 1)}\n" for _ in range(200)))


def traffic(scratch):
    if EXAMPLES is None:
        print("the examples in C++ are not built: skipped")
        sys.exit(SKIPPED)
    (scratch / "build").mkdir(exist_ok=True)
    (scratch / "build/examples").symlink_to(EXAMPLES)


FIXTURES = {made.__name__: made for made in (clicks, mine, quickstart, big, traffic, patients)}


def environment(scratch):
    tools = scratch / ".tools"
    tools.mkdir()
    (tools / "slidemesh").symlink_to(SLIDEMESH)
    if Path("/usr/bin/python3").exists():
        (tools / "python3").symlink_to("/usr/bin/python3")
    return {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1", "HOME": str(scratch), "PYTHONDONTWRITEBYTECODE": "1"}


def run_page(page):
    text = (SOURCE / page).read_text(encoding="utf-8")
    if len(BLOCK.findall(text)) != len(re.findall(r"^ *```sh$", text, re.M)):
        sys.exit(f"{page}: expected blocks of commands that begin at the margin and end, got another")
    if stray := re.search(r"^    (slidemesh|mpirun|python3) [a-z-].*$", text, re.M):
        sys.exit(f"{page}: expected commands in a block that is marked sh, got {stray[0].strip()!r}")
    ran = 0
    with tempfile.TemporaryDirectory() as directory:
        scratch = Path(directory)
        shutil.copytree(SOURCE / "examples", scratch / "examples")
        variables = environment(scratch)
        for block in BLOCK.finditer(text):
            line = text.count("\n", 0, block.start("text"))
            if block["word"] == "not run":
                print(f"{page}:{line}: not run: {block['rest']}")
                continue
            for name in (block["rest"] or "").split():
                FIXTURES[name](scratch)
            if "mpirun" in block["text"] and shutil.which("mpirun") is None:
                print(f"{page}:{line}: mpirun is not installed: not run")
                continue
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", block["text"]], cwd=scratch, env=variables, capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, timeout=280)
            if done.returncode != 0:
                sys.exit(f"{page}:{line}: expected commands that end with 0, got {done.returncode}:\n{block['text']}{done.stdout}{done.stderr}")
            shown = PRINTED.match(text, block.end())
            if shown and not same_words(words_of(shown["text"]), words_of(done.stdout)):
                sys.exit(f"{page}:{line}: expected the page to show what its commands print, got\n{shown['text']}\nwhere they print\n{done.stdout}")
            ran += 1
        check_columns(page, text, scratch, variables)
    print(f"{page}: {ran} blocks ran")


def help_of(words, known={}):
    """The help of the longest prefix of words that is a command, and how many words that is."""
    for count in range(len(words), -1, -1):
        if any(not re.fullmatch(r"[a-z][a-z-]*", word) for word in words[:count]):
            continue
        key = tuple(words[:count])
        if key not in known:
            done = subprocess.run([SLIDEMESH, *key, "--help"], capture_output=True, text=True)
            known[key] = done.stdout if done.returncode == 0 else None
        if known[key] is not None:
            return known[key], count
    return "", 0


def check_inline():
    """A command in a sentence: its subcommand and its options are the program's."""
    pages = [SOURCE / "README.md", SOURCE / "CONTRIBUTING.md", *sorted((SOURCE / "docs").rglob("*.md"))]
    faults, seen = [], 0
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for found in re.finditer(r"`slidemesh ([a-z-][^`\n]*)`", text):
            words = found[1].split()
            seen += 1
            where = f"{page.relative_to(SOURCE)}:{text.count(chr(10), 0, found.start()) + 1}"
            page_help, depth = help_of(words)
            if words[0] != "--help" and depth == 0:
                faults.append(f"{where}: expected a command of the program, got `slidemesh {found[1]}`")
            for option in re.findall(r"(?<!\S)--[a-z][a-z-]*", found[1]):
                if option != "--help" and not re.search(re.escape(option) + r"(?![a-z-])", page_help):
                    faults.append(f"{where}: expected an option of `slidemesh {' '.join(words[:depth])}`, got {option}")
    if faults or seen < 20:
        sys.exit("\n".join(faults) or f"expected commands in the pages' sentences, got {seen}")
    print(f"{seen} commands in sentences are the program's")


def known_keys(what):
    """Names of keys by section, method or set, as the program lists them."""
    listed = json.loads(subprocess.run([SLIDEMESH, "list", what, "--json"], capture_output=True, check=True).stdout)
    return {section["name"].strip("[]"): {key["name"] for key in section.get("keys", [])} for section in listed}


def unknown_keys(config, keys, sets):
    """Of one page's config: what the program would not know."""
    methods = set().union(*(keys[name] for name in keys))
    for name, table in config.items():
        for one in table if isinstance(table, list) else [table] if isinstance(table, dict) else []:
            known = methods if name == "method" else keys.get(name, set())
            yield from (f"{name}.{key}" for key in one if key not in known)
            if isinstance(one.get("set"), dict):
                kind = one["set"].get("kind")
                yield from (f"set.{key} of {kind}" for key in one["set"] if key != "kind" and key not in sets.get(kind, set()))
        if not isinstance(table, (list, dict)) and name not in keys["top level"]:
            yield name
        if isinstance(table, (list, dict)) and name not in keys:
            yield f"[{name}]"


def check_configs():
    keys, sets, faults, seen = known_keys("keys"), known_keys("sets"), [], 0
    for page in [SOURCE / "README.md", *sorted((SOURCE / "docs").rglob("*.md"))]:
        text = page.read_text(encoding="utf-8")
        for block in re.finditer(r"^```toml\n(.*?)^```$", text, re.M | re.S):
            where = f"{page.relative_to(SOURCE)}:{text.count(chr(10), 0, block.start()) + 1}"
            seen += 1
            try:
                faults += [f"{where}: expected a key that the program knows, got {key}" for key in unknown_keys(tomllib.loads(block[1]), keys, sets)]
            except tomllib.TOMLDecodeError as error:
                faults.append(f"{where}: expected TOML, got: {error}")
    if faults or seen < 10:
        sys.exit("\n".join(faults) or f"expected configs in the pages, got {seen}")
    print(f"{seen} configs of the pages have keys that the program knows")


def headings(text):
    """As a forge names them: small letters, blanks as hyphens, most marks left out."""
    plain = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    return {re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-") for title in re.findall(r"^#+ (.*)$", plain, re.M)}


def torn_rows(text):
    """Numbers of lines of tables with more or fewer cells than their header: a bar inside code ends a cell, too."""
    cells = 0
    for number, line in enumerate(text.splitlines(), 1):
        bars = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0
        if bars and cells and bars != cells:
            yield number
        cells = bars and (cells or bars)


def check_links():
    faults, seen = [], 0
    for page in [*sorted(SOURCE.glob("*.md")), *sorted((SOURCE / "docs").rglob("*.md"))]:
        text = page.read_text(encoding="utf-8")
        faults += [f"{page.relative_to(SOURCE)}:{line}: expected a row with as many cells as the header, got another" for line in torn_rows(text)]
        for found in re.finditer(r"\]\((?!https?:|mailto:)([^)\s]+)\)", re.sub(r"`[^`\n]*`", lambda code: " " * len(code[0]), text)):
            where = f"{page.relative_to(SOURCE)}:{text.count(chr(10), 0, found.start()) + 1}"
            path, _, anchor = found[1].partition("#")
            target = (page.parent / path).resolve() if path else page
            seen += 1
            if not target.exists():
                faults.append(f"{where}: expected a link to a file that is there, got {found[1]}")
            elif anchor and anchor not in headings(target.read_text(encoding="utf-8")):
                faults.append(f"{where}: expected a link to a heading that is there, got {found[1]}")
    if faults or seen < 100:
        sys.exit("\n".join(faults) or f"expected links in the pages, got {seen}")
    print(f"{seen} links lead somewhere")


if PAGE == "--links":
    check_links()
elif PAGE == "--configs":
    check_configs()
elif PAGE == "--inline":
    check_inline()
else:
    run_page(PAGE)
