"""Every example in a docstring runs and says what it says it says."""

import doctest
import importlib
import pkgutil

import pytest
import slidemesh

MODULES = ["slidemesh", *(f"slidemesh.{m.name}" for m in pkgutil.iter_modules(slidemesh.__path__)
                          if m.name != "_slidemesh")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    module = importlib.import_module(name)
    result = doctest.testmod(module)
    assert result.failed == 0


@pytest.mark.parametrize("name", ["slidemesh.sets", "slidemesh.losses", "slidemesh.graphs"])
def test_everything_is_documented(name):
    module = importlib.import_module(name)
    for public in module.__all__:
        assert getattr(module, public).__doc__, public
