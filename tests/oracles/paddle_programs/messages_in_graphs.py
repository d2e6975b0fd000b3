"""What segments and the edges of a graph reduce to, and gradients of it."""

import paddle
from paddle import geometric as G

rows = paddle.to_tensor([[1.0, 5.0], [2.0, 4.0], [4.0, 0.0]], stop_gradient=False)
for name in ("segment_sum", "segment_mean", "segment_max", "segment_min"):
    found = getattr(G, name)(rows, paddle.to_tensor([0, 0, 2]))
    print(name, found.tolist())
    (found * found).sum().backward()
    print(rows.grad.tolist())
    rows.clear_grad()
src, dst = paddle.to_tensor([0, 1, 2, 0]), paddle.to_tensor([1, 2, 1, 0])
edges = paddle.to_tensor([1.0, 2.0, 3.0, 4.0], stop_gradient=False)
for reduce in ("sum", "mean", "max", "min"):
    found = G.send_u_recv(rows, src, dst, reduce)
    (found * found).sum().backward()
    print(reduce, found.tolist(), rows.grad.tolist())
    rows.clear_grad()
print(G.send_u_recv(rows, src, dst, "sum", 2 + 2).tolist())
for message in ("add", "mul", "sub", "div"):
    found = G.send_ue_recv(rows, edges.reshape([4, 1]), src, dst, message, "sum")
    found.sum().backward()
    print(message, found.tolist(), rows.grad.tolist(), edges.grad.tolist())
    rows.clear_grad()
    edges.clear_grad()
found = G.send_uv(rows, rows * 2.0, src, dst, "add")
found.sum().backward()
print(found.tolist(), rows.grad.tolist())
