"""Random right programs, and the same programs with one mistake: what a report has to say of each.

A program trains all that it should, in one of two vocabularies: it resets totals and metrics, validates, and
may freeze layers on purpose before its loop. The lines with a mistake end in `# wrong`; `MISTAKES` has the
code that a report gives to each.
"""

from __future__ import annotations

import random

NAMES = {
    "native": {
        "import": "import penstock as ps", "tf": "ps", "mean": "ps.mean", "sum": "ps.sum",
        "stop": "ps.stop_gradient", "data": "ps.asarray", "captured": "@ps.step", "keras": "ps",
        "layers": "ps.layers", "reset": "reset", "update": "update", "number": "ps.astype(extra, 'float32')",
    },
    "tensorflow": {
        "import": "import tensorflow as tf", "tf": "tf", "mean": "tf.reduce_mean", "sum": "tf.reduce_sum",
        "stop": "tf.stop_gradient", "data": "tf.constant", "captured": "@tf.function", "keras": "tf.keras",
        "layers": "tf.keras.layers", "reset": "reset_state", "update": "update_state",
        "number": "tf.cast(extra, 'float32')",
    },
}  # fmt: skip

MISTAKES = {
    "left out of the loss": "PS101",
    "integer": "PS103",
    "rebound": "PS104",
    "rounded": "PS105",
    "stopped": "PS106",
    "before the tape": "PS107",
    "through NumPy": "PS108",
    "assigned": "PS109",
    "frozen source": "PS110",
    "new optimizer": "PS201",
    "second writer": "PS202",
    "idle barrier": "PS301",
    "dead term": "PS302",
    "term twice": "PS303",
    "unowned": "PS401",
    "not finite": "PS407",
    "idle write": "PS410",
    "undone": "PS414",
}
ASKED = ("left out of the loss", "integer", "frozen source", "assigned", "unowned")
"""Mistakes with a variable that the program asks the gradient of."""
CUTTING = ("rounded", "stopped", "before the tape", "through NumPy", "rebound")
"""Mistakes that end the paths to whole layers."""
PLAIN = ("rebound", "through NumPy", "new optimizer")
"""Mistakes that no captured step can make."""
WRONG = "  # wrong"


