import tensorflow as tf


def drawn(**options):
    return tf.random.uniform([2], **options).numpy().tolist()


tf.random.set_seed(1)
first, second, common, other = drawn(seed=1), drawn(seed=1), drawn(), drawn(seed=2)
tf.random.set_seed(1)
again, common_again, second_again, other_again = drawn(seed=1), drawn(), drawn(seed=1), drawn(seed=2)
print(first == again, second == second_again, common == common_again, other == other_again)
print(first == second, first == other)
tf.random.set_seed(2)
print(drawn(seed=1) == first)

DRAWS = {
    "normal": lambda seed: tf.random.normal([2], seed=seed),
    "truncated_normal": lambda seed: tf.random.truncated_normal([2], seed=seed),
    "uniform of integers": lambda seed: tf.random.uniform([9], 0, 100, tf.int32, seed=seed),
    "shuffle": lambda seed: tf.random.shuffle(tf.range(90), seed=seed),
    "categorical": lambda seed: tf.random.categorical([[0.0, 0.0, 0.0]], 50, seed=seed),
    "gamma": lambda seed: tf.random.gamma([2], 1.0, seed=seed),
    "poisson": lambda seed: tf.random.poisson([30], 4.0, seed=seed),
    "dropout": lambda seed: tf.nn.dropout(tf.ones(60), 0.5, seed=seed),
    "random_brightness": lambda seed: tf.image.random_brightness(tf.ones((2, 2, 3)), 0.2, seed=seed),
    "random_crop": lambda seed: tf.image.random_crop(tf.range(10000), [2], seed=seed),
    "random_flip": lambda seed: tf.image.random_flip_up_down(
        tf.reshape(tf.range(300.0), (50, 2, 1, 3)), seed=seed
    ),
}
for name, draw in DRAWS.items():
    tf.random.set_seed(5)
    first, second = draw(3).numpy(), draw(3).numpy()
    draw(None), tf.random.normal([3])
    tf.random.set_seed(5)
    tf.random.normal([3])
    again, other = draw(3).numpy(), draw(4).numpy()
    print(name, (first == again).all(), (first == second).all(), (first == other).all())
