"""paddle.hapi has paddle.Model and what belongs to it, by longer paths."""

import paddle
import paddle.hapi.callbacks
from paddle.hapi import Model, flops, summary
from paddle.hapi.callbacks import Callback, EarlyStopping
from paddle.hapi.dynamic_flops import flops as counted
from paddle.hapi.model import Model as Same
from paddle.hapi.model import to_list
from paddle.hapi.model_summary import summary as shown

print(Model is paddle.Model, Same is Model, Callback is paddle.callbacks.Callback)
print(summary is paddle.summary, shown is summary, flops is paddle.flops, counted is flops)
print(EarlyStopping is paddle.hapi.callbacks.EarlyStopping, paddle.hapi.Model is Model)
print(to_list(None), to_list(3), to_list((1, 2)), to_list([4]), to_list("ab"))
