"""Constructors made from the C++ registries, so that names, keys and meanings cannot disagree with the program's."""

from __future__ import annotations

import inspect
from typing import Any, Callable


def python_name(name: str) -> str:
    return name.replace("-", "_")


def constructor(kind: dict[str, Any], make: Callable[[str, dict[str, Any]], Any], first: tuple[str, ...],
                module: str, example: str) -> Callable[..., Any]:
    """A function with the keys of a kind as its parameters: those that are needed first, then those with defaults.

    `first` are parameters that every kind of its sort has, before its own keys.
    """
    keys = sorted(kind["keys"], key=lambda key: bool(key["default"]))
    parameters = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in first]
    parameters += [
        inspect.Parameter(key["name"], inspect.Parameter.POSITIONAL_OR_KEYWORD,
                          default=None if key["default"] else inspect.Parameter.empty)
        for key in keys
    ]
    signature = inspect.Signature(parameters)
    name = python_name(kind["name"])

    def construct(*args: Any, **kwargs: Any) -> Any:
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise TypeError(f"{name}: {error}") from None
        return make(kind["name"], {key: value for key, value in given.items() if value is not None})

    construct.__name__ = construct.__qualname__ = name
    construct.__module__ = module
    construct.__signature__ = signature  # type: ignore[attr-defined]
    described = kind["description"][0].upper() + kind["description"][1:]
    lines = [f"{described}.", ""]
    if keys:
        lines += ["Parameters", "----------"]
        for key in keys:
            by_default = f"; default: {key['default']}" if key["default"] else ""
            lines += [f"{key['name']} : {key['values']}{by_default}", f"    {key['meaning']}"]
    if example:
        lines += ["", "Examples", "--------", f">>> {example}"]
    construct.__doc__ = "\n".join(lines)
    return construct
