"""Plain data for files: values of Python and NumPy come back as they were, and nothing else is written."""

from __future__ import annotations

import collections
import enum
import json

import numpy as np
import pytest

from penstock.capture.calls import Input
from penstock.capture.plain_data import Reader, UnwritableError, Writer, bytes_of, dtype_named, words_for
from penstock.trace.lengths import unknown


class Colour(enum.Enum):
    RED = 1


class Level(enum.IntEnum):
    HIGH = 3


Pair = collections.namedtuple("Pair", ["left", "right"])


class Kept:
    def __init__(self, **fields):
        self.__dict__.update(fields)


class Named(list):
    pass


HERE = {one.__name__: one for one in (Colour, Level, Pair, Kept, Named)}


def doubled(x):
    return 2 * x


class OwnWriter(Writer):
    def class_name(self, one):
        return one.__name__ if HERE.get(one.__name__) is one else super().class_name(one)

    def function_name(self, one):
        return "doubled" if one is doubled else super().function_name(one)

    def other(self, one):
        return self.object(one) if isinstance(one, Kept | Named) else super().other(one)


class OwnReader(Reader):
    def class_named(self, name):
        return HERE.get(name) or super().class_named(name)

    def function_named(self, name):
        return doubled if name == "doubled" else super().function_named(name)


def there_and_back(value):
    writer = OwnWriter()
    form = writer.value(value)
    content = {"value": form, "objects": writer.objects, "names": writer.names}
    content = json.loads(json.dumps(content, allow_nan=True))
    arrays = [bytes_of(one) for one in writer.arrays]
    return OwnReader(content, arrays).value(content["value"])


def same(a, b):
    if isinstance(a, np.ndarray):
        return (
            type(b) is np.ndarray and a.dtype == b.dtype and a.shape == b.shape and a.tolist() == b.tolist()
        )
    return type(a) is type(b) and a == b


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        3,
        -0.5,
        1e400,
        "text",
        b"\x00\xff",
        2 - 1j,
        [1, [2, (3, "four")]],
        (),
        {1: "a", "b": (2,), (3, 4): None},
        collections.OrderedDict(b=1, a=2),
        {1, 2},
        frozenset({"x"}),
        slice(1, None, 2),
        Ellipsis,
        int,
        bytes,
        np.float32,
        np.int64,
        np.bool_,
        np.dtype(np.uint8),
        np.dtype("<U7"),
        np.dtype("datetime64[ns]"),
        np.float64(0.1),
        np.int8(-3),
        np.array(True)[()],
        Colour.RED,
        Level.HIGH,
        Pair(1, (2, 3)),
        doubled,
        Kept,
    ],
    ids=lambda one: getattr(one, "__name__", None) or repr(one),
)
def test_a_value_comes_back(value):
    assert same(value, there_and_back(value))


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6, dtype=np.float32).reshape(2, 3),
        np.arange(6.0).reshape(2, 3).T[::-1],
        np.zeros((0, 4), np.int16),
        np.array(7, np.uint64),
        np.zeros((9, 9), np.float32),
        np.full(100, -0.0),
        np.full(100, np.nan, np.float16),
        np.full((65, 2), 1 + 2j, np.complex64),
        np.array([b"a\x00", "ü"], object),
        np.ones(70, bool),
    ],
    ids=lambda one: f"{one.dtype}{list(one.shape)}",
)
def test_an_array_comes_back_to_the_bit(array):
    found = there_and_back(array)
    assert found.dtype == array.dtype and found.shape == array.shape
    if array.dtype == object:
        assert found.tolist() == [b"a\x00", "ü".encode()]
    else:
        assert np.array_equal(bytes_of(found), bytes_of(array))
        assert found.flags.writeable


def test_dtypes_that_numpy_does_not_have():
    import ml_dtypes

    for name in ("bfloat16", "float8_e4m3fn", "int4"):
        narrow = np.dtype(getattr(ml_dtypes, name))
        assert dtype_named(name) == narrow
        assert there_and_back(narrow) == narrow
        assert there_and_back(narrow.type) is narrow.type
        array = np.array([1, -2, 3]).astype(narrow)
        assert np.array_equal(bytes_of(there_and_back(array)), bytes_of(array))
    with pytest.raises(LookupError, match="float7"):
        dtype_named("float7")


def test_an_array_of_one_number_is_written_once():
    writer = Writer()
    writer.value([np.zeros(64), np.zeros(63)])
    assert [one.size for one in writer.arrays] == [1, 63]


def test_unknown_lengths_keep_their_relations():
    batch, length = unknown("batch"), unknown("length", 1)
    found = there_and_back([batch, 2 * batch + length, (batch * length) // 3, batch])
    assert found[3] == found[0] and found[1] - 2 * found[0] == found[1] - found[0] - found[3]
    assert str(found[1]) == str(2 * batch + length) and str(found[2]) == str((batch * length) // 3)
    assert there_and_back(np.array([batch, 4], object))[1] == 4


def test_an_input_is_its_number():
    assert there_and_back(Input(3)).number == 3


def test_objects_are_written_once_and_shared():
    shared = Kept(rate=0.5)
    found = there_and_back([shared, Kept(inner=shared), shared, Named([1, shared])])
    assert found[0] is found[2] is found[1].inner is found[3][1] and found[0].rate == 0.5
    assert type(found[3]) is Named
    own = Kept()
    own.self = own
    found = there_and_back(own)
    assert found.self is found


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (lambda: 0, "a lambda"),
        (there_and_back, "the function 'there_and_back'"),
        (object(), "an object of class 'object'"),
        (json.JSONDecoder, "the class 'JSONDecoder'"),
        ([Kept(inner=object())], "an object of class 'object'"),
        (np.array([object()]), "an array of objects of class 'object'"),
        (np.array(["text"]), "an array of <U4"),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_what_has_no_form_is_refused_in_words(value, words):
    with pytest.raises(UnwritableError) as caught:
        OwnWriter().value(value)
    assert caught.value.what.startswith(words)


def test_an_object_that_failed_fails_again_for_the_same_reason():
    writer, wrong = OwnWriter(), Kept(inner=object())
    for _ in range(2):
        with pytest.raises(UnwritableError, match="an object of class 'object'"):
            writer.value(wrong)
    assert "test_plain_data.py" in words_for(there_and_back)


@pytest.mark.parametrize(
    "form",
    [
        {"unheard": 1},
        {},
        {"function": "os:system"},
        {"class": "subprocess:Popen"},
        {"member": "RED", "of": "Pair"},
        {"named": "Colour", "items": [1]},
        {"type": "numpy.save"},
        {"type": "numpy.ndarray"},
        {"type": "eval"},
        {"dtype": "float7"},
    ],
    ids=str,
)
def test_a_file_finds_only_what_it_may(form):
    with pytest.raises(LookupError):
        OwnReader({"objects": [], "names": []}, []).value(form)
