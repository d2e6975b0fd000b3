"""Random expressions of TensorFlow, with their gradients: a seed is a program, whose text a grammar gives."""

import random
import re

import numpy as np

PRELUDE = """
rng = np.random.default_rng({seed})
def drawn(*shape):
    return (rng.standard_normal(shape) * 0.7).astype(np.float32)
s, v, w = tf.Variable(0.7), tf.Variable(drawn(4)), tf.Variable(drawn(4))
m, n, q = tf.Variable(drawn(3, 4)), tf.Variable(drawn(3, 4)), tf.Variable(drawn(4, 4))
b, d = tf.Variable(drawn(2, 3, 4)), tf.Variable(drawn(3, 4).astype(np.float64))
x, ids, seg = tf.constant(drawn(3, 4)), tf.constant([2, 0, 2]), tf.constant([0, 0, 2])
cells = [x, s, v, w, m, n, q, b, d]
"""

GRAMMAR = r"""
matrix
    6|{m|n|x}
    tf.{tanh|sin|cos|sigmoid|abs|square|negative|identity|stop_gradient|floor}(<matrix>)
    tf.nn.{relu|elu|selu|softplus|relu6|leaky_relu|softsign|gelu|softmax|log_softmax}(<matrix>)
    tf.math.{erf|atan|asinh|log_sigmoid|bessel_i0e|expm1}(<matrix>)
    tf.math.{log1p|sqrt|rsqrt|log}(tf.abs(<matrix>) + 0.5)
    3|(<matrix> {+|-|*} <matrix>)
    (<matrix> {+|-|*} {<vector>|<scalar>|2|0.5})
    tf.{maximum|minimum|subtract}(<matrix>, <matrix>)
    tf.math.{squared_difference|divide_no_nan|atan2|multiply_no_nan}(<matrix>, <matrix>)
    tf.clip_by_value(<matrix>, -0.5, {0.5|<scalar>})
    tf.clip_by_norm(<matrix>, 0.3{|, axes=1|, axes=[0]})
    tf.where(<truth>, <matrix>, {<matrix>|<vector>|0.0})
    tf.matmul(<matrix>, <square>{|, transpose_b=True|, adjoint_b=True})
    tf.gather(<matrix>, ids{|, axis=0})
    tf.reverse(<matrix>, [{0|1|-1|0, 1}])
    tf.roll(<matrix>, {1|-1}, {0|1})
    tf.cumsum(<matrix>{|, axis=1|, axis=0, exclusive=True|, axis=-1, reverse=True})
    tf.sort(<matrix>{|, axis=0|, direction='DESCENDING'})
    tf.tensor_scatter_nd_{update|add|sub}(<matrix>, [[2], [0]], <matrix>[1:])
    tf.tensor_scatter_nd_{update|add|max|min}(<matrix>, [[0, 1], [2, 3]], [<scalar>, 0.5])
    tf.scatter_nd([[1], [0], [1]], <matrix>, [3, 4])
    tf.math.unsorted_segment_{sum|mean|sqrt_n}(<matrix>, {seg|ids}, 3)
    tf.math.segment_{sum|mean}(<matrix>, seg)
    tf.pad(<matrix>[:, 1:3], [[0, 0], [1, 1]]{|, 'REFLECT'|, 'SYMMETRIC'|, constant_values=0.3})
    tf.repeat(<matrix>[:, :2], {2|[3, 1]}, axis=1)
    tf.stack([<vector>, <vector>, <vector>])
    tf.reduce_{sum|mean|max|min|logsumexp}(<block>, 0)
    tf.einsum('{ij,jk->ik|ij,kj->ik}', <matrix>, <square>)
    tf.math.l2_normalize(<matrix>{|, axis=1|, 0})
    tf.norm(<matrix>, axis=1, keepdims=True{|, ord=1|, ord=np.inf|, ord=3}) * <matrix>
    tf.linalg.band_part(<matrix>, {0|1|-1}, {0|1|-1})
    tf.one_hot(ids, 4, on_value=<scalar>, off_value=0.0) + <matrix>
    tf.cond(<scalar> > 0, lambda: <matrix>, lambda: <matrix>)
    tf.switch_case(tf.constant({0|1|5}), [lambda: <matrix>, lambda: <matrix>])
    tf.while_loop(lambda i, t: i < 3, lambda i, t: (i + 1, t * 0.5 + m), [tf.constant(0), <matrix>])[1]
    tf.map_fn(lambda r: r * tf.reduce_sum(r), <matrix>)
    tf.scan(lambda a, r: a * 0.5 + r, <matrix>)
    tf.recompute_grad(lambda t: tf.tanh(t) * 2.0)(<matrix>)
    tf.nn.batch_normalization(<matrix>, <vector>, tf.square(<vector>), <vector>, <vector>, 0.1)
    tf.cast(<wide>, tf.float32)
    tf.image.resize(<matrix>[None, :, :, None], [3, 4]{|, method='nearest'})[0, :, :, 0]
square
    3|q
    <square> {@|*} <square>
    tf.{tanh|transpose}(<square>)
    tf.linalg.{matrix_transpose|expm}(<square> * 0.3)
    tf.linalg.{inv|cholesky|pinv}(<positive>)
    tf.linalg.solve(<positive>, <square>)
    tf.linalg.qr(<positive>)[{0|1}]
    tf.matmul(<matrix>, <matrix>, {transpose_a|adjoint_a}=True)
    tf.tensordot(<vector>, <vector>, 0)
    tf.linalg.diag(<vector>)
positive
    (tf.matmul(q, q, transpose_b=True) + tf.eye(4))
block
    3|b
    tf.stack([<matrix>, <matrix>])
    (<block> {+|*} {<block>|<matrix>|<vector>})
    tf.matmul(<block>, <square>)
    tf.gather(<block>, [[0, 2, 1], [1, 1, 0]], axis=1, batch_dims=1)
    tf.nn.softmax(<block>{|, axis=1|, axis=0})
    tf.nn.{avg_pool1d|max_pool1d}(<block>, 2, 1, 'SAME')
    tf.reverse_sequence(<block>, [2, 3], seq_axis=1)
vector
    4|{v|w}
    <matrix>[{0|1|-1}]
    tf.reduce_{sum|mean|max|min|logsumexp}(<matrix>, {0|axis=0})
    (<vector> {+|-|*} <vector>)
    tf.linalg.matvec(<square>, <vector>{|, transpose_a=True})
    tf.gather_nd(<matrix>, [[0, 0], [1, 2], [2, 3], [0, 0]])
    tf.tensordot(<vector>, <square>, 1)
    tf.nn.sigmoid_cross_entropy_with_logits(tf.sigmoid(<vector>), <vector>)
    tf.nn.sparse_softmax_cross_entropy_with_logits([0, 3, 1, 1], <square>)
scalar
    4|s
    <vector>[{0|1|-1}]
    tf.reduce_{sum|mean|max|min|logsumexp}({<matrix>|<vector>|<block>})
    tf.norm({<vector>|<matrix>}{|, ord=1|, ord=np.inf})
    tf.norm(<matrix>, axis=(0, 1){|, ord=1|, ord=2|, ord=np.inf})
    tf.linalg.{trace|logdet}(<positive>)
    tf.reduce_mean(tf.keras.losses.{mse|kld|hinge}(tf.sigmoid(<matrix>), tf.sigmoid(<matrix>)))
wide
    2|d
    (<wide> {+|-|*} {<wide>|2|0.5})
    tf.{tanh|square}(<wide>)
    tf.cast(<matrix>, tf.float64)
truth
    <matrix> {>|<} {<matrix>|0|<vector>}
    tf.logical_not(<matrix> > 0)
any
    4|<matrix>
    2|<block>
    <square>
    <vector>
    <scalar>
    <wide>
    [<matrix>, <vector>]
    <matrix>[{1:|::2|::-1}, {1:|:-1|::2|0}]
    <block>[{0|:|1:}, {:|1|::-1|..., None}]
    tf.split(<matrix>, {2|[1, 3]}, axis=1)
    tf.einsum('bij,kj->{bik|ki|b}', <block>, <square>)
    tf.reduce_{sum|mean|max|prod}(<block>{|, 1|, axis=[0, 2]|, axis=-1, keepdims=True})
    tf.nn.moments(<block>, {[0, 1]|[2]})
    tf.nn.conv2d(<block>[..., None], tf.reshape(<square>, [2, 2, 1, 4]), {1|2}, {'SAME'|'VALID'})
"""


