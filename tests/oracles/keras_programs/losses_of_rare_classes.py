import numpy as np
import tensorflow as tf

t = tf.constant([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
x = tf.constant([[0.5, -1.0, 2.0], [0.1, 0.4, -0.6]])
p = tf.nn.softmax(x)
weights = tf.constant([1.0, 3.0])
losses = tf.keras.losses
for make, inputs in (
    (lambda: losses.CategoricalHinge(), x),
    (lambda: losses.BinaryFocalCrossentropy(), p),
    (lambda: losses.BinaryFocalCrossentropy(True, 0.3, 1.5, label_smoothing=0.1), p),
    (lambda: losses.BinaryFocalCrossentropy(from_logits=True, reduction="sum"), x),
    (lambda: losses.CategoricalFocalCrossentropy(), p),
    (lambda: losses.CategoricalFocalCrossentropy([0.1, 0.2, 0.3], 3.0, label_smoothing=0.2), p),
    (lambda: losses.CategoricalFocalCrossentropy(from_logits=True, reduction=None), x),
    (lambda: losses.Dice(), p),
    (lambda: losses.Dice(axis=(1,), reduction=None), p),
    (lambda: losses.Tversky(0.7, 0.3), p),
    (lambda: losses.Tversky(0.2, 0.3, "sum", "mine", -1), p),
):
    loss = make()
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        value = loss(t, inputs)
    print(loss.name, np.round(value.numpy(), 5).tolist(), np.round(tape.gradient(value, inputs).numpy(), 5).tolist())
    if len(value.shape) or "crossentropy" in loss.name:
        print(np.round(np.asarray(loss(t, inputs, sample_weight=weights)), 5).tolist())
print(np.round(losses.kullback_leibler_divergence(t, p).numpy(), 4).tolist(), losses.get("categorical_hinge").__name__)
