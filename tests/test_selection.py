"""Which variables a user means: patterns, objects, and the messages if nothing matches."""

import gc

import pytest

import penstock as ps
from penstock.errors import SelectionError
from penstock.state.selection import matches, near, select, variables_of

pytestmark = pytest.mark.usefixtures("no_others")


def same(found, wanted):
    """Whether these are the very same variables: `==` would compare their values."""
    return [id(one) for one in found] == [id(one) for one in wanted]


class Layer:
    def __init__(self, name, *parts):
        self.kernel = ps.Variable([[1.0]], name=f"{name}/kernel")
        self.bias = ps.Variable([0.0], name=f"{name}/bias")
        self.parts = parts

    @property
    def variables(self):
        return [self.kernel, self.bias, *(v for part in self.parts for v in part.variables)]


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("encoder/*", "encoder/kernel", True),
        ("encoder/*", "encoder/0/attention/kernel", True),
        ("encoder/*", "encoder", False),
        ("encoder/*", "encoder_2/kernel", False),
        ("encoder/**", "encoder/0/kernel", True),
        ("encoder", "encoder/0/kernel", True),
        ("encoder/", "encoder/0/kernel", True),
        ("encoder", "encoder", True),
        ("encoder", "encoder2", False),
        ("*/bias", "head/bias", True),
        ("*/bias", "bias", False),
        ("*/lora_?", "blocks/3/q/lora_a", True),
        ("block[01]/*", "block1/w", True),
        ("block[01]/*", "block2/w", False),
        ("Encoder/*", "encoder/w", False),
        ("*", "anything/at/all", True),
        ("w.1", "wx1", False),
    ],
)
def test_patterns(pattern, path, fits):
    assert matches(pattern, path) is fits


def test_patterns_choose_among_all_living_variables():
    first, second = Layer("select_here/0"), Layer("select_here/1")
    assert same(select("select_here/*"), [*first.variables, *second.variables])
    del second
    gc.collect()
    assert same(select("select_here"), first.variables)


def test_the_state_of_optimizers_is_not_selected():
    weight = ps.Variable(1.0, name="kept_apart/weight")
    adam = ps.optimizers.Adam(0.1)
    adam.apply_gradients([(ps.asarray(1.0), weight)])
    assert [v.path for v in adam.variables if "kept_apart/weight" in v.path] != []
    assert same(select("*kept_apart/*"), [weight])
    assert same(select(adam), sorted(adam.variables, key=lambda v: v._uid))


def test_an_unnamed_object_is_found_by_the_name_of_its_line():
    nameless_weight = ps.Variable(1.0)
    assert same(select("nameless_weight"), [nameless_weight])
    assert same(select(nameless_weight.path), [nameless_weight])


def test_objects_nests_and_exclusions():
    body, head = Layer("body", Layer("body/inner")), Layer("head")
    model = {"body": body, "rest": [head]}
    assert same(variables_of(model), [*body.variables, *head.variables])
    assert same(variables_of([head, head.kernel]), head.variables)
    kernels = [body.parts[0].kernel, body.kernel]  # in the order of their creation
    assert same(select(["*", "!*/bias", "!head"], model), kernels)
    assert same(select([head.bias, "body/inner/*"], model), [*body.parts[0].variables, head.bias])


class Lazy:
    def __init__(self, own):
        self.own = own

    def variables(self):
        return self.own


def test_variables_may_be_a_method():
    weight = ps.Variable(1.0, name="weight")
    assert same(variables_of(Lazy([weight])), [weight])


def test_a_pattern_that_matches_nothing_is_an_error_with_near_names():
    model = [Layer("encoder/0"), Layer("encoder/1"), Layer("head")]
    with pytest.raises(SelectionError) as caught:
        select("encodr/*", model, what="freeze")
    text = str(caught.value)
    assert "freeze: the pattern 'encodr/*' matches none of 6 variables." in text
    assert "'encoder/*' (4)" in text and "test_selection.py" in text
    with pytest.raises(SelectionError, match="'head/\\*' \\(2\\)"):
        select("Head/*", model)
    with pytest.raises(SelectionError, match="'encoder/\\*' \\(4\\)"):
        select("backbone/*", model)
    with pytest.raises(SelectionError, match=r"'!heads'"):
        select(["*", "!heads"], model)
    with pytest.raises(SelectionError, match="nothing is left"):
        select(["head", "!head/*"], model)
    with pytest.raises(SelectionError, match="Create the variables first"):
        select("head", [])


def test_a_selection_may_come_out_empty_where_that_is_expected():
    body, head = Layer("body"), Layer("head")
    model = [body, head]
    assert select("encoder/*", model, missing_ok=True) == []
    assert select(["head", "!head/*"], model, missing_ok=True) == []
    assert same(select(["encoder/*", "head", "!tail"], model, missing_ok=True), head.variables)
    with pytest.raises(SelectionError, match="neither a Variable"):
        select([3], model, missing_ok=True)


@pytest.mark.parametrize("wrong", [3, 2.0, None, b"encoder/*"])
def test_a_value_other_than_a_variable_is_an_error(wrong):
    with pytest.raises(SelectionError, match="neither a Variable"):
        select([wrong])


def test_near_names_are_few():
    paths = [f"block_{i}/w" for i in range(100)]
    assert len(near("blok_7/w", paths)) == 4
    assert near("blok_7/w", paths)[0] == "'block_7/w'"
