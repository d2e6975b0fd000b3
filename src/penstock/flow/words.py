"""The words of a vocabulary: its names for variables, barriers and recording, and what its users type.

Findings and reports use these and no framework. `Words` is Penstock's own vocabulary, which is also that of
TensorFlow; another vocabulary overrides the words that differ.
"""

from __future__ import annotations

SILENCE = "inside no_grad"
"""The region where an always open tape does not record."""


class Words:
    """The vocabulary of the user's framework. Attributes are nouns, methods give whole sentences or code.

    `variable` is the noun for a trained array, `holder` that for what holds several, `maker` the call that
    creates one from a value, `plain` the result of an operation, `barrier` the function that stops a
    gradient, `reading` the definition of a read, `setter` the method that writes a variable, `wanted` the
    expression that is true for a trainable variable `v`. `smooth_choice` is a loss that can replace an
    argmax, `bounded` an expression that keeps `x` above zero. `adders` says that `assign_add` and
    `assign_sub` exist; `separator` separates the parts of a path, `clear` clears stored gradients,
    `trace_again` traces a step again, `freeze_layer` says how to freeze a layer, `clear_whole` how to leave
    no zeros behind. `no_gradient` is what a request gets where no path leads. `flag_decides` says that the
    flag alone decides what is recorded, `idle_barriers` that a barrier which blocks nothing is worth a note,
    `rebinds` that a program trains by giving the name of a value to the next one.
    """

    variable = "Variable"
    holder = "layer"
    maker = "Variable()"
    plain = "plain tensor"
    barrier = "stop_gradient"
    reading = "read in a tape"
    setter = "assign"
    wanted = "v.trainable"
    adders = True
    flag_decides = False
    idle_barriers = True
    rebinds = False
    separator = "/"
    clear = "optimizer.zero_grad()"
    freeze_layer = "Write layer.trainable = False."
    clear_whole = "Give the optimizer None for them, not zeros."
    unwatched = "the tape does not watch it"
    late_watch = "computed before the tape was told to watch"
    unrecorded = "while no tape was recording"
    no_gradient = "None"
    silence = SILENCE
    smooth_choice = "softmax_cross_entropy(logits, labels)"
    bounded = "maximum(x, 1e-7)"
    trace_again = "create it again after that line"

    def barrier_in(self, line: str) -> str:
        """Returns the barrier on a line of the program."""
        return self.barrier

    def keep_from(self) -> str:
        """Says, in the middle of a sentence, how to keep a loss from training a network."""
        return "leave its variables out of the sources"

    def around(self, function: str, inner: str) -> str:
        """Returns an expression that lets a gradient pass a function as if it were not there."""
        return f"{inner} + {self.barrier}({function}({inner}) - {inner})"

    def frozen(self, flag: str) -> str:
        """Says, on a step of a path, that a variable is frozen; `flag` is the setting."""
        return f"trainable is False, so {self.unwatched}"

    def also_frozen(self, name: str) -> str:
        """Says that a variable with a cut gradient is also frozen."""
        return f"{name} is not trainable either, so the tape would not watch it."

    def asked_of_frozen(self, names: str, several: bool, flag: str, created: str) -> str:
        """Says why a frozen variable has no gradient; `created` is " at FILE:LINE"."""
        them = "them" if several else "it"
        made = created and f" (created{created})"
        return (
            f"A gradient was asked for {names}, whose {flag}{made}. The tape does not watch {them}, "
            "so there is none."
        )

    def unfreeze(self, name: str) -> str:
        """Says what to type for a gradient of a frozen variable."""
        return (
            f"Leave {name} out of the sources, if it is to stay as it is: [v for v in variables if "
            f"{self.wanted}]. To train it, set trainable = True before the tape reads it."
        )

    def watch(self, name: str) -> str:
        """Says what to type for a gradient of an unwatched tensor."""
        return f"Call tape.watch on {name} inside the tape, before computing with it."

    def watch_before(self, name: str, where: object) -> str:
        """Says what to type if a tensor was watched too late."""
        return f"Call tape.watch on {name} before {where}."

    def derivative(self, function: str) -> str:
        """Says how to give a function a derivative rule."""
        return f"Give {function} a derivative rule with custom_gradient."

    def create_smooth(self, example: str) -> str:
        """Says how to create a variable that can learn; `example` is "" or " such as 0.0"."""
        return (
            f"Create it with a floating-point value{example}, or with trainable=False if it is not to learn."
        )

    def again(self, where: object) -> str:
        """Says how to differentiate a gradient computed at a line."""
        return f"To differentiate a gradient, compute it ({where}) inside the with block of another tape."

    def again_standing(self, where: object) -> str:
        """Says the same for a program that opens no tape."""
        return f"To differentiate a gradient, ask for it ({where}) with create_graph=True."

    def record(self, where: object) -> str:
        """Says what to type if nothing was recording."""
        return f"Open a tape before {where}, and compute inside its with block."

    def group(self, path: str) -> str:
        """Returns the model that a path belongs to."""
        return path.split(self.separator)[0]

    def layer(self, path: str) -> str:
        """Returns the layer that a path belongs to."""
        return path.rpartition(self.separator)[0]

    def release(self, names: str, made: object) -> str:
        """Says how to keep an optimizer from moving frozen variables."""
        where = f" made at {made}" if made is not None else ""
        return f"Give the optimizer{where} only variables for which {self.wanted} holds."

    def inference(self) -> str:
        """Says how to keep a frozen layer from writing its statistics."""
        return "Call the frozen layers with training=False."

    def measure(self, switched: object) -> str:
        """Says how to evaluate a model without changing it; `switched` is the line that set training mode."""
        return "Call the model with training=False where it is only measured."

    def keep_gradient(self, name: str) -> str:
        """Says how to get the gradient of an intermediate result."""
        return f"Ask a tape for it: tape.gradient(target, {name})."

    def leave_none(self, asked: object) -> str:
        """Says how to keep the gradients of a pass, requested at a line, from the next update."""
        return f"Ask for no gradient at {asked} where nothing is to be trained."

    def unscale(self, site: object) -> str:
        """Says how to divide gradients by the loss scale before a line."""
        return f"Divide the gradients by the scale before {site}."

    def back(self, switched: object) -> str:
        """Says how to train in training mode again; `switched` is the line that ended it."""
        return f"Call the model with training=True where it is trained, after {switched}."

    def follow(self) -> str:
        """Says how to make a copy of a model follow its statistics too."""
        return "Copy every variable of the model, its statistics too, not those alone that are trained."

    def unread(self, name: str, target: str) -> str:
        """Says what to do about a variable that nothing reads on the way to a target."""
        return f"Compute {target} with {name}, or leave {name} out of the sources."

    def lost(self, name: str, target: str) -> str:
        """Says what to do about a variable that is read, but from which no path leads to a target."""
        return f"Let something computed from {name} take part in {target}, or do not ask for its gradient."

    def flag_from(self) -> str:
        """Returns the statement that gives a copy the flag of its source."""
        return "copy.trainable = source.trainable"

    def training(self) -> str:
        """Says how to make a layer update its statistics while it is trained."""
        return "Call the model with training=True in the training step, or freeze the layer."

    def rebound(self, name: str, value: str) -> str:
        """Returns the line that writes a variable instead of giving its name to something else."""
        return f"{name}.{self.setter}({value})"


