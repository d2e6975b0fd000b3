"""A language model of two LSTM layers with dropout between them, and a Transformer layer."""

import paddle
from paddle import nn

paddle.seed(42)


class Model(nn.Layer):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(20, 8)
        self.lstm = nn.LSTM(8, 12, num_layers=3, dropout=0.3)
        self.block = nn.TransformerEncoderLayer(12, 3, 24, dropout=0.2)
        self.out = nn.Linear(12, 20)

    def forward(self, words):
        return self.out(self.block(self.lstm(self.embedding(words))[0]))


model = Model()
optimizer = paddle.optimizer.AdamW(0.01, parameters=model.parameters())
words = paddle.randint(0, 20, [4, 9])
for step in range(5):
    logits = model(words[:, :-1])
    loss = nn.functional.cross_entropy(logits.reshape([-1, 20]), words[:, 1:].reshape([-1]))
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
    print(step, f"{loss.item():.4f}")
model.eval()
print(f"{model(words).sum().item():.1f}")
