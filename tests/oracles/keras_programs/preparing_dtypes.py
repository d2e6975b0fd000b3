import tensorflow as tf

L = tf.keras.layers
for mode in ("int", "one_hot", "multi_hot", "count"):
    for dtype in (None, "float32", "int32"):
        options = {} if dtype is None else {"dtype": dtype}
        made = [
            L.StringLookup(vocabulary=["a", "b"], output_mode=mode, **options)(["a", "z", "b"]),
            L.IntegerLookup(vocabulary=[7, 8], output_mode=mode, **options)([7, 9, 8]),
            L.Discretization([0.0, 1.0], output_mode=mode, **options)([-1.0, 0.5, 2.0]),
        ]
        if mode != "one_hot":
            made.append(L.TextVectorization(vocabulary=["a", "b"], output_mode=mode)(["a b", "z"]))
        if mode != "int":
            made.append(L.CategoryEncoding(3, output_mode=mode, **options)([1, 2, 0]))
        for one in made:
            print(mode, dtype, one.dtype.name, one.numpy().tolist())
made = L.StringLookup(vocabulary=["a", "b"], idf_weights=[0.5, 0.75], output_mode="tf_idf")(["a", "b"])
print(made.dtype.name, made.numpy().tolist())
