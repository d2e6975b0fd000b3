"""Rows for many variables: a pattern matches exactly the variables with equal results."""

import itertools
import re
import warnings

import pytest

import penstock as ps
from checking import as_text
from penstock.flow.folding import chosen, fold, folded
from penstock.flow.report.text import broken

BLOCK = ("ln/gamma", "ln/beta", "attn/query/kernel", "attn/query/bias", "mlp/up/kernel", "mlp/up/bias")
GPT = [
    "gpt/embed/embeddings",
    *(f"gpt/blocks/{number}/{name}" for number in range(12) for name in BLOCK),
    "gpt/head/kernel",
    "gpt/head/bias",
]


def names(paths, fates, **options):
    return [(row.name, len(row.members)) for row in fold(paths, fates, **options)]


def below(number):
    return lambda path: "/blocks/" in path and int(path.split("/")[2]) < number


def test_blocks_with_different_results_have_separate_rows():
    assert names(GPT, [below(6)(path) for path in GPT]) == [
        ("gpt/embed/embeddings", 1),
        ("gpt/blocks/0..5/*", 36),
        ("gpt/blocks/6..11/*", 36),
        ("gpt/head/kernel", 1),
        ("gpt/head/bias", 1),
    ]


def test_unmoved_variables_share_one_row_and_moved_ones_have_their_blocks():
    assert names(GPT, ["still"] * len(GPT), whole=["still"]) == [("gpt/*", 75)]
    assert [name for name, _ in names(GPT, ["moves"] * len(GPT))] == [
        "gpt/embed/embeddings",
        "gpt/blocks/*",
        "gpt/head/kernel",
        "gpt/head/bias",
    ]


def test_blocks_in_between_break_a_range():
    fates = ["/3/" in path for path in GPT]
    assert [name for name, _ in names(GPT, fates)][1:4] == [
        "gpt/blocks/0..2/*",
        "gpt/blocks/3/*",
        "gpt/blocks/4..11/*",
    ]


def test_names_that_no_other_fate_bears_tell_the_halves_of_a_block_apart():
    paths = [
        f"model.layers.{number}.{part}.{name}"
        for number in range(8)
        for part in ("q", "k", "v")
        for name in ("weight", "bias", "lora_a", "lora_b")
    ]
    assert names(paths, ["lora" in path for path in paths]) == [
        ("model.layers.0..7.*.{weight, bias}", 48),
        ("model.layers.0..7.*.{lora_a, lora_b}", 48),
    ]


def test_numbers_in_the_midst_of_a_name():
    paths = [
        f"conv{stage}_block{block}_1_bn/{name}" for stage in (2, 3) for block in (1, 2, 3) for name in "gb"
    ]
    assert names(paths, ["alike"] * 12) == [("conv2..3_block1..3_1_bn/*", 12)]
    assert names([f"weights[{k}]" for k in range(7)], ["alike"] * 7) == [("weights[0..6]", 7)]
    assert names([f"w{k}" for k in range(3)], ["alike"] * 3) == [(f"w{k}", 1) for k in range(3)]


def test_one_path_made_many_times_on_one_line_is_one_row():
    assert names(["w", *"xxx"], ["a"] * 4, origins=[1, 2, 2, 2]) == [("w", 1), ("x", 3)]
    assert names(["w", *"xxx"], ["a"] * 4, origins=[1, 2, 3, 2]) == [("w", 1), ("x", 2), ("x", 1)]


def pattern(name):
    """A row's name as a regular expression, as a reader understands it."""
    pieces = []
    for piece in re.split(r"(\d+\.\.\d+|\{.*?\}|\*)", name):
        if ".." in piece and not piece.startswith("{"):
            first, last = map(int, piece.split(".."))
            pieces.append(f"(?:{'|'.join(map(str, range(first, last + 1)))})")
        elif piece.startswith("{"):
            pieces.append(f"(?:{'|'.join(map(re.escape, piece[1:-1].split(', ')))})")
        else:
            pieces.append(".*" if piece == "*" else re.escape(piece))
    return re.compile("".join(pieces))


@pytest.mark.parametrize("seed", range(40))
def test_a_name_means_exactly_its_members(seed):
    random = __import__("random").Random(seed)
    parts = ["a", "b1", "b2", "c/0", "c/1", "c/2", "c/3", "d.0", "d.1"]
    inner = ["k", "x/k", "x/m", "y2/k", "y3/k", "y4/k"]
    paths = [f"{root}/{one}/{two}" for root in "mn" for one, two in itertools.product(parts, inner)]
    paths = [path for path in paths if random.random() < 0.9]
    likely = random.choice([0.05, 0.5])
    by_block = {path.rpartition("/")[0]: random.random() < likely for path in paths}
    by_name = {name: random.random() < 0.5 for name in "km"}
    fates = [by_name[path[-1]] if seed % 2 else by_block[path.rpartition("/")[0]] for path in paths]
    rows = fold(paths, fates)
    assert sorted(place for row in rows for place in row.members) == list(range(len(paths)))
    for row in rows:
        fate = {fates[place] for place in row.members}
        assert len(fate) == 1
        meant = [place for place, path in enumerate(paths) if pattern(row.name).fullmatch(path)]
        assert meant == sorted(row.members), row.name
    some = [path for path, fate in zip(paths, fates, strict=True) if fate]
    assert sum(len(row.members) for row in chosen(some, paths)) == len(some)


