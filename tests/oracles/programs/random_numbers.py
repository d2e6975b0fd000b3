import tensorflow as tf


def shown(*tensors):
    return [[round(float(one), 5) for one in tf.cast(each, "float64").numpy().ravel()] for each in tensors]


logits = tf.math.log([[0.2, 0.3, 0.5], [0.9, 0.05, 0.05]])
pictures = tf.reshape(tf.range(48.0), (2, 4, 2, 3))
DRAWS = {
    "uniform": lambda seed: tf.random.uniform([5], seed=seed),
    "uniform, scaled": lambda seed: tf.random.uniform([5], -3.0, 5.5, seed=seed),
    "uniform, float64": lambda seed: tf.random.uniform([3], dtype="float64", seed=seed),
    "uniform, float16": lambda seed: tf.random.uniform([5], dtype="float16", seed=seed),
    "uniform, bfloat16": lambda seed: tf.random.uniform([5], dtype="bfloat16", seed=seed),
    "integers": lambda seed: tf.random.uniform([5], -7, 90, "int32", seed=seed),
    "integers of 64 bits": lambda seed: tf.random.uniform([5], -(2**60), 2**61, "int64", seed=seed),
    "normal": lambda seed: tf.random.normal([5], 1.0, 2.0, seed=seed),
    "normal, float64": lambda seed: tf.random.normal([5], dtype="float64", seed=seed),
    "truncated": lambda seed: tf.random.truncated_normal([9], seed=seed),
    "truncated, float64": lambda seed: tf.random.truncated_normal([5], dtype="float64", seed=seed),
    "shuffle": lambda seed: tf.random.shuffle(tf.range(9), seed=seed),
    "shuffle of rows": lambda seed: tf.random.shuffle(pictures[0], seed=seed)[:, 0, 0],
    "categorical": lambda seed: tf.random.categorical(logits, 5, seed=seed),
    "dropout": lambda seed: tf.nn.dropout(tf.ones(9), 0.4, seed=seed),
    "brightness": lambda seed: tf.image.random_brightness(pictures / 48, 0.4, seed=seed)[0, 0, 0],
    "contrast": lambda seed: tf.image.random_contrast(pictures / 48, 0.2, 0.9, seed=seed)[0, 0, 0],
    "hue": lambda seed: tf.image.random_hue(pictures / 48, 0.4, seed=seed)[0, 0, 0],
    "saturation": lambda seed: tf.image.random_saturation(pictures / 48, 0.2, 0.9, seed=seed)[0, 0, 0],
    "flip": lambda seed: tf.image.random_flip_left_right(pictures, seed=seed)[:, 0, 0, 0],
    "flip of one": lambda seed: tf.image.random_flip_up_down(pictures[0], seed=seed)[0, 0, 0],
    "gamma": lambda seed: tf.random.gamma([2], [0.4, 1.0, 7.0], seed=seed),
    "gamma, scaled": lambda seed: tf.random.gamma([2], 0.4, [0.5, 3.0], "float64", seed=seed),
    "poisson": lambda seed: tf.random.poisson([3], [0.5, 9.0, 70.0], seed=seed),
    "crop": lambda seed: tf.image.random_crop(pictures, [1, 2, 1, 3], seed=seed)[0, 0, 0],
}
for set_to in (5, 2**40 + 3):
    tf.random.set_seed(set_to)
    for name, draw in DRAWS.items():
        print(name, *shown(draw(None), draw(3), draw(3), draw(None), draw(-8)))

STATELESS = {
    "uniform": tf.random.stateless_uniform,
    "normal": tf.random.stateless_normal,
    "truncated": tf.random.stateless_truncated_normal,
}
for name, draw in STATELESS.items():
    for dtype in ("float32", "float64", "float16", "bfloat16"):
        print(name, dtype, *shown(draw([7], [3, -5], dtype=dtype), draw([2, 3], [2**31 - 1, 0], dtype=dtype)))
for dtype in ("int32", "int64", "uint32", "uint64"):
    print(dtype, tf.random.stateless_uniform([5], [3, 4], None, None, dtype).numpy().tolist())
