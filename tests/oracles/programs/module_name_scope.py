import tensorflow as tf


class Counter(tf.Module):
    def __init__(self, start, name=None):
        super().__init__(name=name)
        with self.name_scope:
            self.count = tf.Variable(start)

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def add(self, amount):
        with self.name_scope:
            self.count.assign_add(amount)
            return self.count


counter = Counter(1.0)
first = counter.add(2.0)
second = counter.add(3.0)
print(first.numpy(), second.numpy(), len(counter.variables), counter.name)
