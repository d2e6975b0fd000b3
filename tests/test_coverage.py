"""docs/coverage/ says which names of the frameworks are here, as tools/write_coverage.py finds them."""

import pytest

from penstock import paddle
from penstock import tensorflow as tf
from scripts import TOOLS, module_in


@pytest.fixture(scope="module")
def tool():
    return module_in(TOOLS / "write_coverage.py")


@pytest.mark.parametrize("framework", ["tensorflow", "paddle"])
def test_the_page_is_up_to_date(tool, framework):
    page = tool.page_of(framework).read_text(encoding="utf-8")
    assert page == tool.page(framework), "run python tools/write_coverage.py"


@pytest.mark.parametrize(
    ("framework", "space", "prefix"), [("tensorflow", tf, "tf"), ("paddle", paddle, "paddle")]
)
def test_supported_names_can_be_reached_and_the_rest_cannot(tool, framework, space, prefix):
    here, missing = tool.covered(framework)
    listed = tool.recorded(f"public_names_{framework}.json")["names"]
    assert {path: sorted(here.get(path, []) + missing.get(path, [])) for path in listed} == listed
    for name in here[prefix]:
        assert getattr(space, name) is not None or name in ("newaxis",)
    for name in missing[prefix]:
        with pytest.raises(AttributeError):
            getattr(space, name)


@pytest.mark.parametrize("place", ["layers", "optimizers"])
def test_what_keras_takes_from_native_modules_are_names_of_keras(tool, place):
    listed = tool.recorded("public_names_tensorflow.json")["names"]
    known = {*listed[f"tf.keras.{place}"], *(one.rpartition(".")[2] for one in listed)}
    invented = sorted({*getattr(tf.keras, place).__all__} - known)
    assert not invented, f"tf.keras.{place} shows {invented}, which Keras 3.15 does not have"


def test_a_name_is_looked_up_part_by_part(tool):
    assert tool.found(tf, "keras.layers.Dense") and tool.found(tf, "compat.v1.layers.dense")
    assert not tool.found(tf, "keras.layers.Dens") and not tool.found(tf, "constant.Dense")
    assert not tool.found(tf, "no_such.module")


def test_uses_of_tensorflow_1_count_under_the_name_that_programs_wrote(tool):
    used, lacking = tool.in_programs("tensorflow", {"tf.compat.v1": ["Session"], "tf": ["matmul"]})
    assert set(used) == {"tf.Session", "tf.compat.v1.Session", "tf.matmul"} and "tf.placeholder" in lacking


@pytest.mark.parametrize(("part", "whole", "shown"), [(1, 3, "33 %"), (999, 1000, "99 %"), (5, 5, "100 %")])
def test_only_all_is_a_hundred(tool, part, whole, shown):
    assert tool.share(part, whole) == shown


def test_no_more_run_here_than_on_the_framework(tool):
    for rows in tool.recorded("public_programs.json").values():
        for row in rows:
            assert row["programs"] >= row["run"] >= row["equal"] >= 0 and row["what"]
