"""The codes of findings: a number, a name, and a line for whoever meets one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """A kind of finding. `title` completes the sentence "It is found that ..."."""

    code: str
    name: str
    title: str


CODES = {
    one.code: one
    for one in (
        Code(
            "PS101", "missing-gradient", "a gradient was asked for a variable, and in no step was there one"
        ),
        Code("PS102", "nothing-to-apply", "an optimizer was given gradients that are all None"),
        Code("PS103", "integer-variable", "a gradient was asked for a variable that holds no fractions"),
        Code("PS104", "rebound-variable", "the name of a Variable was given to a plain tensor"),
        Code("PS105", "no-slope", "every path to a variable passes an operation that has no slope"),
        Code("PS106", "stopped-gradient", "every path to a variable meets stop_gradient"),
        Code("PS107", "outside-tape", "what leads to a variable was computed while no tape recorded it"),
        Code("PS108", "escaped-value", "a value left the record as a number and came back without a history"),
        Code("PS109", "assigned-path", "the path to a variable leads through an assignment"),
        Code("PS110", "frozen-source", "a gradient was asked for a variable that is frozen"),
        Code(
            "PS201", "recreated-optimizer", "a line makes a new optimizer for the same variables every time"
        ),
        Code("PS202", "two-writers", "an optimizer and another line write one variable in the same step"),
        Code(
            "PS203",
            "flag-not-consulted",
            "a variable is frozen, and nothing in the program asks whether it is",
        ),
        Code("PS204", "unaccounted-change", "a variable has a value that its recorded writes do not lead to"),
        Code("PS205", "skipped-updates", "every update of a line was left out, as no gradient was finite"),
        Code("PS206", "overtaken-gradient", "a gradient was taken at values that were replaced before"),
        Code("PS401", "unowned-variable", "a variable gets gradients, and no optimizer holds it"),
        Code("PS402", "stale-variable", "an optimizer holds a variable that its model has replaced"),
        Code("PS403", "frozen-state-moves", "a frozen layer writes its statistics all the same"),
        Code("PS404", "moved-while-frozen", "an optimizer moves a variable that is frozen"),
        Code("PS405", "gradient-applied-again", "an update applies gradients that an earlier pass has left"),
        Code("PS406", "zero-gradient", "a gradient was exactly zero in every step, although a path is open"),
        Code("PS407", "not-finite", "a step wrote a value that is not finite"),
        Code("PS408", "wasted-backward", "gradients were cleared before anybody had applied them"),
        Code("PS409", "shared-target", "a term of a loss trains what another term trains by itself"),
        Code("PS410", "idle-write", "a line writes variables and never changes them"),
        Code("PS411", "misplaced-flag", "a flag was set on something that is not the variable"),
        Code(
            "PS412", "unkept-gradient", "the gradient of an intermediate result is read, and nobody keeps it"
        ),
        Code("PS413", "wrong-mode", "a pass runs with layers in the mode that is meant for another"),
        Code("PS414", "update-undone", "a line takes variables back to what they were before all updates"),
        Code("PS415", "copy-in-part", "a copy follows the weights of a model and not its statistics"),
        Code("PS416", "broken-tie", "two names that had one variable have one each, and both are trained"),
        Code("PS417", "not-a-copy", "what was to stay as it is has another name for what is trained"),
        Code("PS419", "wrong-scale", "gradients are added up, or clipped, at scales that do not go together"),
        Code("PS420", "gradient-gone", "a gradient was there until some step, and has been missing since"),
        Code("PS422", "freeze-undone", "variables were frozen, and set free again before any step"),
        Code("PS424", "summed-means", "an update applies a sum of gradients, each of a mean"),
        Code("PS425", "never-followed", "a model is named after what it is to follow, and is never written"),
        Code("PS426", "moved-by-zeros", "an optimizer moves what no backward pass reaches any more"),
        Code(
            "PS427",
            "update-never-run",
            "an operation that updates variables is built, and no session runs it",
        ),
        Code("PS428", "freeze-left-behind", "what took the values of frozen variables is trained"),
        Code("PS501", "tiny-update", "updates are so small that rounding swallows them"),
        Code("PS502", "vanishing-gradient", "a gradient is nothing beside that of other layers"),
        Code("PS503", "exploding-gradient", "a gradient and the values it moves have grown without bound"),
        Code(
            "PS601", "copied-everywhere", "a variable is copied to every device, and others like it are split"
        ),
        Code("PS602", "idle-pattern", "a pattern of a LayoutMap means no variable"),
        Code("PS603", "undivided-batch", "every device computes the whole batch, as it does not divide"),
        Code("PS604", "gathered-weight", "a step puts a split weight together whole on every device"),
        Code("PS301", "idle-barrier", "a stop_gradient blocks nothing"),
        Code("PS302", "dead-term", "a term of a loss trains nothing"),
        Code("PS303", "repeated-term", "a term is added to a loss that has it already"),
    )
}

RETIRED = {
    "PS418": "PS405", "stray-gradient": "gradient-applied-again",
    "PS421": "PS413", "statistics-never-written": "wrong-mode",
    "PS423": "PS419", "early-limit": "wrong-scale",
}  # fmt: skip
"""Codes and names that are given no more, for those who have them in a list: which one says the same now."""

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
    """Returns the code or name that is given now in place of one, or the word itself.

    >>> retired("PS418"), retired("early_limit"), retired("PS101")
    ('PS405', 'wrong-scale', 'PS101')
    """
    return RETIRED.get(word.upper()) or RETIRED.get(word.lower().replace("_", "-"), word)
