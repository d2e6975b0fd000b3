"""The page for a browser: readable on a phone, by keyboard and by contrast, with nothing scrolled away."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import penstock.flow.report.page as module
from checking import report_on
from penstock.flow.report import picture
from penstock.flow.report.page import as_page

STYLE = (Path(module.__file__).parent / "page.css").read_text(encoding="utf-8")
PROGRAM = """
import penstock as ps

layers = [ps.layers.Dense(2, name=f"encoder_block_{n}_with_a_long_name") for n in range(COUNT)]
lone = ps.Variable(1.0, name="encoder/embedding/position/offset_that_has_a_long_name")
x = ps.ones((1, 2))
for layer in layers:
    layer(x)
variables = [*(one for layer in layers for one in layer.variables), lone]
optimizer = ps.optimizers.AdamW(0.01)
for _ in range(2):
    with ps.GradientTape() as tape:
        y = x
        for number, layer in enumerate(layers):
            y = y + layer(ps.stop_gradient(y) if number % 5 == 3 else y)
        reconstruction_of_everything = ps.mean(y * y)
        loss = reconstruction_of_everything + ps.round(lone)
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A page on 61 variables, split by cause."""
    file = tmp_path_factory.mktemp("page") / "program.py"
    file.write_text(PROGRAM.replace("COUNT", "30"), encoding="utf-8")
    report = report_on(file, split=True)
    assert len(report.variables) == 61
    return as_page(report)


def colours(block):
    """The colours that a block of the style sheet names."""
    return dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block))


def luminance(colour):
    """The relative luminance of a colour, as the guidelines for accessible content define it."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    """The contrast ratio of two colours."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_known():
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_has_enough_contrast(scheme):
    light, dark = re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL)
    known = colours(light if scheme == "light" else dark)
    texts = ("ink", "dim", "water", "error", "warning", "note", "good")
    low = {
        (text, ground): round(contrast(known[text], known[ground]), 2)
        for text in texts
        for ground in ("paper", "shade")
        if contrast(known[text], known[ground]) < 4.5
    }
    # White chips on a colour have the contrast of that colour on paper.
    assert low == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_on_a_marked_line_has_enough_contrast(scheme):
    light, dark = re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL)
    known = colours(light if scheme == "light" else dark)
    marked = re.findall(
        r"pre\.source (\.\w+) \{ background: color-mix\(in srgb, var\(--(\w+)\) (\d+)%", STYLE
    )
    assert len(marked) == 2
    for name, colour, share in marked:
        parts = [[int(known[one][place : place + 2], 16) for place in (1, 3, 5)] for one in (colour, "shade")]
        mixed = [
            round(a * int(share) / 100 + b * (1 - int(share) / 100)) for a, b in zip(*parts, strict=True)
        ]
        assert contrast(known["ink"], "#" + "".join(f"{one:02x}" for one in mixed)) >= 4.5
        # What is dim elsewhere is not dim there.
        for inside in (".number", ".mark"):
            (rule,) = re.findall(rf"(?m)^[^{{}}]*pre\.source \{name} \{inside}[^{{}}]*\{{([^}}]*)\}}", STYLE)
            assert "color: var(--ink)" in rule


def test_the_five_bits_are_reported_without_a_mouse(page):
    legend, table = page.index('class=legend aria-label="What the five letters mean"'), page.index("cards")
    assert legend < page.index("<table", legend) <= page.index('<table class="variables cards">')
    assert table
    for letter, word in zip("TRGOW", ("trainable", "read", "gradient", "in an optimizer", "written")):
        assert re.search(rf"<li><b>{letter}</b> {word}", page)
    cells = re.findall(r'<td class=bits aria-label="([^"]*)"><div>(.*?)</div>', page)
    assert cells
    for told, bits in cells:
        on = re.findall(r'class="on" data-bit=(\w)', bits)
        words = [] if told == "nothing" else told.split(", ")
        assert len(on) == len(words)
        assert re.findall(r"data-bit=(\w)", bits) == list("TRGOW")


def test_every_cell_of_a_card_has_its_label(page):
    for table in re.findall(r'<table class="[^"]*cards">.*?</table>', page, re.DOTALL):
        heads = re.sub(r"<tbody.*", "", table, flags=re.DOTALL)
        for label in set(re.findall(r'data-label="([^"]*)"', table)):
            assert label in heads.replace("</i>", ""), label


def test_a_picture_of_many_groups_leaves_out_those_that_learn():
    links = [picture.Link(0, f"part{number}/*", "flows", "trains") for number in range(40)]
    links += [picture.Link(0, "stopped/*", "cut", "stopped line 3")]
    groups = list(dict.fromkeys(link.group for link in links))
    shown = picture._most(groups, links)
    assert len(shown) == picture.MOST and shown[-1] == "stopped/*" and shown[0] == "part0/*"


CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
MEASURE = """<body style="margin:0">
<iframe src="page.html" width={width} height=3000 style="border:0"></iframe>
<script>onload = () => {{
  const page = document.querySelector("iframe").contentDocument;
  const wide = [...page.querySelectorAll("body *")].filter((one) =>
    !one.closest("thead, svg, pre") && one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1);
  const told = wide.map((one) => one.outerHTML.slice(0, 90));
  document.title = JSON.stringify([page.documentElement.scrollWidth, told]);
}};</script>"""


@pytest.mark.skipif(CHROMIUM is None, reason="there is no browser")
@pytest.mark.parametrize("width", [400, 1200])
def test_nothing_is_scrolled_out_of_sight(page, width, tmp_path):
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    (tmp_path / "measure.html").write_text(MEASURE.format(width=width), encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files", "--dump-dom"]
    command = [CHROMIUM, *options, f"--user-data-dir={tmp_path}/own", f"file://{tmp_path}/measure.html"]
    seen = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    across, wide = json.loads(re.search(r"<title>(.*?)</title>", seen, re.DOTALL)[1].replace("&lt;", "<"))
    assert across <= width
    assert wide == []
