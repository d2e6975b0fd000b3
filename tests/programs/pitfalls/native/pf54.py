# nothing
import penstock as ps

table = ps.Variable([[1.0, 1.0]] * 6, name="table")
optimizer = ps.optimizers.Adam(0.1)  # wrong
optimizer = ps.optimizers.Adam(0.1, rows="lazy")  # right
for ids in ([1, 1], [2, 3], [2, 3]):
    with ps.GradientTape() as tape:
        loss = ps.sum(ps.take(table, ps.asarray(ids), axis=0))
    optimizer.apply_gradients([(tape.gradient(loss, table), table)])