def test_some_of_all_in_few_words():
    assert folded([path for path in GPT if below(6)(path)], GPT) == ["gpt/blocks/0..5/*"]
    assert folded(GPT, GPT) == ["gpt/*"]
    assert folded(["scale"], GPT) == ["scale"]


def test_a_name_is_broken_where_its_parts_end():
    assert broken("gpt/blocks/0..5/attention/*", 16) == ["gpt/blocks/0..5/", "  attention/*"]
    assert broken("a" * 20, 16) == ["a" * 16, "  " + "a" * 4]
    for line in broken("net.layer2..3.0.downsample.*.{running_mean, running_var}", 20):
        assert len(line) <= 20


def test_a_warning_says_it_once_for_all_that_fared_alike(no_others):
    stopped = [ps.Variable(1.0, name=f"twins/{k}/{name}") for k in range(4) for name in ("kernel", "bias")]
    scale = ps.Variable(1.0, name="scale")
    with ps.GradientTape() as tape:
        loss = ps.stop_gradient(sum(stopped)) * scale
    pairs = zip(tape.gradient(loss, [*stopped, scale]), [*stopped, scale], strict=True)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        ps.optimizers.SGD(0.1).apply_gradients(list(pairs))
    (one,) = told
    first, *lines = str(one.message).splitlines()
    assert first == "No gradient for 8 of 9 variables:"
    assert [line.partition(" at ")[0] for line in lines] == ["'twins/*': stopped"]


def test_a_layer_is_called_by_the_path_it_has_in_the_end(check):
    report = check("""
        import penstock as ps
        class Net(ps.layers.Model):
            def __init__(self):
                super().__init__(name="net")
                self.one, self.two = ps.layers.MultiHeadAttention(2, 4), ps.layers.MultiHeadAttention(2, 4)
            def call(self, x):
                return self.two(self.one(x, x), x)
        net, x = Net(), ps.ones((2, 3, 8))
        net(x)
        wanted = [v.path for v in net.variables]
        optimizer = ps.optimizers.SGD(0.1)
        for _ in range(2):
            with ps.GradientTape() as tape:
                loss = ps.mean(net(x) ** 2)
            variables = net.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        print(*sorted(wanted))
        """)
    paths = sorted(one.path for one in report.variables)
    assert len(paths) == 16 and all(re.match(r"net/(one|two)/", path) for path in paths), paths


PROGRAM = """
import penstock as ps
blocks = [[ps.Variable(1.0, name=f"net/{k}/{name}") for name in ("kernel", "bias")] for k in range(8)]
scale, unread = ps.Variable(1.0, name="scale"), ps.Variable(1.0, name="unread")
optimizer = ps.optimizers.SGD(0.01)
wanted = [one for block in blocks for one in block] + [scale, unread]
for _ in range(3):
    with ps.GradientTape() as tape:
        early = sum(kernel * bias for kernel, bias in blocks[:4])
        loss = ps.stop_gradient(early) + sum(kernel * bias for kernel, bias in blocks[4:]) * scale
        ps.square(unread)
    pairs = zip(tape.gradient(loss, wanted), wanted)
    optimizer.apply_gradients([pair for pair in pairs if pair[0] is not None])
"""


@pytest.fixture
def report(check):
    return check(PROGRAM)


@pytest.mark.parametrize("width", [80, 120])
def test_the_text_has_a_row_for_each_group(report, width):
    shown = as_text(report, width)
    table, _ = shown.split("\nsizes ")
    heads = re.findall(r"(?m)^net/\S+", table)
    assert heads == ["net/0..3/*", "net/4..7/*"]
    assert re.search(r"(?m)^net/0\.\.3/\* .*● ● · · · +stopped", shown)
    assert re.search(r"(?m)^net/4\.\.7/\* .*● ● ● ● ● +flows", shown)
    assert "'net/0..3/*' meets the stop_gradient" in " ".join(shown.split())
    assert all(len(line) <= width for line in shown.splitlines())


def test_the_page_is_grouped_and_says_what_the_text_says(report):
    from penstock.flow.report.page import as_page

    page = as_page(report)
    groups = re.findall(r"<tbody class=group>.*?</tbody>", page, re.DOTALL)
    assert [re.sub("<.*?>", "", re.search(r"<button.*?</button>", one)[0]) for one in groups] == [
        "net/0..3/*",
        "net/4..7/*",
    ]
    assert [one.count("<tr class=member>") for one in groups] == [8, 8]
    assert "<input id=find type=search" in page and "addEventListener" in page
    (finding,) = [one for one in report.findings if one.variables == ("unread",)]
    (note,) = finding.explanation.notes
    assert "is read, but" in note
    articles = re.findall(r"<article.*?</article>", page, re.DOTALL)
    (article,) = [one for one in articles if f">{finding.code} " in one]
    assert "is read, but" in article


def test_a_page_on_few_things_needs_no_program(check):
    from penstock.flow.report.page import as_page

    report = check("import penstock as ps\nps.Variable(1.0, name='w').assign(2.0)\n")
    assert "<script" not in as_page(report)
