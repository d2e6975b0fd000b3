import numpy as np
import tensorflow as tf

models = tf.keras.applications


def fill(model):
    values = []
    for weight in model.weights:
        size = int(np.prod(weight.shape))
        value = np.cos(np.arange(size) * 1.7 + len(values)).reshape(weight.shape)
        last = weight.path.rpartition("/")[2]
        if last in ("gamma", "moving_variance"):
            value = 1.0 + value / 4
        elif len(weight.shape) > 1:
            value = value * (3.0 / np.prod(weight.shape[:-1])) ** 0.5
        values.append(value.astype("float32"))
    model.set_weights(values)


x = (np.sin(np.arange(32 * 32 * 3.0)).reshape(1, 32, 32, 3) * 127 + 127).astype("float32")
kinds = {
    "MobileNet": {"alpha": 0.25}, "MobileNetV2": {"alpha": 0.35, "pooling": "max"},
    "MobileNetV3Small": {"alpha": 0.5, "minimalistic": True, "classes": 5},
}
for name, options in kinds.items():
    small = {} if "classes" in options else {"include_top": False}
    model = getattr(models, name)(weights=None, input_shape=(32, 32, 3), **small, **options)
    fill(model)
    y = np.asarray(model(x / 127.5 - 1 if name != "MobileNetV3Small" else x, training=False))
    print(model.name, model.count_params(), y.shape, np.round(y.ravel()[:6], 3).tolist(), model.layers[-1].name)
entry = tf.keras.Input((32, 32, 3), name="entry")
base = models.MobileNet(weights=None, include_top=False, input_tensor=entry * 2.0, alpha=0.25, name="base")
print(base.name, base.inputs[0].name, base.output.shape, len(base.layers))
base.trainable = False
head = tf.keras.Sequential([base, tf.keras.layers.GlobalAveragePooling2D(), tf.keras.layers.Dense(2)])
print(head(x).shape, len(head.trainable_variables))

for family in ("vgg16", "resnet_v2", "densenet", "efficientnet", "mobilenet_v3"):
    given = np.arange(12.0, dtype="float32").reshape(1, 2, 2, 3)
    found = getattr(models, family).preprocess_input(given)
    print(family, np.round(found, 4).tolist(), np.round(given.sum(), 3))
whole = np.arange(12).reshape(2, 2, 3)
print(np.round(models.imagenet_utils.preprocess_input(whole, mode="tf"), 4).tolist(), whole.sum())
print(np.round(models.resnet50.preprocess_input(tf.reshape(tf.range(12.0), (2, 2, 3))), 4).tolist())
print(np.round(models.resnet50.preprocess_input(tf.reshape(tf.range(12.0), (3, 2, 2)), "channels_first"), 4).tolist())

for wrong in (
    lambda: models.VGG16(weights=None, include_top=False, input_shape=(20, 20, 3)),
    lambda: models.ResNet50(weights="imagenet", classes=10),
    lambda: models.DenseNet121(weights="no such file"),
    lambda: models.MobileNetV2(weights=None, include_top=False, input_shape=(32, 32)),
    lambda: models.imagenet_utils.preprocess_input(whole, mode="none"),
    lambda: models.vgg16.decode_predictions(np.zeros((2, 10))),
):
    try:
        wrong()
    except ValueError as error:
        print(" ".join(str(error).split("\n")[0].split())[:60])
