import numpy as np
import tensorflow as tf

Dataset = tf.data.Dataset


def rows(data):
    return [int(one) for one in data]


numbers = Dataset.range(10)
for options in ({"size": 3}, {"size": 3, "shift": 1, "drop_remainder": True}, {"size": 2, "shift": 3, "stride": 2},
                {"size": 4, "shift": 5}):
    print([rows(one) for one in numbers.window(**options)])
flat = numbers.window(3, shift=2, drop_remainder=True).flat_map(lambda window: window.batch(3))
print([one.numpy().tolist() for one in flat])
pairs = Dataset.from_tensor_slices((np.arange(4), {"x": np.arange(4) * 10}))
for a, b in pairs.window(2):
    print(rows(a), rows(b["x"]))
print(rows(numbers.scan(np.int64(0), lambda state, x: (state + x, state + x))))
print(rows(numbers.take_while(lambda x: x < 4)), rows(Dataset.from_tensor_slices([1, 2, 1, 3, 2]).unique()))
print([one.numpy().tolist() for one in numbers.batch(4).rebatch(3)])
for options in ({"cycle_length": 2}, {"cycle_length": 3, "block_length": 2}, {"cycle_length": 1}):
    print(rows(Dataset.range(1, 5).interleave(lambda n: Dataset.from_tensors(n).repeat(3), **options)))
print(rows(Dataset.range(1, 5).interleave(lambda n: Dataset.range(n), cycle_length=2, block_length=2)))
words = Dataset.from_generator(lambda: ([1] * n for n in (1, 5, 2, 7, 3, 4)), output_signature=tf.TensorSpec([None], tf.int32))
for options in ({}, {"padded_shapes": [None], "padding_values": -1}, {"drop_remainder": True}):
    batches = words.bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3, 6], [2, 2, 2], **options)
    print([one.numpy().tolist() for one in batches])
print([one.numpy().tolist() for one in words.filter(lambda x: tf.shape(x)[0] < 6).bucket_by_sequence_length(
    lambda x: tf.shape(x)[0], [3, 6], [2, 2, 2], pad_to_bucket_boundary=True)])
grouped = numbers.group_by_window(lambda x: x % 2, lambda key, window: window.batch(4), window_size=4)
print([one.numpy().tolist() for one in grouped])
choice = Dataset.from_tensor_slices(np.array([0, 1, 1, 0, 2], dtype=np.int64))
sources = [Dataset.from_tensors(n).repeat() for n in (10, 20, 30)]
print(rows(Dataset.choose_from_datasets(sources, choice)))
mixed = Dataset.sample_from_datasets(sources[:2], [0.0, 1.0], seed=3).take(4)
print(rows(mixed), rows(Dataset.sample_from_datasets([Dataset.range(2), Dataset.range(5, 8)], [1.0, 0.0], stop_on_empty_dataset=True)))
print(rows(tf.data.experimental.Counter(3, 2).take(3)), len(list(Dataset.random(seed=4).take(5))))
print(rows(numbers.apply(tf.data.experimental.take_while(lambda x: x < 2))))
print(numbers.apply(tf.data.experimental.assert_cardinality(10)).cardinality().numpy())
print(tf.data.experimental.get_structure(numbers))
try:
    list(words.bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3], [2]))
except ValueError as error:
    print("ValueError")
