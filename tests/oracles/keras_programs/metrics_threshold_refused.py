import tensorflow as tf

tf.keras.metrics.Recall(thresholds=[0.5, 1.5])
