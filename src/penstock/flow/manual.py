"""The manual: a page for each word and code of a report, with a wrong program and the right one."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent, fill, indent

from penstock.flow.absence import Absence
from penstock.flow.codes import CODES, OTHER_WORDS, PAGES, Code, retired

WIDTH = 80


@dataclass(frozen=True, slots=True)
class Page:
    """The page of a word: its meaning, when it is harmless, a wrong program and the right one.

    The programs of a word end by printing the result of `explain`; those of a code are for `penstock check`.
    A code also has a `name`. `others` are the programs in the words of frameworks, each with its name.
    """

    word: str
    meaning: str
    wrong: str
    right: str
    remark: str = ""
    name: str = ""
    others: tuple[tuple[str, str, str], ...] = ()

    def __str__(self) -> str:
        head = f"{self.word} {self.name}" if self.name else self.word
        parts = [fill(f"{head}: {self.meaning}.", WIDTH)]
        if self.remark:
            parts.append(fill(self.remark, WIDTH))
        if self.wrong:
            parts += ["Wrong:", indent(self.wrong, "    ").rstrip()]
            parts += ["Right:", indent(self.right, "    ").rstrip()]
        for framework, wrong, right in self.others:
            parts += [f"Wrong, in {framework}:", indent(wrong, "    ").rstrip()]
            parts += [f"Right, in {framework}:", indent(right, "    ").rstrip()]
        return "\n\n".join(parts)


_START = 'import penstock as ps\n\nw = ps.Variable(2.0, name="w")\n'


def _pages() -> dict[str, Page]:
    return {page.word: page for page in (*map(_absence, Absence), *map(_code, CODES.values()))}


def _absence(word: Absence) -> Page:
    wrong, right, remark = _PROGRAMS[word]
    return Page(word.value, word.meaning, _program(wrong), _program(right), remark)


def _program(text: str) -> str:
    if not text:
        return ""
    body = dedent(text).strip("\n") + "\n"
    return body if body.startswith("import") else _START + body


_PROGRAMS = {
    Absence.UNUSED: (
        """
        b = ps.Variable(1.0, name="b")
        with ps.GradientTape() as tape:
            loss = w * w
        print(ps.explain(loss, b).reason)
        """,
        """
        b = ps.Variable(1.0, name="b")
        with ps.GradientTape() as tape:
            loss = w * w + b
        print(ps.explain(loss, b).reason)
        """,
        "Harmless for a part of a model that this loss does not use; leave it out of the sources then.",
    ),
    Absence.DEAD_END: (
        """
        b = ps.Variable(1.0, name="b")
        with ps.GradientTape() as tape:
            penalty = b * b
            loss = w * w
        print(ps.explain(loss, b).reason)
        """,
        """
        b = ps.Variable(1.0, name="b")
        with ps.GradientTape() as tape:
            penalty = b * b
            loss = w * w + penalty
        print(ps.explain(loss, b).reason)
        """,
        "Often a term that was computed and then left out of the loss.",
    ),
    Absence.STOPPED: (
        """
        with ps.GradientTape() as tape:
            loss = ps.stop_gradient(w) ** 2
        print(ps.explain(loss, w).reason)
        """,
        """
        with ps.GradientTape() as tape:
            loss = w ** 2
        print(ps.explain(loss, w).reason)
        """,
        "Right where a target network or an advantage must not learn from this loss. Wrong on the only "
        "path: a generator whose critic's output is stopped learns nothing.",
    ),
    Absence.DISCRETE: (
        """
        import penstock as ps

        counter = ps.Variable(0, name="counter")
        with ps.GradientTape() as tape:
            loss = counter * 2
        print(ps.explain(loss, counter).reason)
        """,
        """
        import penstock as ps

        counter = ps.Variable(0.0, name="counter")
        with ps.GradientTape() as tape:
            loss = counter * 2
        print(ps.explain(loss, counter).reason)
        """,
        "An integer moves in whole steps, so it has no slope. The same holds for argmax, for comparisons and "
        "for casts to integers on the way to the loss.",
    ),
    Absence.FLAT: (
        """
        with ps.GradientTape() as tape:
            loss = ps.round(w) * 3.0
        print(ps.explain(loss, w).reason)
        """,
        """
        with ps.GradientTape() as tape:
            loss = (w + ps.stop_gradient(ps.round(w) - w)) * 3.0
        print(ps.explain(loss, w).reason)
        """,
        "The right program is the straight-through estimator: rounded forwards, untouched backwards.",
    ),
    Absence.ESCAPED: (
        """
        import numpy as np
        import penstock as ps

        w = ps.Variable(2.0, name="w")
        with ps.GradientTape() as tape:
            square = w * w
            loss = ps.asarray(np.exp(square.numpy())) * 3.0
        print(ps.explain(loss, w).reason)
        """,
        """
        with ps.GradientTape() as tape:
            square = w * w
            loss = ps.exp(square) * 3.0
        print(ps.explain(loss, w).reason)
        """,
        "A NumPy array or a Python number does not remember what it was computed from. Reading a value is "
        "harmless; computing with the number is not.",
    ),
    Absence.OUTSIDE: (
        """
        prediction = w * 3.0
        with ps.GradientTape() as tape:
            loss = prediction ** 2
        print(ps.explain(loss, w).reason)
        """,
        """
        with ps.GradientTape() as tape:
            prediction = w * 3.0
            loss = prediction ** 2
        print(ps.explain(loss, w).reason)
        """,
        "A tape records operations between its opening and its closing, and nothing else.",
    ),
    Absence.UNWATCHED: (
        """
        import penstock as ps

        x = ps.asarray(2.0)
        with ps.GradientTape() as tape:
            loss = x * x
        print(ps.explain(loss, x).reason)
        """,
        """
        import penstock as ps

        x = ps.asarray(2.0)
        with ps.GradientTape() as tape:
            tape.watch(x)
            loss = x * x
        print(ps.explain(loss, x).reason)
        """,
        "A tape watches trainable variables by itself, but not other tensors. If the tensor should be a "
        "Variable, its name may have been given to a plain tensor: `w = w - step` does that.",
    ),
    Absence.FROZEN: (
        """
        import penstock as ps

        w = ps.Variable(2.0, name="w", trainable=False)
        with ps.GradientTape() as tape:
            loss = w * w
        print(ps.explain(loss, w).reason)
        """,
        """
        import penstock as ps

        w = ps.Variable(2.0, name="w")
        with ps.GradientTape() as tape:
            loss = w * w
        print(ps.explain(loss, w).reason)
        """,
        "Right for a part that is not meant to learn. The flag keeps tapes from watching the variable, but "
        "other code can still write it.",
    ),
    Absence.OVERWRITTEN: (
        """
        memory = ps.Variable(0.0, name="memory")
        with ps.GradientTape() as tape:
            memory.assign(w * 3.0)
            loss = memory * memory
        print(ps.explain(loss, w).reason)
        """,
        """
        memory = ps.Variable(0.0, name="memory")
        with ps.GradientTape() as tape:
            value = w * 3.0
            memory.assign(value)
            loss = value * value
        print(ps.explain(loss, w).reason)
        """,
        "A Variable stores a value. The assignment drops the history of the value.",
    ),
    Absence.UNRULED: (
        "",
        "",
        "The operation has no derivative rule yet. Compose it from others, or give it a rule with "
        "custom_gradient.",
    ),
}


def _code(code: Code) -> Page:
    wrong, right, remark = PAGES[code.code][2:]
    others = []
    for framework, programs in OTHER_WORDS.items():
        if code.code in programs:
            first, second = programs[code.code]
            others.append((framework, _program(first), _program(second)))
    return Page(code.code, code.title, _program(wrong), _program(right), remark, code.name, tuple(others))


def page(word: str) -> Page | None:
    """Returns the page of a word, a code or a finding's name; case does not matter.

    >>> page("ps101").word
    'PS101'
    >>> page("stopped-gradient").word
    'PS106'
    >>> page("PS421").word  # another code says the same now
    'PS413'
    """
    pages, word = _pages(), retired(word)
    word = next((one.code for one in CODES.values() if one.name == word.lower().replace("_", "-")), word)
    return pages.get(word) or pages.get(word.upper()) or pages.get(word.lower().replace("-", "_"))


def words() -> list[str]:
    """Returns every word and code that has a page."""
    return list(_pages())
