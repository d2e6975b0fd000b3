# PS422 q/base
import penstock as ps

base, adapter = ps.Variable([1.0, 2.0], name="q/base"), ps.Variable([0.1, 0.1], name="q/lora")
base.trainable = False
for variable in (base, adapter):  # wrong
    variable.trainable = True  # wrong
optimizer = ps.optimizers.SGD(0.1)
chosen = [v for v in (base, adapter) if v.trainable]
for _ in range(3):
    with ps.GradientTape() as tape:
        loss = ps.sum((base + adapter) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, chosen), chosen))
