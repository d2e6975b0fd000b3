"""The manual's programs for the codes of findings: a wrong one, the right one, and when not to worry.

`penstock check` of the wrong program reports the code; of the right one it has nothing to say.
"""

from __future__ import annotations

PAGES: dict[str, tuple[str, str, str, str, str]] = {
    "PS101": (
        "missing-gradient",
        "a gradient was asked for a variable, and in no step was there one",
        """
        import penstock as ps

        w = ps.Variable(2.0, name="w")
        b = ps.Variable(1.0, name="b")
        with ps.GradientTape() as tape:
            loss = w ** 2
        slopes = tape.gradient(loss, [w, b])
        """,
        """
        import penstock as ps

        w = ps.Variable(2.0, name="w")
        b = ps.Variable(1.0, name="b")
        with ps.GradientTape() as tape:
            loss = (w + b) ** 2
        slopes = tape.gradient(loss, [w, b])
        """,
        "The finding has the reason in one word, which has a page of its own, and the line that asked. "
        "Causes that have a remedy of their own have a code of their own, from PS103 on. Harmless where "
        "this loss does not use a part of the model: leave it out of the sources then.",
    ),
    "PS102": (
        "nothing-to-apply",
        "an optimizer was given gradients that are all None",
        """
        import penstock as ps

        w = ps.Variable(2.0, name="w")
        with ps.GradientTape() as tape:
            loss = ps.stop_gradient(w) ** 2
        ps.optimizers.SGD(0.1).apply_gradients([(tape.gradient(loss, w), w)])
        """,
        """
        import penstock as ps

        w = ps.Variable(2.0, name="w")
        with ps.GradientTape() as tape:
            loss = w ** 2
        ps.optimizers.SGD(0.1).apply_gradients([(tape.gradient(loss, w), w)])
        """,
        "No variable was changed. Each variable's reason is in the error and in a finding of its own: "
        "mend that. Catching the error instead hides that nothing is trained.",
    ),
    "PS103": (
        "integer-variable",
        "a gradient was asked for a variable that holds no fractions",
        """
        import penstock as ps

        level = ps.Variable(0, name="level")
        with ps.GradientTape() as tape:
            loss = (level - 3) ** 2
        slope = tape.gradient(loss, level)
        """,
        """
        import penstock as ps

        level = ps.Variable(0.0, name="level")
        with ps.GradientTape() as tape:
            loss = (level - 3) ** 2
        slope = tape.gradient(loss, level)
        """,
        "A Python integer makes an integer variable. Write 0.0 for one that learns. One that counts is "
        "fine as it is: do not ask for its gradient.",
    ),
    "PS104": (
        "rebound-variable",
        "the name of a Variable was given to a plain tensor",
        """
        import penstock as ps

        w = ps.Variable(2.0, name="w")
        with ps.GradientTape() as tape:
            loss = w ** 2
        w = w - 0.1 * tape.gradient(loss, w)
        """,
        """
        import penstock as ps

        w = ps.Variable(2.0, name="w")
        with ps.GradientTape() as tape:
            loss = w ** 2
        w.assign(w - 0.1 * tape.gradient(loss, w))
        """,
        "In Python `=` moves a name; it never writes into what the name meant before. In a loop the "
        "second pass asks for the gradient of a plain tensor, which nobody watches.",
    ),
    "PS105": (
        "no-slope",
        "every path to a variable passes an operation that has no slope",
        """
        import penstock as ps

        w = ps.Variable(2.3, name="w")
        with ps.GradientTape() as tape:
            loss = ps.round(w) * 3.0
        slope = tape.gradient(loss, w)
        """,
        """
        import penstock as ps

        w = ps.Variable(2.3, name="w")
        with ps.GradientTape() as tape:
            loss = (w + ps.stop_gradient(ps.round(w) - w)) * 3.0
        slope = tape.gradient(loss, w)
        """,
        "Rounding, signs, comparisons, argmax and casts to integers have no slope. Use something smooth "
        "in their place, or, as in the right program, let the gradient pass as if they were not there.",
    ),
    "PS106": (
        "stopped-gradient",
        "every path to a variable meets stop_gradient",
        """
        import penstock as ps

        maker = ps.Variable(0.5, name="maker")
        judge = ps.Variable(0.3, name="judge")
        with ps.GradientTape() as tape:
            verdict = ps.stop_gradient(judge * maker)
            loss = -verdict
        slope = tape.gradient(loss, maker)
        """,
        """
        import penstock as ps

        maker = ps.Variable(0.5, name="maker")
        judge = ps.Variable(0.3, name="judge")
        with ps.GradientTape() as tape:
            verdict = judge * maker
            loss = -verdict
        slope = tape.gradient(loss, maker)
        """,
        "To train one network through another, leave the other's variables out of the sources; a barrier "
        "between them cuts the path that the gradient has to take. A barrier is right where a target or "
        "an advantage is to count as a constant: then do not ask for the gradient of what is behind it. "
        "Where the gradients of all variables are asked for and none is named, as TensorFlow 1's "
        "minimize(loss) does, a barrier counts as meant: there is no finding as long as others learn.",
    ),
    "PS107": (
        "outside-tape",
        "what leads to a variable was computed while no tape recorded it",
        """
        import penstock as ps

        w = ps.Variable(2.0, name="w")
        prediction = w * 3.0
        with ps.GradientTape() as tape:
            loss = prediction ** 2
        slope = tape.gradient(loss, w)
        """,
        """
        import penstock as ps

        w = ps.Variable(2.0, name="w")
        with ps.GradientTape() as tape:
            prediction = w * 3.0
            loss = prediction ** 2
        slope = tape.gradient(loss, w)
        """,
        "The whole way from the variables to the loss belongs inside the with block.",
    ),
    "PS108": (
        "escaped-value",
        "a value left the record as a number and came back without a history",
        """
        import numpy as np
        import penstock as ps

        w = ps.Variable(2.0, name="w")
        with ps.GradientTape() as tape:
            square = w * w
            loss = ps.asarray(np.exp(square.numpy())) * 3.0
        slope = tape.gradient(loss, w)
        """,
        """
        import penstock as ps

        w = ps.Variable(2.0, name="w")
        with ps.GradientTape() as tape:
            square = w * w
            loss = ps.exp(square) * 3.0
        slope = tape.gradient(loss, w)
        """,
        "Looking at a value to print it is harmless; computing on with what was seen is not.",
    ),
    "PS109": (
        "assigned-path",
        "the path to a variable leads through an assignment",
        """
        import penstock as ps

        w = ps.Variable(2.0, name="w")
        memory = ps.Variable(0.0, name="memory", trainable=False)
        with ps.GradientTape() as tape:
            memory.assign(w * 3.0)
            loss = memory ** 2
        slope = tape.gradient(loss, w)
        """,
        """
        import penstock as ps

        w = ps.Variable(2.0, name="w")
        memory = ps.Variable(0.0, name="memory", trainable=False)
        with ps.GradientTape() as tape:
            value = w * 3.0
            memory.assign(value)
            loss = value ** 2
        slope = tape.gradient(loss, w)
        """,
        "An assignment inside a tape is carried out like any other, and differentiated like none.",
    ),
    "PS110": (
        "frozen-source",
        "a gradient was asked for a variable that is frozen",
        """
        import penstock as ps

        w = ps.Variable(2.0, name="w", trainable=False)
        with ps.GradientTape() as tape:
            loss = w ** 2
        slope = tape.gradient(loss, w)
        """,
        """
        import penstock as ps

        w = ps.Variable(2.0, name="w")
        with ps.GradientTape() as tape:
            loss = w ** 2
        slope = tape.gradient(loss, w)
        """,
        "To have the gradient of a frozen variable without training it, call tape.watch on it. In Paddle "
        "what `to_tensor` makes is frozen (stop_gradient is True) unless it is told otherwise.",
    ),
    "PS201": (
        "recreated-optimizer",
        "a line makes a new optimizer for the same variables every time",
        """
        import penstock as ps

        w = ps.Variable(2.0, name="w")
        for step in range(5):
            optimizer = ps.optimizers.Adam(0.1)
            with ps.GradientTape() as tape:
                loss = w ** 2
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])
        """,
        """
        import penstock as ps

        w = ps.Variable(2.0, name="w")
        optimizer = ps.optimizers.Adam(0.1)
        for step in range(5):
            with ps.GradientTape() as tape:
                loss = w ** 2
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])
        """,
        "Adam's first step has the size of the learning rate whatever the gradient is, so one that is "
        "always new moves by that much for ever. It is a note, not a warning, for plain SGD, which keeps "
        "nothing.",
    ),
    "PS202": (
        "two-writers",
        "an optimizer and another line write one variable in the same step",
        """
        import penstock as ps

        w = ps.Variable(2.0, name="w")
        optimizer = ps.optimizers.Adam(0.1)
        for step in range(5):
            with ps.GradientTape() as tape:
                loss = w ** 2
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])
            w.assign_sub(0.01)
        """,
        """
        import penstock as ps

        w = ps.Variable(2.0, name="w")
        optimizer = ps.optimizers.Adam(0.1)
        for step in range(5):
            with ps.GradientTape() as tape:
                loss = w ** 2 + 0.1 * w
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])
        """,
        "Always a note, and only where both lines write in most steps. What a line does now and then, such "
        "as putting back the best weights or pulling them to an average, is meant; so are a clip, a mask, "
        "and what the same step takes back. Where both lines were to do the same thing, the variable moves "
        "twice.",
    ),
    "PS203": (
        "flag-not-consulted",
        "a variable is frozen, and nothing in the program asks whether it is",
        """
        import penstock as ps

        base = ps.Variable(2.0, name="base", trainable=False)
        head = ps.Variable(1.0, name="head")
        with ps.GradientTape() as tape:
            loss = (base * head - 1.0) ** 2
        slope = tape.gradient(loss, head)
        """,
        """
        import penstock as ps

        base = ps.Variable(2.0, name="base", trainable=False)
        head = ps.Variable(1.0, name="head")
        wanted = [variable for variable in (base, head) if variable.trainable]
        with ps.GradientTape() as tape:
            loss = (base * head - 1.0) ** 2
        slopes = tape.gradient(loss, wanted)
        """,
        "Always a note, and no mistake: it says what keeps the variable as it is, which is the list. An "
        "update is decided by which variables the optimizer is given.",
    ),
    "PS204": (
        "unaccounted-change",
        "a variable has a value that its recorded writes do not lead to",
        """
        import ctypes

        import numpy as np

        import penstock as ps

        w = ps.Variable([1.0, 2.0], name="w")
        w.assign_add([1.0, 1.0])
        ctypes.memset(np.asarray(w).ctypes.data, 0, 4)
        w.assign_add([1.0, 1.0])
        """,
        """
        import numpy as np

        import penstock as ps

        w = ps.Variable([1.0, 2.0], name="w")
        w.assign_add([1.0, 1.0])
        changed = w.numpy()
        changed[0] = 0.0
        w.assign(changed)
        w.assign_add([1.0, 1.0])
        """,
        "Looked for by `penstock check --split` and `ps.ledger(split=True)` alone: both replay every write "
        "on the value before and compare the result, bit for bit, with what the variable holds. No report on "
        "who moved what can be trusted where this fails.",
    ),
    "PS205": (
        "skipped-updates",
        "every update of a line was left out, as no gradient was finite",
        """
        import penstock as ps

        w = ps.Variable([0.0, 1.0], name="w")
        optimizer = ps.optimizers.SGD(0.1, finite="skip")
        for _ in range(3):
            with ps.GradientTape() as tape:
                loss = ps.sum(ps.sqrt(w * w))
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])
        """,
        """
        import penstock as ps

        w = ps.Variable([0.0, 1.0], name="w")
        optimizer = ps.optimizers.SGD(0.1, finite="skip")
        for _ in range(3):
            with ps.GradientTape() as tape:
                loss = ps.sum(ps.sqrt(w * w + 1e-6))
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])
        """,
        "An optimizer that leaves a step out where a gradient is not finite says nothing, so a run in which "
        "every step is left out looks like one that learns slowly. A note where a loss scale is still "
        "falling without which the gradients would be finite. Steps that are left out beside others that are "
        "made are no finding: the report counts them, and says what was not finite first.",
    ),
    "PS206": (
        "overtaken-gradient",
        "a gradient was taken at values that were replaced before",
        """
        import penstock as ps

        critic = ps.Variable(2.0, name="critic")
        actor = ps.Variable(3.0, name="actor")
        optimizer = ps.optimizers.SGD(0.1)
        with ps.GradientTape(persistent=True) as tape:
            judged = critic * actor
            critic_loss = (judged - 1.0) ** 2
            actor_loss = -judged
        optimizer.apply_gradients([(tape.gradient(critic_loss, critic), critic)])
        optimizer.apply_gradients([(tape.gradient(actor_loss, actor), actor)])
        """,
        """
        import penstock as ps

        critic = ps.Variable(2.0, name="critic")
        actor = ps.Variable(3.0, name="actor")
        optimizer = ps.optimizers.SGD(0.1)
        with ps.GradientTape(persistent=True) as tape:
            judged = critic * actor
            critic_loss = (judged - 1.0) ** 2
            actor_loss = -judged
        slope = tape.gradient(critic_loss, critic)
        optimizer.apply_gradients([(slope, critic), (tape.gradient(actor_loss, actor), actor)])
        """,
        "A tape keeps the values it has seen, so the gradient is exact, at weights that are no longer there. "
        "Meant in simultaneous updates, which say so best by taking all gradients before the first write, as "
        "the right program does; otherwise the second loss is to be computed again. Values that are stopped "
        "or kept, such as targets and an old policy's probabilities, are not what is meant here. PyTorch "
        "refuses such a backward pass.",
    ),
    "PS301": (
        "idle-barrier",
        "a stop_gradient blocks nothing",
        """
        import penstock as ps

        table = ps.asarray([[1.0, 2.0], [3.0, 4.0]])
        w = ps.Variable([0.5, 0.5], name="w")
        with ps.GradientTape() as tape:
            row = ps.stop_gradient(table[1])
            loss = ps.sum(row * w) ** 2
        slope = tape.gradient(loss, w)
        """,
        """
        import penstock as ps

        table = ps.asarray([[1.0, 2.0], [3.0, 4.0]])
        w = ps.Variable([0.5, 0.5], name="w")
        with ps.GradientTape() as tape:
            loss = ps.sum(table[1] * w) ** 2
        slope = tape.gradient(loss, w)
        """,
        "Always a note. A constant is not trained with or without a barrier. If a Variable was meant to "
        "be behind it, look at what the value is made from.",
    ),
    "PS302": (
        "dead-term",
        "a term of a loss trains nothing",
        """
        import penstock as ps

        maker = ps.Variable(0.5, name="maker")
        judge = ps.Variable(0.3, name="judge")
        with ps.GradientTape() as tape:
            fooling = -ps.stop_gradient(judge * maker)
            keeping = (maker - 1.0) ** 2
            loss = fooling + keeping
        slope = tape.gradient(loss, maker)
        """,
        """
        import penstock as ps

        maker = ps.Variable(0.5, name="maker")
        judge = ps.Variable(0.3, name="judge")
        with ps.GradientTape() as tape:
            fooling = -judge * maker
            keeping = (maker - 1.0) ** 2
            loss = fooling + keeping
        slope = tape.gradient(loss, maker)
        """,
        "The loss goes down and no gradient is None, since the other terms train the same variables: only "
        "the sum, taken apart, shows it.",
    ),
    "PS303": (
        "repeated-term",
        "a term is added to a loss that has it already",
        """
        import penstock as ps

        w = ps.Variable(2.0, name="w")
        with ps.GradientTape() as tape:
            penalty = w ** 2
            main = (w - 1.0) ** 4
            main = main + penalty
            loss = main + penalty
        slope = tape.gradient(loss, w)
        """,
        """
        import penstock as ps

        w = ps.Variable(2.0, name="w")
        with ps.GradientTape() as tape:
            penalty = w ** 2
            main = (w - 1.0) ** 4
            loss = main + 2.0 * penalty
        slope = tape.gradient(loss, w)
        """,
        "One function adds a penalty, and so does its caller. Harmless where a weight of two is meant: write "
        "it as a factor.",
    ),
}
"""By code: its name, its title, the wrong program, the right program, and a remark."""