print(*shown(tf.random.stateless_uniform([5], [3, 4], -9, 1000, "int32")))
print(*shown(tf.random.stateless_categorical(logits, 6, [3, 4]), tf.random.experimental.stateless_shuffle(tf.range(8), [3, 4])))
print(*shown(tf.nn.experimental.stateless_dropout(tf.ones([9]), 0.3, [3, 4])))
print(*shown(tf.random.stateless_gamma([3, 2], [3, 4], [0.5, 2.0]), tf.random.stateless_gamma([3], [3, 4], 1.0)))
print(*shown(tf.random.stateless_poisson([3, 2], [3, 4], [2.0, 40.0], "int64")))
print(tf.random.split([3, 4], 3).numpy().tolist(), tf.random.fold_in([3, 4], 7).numpy().tolist())
print(tf.random.experimental.index_shuffle(tf.range(9), [5, 9], 8).numpy().tolist())
print(*shown(tf.image.stateless_random_crop(pictures, [1, 2, 1, 3], [3, 4]), tf.image.stateless_random_flip_up_down(pictures[1], [3, 5])))
print(*shown(tf.image.stateless_random_brightness(pictures, 0.4, [3, 4])[0, 0, 0]))

for generator in (
    tf.random.Generator.from_seed(1234),
    tf.random.Generator.from_seed([7, 8]),
    tf.random.Generator.from_state([1, 2, -3], "philox"),
    tf.random.Generator.from_key_counter(5, [2**63 - 1, 4], "philox"),
):
    print(generator.state.numpy().tolist(), generator.key.numpy(), generator.algorithm)
    print(*shown(generator.normal([5]), generator.uniform([5], 1.0, 3.0), generator.truncated_normal([3])))
    print(*shown(generator.uniform([5], 0, 9, "int32")), generator.uniform_full_int([2]).numpy().tolist())
    print(generator.make_seeds(2).numpy().tolist(), generator.skip(7).numpy().tolist())
    one, other = generator.split(2)
    print(*shown(one.normal([2]), other.normal([2]), generator.normal([2])), one.state.numpy().tolist())
    generator.reset_from_seed(3)
    print(*shown(generator.normal([2])), generator.state.numpy().tolist())


@tf.function
def drawn(x):
    return tf.random.uniform([2]), tf.random.uniform([2]), tf.random.uniform([2], seed=7), tf.random.normal([1])


@tf.function
def outer(x):
    first, second = drawn(x), drawn(x)
    return first[0], tf.random.uniform([2]), second[0]


tf.random.set_seed(5)
one = tf.constant(1.0)
print(*shown(*drawn(one)), *shown(*drawn(one)), *shown(*drawn(tf.constant([1.0]))))
for seed in (5, 6):
    tf.random.set_seed(seed)
    print(*shown(*drawn(one)), *shown(*outer(one)), *shown(*outer(one)))


def passes(dataset, count=3):
    return [[one.tolist() for one in dataset.as_numpy_iterator()] for _ in range(count)]


tf.random.set_seed(5)
numbers = tf.data.Dataset.range(10)
for dataset in (
    numbers.shuffle(4),
    numbers.shuffle(4, seed=3),
    numbers.shuffle(30, seed=3, reshuffle_each_iteration=False),
    numbers.shuffle(3, seed=3).repeat(2),
    numbers.shuffle(5).batch(4).repeat(2),
    numbers.repeat(2).shuffle(7, seed=0),
    tf.data.Dataset.random(seed=4).take(3),
    tf.data.Dataset.random(seed=4, rerandomize_each_iteration=True).take(3),
    tf.data.Dataset.random().take(3),
    tf.data.Dataset.sample_from_datasets([numbers, numbers.map(lambda x: x + 100)], [0.3, 0.7], seed=3),
    numbers.take(2).map(lambda x: tf.random.uniform([], 0, 90, "int32")),
    numbers.take(2).map(lambda x: tf.random.shuffle(tf.range(6), seed=2)),
):
    print(passes(dataset))
print(*shown(tf.random.uniform([3])))
