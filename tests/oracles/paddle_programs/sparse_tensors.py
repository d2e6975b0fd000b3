"""Sparse tensors by coordinates and by rows: values, places, arithmetic."""

import paddle
from paddle import sparse


def rounded(values):
    return [round(one, 4) for one in values.tolist()]


indices, values = [[0, 1, 1], [2, 0, 1]], [1.0, -2.0, 3.0]
x = sparse.sparse_coo_tensor(indices, values, [2, 3])
print(x)
print(x.shape, x.dtype, x.nnz(), x.is_sparse(), x.is_sparse_coo(), x.is_sparse_csr(), x.stop_gradient)
print(x.indices().tolist(), x.values().tolist(), x.to_dense().tolist())
c = x.to_sparse_csr()
print(c)
print(c.crows().tolist(), c.cols().tolist(), c.values().tolist(), c.is_sparse_csr())
print(c.to_sparse_coo(2).indices().tolist())
print(sparse.sparse_coo_tensor(indices, values).shape, sparse.sparse_coo_tensor(indices, [1, 2, 3]).dtype)
print(sparse.sparse_csr_tensor([0, 1, 3], [2, 0, 1], [1.0, 2.0, 3.0], [2, 3]).to_dense().tolist())
rows = sparse.sparse_coo_tensor([[0, 2]], [[1.0, 2.0], [3.0, 4.0]], [3, 2])
print(rows.to_dense().tolist(), rows.nnz())
for name in ("sin", "tanh", "square", "abs", "neg", "expm1", "asinh", "atan", "sinh", "tan"):
    print(name, rounded(getattr(sparse, name)(x).values()))
print(sparse.pow(x, 2.0).values().tolist(), sparse.cast(x, "int32", "float64").values().dtype)
y = sparse.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [10.0, 20.0, 30.0], [2, 3])
for name in ("add", "subtract", "multiply"):
    print(name, getattr(sparse, name)(x, y).to_dense().tolist())
same = sparse.sparse_coo_tensor(indices, [2.0, 4.0, 5.0], [2, 3])
print(sparse.is_same_shape(x, y), sparse.multiply(x, same).values().tolist())
print(sparse.transpose(x, [1, 0]).to_dense().tolist(), sparse.transpose(c, [1, 0]).to_dense().tolist())
print(sparse.reshape(x, [3, 2]).to_dense().tolist(), sparse.reshape(x, [-1, 6]).shape)
print(sparse.sum(x).to_dense().tolist(), sparse.sum(x, 0).to_dense().tolist())
print(sparse.sum(x, 1, keepdim=True).to_dense().tolist())
double = sparse.coalesce(sparse.sparse_coo_tensor([[0, 0, 1], [1, 1, 2]], [1.0, 2.0, 3.0], [2, 3]))
print(double.indices().tolist(), double.values().tolist())
print(paddle.to_tensor([[0.0, 2.0], [3.0, 0.0]]).to_sparse_coo(2).indices().tolist())
print(paddle.to_tensor([[0.0, 2.0], [3.0, 0.0]]).to_sparse_csr().crows().tolist())
print(sparse.nn.ReLU()(x).values().tolist(), sparse.nn.functional.leaky_relu(x, 0.5).values().tolist())
print(rounded(sparse.nn.functional.softmax(c).values()))

kept = paddle.to_tensor(values, stop_gradient=False)
made = sparse.sparse_coo_tensor(indices, kept, [2, 3], stop_gradient=False)
(made.to_dense() ** 2).sum().backward()
print(kept.grad.tolist())
for wrong in (
    lambda: sparse.sparse_coo_tensor([0, 1], [1.0, 2.0]),
    lambda: sparse.sparse_coo_tensor([[0, 1]], [1.0]),
    lambda: sparse.sparse_coo_tensor([[0.5]], [1.0]),
):
    try:
        wrong()
    except (ValueError, TypeError) as error:
        print(isinstance(error, ValueError))
