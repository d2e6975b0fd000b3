"""Names of the dialects: each is declared once, beside its implementation, and is found where declared."""

import importlib
import inspect
import pickle
import pkgutil
import pydoc
import types

import pytest

from penstock import declared

DIALECTS = {"tensorflow": "tf"}
"""Dialects whose names are declared, and the names by which programs import them."""


def files_of(dialect):
    """Imports every file of a dialect, and returns their names."""
    package = importlib.import_module(f"penstock.{dialect}")
    found = pkgutil.walk_packages(package.__path__, f"penstock.{dialect}.")
    return [importlib.import_module(one.name).__name__ for one in found if "examples" not in one.name]


def names(dialect):
    """The declarations of a dialect: by full name, the file and the object."""
    files_of(dialect)
    return {
        name: one for name, one in declared.every_name().items() if one[0].startswith(f"penstock.{dialect}")
    }


def found(dialect, name):
    """What a user gets who writes a name."""
    place = importlib.import_module(f"penstock.{dialect}")
    for part in name.split(".")[1:]:
        place = getattr(place, part)
    return place


def strays(dialect, declarations):
    """Names that lead nowhere, or to an object other than the declared one."""
    wrong = []
    for name, (file, one) in declarations.items():
        try:
            there = found(dialect, name)
        except AttributeError:
            place, short = name.rpartition(".")[0], file.removeprefix(f"penstock.{dialect}.")
            wrong.append(
                f"{name}, declared in {file}, is not there: list {short!r} among the files from which "
                f"{place} takes its names, where the source calls namespace({place!r}, ...)"
            )
            continue
        # In a graph, and with other kinds of values, wrappers replace functions and say which.
        if there is not one and inspect.unwrap(there) is not inspect.unwrap(one):
            wrong.append(f"{name} is not what {file} declares")
    return wrong


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_declared_name_is_where_it_says(dialect):
    declarations = names(dialect)
    assert len(declarations) > 300
    assert {name.partition(".")[0] for name in declarations} == {DIALECTS[dialect]}
    assert not strays(dialect, declarations)


def test_a_declaration_that_no_module_draws_from_is_found():
    (wrong,) = strays("tensorflow", {"tf.math.halve": ("penstock.tensorflow._halves", abs)})
    assert "tf.math.halve" in wrong and "penstock.tensorflow._halves" in wrong
    (wrong,) = strays("tensorflow", {"tf.math.abs": ("penstock.tensorflow._halves", abs)})
    assert "is not what" in wrong


@pytest.mark.parametrize("dialect", DIALECTS)
def test_declared_objects_are_documented_and_pickled(dialect):
    for name, (_, one) in names(dialect).items():
        if isinstance(one, types.FunctionType | type):
            assert one.__doc__, name
            assert pickle.loads(pickle.dumps(one)) is one, name
            assert one.__name__ in pydoc.render_doc(one).splitlines()[0], name


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_module_that_collects_names_shows_those_declared_for_it(dialect):
    places = {name.rpartition(".")[0] for name in names(dialect)}
    for place in sorted(places):
        module = found(dialect, place)
        if "__dir__" in vars(module):
            own = {name.rpartition(".")[2] for name in names(dialect) if name.rpartition(".")[0] == place}
            listed = [one for one in dir(module) if not one.startswith("__")]
            assert own <= set(module.__all__), place
            assert listed == sorted(module.__all__), place


def test_submodules_are_imported_as_in_the_framework():
    import penstock.tensorflow.linalg
    from penstock.tensorflow.math import top_k
    from penstock.tensorflow.nn import top_k as again

    assert top_k is again and penstock.tensorflow.linalg.matmul is penstock.tensorflow.matmul


def test_a_name_is_declared_once():
    declared.named("lost.place.one")(test_a_name_is_declared_once)
    with pytest.raises(ValueError, match=r"declares lost\.place\.one twice"):
        declared.named("lost.place.one")(found)
    # The objects of a reload replace those of the first load.
    declared.named("lost.place.one")(test_a_name_is_declared_once)


def test_a_name_has_one_home(monkeypatch):
    kept = {("first", "lost"): {"one": 1}, ("second", "lost"): {"one": 2, "two": 2}}
    monkeypatch.setattr(declared, "_declared", kept)
    assert declared.names_of("lost", ["second"]) == {"one": 2, "two": 2}
    with pytest.raises(ValueError, match=r"lost\.one is declared in first and in second"):
        declared.names_of("lost", ["first", "second"])


def test_a_row_belongs_to_the_file_of_the_table_and_is_called_as_the_first_of_its_names():
    def doubling(names):
        return declared.row(lambda x: x * 2, names, "Returns 2 x.")

    table = {"__name__": "lost.table", "doubling": doubling}
    exec("doubled = doubling('lost.rows.doubled lost.others.twice')", table)
    made = table["doubled"]
    assert made.__name__ == made.__qualname__ == "doubled" and made.__doc__ == "Returns 2 x."
    assert declared.names_of("lost.others", ["lost.table"]) == {"twice": made}
