"""Batches of pictures whose files a table of pandas names; the numbers are those that Keras 3.15 gave."""

import numpy as np
import pytest

pandas = pytest.importorskip("pandas")
image = pytest.importorskip("PIL.Image")

from penstock import tensorflow as tf  # noqa: E402

COLUMNS = ["v", "w"]


@pytest.fixture
def table(tmp_path):
    pictures = np.random.default_rng(0).integers(0, 256, (6, 8, 8, 3)).astype("uint8")
    for number, picture in enumerate(pictures):
        image.fromarray(picture).save(tmp_path / f"p{number}.png")
    return pandas.DataFrame(
        {
            "filename": [f"p{number}.png" for number in range(6)] + ["none.png"],
            "class": list("abcabca"),
            "w": np.linspace(0, 1, 7),
            "v": np.arange(7.0),
            "tags": [["a"], ["a", "b"], ("b",), ["c"], ["a", "c"], ["b"], ["a"]],
            "two": list("abababa"),
        }
    )


def flow(table, folder, **options):
    made = tf.keras.preprocessing.image.ImageDataGenerator(rescale=1 / 255, validation_split=0.34)
    return made.flow_from_dataframe(table, folder, target_size=(6, 6), batch_size=3, shuffle=False, **options)


@pytest.mark.filterwarnings("ignore:Found 1 invalid")
@pytest.mark.parametrize(
    ("options", "count", "labels"),
    [
        ({}, 6, np.eye(3)),
        ({"class_mode": "sparse"}, 6, [0, 1, 2]),
        ({"class_mode": "raw", "y_col": "v"}, 6, [0, 1, 2]),
        ({"class_mode": "other", "y_col": COLUMNS}, 6, [[0, 0], [1, 1 / 6], [2, 2 / 6]]),
        ({"class_mode": "multi_output", "y_col": COLUMNS}, 6, [[0, 1, 2], [0, 1 / 6, 2 / 6]]),
        ({"class_mode": "binary", "y_col": "two"}, 6, [0, 1, 0]),
        ({"y_col": "tags"}, 6, [[1, 0, 0], [1, 1, 0], [0, 1, 0]]),
        ({"classes": ["c", "a"]}, 4, [[0, 1], [1, 0], [0, 1]]),
        ({"subset": "training"}, 4, [[0, 0, 1], [1, 0, 0], [0, 1, 0]]),
        ({"subset": "validation"}, 2, np.eye(3)[:2]),
    ],
)
def test_labels_are_those_of_keras(table, tmp_path, options, count, labels, capsys):
    found = flow(table, tmp_path, **options)
    pictures, given = next(found)
    assert found.samples == count and pictures.shape == (min(count, 3), 6, 6, 3)
    assert np.allclose(np.asarray(given, float), labels)
    assert capsys.readouterr().out.startswith(f"Found {count} validated image filenames")


@pytest.mark.filterwarnings("ignore:Found 1 invalid")
def test_pictures_and_weights_are_those_of_keras(table, tmp_path):
    pictures, _, weights = next(flow(table, tmp_path, weight_col="w"))
    assert abs(float(pictures.sum()) - 170.13) < 0.005 and np.allclose(weights, [0, 1 / 6, 2 / 6])
    assert isinstance(next(flow(table, tmp_path, class_mode=None)), np.ndarray)


@pytest.mark.filterwarnings("ignore:Found 1 invalid")
@pytest.mark.parametrize(
    ("options", "kind", "said"),
    [
        ({"class_mode": "no"}, ValueError, "Invalid class_mode: no"),
        ({"class_mode": "multi_output"}, TypeError, "y_col must be a list"),
        ({"class_mode": "binary"}, ValueError, "must be 2 classes"),
        ({"y_col": "v"}, TypeError, "must be type string, list or tuple"),
        ({"weight_col": "class"}, TypeError, "weight_col=class must be numeric"),
        ({"x_col": "v"}, TypeError, "x_col=v must be strings"),
    ],
)
def test_columns_that_do_not_fit_are_refused(table, tmp_path, options, kind, said):
    with pytest.raises(kind, match=said):
        flow(table, tmp_path, **options)
