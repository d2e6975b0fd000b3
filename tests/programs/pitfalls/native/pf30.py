# refused: SelectionError
import penstock as ps

encoder, head = ps.Variable(1.0, name="encoder/w"), ps.Variable(2.0, name="head/w")
ps.freeze("backbone/*")  # wrong
ps.freeze("encoder/*")  # right
optimizer = ps.optimizers.SGD(0.1)
chosen = [v for v in (encoder, head) if v.trainable]
for _ in range(3):
    with ps.GradientTape() as tape:
        loss = (encoder * head - 1.0) ** 2
    optimizer.apply_gradients(zip(tape.gradient(loss, chosen), chosen))
