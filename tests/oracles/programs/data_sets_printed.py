import numpy as np
import tensorflow as tf

Data = tf.data.Dataset
rows = Data.from_tensor_slices(np.arange(6))
pairs = Data.from_tensor_slices((np.arange(6.0), np.arange(6)))
made = [
    rows,
    pairs,
    Data.from_tensors(tf.ones((2, 3))),
    Data.range(4),
    Data.zip((rows, pairs)),
    Data.from_generator(lambda: iter([1]), output_signature=tf.TensorSpec((), tf.int32)),
    rows.map(lambda x: x + 1),
    rows.map(lambda x: x + 1, num_parallel_calls=2),
    rows.map(lambda x: x + 1, tf.data.AUTOTUNE),
    rows.batch(2),
    rows.batch(2, num_parallel_calls=2),
    rows.batch(4, drop_remainder=True),
    rows.shuffle(3),
    rows.repeat(2),
    rows.prefetch(1),
    rows.cache(),
    rows.take(2),
    rows.take(-1),
    rows.skip(2),
    rows.filter(lambda x: x > 1),
    rows.concatenate(rows),
    rows.enumerate(),
    rows.flat_map(Data.from_tensors),
    rows.interleave(Data.from_tensors),
    rows.interleave(Data.from_tensors, num_parallel_calls=2),
    rows.batch(2).unbatch(),
    rows.with_options(tf.data.Options()),
    rows.take_while(lambda x: x < 2),
    rows.unique(),
    Data.sample_from_datasets([rows, rows]),
    Data.choose_from_datasets([rows, rows], Data.range(2)),
    rows.apply(lambda one: one.take(1)),
    rows.shuffle(3).batch(2).prefetch(tf.data.AUTOTUNE),
    rows.prefetch(2).take(1),
]
for one in made:
    print(one)
print([rows, rows.take(1)])
for one in (
    rows.shard(2, 0),
    rows.scan(0, lambda a, x: (a, x)),
    Data.random(1),
    rows.window(2),
    rows.padded_batch(2),
):
    print(str(one).split()[0])
for one in (
    rows.ragged_batch(2),
    tf.data.TextLineDataset("no"),
    tf.data.TFRecordDataset("no"),
):
    print(str(one).split()[0])
print(list(rows.prefetch(1).take(2).as_numpy_iterator()), list(rows.take(-1).as_numpy_iterator()))
