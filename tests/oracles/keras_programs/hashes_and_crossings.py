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


l = L.HashedCrossing(num_bins=5)
show(l((tf.constant(["A","B","A","B","A"]), tf.constant([101,101,101,102,102]))))
l = L.HashedCrossing(num_bins=5, output_mode="one_hot")
show(l((tf.constant(["A","B","A","B","A"]), tf.constant([101,101,101,102,102]))))
show(l((tf.constant([["A"],["B"]]), tf.constant([[101],[102]]))))
show(l((tf.constant("A"), tf.constant(101))))


l = L.HashedCrossing(num_bins=7)
show(l([tf.constant([1,2,3]), tf.constant([4,5,6])])); show(l([["a"],["b"]])); show(l((np.array(["x","y"]), np.array(["p","q"]))))
show(L.HashedCrossing(num_bins=7, dtype="int32")((tf.constant([1,2]), tf.constant(["a","b"]))))
show(L.HashedCrossing(num_bins=4, output_mode="one_hot", sparse=True)((tf.constant([["a"],["b"]]), tf.constant([["c"],["d"]]))))


a, b = keras.Input((1,), dtype="string"), keras.Input((1,), dtype="int64")
o = L.HashedCrossing(8, output_mode="one_hot")((a, b)); show(o); m = keras.Model([a, b], o)
show(m([tf.constant([["x"],["y"]]), tf.constant([[1],[2]])])); show(m([tf.constant([["x"]]), tf.constant([[1]])]))
o = L.HashedCrossing(8)((a, b)); show(o)
print(sorted(L.HashedCrossing(8, name="h").get_config().items(), key=str))


for act in (lambda: L.HashedCrossing(5)(tf.constant(["a"])), lambda: L.HashedCrossing(5)((tf.constant(["a"]), tf.constant(["a","b"]))), lambda: L.HashedCrossing(5)((tf.constant([1.]), tf.constant([2.]))), lambda: L.HashedCrossing(5, output_mode="count"), lambda: L.HashedCrossing(5, sparse=True)):
    try: act(); print("made")
    except Exception as e: print(isinstance(e, ValueError))


x = tf.constant([["Hello", "TensorFlow", "2.x"], ["", "a"*50, "ünï"]])
for n in (1, 3, 1000, 2**40): show(tf.strings.to_hash_bucket(x, n)); show(tf.strings.to_hash_bucket_fast(x, n)); show(tf.strings.to_hash_bucket_strong(x, n, [1, 2])); show(tf.strings.to_hash_bucket_strong(x, n, key=[-3, 2**62]))
show(tf.strings.to_hash_bucket_strong(["Hello", "TF"], 3, [1, 2])); show(tf.compat.v1.strings.to_hash_bucket(x, 7)); show(tf.compat.v1.strings.to_hash_bucket_fast(x, 7))
show(tf.strings.to_hash_bucket_strong(tf.ragged.constant([["a"],["b","c"]]), 9, [1, 2]))
show(tf.strings.to_hash_bucket(tf.ragged.constant([["a"],["b","c"]]), 9)); show(tf.strings.to_hash_bucket("abc", 9))
for n in range(0, 140, 35): show(tf.strings.to_hash_bucket("x" * n + "yz", 10**9))


show(L.Hashing(num_bins=3)([["A"],["B"],["C"]])); show(L.Hashing(num_bins=3, mask_value="")([["A"],["B"],[""]])); show(L.Hashing(num_bins=3, salt=[133, 137])([["A"],["B"],["C"]])); show(L.Hashing(num_bins=3, salt=133)(tf.constant([1, 2, 3])))
show(L.Hashing(4, output_mode="one_hot")(tf.constant(["a","b"]))); show(L.Hashing(4, output_mode="multi_hot")(tf.constant([["a","b"],["c","c"]]))); show(L.Hashing(4, output_mode="count")(tf.constant([["a","b"],["c","c"]])))
show(L.Hashing(4)(tf.SparseTensor([[0,0],[1,1]], ["a","z"], [2,2])))


show(L.CategoryEncoding(4, output_mode="count")([[0, 1],[0, 0],[3, 1]], count_weights=np.array([[.1, .2],[.1, .1],[.2, .3]])))
show(L.CategoryEncoding(4, output_mode="count")(tf.constant([1, 1, 2]), count_weights=tf.constant([1., 2., 3.])))
show(L.CategoryEncoding(4, output_mode="multi_hot")(tf.constant([1, 1, 2])))
show(L.CategoryEncoding(4, output_mode="count", sparse=True)(tf.constant([[0, 1],[0, 0]]), count_weights=tf.constant([[.5, .25],[.5, .5]])))
