import tensorflow as tf

Dataset = tf.data.Dataset


def values(dataset):
    return [one.tolist() for one in dataset.as_numpy_iterator()]


made = []
for k in range(3):
    made.append(Dataset.range(3).map(lambda x: x * 10 + k))
print([values(one) for one in made])
k = 1
odd = Dataset.range(6).filter(lambda x: x % 2 == k)
k = 0
print(values(odd))


def sets():
    found = []
    for scale in (1, 2):

        def scaled(x):
            return x * scale

        found.append(Dataset.range(3).map(scaled))
        found.append(Dataset.range(3).map(lambda x: scaled(x) + 1))
        found.append(Dataset.range(3).flat_map(lambda x: Dataset.from_tensors(x * scale)))
        found.append(Dataset.range(3).interleave(lambda x: Dataset.range(scale + 1), cycle_length=2))
        found.append(Dataset.range(5).take_while(lambda x: x < scale))
        found.append(Dataset.range(4).scan(tf.constant(0, tf.int64), lambda s, x: (s + x * scale, s)))
        found.append(
            Dataset.range(4).group_by_window(
                lambda x: x % scale, lambda key, rows: rows.batch(scale + 1), window_size=3
            )
        )
        found.append(
            Dataset.range(6).bucket_by_sequence_length(lambda x: tf.cast(x, tf.int32) * scale, [3], [2, 2])
        )
        summed = tf.data.experimental.Reducer(lambda key: 0, lambda old, x: old + scale, lambda last: last)
        found.append(
            Dataset.range(5).apply(tf.data.experimental.group_by_reducer(lambda x: x % 2, summed))
        )
    scale = 100
    return found


for one in sets():
    print(values(one))


class Maker:
    def added(self, x, y=1, *, z=2):
        return x + offset + y + z


offset = 5
by_method, factor = Dataset.range(2).map(Maker().added), 2


def multiplied(x):
    return x * factor


def deep(x):
    return multiplied(x) + 1


by_function, by_helper = Dataset.range(3).map(multiplied), Dataset.range(3).map(deep)
offset, factor = 70, 9
print(values(by_method), values(by_function), values(by_helper))
count = 0


def counting(x):
    global count
    count += 1
    return x


values(Dataset.range(3).map(counting))
print(count > 0)


def live(x):
    return x.numpy() + later


shown = []
for k in range(2):
    shown.append(Dataset.range(2).map(lambda x: tf.py_function(live, [x + k], tf.int64)))
later = 7
print([values(one) for one in shown])
