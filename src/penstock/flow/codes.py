"""The codes of findings, each with the name, the title and the programs of its page."""

from __future__ import annotations

from dataclasses import dataclass

from penstock.flow.course_pages import COURSE_PAGES
from penstock.flow.device_pages import DEVICE_PAGES
from penstock.flow.number_pages import NUMBER_PAGES
from penstock.flow.pages import PAGES as FIRST_PAGES
from penstock.flow.tensorflow_pages import TENSORFLOW_PAGES, TENSORFLOW_PROGRAMS
from penstock.flow.torch_pages import TORCH_PAGES, TORCH_PROGRAMS


@dataclass(frozen=True, slots=True)
class Code:
    """A kind of finding. `title` completes the sentence "It is found that ..."."""

    code: str
    name: str
    title: str


TABLES = TORCH_PAGES, TENSORFLOW_PAGES, DEVICE_PAGES, COURSE_PAGES, NUMBER_PAGES, FIRST_PAGES
"""The pages by the files that hold them. A code has a page in one of them alone."""

PAGES = {code: page for table in TABLES for code, page in table.items()}
"""By code: its name, its title, a wrong program, the right one, and a remark."""

OTHER_WORDS = {"TensorFlow": TENSORFLOW_PROGRAMS, "PyTorch": TORCH_PROGRAMS}
"""By framework: the wrong and the right program for codes whose page has a program in other words."""

CODES = {code: Code(code, *PAGES[code][:2]) for code in sorted(PAGES)}

RETIRED = {
    "PS418": "PS405", "stray-gradient": "gradient-applied-again",
    "PS421": "PS413", "statistics-never-written": "wrong-mode",
    "PS423": "PS419", "early-limit": "wrong-scale",
}  # fmt: skip
"""Codes and names that are no longer used, each with its replacement, for lists that still contain them."""

OF_REASON = {
    "discrete": "PS105",
    "flat": "PS105",
    "stopped": "PS106",
    "outside": "PS107",
    "escaped": "PS108",
    "overwritten": "PS109",
    "frozen": "PS110",
}
"""The codes of missing gradients by the reason; others are PS101."""


def retired(word: str) -> str:
    """Returns the code or name that replaces a retired one, or the word itself.

    >>> retired("PS418"), retired("early_limit"), retired("PS101")
    ('PS405', 'wrong-scale', 'PS101')
    """
    return RETIRED.get(word.upper()) or RETIRED.get(word.lower().replace("_", "-"), word)
