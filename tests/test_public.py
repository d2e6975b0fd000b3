"""Every public name explains itself: a docstring with an example, and annotations a tool can read."""

import inspect
from types import ModuleType
from typing import Any

import pytest

import penstock
import penstock.testing

# Names that may wait, each with its reason. Empty in a finished tree; an entry that waits no longer fails.
WAITING: dict[str, str] = {}


def is_ours(thing: Any) -> bool:
    """Whether the thing is a class or function of this project; constants and borrowed types are neither."""
    return callable(thing) and (getattr(thing, "__module__", None) or "").partition(".")[0] == "penstock"


def public_names(module: ModuleType) -> dict[str, Any]:
    """The names of a module for users: those it lists, or else those it defines."""
    listed = getattr(module, "__all__", None)
    names = [name for name in vars(module) if not name.startswith("_")] if listed is None else listed
    things = {name: getattr(module, name) for name in names}
    return {
        name: thing
        for name, thing in things.items()
        if is_ours(thing) and (listed is not None or thing.__module__ == module.__name__)
    }


def everything_public() -> dict[str, Any]:
    """Each public class and function by the name users write, those of public modules included."""
    found = public_names(penstock)
    modules = {name: getattr(penstock, name) for name in (*penstock.__all__, "testing")}
    for name, module in modules.items():
        if isinstance(module, ModuleType):
            found |= {f"{name}.{member}": thing for member, thing in public_names(module).items()}
    return found


PUBLIC = everything_public()


def test_every_function_with_an_example_is_listed_in_its_module():
    modules = {f"ps.{name}": getattr(penstock, name) for name in penstock.__all__}
    for place, module in modules.items():
        if isinstance(module, ModuleType) and hasattr(module, "__all__"):
            own = {
                name
                for name, thing in vars(module).items()
                if inspect.isfunction(thing) and thing.__module__ == module.__name__ and name[0] != "_"
                if ">>>" in (inspect.getdoc(thing) or "")
            }
            beside = sorted(own - {*module.__all__})
            assert not beside, f"list {beside} in __all__ of {module.__file__}: {place} does not show them"


def unannotated(function: Any, where: str) -> list[str]:
    """Parameters without an annotation, and the return value if it has none."""
    signature = inspect.signature(function)
    bare = [
        f"{where}: parameter {parameter.name!r} has no annotation"
        for parameter in signature.parameters.values()
        if parameter.annotation is parameter.empty and parameter.name not in ("self", "cls")
    ]
    if signature.return_annotation is signature.empty:
        bare.append(f"{where}: the return value has no annotation")
    return bare


def public_members(kind: type) -> list[tuple[str, Any]]:
    """What users call on a class: its constructor, public methods and properties, ours and not inherited."""
    members = []
    for name, member in vars(kind).items():
        if name.startswith("_") and name != "__init__":
            continue
        if isinstance(member, staticmethod | classmethod):
            member = member.__func__
        if isinstance(member, property):
            member = member.fget
        if inspect.isfunction(member) and member.__module__.startswith("penstock"):
            members.append((name, member))
    return members


def shortcomings(name: str, thing: Any) -> list[str]:
    """What a reader of the reference would miss about one public name."""
    found = []
    text = inspect.getdoc(thing) or ""
    if not text.strip():
        found.append(f"{name}: no docstring")
    elif ">>>" not in text:
        found.append(f"{name}: the docstring has no example (>>>)")
    if not inspect.isclass(thing):
        return found + unannotated(thing, name)
    for member_name, member in public_members(thing):
        where = f"{name}.{member_name}"
        found += unannotated(member, where)
        if member_name != "__init__" and not inspect.getdoc(getattr(thing, member_name)):
            found.append(f"{where}: no docstring")
    return found


def test_public_names_are_listed_once():
    assert len(penstock.__all__) == len(set(penstock.__all__))
    assert set(WAITING) <= set(PUBLIC)


def test_names_of_public_modules_are_found():
    assert {"Variable", "nn.relu", "optimizers.Adam", "errors.ShapeError"} <= set(PUBLIC)
    assert "testing.use_engine" in PUBLIC
    assert not {"nn.composite", "losses.log_softmax", "float32"} & set(PUBLIC)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.xfail(reason=WAITING[name]) if name in WAITING else ())
        for name in PUBLIC
    ],
)
def test_public_name_explains_itself(name):
    found = shortcomings(name, PUBLIC[name])
    assert not found, "\n".join(found)


def test_a_name_that_says_nothing_is_found():
    def mute(tensor, axis: int = 0):
        return tensor

    class Mute:
        def move(self, step):
            return step

    mute.__module__ = Mute.__module__ = Mute.move.__module__ = "penstock.planted"
    assert is_ours(mute)
    assert shortcomings("mute", mute) == [
        "mute: no docstring",
        "mute: parameter 'tensor' has no annotation",
        "mute: the return value has no annotation",
    ]
    assert shortcomings("Mute", Mute) == [
        "Mute: no docstring",
        "Mute.move: parameter 'step' has no annotation",
        "Mute.move: the return value has no annotation",
        "Mute.move: no docstring",
    ]
