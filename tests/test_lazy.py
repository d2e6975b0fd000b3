"""Names that are imported on first use: found, listed, and the same to type checkers."""

import ast
import functools
import importlib
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import penstock
import penstock.testing
from penstock.lazy import _homes, later, lists

PACKAGE = Path(penstock.__file__).parent


def dotted(path):
    """The name of the module that a file is."""
    return ".".join(("penstock", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")


def tree_of(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def calls_later(node):
    return isinstance(node, ast.Call) and getattr(node.func, "id", "").lstrip("_") == "later"


LATE = {
    dotted(path): path
    for path in sorted(PACKAGE.rglob("*.py"))
    if "later(" in path.read_text(encoding="utf-8") and any(map(calls_later, ast.walk(tree_of(path))))
}


def read_by_type_checkers(path):
    """The names that a file imports under TYPE_CHECKING, each with the module it comes from."""
    found = {}
    for node in tree_of(path).body:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for one in node.body:
                for alias in getattr(one, "names", ()):
                    if alias.asname == f"_{alias.name}":
                        continue  # it is there for `__all__` alone
                    whole = alias.name == "*"
                    names = importlib.import_module(one.module).__all__ if whole else [alias.name]
                    found |= dict.fromkeys(names, one.module)
    return found


def in_a_fresh_process(program):
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_tables_are_where_this_test_looks():
    assert {"penstock", "penstock.functions.nn", "penstock.optimizers"} <= set(LATE)


FORKED = """
import json, os, sys, traceback
import numpy

for number, program in enumerate(json.loads(sys.argv[1])):
    print(f"\\0{number}", flush=True)
    child = os.fork()
    if not child:
        status = 1
        try:
            exec(compile(program, "<string>", "exec"), {"__name__": "__main__"})
            status = 0
        except BaseException:
            print(traceback.format_exc())
        finally:
            sys.stdout.flush()
            os._exit(status)
    print(f"\\0{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}", flush=True)
"""


def in_fresh_children(programs):
    """By its name, the status and the output of each program, in a child that has imported NumPy alone.

    NumPy is half of what a process computes that imports Penstock.
    """
    done = subprocess.run(
        [sys.executable, "-c", FORKED, json.dumps(list(programs.values()))],
        capture_output=True, text=True, timeout=300, check=True,
    )  # fmt: skip
    parts = done.stdout.split("\0")[1:]
    outputs = [part.partition("\n")[2] for part in parts[::2]]
    statuses = [int(part) for part in parts[1::2]]
    return dict(zip(programs, zip(statuses, outputs, strict=True), strict=True))


@functools.cache
def asked_for_late():
    """The contents found in the module of each name, in a child process that has imported none before."""
    return in_fresh_children({name: late_names(name) for name in LATE})


def late_names(name):
    return f"""
import importlib, sys
owner = importlib.import_module({name!r})
print(*sorted(set(owner.__dir__()) - set(vars(owner))))
for one, home in {read_by_type_checkers(LATE[name])!r}.items():
    assert one in dir(owner), one
    found = getattr(owner, one)
    assert vars(owner)[one] is found
    made = importlib.import_module(home)
    want = sys.modules.get(home + "." + one) if owner is made else getattr(made, one)
    assert found is want, (one, found)
"""


@pytest.mark.parametrize("name", LATE)
def test_a_program_gets_what_a_type_checker_reads(name):
    status, said = asked_for_late()[name]
    assert status == 0, said


@pytest.mark.parametrize("name", LATE)
def test_a_type_checker_reads_what_a_program_gets(name):
    late = set(asked_for_late()[name][1].splitlines()[0].split())
    assert late and late <= set(read_by_type_checkers(LATE[name]))


def test_every_public_name_is_found_and_listed():
    program = """
import penstock
import penstock.testing
assert set(penstock.__all__) <= set(dir(penstock))
found = {}
exec("from penstock import *", found)
for name in penstock.__all__:
    assert found[name] is getattr(penstock, name), name
from penstock import cos, fft, grad, layers, nn, random
assert callable(grad) and callable(penstock.grad) and penstock.fft.fft and nn.gelu and random.normal
"""
    in_a_fresh_process(program)


FAMILIES = ["fft", "linalg", "losses", "nn", "random", "segments", "special"]


FIRST = ["", "import penstock; penstock.{0}", "import penstock.functions.{0}"]


def by_either_name(name, first):
    return f"""
{first.format(name)}
import penstock.{name} as imported
import penstock.functions.{name}
from penstock import {name}
assert imported is penstock.{name} is penstock.functions.{name} is {name}
assert imported.__name__ == "penstock.functions.{name}", imported.__name__
"""


@functools.cache
def families():
    return in_fresh_children({(name, one): by_either_name(name, one) for name in FAMILIES for one in FIRST})


@pytest.mark.parametrize("first", FIRST)
@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_of_functions_is_one_module_by_either_name(name, first):
    status, said = families()[name, first]
    assert status == 0, said


def test_an_interrupted_import_can_be_repeated():
    program = """
import penstock as ps
from penstock.ops.table import Primitive
enter = Primitive.__post_init__

def interrupted(self):
    enter(self)
    if self.name == "sort":
        raise KeyboardInterrupt

Primitive.__post_init__ = interrupted
try:
    ps.sort
except KeyboardInterrupt:
    Primitive.__post_init__ = enter
else:
    raise AssertionError("not interrupted")
assert ps.sort(ps.asarray([2.0, 1.0])).tolist() == [1.0, 2.0]
assert ps.argsort(ps.asarray([2.0, 1.0])).tolist() == [1, 0]
"""
    in_a_fresh_process(program)


def test_the_package_can_be_imported_again_after_an_interrupt():
    program = """
import sys, builtins
plain = builtins.__import__

def interrupted(name, *rest):
    if name == "penstock.tiers.run":
        raise KeyboardInterrupt
    return plain(name, *rest)

builtins.__import__ = interrupted
try:
    import penstock
except KeyboardInterrupt:
    builtins.__import__ = plain
assert "penstock" not in sys.modules and "penstock.grad.tape" in sys.modules
import penstock as ps
assert float(ps.grad(lambda x: x * x)(3.0)) == 6.0
"""
    in_a_fresh_process(program)


def test_no_two_primitives_have_one_name():
    program = """
from penstock.ops.table import complete
table = complete()
print(len(table), max(one.code for one in table.values()) + 1)
"""
    entered, made = map(int, in_a_fresh_process(program).split())
    assert entered == made > 150


def test_a_name_that_is_nowhere_is_an_attribute_error():
    with pytest.raises(AttributeError, match=r"module 'penstock' has no attribute 'coz'") as caught:
        penstock.coz  # noqa: B018
    # With these two Python offers a name that is close.
    assert caught.value.name == "coz" and caught.value.obj is penstock
    with pytest.raises(AttributeError, match=r"module 'penstock.nn' has no attribute 'rleu'"):
        penstock.nn.rleu  # noqa: B018
    with pytest.raises(ImportError, match="rleu"):
        exec("from penstock.functions.nn import rleu")


@pytest.mark.parametrize(
    ("space", "name", "words"),
    [
        ("penstock.nn", "one_hot", "; it is penstock.one_hot"),
        ("penstock", "relu", "; it is penstock.nn.relu or penstock.layers.activations.relu"),
        ("penstock", "softmax", "; it is penstock.nn.softmax or penstock.special.softmax"),
        ("penstock.random", "Adam", "; it is penstock.optimizers.Adam"),
        ("penstock.special", "ctc", "; it is penstock.losses.ctc"),
        ("penstock.linalg", "embedding", "; it is penstock.nn.embedding"),
        ("penstock.layers", "dense", "; similar: penstock.layers.Dense"),
        ("penstock", "coz", "; similar: penstock.cos"),
        ("penstock", "cross_entropy", "; here that is ps.losses.softmax_cross_entropy"),
        ("penstock.segments", "zzqqxx", ""),
        ("penstock.fft", "_private", ""),
        ("penstock.optimizers", "__wrapped__", ""),
    ],
)  # fmt: skip
def test_a_name_that_is_elsewhere_is_found_there(space, name, words):
    with pytest.raises(AttributeError) as caught:
        getattr(importlib.import_module(space), name)
    assert str(caught.value) == f"module {space!r} has no attribute {name!r}{words}"
    assert type(caught.value).__name__ == "AttributeError" and caught.value.name == name
    if words.startswith("; it is"):
        for place in words.removeprefix("; it is ").split(" or "):
            module, _, one = place.rpartition(".")
            assert hasattr(importlib.import_module(module), one)


def test_to_ask_whether_a_name_is_there_imports_nothing():
    program = """
import sys
import penstock
import penstock.nn, penstock.random, penstock.layers
before = set(sys.modules)
for module in (penstock, penstock.nn, penstock.random, penstock.layers):
    assert not hasattr(module, "nowhere") and not hasattr(module, "conv2d")
print(*set(sys.modules) - before)
"""
    assert in_a_fresh_process(program).split() == []


MOST = {"penstock": 77, "penstock.tensorflow": 121, "penstock.paddle": 141}
"""How many modules an import may add to those of NumPy and of pathlib, which differ between Pythons."""


@pytest.mark.parametrize("module", MOST)
def test_an_import_brings_what_most_programs_use(module):
    program = f"""
import sys, numpy, pathlib
before = set(sys.modules)
import {module}
print(*sorted(set(sys.modules) - before))
"""
    found = in_a_fresh_process(program).split()
    rare = (
        "flow.report functions.control functions.linalg functions.special layers.base ops.batching ops.fft "
        "ops.incomplete optimizers tiers.compiler tiers.disk tiers.xla"
    )
    assert {f"penstock.{one}" for one in rare.split()} & set(found) == set()
    assert len(found) <= MOST[module], (len(found), found)


def test_the_command_brings_what_makes_reports_only_for_one():
    program = """
import sys
import penstock.cli
late = ("flow.check", "flow.settings", "flow.report_model", "doctor", "distribution.checked", "launching")
print(*(name for name in late if "penstock." + name in sys.modules))
"""
    assert in_a_fresh_process(program).split() == []


def test_a_rare_name_brings_its_own_file_alone():
    program = """
import sys
import penstock.tensorflow as tf
import penstock.paddle as paddle
import penstock.layers

def brought(ask):
    before = set(sys.modules)
    ask()
    return {one.removeprefix("penstock.") for one in set(sys.modules) - before}

new = brought(lambda: tf.cond)
assert "tensorflow._control" in new and not new & {"tensorflow._factors", "tensorflow._special"}, new
assert "functions.control" in new and not new & {"ops.batching", "tiers.xla"}, new
new = brought(lambda: paddle.cumsum)
assert "paddle._cumulative" in new and not new & {"paddle._solving", "paddle._model", "paddle.nn"}, new
new = brought(lambda: penstock.layers.Dense)
assert "layers.core" in new and not new & {"layers.recurrent", "layers.convolutional"}, new
# What is in no file, and what a file makes by rule, is looked for in all of them.
assert not hasattr(tf, "nowhere") and tf.eig and tf.Assert and callable(paddle.logit_)
assert {"cond", "eig", "sort", "linalg", "float32", "is_tensor"} <= set(tf.__all__)
"""
    in_a_fresh_process(program)


@pytest.mark.parametrize("package", ["penstock.layers", "penstock.optimizers"])
def test_what_a_family_lists_is_in_its_text(package):
    # So a name that no text has is nowhere, and asking for it imports nothing.
    names = importlib.import_module(package).__all__
    homes = {name: importlib.import_module(_homes[package][name]) for name in names}
    listed = [name for name, home in homes.items() if name in getattr(home, "__all__", ())]
    assert len(listed) > 0.8 * len(names)
    assert [name for name in listed if not lists(homes[name].__name__, name)] == []
    assert not lists("penstock.layers.core", "LSTM") and lists("penstock.nowhere", "LSTM")


def test_a_dialect_says_nothing_of_names_that_are_not_its_own():
    import penstock.tensorflow as tf

    with pytest.raises(AttributeError) as caught:
        tf.nn.one_hot  # noqa: B018
    assert "penstock.one_hot" not in str(caught.value)


def test_a_table_that_is_wrong_is_noticed():
    get, _ = later("penstock", {"penstock.optimizers.descent": "Ascent"})
    with pytest.raises(ModuleNotFoundError, match="descent"):
        get("Ascent")


def public_modules(module, known):
    """The modules that can be reached by public names."""
    known[module.__name__] = module
    for name in module.__all__:
        one = getattr(module, name)
        if isinstance(one, ModuleType) and one.__name__ not in known:
            public_modules(one, known)
    return known


def test_a_namespace_shows_its_names_and_nothing_that_it_imports():
    found = public_modules(penstock, {penstock.testing.__name__: penstock.testing})
    assert len(found) >= 16
    for name, module in found.items():
        shown = [one for one in dir(module) if not (one.startswith("__") and one.endswith("__"))]
        listed = [one for one in module.__all__ if not one.startswith("__")]
        assert shown == sorted(listed), name
        assert not [one for one in listed if not hasattr(module, one)], name


def test_tensorflow_loads_keras_and_layers_for_those_who_use_them():
    """They would double the time that importing the dialect takes."""
    program = """
import sys
import penstock.tensorflow as tf
late = ("layers", "optimizers.optimizer", "tensorflow.keras", "tensorflow.image")
print(*(name for name in late if "penstock." + name in sys.modules))
print(tf.keras.layers.Dense.__name__, tf.zeros_initializer.__name__, tf.image.resize.__name__)
"""
    assert in_a_fresh_process(program).splitlines() == ["", "Dense Zeros resize"]
