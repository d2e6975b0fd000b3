"""tf.train.Example and its parts read and write as the message classes of google.protobuf do."""

import copy
import pickle

import numpy as np
import pytest
from google.protobuf import json_format, message_factory, text_format
from google.protobuf.internal import api_implementation

from penstock import tensorflow as tf
from penstock.tensorflow import _descriptors

NAMES = ("Example", "SequenceExample")


def theirs(name):
    return message_factory.GetMessageClass(_descriptors.descriptors()[name])


def feature(draw, message):
    kind = draw.choice(["bytes_list", "float_list", "int64_list", "nothing"])
    if kind == "bytes_list":
        words = draw.choice(
            [b"", b"abc", b'a "word"', b"it's\x00\xff\n\\\r\t\x7f", "ü".encode()], draw.integers(1, 4)
        )
        message.bytes_list.value.extend(map(bytes, words))
    elif kind == "float_list":
        message.float_list.value.extend(draw.normal(size=draw.integers(1, 4)).astype("f4").tolist())
        message.float_list.value.extend([0.1, 1e20, float("inf"), -float("inf"), 16777216.0])
    elif kind == "int64_list":
        message.int64_list.value.extend(draw.integers(-(2**60), 2**60, draw.integers(1, 4)).tolist())


def filled(seed, message):
    """Puts random content into a message of either side: the same for one seed."""
    draw = np.random.default_rng(seed)
    for features in (message.features,) if hasattr(message, "features") else (message.context,):
        for name in draw.choice(["a", "b c", "d"], draw.integers(4), replace=False):
            feature(draw, features.feature[str(name)])
    if hasattr(message, "feature_lists"):
        for name in draw.choice(["x", "y"], draw.integers(3), replace=False):
            steps = message.feature_lists.feature_list[str(name)]
            for _ in range(draw.integers(3)):
                feature(draw, steps.feature.add())
    return message


@pytest.mark.parametrize("name", NAMES)
def test_text_json_and_bytes_are_those_of_google_protobuf(name):
    for seed in range(60):
        ours, real = filled(seed, getattr(tf.train, name)()), filled(seed, theirs(name)())
        assert text_format.MessageToString(ours) == text_format.MessageToString(real)
        assert json_format.MessageToDict(ours) == json_format.MessageToDict(real)
        # Google's prints the names of a map in the order of their hashes; written in Python, other digits.
        assert api_implementation.Type() == "python" or sorted(str(ours).splitlines()) == sorted(
            str(real).splitlines()
        )
        assert theirs(name).FromString(ours.SerializeToString()) == real
        assert type(ours).FromString(real.SerializeToString()) == ours
        assert text_format.Parse(text_format.MessageToString(real), type(ours)()) == ours
        assert json_format.ParseDict(json_format.MessageToDict(real), type(ours)()) == ours
        assert json_format.Parse(json_format.MessageToJson(ours), theirs(name)()) == real
        assert pickle.loads(pickle.dumps(ours)) == copy.deepcopy(ours) == ours


TEXTS = [
    ("features {}", "features {}"),
    ('features {feature {key: "a" value {int64_list {}}}}', "an empty list"),
    ('features {feature {key: "a" value {}}}', "an empty feature"),
    ('features {feature {key: "a" value {int64_list {} float_list {}}}}', "two lists"),
    ('features {feature {key: "a" value {int64_list {value: "b"}}}}', "a string among numbers"),
    ("features {} features {}", "twice the same"),
    ("feature {}", "a field of another message"),
]


@pytest.mark.parametrize("text", [text for text, _ in TEXTS], ids=[name for _, name in TEXTS])
def test_text_is_taken_and_refused_as_google_protobuf_does(text):
    def read(message):
        try:
            return text_format.MessageToString(text_format.Parse(text, message))
        except text_format.ParseError as error:
            return str(error)

    assert read(tf.train.Example()) == read(theirs("Example")())


def test_fields_are_present_as_in_google_protobuf():
    for kind in (tf.train.Example, theirs("Example")):
        assert kind().SerializeToString() == b""
        assert not kind().HasField("features")
        message = kind(features=None)
        message.features.feature["a"].int64_list.value.append(3)
        assert message.HasField("features")
        assert message.features.feature["a"].HasField("int64_list")
        assert not message.features.feature["a"].HasField("float_list")
        message.features.feature["a"].ClearField("float_list")
        assert message.features.feature["a"].WhichOneof("kind") == "int64_list"
        message.features.feature["a"].ClearField("int64_list")
        assert message.features.feature["a"].WhichOneof("kind") is None
        message.ClearField("features")
        assert message.SerializeToString() == b""
        with pytest.raises(ValueError, match="field"):
            message.HasField("other")
        with pytest.raises(ValueError, match="field"):
            message.ClearField("other")


VALUES = [("bytes_list", "b", "word"), ("int64_list", 3, 0.5), ("float_list", 0.1, "word")]


@pytest.mark.parametrize(("kind", "right", "wrong"), VALUES)
def test_values_are_checked_and_rounded_when_they_come_in(kind, right, wrong):
    right = right.encode() if isinstance(right, str) else right
    both = (tf.train.Feature(), theirs("Feature")())
    # Written in Python, Google's does not round the values of a slice.
    for feature in both[:1] if api_implementation.Type() == "python" else both:
        values = getattr(feature, kind).value
        values.append(right)
        values.extend([right])
        values.insert(0, right)
        values[:2] = [right, right]
        values.MergeFrom([right])
        assert list(values) == [float(np.float32(right)) if kind == "float_list" else right] * 4
        for put, given in ((values.append, [wrong]), (values.extend, [[wrong]]), (values.insert, [0, wrong])):
            with pytest.raises((TypeError, ValueError)):
                put(*given)
        assert len(values) == 4
