# PS417: *
import tensorflow as tf

tf.random.set_seed(1)
policy = tf.keras.Sequential([tf.keras.layers.Dense(2)])
policy.build([None, 4])
target = policy  # wrong, guilty
target = tf.keras.models.clone_model(policy)  # right
sgd = tf.keras.optimizers.SGD(0.1)
states, later, reward = tf.random.normal([8, 4]), tf.random.normal([8, 4]), tf.random.normal([8])
target(later)
for _ in range(5):
    with tf.GradientTape() as tape:
        goal = tf.stop_gradient(reward + 0.9 * tf.reduce_max(target(later), axis=1))
        loss = tf.reduce_mean((policy(states)[:, 0] - goal) ** 2)
    variables = policy.trainable_variables
    sgd.apply_gradients(zip(tape.gradient(loss, variables), variables))
