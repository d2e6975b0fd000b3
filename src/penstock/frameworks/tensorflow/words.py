"""The words of TensorFlow."""

from __future__ import annotations

from penstock.flow.words import Words


class TensorFlowWords(Words):
    """TensorFlow's vocabulary, and the code that its users type."""

    smooth_choice = "tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)"
    bounded = "tf.maximum(x, 1e-7)"
    maker = "tf.Variable()"
    trace_again = "step = tf.function(step.python_function)"
    flag_decides = True
    idle_barriers = False

    def around(self, function: str, inner: str) -> str:
        return f"{inner} + tf.stop_gradient(tf.{function}({inner}) - {inner})"

    def derivative(self, function: str) -> str:
        return f"Give {function} a derivative with tf.custom_gradient, or compute without it."


class TensorFlowTensorWords(TensorFlowWords):
    """The words for a tensor that is not a variable."""

    variable = "tensor"


TENSORFLOW = TensorFlowWords()
TENSOR = TensorFlowTensorWords()

__all__ = ["TENSOR", "TENSORFLOW", "TensorFlowWords"]
