"""The pages of the site that are made, not written: findings, reference, names, files of the repository."""

from __future__ import annotations

import os
import re
from functools import cache

import names
import reference
from navigation import CHAPTERS, filled, listed
from places import DOCS, OWN, ROOT, moved, place, targets

from penstock.flow.absence import Absence
from penstock.flow.codes import CODES
from penstock.flow.manual import Page
from penstock.flow.manual import page as manual

CODED = re.compile(r"(?ms)^(?:`{3,}).*?^`{3,}[ \t]*$|^#[^\n]*$|(?<!\[)`(?P<code>PS\d{3})`(?!\])")
"""A code of a finding that is no part of a program, a heading or a link."""
KINDS = {
    "PS1": "Missing gradients",
    "PS2": "Updates",
    "PS3": "Losses and barriers",
    "PS4": "The course of a program",
    "PS5": "PyTorch",
    "PS6": "Many devices",
}
PROJECT = {
    "CHANGELOG.md": "Changelog",
    "CONTRIBUTING.md": "Contributing",
    "CODE_OF_CONDUCT.md": "Code of conduct",
    "SECURITY.md": "Security",
}


def programs(page: Page) -> str:
    """Returns the wrong and the right program of a page of the manual, and those in other words."""
    if not page.wrong:
        return ""
    parts = []
    for where, *both in (("", page.wrong, page.right), *page.others):
        within = f", in {where}" if where else ""
        wrong, right = (f"```python\n{one.rstrip()}\n```\n" for one in both)
        parts.append(f"Wrong{within}:\n\n{wrong}\nRight{within}:\n\n{right}")
    return "\n".join(parts)


def sentence(text: str) -> str:
    """Returns words as a sentence."""
    return f"{text[:1].upper()}{text[1:]}."


def finding(code: str) -> str:
    """Returns the page of a finding."""
    known = manual(code)
    assert known is not None
    head = f"# {code} {known.name}\n\n{sentence(known.meaning)}\n"
    return "\n".join(
        one for one in (head, f"{known.remark}\n" if known.remark else "", programs(known)) if one
    )


def findings() -> dict[str, str]:
    """Returns the pages of all findings, and the one that lists them."""
    lines = [
        "# All findings",
        "",
        "`penstock check` ends with what it found. `penstock explain PS106` prints the page of a finding",
        "in a terminal; the programs of each page are run by the tests.",
    ]
    pages = {f"findings/{code}.md": finding(code) for code in CODES}
    for kind in sorted({code[:3] for code in CODES}):
        lines += [
            "",
            f"## {KINDS.get(kind, kind)}",
            "",
            "| code | name | it is found that |",
            "| --- | --- | --- |",
        ]
        lines += [
            f"| [{code}]({code}.md) | {one.name} | {one.title} |"
            for code, one in CODES.items()
            if code.startswith(kind)
        ]
    return {"findings/index.md": "\n".join(lines) + "\n", **pages}


def reasons() -> str:
    """Returns the programs of every reason for a missing gradient."""
    parts = []
    for absence in Absence:
        known = manual(absence.value)
        assert known is not None
        parts.append(f"## {absence.value}\n\n{sentence(known.meaning)} {known.remark}\n\n{programs(known)}")
    return "\n".join(parts)


def shown(path: str) -> str:
    """Returns the page that shows a file or folder of the repository."""
    file = ROOT / path
    if file.is_dir():
        below = sorted(inside(path))
        return f"# {path}\n\n" + "\n".join(f"- [{one}]({one})" for one in below) + "\n"
    text = file.read_text(encoding="utf-8")
    if path.endswith(".md"):
        return text
    kind = {".py": "python", ".c": "c", ".json": "json", ".toml": "toml"}.get(file.suffix, "text")
    return f"# {path}\n\n````{kind}\n{text.rstrip()}\n````\n"


def inside(path: str) -> list[str]:
    """Returns the names of what a folder of the repository holds."""
    return [
        one.name for one in (ROOT / path).iterdir() if not one.name.startswith(("_", ".")) and one.is_file()
    ]


