import collections

import numpy as np
import tensorflow as tf

keras = tf.keras
config, tree, utils, policies = keras.config, keras.tree, keras.utils, keras.dtype_policies


def tried(function):
    try:
        print(function())
    except (ValueError, TypeError, AttributeError, KeyError) as problem:
        print(str(problem).partition("\n")[0])


print(config.backend(), config.is_nnx_enabled(), config.max_epochs(), config.max_steps_per_epoch())
print(config.is_interactive_logging_enabled(), config.is_flash_attention_enabled(), config.is_traceback_filtering_enabled())
config.disable_flash_attention(), config.disable_traceback_filtering()
print(config.is_flash_attention_enabled(), config.is_traceback_filtering_enabled())
config.enable_flash_attention(), config.enable_traceback_filtering()
print(config.is_flash_attention_enabled(), config.is_traceback_filtering_enabled())
utils.disable_interactive_logging()
print(utils.is_interactive_logging_enabled(), config.is_interactive_logging_enabled())
keras.utils.set_random_seed(2)
model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
x, y = np.arange(12, dtype="float32").reshape(6, 2) / 12, np.ones((6, 1), "float32")
model.fit(x, y, epochs=1, batch_size=2)
utils.enable_interactive_logging()
config.set_max_epochs(2)
config.set_max_steps_per_epoch(1)
print([round(one, 4) for one in model.fit(x, y, epochs=3, batch_size=2, shuffle=False, verbose=0).history["loss"]])
config.set_max_epochs(None)
config.set_max_steps_per_epoch(None)
print(len(model.fit(x, y, epochs=3, verbose=0).history["loss"]))
Point = collections.namedtuple("Point", "x y")
nested = {"b": [1, (2, None)], "a": Point(3, 4)}
print(tree.flatten(nested), tree.flatten(5), tree.flatten([]), tree.flatten(None), tree.is_nested(Point(1, 2)), tree.is_nested("ab"))
print(tree.flatten_with_path({"b": [1, (2,)], "a": 3}))
print(tree.map_structure(lambda one: one and one * 2, nested), tree.map_structure(lambda a, b: a + b, [1, {"k": 2}], [10, {"k": 20}]))
print(tree.map_structure(lambda one: 0, [1, None], none_is_leaf=False), tree.map_structure(lambda one: 0, [1, None]))
print(tree.map_structure_up_to([0, 0], lambda a, b: (a, b), [[1, 2], 3], [4, [5]]))
print(tree.pack_sequence_as(nested, [30, 40, 10, 20, 0]), tree.lists_to_tuples({"a": [1, [2, 3]]}))
print(tree.map_shape_structure(lambda shape: len(shape), {"a": (2, None), "b": [(1,), [3, 4, 5]]}))
print(tree.traverse(lambda one: tuple(one) if isinstance(one, list) else None, [1, [2]]), tree.traverse(lambda one: tree.MAP_TO_NONE if one == 2 else None, [1, {"k": 2}]))
print(tree.flatten(collections.OrderedDict([("z", 1), ("y", 2)])), tree.flatten(collections.deque([1, 2])))
tree.assert_same_structure([1, {"a": 2}], [3, {"a": 4}])
tree.assert_same_paths([1, (2,)], (1, [2]))
for pair in (([1, 2], [1, [2]]), ([1, [2]], [1, 2])):
    tried(lambda: tree.assert_same_structure(*pair))
tried(lambda: tree.assert_same_paths([1, 2], [1]))
tried(lambda: tree.map_structure(len))
settings = utils.Config(rate=0.1, steps=3)
settings.seed, settings["name"] = 7, "run"
print(settings, settings.rate, settings["seed"], settings.get("none", 5), list(settings), len(settings), "rate" in settings, settings.to_json())
settings.update(rate=0.2)
print(settings.pop("seed"), sorted(settings.as_dict().items()), list(settings.keys()), list(settings.values()), settings.frozen)
settings.freeze()
tried(lambda: setattr(settings, "rate", 1.0))
tried(lambda: settings.rat)
tried(lambda: settings.other)
settings.unfreeze()
del settings["name"]
print(settings.as_dict(), settings.frozen)
symbolic = keras.Input((3,), name="symbolic")
print(utils.is_keras_tensor(symbolic), utils.is_keras_tensor(tf.ones((1,))), [one.name for one in utils.get_source_inputs(symbolic * 2.0 + 1.0)])
print(utils.get_source_inputs(3), [utils.standardize_dtype(one) for one in (None, "float16", tf.int64, float, int, bool, np.float64, np.dtype("int8"), "int")])
tried(lambda: utils.standardize_dtype("decimal"))
backend = keras.backend
print([backend.is_float_dtype(one) for one in ("float16", "bfloat16", "int8")], [backend.is_int_dtype(one) for one in ("uint8", "bool", tf.int32)])
for pair in (
    ("int32", "float32"), ("int32", float), ("float16", float), ("bool", int), ("uint8", "int8"), ("uint32", "int32"), ("uint64", "int32"),
    ("float16", "bfloat16"), ("int64", "float16"), (int,), (float, int), (bool,), ("bfloat16", "float32"), ("bool", "bool"), ("float64", "float32"),
):
    print(pair, backend.result_type(*pair))
print(backend.is_sparse(tf.ones((1,))), backend.is_sparse(tf.sparse.from_dense([[1.0]])), backend.get_uid("thing"), backend.get_uid("thing"))
print(policies.get("mixed_float16"), policies.get(None).name, policies.get(tf.float64), policies.get(policies.DTypePolicy("float16")).compute_dtype)
described = policies.serialize(policies.DTypePolicy("mixed_bfloat16"))
print(described, policies.deserialize(described), policies.get(described) == policies.DTypePolicy("mixed_bfloat16"))
several = policies.DTypePolicyMap("float32", {"head": policies.DTypePolicy("float16")})
several["encoder/.*"] = "mixed_bfloat16"
print(several.name, several.compute_dtype, several.variable_dtype, several.quantization_mode, len(several), list(several))
print(several["head"].name, several["encoder/dense"].name, several["other"].name, several.default_policy, "encoder/dense" in several)
tried(lambda: several.__setitem__("head", "float32"))
tried(lambda: several.__setitem__("tail", 3.5))
tried(lambda: policies.DTypePolicyMap(several))
tried(lambda: policies.DTypePolicyMap(policy_map=[1]))
tried(lambda: policies.get("decimal"))
several["encoder/d.*"] = "float64"
tried(lambda: several["encoder/dense"])
del several["encoder/d.*"]
print(sorted(several.get_config()), policies.DTypePolicyMap.from_config(several.get_config())["head"].name)
