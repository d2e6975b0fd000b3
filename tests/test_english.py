"""Comments, docstrings and messages of the native rooms avoid turns of phrase that a reader parses twice."""

import io
import re
import tokenize

import pytest

from test_rooms import FILES, PACKAGE, room_of

ODD = {
    r"\banew\b": "write `again`, or `start over`",
    r"\b[Ww]hoever\b": "name who it is: the caller, the program, an observer",
    r"\bspeaks? of\b": "write `is about`, `mentions` or `covers`",
    r'"""(?:S|Of s)o many\b': "write `how many ...`",
    r"\b[Ii]t is looked\b(?! at)": "say who looks at what, or `is tested`",
    r"\bmeant so\b": "write `intended`",
    r"\bfor want of\b": "write `without` or `because there is no`",
    r"\bever (?:other|smaller|larger|more)\b": "say what each one is, or how it grows",
    r"\bputs? \w+ together whole\b": "write `gathers`",
    r"\bstands (?:at|before|behind|beside|between|on|in|above|there|first|twice|alone)\b": "write `is`",
    r'"""What (?:is|was|has|are)\b': "begin with the noun: `The pending operations`",
    r"\b(?:[Bb]y|[Ff]rom|[Oo]f|[Tt]han|[Tt]o|[Ww]ith) what (?:is|was|has|are)\b": "name it: `of named terms`",
    r"\b[Ww]hat is (?:compiled|pending|said|told)\b": "name it: `pending operations`, `the message`",
    r"\bwhat (?:became|becomes|came|comes|rests) o[fn]\b": "write `the result of`, or `all that depend on`",
    r"\bcomes of it\b": "write `the result`",
    r"\b(?:[Aa]ny|[Ss]ome)body\b|\b[Nn]obody \w": "name who it is: the program, a thread, an observer",
    r"\bso many (?:bytes|calls|devices|elements|paths|turns|updates)\b": "write `this many`",
    r"\b[Ll](?:ets?|etting) go of\b": "write `releases`",
    r"\bfare[sd]? (?:alike|ill)\b": "write `has the same result`, or `fails`",
    r"\bbut for (?:its|those|what)\b": "write `except`",
    r"\bis had\b": "say who gets or has it",
    r"\b[Ss]eldom\b": "write `rarely`",
    r"\bthe way back\b": "write `the backward pass`",
    r"\bput on the record\b": "write `recorded`",
}
"""Patterns that were found often, each with a better wording. None has a common meaning in the field."""

# From Python 3.12 on, the words of an f-string are separate tokens.
TEXT = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}


def odd_phrases(source: str) -> list[tuple[int, str]]:
    """The line and the words of each odd phrase in comments and strings of a file."""
    found: list[tuple[int, str]] = []
    if not any(re.search(pattern, source) for pattern in ODD):
        return found  # Most files, without a look at their tokens.
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in TEXT:
            for pattern in ODD:
                for match in re.finditer(pattern, token.string):
                    line = token.start[0] + token.string.count("\n", 0, match.start())
                    found.append((line, match.group()))
    return found


def test_the_native_rooms_use_words_that_are_read_once():
    found = []
    for path in FILES:
        home = path.relative_to(PACKAGE)
        if room_of(home.with_suffix("").parts) not in ("tensorflow", "paddle"):
            odd = odd_phrases(path.read_text(encoding="utf-8"))
            found += [f"{home}:{line}: {words!r}" for line, words in odd]
    assert found == [], "\n".join([*found, *(f"{pattern}: {advice}" for pattern, advice in ODD.items())])


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('"""Begins\nanew."""', [(2, "anew")]),
        ("x = 1  # whoever asks\n", [(1, "whoever")]),
        ("anew = stands_in = 1  # NaN stands for nothing\n", []),
        ('f"the {word} stands before it"', [(1, "stands before")]),
        ('MOST = 3\n"""So many lines are shown."""  # A line holds so many letters.', [(2, '"""So many')]),
        ("x = 1  # it is looked at; it is looked whether", [(1, "it is looked")]),
        ("x = 1  # decides what is kept; reads of what is kept", [(1, "of what is")]),
        ('"""What is read."""\nwriter = "nobody"  # nobody reads it', [(1, '"""What is'), (2, "nobody r")]),
    ],
)
def test_a_planted_phrase_is_found(source, found):
    assert odd_phrases(source) == found
