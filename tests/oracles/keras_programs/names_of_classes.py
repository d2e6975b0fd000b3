"""Names that objects get from their classes: capital letters before digits, layers, modules and metrics."""

import keras
import tensorflow as tf

for word in ("VGG16", "ResNet50V2", "LSTM1Net", "MyLayer2D", "Conv3DNet", "GRU4Rec", "A1B2", "HTTPServer2"):
    layer = type(word, (keras.layers.Layer,), {})()
    module = type(word, (tf.Module,), {})()
    metric = type(word, (keras.metrics.Metric,), {})()
    print(word, layer.name, module.name, metric.name)
print(keras.layers.ConvLSTM1D(2, 2).name, keras.layers.GroupQueryAttention(2, 2, 1).name)
