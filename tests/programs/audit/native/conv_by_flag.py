"""A convolution is frozen by its flag; a dense layer on top learns to tell lying from standing bars."""

import numpy as np
import penstock as ps

draw = np.random.default_rng(13)


def bars(count):
    images = 0.3 * draw.standard_normal((count, 8, 8, 1))
    standing = draw.integers(0, 2, count)
    places = draw.integers(1, 7, count)
    for image, upright, place in zip(images, standing, places):
        image[(slice(None), place) if upright else (place, slice(None))] += 2.0
    return ps.asarray(images.astype("float32")), ps.asarray(standing.astype("int32"))


features = ps.layers.Conv2D(4, (3, 3), activation="relu")
flat = ps.layers.Flatten()
head = ps.layers.Dense(2)
images, labels = bars(200)
features.build(images.shape)
features.set_weights([draw.standard_normal((3, 3, 1, 4)).astype("float32"), np.zeros(4, "float32")])
features.trainable = False
head.build((None, 6 * 6 * 4))
head.set_weights([0.1 * draw.standard_normal((144, 2)).astype("float32"), np.zeros(2, "float32")])
before = [weight.copy() for weight in features.get_weights()]
adam = ps.optimizers.Adam(0.01)
variables = features.trainable_variables + head.trainable_variables
for turn in range(60):
    with ps.GradientTape() as tape:
        logits = head(flat(features(images)))
        cost = ps.mean(ps.losses.softmax_cross_entropy(logits, labels))
    adam.apply_gradients(zip(tape.gradient(cost, variables), variables))
images, labels = bars(200)
right = np.mean(np.argmax(head(flat(features(images))).numpy(), axis=1) == labels.numpy())
same = all(np.array_equal(*pair) for pair in zip(before, features.get_weights()))
print(f"variables {len(variables)}, features unchanged: {same}, told right: {right:.2f}")
