"""The manual's programs for the codes of findings: a wrong one, the right one, and when not to worry.

`penstock check` reports the code for the wrong program, and nothing for the right one.
"""

from __future__ import annotations

PAGES: dict[str, tuple[str, str, str, str, str]] = {
    "PS101": (
        "missing-gradient",
        "the gradient of a variable was None in every step",
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
        "The finding gives the reason in one word, which has a page of its own, and the line that asked. "
        "Causes with a remedy of their own have their own codes, from PS103 on. Harmless if this loss does "
        "not use that part of the model: leave it out of the sources.",
    ),
    "PS102": (
        "nothing-to-apply",
        "all gradients that an optimizer got are None",
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
        "No variable was changed. The error gives the reason for each variable, and so do findings of their "
        "own: mend those. Catching the error only hides that nothing is trained.",
    ),
    "PS103": (
        "integer-variable",
        "a program asks for the gradient of an integer variable",
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
        "A Python integer makes an integer variable. Write 0.0 for one that learns. A counter is fine as it "
        "is: do not ask for its gradient.",
    ),
    "PS104": (
        "rebound-variable",
        "the name of a Variable was rebound to a plain tensor",
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
        "In Python `=` rebinds a name; it never writes into what the name meant before. The second pass of "
        "a loop then asks for the gradient of a plain tensor, which no tape watches.",
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
        "Rounding, signs, comparisons, argmax and casts to integers have no slope. Replace them with "
        "something smooth, or let the gradient pass as if they were not there, as the right program does.",
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
        "To train one network through another, leave the other's variables out of the sources: a barrier "
        "between them cuts the path that the gradient has to take. A barrier is right where a target or an "
        "advantage counts as a constant: then do not ask for the gradient of what it blocks. A program that "
        "asks for the gradients of all variables and names none, as TensorFlow 1's minimize(loss) does, "
        "means its barriers: there is no finding as long as other variables learn.",
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
        "Put the whole computation from the variables to the loss inside the with block.",
    ),
    "PS108": (
        "escaped-value",
        "a value left the record as a number, and came back without its history",
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
        "Looking at a value in order to print it is harmless; computing with the number is not.",
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
        "An assignment inside a tape is carried out like any other, but no gradient passes through it.",
    ),
    "PS110": (
        "frozen-source",
        "a program asks for the gradient of a frozen variable",
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
        "To have the gradient of a frozen variable without training it, call tape.watch on it. In Paddle, "
        "what `to_tensor` makes is frozen (stop_gradient is True) unless the call says otherwise.",
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
        "Adam's first step has the size of the learning rate whatever the gradient is, so an optimizer that "
        "is always new moves variables by that much for ever. For plain SGD, which keeps no state, it is a "
        "note instead of a warning.",
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
        "Always a note, and only if both lines write in most steps. An occasional write, such as restoring "
        "the best weights, is intended; so are a clip, a mask, and a write that the same step reverses. If "
        "both lines are meant to make the same update, the variable moves twice.",
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
        "Always a note, and not a mistake: it says that the list of variables keeps this one as it is. "
        "Which variables the optimizer gets decides what is updated.",
    ),
    "PS204": (
        "unaccounted-change",
        "the value of a variable is not what its recorded writes make",
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
        "Only `penstock check --split` and `ps.ledger(split=True)` look for it: they replay every write on "
        "the value before it and compare the result, bit for bit, with what the variable holds. If it does "
        "not match, no report on that variable can be trusted.",
    ),
    "PS205": (
        "skipped-updates",
        "every update of a line was skipped, because no gradient was finite",
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
        "An optimizer that skips a step when a gradient is not finite does so silently, so a run that skips "
        "every step looks like one that learns slowly. It is a note while a falling loss scale would still "
        "make the gradients finite. Some skipped steps among others are not a finding: the report counts "
        "them, and says which value was not finite first.",
    ),
    "PS206": (
        "overtaken-gradient",
        "a gradient belongs to values that were overwritten before it was applied",
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
        "A tape keeps the values it has seen, so the gradient is exact, but for weights that are no longer "
        "there. In simultaneous updates that is intended: then take all gradients before the first write, "
        "as the right program does. Otherwise compute the second loss again. Values that are stopped or "
        "stored, such as targets and an old policy's probabilities, do not count. PyTorch refuses such a "
        "backward pass.",
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
        "Always a note. A constant is not trained, with or without a barrier. If a Variable was meant to be "
        "blocked here, look at what the value is made from.",
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
        "The loss goes down and no gradient is None, because the other terms train the same variables. Only "
        "taking the sum apart shows it.",
    ),
    "PS303": (
        "repeated-term",
        "a loss contains a term twice",
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
        "One function adds a penalty, and so does its caller. Harmless if a weight of two is intended: "
        "write it as a factor.",
    ),
}
"""By code: its name, its title, the wrong program, the right program, and a remark."""