def _rules() -> dict[str, list[tuple[int, str]]]:
    found: dict[str, list[tuple[int, str]]] = {}
    for line in GRAMMAR.strip().splitlines():
        if not line.startswith(" "):
            name = line
            continue
        weight, text = re.fullmatch(r"\s+(?:(\d)\|)?(.*)", line).groups()
        found.setdefault(name, []).append((int(weight or 1), text))
    return found


RULES = _rules()


def expanded(name: str, chance: random.Random, depth: int) -> str:
    """Returns a random text for a name of the grammar; the first alternative ends it."""
    ways = RULES[name] if depth > 0 else RULES[name][:1]
    text = chance.choices([one for _, one in ways], [weight for weight, _ in ways])[0]
    while True:
        found = re.search(r"\{([^{}]*)\}", text)
        if found is None:
            break
        text = text[: found.start()] + chance.choice(found[1].split("|")) + text[found.end() :]
    return re.sub(r"<(\w+)>", lambda one: expanded(one[1], chance, depth - 1), text)


def expressions(seed: int, count: int = 6) -> list[str]:
    """Returns the expressions of a seed."""
    chance = random.Random(seed)
    return [expanded("any", chance, chance.choice([2, 3, 3])) for _ in range(count)]


def summary(value: object) -> object:
    """Returns dtype, shape and a weighted sum of an array, None for None, and lists for lists."""
    if value is None:
        return None
    if isinstance(value, list | tuple):
        return [summary(one) for one in value]
    kept = np.asarray(value)
    weights = np.cos(np.arange(kept.size) * 0.7)
    total = float(np.sum(kept.astype(np.float64).reshape(-1) * weights))
    return [kept.dtype.name, list(kept.shape), float(f"{total:.6g}")]


def outcomes(seed: int, tf: object, in_function: bool = False) -> list[object]:
    """Returns for each expression of a seed its value and its gradients, or the name of an error's class."""
    names = {"tf": tf, "np": np}
    exec(PRELUDE.format(seed=seed), names)
    found: list[object] = []
    for text in expressions(seed):
        function = eval(f"lambda: {text}", names)
        try:
            with tf.GradientTape() as tape:
                tape.watch(names["x"])
                value = tf.function(function)() if in_function else function()
                parts = value if isinstance(value, list | tuple) else [value]
                loss = tf.add_n([tf.reduce_sum(tf.cast(one, tf.float32) ** 2) for one in parts])
            slopes = tape.gradient(loss, names["cells"])
            slopes = [one if one is None else tf.convert_to_tensor(one) for one in slopes]
            found.append([summary(value), summary(slopes)])
        except Exception as error:
            found.append(type(error).__name__)
    return found
