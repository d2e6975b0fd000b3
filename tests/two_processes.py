"""Trains a model in several processes; test_distribution.py compares what each has found. The last argument
is the port of the first process, or 0 for one process that has all devices; the first is its number."""

import sys

import numpy as np

import penstock as ps
from penstock import distribution as D

found = []
number, port = map(int, sys.argv[1:])
if port:
    D.initialize(f"localhost:{port}", 2, number)
assert D.get_device_count() == 8
mesh = D.DeviceMesh((4, 2), ["batch", "model"])
layouts = D.LayoutMap(mesh)
layouts["kernel"] = ("model", None)
split = D.ModelParallel(layout_map=layouts, batch_dim_name="batch")


def train(distribution):
    """Train in a plain loop, then captured; keep losses and weights."""
    D.set_distribution(distribution)
    ps.random.seed(3)
    layers = [ps.layers.Dense(32, activation="relu"), ps.layers.Dense(4)]
    norm, drop = ps.layers.BatchNormalization(), ps.layers.Dropout(0.25)
    optimizer = ps.optimizers.Adam(0.01)

    def step(x, label):
        with ps.GradientTape() as tape:
            scores = layers[1](drop(norm(layers[0](x), training=True), training=True))
            loss = ps.mean(ps.losses.softmax_cross_entropy(scores, label))
        weights = [w for layer in (*layers, norm) for w in layer.trainable_variables]
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
        return loss

    data = np.random.default_rng(0)
    for run in (step, ps.step(step)):
        for _ in range(3):
            loss = run(data.standard_normal((16, 8)).astype("float32"), data.integers(0, 4, 16))
            found.append(float(loss))
    for layer in (*layers, norm):
        for variable in layer.variables:
            found.append(float(np.abs(variable.numpy()).sum()))


for one in (D.DataParallel(shard_weights=True), split):
    train(one)
# In one piece: what joins the processes prints too.
print(f"\nFOUND {found}\n", flush=True)
