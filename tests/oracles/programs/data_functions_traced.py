import random

import numpy as np
import tensorflow as tf

rows = tf.data.Dataset.from_tensor_slices((np.ones((5, 3), np.float32), np.arange(5))).batch(2)
seen = []


def doubled(x, y):
    print("map", x.shape, y.shape, x.shape[0], x.get_shape().as_list(), x.shape.rank, tf.executing_eagerly())
    seen.append(x.shape)
    return x * 2, y + 1


made = rows.map(doubled)
print("made", len(seen))
for a, b in made:
    print(a.shape, b.numpy())
print(len(list(made)), len(seen), made.element_spec)


def positive(x):
    print("filter", x.shape, x.shape[0] is None)
    return tf.reduce_sum(x) > 0


print(len(list(rows.map(lambda x, y: x).filter(positive))))


def shaped(x, y):
    print("unbatched", x.shape)
    return tf.reshape(x, [x.shape[0], -1]), tf.shape(x)[0]


whole = rows.unbatch().batch(3, drop_remainder=True).map(shaped)
print(whole.element_spec, [b.numpy() for _, b in whole])

count = [0]


def counted(x):
    count[0] += 1
    return x + count[0]


numbers = tf.data.Dataset.range(4).map(counted)
print(count, [int(one) for one in numbers], count)
random.seed(0)
moved = tf.data.Dataset.range(4).map(lambda x: tf.cast(x, tf.float64) * 0 + random.random())
print(len({float(one) for one in moved}), random.random())
np.random.seed(0)
moved = tf.data.Dataset.range(4).map(lambda x: tf.cast(x, tf.float64) * 0 + np.random.rand())
print(len({float(one) for one in moved}), np.random.rand())


def chosen(x, y):
    return x * 0 if x.shape[0] is None else x


print([float(tf.reduce_sum(one)) for one in rows.map(chosen)])


def refused(x):
    raise ValueError(f"refused {x.shape}")


try:
    rows.map(lambda x, y: refused(x))
except ValueError as error:
    print("refused (None, 3)" in str(error))


def shown(x):
    print("generated", x.shape, x.shape.rank)
    return x


ragged = tf.data.Dataset.from_generator(lambda: iter([np.ones(2), np.ones(3)]), output_types=tf.float32)
print([one.shape for one in ragged.map(shown)])
known = tf.data.Dataset.from_generator(
    lambda: iter([np.ones(2), np.ones(3)]), output_signature=tf.TensorSpec((None,), tf.float32)
)
print([one.shape for one in known.map(shown).padded_batch(2).map(shown)])
print([int(one) for one in tf.data.Dataset.range(5).scan(np.int64(0), lambda s, x: (shown(s) + x, s + x))])
print([int(one) for one in tf.data.Dataset.range(5).take_while(lambda x: shown(x) < 3)])


def once(x):
    print("inner", x.shape)
    return tf.data.Dataset.from_tensors(x)


print([int(one) for one in tf.data.Dataset.range(3).flat_map(once)])
print([int(one) for one in tf.data.Dataset.range(3).interleave(once)])


def halved(x):
    print("branches", x.shape)
    if x > 1:
        return x // 2
    return x


print([int(one) for one in tf.data.Dataset.range(4).map(halved)])


def drawn(x):
    print("draws", x.shape)
    return tf.random.uniform([], seed=x.shape.rank + 3)


tf.random.set_seed(1)
print([f"{float(one):.5f}" for one in tf.data.Dataset.range(3).map(drawn)])
split = tf.data.Dataset.from_tensor_slices(["a b", "c"]).map(lambda x: (shown(x), tf.strings.length(x))[1])
print([int(one) for one in split], split.element_spec)
named = tf.data.Dataset.from_tensors({"a": [1.0, 2.0], "b": 1}).map(lambda one: {"c": shown(one["a"]), "d": 1})
print(list(named.as_numpy_iterator()), named.element_spec)


def added(state, pair):
    print("scan", state.shape, pair[0].shape)
    return state + 1.0, (state, pair[0], tf.shape(pair[1]))


scanned = rows.scan(0.0, added)
print(scanned.element_spec)
print([one.tolist() for part in scanned.as_numpy_iterator() for one in part])
try:
    tf.data.Dataset.from_tensor_slices((np.ones((2, 3)), np.arange(2))).unbatch()
except ValueError as error:
    print(str(error).splitlines()[0])


@tf.function
def flagged(x, times=2, *, shown=False):
    return x * times


print(flagged.get_concrete_function(tf.TensorSpec([None], tf.float32), shown=True).structured_input_signature)
