import penstock as ps

encoder = ps.Variable([0.5, 1.0], name="encoder")
queue = ps.Variable([[0.0, 1.0], [1.0, 0.0]], name="queue", trainable=False)
optimizer = ps.optimizers.SGD(0.01)
for step in range(5):
    with ps.GradientTape() as tape:
        key = encoder * float(step + 1)
        loss = ps.sum((ps.matmul(queue, key) - 1.0) ** 2)
    optimizer.apply_gradients([(tape.gradient(loss, encoder), encoder)])
    queue.assign(ps.concat([queue[1:], ps.expand_dims(ps.stop_gradient(key), axis=0)]))
