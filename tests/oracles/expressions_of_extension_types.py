"""Expressions about extension types, for the record of TensorFlow and for the test."""

SETUP = """
from typing import List, Mapping, Optional, Tuple, Union
Base = tf.experimental.ExtensionType
class Masked(Base):
    values: tf.Tensor
    mask: tf.Tensor
class Pencil(Base):
    color: str = "black"
    has_eraser: bool = True
    length: tf.Tensor = 1.0
class Player(Base):
    name: tf.Tensor
    attributes: Mapping[str, tf.Tensor]
class Several(Base):
    a: Union[int, tf.Tensor]
    b: Optional[tf.Tensor] = None
    c: Tuple[int, ...] = ()
    d: tf.DType = tf.float32
    e: tf.TensorShape = None
class Pair(Base):
    x: tf.Tensor
    def __validate__(self):
        self.x.shape.assert_is_compatible_with([2])
class Toy(Base):
    name: str
    price: tf.Tensor
    def __init__(self, name, price, discount=0):
        self.name = name
        self.price = price * (1 - discount)
class Car(Toy):
    wheels: int = 4
class Shaped(Base):
    values: tf.Tensor
    shape = property(lambda self: self.values.shape)
    class Spec:
        def __init__(self, shape, dtype=tf.float32):
            self.values = tf.TensorSpec(shape, dtype)
        def __repr__(self):
            return f"Shaped.Spec({self.shape})"
        shape = property(lambda self: self.values.shape)
class Own(Base):
    x: tf.Tensor
@tf.experimental.dispatch_for_unary_elementwise_apis(Own)
def one(api, x):
    return Own(api(x.x))
@tf.experimental.dispatch_for_binary_elementwise_apis(Own, Union[Own, tf.Tensor])
def two(api, x, y):
    return Own(api(x.x, y.x if isinstance(y, Own) else y))
@tf.experimental.dispatch_for_api(tf.stack)
def stacked(values: List[Own], axis=0):
    return Own(tf.stack([v.x for v in values], axis))
def unannotated():
    class Wrong(Base):
        x = 3
    return Wrong
def listed():
    class Wrong(Base):
        x: list
    return Wrong
def mutated(one, name="mask"):
    setattr(one, name, 3)
def removed(one):
    del one.mask
@tf.function
def anonymous(player):
    return Player("x", player.attributes)
def traces(*players):
    return [anonymous(one).attributes for one in players], anonymous.experimental_get_tracing_count()
def slope(function, x):
    x = tf.Variable(x)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(function(x))
    return tape.gradient(y, x)
masked, other = Masked([1, 2], [True, False]), Masked([[3]], [[True]])
anne = Player("Anne", {"height": 8.5, "speed": 28.25})
spec = tf.type_spec_from_value(anne)
own = Own([1.0, -2.0])
of_masked = Masked.Spec(tf.TensorSpec([2], tf.int32), tf.TensorSpec([2], tf.bool))
doubled = tf.function(lambda x: x.values * 2, input_signature=[of_masked])
"""

TYPES = [
    "masked",
    "Masked([1, 2], None)",
    "Masked([1, 2])",
    "Pencil()",
    "Pencil(length=0.5, color='blue')",
    "Pencil(3)",
    "Pencil('red', width=2)",
    "masked == masked",
    "masked == Masked([1, 3], [True, False])",
    "masked == other",
    "masked == masked.values",
    "masked != other",
    "masked != masked",
    "Pencil() == Pencil('red')",
    "hash(masked)",
    "mutated(masked)",
    "mutated(masked, 'new')",
    "removed(masked)",
    "anne",
    "anne.attributes['height']",
    "spec",
    "spec.name",
    "spec.attributes",
    "spec == tf.type_spec_from_value(anne)",
    "spec == tf.type_spec_from_value(Player('Bo', {'height': 1.0}))",
    "spec.is_compatible_with(anne)",
    "spec.is_compatible_with(masked)",
    "spec.value_type is Player",
    "type(spec).__name__",
    "Player.Spec(name=tf.TensorSpec([], tf.float32), attributes={})",
    "Several(3)",
    "Several([1.0, 2.0], 2.0, [1, 2], tf.int32, [2, None])",
    "Several('a')",
    "Several(3, c=5)",
    "Pair([1, 2])",
    "Pair([1, 2, 3])",
    "Toy('ball', 5.0, discount=0.5)",
    "Toy(3, 5.0)",
    "Car('beetle', 8.0)",
    "Shaped([1.0, 2.0]).shape",
    "Shaped.Spec([2])",
    "tf.type_spec_from_value(Shaped([1.0, 2.0]))",
    "unannotated()",
    "listed()",
    "tf.nest.flatten(anne, expand_composites=True)",
    "len(tf.nest.flatten([anne, masked]))",
    "tf.nest.map_structure(lambda x: x[:1], masked, expand_composites=True)",
    "tf.identity(masked)",
    "tf.cond(tf.constant(True), lambda: masked, lambda: masked)",
    "tf.while_loop(lambda i, _: i < 3, lambda i, m: (i + 1, Masked(m.values + 1, m.mask)), [0, masked])[1]",
    "tf.add(masked, masked)",
    "tf.convert_to_tensor(masked)",
    "masked + masked",
    "tf.experimental.extension_type.as_dict(masked)['mask']",
    "traces(anne, Player('Bart', {'height': 8.0, 'speed': 25.0}), Player('Chuck', {'jump': 5.0}))",
    "doubled(masked)",
    "doubled(Masked([1, 2, 3], [True, True, True]))",
    "anonymous.get_concrete_function(spec)(anne).attributes",
    "tf.abs(own)",
    "tf.ones_like(own)",
    "tf.cast(own, tf.int32)",
    "tf.nn.relu(own)",
    "tf.math.add(own, own)",
    "tf.multiply(own, tf.constant(2.0))",
    "tf.stack([own, own])",
    "tf.stack([own, own], axis=1)",
    "tf.stack([own, tf.constant([1.0, 2.0])])",
    "tf.stack([tf.constant(1), tf.constant(2)])",
    "tf.reduce_sum(own)",
    "tf.experimental.dispatch_for_unary_elementwise_apis(3)(one)",
    "tf.experimental.dispatch_for_api(tf.stack)(lambda vals, axis=0: 3)",
    "tf.experimental.unregister_dispatch_for(len)",
    "slope(lambda x: tf.square(Own(x)).x * 3.0, [1.0, 2.0])",
    "slope(lambda x: tf.identity(Masked(x * x, [True, True])).values, [1.0, 2.0])",
]
