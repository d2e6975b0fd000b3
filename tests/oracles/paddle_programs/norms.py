"""Norms of vectors and matrices of every order, and their gradients."""

import paddle

values = [[[1.0, -2.0], [3.0, 4.0]], [[0.5, 5.0], [-6.0, 7.0]]]
inf = float("inf")


def rounded(tensor):
    return [round(one, 3) + 0.0 for one in tensor.flatten().tolist()]


for order in (None, "fro", "nuc", 0, 1, 2, 3, -1, -2, inf, -inf, 0.5):
    for axis in (None, 0, -1, [1], [0, 1], [1, 2], (0, 2), [-1, -2]):
        x = paddle.to_tensor(values, stop_gradient=False)
        try:
            found = paddle.linalg.norm(x, p=order, axis=axis, keepdim=axis == [1, 2])
        except (TypeError, ValueError) as error:
            print(order, axis, "refused")
            continue
        found.sum().backward()
        print(order, axis, found.shape, rounded(found), [] if order == 0 else rounded(x.grad))
x = paddle.to_tensor([[0.0, 0.0], [3.0, 4.0]], stop_gradient=False)
paddle.linalg.norm(x, axis=-1).sum().backward()
print(rounded(x.grad))
