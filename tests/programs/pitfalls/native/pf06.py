# PS107 lora
import penstock as ps

frozen = ps.Variable([1.0, 2.0], name="frozen", trainable=False)
lora, head = ps.Variable([0.1, 0.1], name="lora"), ps.Variable(1.0, name="head")
optimizer = ps.optimizers.SGD(0.1)
for _ in range(3):
    with ps.GradientTape() as tape:
        with tape.stop_recording():  # wrong
            hidden = ps.sum(frozen * lora)  # wrong
        hidden = ps.sum(frozen * lora)  # right
        loss = (hidden * head - 1.0) ** 2
    pairs = zip(tape.gradient(loss, [lora, head]), [lora, head])
    optimizer.apply_gradients([(g, v) for g, v in pairs if g is not None])
