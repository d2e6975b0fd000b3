import tensorflow as tf
from tensorflow import keras
L = keras.layers
a = L.MultiHeadAttention(2, 2)
d0 = L.Dropout(0.1)
x = keras.Input((3, 4))
y = a(x, x)
d1, s1 = L.Dropout(0.1), L.Softmax()
print(d0.name, d1.name, s1.name)
g = L.GroupQueryAttention(2, 2, 1)
g(tf.zeros([1, 3, 4]), tf.zeros([1, 3, 4]))
print(L.Dropout(0.1).name, L.Softmax().name)
g(tf.zeros([1, 3, 4]), tf.zeros([1, 3, 4]))
print(L.Dropout(0.1).name)
t = L.TextVectorization()
print(L.StringLookup().name)
m = keras.Model([x], [y])
n = keras.Model(x, y)
two = keras.Model([x, keras.Input((2,))], [y, x])
print(m.input_shape, m.output_shape, n.input_shape, n.output_shape, two.input_shape, two.output_shape)
print(m.path, n.path, m.name)
class Block(L.Layer):
    def __init__(self):
        super().__init__()
        self.attention = L.MultiHeadAttention(2, 2)
        self.drop = L.Dropout(0.1)
    def call(self, x):
        return self.drop(self.attention(x, x))
for _ in range(2):
    b = Block()
    b(tf.zeros([1, 3, 4]))
    print(b.name, b.attention.name, b.drop.name)
