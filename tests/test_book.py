"""The documentation site: every page is in a chapter, no link is broken, and every snippet runs."""

import ast
import importlib
import re
import sys
import textwrap
from pathlib import Path

import pytest

import penstock as ps
from snippets import FOREIGN, missing, run, snippets

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools" / "book"))

names, navigation, pages, places, reference = (
    importlib.import_module(one) for one in ("names", "navigation", "pages", "places", "reference")
)

WRITTEN = sorted(
    str(file.relative_to(ROOT / "docs"))
    for file in (ROOT / "docs").rglob("*.md")
    if re.search(r"(?m)^ *```(?:py|python|sh|console)", file.read_text(encoding="utf-8"))
)
OTHERS = ("README.md", "check.md", "devices.md", "examples.md", "frameworks.md", "ten-claims.md", "wild.md")
"""Pages whose snippets have their own tests."""

NEEDS = {"exchange.md": "flatbuffers", "start.md": "jax"}
"""What has to be installed for the programs of a page; a report measures compiled steps less often."""


# -- chapters and links ---------------------------------------------------------------------------------


def test_every_page_is_in_a_chapter_once():
    listed = navigation.listed(pages.chapters())
    assert [one for one in pages.pages() if one not in listed and not one.startswith("files/")] == []
    assert [one for one in listed if one not in pages.pages()] == []
    assert len(listed) == len(set(listed))


def anchors(text):
    """The anchors of the headings of a page."""
    plain = places.FENCE.sub(lambda code: "" if code.group().startswith("```") else code.group(), text)
    found = re.findall(r"(?m)^#+ (.+)$", plain)
    words = [
        re.sub(r"[^\w\s-]", "", re.sub(r"[`*]|\]\([^)]*\)|\[", "", one)).strip().lower() for one in found
    ]
    return {re.sub(r"[-\s]+", "-", one) for one in words}


def broken(texts):
    """Page and target of each link that leads nowhere."""
    found = []
    for page, text in texts.items():

        def look(link, page=page):
            target, anchor = link["target"], (link["anchor"] or "")[1:]
            if target.startswith(places.ELSEWHERE):
                return link.group()
            there = (
                str(Path("/", page).parent.joinpath(target).resolve().relative_to("/")) if target else page
            )
            if there not in texts and not (ROOT / "docs" / there).is_file():
                found.append((page, target))
            elif anchor and anchor not in anchors(texts.get(there, "")):
                found.append((page, f"{target}#{anchor}"))
            return link.group()

        places.outside(text, look)
    return found


def test_no_link_is_broken():
    assert broken(pages.pages()) == []


def test_a_broken_link_is_found():
    texts = {
        "a/one.md": "# One\n\n## Two words\n\n[x](../two.md) `[y](nowhere.md)`",
        "two.md": "[z](a/one.md#two-words)",
    }
    assert broken(texts) == []
    texts["two.md"] += " [w](three.md) [v](a/one.md#other)"
    assert broken(texts) == [("two.md", "three.md"), ("two.md", "a/one.md#other")]


def test_links_out_of_the_documentation_lead_to_pages_of_the_site():
    assert places.place("README.md") == "index.md"
    assert places.moved("[a](../../examples/gan.py) [b](#c) `[d](e)`", "docs/guides/gan.md") == (
        "[a](../files/examples/gan.py.md) [b](#c) `[d](e)`"
    )


def test_every_finding_and_every_reason_has_its_programs():
    texts = pages.pages()
    for code in pages.CODES:
        assert f"[{code}]({code}.md)" in texts["findings/index.md"]
        assert texts[f"findings/{code}.md"].startswith(f"# {code} ")
    assert {code[:3] for code in pages.CODES} <= set(pages.KINDS)
    for absence in ps.Absence:
        assert f"## {absence.value}\n" in texts["concepts/reasons.md"]


# -- colours --------------------------------------------------------------------------------------------


