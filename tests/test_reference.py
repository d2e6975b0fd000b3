"""Every public name documents its arguments, its result, and the errors that bad calls of it raise."""

import inspect
import pydoc
import re

import numpy as np
import pytest

import bad_calls
import bad_layers
import penstock as ps
from penstock.errors import PenstockError
from penstock.testing import use_engine
from test_public import PUBLIC

SECTION = r"(?m)^{head}:\n(?P<items>(?:    .*\n)+)"
NO_ARGUMENTS = {"Absence", "Tensor", "random.DrawKey"}
"""Classes that users do not construct."""


def sections(text):
    """The items of each section of a docstring by their names: those of Args, Returns and Raises."""
    found = {}
    for head in ("Args", "Returns", "Raises"):
        match = re.search(SECTION.format(head=head), text + "\n")
        if match is not None:
            items = re.findall(r"(?m)^    (\S[^\n]*(?:\n {5,}\S[^\n]*)*)", match["items"])
            found[head] = [re.sub(r"\s+", " ", one) for one in items]
    return found


def takes(name, thing):
    """The parameters that a docstring must document; those of a class only if it defines its constructor."""
    if inspect.isclass(thing) and (
        name in NO_ARGUMENTS
        or issubclass(thing, Exception | Warning)
        or thing.__init__ is ps.layers.Layer.__init__  # whose options are described in prose
    ):
        return []
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return []
    return [one for one in signature.parameters if one != "self" and not one.startswith("_")]


def lacking(name, thing):
    """The omissions of a docstring."""
    told = sections(inspect.getdoc(thing) or "")
    named = {one.partition(":")[0] for one in told.get("Args", ())}
    found = [f"{name}: Args does not name {one}" for one in takes(name, thing) if one not in named]
    found += [f"{name}: Args names {one}, which is none" for one in sorted(named - set(takes(name, thing)))]
    found += [
        f"{name}: {one!r} says nothing" for one in told.get("Args", ()) if len(one.partition(":")[2]) < 5
    ]
    if not inspect.isclass(thing) and "Returns" not in told:
        found.append(f"{name}: nothing says what it returns")
    return found


def test_every_public_name_documents_its_arguments_and_result():
    found = [line for name, thing in PUBLIC.items() for line in lacking(name, thing)]
    assert found == [], "\n".join(found)


def test_a_docstring_that_says_too_little_is_found():
    def one(x, axis=None):
        """Returns something.

        Args:
            x: a tensor.
            axes: the axes.
        """

    assert lacking("one", one) == [
        "one: Args does not name axis",
        "one: Args names axes, which is none",
        "one: nothing says what it returns",
    ]


def raised(name):
    """The kinds of errors that the bad calls of a function or layer raise."""
    kinds = set()
    if name.startswith("layers."):
        calls = [one for _, _, one in bad_layers.bad_calls(name.removeprefix("layers."))]
    else:
        function = PUBLIC[name]
        calls = [
            lambda given=given: bad_calls.call(function, given) for _, given in bad_calls.bad_calls(name)
        ]
    for call in calls:
        try:
            call()
        except PenstockError as error:
            kinds.add(next(one.__name__ for one in type(error).__mro__ if hasattr(ps.errors, one.__name__)))
    return kinds


TRIED = [name for name in bad_calls.CALLS if name in PUBLIC] + [f"layers.{one}" for one in bad_layers.GOOD]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("part", range(8))
def test_every_error_of_a_bad_call_is_reported(part):
    found = []
    with use_engine("numpy"), np.errstate(all="ignore"):
        for name in TRIED[part::8]:
            items = sections(inspect.getdoc(PUBLIC[name])).get("Raises", ())
            told = {one.partition(":")[0] for one in items}
            found += [f"{name}: Raises does not name {one}" for one in sorted(raised(name) - told)]
            assert all(hasattr(ps.errors, one) for one in told), (name, told)
    assert found == [], "\n".join(found)


def test_every_optimizer_and_special_function_names_its_source():
    kinds = [one for name, one in PUBLIC.items() if name.startswith("optimizers.") and inspect.isclass(one)]
    base = ps.optimizers.Optimizer
    rules = [one for one in kinds if issubclass(one, base) and one is not base]
    assert len(rules) > 10
    bare = [one.__name__ for one in rules if not re.search(r"\b(19|20)\d\d\b", inspect.getdoc(one))]
    special = [
        "betainc", "betaln", "digamma", "erf", "erfc", "gamma", "gammainc", "gammaincc", "gammaln", "i0",
        "i1", "polygamma", "zeta",
    ]  # fmt: skip
    bare += [one for one in special if "DLMF" not in inspect.getdoc(getattr(ps.special, one))]
    told = "name in the docstring who published an optimizer and when, or where the DLMF defines a function"
    assert bare == [], told


@pytest.mark.parametrize("kind", [ps.Tensor, ps.Variable])
def test_help_shows_methods_that_a_person_can_read(kind):
    shown = pydoc.plain(pydoc.render_doc(kind))
    assert "_hot" not in shown and "Method object" not in shown
    for line in ("__add__(self", "__rmul__(self", "__getitem__(self", "__float__(self", "astype(self"):
        assert f"\n |  {line}" in shown, line
    assert "Returns self + other, elementwise." in shown
    others = set(re.findall(r"\n \|  (__\w+__) = ", shown))
    assert others <= {"__annotations__", "__array_priority__"}
