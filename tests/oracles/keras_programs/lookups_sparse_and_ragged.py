import numpy as np
import tensorflow as tf

keras, L = tf.keras, tf.keras.layers


def show(value):
    if type(value).__name__ == "RaggedTensor":
        print("ragged", value.dtype.name, value.to_list())
    elif type(value).__name__ == "SparseTensor":
        print("sparse", value.values.dtype.name, value.indices.numpy().tolist(), value.values.numpy().tolist())
    elif type(value).__name__ == "KerasTensor":
        print("keras", tuple(value.shape), value.dtype)
    elif isinstance(value, dict):
        for key in sorted(value):
            print(key, end=" ")
            show(value[key])
    else:
        print(value.dtype.name, np.asarray(value.numpy()).tolist())


show(L.StringLookup(vocabulary=["a","b"], output_mode='multi_hot', sparse=True)(tf.constant([["a"],["z"]] if 'multi_hot' == "one_hot" else [["a","a"],["z","b"]])))
show(L.IntegerLookup(vocabulary=[5, 6], output_mode='multi_hot', sparse=True)(tf.constant([[5],[1]] if 'multi_hot' == "one_hot" else [[5,5],[1,6]])))
show(L.CategoryEncoding(4, output_mode='multi_hot', sparse=True)(tf.constant([[1],[3]] if 'multi_hot' == "one_hot" else [[1,1],[3,2]])))


show(L.StringLookup(vocabulary=["a","b"], output_mode='count', sparse=True)(tf.constant([["a"],["z"]] if 'count' == "one_hot" else [["a","a"],["z","b"]])))
show(L.IntegerLookup(vocabulary=[5, 6], output_mode='count', sparse=True)(tf.constant([[5],[1]] if 'count' == "one_hot" else [[5,5],[1,6]])))
show(L.CategoryEncoding(4, output_mode='count', sparse=True)(tf.constant([[1],[3]] if 'count' == "one_hot" else [[1,1],[3,2]])))


show(L.StringLookup(vocabulary=["a","b"], output_mode='one_hot', sparse=True)(tf.constant([["a"],["z"]] if 'one_hot' == "one_hot" else [["a","a"],["z","b"]])))
show(L.IntegerLookup(vocabulary=[5, 6], output_mode='one_hot', sparse=True)(tf.constant([[5],[1]] if 'one_hot' == "one_hot" else [[5,5],[1,6]])))
show(L.CategoryEncoding(4, output_mode='one_hot', sparse=True)(tf.constant([[1],[3]] if 'one_hot' == "one_hot" else [[1,1],[3,2]])))


show(L.Hashing(4, output_mode='multi_hot', sparse=True)(tf.constant([["a"],["z"]])))
show(L.Discretization([0., 1.], output_mode='multi_hot', sparse=True)(tf.constant([[.5],[2.]])))


show(L.Hashing(4, output_mode='count', sparse=True)(tf.constant([["a"],["z"]])))
show(L.Discretization([0., 1.], output_mode='count', sparse=True)(tf.constant([[.5],[2.]])))


show(L.Hashing(4, output_mode='one_hot', sparse=True)(tf.constant([["a"],["z"]])))
show(L.Discretization([0., 1.], output_mode='one_hot', sparse=True)(tf.constant([[.5],[2.]])))


s = tf.sparse.from_dense(tf.constant([[5, 0],[6, 7]], tf.int64))
show(L.IntegerLookup(vocabulary=[5, 6])(s))
s = tf.SparseTensor([[0,0],[1,1]], ["a","z"], [2,2])
show(L.StringLookup(vocabulary=["a","b"])(s))


s = tf.SparseTensor([[0,0],[1,1]], ["a","z"], [2,2])
show(L.StringLookup(vocabulary=["a","b"], output_mode="count")(s))


r = tf.ragged.constant([["a","b","z"],["b"]])
show(L.StringLookup(vocabulary=["a","b"])(r)); show(L.IntegerLookup(vocabulary=[5,6])(tf.ragged.constant([[5],[6,7]])))
show(L.StringLookup(vocabulary=["a","b"], invert=True)(tf.ragged.constant([[1],[2,0]], dtype=tf.int64)))
show(L.Hashing(4)(r))


r = tf.ragged.constant([["a","b","z"],["b"]])
for mode in ("multi_hot","count"): show(L.StringLookup(vocabulary=["a","b"], output_mode=mode)(r))


show(L.CategoryEncoding(4, output_mode="multi_hot")(tf.ragged.constant([[1, 2],[3]])))
