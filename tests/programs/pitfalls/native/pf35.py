# refused: CaptureError
import penstock as ps

w = ps.Variable(2.0, name="w")
optimizer = ps.optimizers.Adam(0.1)  # right


@ps.step
def train():
    optimizer = ps.optimizers.Adam(0.1)  # wrong
    with ps.GradientTape() as tape:
        loss = w * w
    optimizer.apply_gradients([(tape.gradient(loss, w), w)])


for _ in range(3):
    train()
