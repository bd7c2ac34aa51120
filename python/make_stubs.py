"""Writes the functions in sets.pyi, losses.pyi and graphs.pyi from the registries, for editors and type checkers.

    PYTHONPATH=<build>/python python3 python/make_stubs.py

The functions themselves are made from the same registries when the package is imported. What stands above the mark in
each stub is written by hand.
"""

import inspect
import sys
from pathlib import Path

# The package beside this file has no extension; the build tree's has.
sys.path = [place for place in sys.path if Path(place).resolve() != Path(__file__).resolve().parent]

FOLDER = Path(__file__).resolve().parent / "slidemesh"
MODULES = ("sets", "losses", "graphs")
MARK = "# From here on written by make_stubs.py.\n"

TYPES = {"number": "float", "whole number": "int", "text": "str", "list of numbers": "Sequence[float]",
         "number or list of numbers": "Union[float, Sequence[float]]",
         "list of lists of numbers": "Sequence[Sequence[float]]", "list of sets": "Sequence[Set]"}
RETURNS = {"sets": "Set", "losses": "Loss", "graphs": "Graph"}


def type_of(values: str) -> str:
    if values in TYPES:
        return TYPES[values]
    if "whole number" in values:
        return "int"
    if "path" in values:
        return "str | os.PathLike[str]"
    return "float"


def function(module: str, made, kinds) -> str:
    kind = next(kind for kind in kinds if kind["name"].replace("-", "_") == made.__name__)
    values = {key["name"]: key["values"] for key in kind["keys"]}
    parameters = []
    for name, parameter in inspect.signature(made).parameters.items():
        kind_of = "int" if name in ("nodes", "seed") else type_of(values[name])
        parameters.append(f"{name}: {kind_of}" if parameter.default is inspect.Parameter.empty
                          else f"{name}: Optional[{kind_of}] = None")
    return f"def {made.__name__}({', '.join(parameters)}) -> {RETURNS[module]}: ..."


def stub(module: str) -> str:
    import importlib

    from slidemesh import _slidemesh

    loaded = importlib.import_module(f"slidemesh.{module}")
    kinds = {"sets": _slidemesh.set_kinds, "losses": _slidemesh.loss_kinds, "graphs": _slidemesh.graph_kinds}[module]()
    names = [kind["name"].replace("-", "_") for kind in kinds]
    lines = [function(module, getattr(loaded, name), kinds) for name in names]
    by_hand = (FOLDER / f"{module}.pyi").read_text().split(MARK)[0]
    return by_hand + MARK + "\n".join(lines) + "\n"


if __name__ == "__main__":
    for module in MODULES:
        (FOLDER / f"{module}.pyi").write_text(stub(module))
