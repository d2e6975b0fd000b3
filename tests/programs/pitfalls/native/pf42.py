# PS107 encoder
import penstock as ps

encoder, head = ps.Variable(1.0, name="encoder", trainable=False), ps.Variable(2.0, name="head")
optimizer = ps.optimizers.SGD(0.1)
encoder.trainable = True
for _ in range(3):
    with ps.GradientTape() as tape:
        with tape.stop_recording():  # wrong
            hidden = encoder * 3.0  # wrong
        hidden = encoder * 3.0  # right
        loss = (hidden * head - 1.0) ** 2
    pairs = zip(tape.gradient(loss, [encoder, head]), [encoder, head])
    optimizer.apply_gradients([(g, v) for g, v in pairs if g is not None])
