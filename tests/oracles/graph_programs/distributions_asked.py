"""What distributions say of themselves: shapes, dtypes, whether gradients pass their draws."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
ds = tf.distributions
for one in (
    ds.Normal([0.0, 1.0], 2.0),
    ds.Uniform([0.0, 1.0], 3.0),
    ds.Categorical(logits=[[0.0, 1.0, 2.0], [1.0, 0.0, 0.0]]),
    ds.Bernoulli(probs=[[0.2, 0.3]]),
):
    print(one.batch_shape, one.event_shape, one.reparameterization_type)
flat = ds.Uniform([0.0, 1.0], 3.0)
normal = ds.Normal(tf.placeholder_with_default([0.5, 1.5], [None]), 2.0)
values = [flat.cdf([0.5, 5.0]), flat.survival_function(1.5), normal.log_cdf(0.3), normal.batch_shape_tensor(), normal.mode()]
with tf.Session() as session:
    for one in session.run(values):
        print(np.round(np.float64(one), 4).tolist())
