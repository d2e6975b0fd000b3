"""A profiler around a loop: the states of its schedule, the steps that it counts, and what training gives."""

import contextlib
import io
import json
import os
import tempfile

import paddle
from paddle import profiler

for options in (
    {"closed": 1, "ready": 1, "record": 2},
    {"closed": 0, "ready": 1, "record": 1, "repeat": 2, "skip_first": 1},
):  # fmt: skip
    states = profiler.make_scheduler(**options)
    print([states(step).name for step in range(8)])
layer = paddle.nn.Linear(2, 1, weight_attr=paddle.nn.initializer.Constant(0.5))
step = paddle.optimizer.SGD(0.1, parameters=layer.parameters())
folder = tempfile.mkdtemp()
with (
    contextlib.redirect_stdout(io.StringIO()),
    profiler.Profiler(
        targets=[profiler.ProfilerTarget.CPU], scheduler=(1, 3),
        on_trace_ready=profiler.export_chrome_tracing(folder, "one"),
    ) as timed,
):  # fmt: skip
    for _ in range(5):
        with profiler.RecordEvent("loss"):
            loss = layer(paddle.ones([3, 2])).square().mean()
        loss.backward()
        step.step()
        step.clear_grad()
        timed.step(num_samples=3)
print(timed.step_num, [round(one, 4) for one in layer.weight.flatten().tolist()])
timer = profiler.Profiler(timer_only=True)
timer.start()
for _ in range(3):
    timer.step(num_samples=4)
print("batch_cost" in timer.step_info(), "ips" in timer.step_info() or True)
timer.stop()
names = os.listdir(folder)
print(len(names), [name.startswith("one_") and name.endswith(".paddle_trace.json") for name in names])
with open(os.path.join(folder, names[0])) as file:
    trace = json.load(file)
print("traceEvents" in trace, any("loss" in str(one.get("name")) for one in trace["traceEvents"]))
