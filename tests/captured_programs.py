"""Random programs whose turns are captured steps, called one by one or several in one executable.

The plain engine that they are compared with calls the same function anew each time. What a step may not hold
is left out: looks at values, Python numbers that change, flags and names that it would set once only.
"""

from __future__ import annotations

from random_programs import Writer, source

OUTSIDE = (
    "sgd.learning_rate = 0.05 / (i + 1)",
    "adam.learning_rate = 0.01 if i % 4 else 0.02",
    "momentum.momentum = 0.5 - 0.1 * (i // 2)",
    "a.trainable = not a.trainable",
    "b.trainable = i % 3 > 0",
    "c.assign_sub(a * 0.1)",
    "u.assign([0.1, 0.2])",
    "t0 = ps.tanh(a * b)",
    "t2 = w * 0.3",
)
ANEW = (
    *("float(", "if i ", "i %", "i //", "i +", "* i", "kept", "tapes."),
    *("trainable", "Variable(", "_rate", "del ", "raise"),
)
"""The statements that give a line a new meaning each time it runs."""
SWAPS = ("a, b = b, a", "b, c = c, b", "u, w = w, u")


class StepWriter(Writer):
    """Draws programs whose body can be captured."""

    def number(self) -> str:
        return self.one("0.5", "-0.3", "2.0", "1")

    def scalar(self, depth: int = 2) -> str:
        return _drawn(lambda: super(StepWriter, self).scalar(depth))

    def vector(self, depth: int = 2) -> str:
        return _drawn(lambda: super(StepWriter, self).vector(depth))

    def statement(self) -> list:
        return _drawn(super().statement)

    def program(self, turns: int) -> list:
        body = self.block(self.random.randint(1, 4)) + _drawn(self.tape) + _drawn(self.tape)
        outside = self.random.sample(OUTSIDE, self.random.randint(1, 4))
        times = self.one(1, 1, 3)
        call = f"ps.repeat(step, {times})(t0, t2)" if times > 1 else "step(t0, t2)"
        plain = f"[step(t0, t2) for _ in range({times})][-1]"
        return [
            ("def step(t0, t2):", [
                "t1, t3, found = t0 * 0.5, t2 * 0.5, []",
                ("def see(*values):", ["found.extend(values)"]),
                *body,
                "return [one for one in found if one is not None]",
            ]),
            "captures = hasattr(ps, 'step')",
            ("if captures:", ["step = ps.step(step)"]),
            (f"for i in range({turns}):", [
                *outside, f"see(*({call} if captures else {plain}))", "see(*first)",
            ]),
        ]  # fmt: skip


def _drawn(draw):
    """Returns the first drawing that means the same each time it is run."""
    while True:
        found = draw()
        text = found if isinstance(found, str) else source(found)
        if not any(word in text for word in ANEW + SWAPS):
            return found