class Drawn:
    """Draws a program; with a mistake, it has that mistake."""

    def __init__(self, seed: int, vocabulary: str = "native", mistake: str | None = None) -> None:
        self.random, self.seed, self.mistake = random.Random(seed), seed, mistake
        self.names, self.native = NAMES[vocabulary], vocabulary == "native"
        cutting = mistake in CUTTING
        self.by_hand = mistake == "rebound" or self.chance(0.4)
        self.frozen = not cutting and self.chance(0.35)
        self.captured = mistake not in PLAIN and self.chance(0.35)
        self.metric, self.total = self.chance(0.4), self.chance(0.5)
        self.penalty = mistake == "term twice" or (not cutting and self.chance(0.3))
        self.clips, self.validates = self.chance(0.25), self.chance(0.5)
        self.average = mistake == "idle write" or self.chance(0.25)
        self.function = mistake != "rebound" and (self.captured or self.chance(0.5))
        self.width, self.units = self.random.randint(2, 5), self.random.randint(2, 6)
        self.classes = self.one(1, 1, 3)
        kinds = ["Adam(RATE)", "RMSprop(RATE)"]
        if mistake != "new optimizer":
            kinds += ["SGD(RATE)", "SGD(RATE, momentum=0.9)", "AdamW(RATE)"]
        rate = self.one("0.01", "0.05")
        self.optimizer = f"{self.names['keras']}.optimizers.{self.one(*kinds).replace('RATE', rate)}"

    def one(self, *choices):
        return self.random.choice(choices)

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def line(self, text: str, *mistakes: str) -> str:
        """Returns a line, which is marked in programs with one of these mistakes."""
        return text + WRONG * (self.mistake in mistakes)

    def made_by_hand(self) -> list[str]:
        """Returns lines that make three variables; sets the expressions of those trained and of a kernel."""
        flag = ", trainable=False" if self.frozen else ""
        shapes = {"first": (self.width, self.units), "last": (self.units, self.classes)}
        first, last = (
            f"rng.standard_normal({shapes[name]}).astype(np.float32) * 0.5, name='{name}'" for name in shapes
        )
        self.trained, self.kernel = "[first, offset, last]", "last"
        if self.frozen:
            self.trained = "[v for v in (first, offset, last) if v.trainable]"
        tf = self.names["tf"]
        self.hidden, self.result = f"{tf}.tanh({tf}.matmul(x, first) + offset)", f"{tf}.matmul(hidden, last)"
        return [
            f"first = {tf}.Variable({first}{flag})",
            f"offset = {tf}.Variable(np.zeros({self.units}, np.float32), name='offset')",
            f"last = {tf}.Variable({last})",
        ]

    def made_of_layers(self) -> list[str]:
        """Returns lines that make two models; sets the expressions of their variables and of a kernel."""
        layers, activation = self.names["layers"], self.one("tanh", "sigmoid", "softplus")
        parts = [f"{layers}.Dense({self.units}, activation='{activation}')"]
        others = [f"{layers}.BatchNormalization()", f"{layers}.Dropout(0.2)", f"{layers}.Dense({self.units})"]
        parts += [part for part in others if self.chance(0.25)]
        moody = not self.frozen and ("Normalization" in str(parts) or "Dropout" in str(parts))
        self.trained, self.kernel = "body.trainable_variables + head.trainable_variables", "head.kernel"
        if self.frozen and self.chance(0.5):
            self.trained = "head.trainable_variables"
        self.hidden, self.result = f"body(x{', training=training' * moody})", "head(hidden)"
        model = f"{self.names['keras']}.{'layers.' * self.native}Sequential"
        return [
            f"body = {model}([{', '.join(parts)}], name='body')",
            f"head = {layers}.Dense({self.classes}, name='head')",
            "head(body(xs[:2]))",
            *["body.trainable = False"] * self.frozen,
        ]

    def made(self) -> list[str]:
        """Returns the lines that make everything but the loop."""
        tf = self.names["tf"]
        lines = self.made_by_hand() if self.by_hand else self.made_of_layers()
        if self.mistake in ASKED:
            value = {"integer": "1", "frozen source": "0.5, trainable=False"}.get(self.mistake, "0.5")
            extra = f"extra = {tf}.Variable({value}, name='extra')"
            lines.append(self.line(extra, "left out of the loss", "integer", "unowned"))
            self.trained += " + [extra]"
        if self.mistake == "assigned":
            lines.append(f"memory = {tf}.Variable(0.0, name='memory', trainable=False)")
        added = {"frozen source": " * extra", "unowned": " * extra", "integer": f" + {self.names['number']}"}
        before = {"rounded": f"{tf}.round(3.0 * ", "stopped": f"{self.names['stop']}("}.get(self.mistake, "")
        lines += [
            "def forward(x, training=False):",
            *[self.line(f"    x = {self.names['stop']}(x)", "idle barrier")]
            * (self.mistake == "idle barrier"),
            self.line(f"    hidden = {before}{self.hidden}{')' * bool(before)}", "rounded", "stopped"),
            f"    return {self.result}{added.get(self.mistake, '')}",
        ]
        if self.average:
            copied = f"{tf}.Variable(v, trainable=False, name=f'average_{{i}}')"
            lines.append(f"copies = [{copied} for i, v in enumerate({self.trained})]")
        if self.mistake == "undone":
            lines.append(f"start = [v.numpy() for v in {self.trained}]")
        lines.append(f"optimizer = {self.optimizer}")
        if self.metric:
            lines.append(f"metric = {self.names['keras']}.metrics.Mean()")
        for name in ("total", "count") if self.total else ():
            lines.append(f"{name} = {tf}.Variable(0.0, name='{name}', trainable=False)")
        return lines

    def loss(self) -> list[str]:
        """Returns the lines inside the tape."""
        mean, total, tf = self.names["mean"], self.names["sum"], self.names["tf"]
        lines = [] if self.mistake == "before the tape" else ["prediction = forward(x, training=True)"]
        if self.mistake == "through NumPy":
            lines.append(f"prediction = {self.names['data']}(prediction.numpy())" + WRONG)
        lines.append(f"loss = {mean}({tf}.square(prediction - y))")
        if self.mistake == "assigned":
            lines += ["memory.assign(extra * 2.0)" + WRONG, "loss = loss + memory"]
        if self.mistake == "dead term":
            stopped = f"dead = {self.names['stop']}({mean}(prediction))"
            lines += [stopped + WRONG, "loss = loss + 0.1 * dead" + WRONG]
        if self.penalty:
            lines += [f"penalty = 0.01 * {total}({tf}.square({self.kernel}))", "loss = loss + penalty"]
        if self.mistake == "term twice":
            lines.append("loss = loss + penalty" + WRONG)
        if self.mistake == "not finite":
            lines.append(f"loss = loss + {tf}.exp(100.0 + {total}({tf}.square({self.kernel})))" + WRONG)
        return lines

    def step(self) -> list[str]:
        """Returns the lines of one update."""
        lines = []
        if self.mistake == "before the tape":
            lines.append("prediction = forward(x, training=True)" + WRONG)
        if self.mistake == "new optimizer":
            lines.append(f"optimizer = {self.optimizer}" + WRONG)
        lines += [f"with {self.names['tf']}.GradientTape() as tape:", *[f"    {one}" for one in self.loss()]]
        lines.append(f"variables = {self.trained}")
        lines.append(self.line("gradients = tape.gradient(loss, variables)", "frozen source"))
        if self.clips:
            lines.append(f"gradients, norm = {self.names['tf']}.clip_by_global_norm(gradients, 5.0)")
        if self.mistake == "rebound":
            lines.append("last = last - 0.1 * gradients[-1]" + WRONG)
        owned = "[:-1]" if self.mistake == "unowned" else ""
        pairs = f"zip(gradients{owned}, variables{owned})"
        lines.append(self.line(f"optimizer.apply_gradients({pairs})", "unowned"))
        if self.mistake == "second writer":
            lines.append(f"{self.kernel}.assign_sub({self.kernel} * 0.5 + 0.01)" + WRONG)
        if self.mistake == "undone":
            lines += ["for v, value in zip(variables, start):", "    v.assign(value)" + WRONG]
        if self.total:
            lines += ["total.assign_add(loss)", "count.assign_add(1.0)"]
        if self.average:
            value = "a" if self.mistake == "idle write" else "0.9 * a + 0.1 * v"
            lines += [
                "for a, v in zip(copies, variables):",
                self.line(f"    a.assign({value})", "idle write"),
            ]
        return lines

    def program(self) -> str:
        """Returns the text of the program."""
        data, mean, made, step = self.names["data"], self.names["mean"], self.made(), self.step()
        lines = [
            "import numpy as np", self.names["import"], f"rng = np.random.default_rng({self.seed})",
            f"xs = rng.standard_normal((24, {self.width})).astype(np.float32)",
            f"ys = rng.standard_normal((24, {self.classes})).astype(np.float32)", *made,
        ]  # fmt: skip
        if self.function:
            lines += [*[self.names["captured"]] * self.captured, "def train_step(x, y):"]
            lines += [f"    {one}" for one in (*step, "return loss")]
        lines += [
            "for epoch in range(3):",
            *["    total.assign(0.0)", "    count.assign(0.0)"] * self.total,
            *[f"    metric.{self.names['reset']}()"] * self.metric,
            "    for begin in range(0, 24, 8):",
            f"        x, y = {data}(xs[begin:begin + 8]), {data}(ys[begin:begin + 8])",
            *(
                [f"        {one}" for one in step]
                if not self.function
                else ["        loss = train_step(x, y)"]
            ),
            *[f"        metric.{self.names['update']}(loss)"] * self.metric,
        ]
        if self.validates:
            difference = f"{self.names['tf']}.square(forward(xs[:8]) - ys[:8])"
            lines.append(f"    print(epoch, float({mean}({difference})))")
        lines += ["    print(float(total) / float(count))"] * self.total
        lines += ["    print(float(metric.result()))"] * self.metric
        return "\n".join([*lines, "print(float(loss))"]) + "\n"
