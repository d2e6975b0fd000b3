"""Sequences written one label after another: by beams, and by a decoder of the program itself."""

import numpy as np
import paddle
from paddle.nn import BeamSearchDecoder, dynamic_decode


def filled(layer):
    """Gives the parameters of a layer values that are the same everywhere."""
    for number, one in enumerate(layer.parameters()):
        places = np.arange(one.size, dtype="float32").reshape(one.shape)
        one.set_value(np.sin(places * 1.7 + number * 0.9).astype("float32"))
    return layer


cell = filled(paddle.nn.GRUCell(4, 4))
embedding, output = filled(paddle.nn.Embedding(6, 4)), filled(paddle.nn.Linear(4, 6))
start = paddle.to_tensor(np.cos(np.arange(12)).reshape(3, 4).astype("float32"))
for beams in (1, 2, 3):
    decoder = BeamSearchDecoder(cell, 0, 1, beams, embedding, output)
    ids, states, lengths = dynamic_decode(decoder, start, max_step_num=5, return_length=True)
    print(ids.shape, ids.tolist())
    print(np.round(states.log_probs.numpy(), 4).tolist(), states.finished.tolist(), lengths.tolist())
decoder = BeamSearchDecoder(cell, 0, 1, 2, embedding, output)
ids, states = dynamic_decode(decoder, start, max_step_num=3, output_time_major=True)
print(ids.shape, states.cell_states.shape)
print(BeamSearchDecoder.tile_beam_merge_with_batch(paddle.to_tensor([[1], [2]]), 2).tolist())

lstm = filled(paddle.nn.LSTMCell(4, 4))
decoder = BeamSearchDecoder(lstm, 0, 1, 2, embedding, output)
ids, states = dynamic_decode(decoder, (start, start * 0.5), max_step_num=4)
print(ids.tolist(), np.round(states.cell_states[1].numpy().sum(-1), 4).tolist())


class Counter(paddle.nn.decode.Decoder):
    def initialize(self, inits):
        return inits, inits * 2.0, paddle.to_tensor([False, False, True])

    def step(self, time, inputs, states, **kwargs):
        after = states + inputs
        return {"sum": after}, after, inputs, (after > kwargs["limit"]).squeeze(1)


ones = paddle.to_tensor([[1.0], [2.0], [3.0]])
for impute in (False, True):
    found, states, lengths = dynamic_decode(
        Counter(), ones, max_step_num=6, impute_finished=impute, return_length=True,
        output_time_major=True, limit=6.0,
    )
    print(found["sum"].shape, found["sum"].squeeze(-1).tolist())
    print(states.tolist(), lengths.tolist())