def written() -> dict[str, str]:
    """Returns the text of the pages that are written by hand, by the file of the repository."""
    files = [*sorted((ROOT / DOCS).rglob("*.md")), *(ROOT / one for one in OWN if (ROOT / one).exists())]
    files += sorted((ROOT / "benchmarks" / "results").glob("*.md"))
    names_of = dict.fromkeys(str(file.relative_to(ROOT)) for file in files)
    return {name: (ROOT / name).read_text(encoding="utf-8") for name in names_of}


def linked(texts: dict[str, str]) -> dict[str, str]:
    """Returns the files of the repository that texts link to and that are no page yet, and those behind."""
    found: dict[str, str] = {}
    todo = list(texts.items())
    while todo:
        path, text = todo.pop()
        if not path.endswith(".md") and not (ROOT / path).is_dir():
            continue
        home = path if (ROOT / path).is_dir() else str((ROOT / path).parent.relative_to(ROOT))
        for target in targets(text, home):
            if target not in texts and target not in found and not target.startswith(f"{DOCS}/"):
                if target.startswith("..") or not (ROOT / target).exists():
                    raise FileNotFoundError(f"{path} links to {target}, which is not there.")
                found[target] = shown(target)
                todo.append((target, found[target]))
    return found


@cache
def pages() -> dict[str, str]:
    """Returns the text of every page of the site, by its place."""
    texts = written()
    texts |= linked(texts)
    found = {}
    for path, text in texts.items():
        folder = (ROOT / path).is_dir()
        found[place(path)] = moved(text, f"{path}/index" if folder else path)
    known = reference.entries()
    found |= {f"reference/{name}.md": reference.page(*one) for name, one in known.items()}
    found["reference/index.md"] = reference.index(known)
    found |= findings()
    listed_here = sorted(name for name in found if name.startswith("decisions/"))
    lines = [f"- [{title(found[name])}]({name.partition('/')[2]})" for name in listed_here]
    found["decisions/index.md"] = "\n".join(["# Decisions", "", *lines]) + "\n"
    return {name: completed(text, name) for name, text in found.items()}


def completed(text: str, home: str) -> str:
    """Returns a page with what its marks stand for, and with links from codes to the pages of findings."""
    text = text.replace("<!-- reasons -->", reasons()) if "<!-- reasons -->" in text else text
    to_findings = os.path.relpath("findings", os.path.dirname(home) or ".")

    def link(found: re.Match[str]) -> str:
        code = found["code"]
        return f"[`{code}`]({to_findings}/{code}.md)" if code in CODES else found.group()

    return CODED.sub(link, names.filled(text))


def title(text: str) -> str:
    """Returns the first heading of a page."""
    found = re.search(r"(?m)^# (.+)$", text)
    assert found is not None, text[:80]
    return found[1]


def chapters() -> list[dict[str, object]]:
    """Returns the chapters with all their pages."""
    texts = pages()
    known = reference.entries()
    decisions = sorted(name for name in texts if name.startswith("decisions/0"))
    results = sorted(name for name in texts if name.startswith("benchmarks/results/"))
    groups = {
        "findings": [{"All findings": "findings/index.md"}]
        + [{f"{code} {one.name}": f"findings/{code}.md"} for code, one in CODES.items()],
        "reference": [{"All names": "reference/index.md"}]
        + [{one[0].replace("`", ""): f"reference/{name}.md"} for name, one in known.items()],
        "benchmarks": [{"How they are measured": "benchmarks/index.md"}]
        + [{title(texts[name]): name} for name in results],
        "project": [{name: OWN[path]} for path, name in PROJECT.items() if OWN[path] in texts],
        "decisions": [{"All decisions": "decisions/index.md"}]
        + [{title(texts[name]): name} for name in decisions],
    }
    known_pages = set(listed(filled(CHAPTERS, groups | {"more": []})))
    more = [name for name in texts if name not in known_pages and not name.startswith("files/")]
    return filled(CHAPTERS, groups | {"more": [{title(texts[name]): name} for name in more]})