class PaddleWords(Words):
    """The words of PaddlePaddle, where autograd is always on and a flag of each tensor turns it off."""

    variable = "parameter"
    maker = "create_parameter()"
    barrier = "detach()"
    reading = "read while recording"
    separator = "."
    unwatched = "stop_gradient is True"
    late_watch = "computed before stop_gradient was set to False"
    unrecorded = "while recording was off"
    bounded = "paddle.clip(x, min=1e-7)"
    smooth_choice = "paddle.nn.functional.cross_entropy(logits, labels)"
    setter = "set_value"
    wanted = "not v.stop_gradient"
    adders = False
    clear = "optimizer.clear_grad()"
    clear_whole = "Write clear_grad(set_to_zero=False), or leave them out of the optimizer."
    freeze_layer = "Set it on the parameters: for p in layer.parameters(): p.stop_gradient = True."

    def group(self, path: str) -> str:
        return path.rpartition(".")[0]

    layer = group

    def inference(self) -> str:
        return "Call eval() on the frozen layers after every train()."

    def flag_from(self) -> str:
        return "copy.stop_gradient = source.stop_gradient"

    def measure(self, switched: object) -> str:
        where = f", and not train() at {switched}" if switched is not None else ""
        return f"Call eval() on the model before it is only measured{where}."

    def back(self, switched: object) -> str:
        return f"Call train() on the model before it is trained again, after {switched}."

    def keep_gradient(self, name: str) -> str:
        return f"Call {_bare(name)}.retain_grads() before the backward pass."

    def leave_none(self, asked: object) -> str:
        return (
            f"Call backward() at {asked} only where a step follows, or clear the gradients before training."
        )

    def training(self) -> str:
        return "Call train() on the model before the training loop, or freeze the layer."

    def frozen(self, flag: str) -> str:
        return flag

    def also_frozen(self, name: str) -> str:
        return f"Also, {name} has stop_gradient True."

    def asked_of_frozen(self, names: str, several: bool, flag: str, created: str) -> str:
        kind = "tensors" if several else "a tensor"
        return (
            f"A gradient was asked for {names}, whose {flag}. Nothing is recorded for {kind} of that kind, "
            "so there is none."
        )

    def unfreeze(self, name: str) -> str:
        return f"Write {_bare(name)}.stop_gradient = False before computing with it."

    def watch(self, name: str) -> str:
        return self.unfreeze(name)

    def watch_before(self, name: str, where: object) -> str:
        return f"Write {_bare(name)}.stop_gradient = False before {where}."

    def around(self, function: str, inner: str) -> str:
        return f"{inner} + (paddle.{function}({inner}) - {inner}).detach()"

    def barrier_in(self, line: str) -> str:
        return "stop_gradient = True" if "stop_gradient" in line and "detach" not in line else self.barrier

    def derivative(self, function: str) -> str:
        return f"Give {function} a derivative: write it as a paddle.autograd.PyLayer with a backward."

    def create_smooth(self, example: str) -> str:
        return (
            f"Create it with a floating-point dtype, such as dtype='float32'{example and ' and' + example}."
        )

    def again(self, where: object) -> str:
        return self.again_standing(where)

    def record(self, where: object) -> str:
        return f"Move the computation at {where} out of paddle.no_grad()."

    def unread(self, name: str, target: str) -> str:
        return f"Compute {target} with {name}, or leave {name} out of the optimizer's parameters."

    def lost(self, name: str, target: str) -> str:
        return (
            f"Let something computed from {name} take part in {target}, or leave {name} out of the "
            "optimizer's parameters."
        )

    def keep_from(self) -> str:
        return "leave its parameters out of the optimizer that steps on it"

    def release(self, names: str, made: object) -> str:
        where = f" made at {made}" if made is not None else ""
        return f"Give the optimizer{where} [p for p in layer.parameters() if not p.stop_gradient]."


class PaddleDataWords(PaddleWords):
    """The words for a Paddle tensor that is not a parameter."""

    variable = "tensor"
    maker = "to_tensor()"


def _bare(name: str) -> str:
    """Returns a name without its quotes, as one would type it."""
    return name.strip("'")


NATIVE = Words()
PADDLE = PaddleWords()
PADDLE_DATA = PaddleDataWords()

__all__ = ["NATIVE", "PADDLE", "PADDLE_DATA", "SILENCE", "PaddleWords", "Words"]
