"""Keras squares the gradients of rows one by one, and adds up those of one id only then."""

import numpy as np
import tensorflow as tf

O = tf.keras.optimizers


def train(optimizer):
    table = tf.Variable(np.arange(8, dtype=np.float32).reshape(4, 2) + 1)
    scale = tf.Variable([1.0, 2.0])
    weights = tf.constant([[[1.0, 2.0], [3.0, -1.0]], [[0.5, 0.25], [2.0, 1.0]]])
    for step, ids in enumerate(([[1, 1], [1, 3]], [[3, 0], [3, 3]], [[1, 1], [2, 3]])):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(table, ids) * weights * (step + 1.0) * scale)
        optimizer.apply_gradients(zip(tape.gradient(loss, [table, scale]), [table, scale]))
    shown = np.round(np.concatenate([table.numpy().ravel(), scale.numpy()]).astype(float), 3)
    print(type(optimizer).__name__, shown.tolist())


for kind in (
    O.Adam,
    O.AdamW,
    O.Adamax,
    O.Nadam,
    O.RMSprop,
    O.Adagrad,
    O.Adadelta,
    O.Ftrl,
    O.Lion,
    O.Lamb,
    O.Adafactor,
):
    train(kind(0.1))
train(O.SGD(0.1, momentum=0.9))
train(O.Adam(0.1, amsgrad=True))
train(O.RMSprop(0.1, centered=True, momentum=0.5))
for clip in ({"clipnorm": 0.5}, {"global_clipnorm": 0.5}, {"clipvalue": 0.6}):
    for kind in (O.Adam, O.Adagrad, O.SGD):
        train(kind(0.1, **clip))
train(O.Adam(0.1, weight_decay=0.1))
train(O.Adam(0.1, use_ema=True, ema_overwrite_frequency=1))
train(O.Adam(0.1, gradient_accumulation_steps=2))