def test_the_colours_of_the_site_have_enough_contrast():
    from test_page import contrast

    style = (ROOT / "docs" / "site.css").read_text(encoding="utf-8")
    light, dark = (
        dict(re.findall(r"--md-([\w-]+): (#\w{6})", block))
        for block in re.findall(r"\{(.*?)\}", style, re.DOTALL)
        if "--md-" in block
    )
    bar = light["primary-fg-color"]
    # A tab that is not chosen is white at 70%.
    parts = [round(0.7 * 255 + 0.3 * int(bar[place : place + 2], 16)) for place in (1, 3, 5)]
    assert contrast("#" + "".join(f"{one:02x}" for one in parts), bar) >= 4.5
    for text, ground in (
        (light["typeset-a-color"], "#ffffff"),
        (light["accent-fg-color"], "#ffffff"),
        (dark["typeset-a-color"], "#1e2129"),
        (dark["accent-fg-color"], "#1e2129"),
    ):
        assert contrast(text, ground) >= 4.5, (text, ground)


# -- the reference --------------------------------------------------------------------------------------


def test_every_public_name_is_in_the_reference():
    from test_public import PUBLIC

    described = {name for _, things in reference.entries().values() for name in things}
    assert [name for name in PUBLIC if f"ps.{name}" not in described] == []
    assert "other" not in reference.entries()


# -- names side by side ---------------------------------------------------------------------------------


def found(module, dotted):
    """What a dotted name below a module means."""
    for part in dotted.split("."):
        module = getattr(module, part)
    return module


def test_every_name_of_a_framework_is_answered():
    for framework, listed in names.THEIRS.items():
        assert [name for name in listed.split() if not names.answer(name)] == [], framework
        assert len(listed.split()) == len(set(listed.split()))


def test_every_answered_name_is_that_of_a_framework():
    told = {name.rpartition(".")[2] for listed in names.THEIRS.values() for name in listed.split()}
    assert set(names.NAMES) - told - names.OLDER == set(), "say in tools/book/names.py whose they are"


def test_recommended_names_exist():
    for framework in names.THEIRS:
        for name in set(re.findall(r"\bps\.([\w.]*\w)", names.table(framework))):
            found(ps, name)


@pytest.mark.parametrize(("framework", "module"), [("jax", "jax"), ("pytorch", "torch")])
def test_names_of_a_framework_are_its_own(framework, module):
    whole = pytest.importorskip(module)
    for name in names.THEIRS[framework].split():
        found(whole, name.partition(".")[2])


@pytest.mark.parametrize(("framework", "module"), [("keras", "tensorflow"), ("paddle", "paddle")])
def test_names_of_a_vocabulary_are_spoken_here(framework, module):
    whole = importlib.import_module(f"penstock.{module}")
    for name in names.THEIRS[framework].split():
        found(whole, name.partition(".")[2])


# -- snippets -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", [one for one in WRITTEN if one not in OTHERS])
def test_the_snippets_of_a_page_print_what_it_shows(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    if page in NEEDS:
        pytest.importorskip(NEEDS[page])
    for snippet in snippets((ROOT / "docs" / page).read_text(encoding="utf-8")):
        printed = run(snippet, tmp_path)
        if snippet.framework in ("torch", "jax") or snippet.kind != "python":
            assert printed is None or snippet.output is not None, f"{page}:{snippet.line}"
        if printed is not None:
            assert missing(snippet.output or "", printed) == [], f"{page}:{snippet.line} prints\n{printed}"


def test_snippets_that_are_not_run_are_python():
    for page in WRITTEN:
        text = (ROOT / "docs" / page).read_text(encoding="utf-8")
        for code in re.findall(r"(?ms)^( *)```py\n(.*?)^ *```$", text):
            ast.parse(textwrap.dedent(code[1]), page)


def test_a_page_that_shows_something_else_is_found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = '```python title="x.py"\nprint("one")\n```\n\n```text\none\n```\n\n'
    page += "```python\nprint(2)\n```\n\n```text\n3\n```\n"
    one, two = snippets(page)
    assert (one.title, one.line, two.line) == ("x.py", 1, 9)
    assert missing(one.output, run(one, tmp_path)) == []
    assert missing(two.output, run(two, tmp_path)) == ["3"]
    assert missing("a\n[...]\nc\n", "a\nb\nc\n") == [] and missing("c\n[...]\na\n", "a\nb\nc\n") == ["a"]


def test_frameworks_are_told_by_imports():
    (one,) = snippets("```python\nimport numpy as np\nimport tensorflow as tf\n```\n")
    assert FOREIGN[one.framework] == "tensorflow"


def test_penstock_from_nothing_is_short():
    (program,) = snippets((ROOT / "docs" / "from_nothing.md").read_text(encoding="utf-8"))
    assert len([line for line in program.code.splitlines() if line.strip()]) < 200
